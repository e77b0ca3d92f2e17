/* Boundary: the smallest head of the ranking that would save the wanted share of all reading.
 *
 * An honest estimate: it leaves out the summary that would take a result's place.  Where even the whole ranking falls
 * short, the shortfall shows in the ratio.
 */
#ifndef REDUCE_BOUNDARY_H
#define REDUCE_BOUNDARY_H

#include "base/err.h"
#include "reduce/rank.h"

#define BOUNDARY_TARGET_DEFAULT 0.5

struct boundary {
    double target;  /* the wanted share of the cumulative reading, 0 to 1 */
    uint32_t taken; /* the first so many of the ranking */
    int64_t saved;
    double ratio; /* saved / cumulative, 0 when that is 0 */
};

/* False (ERR_SCENARIO) for a target outside [0, 1], NaN too. */
MUST_USE bool boundary_check_target(double target, struct err *err);

/* Before each candidate stop if saved >= target x cumulative; else take it, candidates of waste 0 too. */
struct boundary boundary_find(const struct ranking *ranking, int64_t cumulative, double target);

#endif
