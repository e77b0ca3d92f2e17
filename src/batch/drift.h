/* Drift: how far a metric of a report may move before a test fails.
 *
 * `--tolerance METRIC=1%` lets it move by so much, `--ratchet METRIC` lets it fall but not rise.  A metric is named by
 * the end of its dotted path, `*` standing for one part: `peak` is the peak of every variant and subagent,
 * `delegated.*.peak` that of one.
 *
 *  I1  With a ratchet its metrics alone decide; without one everything does.
 *  I2  A rule that no number of any report has matched is known (`matched`), so that a misspelt one is no silent pass.
 *
 * The text of rules stays its owner's.
 */
#ifndef BATCH_DRIFT_H
#define BATCH_DRIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum drift_kind { DRIFT_ABSOLUTE, DRIFT_RELATIVE, DRIFT_RATCHET };

struct drift_rule {
    enum drift_kind kind;
    struct str metric;
    double amount; /* at least 0; a share of the old value if relative, unused for a ratchet */
    bool matched;
};

struct drift {
    struct drift_rule *rules;
    size_t count;
};

/* What a number did. */
enum drift_verdict {
    DRIFT_FAILS,
    DRIFT_ALLOWED,
    DRIFT_SHRUNK /* under a ratchet: good news that is worth a new golden */
};

/* "METRIC=1%" or "METRIC=5", and "METRIC".  False with ERR_USAGE. */
MUST_USE bool drift_parse_tolerance(struct str text, struct drift_rule *rule, struct err *err);
MUST_USE bool drift_parse_ratchet(struct str text, struct drift_rule *rule, struct err *err);

bool drift_has_ratchet(const struct drift *drift);

/* Whether a rule is about the metric with these parts. */
bool drift_rule_is_about(const struct drift_rule *rule, const struct str *parts, size_t count);

/* Whether some ratchet is about it. */
bool drift_is_ratcheted(const struct drift *drift, const struct str *parts, size_t count);

enum drift_verdict drift_judge(const struct drift *drift, const struct str *parts, size_t count, double old,
                               double now);

/* Marks the rules that are about this metric. */
void drift_mark(struct drift *drift, const struct str *parts, size_t count);

#endif
