/* All variants side by side. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/metric.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define V METRIC_OF_VARIANT
#define C METRIC_OF_COMPARISON

static const struct metric metrics[] = {
    {"peak context", "peak", "measurement.peak", NULL, V, METRIC_INTEGER, METRIC_ALWAYS, 0},
    {"  against the baseline", "vs. base", "parent_peak_savings_ratio", NULL, C, METRIC_CHANGE, METRIC_IF_PRESENT, 1},
    {"cumulative context", "cumulative", "measurement.cumulative", NULL, V, METRIC_INTEGER, METRIC_ALWAYS, 0},
    {"  against the baseline", "vs. base", "parent_cumulative_savings_ratio", NULL, C, METRIC_CHANGE,
     METRIC_IF_PRESENT, 3},
    {"isolated in subagents", "isolated", "isolated.cumulative", NULL, V, METRIC_INTEGER, METRIC_ALWAYS, 0},
    {"  worst single turn", "iso. peak", "isolated.peak", NULL, V, METRIC_INTEGER, METRIC_IF_NOT_ZERO, 5},
    {"  share of the total", "iso. share", "isolated_share_of_total", NULL, C, METRIC_PERCENT, METRIC_IF_PRESENT, 6},
    {"total", "total", "total_cumulative", NULL, V, METRIC_INTEGER, METRIC_ALWAYS, 0},
    {"  of the baseline's total", "of base", "total_ratio", NULL, C, METRIC_PERCENT, METRIC_IF_PRESENT, 2},
    {"re-read multiplier", "re-read", "measurement.reread_multiplier", NULL, V, METRIC_TIMES, METRIC_ALWAYS, 0},
    {"turns", "turns", "measurement.turn_count", NULL, V, METRIC_INTEGER, METRIC_ALWAYS, 0},
    {"  in subagents", "sub. turns", "isolated.turn_count", NULL, V, METRIC_INTEGER, METRIC_IF_NOT_ZERO, 4},
    {"failed tool calls", "failed", "failed_calls", NULL, V, METRIC_INTEGER, METRIC_IF_NOT_ZERO, 0},
    {"final context", "final", "measurement.final_context", NULL, V, METRIC_INTEGER, METRIC_IF_NOT_ZERO, 7},
};

void section_compare(struct page *page, const struct sheet *sheet)
{
    struct str note = str_printf(page->arena, "in %.*s", STR_ARG(sheet->unit));
    page_heading(page, STR("Context read"), note);
    if (sheet->count == 0) {
        page_line(page, 0, STR("The report has no variants."));
    }
    metrics_print(page, sheet, metrics, ARRAY_LEN(metrics));
    if (sheet->left_out > 0) {
        struct str more = cells_count(page->arena, (int64_t)sheet->left_out, "more variant");
        page_line(page, 0, str_printf(page->arena, "… and %.*s", STR_ARG(more)));
    }
}
