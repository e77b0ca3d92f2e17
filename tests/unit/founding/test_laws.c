#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/boundary.h"
#include "reduce/compare.h"
#include "reduce/rank.h"
#include "support/world.h"

/* Laws that hold of every run, checked on random worlds against copies of all that was ever sent to a model. */

#define WORLDS 3000

static void contexts_are_the_sizes_of_the_copies(const struct record *record, const struct seen *seen)
{
    const struct transcript *t = &record->transcript;
    assert_int_equal(transcript_turns(t), seen->count);
    for (uint32_t turn = 1; turn <= seen->count; turn++) {
        const struct snapshot *snapshot = &seen->snapshots[turn - 1];
        assert_true(transcript_context(t, turn) == snapshot_size(snapshot));
        assert_true(turn == 1 || transcript_context(t, turn) >= transcript_context(t, turn - 1));
        for (uint32_t i = 0; i < transcript_entries(t); i++)
            assert_int_equal(span_has(transcript_entry(t, i)->span, turn), i < snapshot->count);
        for (uint32_t i = 0; i < snapshot->count; i++)
            assert_str(snapshot->entries[i].content, content_at(record, i)); /* nothing changes afterwards */
    }
}

static void measurement_is_that_of_the_copies(const struct record *record, const struct seen *seen)
{
    struct measurement m = measure_transcript(&record->transcript);
    assert_true(m.peak == seen_peak(seen));
    assert_true(m.cumulative == seen_cumulative(seen));
    assert_int_equal(m.turn_count, seen->count);
    if (m.peak > 0)
        assert_true(measure_multiplier(m) >= 1.0);
}

/* cumulative = sum over all entries of size x appearances; and what is wasted on results is what is left of it when
 * each entry is paid once and the other entries' re-reads are taken out. */
static void sums_over_entries_agree(struct arena *arena, const struct record *record, const struct seen *seen)
{
    struct snapshot whole = snapshot_of(arena, &record->transcript);
    int64_t all = 0;
    int64_t once = 0;
    int64_t rereads_of_others = 0;
    for (uint32_t i = 0; i < whole.count; i++) {
        int64_t appearances = seen_appearances(seen, i);
        int64_t size = whole.entries[i].size;
        all += size * appearances;
        once += appearances > 0 ? size : 0;
        if (whole.entries[i].role != ROLE_TOOL_RESULT && appearances > 0)
            rereads_of_others += size * (appearances - 1);
    }
    assert_true(measure_transcript(&record->transcript).cumulative == all);
    assert_true(measure_final_context(&record->transcript) == snapshot_size(&whole));
    struct ranking ranking = rank_results(arena, &record->transcript);
    int64_t waste = 0;
    for (uint32_t i = 0; i < ranking.count; i++)
        waste += ranking.candidates[i].waste;
    assert_true(waste == all - once - rereads_of_others);
}

/* As the founding description ranks: the snapshot with most entries, one candidate a result, sorted stably. */
static uint32_t rank_copies(struct arena *arena, const struct seen *seen, struct candidate **out)
{
    const struct snapshot *longest = NULL;
    for (uint32_t i = 0; i < seen->count; i++)
        longest = longest && longest->count >= seen->snapshots[i].count ? longest : &seen->snapshots[i];
    uint32_t count = 0;
    *out = arena_array(arena, struct candidate, (longest ? longest->count : 0) + 1);
    for (uint32_t i = 0; longest && i < longest->count; i++) {
        if (longest->entries[i].role != ROLE_TOOL_RESULT)
            continue;
        struct candidate candidate = {.entry = i, .appearances = seen_appearances(seen, i)};
        candidate.waste = longest->entries[i].size * (candidate.appearances - 1);
        uint32_t place = count++;
        for (; place > 0 && (*out)[place - 1].waste < candidate.waste; place--)
            (*out)[place] = (*out)[place - 1];
        (*out)[place] = candidate;
    }
    return count;
}

/* The least head of the ranking that is enough, found by trying every length. */
static uint32_t least_sufficient(const struct candidate *candidates, uint32_t count, double wanted)
{
    for (uint32_t taken = 0; taken < count; taken++) {
        int64_t saved = 0;
        for (uint32_t i = 0; i < taken; i++)
            saved += candidates[i].waste;
        if ((double)saved >= wanted)
            return taken;
    }
    return count;
}

static void ranking_and_boundary_are_those_of_the_copies(struct arena *arena, const struct record *record,
                                                         const struct seen *seen, struct rng *rng)
{
    struct candidate *want;
    uint32_t count = rank_copies(arena, seen, &want);
    struct ranking got = rank_results(arena, &record->transcript);
    assert_int_equal(got.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(got.candidates[i].entry, want[i].entry);
        assert_int_equal(got.candidates[i].appearances, want[i].appearances);
        assert_true(got.candidates[i].waste == want[i].waste);
    }
    int64_t cumulative = seen_cumulative(seen);
    double met_exactly = count && cumulative ? (double)want[0].waste / (double)cumulative : 0.5;
    const double targets[] = {0.0, 1.0, 0.5, rng_real(rng), met_exactly};
    for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
        struct boundary boundary = boundary_find(&got, cumulative, targets[i]);
        assert_int_equal(boundary.taken, least_sufficient(want, count, targets[i] * (double)cumulative));
        int64_t saved = 0;
        for (uint32_t k = 0; k < boundary.taken; k++)
            saved += want[k].waste;
        assert_true(boundary.saved == saved);
        assert_true(boundary.ratio == (cumulative ? (double)saved / (double)cumulative : 0.0));
        assert_true(boundary.ratio >= 0.0 && boundary.ratio < 1.0); /* the first reading is never saved */
    }
}

static bool is_below(const struct record *record, const struct record *top)
{
    for (record = record->parent; record; record = record->parent) {
        if (record == top)
            return true;
    }
    return false;
}

/* All snapshots of all runs below, thrown into one list. */
static struct footprint footprint_of_copies(const struct ledger *ledger, const struct record *record)
{
    const struct seen *own = ledger_find(ledger, record);
    struct footprint f = {.own = {seen_peak(own), seen_cumulative(own), own->count}};
    for (const struct seen *seen = ledger->first; seen; seen = seen->next) {
        if (!is_below(seen->record, record))
            continue;
        f.isolated.peak = seen_peak(seen) > f.isolated.peak ? seen_peak(seen) : f.isolated.peak;
        f.isolated.cumulative += seen_cumulative(seen);
        f.isolated.turn_count += seen->count;
    }
    return f;
}

static double share(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static void comparison_is_that_of_the_copies(const struct ledger *ledger, const struct record *before,
                                             const struct record *after)
{
    struct footprint b = footprint_of_copies(ledger, before);
    struct footprint a = footprint_of_copies(ledger, after);
    struct footprint got = compare_footprint(after);
    assert_true(got.isolated.peak == a.isolated.peak && got.isolated.cumulative == a.isolated.cumulative);
    assert_true(got.isolated.turn_count == a.isolated.turn_count);
    struct comparison c = compare_footprints(compare_footprint(before), got);
    int64_t total = a.own.cumulative + a.isolated.cumulative;
    assert_true(c.parent_peak_savings_ratio == share(b.own.peak - a.own.peak, b.own.peak));
    assert_true(c.parent_cumulative_savings_ratio == share(b.own.cumulative - a.own.cumulative, b.own.cumulative));
    assert_true(c.isolated_share_of_total == share(a.isolated.cumulative, total));
    assert_true(c.total_ratio == share(total, b.own.cumulative + b.isolated.cumulative));
}

static uint32_t count_role(const struct transcript *t, uint32_t *at, uint32_t birth, enum role role)
{
    uint32_t count = 0;
    while (*at < transcript_entries(t) && transcript_entry(t, *at)->span.birth == birth &&
           transcript_entry(t, *at)->role == role) {
        ++*at;
        count++;
    }
    return count;
}

/* An opening, then per turn a text or none, calls, and as many results unless the turn stopped the run. */
static void transcripts_have_the_shape_of_their_turns(const struct record *record)
{
    const struct transcript *t = &record->transcript;
    uint32_t at = 0;
    count_role(t, &at, 1, ROLE_SYSTEM);
    assert_int_equal(count_role(t, &at, 1, ROLE_USER), 1);
    for (uint32_t turn = 1; turn <= transcript_turns(t); turn++) {
        assert_true(count_role(t, &at, turn + 1, ROLE_ASSISTANT) <= 1);
        uint32_t calls = count_role(t, &at, turn + 1, ROLE_TOOL_CALL);
        uint32_t results = count_role(t, &at, turn + 1, ROLE_TOOL_RESULT);
        bool stopped = record->stop_reason == STOP_REASON_STOP && turn == transcript_turns(t);
        assert_int_equal(results, stopped ? 0 : calls);
    }
    assert_int_equal(at, transcript_entries(t));
}

static void every_law_holds_of_every_run(void **state)
{
    struct fixture *f = *state;
    uint32_t records = 0;
    uint32_t deepest = 0;
    uint32_t reasons[3] = {0};
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        fixture_renew(f);
        struct world *world = world_new(f, seed);
        struct record *root = world_run(world);
        struct rng rng;
        rng_init(&rng, seed, STR("targets"));
        for (struct record *record = root; record; record = record_next(root, record)) {
            const struct seen *seen = ledger_find(&world->ledger, record);
            contexts_are_the_sizes_of_the_copies(record, seen);
            measurement_is_that_of_the_copies(record, seen);
            sums_over_entries_agree(&f->arena, record, seen);
            ranking_and_boundary_are_those_of_the_copies(&f->arena, record, seen, &rng);
            comparison_is_that_of_the_copies(&world->ledger, root, record);
            transcripts_have_the_shape_of_their_turns(record);
            records++;
            deepest = record->depth > deepest ? record->depth : deepest;
            reasons[record->stop_reason]++;
        }
    }
    /* the worlds are worth looking at */
    assert_true(records > 2 * WORLDS && deepest == 3);
    assert_true(reasons[0] > 100 && reasons[1] > 100 && reasons[2] > 100);
}

static void assert_same_tree(const struct record *a, const struct record *b)
{
    assert_str(a->run, b->run);
    assert_str(a->final_text, b->final_text);
    assert_int_equal(a->stop_reason, b->stop_reason);
    assert_int_equal(a->child_count, b->child_count);
    assert_int_equal(transcript_turns(&a->transcript), transcript_turns(&b->transcript));
    assert_int_equal(transcript_entries(&a->transcript), transcript_entries(&b->transcript));
    for (uint32_t i = 0; i < transcript_entries(&a->transcript); i++) {
        assert_int_equal(role_at(a, i), role_at(b, i));
        assert_str(content_at(a, i), content_at(b, i));
        assert_int_equal(transcript_entry(&a->transcript, i)->size, transcript_entry(&b->transcript, i)->size);
    }
    const struct record *left = a->first_child;
    const struct record *right = b->first_child;
    for (; left && right; left = left->next, right = right->next)
        assert_same_tree(left, right);
}

/* How many calls run side by side decides when things happen, never what happens. */
static void slots_change_nothing_that_is_measured(void **state)
{
    struct fixture *f = *state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        fixture_renew(f);
        struct world *one = world_new(f, seed);
        struct world *many = world_new(f, seed);
        one->options.economy.latency = slots_of(&f->arena, 1);
        many->options.economy.latency = slots_of(&f->arena, 100);
        assert_same_tree(world_run(one), world_run(many));
    }
}

/* N equal bodies and nothing else: the multiplier is (N + 1) / 2 and at most (N - 1) / (N + 1) can be saved. */
static void equal_bodies_have_known_figures(void **state)
{
    struct fixture *f = *state;
    for (int64_t n = 1; n <= 200; n++) {
        fixture_renew(f);
        struct transcript t;
        transcript_init(&t, &f->arena, &f->sizing);
        for (int64_t i = 0; i < n; i++) {
            transcript_append_sized(&t, ROLE_TOOL_RESULT, 0, (struct str){0}, 1000);
            transcript_begin_turn(&t);
        }
        struct measurement m = measure_transcript(&t);
        struct ranking ranking = rank_results(&f->arena, &t);
        struct boundary all = boundary_find(&ranking, m.cumulative, 1.0);
        assert_true(2 * m.cumulative == m.peak * (n + 1));
        assert_true(measure_multiplier(m) == (double)(n + 1) / 2.0);
        assert_int_equal(all.taken, n);
        assert_true(all.saved * (n + 1) == m.cumulative * (n - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_law_holds_of_every_run),
        TEST(slots_change_nothing_that_is_measured),
        TEST(equal_bodies_have_known_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
