/* Metrics: numbers of all variants side by side, found in the report and laid out as the page has room.
 *
 * A section is a table of rows that say where a number stands, how it is written and when it is worth a line; finding,
 * comparing with the baseline and fitting onto the page are the same for all of them.
 *
 *  I1  A number that a variant does not have, or that is of another kind, is shown as a dash; it never counts as 0.
 *
 * Cells live in the arena of the sheet.
 */
#ifndef REPORT_METRIC_H
#define REPORT_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct page;
struct sheet;

enum metric_source {
    METRIC_OF_VARIANT,    /* the number at `path` of the variant */
    METRIC_OF_COMPARISON, /* the number at `path` of its comparison with the baseline */
    METRIC_VS_BASELINE,   /* by what share of the baseline's the number at `path` is smaller */
    METRIC_VS_OTHER,      /* by what share of the one at `other` the number at `path` is smaller */
};

enum metric_format { METRIC_INTEGER, METRIC_TIMES, METRIC_PERCENT, METRIC_CHANGE, METRIC_USD, METRIC_DURATION };

/* A line is shown when it says something of any variant. */
enum metric_showing {
    METRIC_IF_NOT_ZERO,  /* of a variant's number that has `other`: when one of both is not 0 */
    METRIC_IF_PRESENT,
    METRIC_IF_DIFFERENT, /* from the number at `other` */
    METRIC_ALWAYS,
};

struct metric {
    const char *label;   /* when variants are columns: below the one before it if indented */
    const char *heading; /* when variants are rows */
    const char *path;
    const char *other;
    enum metric_source source;
    enum metric_format format;
    enum metric_showing showing;
    unsigned rank; /* when space is short the highest rank goes first, 0 never */
};

/* Prints those that say something; nothing when none does. */
void metrics_print(struct page *page, const struct sheet *sheet, const struct metric *metrics, size_t count);
bool metrics_say_something(const struct sheet *sheet, const struct metric *metrics, size_t count);

/* A line whose cells are made already, one per variant. */
struct metric_line {
    struct str label;
    struct str heading;
    struct str *cells;
    unsigned rank;
};

/* Variants as columns if they fit; else as rows, with as many lines as fit; else blocks with everything.  False when
 * lines were left out. */
bool metric_lines_print(struct page *page, const struct sheet *sheet, const struct metric_line *lines, size_t count);

#endif
