/* Code points and widths, against a decoder written the other way round: by table of ranges, byte for byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/utf8.h"

/* Unicode's table 3-7, as it is printed: a row per shape of well-formed sequence. */
static const struct shape {
    size_t length;
    unsigned char low[4], high[4];
} shapes[] = {
    {1, {0x00}, {0x7F}},
    {2, {0xC2, 0x80}, {0xDF, 0xBF}},
    {3, {0xE0, 0xA0, 0x80}, {0xE0, 0xBF, 0xBF}},
    {3, {0xE1, 0x80, 0x80}, {0xEC, 0xBF, 0xBF}},
    {3, {0xED, 0x80, 0x80}, {0xED, 0x9F, 0xBF}},
    {3, {0xEE, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}},
    {4, {0xF0, 0x90, 0x80, 0x80}, {0xF0, 0xBF, 0xBF, 0xBF}},
    {4, {0xF1, 0x80, 0x80, 0x80}, {0xF3, 0xBF, 0xBF, 0xBF}},
    {4, {0xF4, 0x80, 0x80, 0x80}, {0xF4, 0x8F, 0xBF, 0xBF}},
};

static size_t slow_sequence(const unsigned char *p, size_t len)
{
    for (size_t row = 0; row < ARRAY_LEN(shapes); row++) {
        size_t i = 0;
        while (i < shapes[row].length && i < len && p[i] >= shapes[row].low[i] && p[i] <= shapes[row].high[i]) {
            i++;
        }
        if (i == shapes[row].length) {
            return i;
        }
    }
    return 0;
}

static int64_t slow_count(struct str s)
{
    int64_t count = 0;
    for (size_t at = 0; at < s.len; count++) {
        size_t length = slow_sequence((const unsigned char *)s.data + at, s.len - at);
        at += length == 0 ? 1 : length;
    }
    return count;
}

static size_t encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, c >>= 6) {
        out[i] = (char)(0x80 | (c & 0x3F));
    }
    out[0] = (char)((0xF00 >> length & 0xF0) | c);
    return length;
}

/* Every two-byte text, and every triple and quadruple of the bytes at the edges of the table. */
static void test_all_short_sequences(void **state)
{
    (void)state;
    static const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                          0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
    unsigned char b[4];
    for (unsigned i = 0; i < 65536; i++) {
        b[0] = (unsigned char)(i >> 8);
        b[1] = (unsigned char)i;
        assert_int_equal(utf8_sequence((struct str){(char *)b, 2}), slow_sequence(b, 2));
    }
    size_t n = ARRAY_LEN(edges);
    for (size_t i = 0; i < n * n * n * n; i++) {
        for (size_t k = 0, rest = i; k < 4; k++, rest /= n) {
            b[k] = edges[rest % n];
        }
        for (size_t len = 3; len <= 4; len++) {
            struct str s = {(char *)b, len};
            if (utf8_sequence(s) != slow_sequence(b, len) || utf8_count(s) != slow_count(s)) {
                fail_msg("%02x %02x %02x %02x (%zu)", b[0], b[1], b[2], b[3], len);
            }
        }
    }
}

static void test_decode_all(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t len = encode(c, bytes), length;
        uint32_t decoded = utf8_decode((struct str){bytes, len}, &length);
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        if (decoded != (surrogate ? 0xFFFD : c) || length != (surrogate ? 1 : len)) {
            fail_msg("U+%04X gave U+%04X, %zu bytes", (unsigned)c, (unsigned)decoded, length);
        }
    }
}

/* Text of one style: which widths of characters it draws, how often a byte is broken. */
struct style {
    uint32_t highest[4];
    int broken_in_1000;
};

static const struct style styles[] = {
    {{0x7F, 0x7F, 0x7F, 0x7F}, 0},            /* ASCII */
    {{0x7F, 0x7F, 0x7FF, 0x7FF}, 0},          /* European */
    {{0xFFFF, 0xFFFF, 0xFFFF, 0x7F}, 0},      /* Chinese */
    {{0x10FFFF, 0x10FFFF, 0xFFFF, 0x7FF}, 0}, /* everything */
    {{0x7F, 0x7F, 0x7F, 0x7F}, 5},            /* rare damage, so that the fast path is entered and left */
    {{0x10FFFF, 0xFFFF, 0x7FF, 0x7F}, 5},
    {{0x10FFFF, 0x10FFFF, 0x10FFFF, 0x10FFFF}, 20},
    {{0x10FFFF, 0xFFFF, 0x7FF, 0x7F}, 300},   /* mostly rubbish */
};

static size_t draw_text(struct rng *rng, const struct style *style, char *out, size_t room)
{
    size_t len = 0, wanted = (size_t)rng_between(rng, 0, (int64_t)room);
    while (len + 4 <= wanted) {
        uint32_t c;
        do {
            c = (uint32_t)rng_between(rng, 0, style->highest[rng_between(rng, 0, 3)]);
        } while (c >= 0xD800 && c <= 0xDFFF);
        len += encode(c, out + len);
        if (rng_between(rng, 0, 999) < style->broken_in_1000) {
            out[len - 1] = (char)rng_between(rng, 0, 255);
        }
    }
    return len;
}

static void test_count_of_random_text(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 3, STR("test"));
    for (int round = 0; round < 8000; round++) {
        char text[600];
        size_t len = draw_text(&rng, &styles[(size_t)round % ARRAY_LEN(styles)], text, sizeof text);
        /* An exact copy on the heap lets the sanitizer see a byte read too far; both ends are cut anywhere. */
        size_t from = (size_t)rng_between(&rng, 0, len < 4 ? (int64_t)len : 4);
        size_t to = len - (size_t)rng_between(&rng, 0, len - from < 4 ? (int64_t)(len - from) : 4);
        char *exact = malloc(to - from + 1);
        memcpy(exact + 1, text + from, to - from);
        struct str s = {exact + 1, to - from};
        assert_true(utf8_count(s) == slow_count(s));
        size_t count = (size_t)rng_between(&rng, 0, (int64_t)s.len + 2);
        struct str prefix = utf8_prefix(s, count);
        int64_t total = slow_count(s), kept = slow_count(prefix);
        assert_true(kept == ((int64_t)count < total ? (int64_t)count : total));
        assert_ptr_equal(prefix.data, s.data);
        assert_true(kept + slow_count((struct str){s.data + prefix.len, s.len - prefix.len}) == total);
        free(exact);
    }
}

/* One invalid byte at every place of a text of every kind, around the size of a block. */
static void test_count_with_one_fault(void **state)
{
    (void)state;
    /* The last four become overlong, a surrogate or too large when their lead becomes E0, ED, F0 or F4. */
    static const char *const units[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82", "\xE1\x9F\xBF",
                                        "\xEE\xA0\x80", "\xF1\x8F\xBF\xBF", "\xF3\x90\x80\x80"};
    static const unsigned char faults[] = {0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xF0, 0xF4, 0xF8, 0xFF, 'x'};
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        char text[260];
        size_t width = strlen(units[u]), len = 0;
        for (; len + width <= sizeof text; len += width) {
            memcpy(text + len, units[u], width);
        }
        for (size_t at = 0; at < len; at++) {
            for (size_t f = 0; f < ARRAY_LEN(faults); f++) {
                char saved = text[at];
                text[at] = (char)faults[f];
                struct str s = {text, len};
                assert_true(utf8_count(s) == slow_count(s));
                text[at] = saved;
            }
        }
    }
}

/* A sequence that is broken though its bytes look complete, after every number of characters: the places where the
 * fast path takes over again must not split it. */
static void test_count_with_one_broken_sequence(void **state)
{
    (void)state;
    static const char *const units[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82"};
    static const char *const broken[] = {"\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
                                         "\xC0\x80",     "\xE2\x82",     "\xF0\x9F\x99",     "\x80"};
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        for (size_t b = 0; b < ARRAY_LEN(broken); b++) {
            for (size_t before = 0; before <= 200; before++) {
                char text[1700] = "";
                size_t width = strlen(units[u]), len = 0;
                for (size_t i = 0; i < 400; i++, len += width) {
                    if (i == before) {
                        memcpy(text + len, broken[b], strlen(broken[b]));
                        len += strlen(broken[b]);
                    }
                    memcpy(text + len, units[u], width);
                }
                struct str s = {text, len};
                assert_true(utf8_count(s) == slow_count(s));
            }
        }
    }
}

static void test_rule_examples(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        int count;
    } rows[] = {
        {{"", 0}, 0},
        {{NULL, 0}, 0},
        {{"\xE2\x82", 2}, 2},         /* cut off: byte by byte */
        {{"\xE2\x82\xAC", 3}, 1},     /* the euro sign */
        {{"\xC0\x80", 2}, 2},         /* overlong */
        {{"\xED\xA0\x80", 3}, 3},     /* a surrogate */
        {{"\xF4\x90\x80\x80", 4}, 4}, /* past U+10FFFF */
        {{"a\0b", 3}, 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_true(utf8_count(rows[i].text) == rows[i].count);
    }
}

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        size_t columns;
    } rows[] = {
        {{"abc", 3}, 3},
        {{"\xE4\xB8\xAD\xE6\x96\x87", 6}, 4},     /* two Chinese characters */
        {{"e\xCC\x81", 3}, 1},                     /* e and a combining acute */
        {{"\x1b[m", 3}, 3},                        /* controls take one */
        {{"\xC2\x85", 2}, 1},                      /* C1 too */
        {{"\x7f", 1}, 1},
        {{"\xFF\xE2\x82", 3}, 3},                  /* invalid bytes */
        {{"\xEF\xBF\xBD", 3}, 1},                  /* a real U+FFFD */
        {{"\xF0\x9F\x99\x82", 4}, 2},              /* an emoji */
        {{"\xE2\x80\x8B", 3}, 0},                  /* zero width space */
        {{"\xE2\x80\xA8", 3}, 1},                  /* line separator */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(utf8_columns(rows[i].text), rows[i].columns);
        /* Law: a prefix never passes its columns, and one more unit would. */
        for (size_t columns = 0; columns < 6; columns++) {
            struct str all = rows[i].text, prefix = utf8_prefix_columns(all, columns);
            assert_true(utf8_columns(prefix) <= columns);
            if (prefix.len < all.len) {
                struct str rest = str_slice(all, prefix.len, all.len);
                assert_true(utf8_columns(prefix) + utf8_columns(utf8_prefix(rest, 1)) > columns);
            }
        }
    }
    assert_int_equal(utf8_prefix_columns(STR("e\xCC\x81x"), 1).len, 3); /* the mark stays with its letter */
}

static void test_escape(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        bool one_line;
        const char *escaped;
    } rows[] = {
        {{"", 0}, true, ""},
        {{"plain \xC3\xA9", 8}, true, "plain \xC3\xA9"},
        {{"a\n\tb", 4}, false, "a\n\tb"},
        {{"a\n\tb", 4}, true, "a\\n\\tb"},
        {{"\x1b[31m\0\x7f\r", 8}, false, "\\x1B[31m\\x00\\x7F\\x0D"},
        {{"\xC2\x9B" "31m", 5}, false, "\\u{009B}31m"},              /* CSI as one code point */
        {{"\xE2\x80\xAE" "evil\xE2\x81\xA6", 10}, false, "\\u{202E}evil\\u{2066}"},
        {{"\xE2\x80\xA8\xE2\x80\xA9", 6}, false, "\\u{2028}\\u{2029}"},
        {{"x\xFF\xC3", 3}, false, "x\\xFF\\xC3"},
        {{"\xEF\xBF\xBD", 3}, false, "\xEF\xBF\xBD"},                  /* a real U+FFFD is no invalid byte */
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct strbuf buf;
        strbuf_init(&buf, &arena, 1000);
        utf8_escape(&buf, rows[i].text, rows[i].one_line);
        strbuf_addc(&buf, '\0');
        assert_string_equal(buf.data, rows[i].escaped);
    }
    arena_close(&arena);
}

/* Law: whatever goes in, what comes out is valid and holds nothing unsafe. */
static void test_escape_is_safe(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 4, STR("test"));
    struct arena arena;
    arena_init(&arena);
    for (int round = 0; round < 2000; round++) {
        char text[200];
        size_t len = draw_text(&rng, &styles[(size_t)round % ARRAY_LEN(styles)], text, sizeof text);
        struct strbuf buf;
        strbuf_init(&buf, &arena, 10000);
        utf8_escape(&buf, (struct str){text, len}, true);
        struct str out = strbuf_str(&buf);
        for (size_t at = 0; at < out.len;) {
            struct str rest = str_slice(out, at, out.len);
            size_t length;
            uint32_t c = utf8_decode(rest, &length);
            assert_true(utf8_sequence(rest) == length && !utf8_is_unsafe(c) && c != '\n' && c != '\t');
            at += length;
        }
        arena_reset(&arena);
    }
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_short_sequences),
        cmocka_unit_test(test_decode_all),
        cmocka_unit_test(test_count_of_random_text),
        cmocka_unit_test(test_count_with_one_fault),
        cmocka_unit_test(test_count_with_one_broken_sequence),
        cmocka_unit_test(test_rule_examples),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_escape_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
