/* Fail on: rules such as "*.total_cumulative > +5%", which say when a comparison of reports has failed.
 *
 *   VARIANT.METRIC OP LIMIT      VARIANT may be `*`, all of them; OP is >, >=, < or <=
 *
 *   > 20000      the new value itself
 *   > +100       the change: new less old
 *   > +5%        the change in percent of the old value; `-5%` is a fall, and `5%` the same as `+5%`
 *
 *  I1  A rule that no report has a number for is an error, and a number that has gone missing fails: no rule passes
 *      because there is nothing to look at.
 *  I2  Judged exactly: a change of 5 % is not above +5%.
 *
 * Findings live in the arena that was given and point into rules and deltas.
 */
#ifndef REPORT_FAIL_ON_H
#define REPORT_FAIL_ON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct delta;
struct delta_row;

enum fail_on_measure { FAIL_ON_VALUE, FAIL_ON_CHANGE, FAIL_ON_PERCENT };
enum fail_on_op { FAIL_ON_ABOVE, FAIL_ON_AT_LEAST, FAIL_ON_BELOW, FAIL_ON_AT_MOST };

struct fail_on {
    struct str text;
    struct str target; /* VARIANT.METRIC */
    enum fail_on_op op;
    enum fail_on_measure measure;
    long double limit;
};

/* What became of one rule for one variant of one comparison. */
struct fail_on_finding {
    const struct fail_on *rule;
    const struct delta *delta;
    struct str variant;
    struct str metric;
    const struct delta_row *row; /* NULL: neither report has it */
    const char *reason;          /* why it failed without a number to judge, or NULL */
    bool failed;
};

struct fail_on_findings {
    struct fail_on_finding *items;
    size_t count;
    bool ok; /* none failed */
};

/* False with ERR_USAGE. */
MUST_USE bool fail_on_parse(struct str text, struct fail_on *rule, struct err *err);

/* Judges all comparisons.  False with ERR_USAGE when a rule is about nothing that is there. */
MUST_USE bool fail_on_judge(struct arena *arena, const struct fail_on *rules, size_t rule_count,
                            const struct delta *deltas, size_t delta_count, struct fail_on_findings *findings,
                            struct err *err);

#endif
