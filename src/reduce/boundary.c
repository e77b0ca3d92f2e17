#include "reduce/boundary.h"

#include <math.h>
#include <stdio.h>

#include "base/json_write.h"

/* Shortest and exact: a target just above 1 must not be said to be 1, and NaN has no sign. */
static void format_target(char text[33], double target)
{
    if (isfinite(target))
        text[json_format_real(text, target)] = '\0';
    else
        snprintf(text, 33, "%s", isnan(target) ? "nan" : target > 0 ? "inf" : "-inf");
}

bool boundary_check_target(double target, struct err *err)
{
    if (target >= 0.0 && target <= 1.0)
        return true;
    char text[33];
    format_target(text, target);
    return err_set(err, ERR_SCENARIO, "target_savings_ratio must be in [0.0, 1.0], got %s", text);
}

struct boundary boundary_find(const struct ranking *ranking, int64_t cumulative, double target)
{
    struct boundary boundary = {.target = target};
    double wanted = target * (double)cumulative;
    while (boundary.taken < ranking->count && (double)boundary.saved < wanted)
        boundary.saved = checked_add(boundary.saved, ranking->candidates[boundary.taken++].waste);
    boundary.ratio = cumulative == 0 ? 0.0 : (double)boundary.saved / (double)cumulative;
    return boundary;
}
