/* Context per turn as sparklines, subagents below their variant. */
#include "base/arena.h"
#include "base/utf8.h"
#include "report/cells.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"
#include "report/sparkline.h"

#define SUBAGENTS_SHOWN 6 /* below one variant */
#define DEPTH_SHOWN 4     /* deeper ones are indented no further */
#define MARK_BYTES 3      /* of one block character */

struct curve {
    struct str label;
    const struct value *series;
    struct str turns;
};

struct curves {
    const struct sheet *sheet;
    struct curve *rows;
    size_t count;
    int64_t max;       /* the largest context of all rows: one scale, so that they compare */
    size_t longest;    /* turns of the longest row */
    size_t left_out;   /* subagents below the variant at hand that got no row */
    size_t shown_here; /* and those that did */
};

static void add_row(struct curves *curves, struct str label, const struct value *run)
{
    const struct value *series = sheet_list(run, "per_turn");
    curves->max = sparkline_max(series, curves->max);
    if (series->count > curves->longest) {
        curves->longest = series->count;
    }
    curves->rows[curves->count++] = (struct curve){
        .label = label,
        .series = series,
        .turns = cells_count(curves->sheet->arena, (int64_t)series->count, "turn"),
    };
}

/* "/1 repo_scanner": the run's number below its parent, then the subagent's name. */
static struct str subagent_label(const struct curves *curves, const struct value *run, size_t depth)
{
    struct arena *arena = curves->sheet->arena;
    struct str id = value_str_at(run, "run", STR(""));
    size_t slash = id.len;
    while (slash > 0 && id.data[slash - 1] != '/') {
        slash--;
    }
    struct str number = slash > 0 ? cells_name(arena, str_slice(id, slash - 1, id.len), 8) : STR("");
    struct str name = cells_name(arena, value_str_at(run, "name", STR("")), curves->sheet->name_columns);
    int indent = (int)(depth < DEPTH_SHOWN ? depth : DEPTH_SHOWN) * 2;
    return str_printf(arena, "%*s%.*s%s%.*s", indent, "", STR_ARG(number), number.len > 0 ? " " : "", STR_ARG(name));
}

/* Depth first, in order of invocation.  Recursion is as deep as the report, which the wire limits. */
static void add_subagents(struct curves *curves, const struct value *run, size_t depth)
{
    const struct value *list = sheet_list(run, "subagents");
    for (size_t i = 0; i < list->count; i++) {
        if (curves->shown_here == SUBAGENTS_SHOWN) {
            curves->left_out++;
        } else {
            curves->shown_here++;
            add_row(curves, subagent_label(curves, &list->items[i], depth), &list->items[i]);
        }
        add_subagents(curves, &list->items[i], depth + 1);
    }
    curves->left_out += list->dropped;
}

static void add_variant(struct curves *curves, size_t variant)
{
    const struct sheet *sheet = curves->sheet;
    curves->shown_here = 0;
    curves->left_out = 0;
    add_row(curves, sheet->names[variant], sheet->variants[variant]);
    add_subagents(curves, sheet->variants[variant], 1);
    if (curves->left_out == 0) {
        return;
    }
    static const struct value no_series = {.kind = VALUE_ARRAY};
    struct str more = cells_count(sheet->arena, (int64_t)curves->left_out, "more subagent");
    curves->rows[curves->count++] = (struct curve){
        .label = str_printf(sheet->arena, "  … and %.*s", STR_ARG(more)), .series = &no_series};
}

/* How wide the labels and the counts of turns are. */
static void measure(const struct curves *curves, size_t *labels, size_t *turns)
{
    for (size_t i = 0; i < curves->count; i++) {
        size_t label = curves->rows[i].turns.len > 0 ? utf8_columns(curves->rows[i].label) : 0;
        size_t count = utf8_columns(curves->rows[i].turns);
        if (label > *labels) {
            *labels = label;
        }
        if (count > *turns) {
            *turns = count;
        }
    }
}

static void print_row(struct page *page, const struct curves *curves, const struct curve *row, size_t labels,
                      size_t marks)
{
    if (row->turns.len == 0) {
        page_line(page, 0, row->label);
        return;
    }
    size_t pad = labels - utf8_columns(row->label);
    size_t shown = row->series->count < marks ? row->series->count : marks;
    size_t widest = curves->longest < marks ? curves->longest : marks;
    struct strbuf line;
    strbuf_init(&line, page->arena, row->label.len + pad + marks * (MARK_BYTES + 1) + row->turns.len + 16);
    strbuf_addf(&line, "%.*s%*s", STR_ARG(row->label), (int)(pad + 2), "");
    sparkline_draw(&line, row->series, curves->max, marks);
    strbuf_addf(&line, "%*s%.*s", (int)(widest - shown + 2), "", STR_ARG(row->turns));
    page_line(page, 0, strbuf_str(&line));
}

static void print_curves(struct page *page, const struct curves *curves)
{
    size_t labels = 0;
    size_t turns = 0;
    measure(curves, &labels, &turns);
    size_t taken = labels + turns + 4;
    size_t marks = page->columns > taken + 10 ? page->columns - taken : 10;
    struct str max = cells_integer(page->arena, curves->max);
    struct str note = str_printf(page->arena, "█ = %.*s %.*s in every row%s", STR_ARG(max),
                                 STR_ARG(curves->sheet->unit),
                                 curves->longest > marks ? "; longer rows show the largest of several turns" : "");
    page_heading(page, STR("Context per turn"), note);
    for (size_t i = 0; i < curves->count; i++) {
        print_row(page, curves, &curves->rows[i], labels, marks);
    }
}

void section_curves(struct page *page, const struct sheet *sheet)
{
    if (sheet->count == 0) {
        return;
    }
    struct curves curves = {
        .sheet = sheet,
        .rows = arena_array(page->arena, struct curve, sheet->count * (SUBAGENTS_SHOWN + 2)),
    };
    for (size_t i = 0; i < sheet->count; i++) {
        add_variant(&curves, i);
    }
    if (curves.longest > 0) {
        print_curves(page, &curves);
    }
}
