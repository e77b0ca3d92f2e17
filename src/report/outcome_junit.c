/* Outcomes as JUnit's XML: testsuites, testsuite, testcase, failure or error. */
#include "report/outcome.h"

#include "base/arena.h"
#include "base/utf8.h"

#define ESCAPED_MAX ((size_t)8) /* bytes that one byte of input becomes at most when it is made safe */

/* XML 1.0 has no form at all for most control characters and for two others; those are spelled out before. */
static bool is_no_character(struct str text, size_t at)
{
    return text.len - at >= 3 && text.data[at] == '\xef' && text.data[at + 1] == '\xbf' &&
           ((unsigned char)text.data[at + 2] & 0xfe) == 0xbe;
}

/* Tabs and line feeds in an attribute would be read back as spaces. */
static void put_escaped(struct sink *sink, struct str safe, bool attribute)
{
    for (size_t i = 0; i < safe.len; i++) {
        char c = safe.data[i];
        if (c == '&') {
            sink_write(sink, STR("&amp;"));
        } else if (c == '<') {
            sink_write(sink, STR("&lt;"));
        } else if (c == '>') {
            sink_write(sink, STR("&gt;"));
        } else if (c == '"' && attribute) {
            sink_write(sink, STR("&quot;"));
        } else if (attribute && (c == '\n' || c == '\t')) {
            sink_write(sink, c == '\n' ? STR("&#10;") : STR("&#9;"));
        } else if (is_no_character(safe, i)) {
            sink_write(sink, safe.data[i + 2] == '\xbe' ? STR("\\u{FFFE}") : STR("\\u{FFFF}"));
            i += 2;
        } else {
            sink_putc(sink, c);
        }
    }
}

static void put(struct arena *arena, struct sink *sink, struct str text, bool attribute)
{
    struct strbuf safe;
    struct arena_mark mark = arena_mark(arena);
    strbuf_init(&safe, arena, text.len * ESCAPED_MAX + 1);
    utf8_escape(&safe, text, false);
    put_escaped(sink, strbuf_str(&safe), attribute);
    arena_release(arena, mark);
}

static void put_attribute(struct arena *arena, struct sink *sink, const char *name, struct str value)
{
    sink_putc(sink, ' ');
    sink_write(sink, str_of(name));
    sink_write(sink, STR("=\""));
    put(arena, sink, value, true);
    sink_putc(sink, '"');
}

static void put_case(struct arena *arena, struct sink *sink, const struct outcome *item)
{
    sink_write(sink, STR("    <testcase"));
    put_attribute(arena, sink, "classname", item->group);
    put_attribute(arena, sink, "name", item->name);
    if (item->kind == OUTCOME_PASSED) {
        sink_write(sink, STR("/>\n"));
        return;
    }
    struct str element = item->kind == OUTCOME_FAILED ? STR("failure") : STR("error");
    sink_write(sink, STR(">\n      <"));
    sink_write(sink, element);
    put_attribute(arena, sink, "message", item->message);
    sink_putc(sink, '>');
    put(arena, sink, item->details, false);
    sink_write(sink, STR("</"));
    sink_write(sink, element);
    sink_write(sink, STR(">\n"));
    if (item->notes.len > 0) {
        sink_write(sink, STR("      <system-err>"));
        put(arena, sink, item->notes, false);
        sink_write(sink, STR("</system-err>\n"));
    }
    sink_write(sink, STR("    </testcase>\n"));
}

static size_t count_of(const struct outcome *items, size_t count, enum outcome_kind kind)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += items[i].kind == kind;
    }
    return found;
}

static void write(struct arena *arena, struct sink *sink, const struct outcome *items, size_t count)
{
    struct str counts = str_printf(arena, " name=\"simagent\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", count,
                                   count_of(items, count, OUTCOME_FAILED), count_of(items, count, OUTCOME_ERROR));
    sink_write(sink, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
    sink_write(sink, counts);
    sink_write(sink, STR("  <testsuite"));
    sink_write(sink, counts);
    for (size_t i = 0; i < count; i++) {
        put_case(arena, sink, &items[i]);
    }
    sink_write(sink, STR("  </testsuite>\n</testsuites>\n"));
}

const struct outcome_format outcome_junit = {.name = "junit", .write = write};
