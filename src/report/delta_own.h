/* What the formats of a comparison share: numbers and findings as people read them.
 *
 * Money is shown in USD, spans of time in their own unit, all else as it is; the sign of a change is always there.
 * Results are safe text (report/cells.h) in the arena that was given.
 */
#ifndef REPORT_DELTA_OWN_H
#define REPORT_DELTA_OWN_H

#include "base/str.h"
#include "report/delta.h"

struct arena;
struct fail_on_finding;

/* A dash for what is missing. */
struct str delta_cell_number(struct arena *arena, struct str metric, const struct value *number);
struct str delta_cell_difference(struct arena *arena, const struct delta_row *row);
struct str delta_cell_percent(struct arena *arena, const struct delta_row *row);

/* "3 of 25 metrics changed", "no metric changed (25 compared)". */
struct str delta_count_text(struct arena *arena, size_t changed, size_t unchanged);

/* "19,756 → 21,000, +1,244, +6.3 %", or why there was nothing to judge. */
struct str delta_finding_text(struct arena *arena, const struct fail_on_finding *finding);

/* Findings of one rule stand together: how many from `at` on belong to the same, and how many of these failed. */
size_t delta_findings_of_rule(const struct delta_summary *summary, size_t at, size_t *failed);

#endif
