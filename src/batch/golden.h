/* Golden: a report against the one that was accepted, and what is different about it.
 *
 * Equal bytes are equal reports.  Only when they differ the two are read as values, and the differences are found on
 * paths as people name metrics: a variant's numbers as VARIANT.METRIC whatever its place in the list, comparisons
 * likewise, items of other lists by position from 1.
 *
 *  I1  Reports whose bytes differ are never GOLDEN_SAME, and never without a row that says so.
 *  I2  Rows are bounded, whatever differs; the totals are exact.
 *
 * Rows and texts live in the arena that was given.
 */
#ifndef BATCH_GOLDEN_H
#define BATCH_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/value.h"
#include "batch/drift.h"

struct arena;

#define GOLDEN_METRICS 12 /* rows kept of each kind */
#define GOLDEN_PATHS 10

enum golden_verdict {
    GOLDEN_SAME,
    GOLDEN_ALLOWED, /* different, but by no more than the rules of drift allow */
    GOLDEN_DIFFERENT,
};

/* A number that changed. */
struct golden_metric {
    struct str path;
    struct value old; /* integers and reals, or texts that are decimal numbers */
    struct value now;
    bool has_change; /* false when the old one was 0 */
    double change;   /* (now - old) / |old| */
};

/* Anything else: a text, a kind, something that came or went. */
struct golden_path {
    struct str path;
    struct str old; /* as JSON, shortened; empty: it was not there */
    struct str now; /* empty: it is gone */
};

struct golden_diff {
    enum golden_verdict verdict;
    struct golden_metric metrics[GOLDEN_METRICS]; /* that fail the test; those in long lists only where room is left */
    size_t metric_count;
    size_t metric_total;
    struct golden_path paths[GOLDEN_PATHS]; /* that fail the test */
    size_t path_count;
    size_t path_total;
    struct golden_metric shrunk[GOLDEN_METRICS]; /* under a ratchet */
    size_t shrunk_count;
    size_t allowed_total; /* differences that fail nothing */
};

/* Compares.  The rules that are about some number of `now` are marked. */
void golden_compare(struct arena *arena, struct str golden, struct str now, struct drift *drift,
                    struct golden_diff *diff);

#endif
