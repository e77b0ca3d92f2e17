/* What runs changed of their files: sizes before and after, and the lines themselves. */
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "report/cells.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/sections.h"
#include "report/sheet.h"

#define FILES_MAX 12
#define DIFF_LINES_MAX 24
#define PATH_COLUMNS 60

static struct str bytes_text(struct arena *arena, const struct value *change, const char *key)
{
    const struct value *bytes = sheet_number(change, key);
    return bytes ? cells_count(arena, value_int_at(change, key, 0), "byte") : STR("nothing");
}

/* Added and removed lines are told apart by their first character, colour or not. */
static enum page_tone tone_of(struct str line)
{
    if (line.len == 0 || line.data[0] == ' ')
        return PAGE_PLAIN;
    return line.data[0] == '+' ? PAGE_GOOD : line.data[0] == '-' ? PAGE_BAD : PAGE_DIM;
}

static void print_diff_line(struct page *page, struct str line)
{
    struct strbuf safe;
    strbuf_init(&safe, page->arena, line.len * 8 + 1);
    utf8_escape(&safe, line, true);
    page_spaces(page, 4);
    page_toned(page, tone_of(line), utf8_prefix_columns(strbuf_str(&safe), page->columns - 4));
    sink_putc(page->sink, '\n');
}

static void print_diff(struct page *page, struct str diff)
{
    size_t shown = 0;
    while (diff.len) {
        const char *feed = memchr(diff.data, '\n', diff.len);
        size_t length = feed ? (size_t)(feed - diff.data) : diff.len;
        if (shown++ == DIFF_LINES_MAX) {
            page_line(page, 4, STR("…"));
            return;
        }
        print_diff_line(page, str_slice(diff, 0, length));
        diff = str_slice(diff, feed ? length + 1 : length, diff.len);
    }
}

static void print_change(struct page *page, const struct sheet *sheet, struct str run, const struct value *change)
{
    struct arena *arena = page->arena;
    struct str path = sheet_text(sheet, change, "path", PATH_COLUMNS);
    struct str before = bytes_text(arena, change, "bytes_before");
    struct str after = bytes_text(arena, change, "bytes_after");
    struct str versions = cells_count(arena, value_int_at(change, "versions", 0), "version");
    page_paragraph(page, 0, PAGE_PLAIN,
                   str_printf(arena, "%.*s  %.*s: %.*s to %.*s, %.*s", STR_ARG(run), STR_ARG(path), STR_ARG(before),
                              STR_ARG(after), STR_ARG(versions)));
    print_diff(page, value_str_at(change, "diff", STR("")));
}

void section_changes(struct page *page, const struct sheet *sheet)
{
    struct runs runs = runs_with(sheet, "changes", VALUE_ARRAY);
    size_t shown = 0;
    size_t more = 0;
    for (size_t i = 0; i < runs.count; i++) {
        const struct value *changes = runs.rows[i].part;
        for (size_t k = 0; k < changes->count; k++) {
            if (shown == FILES_MAX) {
                more++;
                continue;
            }
            if (shown++ == 0)
                page_heading(page, STR("Files changed"), STR(""));
            print_change(page, sheet, runs_name(sheet, &runs.rows[i]), &changes->items[k]);
        }
        more += changes->dropped;
    }
    if (shown)
        runs_print_rest(page, more, "file", runs.left_out);
}
