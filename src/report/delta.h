/* Delta: what changed from one report to another, number by number.
 *
 * Two reports are comparable when they are of the same experiment: the same schema, scenario, unit, seed and options.
 * What differs in that is said, and whoever wants to compare all the same can.
 *
 *  I1  Variants are matched by name; those of the old report come first, in its order, then the new ones.
 *  I2  Every number of both sides (report/leaves.h) has exactly one row; one that is missing on a side counts as
 *      changed.
 *  I3  Differences of integers are exact; only one beyond int64 is a real.
 *
 * Lives in the arena that was given; numbers point into the reports.
 *
 * As JSON, schema simagent.compare/1 (delta_json.c), keys in this order; `old` and `new` are null where there is none,
 * `difference` and `percent` where they make no sense:
 *
 *   {"schema":"simagent.compare/1","reference":"a.json","unit":"tokens",
 *    "comparisons":[
 *     {"input":"b.json","unlike":["seed: 0, 5"],"changed":1,"unchanged":24,
 *      "variants":[
 *       {"name":"split","in":"both",                                  (or "reference", "input")
 *        "notes":[{"what":"stop_reason","old":"stop","new":"max_turns"}],
 *        "metrics":[{"metric":"measurement.peak","old":100,"new":110,"difference":10,"percent":10}]}]}],
 *    "fail_on":[{"rule":"*.measurement.peak > +5%","input":"b.json","variant":"split","metric":"measurement.peak",
 *                "failed":true,"reason":null}],
 *    "ok":false}
 */
#ifndef REPORT_DELTA_H
#define REPORT_DELTA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"

struct arena;

enum delta_side { DELTA_BOTH, DELTA_OLD_ONLY, DELTA_NEW_ONLY };

struct delta_row {
    struct str metric;
    const struct value *old; /* NULL: missing */
    const struct value *now;
    struct value difference; /* VALUE_NULL when a side is missing */
    bool has_percent;        /* of the old value, which is not 0 */
    double percent;
    bool changed;
};

/* A word that is no number but changes what the numbers mean. */
struct delta_note {
    const char *what; /* its path */
    struct str old;
    struct str now;
};

#define DELTA_NOTES 3

struct delta_variant {
    struct str name;
    enum delta_side side;
    struct delta_row *rows;
    size_t count;
    size_t changed;
    struct delta_note notes[DELTA_NOTES];
    size_t note_count;
};

/* A report with what to call it. */
struct delta_input {
    struct str name;
    struct value report;
};

struct delta {
    const struct delta_input *old;
    const struct delta_input *now;
    struct str *unlike; /* one text for each way in which the experiments differ */
    size_t unlike_count;
    struct delta_variant *variants;
    size_t count;
    size_t changed; /* rows of all variants */
    size_t unchanged;
};

/* Whether the value is a report at all.  False with ERR_IO. */
MUST_USE bool delta_check_report(const struct delta_input *input, struct err *err);

/* Both are reports. */
void delta_init(struct delta *delta, struct arena *arena, const struct delta_input *old,
                const struct delta_input *now);

/* The row of a metric, or NULL. */
const struct delta_row *delta_find(const struct delta_variant *variant, struct str metric);

/* All that is to be said about some reports, as a format takes it. */
struct fail_on_finding;
struct page;

struct delta_summary {
    const struct delta_input *reference;
    const struct delta *deltas;
    size_t count;
    const struct fail_on_finding *findings;
    size_t finding_count;
    bool ok;
};

/* The formats by the names of the renderers (report/render.h); NULL if there is none of that name. */
struct delta_format {
    const char *name;
    void (*print)(struct page *page, const struct delta_summary *summary);
};

extern const struct delta_format *const delta_formats[]; /* ended by NULL */
extern const struct delta_format delta_format_text;
extern const struct delta_format delta_format_markdown;
extern const struct delta_format delta_format_csv;
extern const struct delta_format delta_format_json;

const struct delta_format *delta_format_find(struct str name);

#endif
