/* What fills the last request of each variant, the largest part first: where the context goes. */
#include "base/arena.h"
#include "base/sort.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define VARIANTS_MAX 6
#define PARTS_MAX 6 /* of one variant */
#define TOOL_COLUMNS 20
#define KIND_COLUMNS 16

enum { VARIANT, KIND, TOOL, SIZE, SHARE, CUMULATIVE, COLUMN_COUNT };

struct part {
    const struct value *row;
    int64_t size;
};

struct composition {
    const struct sheet *sheet;
    struct grid *grid;
    size_t row;    /* the next one of the grid */
    size_t *first; /* per row: where its variant begins */
};

struct known_kind {
    const char *kind;
    const char *words;
};

static const struct known_kind known_kinds[] = {
    {"system", "system prompt"},     {"tool_schemas", "tool schemas"}, {"user", "user text"},
    {"assistant", "assistant text"}, {"tool_call", "tool calls"},      {"tool_result", "tool results"},
    {"failed_result", "failed results"},
};

static struct str kind_text(struct arena *arena, const struct value *row)
{
    struct str kind = value_str_at(row, "kind", STR(""));
    for (size_t i = 0; i < ARRAY_LEN(known_kinds); i++) {
        if (str_eq(kind, str_of(known_kinds[i].kind))) {
            return str_of(known_kinds[i].words);
        }
    }
    return kind.len > 0 ? cells_name(arena, kind, KIND_COLUMNS) : CELLS_NONE;
}

static int by_size(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    return x->size > y->size ? -1 : x->size < y->size;
}

static struct part *sorted_parts(struct arena *arena, const struct value *list)
{
    struct part *parts = arena_array(arena, struct part, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        parts[i] = (struct part){.row = &list->items[i], .size = value_int_at(&list->items[i], "size", 0)};
    }
    sort_stable(arena, parts, list->count, sizeof *parts, by_size);
    return parts;
}

static struct str number_cell(struct arena *arena, const struct value *row, const char *key)
{
    const struct value *number = value_find(row, str_of(key));
    return number != NULL && number->kind == VALUE_INT ? cells_integer(arena, number->integer) : CELLS_NONE;
}

static void set_part(struct composition *all, size_t variant, const struct value *row)
{
    struct arena *arena = all->sheet->arena;
    struct str tool = value_str_at(row, "tool", STR(""));
    const struct value *share = sheet_number(row, "share");
    grid_set(all->grid, all->row, VARIANT, all->sheet->names[variant]);
    grid_set(all->grid, all->row, KIND, kind_text(arena, row));
    grid_set(all->grid, all->row, TOOL, cells_name(arena, tool, TOOL_COLUMNS));
    grid_set(all->grid, all->row, SIZE, number_cell(arena, row, "size"));
    grid_set(all->grid, all->row, SHARE, share != NULL ? cells_percent(arena, sheet_real(share)) : CELLS_NONE);
    grid_set(all->grid, all->row, CUMULATIVE, number_cell(arena, row, "cumulative"));
    all->row++;
}

/* What was not shown, added up if all of it was kept. */
static void set_rest(struct composition *all, size_t variant, const struct value *list, const struct part *rest)
{
    size_t count = list->count < PARTS_MAX ? 0 : list->count - PARTS_MAX;
    struct arena *arena = all->sheet->arena;
    struct str more = cells_integer(arena, (int64_t)(count + list->dropped));
    double size = 0;
    double share = 0;
    double cumulative = 0;
    for (size_t i = 0; i < count; i++) {
        size += (double)rest[i].size;
        share += value_real_at(rest[i].row, "share", 0);
        cumulative += value_real_at(rest[i].row, "cumulative", 0);
    }
    grid_set(all->grid, all->row, VARIANT, all->sheet->names[variant]);
    grid_set(all->grid, all->row, KIND, str_printf(arena, "… and %.*s more", STR_ARG(more)));
    if (list->dropped == 0) {
        grid_set(all->grid, all->row, SIZE, cells_decimal(arena, size, 0, ""));
        grid_set(all->grid, all->row, SHARE, cells_percent(arena, share));
        grid_set(all->grid, all->row, CUMULATIVE, cells_decimal(arena, cumulative, 0, ""));
    }
    all->row++;
}

static size_t rows_of(const struct value *list)
{
    bool rest = list->count > PARTS_MAX || list->dropped > 0;
    return (list->count < PARTS_MAX ? list->count : PARTS_MAX) + (rest ? 1 : 0);
}

static void add_variant(struct composition *all, size_t variant)
{
    const struct value *list = sheet_list(all->sheet->variants[variant], "composition");
    const struct part *parts = sorted_parts(all->sheet->arena, list);
    size_t shown = list->count < PARTS_MAX ? list->count : PARTS_MAX;
    for (size_t row = all->row; row < all->row + rows_of(list); row++) {
        all->first[row] = all->row;
    }
    for (size_t i = 0; i < shown; i++) {
        set_part(all, variant, parts[i].row);
    }
    if (rows_of(list) > shown) {
        set_rest(all, variant, list, parts + shown);
    }
}

/* The variants that say what their last request held: *rows are all lines for the first VARIANTS_MAX of them. */
static size_t count_variants(const struct sheet *sheet, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        size_t here = rows_of(sheet_list(sheet->variants[i], "composition"));
        *rows += count < VARIANTS_MAX ? here : 0;
        count += here > 0;
    }
    return count;
}

static struct grid *new_grid(struct arena *arena, size_t rows)
{
    static const char *const headings[COLUMN_COUNT] = {"variant", "content", "tool", "size", "share", "read in all"};
    struct grid *grid = grid_new(arena, rows + 1, COLUMN_COUNT);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
    }
    grid_align_left(grid, VARIANT);
    grid_align_left(grid, KIND);
    grid_align_left(grid, TOOL);
    return grid;
}

/* In a table a name stands once; in blocks it heads each of them. */
static void name_once(struct composition *all, size_t columns)
{
    if (grid_width(all->grid, 0) > columns) {
        return;
    }
    for (size_t row = 1; row < all->row; row++) {
        if (all->first[row] != row) {
            grid_set(all->grid, row, VARIANT, STR(""));
        }
    }
}

void section_composition(struct page *page, const struct sheet *sheet)
{
    size_t rows = 0;
    size_t variants = count_variants(sheet, &rows);
    if (variants == 0) {
        return;
    }
    struct composition all = {
        .sheet = sheet,
        .grid = new_grid(page->arena, rows),
        .row = 1,
        .first = arena_array(page->arena, size_t, rows + 1),
    };
    for (size_t i = 0; i < sheet->count && all.row <= rows; i++) {
        add_variant(&all, i);
    }
    name_once(&all, page->columns);
    struct str note = str_printf(page->arena, "in %.*s; read in all = over all turns", STR_ARG(sheet->unit));
    page_heading(page, STR("What fills the last request"), note);
    grid_print(page, all.grid, 0);
    if (variants > VARIANTS_MAX) {
        struct str more = cells_count(page->arena, (int64_t)(variants - VARIANTS_MAX), "more variant");
        page_line(page, 0, str_printf(page->arena, "… and %.*s", STR_ARG(more)));
    }
}
