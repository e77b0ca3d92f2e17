/* Errors: the first one stays, wrapping goes in front, long messages are cut between code points. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/err.h"

#define ELLIPSIS "\xE2\x80\xA6"

static void test_first_stays(void **state)
{
    (void)state;
    struct err err = {.kind = ERR_NONE};
    assert_false(err_set(&err, ERR_IO, "reading %s", "a"));
    assert_false(err_set(&err, ERR_USAGE, "later"));
    assert_int_equal(err.kind, ERR_IO);
    assert_string_equal(err.message, "reading a");
    assert_false(err_wrap(&err, "line %d", 3));
    assert_false(err_wrap(&err, "file"));
    assert_string_equal(err.message, "file: line 3: reading a");
}

static void test_exit_codes(void **state)
{
    (void)state;
    static const struct {
        enum err_kind kind;
        int code;
    } rows[] = {{ERR_NONE, 0}, {ERR_USAGE, 2}, {ERR_SCENARIO, 3}, {ERR_LIMIT, 3}, {ERR_IO, 4}, {ERR_INTERNAL, 70}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(err_exit_code(rows[i].kind), rows[i].code);
    }
}

/* Every length around the limit, with characters of every width at the cut. */
static void test_cut(void **state)
{
    (void)state;
    static const char *const units[] = {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82", "\xFF"};
    static char text[6000];
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        size_t width = strlen(units[u]);
        for (size_t total = 4080; total < 4110; total++) {
            size_t shift = total % width; /* plain bytes in front, the rest whole units */
            memset(text, '-', shift);
            for (size_t at = shift; at < total; at += width) {
                memcpy(text + at, units[u], width);
            }
            text[total] = '\0';
            struct err err = {.kind = ERR_NONE};
            err_set(&err, ERR_IO, "%s", text);
            size_t len = strlen(err.message);
            if (total < sizeof err.message) {
                assert_string_equal(err.message, text);
                continue;
            }
            assert_true(len < sizeof err.message && len + width > sizeof err.message - 1);
            assert_string_equal(err.message + len - 3, ELLIPSIS);
            assert_memory_equal(err.message, text, len - 3);
            assert_int_equal((len - 3 - shift) % width, 0);
        }
    }
}

static void test_wrap_of_long(void **state)
{
    (void)state;
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    struct err err = {.kind = ERR_NONE};
    err_set(&err, ERR_LIMIT, "%s", text);
    err_wrap(&err, "place");
    assert_memory_equal(err.message, "place: xxx", 10);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_stays),
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_wrap_of_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
