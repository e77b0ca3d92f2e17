/* Suggestions: distances against a search over single edits, and the limit of a third. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/rng.h"
#include "base/suggest.h"

/* Damerau-Levenshtein by its recursive definition over prefixes (Boytsov): the swap of a[i], b[j] reaches back to the
 * last equal bytes.  Exponential, for short texts only. */
static size_t slow_distance(const char *a, size_t n, const char *b, size_t m)
{
    if (n == 0 || m == 0) {
        return n + m;
    }
    size_t best = slow_distance(a, n - 1, b, m) + 1;
    size_t other = slow_distance(a, n, b, m - 1) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    best = other < best ? other : best;
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 1; j < m; j++) {
            if (a[i - 1] == b[m - 1] && a[n - 1] == b[j - 1]) {
                other = slow_distance(a, i - 1, b, j - 1) + (n - i - 1) + 1 + (m - j - 1);
                best = other < best ? other : best;
            }
        }
    }
    return best;
}

static void test_distance(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 16, STR("test"));
    int offered = 0;
    for (int round = 0; round < 3000; round++) {
        char a[6], b[6];
        size_t n = (size_t)rng_between(&rng, 1, 5), m = (size_t)rng_between(&rng, 1, 5);
        for (size_t i = 0; i < 6; i++) {
            a[i] = (char)rng_between(&rng, 'a', 'c');
            b[i] = (char)rng_between(&rng, 'a', 'c');
        }
        struct suggest suggest;
        suggest_init(&suggest, (struct str){a, n});
        suggest_offer(&suggest, (struct str){b, m});
        size_t expected = slow_distance(a, n, b, m);
        bool near = expected * 3 <= m + 2;
        assert_int_equal(suggest.best.len > 0, near);
        if (near) {
            assert_int_equal(suggest.best_distance, expected);
            offered++;
        }
    }
    assert_true(offered > 100);
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *wanted;
        const char *names[4];
        const char *best; /* "" for none */
    } rows[] = {
        {"max_lenght", {"min_length", "max_length", "max_items"}, "max_length"}, /* a swap costs one */
        {"Max-Length", {"max_length"}, "max_length"},                            /* case and dashes cost nothing */
        {"formt", {"from", "format"}, "format"},
        {"xyz", {"read", "write", "grep"}, ""},                                  /* nonsense */
        {"cat", {"bat", "rat"}, "bat"},                                          /* the first of equals */
        {"abcd", {"wxyz", ""}, ""},
        {"raed", {"read"}, "read"},
        {"abc", {"acbd"}, "acbd"}, /* two of four: a swap and an insertion */
        {"abef", {"abcdefg"}, "abcdefg"}, /* three of seven */
        {"abf", {"abcdefg"}, ""},         /* four of seven */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct suggest suggest;
        suggest_init(&suggest, str_of(rows[i].wanted));
        for (size_t k = 0; k < 4 && rows[i].names[k] != NULL; k++) {
            suggest_offer(&suggest, str_of(rows[i].names[k]));
        }
        assert_true(str_eq(suggest.best, str_of(rows[i].best)));
    }
}

static void test_long_names(void **state)
{
    (void)state;
    char text[65];
    memset(text, 'a', sizeof text);
    struct suggest suggest;
    suggest_init(&suggest, (struct str){text, 64});
    suggest_offer(&suggest, (struct str){text, 65}); /* too long */
    assert_int_equal(suggest.best.len, 0);
    suggest_offer(&suggest, (struct str){text, 64});
    assert_int_equal(suggest.best.len, 64);
    suggest_init(&suggest, (struct str){text, 65});
    suggest_offer(&suggest, (struct str){text, 64});
    assert_int_equal(suggest.best.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
