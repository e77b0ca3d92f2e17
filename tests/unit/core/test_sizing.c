#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/sizing.h"

static void each_unit_counts_its_own_thing(void **state)
{
    (void)state;
    static const struct {
        struct str content;
        int64_t chars, bytes, tokens; /* tokens at 3 bytes each */
    } rows[] = {
        {{"", 0}, 0, 0, 0},
        {{"a", 1}, 1, 1, 1},
        {{"abc", 3}, 3, 3, 1},                            /* the ceiling is met exactly */
        {{"abcd", 4}, 4, 4, 2},                           /* and passed by one byte */
        {{"a\0b", 3}, 3, 3, 1},                           /* NUL is content */
        {{"d\xC3\xA9j\xC3\xA0", 6}, 4, 6, 2},             /* two bytes a letter */
        {{"\xF0\x9F\x98\x80", 4}, 1, 4, 2},               /* beyond the basic plane: one code point */
        {{"e\xCC\x81", 3}, 2, 3, 1},                      /* a combining mark is a code point of its own */
        {{"\xFF\xFE", 2}, 2, 2, 1},                       /* invalid bytes count one each */
        {{"\xE2\x82", 2}, 2, 2, 1},                       /* a sequence cut short too */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(sizing_of(&(struct sizing){UNIT_CHARS, 0}, rows[i].content), rows[i].chars);
        assert_int_equal(sizing_of(&(struct sizing){UNIT_BYTES, 0}, rows[i].content), rows[i].bytes);
        assert_int_equal(sizing_of(&(struct sizing){UNIT_TOKENS, SIZING_DEFAULT_RATE}, rows[i].content),
                         rows[i].tokens);
    }
}

static void tokens_round_up_exactly(void **state)
{
    (void)state;
    static const struct {
        int64_t millionths;
        size_t bytes;
        int64_t tokens;
    } rows[] = {
        {4000000, 8, 2},
        {4000000, 9, 3},
        {2800000, 14, 5},       /* 14 / 2.8 is 5, which doubles would make 5.000000000000001 */
        {2800000, 15, 6},
        {3850000, 77, 20},
        {100000, 7, 70},        /* ten tokens a byte */
        {1, 2, 2000000},        /* the smallest rate */
    };
    static const char bytes[100] = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sizing sizing = {UNIT_TOKENS, rows[i].millionths};
        assert_int_equal(sizing_of(&sizing, (struct str){bytes, rows[i].bytes}), rows[i].tokens);
    }
    /* tokens is the least n with n x rate >= bytes, whatever the rate */
    for (int64_t rate = 1700001; rate < 5000000; rate += 317) {
        struct sizing sizing = {UNIT_TOKENS, rate};
        int64_t tokens = sizing_of(&sizing, (struct str){bytes, 97});
        assert_true(tokens * rate >= 97000000 && (tokens - 1) * rate < 97000000);
    }
}

static void tokens_of_the_largest_content_do_not_overflow(void **state)
{
    (void)state;
    struct sizing sizing = {UNIT_TOKENS, 1000000};
    struct str largest = {"", UINT32_MAX - 1}; /* tokens look at the length alone */
    assert_int_equal(sizing_of(&sizing, largest), INT64_C(4294967294));
}

static void names_go_both_ways(void **state)
{
    (void)state;
    const enum unit units[] = {UNIT_CHARS, UNIT_BYTES, UNIT_TOKENS};
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        enum unit found = UNIT_CHARS;
        assert_true(unit_find(str_of(unit_name(units[i])), &found));
        assert_int_equal(found, units[i]);
    }
    enum unit kept = UNIT_BYTES;
    assert_false(unit_find(STR("char"), &kept));
    assert_false(unit_find(STR("charss"), &kept));
    assert_false(unit_find(STR(""), &kept));
    assert_int_equal(kept, UNIT_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_counts_its_own_thing),
        cmocka_unit_test(tokens_round_up_exactly),
        cmocka_unit_test(tokens_of_the_largest_content_do_not_overflow),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
