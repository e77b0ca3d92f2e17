/* Runs: the variants and subagents of a report that have a certain key, in one list.
 *
 * Budgets, contracts and cache misses belong to any run of the tree; their sections want those runs, not the tree.
 *
 *  I1  Each variant comes before its subagents, these depth first in order of invocation.
 *  I2  The value of the key is of the kind that was asked for.
 *
 * Lives in the arena of the sheet.
 */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include <stddef.h>

#include "base/str.h"
#include "base/value.h"

struct page;
struct sheet;

#define RUNS_SUBAGENT ((size_t)-1)

struct run_row {
    const struct value *run;
    const struct value *part; /* what the key holds */
    size_t variant;           /* its index, or RUNS_SUBAGENT */
};

struct runs {
    const struct run_row *rows;
    size_t count;
    size_t left_out; /* subagents that a limit of the builder left out, whatever they have */
};

struct runs runs_with(const struct sheet *sheet, const char *key, enum value_kind kind);

/* "split", or "split/1 part0": safe text. */
struct str runs_name(const struct sheet *sheet, const struct run_row *row);

/* Says below a table what it does not hold: rows that were not shown, subagents that were not looked at. */
void runs_print_rest(struct page *page, size_t more, const char *noun, size_t left_out);

#endif
