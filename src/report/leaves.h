/* Leaves: all numbers that a report says of one run, each under the dotted path that names it.
 *
 * A table of one row per number, and a comparison of two reports, want every number there is, also those that a later
 * report adds to a part that is known.  The parts are listed once, here; what stands in them is found by looking.
 *
 *  I1  Paths are those of expectations: `measurement.peak`, and of a comparison with the baseline the bare key.
 *  I2  Order is that of the parts, within one that of the report.
 *
 * Lives in the arena that was given; numbers point into the report.
 */
#ifndef REPORT_LEAVES_H
#define REPORT_LEAVES_H

#include <stddef.h>

#include "base/str.h"
#include "base/value.h"

struct arena;

struct leaf {
    struct str path; /* raw: keys are as the report has them */
    const struct value *number;
};

struct leaves {
    struct leaf *items;
    size_t count;
};

/* Of a variant or subagent, and of its comparison with the baseline (NULL: it has none). */
struct leaves leaves_of(struct arena *arena, const struct value *run, const struct value *comparison);

/* The comparison of the variant of this name, or NULL. */
const struct value *leaves_comparison(const struct value *report, struct str variant);

/* What the number at a path counts: the scenario's unit, or "ratio", "turns", "picodollars", "us", …. */
struct str leaves_unit(struct str path, struct str scenario_unit);

#endif
