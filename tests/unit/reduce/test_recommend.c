#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/record.h"
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

/* One of the two is enough; each is met at equality. */
static void a_checklist_needs_one_of_two(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t calls, tokens;
        bool delegate;
        const char *reason;
    } rows[] = {
        {3, 2999, false, "keep monolithic: min_tool_calls (3 < 4), min_result_tokens (2999 < 3000)"},
        {4, 2999, true, "delegate: min_tool_calls (4 >= 4)"},
        {3, 3000, true, "delegate: min_result_tokens (3000 >= 3000)"},
        {4, 3000, true, "delegate: min_tool_calls (4 >= 4), min_result_tokens (3000 >= 3000)"},
        {0, 0, false, "keep monolithic: min_tool_calls (0 < 4), min_result_tokens (0 < 3000)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct recommendation r = recommend_by_checklist(rows[i].calls, rows[i].tokens, &thresholds_default);
        assert_int_equal(r.profile, PROFILE_CHECKLIST);
        assert_int_equal(r.gate_count, 2);
        assert_int_equal(r.delegate, rows[i].delegate);
        assert_str(recommend_reason(&f->arena, &r), str_of(rows[i].reason));
    }
}

/* Both are needed; five times the overhead must be passed, five calls are enough. */
static void the_overhead_must_be_passed(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t calls, tokens;
        double overhead;
        bool delegate;
        const char *reason;
    } rows[] = {
        {5, 11250, 2250.0, false, "keep monolithic: min_overhead_multiple (5 <= 5)"}, /* equality is not enough */
        {5, 13500, 2250.0, true, "delegate: min_overhead_multiple (6 > 5), min_overhead_calls (5 >= 5)"},
        {4, 13500, 2250.0, false, "keep monolithic: min_overhead_calls (4 < 5)"},
        {4, 11250, 2250.0, false, "keep monolithic: min_overhead_multiple (5 <= 5), min_overhead_calls (4 < 5)"},
        {5, 0, 0.0, false, "keep monolithic: min_overhead_multiple (0 <= 5)"}, /* nothing is not more than nothing */
        {9, 51, 10.0, true, "delegate: min_overhead_multiple (5.1 > 5), min_overhead_calls (9 >= 5)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct recommendation r =
            recommend_by_overhead(rows[i].calls, rows[i].tokens, rows[i].overhead, &thresholds_default);
        assert_int_equal(r.profile, PROFILE_OVERHEAD);
        assert_int_equal(r.gate_count, 2);
        assert_int_equal(r.delegate, rows[i].delegate);
        assert_str(recommend_reason(&f->arena, &r), str_of(rows[i].reason));
    }
    assert_true(recommend_by_overhead(5, 11251, 2250.0, &thresholds_default).delegate);
    assert_true(recommend_by_overhead(5, 1, 0.0, &thresholds_default).delegate); /* beside no overhead, one is more */
}

static void the_other_floors_may_be_set_too(void **state)
{
    (void)state;
    struct thresholds thresholds = thresholds_default;
    thresholds.min_tool_calls = 5;
    thresholds.min_result_tokens = 2.5; /* a floor need not be whole */
    assert_false(recommend_by_checklist(4, 2, &thresholds).delegate);
    assert_true(recommend_by_checklist(4, 3, &thresholds).delegate);
    thresholds.min_overhead_multiple = 0.5;
    thresholds.min_overhead_calls = 1;
    assert_false(recommend_by_overhead(1, 50, 100.0, &thresholds).delegate);
    assert_true(recommend_by_overhead(1, 51, 100.0, &thresholds).delegate);
}

/* A child that opens with a system entry and a prompt of these sizes, then says and reads something. */
static struct record *add_child(struct fixture *f, struct record *root, int64_t tools, int64_t system, int64_t prompt)
{
    struct record *child = record_new(&f->arena, root, STR("x"), &f->sizing);
    struct transcript *t = &child->transcript;
    if (tools)
        transcript_append_sized(t, ROLE_SYSTEM, 0, (struct str){0}, tools);
    if (system)
        transcript_append_sized(t, ROLE_SYSTEM, NAME_NONE, (struct str){0}, system);
    transcript_append_sized(t, ROLE_USER, NAME_NONE, (struct str){0}, prompt);
    transcript_begin_turn(t);
    transcript_append_sized(t, ROLE_ASSISTANT, NAME_NONE, (struct str){0}, 7777);
    transcript_append_sized(t, ROLE_USER, NAME_NONE, (struct str){0}, 8888); /* a broken contract's: no opening */
    transcript_begin_turn(t);
    return child;
}

static void the_overhead_is_set_measured_or_the_documented_one(void **state)
{
    struct fixture *f = *state;
    struct thresholds set = thresholds_default;
    struct record *root = record_new(&f->arena, NULL, STR("root"), &f->sizing);
    transcript_append_sized(&root->transcript, ROLE_USER, NAME_NONE, (struct str){0}, 99999);
    set.spawn_overhead = 12.5;
    assert_true(recommend_spawn_overhead(root, &thresholds_default) == 2250.0); /* nobody to measure */
    assert_true(recommend_spawn_overhead(root, &set) == 12.5);
    add_child(f, root, 700, 280, 20);
    assert_true(recommend_spawn_overhead(root, &thresholds_default) == 1000.0);
    add_child(f, root, 0, 0, 1);
    assert_true(recommend_spawn_overhead(root, &thresholds_default) == 500.5); /* the mean of both */
    assert_true(recommend_spawn_overhead(root, &set) == 12.5);
    set.spawn_overhead = 0.0; /* 0 is zero, not unset */
    assert_true(recommend_spawn_overhead(root, &set) == 0.0);
}

/* At four calls and 3,000 tokens the profiles disagree: that is why all are told. */
static void the_profiles_disagree_at_the_border(void **state)
{
    (void)state;
    assert_true(recommend_by_checklist(4, 3000, &thresholds_default).delegate);
    assert_false(recommend_by_overhead(4, 3000, SPAWN_OVERHEAD_DEFAULT, &thresholds_default).delegate);
}

static void profiles_have_names(void **state)
{
    (void)state;
    static const char *const names[PROFILES] = {"footprint", "checklist", "overhead"};
    enum profile found;
    for (int i = 0; i < PROFILES; i++) {
        assert_string_equal(profile_name((enum profile)i), names[i]);
        assert_true(profile_find(str_of(names[i]), &found));
        assert_int_equal(found, i);
    }
    assert_false(profile_find(STR("Footprint"), &found));
    assert_false(profile_find(STR(""), &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_floors_are_the_documented_ones),
        TEST(gates_are_judged_one_by_one_and_met_at_equality),
        TEST(without_a_boundary_two_gates_are_judged),
        TEST(nothing_read_is_no_reason_to_delegate),
        TEST(floors_may_be_set_by_the_caller),
        TEST(a_checklist_needs_one_of_two),
        TEST(the_overhead_must_be_passed),
        TEST(the_other_floors_may_be_set_too),
        TEST(the_overhead_is_set_measured_or_the_documented_one),
        TEST(the_profiles_disagree_at_the_border),
        TEST(profiles_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
