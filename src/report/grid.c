#include "report/grid.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "report/page.h"

struct grid *grid_new(struct arena *arena, size_t rows, size_t columns)
{
    struct grid *grid = arena_new(arena, struct grid);
    grid->rows = rows;
    grid->columns = columns;
    grid->cells = arena_array(arena, struct str, rows * columns);
    grid->left = arena_array(arena, bool, columns);
    grid->widths = arena_array(arena, size_t, columns);
    return grid;
}

void grid_set(struct grid *grid, size_t row, size_t column, struct str text)
{
    CHECK(row < grid->rows && column < grid->columns);
    grid->cells[row * grid->columns + column] = text;
    size_t width = utf8_columns(text);
    if (width > grid->widths[column]) {
        grid->widths[column] = width;
    }
}

void grid_align_left(struct grid *grid, size_t column)
{
    CHECK(column < grid->columns);
    grid->left[column] = true;
}

static struct str cell(const struct grid *grid, size_t row, size_t column)
{
    return grid->cells[row * grid->columns + column];
}

size_t grid_width(const struct grid *grid, size_t indent)
{
    size_t width = indent;
    for (size_t i = 0; i < grid->columns; i++) {
        width += grid->widths[i] + (i > 0 ? GRID_GAP : 0);
    }
    return width;
}

/* Spaces are kept back until text follows, so that no line ends with one. */
static void print_row(struct page *page, const struct grid *grid, size_t row, size_t indent)
{
    size_t owed = indent;
    for (size_t i = 0; i < grid->columns; i++) {
        struct str text = cell(grid, row, i);
        size_t pad = grid->widths[i] - utf8_columns(text);
        if (i > 0) {
            owed += GRID_GAP;
        }
        if (!grid->left[i]) {
            owed += pad;
        }
        if (text.len > 0) {
            page_spaces(page, owed);
            page_toned(page, row == 0 ? PAGE_DIM : PAGE_PLAIN, text);
            owed = 0;
        }
        if (grid->left[i]) {
            owed += pad;
        }
    }
    page_blank(page);
}

/* One row as a block: its first cell, then each heading with its cell. */
static void print_block(struct page *page, const struct grid *grid, size_t row, size_t label, size_t indent)
{
    page_line(page, indent, cell(grid, row, 0));
    for (size_t i = 1; i < grid->columns; i++) {
        struct str text = cell(grid, row, i);
        if (text.len == 0) {
            continue;
        }
        page_entry(page, indent + 2, cell(grid, 0, i), label + GRID_GAP, text);
    }
}

static void print_blocks(struct page *page, const struct grid *grid, size_t indent)
{
    size_t label = 0;
    for (size_t i = 1; i < grid->columns; i++) {
        size_t width = utf8_columns(cell(grid, 0, i));
        if (width > label) {
            label = width;
        }
    }
    for (size_t row = 1; row < grid->rows; row++) {
        print_block(page, grid, row, label, indent);
    }
}

void grid_print(struct page *page, const struct grid *grid, size_t indent)
{
    if (grid_width(grid, indent) > page->columns) {
        print_blocks(page, grid, indent);
        return;
    }
    for (size_t row = 0; row < grid->rows; row++) {
        print_row(page, grid, row, indent);
    }
}
