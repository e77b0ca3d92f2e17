/* CHECK and the checked sums: stop with 70 exactly when they should. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "base/check.h"
#include "unit/base/dies.h"

struct sum {
    int64_t a, b;
    bool product;
    bool dies;
};

static void compute(void *argument)
{
    const struct sum *sum = argument;
    (void)(sum->product ? checked_mul(sum->a, sum->b) : checked_add(sum->a, sum->b));
}

static void test_overflow_stops(void **state)
{
    (void)state;
    static const struct sum rows[] = {
        {1, 2, false, false},
        {INT64_MAX, 0, false, false},
        {INT64_MAX, 1, false, true},  /* one past the top */
        {INT64_MIN, -1, false, true}, /* one past the bottom */
        {INT64_MAX, INT64_MIN, false, false},
        {INT64_C(3037000499), INT64_C(3037000499), true, false}, /* the largest square that fits */
        {INT64_C(3037000500), INT64_C(3037000500), true, true},
        {INT64_MIN, -1, true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sum row = rows[i];
        assert_int_equal(exit_code_of(compute, &row), row.dies ? CHECK_TOO_LARGE : 0);
    }
    assert_true(checked_add(40, 2) == 42 && checked_mul(-6, 7) == -42);
}

static void reach(void *argument)
{
    (void)argument;
    UNREACHABLE();
}

static void check_it(void *argument)
{
    CHECK(*(const bool *)argument);
}

static void test_check(void **state)
{
    (void)state;
    bool good = true, bad = false;
    assert_int_equal(exit_code_of(check_it, &good), 0);
    assert_int_equal(exit_code_of(check_it, &bad), 70);
    assert_int_equal(exit_code_of(reach, NULL), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow_stops),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
