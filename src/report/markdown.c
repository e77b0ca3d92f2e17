#include "report/markdown.h"

#include "base/arena.h"
#include "base/value.h"
#include "report/cells.h"
#include "report/gate.h"
#include "report/markdown_text.h"
#include "report/sheet.h"

#define TEXT_COLUMNS 240 /* of a sentence */
#define NAME_COLUMNS 80
#define GATES_CEILING 16384
#define PAGE_COLUMNS 160 /* decides how much room a sheet gives to names; nothing is wrapped here */

static const struct value_limit kept[] = {
    {"variants", 200},  {"comparisons", 200},  {"per_turn", 0}, {"candidates", 0}, {"subagents", 200},
    {"composition", 0}, {"cache_misses", 0}, {NULL, 0},
};

struct markdown_rendering {
    struct rendering rendering;
    struct value_builder builder;
    struct arena *arena;
    struct sink *sink;
    struct str reproduce;
};

enum shape { AS_COUNT, AS_TIMES, AS_SHARE, AS_USD, AS_DURATION };

/* A column is there when some variant has its number. */
struct column {
    const char *heading;
    const char *path;
    bool of_comparison;
    enum shape shape;
};

static const struct column columns[] = {
    {"peak", "measurement.peak", false, AS_COUNT},
    {"cumulative", "measurement.cumulative", false, AS_COUNT},
    {"isolated", "isolated.cumulative", false, AS_COUNT},
    {"total", "total_cumulative", false, AS_COUNT},
    {"of baseline", "total_ratio", true, AS_SHARE},
    {"re-read", "measurement.reread_multiplier", false, AS_TIMES},
    {"turns", "measurement.turn_count", false, AS_COUNT},
    {"cost", "total.cost.picodollars", false, AS_USD},
    {"elapsed", "time.elapsed_us", false, AS_DURATION},
};

#define ROOM (ARRAY_LEN(columns) + 1)

static const struct value *number_of(const struct sheet *sheet, size_t variant, const struct column *column)
{
    const struct value *from = column->of_comparison ? sheet->comparisons[variant] : sheet->variants[variant];
    const struct value *number = value_path(from, column->path);
    bool fits = number != NULL && (number->kind == VALUE_INT || number->kind == VALUE_REAL);
    return fits ? number : NULL;
}

static struct str cell_of(const struct sheet *sheet, size_t variant, const struct column *column)
{
    const struct value *number = number_of(sheet, variant, column);
    if (number == NULL) {
        return column->of_comparison && variant == sheet->baseline ? STR("baseline") : CELLS_NONE;
    }
    double real = number->kind == VALUE_INT ? (double)number->integer : number->real;
    bool whole = number->kind == VALUE_INT;
    switch (column->shape) {
    case AS_TIMES: return cells_decimal(sheet->arena, real, 2, "×");
    case AS_SHARE: return cells_percent(sheet->arena, real);
    case AS_USD: return whole ? cells_usd(sheet->arena, number->integer) : CELLS_NONE;
    case AS_DURATION: return whole ? cells_duration(sheet->arena, number->integer) : CELLS_NONE;
    case AS_COUNT: break;
    }
    return whole ? cells_integer(sheet->arena, number->integer) : cells_decimal(sheet->arena, real, 2, "");
}

static size_t choose(const struct sheet *sheet, const struct column *chosen[ROOM])
{
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        for (size_t v = 0; v < sheet->count; v++) {
            if (number_of(sheet, v, &columns[i]) != NULL) {
                chosen[count++] = &columns[i];
                break;
            }
        }
    }
    return count;
}

static struct str name_of(const struct sheet *sheet, size_t variant)
{
    struct str name = value_str_at(sheet->variants[variant], "name", STR(""));
    return name.len > 0 ? markdown_text(sheet->arena, name, NAME_COLUMNS) : STR("(no name)");
}

static void print_table(struct sink *sink, const struct sheet *sheet)
{
    const struct column *chosen[ROOM];
    struct str cells[ROOM] = {STR("variant")};
    size_t count = choose(sheet, chosen);
    for (size_t i = 0; i < count; i++) {
        cells[i + 1] = str_of(chosen[i]->heading);
    }
    markdown_row(sink, cells, count + 1);
    markdown_rule(sink, count + 1, 1);
    for (size_t v = 0; v < sheet->count; v++) {
        cells[0] = name_of(sheet, v);
        for (size_t i = 0; i < count; i++) {
            cells[i + 1] = cell_of(sheet, v, chosen[i]);
        }
        markdown_row(sink, cells, count + 1);
    }
}

static void print_line(struct sink *sink, struct str text)
{
    sink_write(sink, text);
    sink_write(sink, STR("\n"));
}

static struct str text_at(const struct sheet *sheet, const struct value *object, const char *path)
{
    return markdown_text(sheet->arena, value_str_at(object, path, STR("")), TEXT_COLUMNS);
}

static void print_head(struct sink *sink, const struct sheet *sheet)
{
    struct str name = text_at(sheet, sheet->report, "scenario.name");
    struct str task = text_at(sheet, sheet->report, "scenario.task");
    struct str unit = text_at(sheet, sheet->report, "scenario.unit");
    print_line(sink, str_printf(sheet->arena, "## %.*s\n", STR_ARG(name)));
    if (task.len > 0) {
        print_line(sink, str_printf(sheet->arena, "Task: %.*s\n", STR_ARG(task)));
    }
    print_line(sink, str_printf(sheet->arena, "Context read, in %.*s:\n", STR_ARG(unit)));
}

/* "re-read 3.21 ≥ 1.50, boundary saves 57.4 % ≥ 30.0 %": the gates that decided.  Signs stand between spaces, where
 * they are no HTML. */
static struct str gates_text(const struct sheet *sheet, const struct value *recommendation, bool passed)
{
    const struct value *list = sheet_list(recommendation, passed ? "triggered_rules" : "failed_rules");
    struct strbuf out;
    strbuf_init(&out, sheet->arena, GATES_CEILING);
    for (size_t i = 0; i < list->count && i < GATE_RULES_MAX; i++) {
        struct str heading = gate_heading(sheet->arena, value_str_at(&list->items[i], "rule", STR("")));
        struct str gate = gate_text(sheet->arena, &list->items[i], passed);
        strbuf_add(&out, i > 0 ? STR(", ") : STR(""));
        strbuf_add(&out, markdown_text(sheet->arena, heading, NAME_COLUMNS));
        strbuf_addf(&out, " %.*s", STR_ARG(gate));
    }
    return strbuf_str(&out);
}

/* The subagents of a run that did not complete, however deep; as deep as the report, which the wire limits. */
static void print_incomplete_below(struct sink *sink, const struct sheet *sheet, const struct value *run)
{
    const struct value *list = sheet_list(run, "subagents");
    for (size_t i = 0; i < list->count; i++) {
        const struct value *child = &list->items[i];
        if (!sheet_is_complete(child)) {
            struct str name = text_at(sheet, child, "run");
            struct str status = text_at(sheet, child, "status");
            struct str stop = text_at(sheet, child, "stop_reason");
            print_line(sink, str_printf(sheet->arena, "  - subagent %.*s did not complete: %.*s, %.*s", STR_ARG(name),
                                        STR_ARG(status), STR_ARG(stop)));
        }
        print_incomplete_below(sink, sheet, child);
    }
}

/* Variants that did not complete are told even where somebody expected it: their numbers are of another thing. */
static void print_advice(struct sink *sink, const struct sheet *sheet)
{
    print_line(sink, STR("\n### Delegate?\n"));
    for (size_t v = 0; v < sheet->count; v++) {
        const struct value *variant = sheet->variants[v];
        const struct value *delegate = value_path(variant, "recommendation.delegate");
        struct str name = name_of(sheet, v);
        bool yes = delegate != NULL && delegate->kind == VALUE_BOOL && delegate->boolean;
        struct str reason = gates_text(sheet, value_find(variant, STR("recommendation")), yes);
        const char *advice = delegate == NULL || delegate->kind != VALUE_BOOL ? "not judged"
                             : delegate->boolean                              ? "yes"
                                                                              : "no";
        struct str line = str_printf(sheet->arena, "- %.*s: **%s**%s%.*s%s", STR_ARG(name), advice,
                                     reason.len > 0 ? " (" : "", STR_ARG(reason), reason.len > 0 ? ")" : "");
        if (!sheet_is_complete(variant)) {
            struct str status = text_at(sheet, variant, "status");
            struct str stop = text_at(sheet, variant, "stop_reason");
            line = str_printf(sheet->arena, "%.*s; did not complete: %.*s, %.*s", STR_ARG(line), STR_ARG(status),
                              STR_ARG(stop));
        }
        int64_t failed = value_int_at(variant, "failed_calls", 0);
        if (failed > 0) {
            struct str calls = cells_count(sheet->arena, failed, "tool call");
            line = str_printf(sheet->arena, "%.*s; %.*s failed", STR_ARG(line), STR_ARG(calls));
        }
        print_line(sink, line);
        print_incomplete_below(sink, sheet, variant);
    }
}

/* What Markdown has no other meaning for. */
static struct str operator_text(const struct sheet *sheet, const struct value *expectation)
{
    static const char *const shown[][2] = {
        {">=", "≥"}, {"<=", "≤"}, {"!=", "≠"}, {"==", "=="}, {">", ">"}, {"<", "<"},
    };
    struct str op = value_str_at(expectation, "op", STR(""));
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        if (str_eq(op, str_of(shown[i][0]))) {
            return str_of(shown[i][1]);
        }
    }
    return markdown_text(sheet->arena, op, NAME_COLUMNS);
}

static struct str operand(const struct sheet *sheet, const struct value *expectation, const char *key)
{
    const struct value *value = value_find(expectation, str_of(key));
    struct strbuf json;
    if (value == NULL) {
        return CELLS_NONE;
    }
    if (value->kind == VALUE_STRING) {
        return markdown_text(sheet->arena, value->string, NAME_COLUMNS);
    }
    strbuf_init(&json, sheet->arena, 4096);
    value_canonical(value, &json);
    return markdown_text(sheet->arena, strbuf_str(&json), NAME_COLUMNS);
}

static void print_expectations(struct sink *sink, const struct sheet *sheet)
{
    const struct value *list = sheet_list(sheet->report, "expectations");
    if (list->count == 0) {
        return;
    }
    print_line(sink, STR("\n### Expectations\n"));
    markdown_row(sink, (const struct str[]){STR("metric"), STR("wanted"), STR("got"), STR("held")}, 4);
    markdown_rule(sink, 4, 4);
    for (size_t i = 0; i < list->count; i++) {
        const struct value *row = &list->items[i];
        struct str want = operand(sheet, row, "want");
        struct str op = operator_text(sheet, row);
        const struct str cells[] = {
            text_at(sheet, row, "metric"),
            str_printf(sheet->arena, "%.*s %.*s", STR_ARG(op), STR_ARG(want)),
            operand(sheet, row, "got"),
            value_bool_at(row, "ok", false) ? STR("yes") : STR("**no**"),
        };
        markdown_row(sink, cells, ARRAY_LEN(cells));
    }
}

static bool markdown_finish(struct rendering *rendering, struct err *err)
{
    struct markdown_rendering *markdown = (struct markdown_rendering *)rendering;
    struct sink *sink = markdown->sink;
    struct sheet sheet;
    if (!markdown->builder.complete) {
        return err_set(err, ERR_INTERNAL, "the report ended in its middle");
    }
    sheet_init(&sheet, markdown->arena, &markdown->builder.result, PAGE_COLUMNS);
    print_head(sink, &sheet);
    print_table(sink, &sheet);
    if (sheet.left_out > 0) {
        struct str more = cells_count(sheet.arena, (int64_t)sheet.left_out, "more variant");
        print_line(sink, str_printf(sheet.arena, "\n… and %.*s.", STR_ARG(more)));
    }
    print_advice(sink, &sheet);
    print_expectations(sink, &sheet);
    if (!value_bool_at(sheet.report, "ok", true)) {
        print_line(sink, STR("\n**Not ok.**"));
    }
    if (markdown->reproduce.len > 0) {
        struct str command = markdown_text(sheet.arena, markdown->reproduce, SIZE_MAX / 2);
        print_line(sink, str_printf(sheet.arena, "\nReproduce: %.*s", STR_ARG(command)));
    }
    return true;
}

static struct rendering *markdown_begin(struct arena *arena, struct sink *sink, const struct render_style *style)
{
    struct markdown_rendering *markdown = arena_new(arena, struct markdown_rendering);
    value_builder_init(&markdown->builder, arena, kept);
    markdown->arena = arena;
    markdown->sink = sink;
    markdown->reproduce = style->reproduce;
    markdown->rendering.listen = &markdown->builder.feed;
    markdown->rendering.finish = markdown_finish;
    return &markdown->rendering;
}

const struct renderer renderer_markdown = {
    .name = "md",
    .summary = "a table of variants with the advice, for a comment or a page",
    .begin = markdown_begin,
};
