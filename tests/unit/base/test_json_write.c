/* The JSON writer: forms of numbers against ECMAScript and a slow search, escapes against the rule, misuse stops. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "unit/base/dies.h"

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* Doubles by their bits and what ECMAScript's String(x) makes of them. */
static const struct {
    uint64_t bits;
    const char *text;
} ecmascript[] = {
    {UINT64_C(0x0000000000000000), "0"},
    {UINT64_C(0x8000000000000000), "0"},
    {UINT64_C(0x4008000000000000), "3"},
    {UINT64_C(0x444B1AE4D6E2EF50), "1e+21"},
    {UINT64_C(0x4415AF1D78B58C40), "100000000000000000000"},
    {UINT64_C(0x441AC53A7E04BCDA), "123456789012345680000"},
    {UINT64_C(0x3E7AD7F29ABCAF48), "1e-7"},
    {UINT64_C(0x3EB0C6F7A0B5ED8D), "0.000001"},
    {UINT64_C(0x3EB4B3FD5942CD96), "0.000001234"},
    {UINT64_C(0x3E8421F5F40D8376), "1.5e-7"},
    {UINT64_C(0x4059000000000000), "100"},
    {UINT64_C(0x3FB999999999999A), "0.1"},
    {UINT64_C(0x3FD3333333333334), "0.30000000000000004"},
    {UINT64_C(0x3FD5555555555555), "0.3333333333333333"},
    {UINT64_C(0x3FE5555555555555), "0.6666666666666666"},
    {UINT64_C(0xC004000000000000), "-2.5"},
    {UINT64_C(0x0000000000000001), "5e-324"},
    {UINT64_C(0x7FEFFFFFFFFFFFFF), "1.7976931348623157e+308"},
    {UINT64_C(0x0010000000000000), "2.2250738585072014e-308"},
    {UINT64_C(0x4011666666666666), "4.35"},
    {UINT64_C(0x4340000000000000), "9007199254740992"},
    {UINT64_C(0x4360000000000000), "36028797018963970"},
    {UINT64_C(0x4480F0CF064DD592), "1e+22"},
    {UINT64_C(0x4484E9CA52EB182A), "1.2345e+22"},
    {UINT64_C(0x3C36B082C2148B8E), "1.23e-18"},
    {UINT64_C(0x3FE0000000000000), "0.5"},
    {UINT64_C(0x7E37E43C8800759C), "1e+300"},
    {UINT64_C(0x5790000000000000), "6.156563468186638e+113"},
    {UINT64_C(0x5E00000000000000), "6.243497100631985e+144"},
    {UINT64_C(0x0010000000000000), "2.2250738585072014e-308"},
    {UINT64_C(0x0008000000000000), "1.1125369292536007e-308"},
    {UINT64_C(0x444B1AE4D6E2EF4F), "999999999999999900000"},
    {UINT64_C(0x41B3DE4355555553), "333333333.3333332"},
    {UINT64_C(0x44B52D02C7E14AF6), "1e+23"},
    {UINT64_C(0xBE112E0BE826D695), "-1e-9"},
    {UINT64_C(0x40934A456D5CFAAD), "1234.5678"},
    {UINT64_C(0x432FF973CAFA8001), "4500000000000000.5"},
    {UINT64_C(0x3FF0000000000001), "1.0000000000000002"},
    {UINT64_C(0x43E56A95319D63E1), "12345678901234567000"},
};

static void test_reals_as_ecmascript(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ecmascript); i++) {
        char out[32];
        size_t len = json_format_real(out, real_of(ecmascript[i].bits));
        assert_true(len < sizeof out);
        out[len] = '\0';
        assert_string_equal(out, ecmascript[i].text);
    }
}

/* How many digits a text of a number has, without zeros on either end. */
static int digits_of(const char *text)
{
    char digits[400];
    int count = 0;
    for (const char *c = text; *c != '\0' && *c != 'e'; c++) {
        if (*c >= '0' && *c <= '9' && (count > 0 || *c != '0')) {
            digits[count++] = *c;
        }
    }
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}

/* The fewest digits by trying all lengths in order: what the fast form must never exceed. */
static int slow_digits(double value)
{
    for (int precision = 0;; precision++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value) {
            return digits_of(text);
        }
    }
}

static void check_real(double value)
{
    char out[32];
    size_t len = json_format_real(out, value);
    assert_true(len < sizeof out);
    out[len] = '\0';
    int exponent;
    bool power_of_two = frexp(fabs(value), &exponent) == 0.5;
    int digits = digits_of(out), slow = slow_digits(value);
    /* Just above a power of two a shorter decimal may exist that is not the nearest. */
    if (strtod(out, NULL) != value || digits > slow || (digits < slow && !power_of_two)) {
        fail_msg("%a became %s", value, out);
    }
}

static void test_reals_round_trip(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 7, STR("test"));
    for (int i = 0; i < 20000; i++) {
        double any = real_of(rng_next(&rng));
        if (isfinite(any)) {
            check_real(any);
        }
        check_real(real_of(rng_next(&rng) & UINT64_C(0x000FFFFFFFFFFFFF))); /* subnormal */
        /* ratios and decimals, as in reports */
        check_real((double)rng_between(&rng, -1000000, 1000000) / (double)rng_between(&rng, 1, 1000));
        check_real((double)rng_between(&rng, 0, 99999) / 10000);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_real(ldexp(1.0, exponent));
    }
}

static void test_integers(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 8, STR("test"));
    static const int64_t edges[] = {0, 1, -1, 9, 10, -10, INT64_MAX, INT64_MIN, INT64_C(9007199254740993)};
    for (size_t i = 0; i < 2000; i++) {
        int64_t value = i < ARRAY_LEN(edges) ? edges[i] : (int64_t)rng_next(&rng) >> rng_between(&rng, 0, 63);
        char out[32], expected[32];
        out[json_format_int(out, value)] = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        assert_string_equal(out, expected);
    }
}

/* Escapes one code point at a time, as the rule is written. */
static size_t slow_quote(struct str text, char *out)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    size_t len = 0;
    out[len++] = '"';
    for (size_t at = 0; at < text.len;) {
        size_t length = utf8_sequence(str_slice(text, at, text.len));
        unsigned char byte = (unsigned char)text.data[at];
        const char *name = NULL;
        for (size_t i = 0; i + 1 < sizeof names - 1; i += 2) {
            name = (unsigned char)names[i] == byte ? &names[i + 1] : name;
        }
        if (length == 0) {
            memcpy(out + len, "\xEF\xBF\xBD", 3);
            len += 3;
        } else if (name != NULL) {
            len += (size_t)sprintf(out + len, "\\%c", *name);
        } else if (byte < 0x20) {
            len += (size_t)sprintf(out + len, "\\u%04x", byte);
        } else {
            memcpy(out + len, text.data + at, length);
            len += length;
        }
        at += length == 0 ? 1 : length;
    }
    out[len++] = '"';
    return len;
}

static void test_quote(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 9, STR("test"));
    struct arena arena;
    arena_init(&arena);
    for (int round = 0; round < 4000; round++) {
        char text[100], expected[1000];
        size_t len = (size_t)rng_between(&rng, 0, 100);
        for (size_t i = 0; i < len; i++) {
            bool plain = rng_between(&rng, 0, 99) < round % 100;
            text[i] = (char)(plain ? rng_between(&rng, ' ', '~') : rng_between(&rng, 0, 255));
        }
        struct strbuf buf;
        strbuf_init(&buf, &arena, 1000);
        json_quote(&buf, (struct str){text, len});
        size_t expected_len = slow_quote((struct str){text, len}, expected);
        assert_true(str_eq(strbuf_str(&buf), (struct str){expected, expected_len}));
        arena_reset(&arena);
    }
    arena_close(&arena);
}

/* What a teller writes, read back from a file. */
static void assert_told(void (*tell)(struct feed *feed), const char *expected)
{
    char path[] = "/tmp/simagent-json-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    struct sink sink;
    struct json_writer writer;
    sink_open(&sink, fd);
    json_writer_init(&writer, &sink);
    tell(&writer.feed);
    assert_true(sink_close(&sink));
    static char found[100000];
    ssize_t len = pread(fd, found, sizeof found - 1, 0);
    assert_true(len >= 0);
    found[len] = '\0';
    assert_string_equal(found, expected);
    close(fd);
}

static void tell_document(struct feed *f)
{
    static const int64_t numbers[] = {4, -5, 6};
    feed_begin_object(f);
    feed_put_null(f, STR("n"));
    feed_put_bool(f, STR("b\n"), true);
    feed_open_array(f, STR(""));
    feed_ints(f, numbers, 0);
    feed_ints(f, numbers, 3);
    feed_int(f, 7);
    feed_ints(f, numbers, 1);
    feed_begin_array(f);
    feed_end(f);
    feed_begin_object(f);
    feed_end(f);
    feed_real(f, 3.0);
    feed_str(f, STR("\"\xFF"));
    feed_end(f);
    feed_put_real(f, STR("r"), 0.1);
    feed_put_bool(f, STR("f"), false);
    feed_end(f);
}

static void tell_scalar(struct feed *f)
{
    feed_real(f, 1e21);
}

static void tell_many(struct feed *f)
{
    int64_t numbers[1000];
    for (int64_t i = 0; i < 1000; i++) {
        numbers[i] = INT64_MIN + i;
    }
    feed_begin_array(f);
    feed_ints(f, numbers, 1000);
    feed_end(f);
}

static void test_documents(void **state)
{
    (void)state;
    assert_told(tell_document, "{\"n\":null,\"b\\n\":true,\"\":[4,-5,6,7,4,[],{},3,\"\\\"\xEF\xBF\xBD\"],"
                               "\"r\":0.1,\"f\":false}");
    assert_told(tell_scalar, "1e+21");
    static char many[30000];
    size_t len = 0;
    for (int64_t i = 0; i < 1000; i++) {
        len += (size_t)sprintf(many + len, "%c%lld", i == 0 ? '[' : ',', (long long)(INT64_MIN + i));
    }
    strcpy(many + len, "]");
    assert_told(tell_many, many);
}

/* A string of events: letters are calls. */
static void play(void *argument)
{
    struct sink sink;
    struct json_writer writer;
    sink_open(&sink, -1);
    json_writer_init(&writer, &sink);
    struct feed *f = &writer.feed;
    int64_t one = 1;
    for (const char *c = argument; *c != '\0'; c++) {
        switch (*c) {
        case '{': feed_begin_object(f); break;
        case '[': feed_begin_array(f); break;
        case '.': feed_end(f); break;
        case 'k': feed_key(f, STR("k")); break;
        case 'v': feed_int(f, 1); break;
        case 'V': feed_ints(f, &one, 1); break;
        default: feed_real(f, (double)INFINITY); break;
        }
    }
}

static void test_misuse_stops(void **state)
{
    (void)state;
    static const struct {
        const char *events;
        int code;
    } rows[] = {
        {"{kv.", 0},   {"[vvV.", 0}, {"{k[.k{.kv.", 0},
        {"{v", 70},    /* a value without a key */
        {"{kk", 70},   /* two keys */
        {"{kvv", 70},  /* a second value for a key */
        {"{k.", 70},   /* a key without a value */
        {"[k", 70},    /* a key in an array */
        {"k", 70},     /* a key outside */
        {".", 70},     /* an end without a beginning */
        {"vv", 70},    /* two documents */
        {"[.[", 70},
        {"{kV", 70},   /* numbers in bulk belong into arrays */
        {"V", 70},
        {"[i", 70},    /* infinity */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(exit_code_of(play, (void *)(uintptr_t)rows[i].events), rows[i].code);
    }
    char deep[JSON_DEPTH_MAX + 2];
    memset(deep, '[', sizeof deep);
    deep[JSON_DEPTH_MAX + 1] = '\0';
    assert_int_equal(exit_code_of(play, deep), 70);
    deep[JSON_DEPTH_MAX] = '\0';
    assert_int_equal(exit_code_of(play, deep), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals_as_ecmascript), cmocka_unit_test(test_reals_round_trip),
        cmocka_unit_test(test_integers),            cmocka_unit_test(test_quote),
        cmocka_unit_test(test_documents),           cmocka_unit_test(test_misuse_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
