/* Compare: a variant against the baseline, so that what left the parent is seen beside what it cost elsewhere. */
#ifndef REDUCE_COMPARE_H
#define REDUCE_COMPARE_H

#include "reduce/measure.h"

struct comparison {
    double parent_peak_savings_ratio;       /* (before - after) / before, not clamped, 0 when before is 0 */
    double parent_cumulative_savings_ratio;
    double isolated_share_of_total; /* isolated / (parent + isolated) cumulative, 0 when that is 0 */
    double total_ratio; /* (parent + isolated cumulative) / the baseline's total, 0 when that is 0 */
};

/* What a comparison looks at of one variant. */
struct footprint {
    struct measurement own;
    struct measurement isolated;
};

struct footprint compare_footprint(const struct record *root);
struct comparison compare_footprints(struct footprint baseline, struct footprint variant);
int64_t compare_total(struct footprint footprint); /* own + isolated cumulative */

#endif
