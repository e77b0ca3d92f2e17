#include "report/csv.h"

#include "base/arena.h"
#include "base/value.h"
#include "report/csv_cell.h"
#include "report/leaves.h"

/* Lists of which no number is in the table. */
static const struct value_limit kept[] = {
    {"per_turn", 0}, {"candidates", 0}, {"composition", 0}, {"cache_misses", 0}, {"verdicts", 0}, {NULL, 0},
};

struct csv_rendering {
    struct rendering rendering;
    struct value_builder builder;
    struct arena *arena;
    struct sink *sink;
    struct str unit;
};

static void print_run(struct csv_rendering *csv, const struct value *run, struct str name,
                      const struct value *comparison)
{
    struct leaves leaves = leaves_of(csv->arena, run, comparison);
    for (size_t i = 0; i < leaves.count; i++) {
        const struct leaf *leaf = &leaves.items[i];
        csv_cell_text(csv->sink, csv->arena, name);
        sink_putc(csv->sink, ',');
        csv_cell_text(csv->sink, csv->arena, leaf->path);
        sink_putc(csv->sink, ',');
        csv_cell_number(csv->sink, leaf->number);
        sink_putc(csv->sink, ',');
        csv_cell_text(csv->sink, csv->arena, leaves_unit(leaf->path, csv->unit));
        sink_putc(csv->sink, '\n');
    }
}

/* Recursion is as deep as the report, which the wire limits. */
static void print_subagents(struct csv_rendering *csv, const struct value *run)
{
    const struct value *list = value_find(run, STR("subagents"));
    for (size_t i = 0; list != NULL && list->kind == VALUE_ARRAY && i < list->count; i++) {
        const struct value *child = &list->items[i];
        print_run(csv, child, value_str_at(child, "run", STR("")), NULL);
        print_subagents(csv, child);
    }
}

static bool csv_finish(struct rendering *rendering, struct err *err)
{
    struct csv_rendering *csv = (struct csv_rendering *)rendering;
    if (!csv->builder.complete) {
        return err_set(err, ERR_INTERNAL, "the report ended in its middle");
    }
    const struct value *report = &csv->builder.result;
    const struct value *variants = value_find(report, STR("variants"));
    csv->unit = value_str_at(report, "scenario.unit", STR(""));
    sink_write(csv->sink, STR("variant,metric,value,unit\n"));
    for (size_t i = 0; variants != NULL && variants->kind == VALUE_ARRAY && i < variants->count; i++) {
        const struct value *variant = &variants->items[i];
        struct str name = value_str_at(variant, "name", STR(""));
        print_run(csv, variant, name, leaves_comparison(report, name));
        print_subagents(csv, variant);
    }
    return true;
}

static struct rendering *csv_begin(struct arena *arena, struct sink *sink, const struct render_style *style)
{
    (void)style;
    struct csv_rendering *csv = arena_new(arena, struct csv_rendering);
    value_builder_init(&csv->builder, arena, kept);
    csv->arena = arena;
    csv->sink = sink;
    csv->rendering.listen = &csv->builder.feed;
    csv->rendering.finish = csv_finish;
    return &csv->rendering;
}

const struct renderer renderer_csv = {
    .name = "csv",
    .summary = "one row for each number of each run: variant, metric, value, unit",
    .begin = csv_begin,
};
