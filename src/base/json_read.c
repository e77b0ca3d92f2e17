#include "base/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/json_scan.h"
#include "base/json_write.h"
#include "base/oom.h"

#define SHOWN_MAX 40    /* bytes of a wrong word that a message shows */
#define NUMBER_BYTES 64 /* of a number that is copied to the stack; longer ones are rare */

struct reading {
    struct json_scan_listener listener;
    struct value_builder builder;
    struct arena scratch; /* for one token */
    struct str text;
    const char *name;
    struct err *err;
};

static bool fail_at(struct reading *reading, size_t at, const char *reason, struct str shown)
{
    size_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < at; i++) {
        if (reading->text.data[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    size_t byte = at - start + 1;
    if (shown.len == 0) {
        return err_set(reading->err, ERR_IO, "%s:%zu:%zu: %s", reading->name, line, byte, reason);
    }
    const char *rest = shown.len > SHOWN_MAX ? "…" : "";
    shown.len = shown.len > SHOWN_MAX ? SHOWN_MAX : shown.len;
    return err_set(reading->err, ERR_IO, "%s:%zu:%zu: %s: '%.*s%s'", reading->name, line, byte, reason, STR_ARG(shown),
                   rest);
}

/* --- strings --- */

/* The value of four hexadecimal digits, or -1. */
static int32_t hex_of(struct str text, size_t at)
{
    int32_t value = 0;
    if (text.len < 4 || at > text.len - 4) {
        return -1;
    }
    for (size_t i = at; i < at + 4; i++) {
        char c = text.data[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

static size_t put_code_point(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)(leads[more] | point);
    return more + 1;
}

static bool is_high(int32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int32_t unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* Decodes the \uNNNN at `at`, with the second half of a pair if that follows.  Returns how many bytes of raw text it
 * took, 0 if there are no four digits. */
static size_t decode_unit(struct str raw, size_t at, char *out, size_t *written)
{
    int32_t unit = hex_of(raw, at + 2);
    if (unit < 0) {
        return 0;
    }
    if (is_high(unit) && at + 8 < raw.len && raw.data[at + 6] == '\\' && raw.data[at + 7] == 'u') {
        int32_t low = hex_of(raw, at + 8);
        if (is_low(low)) {
            *written = put_code_point(out, (uint32_t)(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
            return 12;
        }
    }
    *written = put_code_point(out, is_high(unit) || is_low(unit) ? 0xFFFD : (uint32_t)unit);
    return 6;
}

/* The same for any escape. */
static size_t decode_escape(struct str raw, size_t at, char *out, size_t *written)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char letter = at + 1 < raw.len ? raw.data[at + 1] : '\0';
    if (letter == 'u') {
        return decode_unit(raw, at, out, written);
    }
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (found == NULL) {
        return 0;
    }
    out[0] = meanings[found - letters];
    *written = 1;
    return 2;
}

/* No escape is shorter than what it stands for, so the result has room where the raw text had. */
static bool decode(struct reading *reading, size_t start, struct str raw, struct str *out)
{
    if (raw.len == 0 || memchr(raw.data, '\\', raw.len) == NULL) {
        *out = raw;
        return true;
    }
    char *text = arena_bytes(&reading->scratch, raw.len);
    size_t len = 0;
    for (size_t at = 0; at < raw.len;) {
        if (raw.data[at] != '\\') {
            text[len++] = raw.data[at++];
            continue;
        }
        size_t written = 0;
        size_t taken = decode_escape(raw, at, text + len, &written);
        if (taken == 0) {
            size_t shown = raw.len - at < 6 ? raw.len - at : 6;
            return fail_at(reading, start + at, "unknown escape in a string", str_slice(raw, at, at + shown));
        }
        at += taken;
        len += written;
    }
    *out = (struct str){.data = text, .len = len};
    return true;
}

/* --- numbers --- */

static size_t skip_digits(struct str word, size_t at)
{
    while (at < word.len && word.data[at] >= '0' && word.data[at] <= '9') {
        at++;
    }
    return at;
}

/* Whether the word is a number of RFC 8259, and whether it is a whole one. */
static bool is_number(struct str word, bool *is_whole)
{
    size_t start = word.len > 0 && word.data[0] == '-' ? 1 : 0;
    size_t at = skip_digits(word, start);
    if (at == start || (at > start + 1 && word.data[start] == '0')) {
        return false;
    }
    *is_whole = at == word.len;
    if (at < word.len && word.data[at] == '.') {
        size_t fraction = at + 1;
        at = skip_digits(word, fraction);
        if (at == fraction) {
            return false;
        }
    }
    if (at < word.len && (word.data[at] == 'e' || word.data[at] == 'E')) {
        size_t exponent = at + 1;
        if (exponent < word.len && (word.data[exponent] == '+' || word.data[exponent] == '-')) {
            exponent++;
        }
        at = skip_digits(word, exponent);
        if (at == exponent) {
            return false;
        }
    }
    return at == word.len;
}

/* strtoll and strtod want a terminator; the program never leaves the C locale. */
static bool tell_number(struct reading *reading, size_t at, struct str word, bool is_whole)
{
    char room[NUMBER_BYTES];
    const char *text = room;
    if (word.len < sizeof room) {
        memcpy(room, word.data, word.len);
        room[word.len] = '\0';
    } else {
        text = str_z(&reading->scratch, word);
    }
    if (is_whole) {
        errno = 0;
        long long whole = strtoll(text, NULL, 10);
        if (errno == ERANGE) {
            return fail_at(reading, at, "the integer does not fit into 64 bits with a sign", word);
        }
        feed_int(&reading->builder.feed, whole);
        return true;
    }
    double real = strtod(text, NULL);
    if (!isfinite(real)) {
        return fail_at(reading, at, "the number is too large", word);
    }
    feed_real(&reading->builder.feed, real);
    return true;
}

/* --- tokens --- */

static bool hear_word(struct reading *reading, size_t at, struct str word)
{
    struct feed *feed = &reading->builder.feed;
    bool is_whole = false;
    if (str_eq(word, STR("true")) || str_eq(word, STR("false"))) {
        feed_bool(feed, word.len == 4);
        return true;
    }
    if (str_eq(word, STR("null"))) {
        feed_null(feed);
        return true;
    }
    if (is_number(word, &is_whole)) {
        return tell_number(reading, at, word, is_whole);
    }
    return fail_at(reading, at, "no JSON value", word);
}

static bool hear_text(struct reading *reading, size_t at, struct str raw, bool is_key)
{
    struct str text;
    if (!decode(reading, at, raw, &text)) {
        return false;
    }
    if (is_key) {
        feed_key(&reading->builder.feed, text);
    } else {
        feed_str(&reading->builder.feed, text);
    }
    return true;
}

static bool hear(struct json_scan_listener *listener, enum json_scan_token token, size_t at, size_t length)
{
    struct reading *reading = (struct reading *)listener;
    struct feed *feed = &reading->builder.feed;
    arena_reset(&reading->scratch);
    switch (token) {
    case JSON_SCAN_BEGIN_OBJECT: feed_begin_object(feed); return true;
    case JSON_SCAN_BEGIN_ARRAY: feed_begin_array(feed); return true;
    case JSON_SCAN_END: feed_end(feed); return true;
    case JSON_SCAN_KEY:
    case JSON_SCAN_STRING: return hear_text(reading, at, str_slice(reading->text, at, at + length),
                                            token == JSON_SCAN_KEY);
    case JSON_SCAN_WORD: return hear_word(reading, at, str_slice(reading->text, at, at + length));
    }
    UNREACHABLE();
}

static bool read_value(struct reading *reading)
{
    size_t size = JSON_SCAN_FRONT + reading->text.len + JSON_SCAN_PADDING;
    struct json_scan_fault fault;
    struct arena copies;
    arena_init(&copies);
    arena_init(&reading->scratch);
    char *buffer = arena_bytes(&copies, size);
    if (reading->text.len > 0) {
        memcpy(buffer + JSON_SCAN_FRONT, reading->text.data, reading->text.len);
    }
    bool fine = json_scan(buffer, reading->text.len, JSON_DEPTH_MAX, &reading->listener, &fault);
    arena_close(&reading->scratch);
    arena_close(&copies);
    if (fine) {
        return true;
    }
    if (fault.out_of_memory) {
        oom_stop("reading JSON", size);
    }
    return fault.reason == NULL ? false : fail_at(reading, fault.at, fault.reason, STR(""));
}

bool json_read_value(struct arena *arena, struct str bytes, const char *name, struct value *out, struct err *err)
{
    struct arena_mark mark = arena_mark(arena);
    struct reading reading = {.listener = {hear}, .text = bytes, .name = name, .err = err};
    value_builder_init(&reading.builder, arena, NULL);
    if (!read_value(&reading)) {
        arena_release(arena, mark);
        return false;
    }
    CHECK(reading.builder.complete);
    *out = reading.builder.result;
    return true;
}
