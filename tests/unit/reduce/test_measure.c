#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "reduce/measure.h"
#include "support/fixture.h"

/* A record whose turns read these contexts: one entry before each turn makes up the difference. */
static struct record *record_reading(struct fixture *f, struct record *parent, const int64_t *contexts, uint32_t count)
{
    struct record *record = record_new(&f->arena, parent, STR("r"), &f->sizing);
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            transcript_retire(&record->transcript, last);
        last = transcript_append_sized(&record->transcript, ROLE_USER, NAME_NONE, (struct str){0}, contexts[i]);
        transcript_begin_turn(&record->transcript);
    }
    transcript_check(&record->transcript);
    return record;
}

static void a_run_without_turns_measures_zero(void **state)
{
    struct fixture *f = *state;
    struct record *record = record_new(&f->arena, NULL, STR("r"), &f->sizing);
    transcript_append(&record->transcript, ROLE_USER, NAME_NONE, STR("never read"));
    struct measurement m = measure_transcript(&record->transcript);
    assert_int_equal(m.peak, 0);
    assert_int_equal(m.cumulative, 0);
    assert_int_equal(m.turn_count, 0);
    assert_true(measure_multiplier(m) == 0.0);
    assert_int_equal(measure_final_context(&record->transcript), 10);
}

static void peak_sum_and_count_are_those_of_the_turns(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t contexts[4];
        uint32_t count;
        int64_t peak, cumulative;
        double multiplier;
    } rows[] = {
        {{0}, 1, 0, 0, 0.0},                 /* nothing to read: no division */
        {{7}, 1, 7, 7, 1.0},
        {{1, 2, 3, 4}, 4, 4, 10, 2.5},
        {{9, 2, 3, 4}, 4, 9, 18, 2.0},       /* the peak need not be last */
        {{5, 5, 5, 5}, 4, 5, 20, 4.0},
        {{INT64_C(1) << 60, INT64_C(1) << 60}, 2, INT64_C(1) << 60, INT64_C(1) << 61, 2.0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct record *record = record_reading(f, NULL, rows[i].contexts, rows[i].count);
        struct measurement m = measure_transcript(&record->transcript);
        assert_true(m.peak == rows[i].peak);
        assert_true(m.cumulative == rows[i].cumulative);
        assert_int_equal(m.turn_count, rows[i].count);
        assert_true(measure_multiplier(m) == rows[i].multiplier);
    }
}

static void many_turns_are_summed_across_chunks(void **state)
{
    struct fixture *f = *state;
    struct record *record = record_new(&f->arena, NULL, STR("r"), &f->sizing);
    const int64_t turns = 20000;
    for (int64_t i = 0; i < turns; i++) {
        transcript_append_sized(&record->transcript, ROLE_USER, NAME_NONE, (struct str){0}, 3);
        transcript_begin_turn(&record->transcript);
    }
    struct measurement m = measure_transcript(&record->transcript);
    assert_true(m.cumulative == 3 * turns * (turns + 1) / 2);
    assert_true(m.peak == 3 * turns);
}

static void isolated_throws_all_descendants_together(void **state)
{
    struct fixture *f = *state;
    static const int64_t own[] = {1000, 2000};
    static const int64_t first[] = {10, 30};
    static const int64_t second[] = {20};
    static const int64_t deep[] = {25, 5, 40};
    struct record *root = record_reading(f, NULL, own, 2);
    assert_int_equal(measure_isolated(root).turn_count, 0); /* no children: zeros */
    assert_int_equal(measure_isolated(root).peak, 0);
    record_reading(f, root, first, 2);
    struct record *child = record_reading(f, root, second, 1);
    record_reading(f, child, deep, 3);
    struct measurement m = measure_isolated(root);
    assert_int_equal(m.peak, 40); /* the worst single turn, not a sum, and never the root's */
    assert_int_equal(m.cumulative, 10 + 30 + 20 + 25 + 5 + 40);
    assert_int_equal(m.turn_count, 6);
    assert_int_equal(measure_isolated(child).cumulative, 70); /* below an inner record its own descendants alone */
    assert_int_equal(measure_isolated(root->first_child).cumulative, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_without_turns_measures_zero),
        TEST(peak_sum_and_count_are_those_of_the_turns),
        TEST(many_turns_are_summed_across_chunks),
        TEST(isolated_throws_all_descendants_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
