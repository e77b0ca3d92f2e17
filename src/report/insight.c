#include "report/insight.h"

#include <math.h>

#include "base/arena.h"
#include "report/cells.h"
#include "report/sheet.h"

#define SENTENCE_CEILING 16384
#define VARIANTS_TOLD 2     /* more would be the table again */
#define READ_ONCE 1.05      /* up to here nearly nothing was read twice */
#define NO_CHANGE 0.0005    /* less than the 0.1 % that is shown */

struct sentence {
    const struct sheet *sheet;
    struct arena *arena;
    struct strbuf text;
};

/* "57.4 %", and "more than 99.9 %" where a table has a sign. */
static struct str share_words(struct arena *arena, double ratio)
{
    struct str text = cells_percent(arena, ratio);
    if (str_starts(text, STR("> ")) || str_starts(text, STR("< "))) {
        const char *words = text.data[0] == '>' ? "more than" : "less than";
        return str_printf(arena, "%s%.*s", words, STR_ARG(str_slice(text, 1, text.len)));
    }
    return text;
}

/* "monolithic read 19,741 chars to build a window of 6,144: each was read 3.2 times on average" */
static void add_opening(struct sentence *s, size_t variant)
{
    const struct value *run = s->sheet->variants[variant];
    struct str name = s->sheet->names[variant];
    int64_t cumulative = value_int_at(run, "measurement.cumulative", 0);
    double multiplier = value_real_at(run, "measurement.reread_multiplier", 0);
    if (cumulative <= 0) {
        bool idle = value_int_at(run, "measurement.turn_count", 0) == 0;
        strbuf_addf(&s->text, "%.*s read nothing: %s", STR_ARG(name),
                    idle ? "it took no turn" : "its context was empty at every turn");
        return;
    }
    struct str read = cells_integer(s->arena, cumulative);
    struct str peak = cells_integer(s->arena, value_int_at(run, "measurement.peak", 0));
    strbuf_addf(&s->text, "%.*s read %.*s %.*s to build a window of %.*s", STR_ARG(name), STR_ARG(read),
                STR_ARG(s->sheet->unit), STR_ARG(peak));
    if (multiplier > READ_ONCE) {
        struct str times = cells_decimal(s->arena, multiplier, 1, "");
        strbuf_addf(&s->text, ": each was read %.*s times on average", STR_ARG(times));
    } else if (multiplier > 0) {
        strbuf_add(&s->text, STR(": almost nothing was read twice"));
    }
}

/* A lone variant has nothing to be compared with but its own boundary. */
static void add_boundary(struct sentence *s, size_t variant)
{
    const struct value *run = s->sheet->variants[variant];
    double ratio = value_real_at(run, "boundary.achieved_savings_ratio", 0);
    int64_t moved = sheet_list_total(sheet_list(run, "boundary.entries"));
    if (moved == 0 || ratio < NO_CHANGE) {
        return;
    }
    struct str share = share_words(s->arena, ratio);
    struct str results = cells_count(s->arena, moved, "tool result");
    strbuf_addf(&s->text, "; a subagent for its top %.*s would keep %.*s of that out of the context", STR_ARG(results),
                STR_ARG(share));
}

static double real_of(const struct value *object, const char *key)
{
    double number = value_real_at(object, key, 0);
    return isfinite(number) ? number : 0;
}

/* What happened to the parent's window. */
static void add_peak(struct sentence *s, const struct value *comparison)
{
    double saved = real_of(comparison, "parent_peak_savings_ratio");
    struct str share = share_words(s->arena, fabs(saved));
    if (saved == 0) {
        strbuf_add(&s->text, STR(" leaves the parent's peak as it is"));
    } else if (fabs(saved) < NO_CHANGE) {
        strbuf_addf(&s->text, " %s the parent's peak by less than 0.1 %%", saved > 0 ? "lowers" : "raises");
    } else if (saved > 0) {
        strbuf_addf(&s->text, " takes %.*s off the parent's peak", STR_ARG(share));
    } else {
        strbuf_addf(&s->text, " adds %.*s to the parent's peak", STR_ARG(share));
    }
}

/* Whether the cost only moved.  `saved` joins two good news by "and", a good and a bad one by "but". */
static void add_total(struct sentence *s, const struct value *comparison)
{
    double saved = real_of(comparison, "parent_peak_savings_ratio");
    double ratio = real_of(comparison, "total_ratio");
    double isolated = real_of(comparison, "isolated_share_of_total");
    struct str total = share_words(s->arena, ratio);
    struct str share = share_words(s->arena, isolated);
    if (ratio == 1) {
        strbuf_add(&s->text, STR(", and the total stays the same"));
    } else if (fabs(ratio - 1) < NO_CHANGE) {
        strbuf_addf(&s->text, ", and the total %s by less than 0.1 %%", ratio < 1 ? "falls" : "rises");
    } else if (ratio < 1) {
        strbuf_addf(&s->text, "%s lowers the total to %.*s", saved < -NO_CHANGE ? ", but" : " and", STR_ARG(total));
    } else {
        strbuf_addf(&s->text, "%s the total rises to %.*s", saved > NO_CHANGE ? ", but" : ", and", STR_ARG(total));
        if (isolated >= NO_CHANGE) {
            strbuf_addf(&s->text, ", of which subagents read %.*s", STR_ARG(share));
        }
    }
}

#define FOLD_MAX 10 /* beyond that a percentage says less than both numbers */

/* "total cost falls by 12.3 % to $0.0273" */
static void add_cost(struct sentence *s, int64_t before, int64_t after)
{
    struct str from = cells_usd(s->arena, before);
    struct str to = cells_usd(s->arena, after);
    const char *verb = after < before ? "falls" : "rises";
    double change = before > 0 ? fabs((double)after - (double)before) / (double)before : FOLD_MAX;
    if (before == after) {
        strbuf_addf(&s->text, "total cost stays at %.*s", STR_ARG(to));
    } else if (change >= FOLD_MAX) {
        strbuf_addf(&s->text, "total cost %s from %.*s to %.*s", verb, STR_ARG(from), STR_ARG(to));
    } else {
        struct str share = share_words(s->arena, change);
        strbuf_addf(&s->text, "total cost %s by %.*s to %.*s", verb, STR_ARG(share), STR_ARG(to));
    }
}

/* "elapsed time falls from 48 s to 14 s" */
static void add_time(struct sentence *s, int64_t before, int64_t after)
{
    struct str from = cells_duration(s->arena, before);
    struct str to = cells_duration(s->arena, after);
    if (str_eq(from, to)) {
        strbuf_addf(&s->text, "elapsed time stays at %.*s", STR_ARG(to));
    } else {
        strbuf_addf(&s->text, "elapsed time %s from %.*s to %.*s", after < before ? "falls" : "rises", STR_ARG(from),
                    STR_ARG(to));
    }
}

/* " while total cost … and elapsed time …", as far as both runs have them. */
static void add_economics(struct sentence *s, const struct value *baseline, const struct value *run)
{
    int64_t cost_before = value_int_at(baseline, "total.cost.picodollars", -1);
    int64_t cost_after = value_int_at(run, "total.cost.picodollars", -1);
    int64_t time_before = value_int_at(baseline, "time.elapsed_us", -1);
    int64_t time_after = value_int_at(run, "time.elapsed_us", -1);
    bool priced = cost_before >= 0 && cost_after >= 0;
    bool timed = time_before >= 0 && time_after >= 0;
    if (priced || timed) {
        strbuf_add(&s->text, STR(", while "));
    }
    if (priced) {
        add_cost(s, cost_before, cost_after);
    }
    if (timed) {
        strbuf_add(&s->text, priced ? STR(" and ") : STR(""));
        add_time(s, time_before, time_after);
    }
}

/* "; all of it costs $0.0273, 9.4 % less than without caching, and takes 14 s" of a variant that nothing is held
 * against. */
static void add_own_economics(struct sentence *s, const struct value *run)
{
    int64_t cost = value_int_at(run, "total.cost.picodollars", -1);
    int64_t uncached = value_int_at(run, "total.cost.uncached_picodollars", -1);
    int64_t elapsed = value_int_at(run, "time.elapsed_us", -1);
    struct str usd = cells_usd(s->arena, cost);
    struct str time = cells_duration(s->arena, elapsed);
    if (cost >= 0) {
        strbuf_addf(&s->text, "; all of it costs %.*s", STR_ARG(usd));
    }
    if (cost >= 0 && uncached > 0 && uncached != cost) {
        struct str share = share_words(s->arena, fabs((double)cost - (double)uncached) / (double)uncached);
        strbuf_addf(&s->text, ", %.*s %s than without caching%s", STR_ARG(share), cost < uncached ? "less" : "more",
                    elapsed >= 0 ? "," : "");
    }
    if (elapsed >= 0) {
        strbuf_addf(&s->text, "%s takes %.*s", cost >= 0 ? " and" : "; it", STR_ARG(time));
    }
}

static bool is_compared(const struct sheet *sheet, size_t variant)
{
    const struct value *ratio = value_find(sheet->comparisons[variant], STR("total_ratio"));
    return ratio != NULL && (ratio->kind == VALUE_INT || ratio->kind == VALUE_REAL);
}

/* The compared variant with the smallest total, or with the largest peak saving; sheet->count if there is none.  One
 * that was cut short is best only if all were: it is cheap because it left work out. */
static size_t best_of(const struct sheet *sheet, bool by_total)
{
    size_t best = sheet->count;
    bool best_complete = false;
    double best_score = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        if (!is_compared(sheet, i)) {
            continue;
        }
        double score = by_total ? -real_of(sheet->comparisons[i], "total_ratio")
                                : real_of(sheet->comparisons[i], "parent_peak_savings_ratio");
        bool complete = sheet_is_complete(sheet->variants[i]);
        if (best == sheet->count || (complete == best_complete ? score > best_score : complete)) {
            best = i;
            best_complete = complete;
            best_score = score;
        }
    }
    return best;
}

/* A variant to speak of, and why it was picked. */
struct pick {
    size_t variant;
    const char *merit; /* empty when all variants are told */
};

/* Up to two variants: all there are, or the one that saves most of the peak and the one with the lowest total. */
static size_t choose(const struct sheet *sheet, struct pick picks[VARIANTS_TOLD], size_t *compared)
{
    *compared = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        if (!is_compared(sheet, i)) {
            continue;
        }
        if (*compared < VARIANTS_TOLD) {
            picks[*compared] = (struct pick){.variant = i, .merit = ""};
        }
        (*compared)++;
    }
    if (*compared <= VARIANTS_TOLD) {
        return *compared;
    }
    size_t by_peak = best_of(sheet, false);
    size_t by_total = best_of(sheet, true);
    picks[0] = (struct pick){.variant = by_peak, .merit = by_peak == by_total ? "peak and total" : "the peak"};
    picks[1] = (struct pick){.variant = by_total, .merit = "the total"};
    return by_peak == by_total ? 1 : 2;
}

static bool has_incomplete_child(const struct value *run)
{
    const struct value *subagents = sheet_list(run, "subagents");
    for (size_t i = 0; i < subagents->count; i++) {
        if (!sheet_is_complete(&subagents->items[i])) {
            return true;
        }
    }
    return false;
}

/* A call that failed may have left work out too: a misspelt name makes any design look cheap. */
static void add_failed_calls(struct sentence *s, const struct value *variant)
{
    int64_t failed = value_int_at(variant, "failed_calls", 0);
    if (failed > 0) {
        struct str calls = cells_count(s->arena, failed, "tool call");
        strbuf_addf(&s->text, " (%.*s failed, so it may have left work out)", STR_ARG(calls));
    }
}

static void add_variant(struct sentence *s, const struct pick *pick, size_t compared)
{
    strbuf_add(&s->text, STR("; "));
    if (pick->merit[0] != '\0') {
        struct str others = cells_integer(s->arena, (int64_t)compared);
        strbuf_addf(&s->text, "best of %.*s for %s, ", STR_ARG(others), pick->merit);
    }
    strbuf_add(&s->text, s->sheet->names[pick->variant]);
    add_peak(s, s->sheet->comparisons[pick->variant]);
    add_total(s, s->sheet->comparisons[pick->variant]);
    if (s->sheet->baseline != SHEET_NO_BASELINE) {
        add_economics(s, s->sheet->variants[s->sheet->baseline], s->sheet->variants[pick->variant]);
    }
    if (!sheet_is_complete(s->sheet->variants[pick->variant])) {
        strbuf_add(&s->text, STR(" (it did not complete, so this is not the whole cost)"));
    } else if (has_incomplete_child(s->sheet->variants[pick->variant])) {
        strbuf_add(&s->text, STR(" (a subagent did not complete, so it may have left work out)"));
    } else {
        add_failed_calls(s, s->sheet->variants[pick->variant]);
    }
}

struct str insight_sentence(struct arena *arena, const struct sheet *sheet)
{
    if (sheet->count == 0) {
        return STR("");
    }
    struct sentence s = {.sheet = sheet, .arena = arena};
    struct pick picks[VARIANTS_TOLD];
    size_t compared;
    size_t baseline = sheet->baseline == SHEET_NO_BASELINE ? 0 : sheet->baseline;
    size_t count = choose(sheet, picks, &compared);
    strbuf_init(&s.text, arena, SENTENCE_CEILING);
    add_opening(&s, baseline);
    if (!sheet_is_complete(sheet->variants[baseline])) {
        strbuf_add(&s.text, STR(" before it was cut short"));
    } else {
        add_failed_calls(&s, sheet->variants[baseline]);
    }
    if (count == 0) {
        add_boundary(&s, baseline);
        add_own_economics(&s, sheet->variants[baseline]);
    }
    for (size_t i = 0; i < count; i++) {
        add_variant(&s, &picks[i], compared);
    }
    strbuf_add(&s.text, STR("."));
    return strbuf_str(&s.text);
}
