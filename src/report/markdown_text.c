#include "report/markdown_text.h"

#include "base/arena.h"
#include "report/cells.h"

#define ESCAPED_MAX 5 /* bytes for one byte, at most: &amp; */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* An underscore between two letters never means anything. */
static bool is_inside_word(struct str text, size_t at)
{
    return at > 0 && at + 1 < text.len && is_word(text.data[at - 1]) && is_word(text.data[at + 1]);
}

static void add_escaped(struct strbuf *out, struct str text, size_t at)
{
    char c = text.data[at];
    switch (c) {
    case '&': strbuf_add(out, STR("&amp;")); return;
    case '<': strbuf_add(out, STR("&lt;")); return;
    case '>': strbuf_add(out, STR("&gt;")); return;
    default: break;
    }
    if (c != '\0' && strchr("\\`*[]|~#!@$", c) != NULL) {
        strbuf_addc(out, '\\');
    }
    if (c == '_' && !is_inside_word(text, at)) {
        strbuf_addc(out, '\\');
    }
    strbuf_addc(out, c);
}

struct str markdown_text(struct arena *arena, struct str raw, size_t columns)
{
    struct str safe = cells_text(arena, raw, columns);
    struct strbuf out;
    strbuf_init(&out, arena, safe.len * ESCAPED_MAX + 1);
    for (size_t i = 0; i < safe.len; i++) {
        add_escaped(&out, safe, i);
    }
    return strbuf_str(&out);
}

void markdown_row(struct sink *sink, const struct str *cells, size_t count)
{
    sink_write(sink, STR("|"));
    for (size_t i = 0; i < count; i++) {
        sink_write(sink, STR(" "));
        sink_write(sink, cells[i]);
        sink_write(sink, STR(" |"));
    }
    sink_write(sink, STR("\n"));
}

void markdown_rule(struct sink *sink, size_t count, size_t left)
{
    sink_write(sink, STR("|"));
    for (size_t i = 0; i < count; i++) {
        sink_write(sink, i < left ? STR(" --- |") : STR(" ---: |"));
    }
    sink_write(sink, STR("\n"));
}
