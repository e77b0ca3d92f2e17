#include "report/csv_cell.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "base/value.h"

#define ESCAPED_MAX 8 /* bytes of one escaped code point, at most */

static bool holds_any(struct str text, const char *set)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\0' && strchr(set, text.data[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* What a spreadsheet may take for a formula; TAB and CR are what some of them drop before they look. */
static bool is_formula(struct str text)
{
    return text.len > 0 && holds_any(str_slice(text, 0, 1), "=+-@\t\r");
}

void csv_cell_text(struct sink *sink, struct arena *scratch, struct str text)
{
    struct arena_mark mark = arena_mark(scratch);
    struct strbuf safe;
    strbuf_init(&safe, scratch, text.len * ESCAPED_MAX + 2);
    if (is_formula(text)) {
        strbuf_addc(&safe, '\'');
    }
    utf8_escape(&safe, text, true);
    struct str field = strbuf_str(&safe);
    bool has_edge = field.len > 0 && (field.data[0] == ' ' || field.data[field.len - 1] == ' ');
    bool quoted = has_edge || holds_any(field, ",\"");
    if (quoted) {
        sink_putc(sink, '"');
    }
    for (size_t i = 0; i < field.len; i++) {
        if (field.data[i] == '"') {
            sink_putc(sink, '"');
        }
        sink_putc(sink, field.data[i]);
    }
    if (quoted) {
        sink_putc(sink, '"');
    }
    arena_release(scratch, mark);
}

void csv_cell_number(struct sink *sink, const struct value *number)
{
    char text[32];
    size_t length = 0;
    if (number != NULL && number->kind == VALUE_INT) {
        length = json_format_int(text, number->integer);
    } else if (number != NULL && number->kind == VALUE_REAL) {
        length = json_format_real(text, number->real);
    }
    sink_write(sink, (struct str){text, length});
}
