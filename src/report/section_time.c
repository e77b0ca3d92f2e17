/* How long it takes on the simulated clock. */
#include "base/arena.h"
#include "report/metric.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define V METRIC_OF_VARIANT, METRIC_DURATION, METRIC_IF_PRESENT
#define B METRIC_VS_BASELINE, METRIC_CHANGE

/* Slots change what is elapsed, not the work: where nothing changed, the comparison is left out. */
static const struct metric metrics[] = {
    {"elapsed", "elapsed", "time.elapsed_us", NULL, V, 0},
    {"  against the baseline", "vs. base", "time.elapsed_us", NULL, B, METRIC_IF_PRESENT, 1},
    {"work of all agents", "work", "time.work_us", NULL, V, 2},
    {"  against the baseline", "vs. base", "time.work_us", NULL, B, METRIC_IF_NOT_ZERO, 4},
    {"critical path", "critical", "time.critical_path_us", NULL, V, 3},
    {"  against the baseline", "vs. base", "time.critical_path_us", NULL, B, METRIC_IF_NOT_ZERO, 4},
};

void section_time(struct page *page, const struct sheet *sheet)
{
    if (!metrics_say_something(sheet, metrics, ARRAY_LEN(metrics))) {
        return;
    }
    page_heading(page, STR("How long it takes"), STR("on the simulated clock"));
    metrics_print(page, sheet, metrics, ARRAY_LEN(metrics));
}
