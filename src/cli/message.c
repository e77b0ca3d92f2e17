#include "cli/message.h"

#include "base/arena.h"
#include "base/sink.h"
#include "base/utf8.h"

#include <unistd.h>

#define ESCAPED_MAX 8 /* bytes of one escaped code point, at most */

static struct str escaped(struct arena *arena, struct str text, bool one_line)
{
    struct strbuf safe;
    strbuf_init(&safe, arena, text.len * ESCAPED_MAX + 1);
    utf8_escape(&safe, text, one_line);
    return strbuf_str(&safe);
}

/* Nobody can be told that stderr failed. */
void message_print(struct arena *arena, struct str text)
{
    struct sink sink;
    sink_open(&sink, STDERR_FILENO);
    sink_write(&sink, escaped(arena, text, false));
    bool ignored = sink_close(&sink);
    (void)ignored;
}

void message_print_line(struct arena *arena, struct str text)
{
    struct str line = escaped(arena, text, true);
    message_print(arena, str_printf(arena, "%.*s\n", STR_ARG(line)));
}

void message_print_error(struct arena *arena, const struct err *err, struct str hint)
{
    struct str message = str_of(err->message);
    while (message.len > 0 && message.data[message.len - 1] == '\n') {
        message.len--;
    }
    /* What a scenario raised may have lines, and has a traceback; in all other messages a line feed is of some name. */
    struct str shown = escaped(arena, message, err->kind != ERR_SCENARIO && err->kind != ERR_LIMIT);
    struct str text = str_printf(arena, "simagent: %.*s\n", STR_ARG(shown));
    if (err->kind == ERR_USAGE) {
        text = str_printf(arena, "%.*sTry '%.*s'.\n", STR_ARG(text), STR_ARG(hint));
    }
    message_print(arena, text);
}
