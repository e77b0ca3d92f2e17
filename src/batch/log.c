#include "batch/log.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"

#define INDENT_MAX 20

/* What stands before and after the text; a colour never says anything that the words do not. */
static const struct {
    const char *before_root;
    const char *before_child;
    const char *after;
} forms[LOG_EVENTS] = {
    [LOG_SPAWNED] = {"[Agent started] ", "[Subagent spawned] ", ""},
    [LOG_CALLED] = {"[main] ", "[sub] ", ""},
    [LOG_FAILED] = {"[main] ", "[sub] ", "  failed"},
    [LOG_BLOCKED] = {"[main] ", "[sub] ", "  blocked"},
    [LOG_DONE] = {"[Agent done] ", "[Subagent done] ", ""},
};

/* One colour for each depth, over and over. */
static const char *const colours[] = {"\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[32m"};

static void add_safe(struct strbuf *out, struct str text)
{
    utf8_escape(out, text, true);
}

void log_print(const struct log *log, const struct log_line *line)
{
    struct arena arena;
    struct strbuf out;
    arena_init(&arena);
    strbuf_init(&out, &arena, 16384);
    for (uint32_t i = 0; i < line->depth && i < INDENT_MAX; i++)
        strbuf_add(&out, STR("  "));
    if (log->colour)
        strbuf_addf(&out, "%s", colours[line->depth % ARRAY_LEN(colours)]);
    strbuf_addf(&out, "%s", line->depth ? forms[line->event].before_child : forms[line->event].before_root);
    if (log->colour)
        strbuf_add(&out, STR("\x1b[0m"));
    add_safe(&out, line->run);
    strbuf_addc(&out, ' ');
    add_safe(&out, line->text);
    strbuf_addf(&out, "%s\n", forms[line->event].after);
    ssize_t written = write(log->fd, out.data, out.len); /* nobody is left to tell when this fails */
    (void)written;
    arena_close(&arena);
}
