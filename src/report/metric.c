#include "report/metric.h"

#include "base/arena.h"
#include "base/value.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sheet.h"

/* The number that stands in the report; the shares are made from it. */
static const struct value *told_number(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    bool compared = metric->source == METRIC_OF_COMPARISON;
    return sheet_number(compared ? sheet->comparisons[variant] : sheet->variants[variant], metric->path);
}

/* What a share is taken of, or NULL. */
static const struct value *whole_of(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    if (metric->source == METRIC_VS_OTHER) {
        return sheet_number(sheet->variants[variant], metric->other);
    }
    bool has_baseline = sheet->baseline != SHEET_NO_BASELINE && sheet->baseline != variant;
    return has_baseline ? sheet_number(sheet->variants[sheet->baseline], metric->path) : NULL;
}

/* The number of one variant, or a null where there is none. */
static struct value number_of(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    static const struct value nothing = {.kind = VALUE_NULL};
    const struct value *number = told_number(sheet, metric, variant);
    if (number == NULL) {
        return nothing;
    }
    if (metric->source == METRIC_OF_VARIANT || metric->source == METRIC_OF_COMPARISON) {
        return *number;
    }
    const struct value *whole = whole_of(sheet, metric, variant);
    double before = whole != NULL ? sheet_real(whole) : 0;
    if (before <= 0) {
        return nothing;
    }
    return (struct value){.kind = VALUE_REAL, .real = (before - sheet_real(number)) / before};
}

static struct str integer_cell(struct arena *arena, enum metric_format format, int64_t number)
{
    switch (format) {
    case METRIC_USD: return cells_usd(arena, number);
    case METRIC_DURATION: return cells_duration(arena, number);
    case METRIC_INTEGER: return cells_integer(arena, number);
    case METRIC_TIMES: return cells_decimal(arena, (double)number, 2, "×");
    case METRIC_PERCENT: return cells_percent(arena, (double)number);
    case METRIC_CHANGE: return cells_change(arena, (double)number);
    }
    UNREACHABLE();
}

/* Money and time are integers, so a real number has no claim to be one of them and is shown as it is. */
static struct str real_cell(struct arena *arena, enum metric_format format, double number)
{
    switch (format) {
    case METRIC_USD:
    case METRIC_DURATION:
    case METRIC_INTEGER: return cells_decimal(arena, number, 2, "");
    case METRIC_TIMES: return cells_decimal(arena, number, 2, "×");
    case METRIC_PERCENT: return cells_percent(arena, number);
    case METRIC_CHANGE: return cells_change(arena, number);
    }
    UNREACHABLE();
}

static struct str metric_cell(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    struct value number = number_of(sheet, metric, variant);
    if (number.kind == VALUE_INT) {
        return integer_cell(sheet->arena, metric->format, number.integer);
    }
    if (number.kind == VALUE_REAL) {
        return real_cell(sheet->arena, metric->format, number.real);
    }
    bool against = metric->source == METRIC_OF_COMPARISON || metric->source == METRIC_VS_BASELINE;
    bool is_baseline = against && metric->format == METRIC_CHANGE && variant == sheet->baseline;
    return is_baseline ? STR("baseline") : CELLS_NONE;
}

static bool is_not_zero(const struct value *number)
{
    return number != NULL && number->kind != VALUE_NULL && sheet_real(number) != 0;
}

static bool differ(const struct value *a, const struct value *b)
{
    if (a == NULL || b == NULL) {
        return false;
    }
    bool whole = a->kind == VALUE_INT && b->kind == VALUE_INT;
    return whole ? a->integer != b->integer : sheet_real(a) != sheet_real(b);
}

static bool says_something_of(const struct sheet *sheet, const struct metric *metric, size_t variant)
{
    struct value number = number_of(sheet, metric, variant);
    const struct value *other = metric->other != NULL ? sheet_number(sheet->variants[variant], metric->other) : NULL;
    switch (metric->showing) {
    case METRIC_ALWAYS: return true;
    case METRIC_IF_PRESENT: return number.kind != VALUE_NULL;
    case METRIC_IF_DIFFERENT: return number.kind != VALUE_NULL && differ(&number, other);
    case METRIC_IF_NOT_ZERO:
        return is_not_zero(&number) || (metric->source == METRIC_OF_VARIANT && is_not_zero(other));
    }
    UNREACHABLE();
}

static bool says_something(const struct sheet *sheet, const struct metric *metric)
{
    for (size_t i = 0; i < sheet->count; i++) {
        if (says_something_of(sheet, metric, i)) {
            return true;
        }
    }
    return false;
}

bool metrics_say_something(const struct sheet *sheet, const struct metric *metrics, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (says_something(sheet, &metrics[i])) {
            return true;
        }
    }
    return false;
}

static struct metric_line line_of(const struct sheet *sheet, const struct metric *metric)
{
    struct metric_line line = {
        .label = str_of(metric->label),
        .heading = str_of(metric->heading),
        .cells = arena_array(sheet->arena, struct str, sheet->count),
        .rank = metric->rank,
    };
    for (size_t i = 0; i < sheet->count; i++) {
        line.cells[i] = metric_cell(sheet, metric, i);
    }
    return line;
}

void metrics_print(struct page *page, const struct sheet *sheet, const struct metric *metrics, size_t count)
{
    struct metric_line *lines = arena_array(sheet->arena, struct metric_line, count);
    size_t said = 0;
    for (size_t i = 0; i < count; i++) {
        if (says_something(sheet, &metrics[i])) {
            lines[said++] = line_of(sheet, &metrics[i]);
        }
    }
    (void)metric_lines_print(page, sheet, lines, said);
}

static struct grid *with_variants_as_columns(const struct sheet *sheet, const struct metric_line *lines, size_t count)
{
    struct grid *grid = grid_new(sheet->arena, count + 1, sheet->count + 1);
    grid_align_left(grid, 0);
    for (size_t column = 0; column < sheet->count; column++) {
        grid_set(grid, 0, column + 1, sheet->names[column]);
    }
    for (size_t row = 0; row < count; row++) {
        grid_set(grid, row + 1, 0, lines[row].label);
        for (size_t column = 0; column < sheet->count; column++) {
            grid_set(grid, row + 1, column + 1, lines[row].cells[column]);
        }
    }
    return grid;
}

static size_t count_up_to(const struct metric_line *lines, size_t count, unsigned rank)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        chosen += lines[i].rank <= rank;
    }
    return chosen;
}

static struct grid *with_variants_as_rows(const struct sheet *sheet, const struct metric_line *lines, size_t count,
                                          unsigned rank)
{
    struct grid *grid = grid_new(sheet->arena, sheet->count + 1, count_up_to(lines, count, rank) + 1);
    size_t column = 0;
    grid_align_left(grid, 0);
    grid_set(grid, 0, 0, STR("variant"));
    for (size_t i = 0; i < count; i++) {
        if (lines[i].rank > rank) {
            continue;
        }
        grid_set(grid, 0, ++column, lines[i].heading);
        for (size_t row = 0; row < sheet->count; row++) {
            grid_set(grid, row + 1, column, lines[i].cells[row]);
        }
    }
    for (size_t row = 0; row < sheet->count; row++) {
        grid_set(grid, row + 1, 0, sheet->names[row]);
    }
    return grid;
}

static struct grid *fitting_grid(const struct sheet *sheet, const struct metric_line *lines, size_t count,
                                 size_t columns)
{
    struct grid *grid = with_variants_as_columns(sheet, lines, count);
    if (grid_width(grid, 0) <= columns) {
        return grid;
    }
    unsigned highest = 0;
    for (size_t i = 0; i < count; i++) {
        highest = lines[i].rank > highest ? lines[i].rank : highest;
    }
    for (unsigned rank = highest + 1; rank-- > 0;) {
        grid = with_variants_as_rows(sheet, lines, count, rank);
        if (grid_width(grid, 0) <= columns) {
            return grid;
        }
    }
    return with_variants_as_rows(sheet, lines, count, highest);
}

bool metric_lines_print(struct page *page, const struct sheet *sheet, const struct metric_line *lines, size_t count)
{
    if (sheet->count == 0 || count == 0) {
        return true;
    }
    struct grid *grid = fitting_grid(sheet, lines, count, page->columns);
    grid_print(page, grid, 0);
    return grid->rows * grid->columns == (count + 1) * (sheet->count + 1);
}
