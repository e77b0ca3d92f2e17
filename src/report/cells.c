#include "report/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/utf8.h"

/* Beyond this one decimal after the point says nothing, and "%.1f" would fill the line. */
#define PLAIN_MAX 1e12L

#define ESCAPED_MAX 8 /* bytes of one escaped code point, at most: \u{NNNN} */

struct str cells_integer(struct arena *arena, int64_t number)
{
    char digits[48];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    for (unsigned place = 0; place == 0 || rest != 0; place++, rest /= 10) {
        if (place != 0 && place % 3 == 0) {
            digits[--at] = ',';
        }
        digits[--at] = (char)('0' + rest % 10);
    }
    return str_printf(arena, "%s%.*s", number < 0 ? "−" : "", (int)(sizeof digits - at), digits + at);
}

struct str cells_count(struct arena *arena, int64_t number, const char *noun)
{
    struct str text = cells_integer(arena, number);
    return str_printf(arena, "%.*s %s%s", STR_ARG(text), noun, number == 1 ? "" : "s");
}

/* Puts commas into the digits before the point. */
static struct str with_commas(struct arena *arena, struct str plain)
{
    size_t whole = 0;
    while (whole < plain.len && plain.data[whole] != '.') {
        whole++;
    }
    struct strbuf out;
    strbuf_init(&out, arena, plain.len * 2);
    for (size_t i = 0; i < plain.len; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            strbuf_addc(&out, ',');
        }
        strbuf_addc(&out, plain.data[i]);
    }
    return strbuf_str(&out);
}

/* The absolute value, so that the sign is ours to choose. */
static struct str magnitude(struct arena *arena, long double number, int decimals)
{
    number = fabsl(number);
    if (number >= PLAIN_MAX) {
        return str_printf(arena, "%.3Lg", number);
    }
    return with_commas(arena, str_printf(arena, "%.*Lf", decimals, number));
}

/* True when rounding leaves nothing, so that no sign stands before a zero. */
static bool rounds_to_zero(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '0' && text.data[i] != '.') {
            return false;
        }
    }
    return true;
}

static struct str signed_text(struct arena *arena, long double number, int decimals, const char *plus,
                              const char *suffix)
{
    struct str text = magnitude(arena, number, decimals);
    const char *sign = number < 0 ? "−" : plus;
    return str_printf(arena, "%s%.*s%s", rounds_to_zero(text) ? "" : sign, STR_ARG(text), suffix);
}

struct str cells_percent(struct arena *arena, double ratio)
{
    return signed_text(arena, 100.0L * ratio, 1, "", " %");
}

struct str cells_change(struct arena *arena, double saving)
{
    return signed_text(arena, -100.0L * saving, 1, "+", " %");
}

struct str cells_decimal(struct arena *arena, double number, int decimals, const char *suffix)
{
    return signed_text(arena, number, decimals, "", suffix);
}

/* Escapes no more than can be shown: a label may be a megabyte. */
static struct str escape_start(struct arena *arena, struct str raw, size_t columns)
{
    struct str start = utf8_prefix(raw, columns + 1);
    struct strbuf buf;
    strbuf_init(&buf, arena, start.len * ESCAPED_MAX + 1);
    utf8_escape(&buf, start, true);
    if (start.len < raw.len) {
        strbuf_add(&buf, STR("…"));
    }
    return strbuf_str(&buf);
}

struct str cells_text(struct arena *arena, struct str raw, size_t columns)
{
    struct str safe = escape_start(arena, raw, columns);
    if (utf8_columns(safe) <= columns) {
        return safe;
    }
    struct str kept = utf8_prefix_columns(safe, columns > 0 ? columns - 1 : 0);
    return str_printf(arena, "%.*s…", STR_ARG(kept));
}

/* The longest end of s that is at most `columns` wide. */
static struct str suffix_columns(struct str s, size_t columns)
{
    size_t width = utf8_columns(s);
    while (width > columns && s.len > 0) {
        size_t length;
        utf8_decode(s, &length);
        s = str_slice(s, length, s.len);
        width = utf8_columns(s);
    }
    return s;
}

#define NAME_MAX_BYTES 256 /* longer names are cut at the end: walking back from theirs would cost too much */

struct str cells_name(struct arena *arena, struct str raw, size_t columns)
{
    if (raw.len > NAME_MAX_BYTES || columns < 5) {
        return cells_text(arena, raw, columns);
    }
    struct str safe = escape_start(arena, raw, NAME_MAX_BYTES);
    if (utf8_columns(safe) <= columns) {
        return safe;
    }
    size_t tail = (columns - 1) / 2;
    struct str head = utf8_prefix_columns(safe, columns - 1 - tail);
    struct str end = suffix_columns(safe, tail);
    return str_printf(arena, "%.*s…%.*s", STR_ARG(head), STR_ARG(end));
}
