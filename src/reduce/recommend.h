/* Recommend: three gates, judged one by one; delegating is advised only when all pass.
 *
 * The floors are met at equality.  The reason is built from the gates, so it can never disagree with them.
 */
#ifndef REDUCE_RECOMMEND_H
#define REDUCE_RECOMMEND_H

#include <stdbool.h>

#include "base/str.h"
#include "reduce/boundary.h"
#include "reduce/measure.h"

struct thresholds {
    double min_cumulative;             /* 2,000 */
    double min_reread_multiplier;      /* 1.5 */
    double min_boundary_savings_ratio; /* 0.3 */
};

extern const struct thresholds thresholds_default;

/* A floor's name and where it stands in struct thresholds: the one list of all floors. */
struct threshold_row {
    const char *rule;
    size_t offset;
    bool whole; /* the value compared with it is an integer */
};

#define THRESHOLD_COUNT 3
extern const struct threshold_row threshold_rows[THRESHOLD_COUNT];

struct gate {
    const struct threshold_row *row;
    double value;
    double threshold;
    bool passed;
};

struct recommendation {
    bool delegate;
    struct gate gates[THRESHOLD_COUNT]; /* in the order of the rows */
    uint32_t gate_count; /* two without a boundary, else three */
};

/* `boundary` may be NULL: then only the first two gates are judged. */
struct recommendation recommend(struct measurement measurement, const struct boundary *boundary,
                                const struct thresholds *thresholds);

/* "delegate: min_cumulative (19741 >= 2000), …" or "keep monolithic: …" with the failed ones; rebuilt from the gates. */
struct str recommend_reason(struct arena *arena, const struct recommendation *recommendation);

#endif
