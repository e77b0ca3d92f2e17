/* Expectations, runs that did not complete, the report's own verdict. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define METRIC_COLUMNS_MIN 32
#define VALUE_COLUMNS 40
#define LINE_CEILING 4096

/* A value as an author writes it in `expect`. */
static struct str value_text(struct arena *arena, const struct value *value)
{
    if (value == NULL) {
        return CELLS_NONE;
    }
    struct strbuf json;
    strbuf_init(&json, arena, LINE_CEILING);
    value_canonical(value, &json);
    return cells_text(arena, strbuf_str(&json), VALUE_COLUMNS);
}

static bool holds(const struct value *expectation)
{
    return value_bool_at(expectation, "ok", false);
}

static size_t count_held(const struct value *list)
{
    size_t held = 0;
    for (size_t i = 0; i < list->count; i++) {
        held += holds(&list->items[i]);
    }
    return held;
}

static void set_expectation(struct grid *grid, size_t row, const struct sheet *sheet, const struct value *from,
                            size_t metric_columns)
{
    struct arena *arena = sheet->arena;
    struct str op = sheet_text(sheet, from, "op", 4);
    struct str want = value_text(arena, value_find(from, STR("want")));
    grid_set(grid, row, 0, holds(from) ? STR("holds") : STR("FAILS"));
    grid_set(grid, row, 1, cells_name(arena, value_str_at(from, "metric", STR("")), metric_columns));
    grid_set(grid, row, 2, str_printf(arena, "%.*s %.*s", STR_ARG(op), STR_ARG(want)));
    grid_set(grid, row, 3, value_text(arena, value_find(from, STR("got"))));
}

static void print_expectations(struct page *page, const struct sheet *sheet)
{
    const struct value *list = sheet_list(sheet->report, "expectations");
    if (list->count == 0) {
        return;
    }
    struct str held = cells_integer(page->arena, (int64_t)count_held(list));
    struct str all = cells_integer(page->arena, (int64_t)list->count);
    page_heading(page, STR("Expectations"), str_printf(page->arena, "%.*s of %.*s hold", STR_ARG(held), STR_ARG(all)));
    struct grid *grid = grid_new(page->arena, list->count + 1, 4);
    static const char *const headings[] = {" ", "metric", "expected", "got"};
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
        grid_align_left(grid, i);
    }
    size_t metric_columns = page->columns / 2 > METRIC_COLUMNS_MIN ? page->columns / 2 : METRIC_COLUMNS_MIN;
    for (size_t i = 0; i < list->count; i++) {
        set_expectation(grid, i + 1, sheet, &list->items[i], metric_columns);
    }
    grid_print(page, grid, 0);
}

struct unfinished {
    struct page *page;
    const struct sheet *sheet;
    size_t count; /* runs printed so far, subagents too */
};

static void print_unfinished(struct unfinished *all, const struct value *run, struct str name)
{
    if (all->count++ == 0) {
        page_heading(all->page, STR("Did not complete"), STR(""));
    }
    struct arena *arena = all->sheet->arena;
    struct str status = sheet_text(all->sheet, run, "status", 16);
    struct str reason = sheet_text(all->sheet, run, "stop_reason", 32);
    struct str turns = cells_count(arena, value_int_at(run, "measurement.turn_count", 0), "turn");
    struct str read = STR("");
    if (value_path(run, "contract.coverage.requested")) {
        struct str got = cells_integer(arena, value_int_at(run, "contract.coverage.read", 0));
        struct str asked = cells_integer(arena, value_int_at(run, "contract.coverage.requested", 0));
        read = str_printf(arena, ", %.*s of %.*s read", STR_ARG(got), STR_ARG(asked));
    }
    page_paragraph(all->page, 0, PAGE_PLAIN,
                   str_printf(arena, "%.*s: %.*s after %.*s, stop reason %.*s%.*s", STR_ARG(name), STR_ARG(status),
                              STR_ARG(turns), STR_ARG(reason), STR_ARG(read)));
}

/* Recursion is as deep as the report, which the wire limits. */
static void walk_subagents(struct unfinished *all, const struct value *run)
{
    const struct value *list = sheet_list(run, "subagents");
    for (size_t i = 0; i < list->count; i++) {
        const struct value *child = &list->items[i];
        if (!sheet_is_complete(child)) {
            struct str id = cells_name(all->sheet->arena, value_str_at(child, "run", STR("")), 40);
            print_unfinished(all, child, str_printf(all->sheet->arena, "subagent %.*s", STR_ARG(id)));
        }
        walk_subagents(all, child);
    }
}

/* Returns how many variants, without their subagents, did not complete. */
static size_t print_incomplete(struct page *page, const struct sheet *sheet)
{
    struct unfinished all = {.page = page, .sheet = sheet};
    size_t variants = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        if (!sheet_is_complete(sheet->variants[i])) {
            print_unfinished(&all, sheet->variants[i], sheet->names[i]);
            variants++;
        }
        walk_subagents(&all, sheet->variants[i]);
    }
    return variants;
}

/* Says what made it fail, as far as the report shows it. */
static void print_failure(struct page *page, const struct sheet *sheet, size_t incomplete)
{
    const struct value *list = sheet_list(sheet->report, "expectations");
    size_t failed = list->count - count_held(list);
    struct strbuf line;
    strbuf_init(&line, page->arena, LINE_CEILING);
    strbuf_add(&line, STR("Not ok"));
    if (failed > 0) {
        struct str text = cells_count(page->arena, (int64_t)failed, "expectation");
        strbuf_addf(&line, ": %.*s failed", STR_ARG(text));
    }
    if (incomplete > 0) {
        struct str text = cells_count(page->arena, (int64_t)incomplete, "variant");
        strbuf_addf(&line, "%s %.*s did not complete", failed > 0 ? " and" : ":", STR_ARG(text));
    }
    strbuf_add(&line, STR("."));
    page_blank(page);
    page_paragraph(page, 0, PAGE_BAD, strbuf_str(&line));
}

void section_verdict(struct page *page, const struct sheet *sheet)
{
    print_expectations(page, sheet);
    size_t incomplete = print_incomplete(page, sheet);
    if (!value_bool_at(sheet->report, "ok", true)) {
        print_failure(page, sheet, incomplete);
    }
}
