#include "batch/tell.h"

#include "base/arena.h"
#include "base/json_read.h"
#include "base/table.h"
#include "base/utf8.h"
#include "batch/expect.h"
#include "batch/note.h"
#include "batch/tell_economics.h"
#include "batch/tell_world.h"
#include "core/workspace.h"
#include "reduce/boundary.h"
#include "reduce/compare.h"
#include "reduce/rank.h"
#include "reduce/recommend.h"

#define ASKED_MAX 8 /* candidates of a variant; the text report keeps no more of them */
#define ASKED_CODE_POINTS 200

static void tell_options(const struct option_set *options, struct feed *feed)
{
    feed_open_object(feed, STR("options"));
    for (uint32_t i = 0; i < options->count; i++) {
        const struct option *option = &options->options[i];
        if (!option->has_value)
            continue;
        feed_key(feed, option->name);
        value_tell(&option->value, feed);
    }
    feed_end(feed);
}

static void tell_scenario(const struct finished *finished, struct feed *feed)
{
    const struct scenario *scenario = finished->scenario;
    feed_open_object(feed, STR("scenario"));
    feed_put_str(feed, STR("name"), scenario->name);
    feed_put_str(feed, STR("description"), scenario->description);
    feed_put_str(feed, STR("task"), scenario->task);
    feed_put_str(feed, STR("unit"), str_of(unit_name(scenario->sizing.unit)));
    if (scenario->sizing.unit == UNIT_TOKENS)
        feed_put_real(feed, STR("bytes_per_token"), (double)scenario->sizing.millionth_bytes_per_token / 1e6);
    feed_put_int(feed, STR("seed"), finished->seed);
    tell_options(finished->options, feed);
    feed_end(feed);
}

static void tell_workspace(const struct workspace *workspace, struct feed *feed)
{
    static const struct workspace none = {0};
    const struct workspace *shown = workspace ? workspace : &none;
    feed_open_object(feed, STR("workspace"));
    feed_put_int(feed, STR("files"), shown->count);
    feed_put_int(feed, STR("bytes"), shown->bytes);
    feed_open_object(feed, STR("skipped"));
    feed_put_int(feed, STR("link"), shown->skipped.link);
    feed_put_int(feed, STR("special"), shown->skipped.special);
    feed_put_int(feed, STR("too_large"), shown->skipped.too_large);
    feed_put_int(feed, STR("unreadable"), shown->skipped.unreadable);
    feed_end(feed);
    feed_end(feed);
}

static void tell_reading(struct measurement measurement, struct feed *feed)
{
    feed_put_int(feed, STR("peak"), measurement.peak);
    feed_put_int(feed, STR("cumulative"), measurement.cumulative);
    feed_put_real(feed, STR("reread_multiplier"), measure_multiplier(measurement));
    feed_put_int(feed, STR("turn_count"), measurement.turn_count);
}

static void tell_per_turn(const struct transcript *transcript, struct feed *feed)
{
    uint32_t count;
    feed_open_array(feed, STR("per_turn"));
    for (uint32_t turn = 0; turn < transcript_turns(transcript); turn += count) {
        const int64_t *contexts = chunks_run(&transcript->contexts, turn, &count);
        feed_ints(feed, contexts, count);
    }
    feed_end(feed);
}

/* What a variant and a subagent have in common. */
static void tell_run(const struct record *record, struct feed *feed)
{
    feed_put_str(feed, STR("status"), str_of(status_name(record_status(record))));
    feed_put_str(feed, STR("stop_reason"), str_of(stop_reason_name(record->stop_reason)));
    feed_put_str(feed, STR("final_text"), record->final_text);
    feed_open_object(feed, STR("measurement"));
    tell_reading(measure_transcript(&record->transcript), feed);
    feed_put_int(feed, STR("final_context"), measure_final_context(&record->transcript));
    feed_end(feed);
    tell_per_turn(&record->transcript, feed);
}

/* What a result was asked for: the `path` of its call, else all that was given.  For people: no program needs it, and
 * they see no more than the first few. */
static void tell_asked(const struct transcript *transcript, uint32_t result, struct str tool, struct feed *feed)
{
    struct arena scratch;
    struct value arguments = {.kind = VALUE_NULL};
    struct err ignored = {0};
    arena_init(&scratch);
    struct str given = rank_arguments(transcript, result, tool);
    bool read = given.len > 0 && json_read_value(&scratch, given, "arguments", &arguments, &ignored);
    struct str path = value_str_at(&arguments, "path", STR(""));
    bool nothing = read && arguments.count == 0;
    struct str asked = path.len > 0 ? path : given;
    if (!nothing && asked.len > 0)
        feed_put_str(feed, STR("asked"), utf8_prefix(asked, ASKED_CODE_POINTS));
    arena_close(&scratch);
}

static void tell_candidates(const struct finished *finished, const struct ranking *ranking,
                            const struct transcript *transcript, struct feed *feed)
{
    feed_open_array(feed, STR("candidates"));
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct candidate *candidate = &ranking->candidates[i];
        const struct entry *entry = transcript_entry(transcript, candidate->entry);
        feed_begin_object(feed);
        feed_put_int(feed, STR("entry"), candidate->entry);
        feed_put_str(feed, STR("tool"), table_key(finished->names, entry->name));
        feed_put_str(feed, STR("label"), rank_label(entry));
        feed_put_int(feed, STR("size"), entry->size);
        feed_put_int(feed, STR("appearances"), candidate->appearances);
        feed_put_int(feed, STR("later_rereads"), candidate->appearances - 1);
        feed_put_int(feed, STR("waste"), candidate->waste);
        if (finished->people && i < ASKED_MAX)
            tell_asked(transcript, candidate->entry, table_key(finished->names, entry->name), finished->people);
        feed_end(feed);
    }
    feed_end(feed);
}

static void tell_boundary(const struct boundary *boundary, const struct ranking *ranking, struct feed *feed)
{
    feed_open_object(feed, STR("boundary"));
    feed_put_real(feed, STR("target_savings_ratio"), boundary->target);
    feed_open_array(feed, STR("entries"));
    for (uint32_t i = 0; i < boundary->taken; i++)
        feed_int(feed, ranking->candidates[i].entry);
    feed_end(feed);
    feed_put_int(feed, STR("achieved_savings"), boundary->saved);
    feed_put_real(feed, STR("achieved_savings_ratio"), boundary->ratio);
    feed_end(feed);
}

static void tell_rules(const struct recommendation *recommendation, bool passed, struct feed *feed)
{
    feed_open_array(feed, passed ? STR("triggered_rules") : STR("failed_rules"));
    for (uint32_t i = 0; i < recommendation->gate_count; i++) {
        const struct gate *gate = &recommendation->gates[i];
        if (gate->passed != passed)
            continue;
        feed_begin_object(feed);
        feed_put_str(feed, STR("rule"), str_of(gate->row->rule));
        if (gate->row->whole)
            feed_put_int(feed, STR("value"), gate->whole_value);
        else
            feed_put_real(feed, STR("value"), gate->value);
        feed_put_real(feed, STR("threshold"), gate->threshold);
        feed_end(feed);
    }
    feed_end(feed);
}

static void tell_recommendation(const struct recommendation *recommendation, struct arena *scratch, struct feed *feed)
{
    feed_open_object(feed, STR("recommendation"));
    feed_put_bool(feed, STR("delegate"), recommendation->delegate);
    tell_rules(recommendation, true, feed);
    tell_rules(recommendation, false, feed);
    feed_put_str(feed, STR("reason"), recommend_reason(scratch, recommendation));
    feed_end(feed);
}

/* What all profiles say of a run; the footprint's needs its boundary. */
struct verdicts {
    struct recommendation of[PROFILES];
};

static struct verdicts judge(const struct record *record, const struct boundary *boundary,
                             const struct thresholds *thresholds)
{
    const struct account *account = &record->account;
    struct verdicts verdicts;
    verdicts.of[PROFILE_FOOTPRINT] = recommend(measure_transcript(&record->transcript), boundary, thresholds);
    verdicts.of[PROFILE_CHECKLIST] = recommend_by_checklist(account->tool_calls, account->results_size, thresholds);
    verdicts.of[PROFILE_OVERHEAD] = recommend_by_overhead(account->tool_calls, account->results_size,
                                                          recommend_spawn_overhead(record, thresholds), thresholds);
    return verdicts;
}

static void tell_verdicts(const struct verdicts *verdicts, struct feed *feed)
{
    feed_open_array(feed, STR("verdicts"));
    for (int i = 0; i < PROFILES; i++) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("profile"), str_of(profile_name((enum profile)i)));
        feed_put_bool(feed, STR("delegate"), verdicts->of[i].delegate);
        tell_rules(&verdicts->of[i], true, feed);
        tell_rules(&verdicts->of[i], false, feed);
        feed_end(feed);
    }
    feed_end(feed);
}

/* A subagent is judged as a variant is, by its own boundary. */
static void tell_child_economics(const struct finished *finished, const struct record *child, struct feed *feed)
{
    const struct scenario *scenario = finished->scenario;
    tell_economics(child, finished->names, feed);
    if (!child->account.counted)
        return;
    struct arena scratch;
    arena_init(&scratch);
    struct ranking ranking = rank_results(&scratch, &child->transcript);
    struct measurement measurement = measure_transcript(&child->transcript);
    struct boundary boundary = boundary_find(&ranking, measurement.cumulative, scenario->target_savings_ratio);
    struct verdicts verdicts = judge(child, &boundary, &scenario->thresholds);
    tell_verdicts(&verdicts, feed);
    tell_total(child, feed);
    arena_close(&scratch);
}

static void tell_subagents(const struct finished *finished, const struct record *parent, struct feed *feed)
{
    feed_open_array(feed, STR("subagents"));
    for (const struct record *child = parent->first_child; child; child = child->next) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("name"), child->name);
        feed_put_str(feed, STR("run"), child->run);
        feed_put_str(feed, STR("parent"), parent->run);
        tell_run(child, feed);
        tell_subagents(finished, child, feed); /* as deep as agents may nest: MAX_DEPTH_LARGEST */
        tell_child_economics(finished, child, feed);
        tell_world(child, finished->people, feed);
        feed_end(feed);
    }
    feed_end(feed);
}

static void tell_variant(const struct finished *finished, struct record *root, struct feed *feed)
{
    const struct scenario *scenario = finished->scenario;
    struct arena scratch;
    arena_init(&scratch);
    struct footprint footprint = compare_footprint(root);
    struct ranking ranking = rank_results(&scratch, &root->transcript);
    struct boundary boundary = boundary_find(&ranking, footprint.own.cumulative, scenario->target_savings_ratio);
    struct verdicts verdicts = judge(root, &boundary, &scenario->thresholds);
    feed_begin_object(feed);
    feed_put_str(feed, STR("name"), root->name);
    feed_put_str(feed, STR("run"), root->run);
    tell_run(root, feed);
    if (finished->people)
        feed_put_int(finished->people, STR("failed_calls"), measure_failed_calls(root));
    tell_candidates(finished, &ranking, &root->transcript, feed);
    tell_boundary(&boundary, &ranking, feed);
    tell_recommendation(&verdicts.of[scenario->verdict], &scratch, feed);
    feed_open_object(feed, STR("isolated"));
    tell_reading(footprint.isolated, feed);
    feed_end(feed);
    feed_put_int(feed, STR("total_cumulative"), compare_total(footprint));
    tell_subagents(finished, root, feed);
    tell_economics(root, finished->names, feed);
    if (root->account.counted) {
        tell_verdicts(&verdicts, feed);
        tell_total(root, feed);
    }
    tell_world(root, finished->people, feed);
    feed_end(feed);
    arena_close(&scratch);
}

static void tell_comparison(const struct record *baseline, const struct record *variant, struct feed *feed)
{
    struct comparison comparison = compare_footprints(compare_footprint(baseline), compare_footprint(variant));
    feed_begin_object(feed);
    feed_put_str(feed, STR("baseline"), baseline->name);
    feed_put_str(feed, STR("variant"), variant->name);
    feed_put_real(feed, STR("parent_peak_savings_ratio"), comparison.parent_peak_savings_ratio);
    feed_put_real(feed, STR("parent_cumulative_savings_ratio"), comparison.parent_cumulative_savings_ratio);
    feed_put_real(feed, STR("isolated_share_of_total"), comparison.isolated_share_of_total);
    feed_put_real(feed, STR("total_ratio"), comparison.total_ratio);
    feed_end(feed);
}

static bool tell_expectations(const struct finished *finished, const struct pick *pick, struct feed *feed, bool *all,
                              struct err *err)
{
    const struct scenario *scenario = finished->scenario;
    feed_open_array(feed, STR("expectations"));
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        const struct expectation *expectation = &scenario->expectations[i];
        bool met;
        if (!expect_judge(pick, scenario->where, expectation, &met, err))
            return false;
        feed_begin_object(feed);
        feed_put_str(feed, STR("metric"), expectation->metric);
        feed_put_str(feed, STR("op"), str_of(expect_op_text(expectation->op)));
        feed_key(feed, STR("want"));
        value_tell(&expectation->want, feed);
        feed_key(feed, STR("got"));
        const struct value *got = &pick_find(pick, expectation->metric)->value;
        value_tell(got, feed);
        feed_put_bool(feed, STR("ok"), met);
        feed_end(feed);
        *all = *all && met;
        if (!met && finished->say_unmet)
            note_unmet(expectation, got);
    }
    feed_end(feed);
    return true;
}

/* A variant that did not complete is a failure, unless the scenario says which stop reason it expects. */
static bool is_acceptable(const struct scenario *scenario, const struct record *root)
{
    return record_status(root) == STATUS_COMPLETE || expect_names_stop_reason(scenario, root->name);
}

static void tell_variants(const struct finished *finished, struct pick *pick, struct feed *feed)
{
    const struct scenario *scenario = finished->scenario;
    struct feed *listener = scenario->expectation_count ? &pick->feed : feed;
    feed_open_array(feed, STR("variants"));
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        pick_begin(pick, finished->roots[i]->name);
        tell_variant(finished, finished->roots[i], listener);
    }
    feed_end(feed);
    feed_open_array(feed, STR("comparisons"));
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        if (i == scenario->baseline)
            continue;
        pick_begin(pick, finished->roots[i]->name);
        tell_comparison(finished->roots[scenario->baseline], finished->roots[i], listener);
    }
    feed_end(feed);
}

bool tell_report(const struct finished *finished, struct feed *feed, struct err *err)
{
    const struct scenario *scenario = finished->scenario;
    struct arena scratch;
    struct pick pick;
    arena_init(&scratch);
    pick_init(&pick, &scratch, feed);
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        pick_want(&pick, scenario->expectations[i].metric);
    feed_begin_object(feed);
    feed_put_str(feed, STR("schema"), STR("simagent.report/1"));
    if (scenario->real_bash || scenario->runs_programs)
        feed_put_bool(feed, STR("reproducible"), false);
    tell_scenario(finished, feed);
    tell_workspace(scenario->workspace, feed);
    feed_put_str(feed, STR("baseline"), finished->roots[scenario->baseline]->name);
    tell_variants(finished, &pick, feed);
    bool ok = true;
    bool judged = tell_expectations(finished, &pick, feed, &ok, err);
    for (uint32_t i = 0; i < scenario->variant_count; i++)
        ok = ok && is_acceptable(scenario, finished->roots[i]);
    if (judged) {
        feed_put_bool(feed, STR("ok"), ok);
        feed_end(feed);
    }
    arena_close(&scratch);
    return judged;
}

static void tell_entry(const struct finished *finished, const struct record *record, uint32_t index, struct feed *feed)
{
    const struct entry *entry = transcript_entry(&record->transcript, index);
    feed_begin_object(feed);
    feed_put_str(feed, STR("run"), record->run);
    if (record->parent)
        feed_put_str(feed, STR("parent"), record->parent->run);
    else
        feed_put_null(feed, STR("parent"));
    feed_put_str(feed, STR("agent"), record->name);
    feed_put_int(feed, STR("entry"), index);
    feed_put_int(feed, STR("turn"), entry->span.birth - 1);
    feed_put_str(feed, STR("role"), str_of(role_name(entry->role)));
    if (entry->name == NAME_NONE)
        feed_put_null(feed, STR("name"));
    else
        feed_put_str(feed, STR("name"), table_key(finished->names, entry->name));
    feed_put_int(feed, STR("size"), entry->size);
    feed_put_str(feed, STR("content"), entry_content(entry));
    feed_end(feed);
}

void tell_trace(const struct finished *finished, struct feed *feed)
{
    for (uint32_t i = 0; i < finished->scenario->variant_count; i++) {
        struct record *root = finished->roots[i];
        for (struct record *record = root; record; record = record_next(root, record)) {
            for (uint32_t k = 0; k < transcript_entries(&record->transcript); k++)
                tell_entry(finished, record, k, feed);
        }
    }
}

void tell_description(const struct scenario *scenario, const struct option_set *options, struct feed *feed)
{
    feed_begin_object(feed);
    feed_put_str(feed, STR("name"), scenario->name);
    feed_put_str(feed, STR("description"), scenario->description);
    feed_key(feed, STR("options"));
    option_tell_declared(options, feed);
    feed_open_array(feed, STR("variants"));
    for (uint32_t i = 0; i < scenario->variant_count; i++)
        feed_str(feed, scenario->variants[i].agent->name);
    feed_end(feed);
    feed_open_array(feed, STR("cases"));
    for (uint32_t i = 0; i < scenario->case_count; i++) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("name"), scenario->cases[i].name);
        feed_key(feed, STR("options"));
        value_tell(&scenario->cases[i].options, feed);
        feed_end(feed);
    }
    feed_end(feed);
    feed_end(feed);
}
