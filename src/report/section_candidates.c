/* The tool results that were re-read most, of all variants. */
#include "base/arena.h"
#include "base/sort.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define SHOWN 8 /* text.c asks its builder to keep as many of each variant */
#define TOOL_COLUMNS 20
#define TEXT_COLUMNS_MIN 5 /* of what was asked for, and of a label */
#define BOTH_COLUMNS 100   /* of a page that has room for the two */

/* Columns of the grid; behind them stands what was asked for, or how the result begins, or both. */
enum { VARIANT, ENTRY, TOOL, SIZE, TURNS, WASTE, NUMBER_COLUMNS };

struct candidate {
    size_t variant;
    const struct value *row;
    int64_t waste;
};

static int by_waste(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    return x->waste > y->waste ? -1 : x->waste < y->waste;
}

/* Those that were read more than once, of all variants: the largest waste first, equal ones as the report has them.
 * *total counts what was not kept too. */
static size_t collect(const struct sheet *sheet, struct candidate *out, int64_t *total)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        const struct value *list = sheet_list(sheet->variants[i], "candidates");
        *total += sheet_list_total(list);
        for (size_t j = 0; j < list->count; j++) {
            int64_t waste = value_int_at(&list->items[j], "waste", 0);
            if (waste <= 0) {
                continue;
            }
            out[count++] = (struct candidate){.variant = i, .row = &list->items[j], .waste = waste};
        }
    }
    sort_stable(sheet->arena, out, count, sizeof *out, by_waste);
    return count;
}

static size_t kept_candidates(const struct sheet *sheet)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        count += sheet_list(sheet->variants[i], "candidates")->count;
    }
    return count;
}

static bool is_behind_boundary(const struct sheet *sheet, const struct candidate *candidate)
{
    const struct value *entries = sheet_list(sheet->variants[candidate->variant], "boundary.entries");
    int64_t entry = value_int_at(candidate->row, "entry", -1);
    for (size_t i = 0; i < entries->count; i++) {
        if (entries->items[i].kind == VALUE_INT && entries->items[i].integer == entry) {
            return true;
        }
    }
    return false;
}

static void set_number(struct grid *grid, size_t row, size_t column, struct arena *arena, const struct candidate *from,
                       const char *key)
{
    grid_set(grid, row, column, cells_integer(arena, value_int_at(from->row, key, 0)));
}

static void set_row(struct grid *grid, size_t row, const struct sheet *sheet, const struct candidate *from)
{
    struct arena *arena = sheet->arena;
    struct str tool = value_str_at(from->row, "tool", STR(""));
    const char *mark = is_behind_boundary(sheet, from) ? "*" : " ";
    grid_set(grid, row, VARIANT, str_printf(arena, "%s %.*s", mark, STR_ARG(sheet->names[from->variant])));
    grid_set(grid, row, TOOL, tool.len > 0 ? cells_name(arena, tool, TOOL_COLUMNS) : CELLS_NONE);
    set_number(grid, row, ENTRY, arena, from, "entry");
    set_number(grid, row, SIZE, arena, from, "size");
    set_number(grid, row, TURNS, arena, from, "appearances");
    set_number(grid, row, WASTE, arena, from, "waste");
}

/* A path differs from others at its end; arguments, which are JSON, say most at their beginning. */
static struct str asked_text(const struct sheet *sheet, const struct candidate *from, size_t columns)
{
    struct str asked = value_str_at(from->row, "asked", STR(""));
    if (asked.len == 0) {
        return CELLS_NONE;
    }
    bool is_path = asked.data[0] != '{';
    return is_path ? cells_name(sheet->arena, asked, columns) : cells_text(sheet->arena, asked, columns);
}

static void set_asked(struct grid *grid, size_t column, const struct sheet *sheet, const struct candidate *rows,
                      size_t columns)
{
    grid_set(grid, 0, column, STR("asked for"));
    for (size_t i = 0; i + 1 < grid->rows; i++) {
        grid_set(grid, i + 1, column, asked_text(sheet, &rows[i], columns));
    }
}

static void set_labels(struct grid *grid, size_t column, const struct sheet *sheet, const struct candidate *rows,
                       size_t columns)
{
    grid_set(grid, 0, column, STR("begins"));
    for (size_t i = 0; i + 1 < grid->rows; i++) {
        struct str label = sheet_text(sheet, rows[i].row, "label", columns);
        grid_set(grid, i + 1, column, label.len > 0 ? label : CELLS_NONE);
    }
}

static size_t room_beside(const struct grid *grid, size_t columns)
{
    size_t taken = grid_width(grid, 0);
    return columns > taken + TEXT_COLUMNS_MIN ? columns - taken : TEXT_COLUMNS_MIN;
}

/* Texts take what the numbers leave. */
static void set_texts(struct grid *grid, const struct sheet *sheet, const struct candidate *rows, bool asked,
                      size_t columns)
{
    size_t last = grid->columns - 1;
    if (last > NUMBER_COLUMNS) {
        size_t room = room_beside(grid, columns);
        set_asked(grid, NUMBER_COLUMNS, sheet, rows, room - room / 3);
    } else if (asked) {
        set_asked(grid, last, sheet, rows, room_beside(grid, columns));
        return;
    }
    set_labels(grid, last, sheet, rows, room_beside(grid, columns));
}

/* A report that was made for programs does not say what was asked for. */
static bool is_asked(const struct candidate *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (value_str_at(rows[i].row, "asked", STR("")).len > 0) {
            return true;
        }
    }
    return false;
}

static struct grid *build(const struct sheet *sheet, const struct candidate *rows, size_t count, size_t columns)
{
    bool asked = is_asked(rows, count);
    size_t texts = asked && columns >= BOTH_COLUMNS ? 2 : 1;
    struct grid *grid = grid_new(sheet->arena, count + 1, NUMBER_COLUMNS + texts);
    static const char *const headings[] = {"  variant", "entry", "tool", "size", "turns", "re-read"};
    for (size_t i = 0; i < NUMBER_COLUMNS; i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
    }
    grid_align_left(grid, VARIANT);
    grid_align_left(grid, TOOL);
    for (size_t i = NUMBER_COLUMNS; i < grid->columns; i++) {
        grid_align_left(grid, i);
    }
    for (size_t i = 0; i < count; i++) {
        set_row(grid, i + 1, sheet, &rows[i]);
    }
    set_texts(grid, sheet, rows, asked, columns);
    return grid;
}

void section_candidates(struct page *page, const struct sheet *sheet)
{
    int64_t total = 0;
    struct candidate *rows = arena_array(page->arena, struct candidate, kept_candidates(sheet) + 1);
    size_t count = collect(sheet, rows, &total);
    if (total == 0) {
        return;
    }
    if (count == 0) {
        page_heading(page, STR("Tool results read again"), STR(""));
        page_line(page, 0, STR("None: no tool result was read by more than one turn."));
        return;
    }
    size_t shown = count < SHOWN ? count : SHOWN;
    page_heading(page, STR("Tool results read again"), STR("* = inside the boundary"));
    grid_print(page, build(sheet, rows, shown, page->columns), 0);
    int64_t more = total - (int64_t)shown;
    if (more > 0) {
        struct str text = cells_count(page->arena, more, "more tool result");
        page_line(page, 0, str_printf(page->arena, "… and %.*s", STR_ARG(text)));
    }
}
