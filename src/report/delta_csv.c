/* A comparison as CSV: one row for every number of every variant, changed or not. */
#include "base/arena.h"
#include "report/csv_cell.h"
#include "report/delta_own.h"
#include "report/page.h"

static void print_row(struct page *page, const struct delta *delta, struct str variant, const struct delta_row *row)
{
    struct value percent = {.kind = VALUE_REAL, .real = row->percent};
    const struct value *numbers[] = {row->old, row->now, &row->difference, row->has_percent ? &percent : NULL};
    csv_cell_text(page->sink, page->arena, delta->now->name);
    sink_putc(page->sink, ',');
    csv_cell_text(page->sink, page->arena, variant);
    sink_putc(page->sink, ',');
    csv_cell_text(page->sink, page->arena, row->metric);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        sink_putc(page->sink, ',');
        csv_cell_number(page->sink, numbers[i]);
    }
    sink_putc(page->sink, '\n');
}

static void print(struct page *page, const struct delta_summary *summary)
{
    sink_write(page->sink, STR("input,variant,metric,old,new,difference,percent\n"));
    for (size_t d = 0; d < summary->count; d++) {
        const struct delta *delta = &summary->deltas[d];
        for (size_t v = 0; v < delta->count; v++) {
            for (size_t i = 0; i < delta->variants[v].count; i++) {
                print_row(page, delta, delta->variants[v].name, &delta->variants[v].rows[i]);
            }
        }
    }
}

const struct delta_format delta_format_csv = {.name = "csv", .print = print};
