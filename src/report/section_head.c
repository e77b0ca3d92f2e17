/* What was simulated, on which files, with which options. */
#include <inttypes.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "report/cells.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define PARAGRAPH_COLUMNS 480 /* a few lines; the JSON report has all of it */
#define LABEL_COLUMNS 11
#define OPTIONS_MAX 40
#define LINE_CEILING 65536

/* "name: description" with the name standing out. */
static void print_title(struct page *page, const struct sheet *sheet)
{
    struct str name = sheet_text(sheet, sheet->report, "scenario.name", page->columns);
    struct str description = sheet_text(sheet, sheet->report, "scenario.description", PARAGRAPH_COLUMNS);
    page_paragraph(page, 0, PAGE_STRONG, name.len > 0 ? name : STR("(no name)"));
    page_paragraph(page, 0, PAGE_PLAIN, description);
}

struct skip_row {
    const char *path;
    const char *noun;
};

static const struct skip_row skip_rows[] = {
    {"skipped.link", "link"},
    {"skipped.special", "special file"},
    {"skipped.too_large", "file that is too large"},
    {"skipped.unreadable", "unreadable file"},
};

/* What was left out is always said: a smaller workspace is another experiment. */
static void add_skipped(struct strbuf *line, const struct sheet *sheet, const struct value *workspace)
{
    const char *before = "; skipped ";
    for (size_t i = 0; i < ARRAY_LEN(skip_rows); i++) {
        int64_t count = value_int_at(workspace, skip_rows[i].path, 0);
        if (count == 0) {
            continue;
        }
        strbuf_add(line, str_of(before));
        bool too_large = i == 2 && count != 1; /* the plural is inside the phrase */
        strbuf_add(line, too_large ? cells_integer(sheet->arena, count)
                                   : cells_count(sheet->arena, count, skip_rows[i].noun));
        if (too_large) {
            strbuf_add(line, STR(" files that are too large"));
        }
        before = ", ";
    }
}

static void print_workspace(struct page *page, const struct sheet *sheet)
{
    const struct value *workspace = value_find(sheet->report, STR("workspace"));
    if (workspace == NULL || workspace->kind != VALUE_OBJECT) {
        return;
    }
    struct strbuf line;
    strbuf_init(&line, page->arena, LINE_CEILING);
    strbuf_add(&line, cells_count(page->arena, value_int_at(workspace, "files", 0), "file"));
    strbuf_add(&line, STR(", "));
    strbuf_add(&line, cells_count(page->arena, value_int_at(workspace, "bytes", 0), "byte"));
    add_skipped(&line, sheet, workspace);
    page_entry(page, 0, STR("workspace"), LABEL_COLUMNS, strbuf_str(&line));
}

/* A value as the command line takes it: strings bare, the rest as JSON. */
static struct str option_text(struct page *page, const struct value *value)
{
    if (value->kind == VALUE_STRING) {
        return cells_text(page->arena, value->string, 60);
    }
    struct strbuf json;
    strbuf_init(&json, page->arena, LINE_CEILING);
    value_canonical(value, &json);
    return cells_text(page->arena, strbuf_str(&json), 60);
}

static void print_options(struct page *page, const struct sheet *sheet)
{
    const struct value *options = value_path(sheet->report, "scenario.options");
    if (options == NULL || options->kind != VALUE_OBJECT) {
        return;
    }
    struct strbuf line;
    strbuf_init(&line, page->arena, LINE_CEILING);
    for (size_t i = 0; i < options->count && i < OPTIONS_MAX; i++) {
        const struct member *member = &options->members[i];
        struct str name = cells_name(page->arena, member->key, 40);
        struct str text = option_text(page, &member->value);
        strbuf_addf(&line, "%s%.*s=%.*s", i > 0 ? ", " : "", STR_ARG(name), STR_ARG(text));
    }
    if (options->count > OPTIONS_MAX) {
        strbuf_add(&line, STR(", …"));
    }
    page_entry(page, 0, STR("options"), LABEL_COLUMNS, strbuf_str(&line));
}

/* In tokens it must be said that they are an estimate, and on what ground. */
static void print_unit(struct page *page, const struct sheet *sheet)
{
    const struct value *rate = value_path(sheet->report, "scenario.bytes_per_token");
    struct strbuf line;
    strbuf_init(&line, page->arena, LINE_CEILING);
    strbuf_add(&line, sheet->unit);
    if (rate != NULL && rate->kind == VALUE_NULL) {
        strbuf_add(&line, STR(", counted by a tokenizer"));
    } else if (rate != NULL) {
        struct str number = option_text(page, rate);
        strbuf_addf(&line, ", estimated at %.*s bytes a token", STR_ARG(number));
    }
    strbuf_addf(&line, "; seed %" PRId64, value_int_at(sheet->report, "scenario.seed", 0));
    page_entry(page, 0, STR("unit"), LABEL_COLUMNS, strbuf_str(&line));
}

void section_head(struct page *page, const struct sheet *sheet)
{
    print_title(page, sheet);
    page_blank(page);
    struct str task = sheet_text(sheet, sheet->report, "scenario.task", PARAGRAPH_COLUMNS);
    page_entry(page, 0, STR("task"), LABEL_COLUMNS, task);
    print_workspace(page, sheet);
    print_options(page, sheet);
    print_unit(page, sheet);
    if (!value_bool_at(sheet->report, "reproducible", true)) {
        page_entry(page, 0, STR("note"), LABEL_COLUMNS, STR("real programs ran: another run may differ"));
    }
}
