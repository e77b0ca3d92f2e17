/* The report as CSV: one row for each number of each run, for spreadsheets and scripts.
 *
 * Columns: variant, metric, value, unit.  Subagents stand in the column `variant` with their run ids (`split/2`), after
 * the variant that they belong to.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "report/render.h"

extern const struct renderer renderer_csv;

#endif
