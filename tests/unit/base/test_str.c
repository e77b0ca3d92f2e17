/* Slices and the builder: order, prefixes, ceilings. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "unit/base/dies.h"

static const struct str ordered[] = {
    {NULL, 0}, {"\0", 1}, {"\0a", 2}, {"a", 1}, {"a\0b", 3}, {"a\0c", 3}, {"ab", 2}, {"b", 1}, {"\x7f", 1}, {"\xff", 1},
};

/* Law: comparing places in a sorted row is comparing their numbers; equality and prefixes agree with it. */
static void test_order(void **state)
{
    (void)state;
    for (int i = 0; i < (int)ARRAY_LEN(ordered); i++) {
        for (int j = 0; j < (int)ARRAY_LEN(ordered); j++) {
            assert_int_equal(str_cmp(ordered[i], ordered[j]), (i > j) - (i < j));
            assert_int_equal(str_eq(ordered[i], ordered[j]), i == j);
        }
        assert_true(str_starts(ordered[i], STR("")));
        assert_true(str_starts(ordered[i], ordered[i]));
    }
    assert_true(str_starts(STR("a\0b"), STR("a\0")));
    assert_false(str_starts(STR("a"), STR("ab")));
    assert_false(str_starts(STR("ba"), STR("a")));
}

static void test_copies(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char original[] = "x\0y";
    struct str s = {original, 3}, copy = str_copy(&arena, s);
    const char *z = str_z(&arena, s);
    original[0] = '!';
    assert_true(str_eq(copy, STR("x\0y")));
    assert_memory_equal(z, "x\0y", 4);
    assert_string_equal(str_z(&arena, (struct str){NULL, 0}), "");
    assert_int_equal(str_copy(&arena, (struct str){NULL, 0}).len, 0);
    assert_true(str_eq(str_printf(&arena, "%s-%05d", "n", 42), STR("n-00042")));
    assert_true(str_eq(str_slice(STR("abcdef"), 2, 4), STR("cd")));
    assert_true(str_eq(str_of("abc"), STR("abc")));
    arena_close(&arena);
}

static void slice_beyond(void *argument)
{
    const size_t *range = argument;
    str_slice(STR("abc"), range[0], range[1]);
}

static void test_slice_bounds(void **state)
{
    (void)state;
    size_t good[] = {3, 3}, late[] = {0, 4}, crossed[] = {2, 1};
    assert_int_equal(exit_code_of(slice_beyond, good), 0);
    assert_int_equal(exit_code_of(slice_beyond, late), 70);
    assert_int_equal(exit_code_of(slice_beyond, crossed), 70);
}

/* Law: the builder holds the concatenation of its pieces, also when others allocate in between. */
static void test_builder_concatenates(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 2, STR("test"));
    struct arena arena;
    arena_init(&arena);
    struct strbuf buf;
    strbuf_init(&buf, &arena, 1000000);
    static char expected[1000000];
    size_t len = 0;
    for (int i = 0; i < 3000; i++) {
        char piece[64];
        int n = snprintf(piece, sizeof piece, "<%d %.*s>", i, (int)rng_between(&rng, 0, 30),
                         "..............................");
        memcpy(expected + len, piece, (size_t)n);
        len += (size_t)n;
        switch (rng_between(&rng, 0, 3)) {
        case 0: strbuf_addf(&buf, "%s", piece); break;
        case 1: arena_bytes(&arena, 10); /* fall through */
        case 2: strbuf_add(&buf, (struct str){piece, (size_t)n}); break;
        default:
            for (int k = 0; k < n; k++) {
                strbuf_addc(&buf, piece[k]);
            }
        }
    }
    assert_false(buf.overflowed);
    assert_true(str_eq(strbuf_str(&buf), (struct str){expected, len}));
    arena_close(&arena);
}

static void test_ceiling(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct strbuf buf;
    strbuf_init(&buf, &arena, 5);
    strbuf_add(&buf, STR("abc"));
    strbuf_addf(&buf, "%d", 12);
    assert_false(buf.overflowed);
    strbuf_add(&buf, STR("")); /* nothing always fits */
    assert_false(buf.overflowed);
    strbuf_addc(&buf, 'x');
    assert_true(buf.overflowed);
    assert_true(str_eq(strbuf_str(&buf), STR("abc12")));
    strbuf_init(&buf, &arena, 5);
    strbuf_add(&buf, STR("abcdef"));
    strbuf_addc(&buf, 'x'); /* would fit, but something before it is missing */
    assert_int_equal(strbuf_str(&buf).len, 0);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_slice_bounds),
        cmocka_unit_test(test_builder_concatenates),
        cmocka_unit_test(test_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
