/* Tell: a finished scenario as a report, schema simagent.report/1, and its transcripts as a trace.
 *
 * The order of the keys is fixed here and nowhere else.  Cost: O(entries + turns) of all runs.
 */
#ifndef BATCH_TELL_H
#define BATCH_TELL_H

#include "base/err.h"
#include "base/feed.h"
#include "core/record.h"
#include "script/option.h"
#include "script/scenario.h"

struct table;

struct finished {
    const struct scenario *scenario;
    const struct option_set *options;
    int64_t seed;
    struct feed *people; /* the feed of the report, told past all expectations what changed line by line, what tools
                          * were asked for, and how many calls failed; NULL: a report for programs */
    bool say_unmet; /* on stderr, which expectations the report does not meet */
    struct record *const *roots; /* one for each variant */
    const struct table *names;   /* of tools */
};

/* Tells the whole report.  False with ERR_SCENARIO when an expectation cannot be judged. */
MUST_USE bool tell_report(const struct finished *finished, struct feed *feed, struct err *err);

/* Tells one document per transcript entry: all variants, each with its subagents in order of invocation. */
void tell_trace(const struct finished *finished, struct feed *feed);

/* What a scenario offers, without running it (batch/job.h, JOB_DESCRIBE). */
void tell_description(const struct scenario *scenario, const struct option_set *options, struct feed *feed);

#endif
