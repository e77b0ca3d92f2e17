/* Grid: a small table of text cells, aligned by display width.
 *
 * Numbers stand right-aligned under their heading, text left-aligned; the widths come from the cells.  A grid that is
 * too wide for the page is printed as blocks, one row after the other, so that nothing is ever cut out of sight.
 *
 *  I1  Cells are safe text (report/cells.h); row 0 is the heading.
 *
 * Cells live in the arena of the grid.
 */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena;
struct page;

#define GRID_GAP 2

struct grid {
    size_t rows; /* with the heading */
    size_t columns;
    struct str *cells;
    bool *left;     /* per column: left-aligned */
    size_t *widths; /* per column: its widest cell so far */
};

struct grid *grid_new(struct arena *arena, size_t rows, size_t columns);
void grid_set(struct grid *grid, size_t row, size_t column, struct str text);
void grid_align_left(struct grid *grid, size_t column);

/* Columns that the whole grid takes with an indent. */
size_t grid_width(const struct grid *grid, size_t indent);

/* Prints the table, or blocks if it does not fit. */
void grid_print(struct page *page, const struct grid *grid, size_t indent);

#endif
