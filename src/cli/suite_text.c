/* What is different, as lines: a table of metrics, then other places. */
#include "cli/suite_own.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "batch/golden.h"
#include "report/cells.h"

#define TEXT_CEILING ((size_t)1 << 20)
#define PATH_COLUMNS 56
#define VALUE_COLUMNS 62
#define COLUMNS 4
#define SHORT_DECIMALS 4

/* `exact`: every digit of a real. */
static struct str number_text(struct arena *arena, const struct value *value, bool exact)
{
    char text[32];
    if (value->kind == VALUE_INT) {
        return cells_integer(arena, value->integer);
    }
    if (value->kind == VALUE_REAL && exact) {
        return str_copy(arena, (struct str){text, json_format_real(text, value->real)});
    }
    return value->kind == VALUE_REAL ? cells_decimal(arena, value->real, SHORT_DECIMALS, "")
                                     : cells_text(arena, value->string, VALUE_COLUMNS);
}

/* A few decimals, or as many as it takes to see the difference. */
static void set_numbers(struct arena *arena, struct str row[COLUMNS], const struct golden_metric *metric)
{
    row[1] = number_text(arena, &metric->old, false);
    row[2] = number_text(arena, &metric->now, false);
    if (str_eq(row[1], row[2])) {
        row[1] = number_text(arena, &metric->old, true);
        row[2] = number_text(arena, &metric->now, true);
    }
}

static void add_spaces(struct strbuf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        strbuf_addc(out, ' ');
    }
}

/* The first column stands left, numbers right. */
static void add_table(struct strbuf *out, struct str (*rows)[COLUMNS], size_t count)
{
    size_t widths[COLUMNS] = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            size_t width = utf8_columns(rows[i][k]);
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (size_t i = 0; i < count; i++) {
        strbuf_add(out, rows[i][0]);
        add_spaces(out, widths[0] - utf8_columns(rows[i][0]));
        for (size_t k = 1; k < COLUMNS; k++) {
            add_spaces(out, widths[k] - utf8_columns(rows[i][k]) + 2);
            strbuf_add(out, rows[i][k]);
        }
        strbuf_addc(out, '\n');
    }
}

static void add_metrics(struct strbuf *out, struct arena *arena, const struct golden_metric *metrics, size_t count)
{
    struct str rows[GOLDEN_METRICS + 1][COLUMNS] = {{STR("metric"), STR("old"), STR("new"), STR("change")}};
    for (size_t i = 0; i < count; i++) {
        struct str *row = rows[i + 1];
        row[0] = cells_name(arena, metrics[i].path, PATH_COLUMNS);
        set_numbers(arena, row, &metrics[i]);
        row[3] = metrics[i].has_change ? cells_change(arena, -metrics[i].change) : CELLS_NONE;
    }
    if (count > 0) {
        add_table(out, rows, count + 1);
    }
}

static void add_paths(struct strbuf *out, struct arena *arena, const struct golden_diff *diff)
{
    for (size_t i = 0; i < diff->path_count; i++) {
        const struct golden_path *row = &diff->paths[i];
        struct str path = cells_name(arena, row->path, PATH_COLUMNS);
        struct str old = cells_text(arena, row->old, VALUE_COLUMNS);
        struct str now = cells_text(arena, row->now, VALUE_COLUMNS);
        if (row->old.len == 0) {
            strbuf_addf(out, "%.*s: new: %.*s\n", STR_ARG(path), STR_ARG(now));
        } else if (row->now.len == 0) {
            strbuf_addf(out, "%.*s: gone, was %.*s\n", STR_ARG(path), STR_ARG(old));
        } else {
            strbuf_addf(out, "%.*s: was %.*s, is %.*s\n", STR_ARG(path), STR_ARG(old), STR_ARG(now));
        }
    }
}

struct str suite_diff_text(struct arena *arena, const struct golden_diff *diff)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    add_metrics(&out, arena, diff->metrics, diff->metric_count);
    if (diff->metric_total > diff->metric_count) {
        strbuf_addf(&out, "and %.*s\n", STR_ARG(cells_count(arena, (int64_t)(diff->metric_total - diff->metric_count),
                                                            "more number")));
    }
    add_paths(&out, arena, diff);
    if (diff->path_total > diff->path_count) {
        strbuf_addf(&out, "and %.*s\n",
                    STR_ARG(cells_count(arena, (int64_t)(diff->path_total - diff->path_count), "more place")));
    }
    if (diff->shrunk_count > 0) {
        strbuf_add(&out, STR("smaller than the golden, which can follow with --update:\n"));
        add_metrics(&out, arena, diff->shrunk, diff->shrunk_count);
    }
    if (diff->verdict == GOLDEN_DIFFERENT && diff->allowed_total > 0) {
        strbuf_addf(&out, "%.*s allowed\n",
                    STR_ARG(cells_count(arena, (int64_t)diff->allowed_total, "further difference")));
    }
    return strbuf_str(&out);
}
