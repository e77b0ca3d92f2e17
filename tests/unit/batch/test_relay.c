/* Relay: the same text whatever the pieces, whole code points, and never more than the ceiling. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "batch/relay.h"
#include "unit/batch/outcome.h"

/* The same bytes in pieces of any size give the same text, and no code point is broken at any border. */
static void test_relay_pieces(void **state)
{
    static char text[100000];
    (void)state;
    size_t length = 0;
    while (length + 8 < sizeof text) {
        length += (size_t)sprintf(text + length, "%s", length % 30011 < 9000 ? "\xe2\x82\xac" : "ab\n");
    }
    struct arena arena;
    struct str whole = STR("");
    arena_init(&arena);
    for (size_t piece = 1; piece < sizeof text; piece = piece * 7 + 1) {
        struct relay relay;
        int fd = memfd_create("relay", MFD_CLOEXEC);
        relay_init(&relay, fd);
        for (size_t at = 0; at < length; at += piece) {
            relay_take(&relay, (struct str){text + at, length - at < piece ? length - at : piece});
        }
        relay_finish(&relay);
        struct str passed = read_back(&arena, fd);
        close(fd);
        assert_null(memmem(passed.data, passed.len, "\\x", 2));
        assert_true(passed.len > RELAY_TOTAL_MAX - RELAY_LINE_MAX);
        assert_true(passed.len < RELAY_TOTAL_MAX + 100);
        assert_true(whole.len == 0 || str_eq(whole, passed));
        whole = passed;
    }
    arena_close(&arena);
}

/* given, passed on */
static const struct text_row {
    const char *given;
    const char *passed;
} text_rows[] = {
    {"", ""},
    {"a line\n", "a line\n"},
    {"no line feed", "no line feed\n"},
    {"one\ntwo\n", "one\ntwo\n"},
    {"\xe2\x82\xac\n", "\xe2\x82\xac\n"},
    {"cut off \xe2\x82", "cut off \\xE2\\x82\n"}, /* never completed: two bytes that are no text */
    {"\x1b[2J\n", "\\x1B[2J\n"},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(text_rows); i++) {
        struct arena arena;
        struct relay relay;
        int fd = memfd_create("relay", MFD_CLOEXEC);
        arena_init(&arena);
        relay_init(&relay, fd);
        relay_take(&relay, str_of(text_rows[i].given));
        relay_finish(&relay);
        struct str passed = read_back(&arena, fd);
        if (!str_eq(passed, str_of(text_rows[i].passed))) {
            fail_msg("row %zu: '%.*s'", i, STR_ARG(passed));
        }
        close(fd);
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relay_pieces),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
