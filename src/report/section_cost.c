/* What all of it costs: tokens by the price they are billed at, requests, money. */
#include "base/arena.h"
#include "report/metric.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define V METRIC_OF_VARIANT
#define TOKENS METRIC_INTEGER, METRIC_IF_NOT_ZERO
#define ALL_TOKENS METRIC_INTEGER, METRIC_IF_DIFFERENT
#define ALL "  with subagents"

/* A variant's own, and below it the same with all its descendants where that is another number. */
static const struct metric metrics[] = {
    {"fresh input", "fresh", "tokens.fresh", "total.tokens.fresh", V, TOKENS, 3},
    {ALL, "all fresh", "total.tokens.fresh", "tokens.fresh", V, ALL_TOKENS, 5},
    {"cache read", "read", "tokens.read", "total.tokens.read", V, TOKENS, 3},
    {ALL, "all read", "total.tokens.read", "tokens.read", V, ALL_TOKENS, 5},
    {"cache write, 5 min", "write 5m", "tokens.write_5m", "total.tokens.write_5m", V, TOKENS, 3},
    {ALL, "all 5m", "total.tokens.write_5m", "tokens.write_5m", V, ALL_TOKENS, 5},
    {"cache write, 1 h", "write 1h", "tokens.write_1h", "total.tokens.write_1h", V, TOKENS, 3},
    {ALL, "all 1h", "total.tokens.write_1h", "tokens.write_1h", V, ALL_TOKENS, 5},
    {"output", "output", "tokens.output", "total.tokens.output", V, TOKENS, 3},
    {ALL, "all output", "total.tokens.output", "tokens.output", V, ALL_TOKENS, 5},
    {"requests in all", "requests", "total.requests", NULL, V, TOKENS, 2},
    {"cost of its own", "own cost", "cost.picodollars", "total.cost.picodollars", V, METRIC_USD, METRIC_IF_DIFFERENT,
     4},
    {"total cost", "cost", "total.cost.picodollars", NULL, V, METRIC_USD, METRIC_IF_PRESENT, 0},
    {"  against the baseline", "vs. base", "total.cost.picodollars", NULL, METRIC_VS_BASELINE, METRIC_CHANGE,
     METRIC_IF_PRESENT, 1},
    {"  without caching", "uncached", "total.cost.uncached_picodollars", "total.cost.picodollars", V, METRIC_USD,
     METRIC_IF_DIFFERENT, 4},
    {"  change by caching", "by caching", "total.cost.picodollars", "total.cost.uncached_picodollars", METRIC_VS_OTHER,
     METRIC_CHANGE, METRIC_IF_NOT_ZERO, 1},
};

void section_cost(struct page *page, const struct sheet *sheet)
{
    if (!metrics_say_something(sheet, metrics, ARRAY_LEN(metrics))) {
        return;
    }
    struct str note = str_printf(page->arena, "%.*s as they are billed", STR_ARG(sheet->unit));
    page_heading(page, STR("What it costs"), note);
    metrics_print(page, sheet, metrics, ARRAY_LEN(metrics));
}
