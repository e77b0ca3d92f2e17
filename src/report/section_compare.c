/* All variants side by side. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

enum source { OF_VARIANT, OF_COMPARISON };
enum format { AS_INTEGER, AS_TIMES, AS_PERCENT, AS_CHANGE };

/* One number per variant.  `rank` 0 is always shown; when space is short the highest rank goes first. */
struct metric {
    const char *label;   /* when variants are columns: below the one before it if indented */
    const char *heading; /* when variants are rows */
    const char *path;
    enum source source;
    enum format format;
    unsigned rank;
};

static const struct metric metrics[] = {
    {"peak context", "peak", "measurement.peak", OF_VARIANT, AS_INTEGER, 0},
    {"  against the baseline", "vs. base", "parent_peak_savings_ratio", OF_COMPARISON, AS_CHANGE, 1},
    {"cumulative context", "cumulative", "measurement.cumulative", OF_VARIANT, AS_INTEGER, 0},
    {"  against the baseline", "vs. base", "parent_cumulative_savings_ratio", OF_COMPARISON, AS_CHANGE, 3},
    {"isolated in subagents", "isolated", "isolated.cumulative", OF_VARIANT, AS_INTEGER, 0},
    {"  worst single turn", "iso. peak", "isolated.peak", OF_VARIANT, AS_INTEGER, 5},
    {"  share of the total", "iso. share", "isolated_share_of_total", OF_COMPARISON, AS_PERCENT, 6},
    {"total", "total", "total_cumulative", OF_VARIANT, AS_INTEGER, 0},
    {"  of the baseline's total", "of base", "total_ratio", OF_COMPARISON, AS_PERCENT, 2},
    {"re-read multiplier", "re-read", "measurement.reread_multiplier", OF_VARIANT, AS_TIMES, 0},
    {"turns", "turns", "measurement.turn_count", OF_VARIANT, AS_INTEGER, 0},
    {"  in subagents", "sub. turns", "isolated.turn_count", OF_VARIANT, AS_INTEGER, 4},
    {"final context", "final", "measurement.final_context", OF_VARIANT, AS_INTEGER, 7},
};

#define RANK_MAX 7

static bool is_number(const struct value *value)
{
    return value != NULL && (value->kind == VALUE_INT || value->kind == VALUE_REAL);
}

static const struct value *number_of(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    const struct value *from =
        metric->source == OF_VARIANT ? sheet->variants[variant] : sheet->comparisons[variant];
    const struct value *number = value_path(from, metric->path);
    return is_number(number) ? number : NULL;
}

static struct str real_cell(struct arena *arena, enum format format, double number)
{
    switch (format) {
    case AS_INTEGER: return cells_decimal(arena, number, 2, "");
    case AS_TIMES: return cells_decimal(arena, number, 2, "×");
    case AS_PERCENT: return cells_percent(arena, number);
    case AS_CHANGE: return cells_change(arena, number);
    }
    UNREACHABLE();
}

static struct str metric_cell(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    const struct value *number = number_of(sheet, metric, variant);
    if (number == NULL && metric->format == AS_CHANGE && variant == sheet->baseline) {
        return STR("baseline");
    }
    if (number == NULL) {
        return CELLS_NONE;
    }
    if (metric->format == AS_INTEGER && number->kind == VALUE_INT) {
        return cells_integer(sheet->arena, number->integer);
    }
    double real = number->kind == VALUE_INT ? (double)number->integer : number->real;
    return real_cell(sheet->arena, metric->format, real);
}

static bool is_zero(const struct value *number)
{
    return number->kind == VALUE_INT ? number->integer == 0 : number->real == 0;
}

/* False for a metric that says nothing about any variant, which rank 0 never is. */
static bool says_something(const struct sheet *sheet, const struct metric *metric)
{
    for (size_t i = 0; i < sheet->count; i++) {
        const struct value *number = number_of(sheet, metric, i);
        if (number != NULL && (metric->source == OF_COMPARISON || !is_zero(number))) {
            return true;
        }
    }
    return metric->rank == 0;
}

/* The metrics up to a rank that say something. */
static size_t choose(const struct sheet *sheet, unsigned rank, const struct metric *chosen[ARRAY_LEN(metrics)])
{
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
        if (metrics[i].rank <= rank && says_something(sheet, &metrics[i])) {
            chosen[count++] = &metrics[i];
        }
    }
    return count;
}

static struct grid *with_variants_as_columns(const struct sheet *sheet)
{
    const struct metric *chosen[ARRAY_LEN(metrics)];
    size_t count = choose(sheet, RANK_MAX, chosen);
    struct grid *grid = grid_new(sheet->arena, count + 1, sheet->count + 1);
    grid_align_left(grid, 0);
    for (size_t column = 0; column < sheet->count; column++) {
        grid_set(grid, 0, column + 1, sheet->names[column]);
    }
    for (size_t row = 0; row < count; row++) {
        grid_set(grid, row + 1, 0, str_of(chosen[row]->label));
        for (size_t column = 0; column < sheet->count; column++) {
            grid_set(grid, row + 1, column + 1, metric_cell(sheet, chosen[row], column));
        }
    }
    return grid;
}

static struct grid *with_variants_as_rows(const struct sheet *sheet, unsigned rank)
{
    const struct metric *chosen[ARRAY_LEN(metrics)];
    size_t count = choose(sheet, rank, chosen);
    struct grid *grid = grid_new(sheet->arena, sheet->count + 1, count + 1);
    grid_align_left(grid, 0);
    grid_set(grid, 0, 0, STR("variant"));
    for (size_t column = 0; column < count; column++) {
        grid_set(grid, 0, column + 1, str_of(chosen[column]->heading));
        for (size_t row = 0; row < sheet->count; row++) {
            grid_set(grid, row + 1, column + 1, metric_cell(sheet, chosen[column], row));
        }
    }
    for (size_t row = 0; row < sheet->count; row++) {
        grid_set(grid, row + 1, 0, sheet->names[row]);
    }
    return grid;
}

/* Variants as columns if they fit; else as rows, with as many metrics as fit; else blocks with everything. */
static struct grid *fitting_grid(const struct sheet *sheet, size_t columns)
{
    struct grid *grid = with_variants_as_columns(sheet);
    if (grid_width(grid, 0) <= columns) {
        return grid;
    }
    for (unsigned rank = RANK_MAX + 1; rank-- > 0;) {
        grid = with_variants_as_rows(sheet, rank);
        if (grid_width(grid, 0) <= columns) {
            return grid;
        }
    }
    return with_variants_as_rows(sheet, RANK_MAX);
}

void section_compare(struct page *page, const struct sheet *sheet)
{
    struct str note = str_printf(page->arena, "in %.*s", STR_ARG(sheet->unit));
    page_heading(page, STR("Context read"), note);
    if (sheet->count == 0) {
        page_line(page, 0, STR("The report has no variants."));
    }
    if (sheet->count > 0) {
        grid_print(page, fitting_grid(sheet, page->columns), 0);
    }
    if (sheet->left_out > 0) {
        struct str more = cells_count(page->arena, (int64_t)sheet->left_out, "more variant");
        page_line(page, 0, str_printf(page->arena, "… and %.*s", STR_ARG(more)));
    }
}
