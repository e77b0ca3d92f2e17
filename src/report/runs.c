#include "report/runs.h"

#include "base/arena.h"
#include "report/cells.h"
#include "report/page.h"
#include "report/sheet.h"

#define ID_COLUMNS 20
#define NAME_COLUMNS 14

/* The walk is made twice: to count, then to fill `rows`. */
struct walk {
    const char *key;
    enum value_kind kind;
    struct run_row *rows; /* NULL: only counts */
    size_t count;
    size_t left_out;
};

static void visit(struct walk *walk, const struct value *run, size_t variant)
{
    const struct value *part = value_find(run, str_of(walk->key));
    if (part == NULL || part->kind != walk->kind) {
        return;
    }
    if (walk->rows != NULL) {
        walk->rows[walk->count] = (struct run_row){.run = run, .part = part, .variant = variant};
    }
    walk->count++;
}

/* Recursion is as deep as the report, which the wire limits. */
static void visit_subagents(struct walk *walk, const struct value *run)
{
    const struct value *list = sheet_list(run, "subagents");
    walk->left_out += list->dropped;
    for (size_t i = 0; i < list->count; i++) {
        visit(walk, &list->items[i], RUNS_SUBAGENT);
        visit_subagents(walk, &list->items[i]);
    }
}

static void visit_all(struct walk *walk, const struct sheet *sheet)
{
    walk->count = 0;
    walk->left_out = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        visit(walk, sheet->variants[i], i);
        visit_subagents(walk, sheet->variants[i]);
    }
}

struct runs runs_with(const struct sheet *sheet, const char *key, enum value_kind kind)
{
    struct walk walk = {.key = key, .kind = kind};
    visit_all(&walk, sheet);
    walk.rows = arena_array(sheet->arena, struct run_row, walk.count + 1);
    visit_all(&walk, sheet);
    return (struct runs){.rows = walk.rows, .count = walk.count, .left_out = walk.left_out};
}

struct str runs_name(const struct sheet *sheet, const struct run_row *row)
{
    if (row->variant != RUNS_SUBAGENT) {
        return sheet->names[row->variant];
    }
    struct str id = cells_name(sheet->arena, value_str_at(row->run, "run", STR("")), ID_COLUMNS);
    struct str name = cells_name(sheet->arena, value_str_at(row->run, "name", STR("")), NAME_COLUMNS);
    return str_printf(sheet->arena, "%.*s%s%.*s", STR_ARG(id), id.len > 0 && name.len > 0 ? " " : "", STR_ARG(name));
}

void runs_print_rest(struct page *page, size_t more, const char *noun, size_t left_out)
{
    if (more > 0) {
        struct str text = cells_count(page->arena, (int64_t)more, noun);
        page_line(page, 0, str_printf(page->arena, "… and %.*s", STR_ARG(text)));
    }
    if (left_out > 0) {
        struct str text = cells_count(page->arena, (int64_t)left_out, "more subagent");
        page_paragraph(page, 0, PAGE_PLAIN, str_printf(page->arena, "… not looked at: %.*s", STR_ARG(text)));
    }
}
