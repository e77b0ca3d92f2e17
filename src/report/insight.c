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
    struct str share = cells_percent(s->arena, ratio);
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
    struct str share = cells_percent(s->arena, fabs(saved));
    if (fabs(saved) < NO_CHANGE) {
        strbuf_add(&s->text, STR(" leaves the parent's peak as it is"));
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
    struct str total = cells_percent(s->arena, ratio);
    struct str share = cells_percent(s->arena, isolated);
    if (fabs(ratio - 1) < NO_CHANGE) {
        strbuf_add(&s->text, STR(", and the total stays the same"));
    } else if (ratio < 1) {
        strbuf_addf(&s->text, "%s lowers the total to %.*s", saved < -NO_CHANGE ? ", but" : " and", STR_ARG(total));
    } else {
        strbuf_addf(&s->text, "%s the total rises to %.*s", saved > NO_CHANGE ? ", but" : ", and", STR_ARG(total));
        if (isolated >= NO_CHANGE) {
            strbuf_addf(&s->text, ", of which subagents read %.*s", STR_ARG(share));
        }
    }
}

static bool is_compared(const struct sheet *sheet, size_t variant)
{
    const struct value *ratio = value_find(sheet->comparisons[variant], STR("total_ratio"));
    return ratio != NULL && (ratio->kind == VALUE_INT || ratio->kind == VALUE_REAL);
}

/* The compared variant with the smallest total, or with the largest peak saving; sheet->count if there is none. */
static size_t best_of(const struct sheet *sheet, bool by_total)
{
    size_t best = sheet->count;
    double best_score = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        if (!is_compared(sheet, i)) {
            continue;
        }
        double score = by_total ? -real_of(sheet->comparisons[i], "total_ratio")
                                : real_of(sheet->comparisons[i], "parent_peak_savings_ratio");
        if (best == sheet->count || score > best_score) {
            best = i;
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
    if (!sheet_is_complete(s->sheet->variants[pick->variant])) {
        strbuf_add(&s->text, STR(" (it did not complete, so this is not the whole cost)"));
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
    }
    if (count == 0) {
        add_boundary(&s, baseline);
    }
    for (size_t i = 0; i < count; i++) {
        add_variant(&s, &picks[i], compared);
    }
    strbuf_add(&s.text, STR("."));
    return strbuf_str(&s.text);
}
