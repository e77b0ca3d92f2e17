#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/compare.h"
#include "support/fixture.h"

static void ratios_follow_their_definitions(void **state)
{
    (void)state;
    static const struct {
        struct footprint baseline, variant;
        double peak, cumulative, share, total;
    } rows[] = {
        /* work moved to a child: the total may rise */
        {{{100, 400, 4}, {0, 0, 0}}, {{25, 100, 2}, {90, 300, 4}}, 0.75, 0.75, 0.75, 1.0},
        /* the parent grew: savings are not clamped */
        {{{100, 400, 4}, {0, 0, 0}}, {{150, 800, 9}, {0, 0, 0}}, -0.5, -1.0, 0.0, 2.0},
        /* a baseline with descendants of its own: they count in its total alone */
        {{{100, 400, 4}, {50, 100, 2}}, {{50, 200, 2}, {10, 50, 1}}, 0.5, 0.5, 0.2, 0.5},
        /* nothing before */
        {{{0, 0, 0}, {0, 0, 0}}, {{5, 10, 2}, {5, 10, 2}}, 0.0, 0.0, 0.5, 0.0},
        /* nothing after */
        {{{100, 400, 4}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, 1.0, 1.0, 0.0, 0.0},
        {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, 0.0, 0.0, 0.0, 0.0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct comparison c = compare_footprints(rows[i].baseline, rows[i].variant);
        assert_true(c.parent_peak_savings_ratio == rows[i].peak);
        assert_true(c.parent_cumulative_savings_ratio == rows[i].cumulative);
        assert_true(c.isolated_share_of_total == rows[i].share);
        assert_true(c.total_ratio == rows[i].total);
    }
}

static void a_variant_compared_with_itself_saves_nothing(void **state)
{
    (void)state;
    struct footprint f = {{7, 30, 5}, {9, 20, 3}};
    struct comparison c = compare_footprints(f, f);
    assert_true(c.parent_peak_savings_ratio == 0.0 && c.parent_cumulative_savings_ratio == 0.0);
    assert_true(c.total_ratio == 1.0);
    assert_int_equal(compare_total(f), 50);
}

static void a_footprint_holds_the_root_and_its_descendants(void **state)
{
    struct fixture *f = *state;
    struct record *root = record_new(&f->arena, NULL, STR("r"), &f->sizing);
    struct record *child = record_new(&f->arena, root, STR("c"), &f->sizing);
    transcript_append(&root->transcript, ROLE_USER, NAME_NONE, STR("1234"));
    transcript_begin_turn(&root->transcript);
    transcript_append(&child->transcript, ROLE_USER, NAME_NONE, STR("123456"));
    transcript_begin_turn(&child->transcript);
    transcript_begin_turn(&child->transcript);
    struct footprint footprint = compare_footprint(root);
    assert_int_equal(footprint.own.cumulative, 4);
    assert_int_equal(footprint.isolated.cumulative, 12);
    assert_int_equal(footprint.isolated.peak, 6);
    assert_int_equal(compare_total(footprint), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ratios_follow_their_definitions),
        TEST(a_variant_compared_with_itself_saves_nothing),
        TEST(a_footprint_holds_the_root_and_its_descendants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
