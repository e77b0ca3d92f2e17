/* Outcomes as TAP 13: a plan, a line for each test, and a YAML block below those that did not pass. */
#include "report/outcome.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "base/utf8.h"

#define ESCAPED_MAX ((size_t)8)
#define QUOTED_MAX ((size_t)16)

static struct str safe_of(struct arena *arena, struct str text, bool one_line)
{
    struct strbuf safe;
    strbuf_init(&safe, arena, text.len * ESCAPED_MAX + 1);
    utf8_escape(&safe, text, one_line);
    return strbuf_str(&safe);
}

/* A `#` would begin a directive such as `# SKIP`. */
static void put_description(struct arena *arena, struct sink *sink, struct str text)
{
    struct str safe = safe_of(arena, text, true);
    for (size_t i = 0; i < safe.len; i++) {
        if (safe.data[i] == '#' || safe.data[i] == '\\') {
            sink_putc(sink, '\\');
        }
        sink_putc(sink, safe.data[i]);
    }
}

/* A literal block: what stands below the key, indented further, is text to the end. */
static void put_block(struct arena *arena, struct sink *sink, const char *key, struct str text)
{
    struct str safe = safe_of(arena, text, false);
    bool at_start = true;
    if (safe.len == 0) {
        return;
    }
    sink_write(sink, str_printf(arena, "  %s: |2\n", key));
    for (size_t i = 0; i < safe.len; i++) {
        if (at_start && safe.data[i] != '\n') {
            sink_write(sink, STR("    "));
        }
        sink_putc(sink, safe.data[i]);
        at_start = safe.data[i] == '\n';
    }
    if (!at_start) {
        sink_putc(sink, '\n');
    }
}

/* JSON's strings are YAML's double-quoted ones. */
static void put_quoted(struct arena *arena, struct sink *sink, const char *key, struct str text)
{
    struct strbuf quoted;
    struct str safe = safe_of(arena, text, true);
    strbuf_init(&quoted, arena, safe.len * QUOTED_MAX + 16);
    json_quote(&quoted, safe);
    sink_write(sink, str_printf(arena, "  %s: ", key));
    sink_write(sink, strbuf_str(&quoted));
    sink_putc(sink, '\n');
}

static void put_item(struct arena *arena, struct sink *sink, const struct outcome *item, size_t number)
{
    sink_write(sink, str_printf(arena, "%sok %zu - ", item->kind == OUTCOME_PASSED ? "" : "not ", number));
    put_description(arena, sink, item->name);
    sink_putc(sink, '\n');
    if (item->kind == OUTCOME_PASSED) {
        return;
    }
    sink_write(sink, STR("  ---\n"));
    put_quoted(arena, sink, "message", item->message);
    sink_write(sink, item->kind == OUTCOME_FAILED ? STR("  severity: fail\n") : STR("  severity: error\n"));
    put_quoted(arena, sink, "file", item->group);
    put_block(arena, sink, "details", item->details);
    put_block(arena, sink, "stderr", item->notes);
    sink_write(sink, STR("  ...\n"));
}

static void write(struct arena *arena, struct sink *sink, const struct outcome *items, size_t count)
{
    sink_write(sink, str_printf(arena, "TAP version 13\n1..%zu\n", count));
    for (size_t i = 0; i < count; i++) {
        struct arena_mark mark = arena_mark(arena);
        put_item(arena, sink, &items[i], i + 1);
        arena_release(arena, mark);
    }
}

const struct outcome_format outcome_tap = {.name = "tap", .write = write};
