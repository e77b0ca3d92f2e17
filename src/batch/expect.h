/* Expect: judges what a scenario expects of its own report. */
#ifndef BATCH_EXPECT_H
#define BATCH_EXPECT_H

#include "base/err.h"
#include "batch/pick.h"
#include "script/scenario.h"

/* Whether the picked value meets the expectation.  False with ERR_SCENARIO when there is nothing to compare: the metric
 * is unknown, or it is of another kind than what is wanted.  `where` is the scenario's own line, for the message. */
MUST_USE bool expect_judge(const struct pick *pick, struct str where, const struct expectation *expectation, bool *met,
                           struct err *err);

/* True if the scenario says which stop reason it expects of a variant. */
bool expect_names_stop_reason(const struct scenario *scenario, struct str variant);

#endif
