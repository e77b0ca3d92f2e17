/* Reading JSON: rows of what is JSON and what is not, laws of reading back, and broken texts by the thousand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/rng.h"
#include "support/demo_report.h"

/* What the writer makes of a value. */
static struct str written(struct arena *arena, const struct value *value)
{
    struct sink sink;
    struct json_writer writer;
    int fd = memfd_create("written", MFD_CLOEXEC);
    assert_true(fd >= 0);
    sink_open(&sink, fd);
    json_writer_init(&writer, &sink);
    value_tell(value, &writer.feed);
    assert_true(sink_close(&sink));
    off_t length = lseek(fd, 0, SEEK_END);
    char *bytes = arena_bytes(arena, (size_t)length + 1);
    assert_int_equal(pread(fd, bytes, (size_t)length, 0), length);
    bytes[length] = '\0';
    close(fd);
    return (struct str){bytes, (size_t)length};
}

struct row {
    const char *text;
    const char *want; /* as the writer writes it, or where and why it is refused */
    size_t length;    /* of the text, when it holds NUL */
};

static const struct row accepted[] = {
    {"null", "null", 0},
    {"true", "true", 0},
    {"false", "false", 0},
    {"0", "0", 0},
    {"-0", "0", 0},                   /* the only integer with two names */
    {"-1", "-1", 0},
    {" 7 ", "7", 0},
    {"\n\t\r 7\n", "7", 0},
    {"9223372036854775807", "9223372036854775807", 0},   /* the largest */
    {"-9223372036854775808", "-9223372036854775808", 0}, /* the smallest */
    {"9007199254740993", "9007199254740993", 0},         /* no double holds it */
    {"0.5", "0.5", 0},
    {"-0.5e-3", "-0.0005", 0},
    {"1E5", "100000", 0},
    {"1e+2", "100", 0},
    {"1.0", "1", 0},
    {"1e-400", "0", 0},               /* too small is zero, as everywhere */
    {"5e-324", "5e-324", 0},
    {"1.7976931348623157e308", "1.7976931348623157e+308", 0},
    {"123456789012345678901234567890.5", "1.2345678901234568e+29", 0},
    {"0.1000000000000000055511151231257827021181583404541015625000000000000000000000000000000", "0.1", 0},
    {"\"\"", "\"\"", 0},
    {"\"a\"", "\"a\"", 0},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"", 0},
    {"\"\\u0041\\u00e9\\u20AC\"", "\"A\xC3\xA9\xE2\x82\xAC\"", 0},
    {"\"\\ud83d\\uDE00\"", "\"\xF0\x9F\x98\x80\"", 0},                  /* a pair */
    {"\"\\udbff\\udfff\"", "\"\xF4\x8F\xBF\xBF\"", 0},                  /* the last code point */
    {"\"\\ud83d\"", "\"\xEF\xBF\xBD\"", 0},                             /* half a pair at the end */
    {"\"\\ud83dx\"", "\"\xEF\xBF\xBDx\"", 0},
    {"\"\\ud83d\\n\"", "\"\xEF\xBF\xBD\\n\"", 0},
    {"\"\\ude00\\ud83d\"", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 0},          /* the wrong way round */
    {"\"\\ud83d\\ud83d\\ude00\"", "\"\xEF\xBF\xBD\xF0\x9F\x98\x80\"", 0},
    {"\"\\ud83d\\u0041\"", "\"\xEF\xBF\xBD\x41\"", 0},
    {"\"\\u0000\"", "\"\\u0000\"", 0},
    {"\"\\\\u0041\"", "\"\\\\u0041\"", 0},                              /* an escaped backslash, then letters */
    {"\"\xFF\"", "\"\xEF\xBF\xBD\"", 0},                                /* kept; it is the writer who replaces it */
    {"\"\xED\xA0\x80\"", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"", 0},
    {"\"\xE2\x82\xAC\xE2\x82\"", "\"\xE2\x82\xAC\xEF\xBF\xBD\xEF\xBF\xBD\"", 0},
    {"\"[1,2]:{}\"", "\"[1,2]:{}\"", 0},                                /* brackets in a string are text */
    {"[]", "[]", 0},
    {"[ ]", "[]", 0},
    {"{}", "{}", 0},
    {"[[],{}]", "[[],{}]", 0},
    {"[1,\n2 , 3]", "[1,2,3]", 0},
    {"[null,true,\"x\",-1.5]", "[null,true,\"x\",-1.5]", 0},
    {"{\"a\":1}", "{\"a\":1}", 0},
    {"{ \"a\" : 1 , \"b\" : [ ] }", "{\"a\":1,\"b\":[]}", 0},
    {"{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}", 0},                       /* order is kept */
    {"{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}", 0},                       /* and so are doubles */
    {"{\"\":{\"\":0}}", "{\"\":{\"\":0}}", 0},
    {"{\"\\u0061\\\"\":0}", "{\"a\\\"\":0}", 0},
    {"{\"\xFE\":0}", "{\"\xEF\xBF\xBD\":0}", 0},
    {"[\"\\\\\",\"\\\\\\\"\"]", "[\"\\\\\",\"\\\\\\\"\"]", 0},           /* runs of backslashes before quotes */
};

static const struct row refused[] = {
    {"", "t:1:1: there is no value", 0},
    {" \n ", "t:2:2: there is no value", 0},
    {"tru", "no JSON value: 'tru'", 0},
    {"True", "no JSON value: 'True'", 0},
    {"nullx", "no JSON value", 0},
    {"NaN", "no JSON value", 0},
    {"Infinity", "no JSON value", 0},
    {"-Infinity", "no JSON value", 0},
    {"+1", "no JSON value: '+1'", 0},
    {"01", "no JSON value: '01'", 0},
    {"-01", "no JSON value", 0},
    {"-", "no JSON value", 0},
    {"1.", "no JSON value", 0},
    {".5", "no JSON value", 0},
    {"1.e5", "no JSON value", 0},
    {"1e", "no JSON value", 0},
    {"1e+", "no JSON value", 0},
    {"0x10", "no JSON value", 0},
    {"1_000", "no JSON value", 0},
    {"1a", "no JSON value: '1a'", 0},
    {"'a'", "no JSON value", 0},
    {"a", "no JSON value", 0},
    {"\xFF", "no JSON value", 0},
    {"\xEF\xBB\xBF{}", "t:1:1: ", 0},                                     /* a byte order mark */
    {"9223372036854775808", "the integer does not fit into 64 bits with a sign: '9223372036854775808'", 0},
    {"-9223372036854775809", "does not fit", 0},
    {"18446744073709551615", "does not fit", 0},
    {"100000000000000000000000000000000000000000000000000000000000000000000000", "does not fit", 0},
    {"1e309", "t:1:1: the number is too large: '1e309'", 0},
    {"-1e999999999999", "too large", 0},
    {"\"", "t:1:1: the string has no end", 0},
    {"\"a", "t:1:1: the string has no end", 0},
    {"\"a\\\"", "the string has no end", 0},
    {"[1,\n \"a]", "t:2:2: the string has no end", 0},
    {"\"\\x\"", "t:1:2: unknown escape in a string: '\\x'", 0},
    {"\"ab\\u12G4\"", "t:1:4: unknown escape", 0},
    {"\"\\u12\"", "unknown escape", 0},
    {"\"\\u\"", "unknown escape", 0},
    {"\"\\U0041\"", "unknown escape", 0},
    {"{\"\\a\":0}", "t:1:3: unknown escape", 0},
    {"\"\n\"", "t:1:2: a control character in a string", 0},
    {"\"a\tb\"", "t:1:3: a control character", 0},
    {"\"\x1f\"", "a control character", 0},
    {"\"\0\"", "a control character", 3},
    {"\0", "t:1:1: ", 1},
    {"1\0", "t:1:", 2},
    {"[1\f]", "t:1:", 0},
    {"[", "t:1:2: the text ends in its middle", 0},
    {"[1", "the text ends in its middle", 0},
    {"[1,", "the text ends in its middle", 0},
    {"[1,]", "t:1:4: a value is expected here", 0},
    {"[,1]", "t:1:2: a value is expected here", 0},
    {"[1,,2]", "a value is expected here", 0},
    {"[1 2]", "a comma or a closing bracket is expected here", 0},
    {"[\"a\"b]", "a comma or a closing bracket", 0},
    {"[1\n\"a\"]", "a comma or a closing bracket", 0},
    {"[\"a\":1]", "a comma or a closing bracket", 0}, /* a member without an object */
    {"[1,\"a\" : [] ]", "a comma or a closing bracket", 0},
    {"\"a\":1", "something follows", 0},
    {"\"a\":{}}", "something follows", 0},
    {"{\"a\":\"b\":1}", "is expected here", 0},
    {"[1}", "a comma or a closing bracket", 0},
    {"[:]", "a value is expected", 0},
    {"]", "t:1:", 0},
    {"}", "t:1:1: ", 0},
    {",", "t:1:1: ", 0},
    {"1]", "something follows", 0},
    {"1],[1", "something follows", 0},                                    /* nothing gets out of our own bracket */
    {"],[", "t:1:", 0},
    {"1,2", "t:1:", 0},
    {"1 2", "something follows", 0},
    {"{} {}", "something follows", 0},
    {"[] x", "something follows", 0},
    {"[]]", "something follows", 0},
    {"{}}", "something follows", 0},
    {"\"a\" \"b\"", "something follows", 0},
    {"{", "t:1:2: the text ends in its middle", 0},
    {"{\"a\"", "the text ends in its middle", 0},
    {"{\"a\":", "the text ends in its middle", 0},
    {"{\"a\":1", "the text ends in its middle", 0},
    {"{\"a\":1,", "the text ends in its middle", 0},
    {"{\"a\":1,}", "is expected here", 0},
    {"{\"a\" 1}", "is expected here", 0},
    {"{\"a\"}", "is expected here", 0},
    {"{\"a\":}", "t:1:6: a value is expected here", 0},
    {"{\"a\":1 \"b\":2}", "is expected here", 0},
    {"{\"a\":1]", "is expected here", 0},
    {"{a:1}", "is expected here", 0},
    {"{1:1}", "is expected here", 0},
    {"{,}", "is expected here", 0},
    {"{\"a\"::1}", "a value is expected here", 0},
    {"[1] // text", "something follows", 0},
    {"[1,/**/2]", "no JSON value", 0},
};

static struct str text_of(const struct row *row)
{
    return (struct str){row->text, row->length > 0 ? row->length : strlen(row->text)};
}

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(accepted); i++) {
        struct arena arena;
        struct value value;
        struct err err = {0};
        arena_init(&arena);
        if (!json_read_value(&arena, text_of(&accepted[i]), "t", &value, &err)) {
            fail_msg("%s: %s", accepted[i].text, err.message);
        }
        assert_string_equal(written(&arena, &value).data, accepted[i].want);
        arena_close(&arena);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        struct arena arena;
        struct value value;
        struct err err = {0};
        arena_init(&arena);
        if (json_read_value(&arena, text_of(&refused[i]), "t", &value, &err)) {
            fail_msg("accepted: %s", refused[i].text);
        }
        assert_int_equal(err.kind, ERR_IO);
        if (strncmp(err.message, "t:", 2) != 0 || strstr(err.message, refused[i].want) == NULL) {
            fail_msg("%s: %s", refused[i].text, err.message);
        }
        assert_int_equal(arena.reserved, 0);
        arena_close(&arena);
    }
}

/* Bytes are kept as they are, which the writer would hide. */
static void test_strings_are_kept(void **state)
{
    (void)state;
    struct arena arena;
    struct value value;
    struct err err = {0};
    char text[300];
    size_t len = 0;
    text[len++] = '"';
    for (int c = 0x20; c < 0x100; c++) {
        if (c != '"' && c != '\\') {
            text[len++] = (char)c;
        }
    }
    memcpy(text + len, "\\u0000\"", 7);
    arena_init(&arena);
    assert_true(json_read_value(&arena, (struct str){text, len + 7}, "t", &value, &err));
    assert_int_equal(value.kind, VALUE_STRING);
    assert_int_equal(value.string.len, len);
    assert_memory_equal(value.string.data, text + 1, len - 1);
    assert_int_equal(value.string.data[len - 1], 0);
    arena_close(&arena);
}

static void test_kinds_of_numbers(void **state)
{
    (void)state;
    struct arena arena;
    struct value value;
    struct err err = {0};
    arena_init(&arena);
    assert_true(json_read_value(&arena, STR("[3,3.0,3e0,-0,-0.0]"), "t", &value, &err));
    static const enum value_kind kinds[] = {VALUE_INT, VALUE_REAL, VALUE_REAL, VALUE_INT, VALUE_REAL};
    assert_int_equal(value.count, ARRAY_LEN(kinds));
    for (size_t i = 0; i < value.count; i++) {
        assert_int_equal(value.items[i].kind, kinds[i]);
    }
    arena_close(&arena);
}

/* `levels` brackets around nothing; every second one an object, so that both kinds count. */
static struct str nested(struct arena *arena, size_t levels)
{
    struct strbuf text;
    strbuf_init(&text, arena, levels * 8 + 8);
    for (size_t i = 0; i < levels; i++) {
        strbuf_add(&text, i + 1 == levels ? STR("[") : i % 2 == 0 ? STR("[") : STR("{\"\":"));
    }
    for (size_t i = levels; i-- > 0;) {
        strbuf_add(&text, i + 1 == levels ? STR("]") : i % 2 == 0 ? STR("]") : STR("}"));
    }
    return strbuf_str(&text);
}

static void test_depth(void **state)
{
    (void)state;
    struct arena arena;
    struct value value;
    struct err err = {0};
    arena_init(&arena);
    struct str deepest = nested(&arena, JSON_DEPTH_MAX);
    assert_true(json_read_value(&arena, deepest, "t", &value, &err));
    assert_true(str_eq(written(&arena, &value), deepest));
    assert_false(json_read_value(&arena, nested(&arena, JSON_DEPTH_MAX + 1), "t", &value, &err));
    assert_non_null(strstr(err.message, "too many levels"));

    /* A million of them cost no stack. */
    enum { MANY = 1000000 };
    char *many = arena_bytes(&arena, MANY);
    memset(many, '[', MANY);
    err = (struct err){0};
    assert_false(json_read_value(&arena, (struct str){many, MANY}, "t", &value, &err));
    assert_non_null(strstr(err.message, "t:1:513: too many levels"));
    arena_close(&arena);
}

/* --- reading back --- */

static int64_t random_integer(struct rng *rng)
{
    uint64_t bits = rng_next(rng);
    return (int64_t)(bits >> (rng_next(rng) % 64));
}

static double random_real(struct rng *rng)
{
    for (;;) {
        uint64_t bits = rng_next(rng);
        double real;
        memcpy(&real, &bits, sizeof real);
        /* A whole number beyond int64 is written without a fraction, and such integers are refused. */
        if (real - real == 0 && (real != real + 1 || real >= 1e21 || real <= -1e21)) {
            return real;
        }
    }
}

/* Valid UTF-8 of any sort, since the writer replaces the rest. */
static struct str random_string(struct arena *arena, struct rng *rng)
{
    static const char *const pieces[] = {"a", "\"", "\\", "/", "\n", "\x7F", "\x01", "\xC3\xA9", "\xE2\x80\xAE",
                                         "\xF0\x9F\x98\x80", "\\u0041", "{", "]", ":", ",", " "};
    struct strbuf text;
    strbuf_init(&text, arena, 1024);
    for (uint64_t left = rng_next(rng) % 40; left > 0; left--) {
        if (rng_next(rng) % 20 == 0) {
            strbuf_addc(&text, '\0');
        } else {
            strbuf_add(&text, str_of(pieces[rng_next(rng) % ARRAY_LEN(pieces)]));
        }
    }
    return str_copy(arena, strbuf_str(&text));
}

static void tell_random(struct arena *arena, struct rng *rng, struct feed *feed, int depth)
{
    uint64_t choice = rng_next(rng) % (depth > 0 ? 9 : 6);
    uint64_t count = rng_next(rng) % 5;
    switch (choice) {
    case 0: feed_null(feed); return;
    case 1: feed_bool(feed, count % 2 == 0); return;
    case 2: feed_int(feed, random_integer(rng)); return;
    case 3: feed_int(feed, -random_integer(rng)); return;
    case 4: feed_real(feed, random_real(rng)); return;
    case 5: feed_str(feed, random_string(arena, rng)); return;
    case 6:
        feed_begin_array(feed);
        for (; count > 0; count--) {
            tell_random(arena, rng, feed, depth - 1);
        }
        feed_end(feed);
        return;
    default:
        feed_begin_object(feed);
        for (; count > 0; count--) {
            feed_key(feed, random_string(arena, rng));
            tell_random(arena, rng, feed, depth - 1);
        }
        feed_end(feed);
    }
}

/* Equal but for the kind of whole numbers, which the writer does not tell. */
static bool is_same(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_REAL && b->kind == VALUE_INT) {
        return a->real == (double)b->integer;
    }
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    bool same = true;
    switch (a->kind) {
    case VALUE_NULL: break;
    case VALUE_BOOL: return a->boolean == b->boolean;
    case VALUE_INT: return a->integer == b->integer;
    case VALUE_REAL: return a->real == b->real;
    case VALUE_STRING: return str_eq(a->string, b->string);
    case VALUE_ARRAY:
        for (size_t i = 0; i < a->count; i++) {
            same = same && is_same(&a->items[i], &b->items[i]);
        }
        break;
    case VALUE_OBJECT:
        for (size_t i = 0; i < a->count; i++) {
            same = same && str_eq(a->members[i].key, b->members[i].key) &&
                   is_same(&a->members[i].value, &b->members[i].value);
        }
    }
    return same;
}

static void test_reads_back(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 7, STR("json_read"));
    for (int round = 0; round < 1000; round++) {
        struct arena arena;
        struct value_builder builder;
        struct value value;
        struct err err = {0};
        arena_init(&arena);
        value_builder_init(&builder, &arena, NULL);
        tell_random(&arena, &rng, &builder.feed, 5);
        struct str text = written(&arena, &builder.result);
        if (!json_read_value(&arena, text, "t", &value, &err)) {
            fail_msg("round %d: %s\n%s", round, err.message, text.data);
        }
        if (!is_same(&builder.result, &value)) {
            fail_msg("round %d: %s", round, text.data);
        }
        assert_true(str_eq(written(&arena, &value), text));
        arena_close(&arena);
    }
}

/* --- against a slow reader --- */

/* RFC 8259's grammar, one byte at a time: whether a text is JSON, and nothing else. */
struct slow {
    const char *at;
    const char *end;
};

static void slow_spaces(struct slow *slow)
{
    while (slow->at < slow->end && strchr(" \t\n\r", *slow->at) != NULL && *slow->at != '\0') {
        slow->at++;
    }
}

static bool slow_take(struct slow *slow, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(slow->end - slow->at) < length || memcmp(slow->at, text, length) != 0) {
        return false;
    }
    slow->at += length;
    return true;
}

static bool slow_digits(struct slow *slow)
{
    const char *start = slow->at;
    while (slow->at < slow->end && *slow->at >= '0' && *slow->at <= '9') {
        slow->at++;
    }
    return slow->at > start;
}

static bool slow_string(struct slow *slow)
{
    if (!slow_take(slow, "\"")) {
        return false;
    }
    while (slow->at < slow->end && *slow->at != '"') {
        if ((unsigned char)*slow->at < 0x20) {
            return false;
        }
        if (*slow->at++ != '\\') {
            continue;
        }
        if (slow->at == slow->end || strchr("\"\\/bfnrtu", *slow->at) == NULL || *slow->at == '\0') {
            return false;
        }
        bool unit = *slow->at++ == 'u';
        for (int i = 0; unit && i < 4; i++, slow->at++) {
            if (slow->at == slow->end || strchr("0123456789abcdefABCDEF", *slow->at) == NULL || *slow->at == '\0') {
                return false;
            }
        }
    }
    return slow_take(slow, "\"");
}

static bool slow_number(struct slow *slow)
{
    (void)slow_take(slow, "-");
    if (!slow_take(slow, "0") && !slow_digits(slow)) {
        return false;
    }
    if (slow_take(slow, ".") && !slow_digits(slow)) {
        return false;
    }
    if (slow_take(slow, "e") || slow_take(slow, "E")) {
        (void)(slow_take(slow, "+") || slow_take(slow, "-"));
        return slow_digits(slow);
    }
    return true;
}

static bool slow_value(struct slow *slow)
{
    bool is_object = slow_take(slow, "{");
    slow_spaces(slow);
    if (is_object || slow_take(slow, "[")) {
        const char *closer = is_object ? "}" : "]";
        slow_spaces(slow);
        if (slow_take(slow, closer)) {
            return true;
        }
        do {
            slow_spaces(slow);
            if (is_object && !slow_string(slow)) {
                return false;
            }
            slow_spaces(slow);
            if (is_object && !slow_take(slow, ":")) {
                return false;
            }
            slow_spaces(slow);
            if (!slow_value(slow)) {
                return false;
            }
            slow_spaces(slow);
        } while (slow_take(slow, ","));
        return slow_take(slow, closer);
    }
    return slow_take(slow, "true") || slow_take(slow, "false") || slow_take(slow, "null") || slow_string(slow) ||
           slow_number(slow);
}

static bool slow_accepts(struct str text)
{
    struct slow slow = {text.data, text.data + text.len};
    slow_spaces(&slow);
    bool fine = slow_value(&slow);
    slow_spaces(&slow);
    return fine && slow.at == slow.end;
}

/* Short texts of pieces that go wrong together, most of which are no JSON. */
static void test_agrees_with_the_slow_reader(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "\"", "\\", "1", "-", "0",
                                         ".5", "e3", "true", "null", "tru", " ", "\n", "\t", "x", "\"b\":", "[]", "{}",
                                         "[1,2]", "{\"a\":1}", "\f", "\x1A", "\x01", "\xFF", "/", "\\u00e9", "\\u12"};
    struct rng rng;
    size_t taken = 0;
    rng_init(&rng, 11, STR("slow reader"));
    for (int round = 0; round < 30000; round++) {
        struct arena arena;
        struct strbuf text;
        struct value value;
        struct err err = {0};
        arena_init(&arena);
        strbuf_init(&text, &arena, 256);
        for (uint64_t left = rng_next(&rng) % 9; left > 0; left--) {
            strbuf_add(&text, str_of(pieces[rng_next(&rng) % ARRAY_LEN(pieces)]));
        }
        struct str bytes = strbuf_str(&text);
        bool want = slow_accepts(bytes);
        if (json_read_value(&arena, bytes, "t", &value, &err) != want) {
            fail_msg("%.*s: %s", STR_ARG(bytes), want ? err.message : "accepted");
        }
        taken += want;
        arena_close(&arena);
    }
    assert_true(taken > 300);
}

/* --- broken reports --- */

/* From memory of exactly this size, so that the sanitizer sees a read beyond it. */
static bool read_alone(struct arena *arena, const char *text, size_t length, struct value *value)
{
    struct err err = {0};
    char *alone = malloc(length + (length == 0));
    assert_non_null(alone);
    memcpy(alone, text, length);
    bool fine = json_read_value(arena, (struct str){alone, length}, "t", value, &err);
    assert_true(fine || (err.kind == ERR_IO && strncmp(err.message, "t:", 2) == 0));
    free(alone);
    return fine;
}

static void test_truncated(void **state)
{
    (void)state;
    struct arena arena;
    struct value value;
    char json[16384];
    arena_init(&arena);
    demo_report_json(json);
    size_t whole = strlen(json);
    for (size_t length = 0; length < whole; length++) {
        if (read_alone(&arena, json, length, &value)) {
            fail_msg("%zu of %zu bytes were taken for a report", length, whole);
        }
    }
    assert_true(read_alone(&arena, json, whole, &value));
    assert_string_equal(written(&arena, &value).data, json);
    arena_close(&arena);
}

/* What is still taken for JSON is something that can be written and read again. */
static void test_flipped_bits(void **state)
{
    (void)state;
    char json[] = DEMO_DELEGATED;
    size_t taken = 0;
    for (size_t bit = 0; bit < 8 * (sizeof json - 1); bit++) {
        struct arena arena;
        struct value value;
        struct value again;
        arena_init(&arena);
        json[bit / 8] ^= (char)(1 << (bit % 8));
        if (read_alone(&arena, json, sizeof json - 1, &value)) {
            taken++;
            if (bit % 16 == 0) {
                struct str text = written(&arena, &value);
                assert_true(read_alone(&arena, text.data, text.len, &again));
            }
        }
        json[bit / 8] ^= (char)(1 << (bit % 8));
        arena_close(&arena);
    }
    assert_true(taken > 0 && taken < 8 * (sizeof json - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_strings_are_kept),
        cmocka_unit_test(test_kinds_of_numbers),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_reads_back),
        cmocka_unit_test(test_agrees_with_the_slow_reader),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
