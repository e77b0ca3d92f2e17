#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/recommend.h"
#include "support/fixture.h"

static void the_floors_are_the_documented_ones(void **state)
{
    (void)state;
    assert_true(thresholds_default.min_cumulative == 2000.0);
    assert_true(thresholds_default.min_reread_multiplier == 1.5);
    assert_true(thresholds_default.min_boundary_savings_ratio == 0.3);
    static const char *const rules[THRESHOLD_COUNT] = {
        "min_cumulative",    "min_reread_multiplier", "min_boundary_savings_ratio", "min_tool_calls",
        "min_result_tokens", "min_overhead_multiple", "min_overhead_calls",         "spawn_overhead"};
    const double values[THRESHOLD_COUNT] = {2000.0, 1.5, 0.3, 4.0, 3000.0, 5.0, 5.0, -1.0};
    for (size_t i = 0; i < THRESHOLD_COUNT; i++) {
        assert_string_equal(threshold_rows[i].rule, rules[i]);
        assert_true(*(const double *)((const char *)&thresholds_default + threshold_rows[i].offset) == values[i]);
    }
}

/* All eight ways in which three gates can fall, each at its floor or just below it. */
static void gates_are_judged_one_by_one_and_met_at_equality(void **state)
{
    struct fixture *f = *state;
    for (unsigned bits = 0; bits < 8; bits++) {
        bool passes[3] = {bits & 1, bits & 2, bits & 4};
        int64_t cumulative = passes[0] ? 2000 : 1999;
        /* a peak that makes the multiplier 1.5 or a little less */
        int64_t peak = passes[1] ? cumulative * 2 / 3 : cumulative * 2 / 3 + 2;
        struct measurement m = {peak, cumulative, 2};
        struct boundary boundary = {.ratio = passes[2] ? 0.3 : 0.29999999999999993};
        struct recommendation r = recommend(m, &boundary, &thresholds_default);
        assert_int_equal(r.gate_count, 3);
        assert_int_equal(r.delegate, bits == 7);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(r.gates[i].passed, passes[i]);
            assert_ptr_equal(r.gates[i].row, &threshold_rows[i]);
        }
        struct str reason = recommend_reason(&f->arena, &r);
        assert_true(str_starts(reason, r.delegate ? STR("delegate: ") : STR("keep monolithic: ")));
        for (int i = 0; i < 3; i++) /* a yes names what passed, a no what vetoed */
            assert_int_equal(str_holds(reason, str_of(threshold_rows[i].rule)), passes[i] == r.delegate);
    }
}

static void without_a_boundary_two_gates_are_judged(void **state)
{
    struct fixture *f = *state;
    struct measurement m = {1000, 2000, 2};
    struct recommendation r = recommend(m, NULL, &thresholds_default);
    assert_int_equal(r.gate_count, 2);
    assert_true(r.delegate);
    assert_str(recommend_reason(&f->arena, &r),
               STR("delegate: min_cumulative (2000 >= 2000), min_reread_multiplier (2 >= 1.5)"));
}

static void nothing_read_is_no_reason_to_delegate(void **state)
{
    struct fixture *f = *state;
    struct boundary boundary = {0};
    struct recommendation r = recommend((struct measurement){0}, &boundary, &thresholds_default);
    assert_false(r.delegate);
    assert_str(recommend_reason(&f->arena, &r),
               STR("keep monolithic: min_cumulative (0 < 2000), min_reread_multiplier (0 < 1.5), "
                   "min_boundary_savings_ratio (0 < 0.3)"));
}

static void floors_may_be_set_by_the_caller(void **state)
{
    struct fixture *f = *state;
    struct measurement m = {6144, 19741, 7};
    struct boundary boundary = {.ratio = 0.5};
    struct thresholds thresholds = thresholds_default;
    assert_true(recommend(m, &boundary, &thresholds).delegate);
    thresholds.min_cumulative = 19742;
    struct recommendation r = recommend(m, &boundary, &thresholds);
    assert_false(r.delegate);
    assert_str(recommend_reason(&f->arena, &r), STR("keep monolithic: min_cumulative (19741 < 19742)"));
    thresholds = (struct thresholds){.min_cumulative = 0};
    assert_true(recommend((struct measurement){0}, &(struct boundary){0}, &thresholds).delegate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_floors_are_the_documented_ones),
        TEST(gates_are_judged_one_by_one_and_met_at_equality),
        TEST(without_a_boundary_two_gates_are_judged),
        TEST(nothing_read_is_no_reason_to_delegate),
        TEST(floors_may_be_set_by_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
