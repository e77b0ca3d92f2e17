#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "reduce/boundary.h"
#include "support/fixture.h"

static void a_target_lies_between_zero_and_one(void **state)
{
    (void)state;
    static const struct {
        double target;
        const char *said; /* NULL: it is fine */
    } rows[] = {
        {0.0, NULL},   {-0.0, NULL},         {1.0, NULL},  {0.5, NULL},
        {1.5, "1.5"},  {-0.1, "-0.1"},       {2.0, "2"},   {1.0000000000000002, "1.0000000000000002"},
        {NAN, "nan"},  {-NAN, "nan"},        {INFINITY, "inf"}, {-INFINITY, "-inf"},
        {-5e-324, "-5e-324"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {0};
        assert_int_equal(boundary_check_target(rows[i].target, &err), rows[i].said == NULL);
        if (!rows[i].said)
            continue;
        char want[128];
        snprintf(want, sizeof want, "target_savings_ratio must be in [0.0, 1.0], got %s", rows[i].said);
        assert_string_equal(err.message, want);
        assert_int_equal(err.kind, ERR_SCENARIO);
    }
}

static void the_walk_stops_once_enough_is_saved(void **state)
{
    (void)state;
    struct candidate candidates[] = {{0, 9, 50}, {1, 9, 30}, {2, 9, 20}, {3, 1, 0}, {4, 1, 0}};
    const struct ranking ranking = {candidates, ARRAY_LEN(candidates)};
    static const struct {
        double target;
        int64_t cumulative;
        uint32_t taken;
        int64_t saved;
        double ratio;
    } rows[] = {
        {0.0, 200, 0, 0, 0.0},       /* nothing is wanted, nothing is taken */
        {1e-9, 200, 1, 50, 0.25},
        {0.25, 200, 1, 50, 0.25},    /* met at equality */
        {0.2501, 200, 2, 80, 0.4},
        {0.4, 200, 2, 80, 0.4},
        {0.5, 200, 3, 100, 0.5},
        {0.51, 200, 5, 100, 0.5},    /* out of reach: the whole list, those of no waste too, and the shortfall */
        {1.0, 200, 5, 100, 0.5},
        {0.5, 0, 0, 0, 0.0},         /* nothing was read */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct boundary boundary = boundary_find(&ranking, rows[i].cumulative, rows[i].target);
        assert_int_equal(boundary.taken, rows[i].taken);
        assert_int_equal(boundary.saved, rows[i].saved);
        assert_true(boundary.ratio == rows[i].ratio);
        assert_true(boundary.target == rows[i].target);
    }
}

static void without_candidates_nothing_is_saved(void **state)
{
    (void)state;
    struct boundary boundary = boundary_find(&(struct ranking){0}, 100, 0.5);
    assert_int_equal(boundary.taken, 0);
    assert_int_equal(boundary.saved, 0);
    assert_true(boundary.ratio == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_lies_between_zero_and_one),
        cmocka_unit_test(the_walk_stops_once_enough_is_saved),
        cmocka_unit_test(without_candidates_nothing_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
