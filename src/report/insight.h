/* Insight: one sentence that says what the numbers of a report mean.
 *
 * A table of numbers leaves the reader to find out whether a subagent moved the cost or lowered it.  The sentence is
 * put together from clauses, each of which is chosen by the numbers and states them; none is said of a report that it
 * is not true of.
 */
#ifndef REPORT_INSIGHT_H
#define REPORT_INSIGHT_H

#include "base/str.h"

struct arena;
struct sheet;

/* Safe text; empty when the report has no variants. */
struct str insight_sentence(struct arena *arena, const struct sheet *sheet);

#endif
