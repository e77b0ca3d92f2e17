/* Our streaming JSON writer: order as told, no white space, shortest doubles. */
#include "base/json_write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* The longest integer and a comma. */
enum { INT_ROOM = 24, SCAN = 16, DIGITS_MAX = 17 };

/* --- text --- */

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* What a terminal must not see, at the start of s: the same value with an escape in its place is as good to a reader.
 * Few lead bytes can begin one, so most text is not decoded. */
static bool is_unsafe(struct str s)
{
    unsigned char lead = (unsigned char)s.data[0];
    size_t length;
    return lead == 0x7F || ((lead == 0xC2 || lead == 0xE2) && utf8_is_unsafe(utf8_decode(s, &length)));
}

/* True if the next SCAN bytes are ASCII that needs no escape; without branches, so that it becomes vectors. */
static bool scan_is_plain(const char *data)
{
    unsigned char special = 0;
    for (int i = 0; i < SCAN; i++) {
        unsigned char byte = (unsigned char)data[i];
        special |= (unsigned char)((byte < 0x20) | (byte >= 0x7F) | (byte == '"') | (byte == '\\'));
    }
    return special == 0;
}

/* Bytes at the start of s that are written as they are. */
static size_t plain_run(struct str s, bool safe)
{
    size_t at = 0;
    while (at < s.len && !(safe && is_unsafe(str_slice(s, at, s.len)))) {
        unsigned char byte = (unsigned char)s.data[at];
        if (s.len - at >= SCAN && scan_is_plain(s.data + at)) {
            at += SCAN;
        } else if (byte < 0x80) {
            if (!is_plain(byte)) {
                break;
            }
            at++;
        } else {
            size_t length = utf8_sequence(str_slice(s, at, s.len));
            if (length == 0) {
                break;
            }
            at += length;
        }
    }
    return at;
}

static struct str escape_of_byte(unsigned char byte, char room[8])
{
    switch (byte) {
    case '"': return STR("\\\"");
    case '\\': return STR("\\\\");
    case '\b': return STR("\\b");
    case '\f': return STR("\\f");
    case '\n': return STR("\\n");
    case '\r': return STR("\\r");
    case '\t': return STR("\\t");
    }
    if (byte >= 0x80) {
        return STR("\xEF\xBF\xBD");
    }
    memcpy(room, "\\u00", 4);
    room[4] = (char)('0' + (byte >> 4));
    room[5] = "0123456789abcdef"[byte & 15];
    return (struct str){.data = room, .len = 6};
}

/* The escape for what stands at the start of s, made in `room`; `length` is that of what it stands for. */
static struct str escape_of(struct str s, bool safe, char room[8], size_t *length)
{
    *length = 1;
    if (!safe || !is_unsafe(s)) {
        return escape_of_byte((unsigned char)s.data[0], room);
    }
    snprintf(room, 8, "\\u%04x", (unsigned)utf8_decode(s, length));
    return (struct str){.data = room, .len = 6};
}

/* The next piece of the escaped form of a text, and moves past what it stands for: a run of the text itself or one
 * escape, made in `room`. */
static struct str next_piece(struct str *rest, bool safe, char room[8])
{
    size_t run = plain_run(*rest, safe);
    if (run == 0) {
        struct str piece = escape_of(*rest, safe, room, &run);
        *rest = str_slice(*rest, run, rest->len);
        return piece;
    }
    struct str piece = str_slice(*rest, 0, run);
    *rest = str_slice(*rest, run, rest->len);
    return piece;
}

/* True if all of the text is written as it is; a text of some length in steps of SCAN, the last of which may look at
 * bytes a second time. */
static bool all_is_plain(struct str text)
{
    size_t at = 0;
    if (text.len < SCAN) {
        while (at < text.len && is_plain((unsigned char)text.data[at])) {
            at++;
        }
        return at == text.len;
    }
    while (text.len - at > SCAN && scan_is_plain(text.data + at)) {
        at += SCAN;
    }
    return text.len - at <= SCAN && scan_is_plain(text.data + text.len - SCAN);
}

void json_quote(struct strbuf *out, struct str text)
{
    char room[8];
    strbuf_addc(out, '"');
    if (all_is_plain(text)) {
        strbuf_add(out, text);
        text.len = 0;
    }
    while (text.len > 0) {
        strbuf_add(out, next_piece(&text, false, room));
    }
    strbuf_addc(out, '"');
}

/* --- numbers --- */

size_t json_format_int(char out[32], int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char room[INT_ROOM];
    char *at = room + INT_ROOM;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    for (; rest >= 100; rest /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (rest % 100), 2);
    }
    if (rest >= 10) {
        *--at = pairs[2 * rest + 1];
        *--at = pairs[2 * rest];
    } else {
        *--at = (char)('0' + rest);
    }
    if (value < 0) {
        *--at = '-';
    }
    size_t len = (size_t)(room + INT_ROOM - at);
    memcpy(out, at, len);
    return len;
}

/* A positive number as 0.DIGITS x 10^point, without zeros at the end. */
struct decimal {
    char digits[DIGITS_MAX + 1];
    int count;
    int point;
};

static bool reads_back(const struct decimal *decimal, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.*se%d", decimal->count, decimal->digits, decimal->point - decimal->count);
    return strtod(text, NULL) == value;
}

/* The nearest decimal with `count` digits; the digits are kept exactly so many. */
static struct decimal decimal_nearest(double value, int count)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    struct decimal decimal = {.count = count};
    decimal.digits[0] = text[0];
    if (count > 1) {
        memcpy(decimal.digits + 1, text + 2, (size_t)count - 1);
    }
    decimal.point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    return decimal;
}

/* The next larger decimal of as many digits. */
static struct decimal decimal_above(struct decimal decimal)
{
    int at = decimal.count - 1;
    while (at > 0 && decimal.digits[at] == '9') {
        decimal.digits[at--] = '0';
    }
    if (decimal.digits[at] == '9') {
        decimal.digits[at] = '1';
        decimal.point++;
    } else {
        decimal.digits[at]++;
    }
    return decimal;
}

/* Whether `count` digits can name the value, and which.  A power of two has more room above than below: there the
 * decimal above may be right although the nearest is not. */
static bool decimal_fits(struct decimal *decimal, double value, int count)
{
    *decimal = decimal_nearest(value, count);
    if (reads_back(decimal, value)) {
        return true;
    }
    int exponent;
    if (frexp(value, &exponent) != 0.5) {
        return false;
    }
    *decimal = decimal_above(*decimal);
    return reads_back(decimal, value);
}

/* The fewest digits that read back as the value, and of these the nearest to it. */
static struct decimal decimal_shortest(double value)
{
    /* A decimal of up to 15 digits survives a normal double, so 15 digits show it with zeros behind.  Numbers too
     * small for that are tried from one digit on. */
    struct decimal decimal;
    int count = value < DBL_MIN ? 1 : DBL_DIG;
    while (!decimal_fits(&decimal, value, count)) {
        count++;
        CHECK(count <= DIGITS_MAX);
    }
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') {
        decimal.count--;
    }
    return decimal;
}

/* ECMAScript's Number::toString, whose names k and n are `count` and `point` here. */
static size_t lay_out(char out[32], struct decimal decimal)
{
    int count = decimal.count, point = decimal.point, len;
    if (count <= point && point <= 21) {
        len = snprintf(out, 32, "%.*s%.*s", count, decimal.digits, point - count, "00000000000000000000");
    } else if (0 < point && point <= 21) {
        len = snprintf(out, 32, "%.*s.%.*s", point, decimal.digits, count - point, decimal.digits + point);
    } else if (-6 < point && point <= 0) {
        len = snprintf(out, 32, "0.%.*s%.*s", -point, "00000", count, decimal.digits);
    } else {
        const char *dot = count > 1 ? "." : "";
        len = snprintf(out, 32, "%c%s%.*se%+d", decimal.digits[0], dot, count - 1, decimal.digits + 1, point - 1);
    }
    return (size_t)len;
}

size_t json_format_real(char out[32], double value)
{
    CHECK(isfinite(value));
    double size = fabs(value);
    if (size < 0x1p53 && size == (double)(int64_t)size) {
        return json_format_int(out, (int64_t)value);
    }
    size_t sign = value < 0;
    out[0] = '-';
    return sign + lay_out(out + sign, decimal_shortest(size));
}

/* --- the writer --- */

static struct json_writer *writer_of(struct feed *feed)
{
    return (struct json_writer *)feed;
}

/* What must hold before a value, and the comma in front of it. */
static void start_value(struct json_writer *writer)
{
    CHECK(!writer->complete);
    bool in_object = writer->depth > 0 && writer->closers[writer->depth - 1] == '}';
    CHECK(writer->has_key == in_object);
    if (writer->need_comma) {
        sink_putc(writer->sink, ',');
    }
}

static void finish_value(struct json_writer *writer)
{
    writer->need_comma = writer->depth > 0;
    writer->complete = writer->depth == 0;
    writer->has_key = false;
}

static void write_scalar(struct feed *feed, struct str text)
{
    struct json_writer *writer = writer_of(feed);
    start_value(writer);
    sink_write(writer->sink, text);
    finish_value(writer);
}

static void write_quoted(struct sink *sink, struct str text)
{
    char room[8];
    sink_putc(sink, '"');
    while (text.len > 0) {
        sink_write(sink, next_piece(&text, true, room));
    }
    sink_putc(sink, '"');
}

static void write_begin(struct feed *feed, char opener, char closer)
{
    struct json_writer *writer = writer_of(feed);
    start_value(writer);
    CHECK(writer->depth < JSON_DEPTH_MAX);
    sink_putc(writer->sink, opener);
    writer->closers[writer->depth++] = closer;
    writer->need_comma = false;
    writer->has_key = false;
}

static void write_begin_object(struct feed *feed)
{
    write_begin(feed, '{', '}');
}

static void write_begin_array(struct feed *feed)
{
    write_begin(feed, '[', ']');
}

static void write_end(struct feed *feed)
{
    struct json_writer *writer = writer_of(feed);
    CHECK(writer->depth > 0 && !writer->has_key);
    sink_putc(writer->sink, writer->closers[--writer->depth]);
    finish_value(writer);
}

static void write_key(struct feed *feed, struct str key)
{
    struct json_writer *writer = writer_of(feed);
    CHECK(writer->depth > 0 && writer->closers[writer->depth - 1] == '}' && !writer->has_key);
    if (writer->need_comma) {
        sink_putc(writer->sink, ',');
    }
    write_quoted(writer->sink, key);
    sink_putc(writer->sink, ':');
    writer->need_comma = false;
    writer->has_key = true;
}

static void write_null(struct feed *feed)
{
    write_scalar(feed, STR("null"));
}

static void write_boolean(struct feed *feed, bool value)
{
    write_scalar(feed, value ? STR("true") : STR("false"));
}

static void write_integer(struct feed *feed, int64_t value)
{
    char text[32];
    write_scalar(feed, (struct str){.data = text, .len = json_format_int(text, value)});
}

static void write_integers(struct feed *feed, const int64_t *values, size_t count)
{
    struct json_writer *writer = writer_of(feed);
    CHECK(writer->depth > 0 && writer->closers[writer->depth - 1] == ']');
    char text[4096];
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (len + 32 + 1 > sizeof text) {
            sink_write(writer->sink, (struct str){.data = text, .len = len});
            len = 0;
        }
        if (writer->need_comma || i > 0) {
            text[len++] = ',';
        }
        len += json_format_int(text + len, values[i]);
    }
    sink_write(writer->sink, (struct str){.data = text, .len = len});
    writer->need_comma = writer->need_comma || count > 0;
}

static void write_real(struct feed *feed, double value)
{
    char text[32];
    write_scalar(feed, (struct str){.data = text, .len = json_format_real(text, value)});
}

static void write_string(struct feed *feed, struct str value)
{
    struct json_writer *writer = writer_of(feed);
    start_value(writer);
    write_quoted(writer->sink, value);
    finish_value(writer);
}

void json_writer_init(struct json_writer *writer, struct sink *sink)
{
    static const struct feed_ops ops = {
        .begin_object = write_begin_object,
        .begin_array = write_begin_array,
        .end = write_end,
        .key = write_key,
        .null = write_null,
        .boolean = write_boolean,
        .integer = write_integer,
        .integers = write_integers,
        .real = write_real,
        .string = write_string,
    };
    writer->feed.ops = &ops;
    writer->sink = sink;
    writer->depth = 0;
    writer->need_comma = false;
    writer->has_key = false;
    writer->complete = false;
}
