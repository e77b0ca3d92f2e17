/* Totals: a run and all below it, and money only when every run has a price. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/total.h"
#include "support/fixture.h"

/* A record of so many turns whose figures are all made of one number, so that a sum shows who is in it. */
static struct record *add_record(struct fixture *f, struct record *parent, int64_t number, uint32_t turns)
{
    struct record *record = record_new(&f->arena, parent, STR("r"), &f->sizing);
    struct account *account = &record->account;
    account->usage = (struct usage){number, 2 * number, 3 * number, 4 * number, 5 * number};
    account->priced = true;
    account->cost = 6 * number;
    account->uncached = 7 * number;
    account->work_us = 8 * number;
    while (turns-- > 0)
        transcript_begin_turn(&record->transcript);
    return record;
}

static void assert_total(struct record *top, int64_t number, int64_t requests, bool priced)
{
    struct total total = total_of(top);
    struct usage want = {number, 2 * number, 3 * number, 4 * number, 5 * number};
    assert_memory_equal(&total.usage, &want, sizeof want);
    assert_true(total.cost == 6 * number && total.uncached == 7 * number && total.work_us == 8 * number);
    assert_true(total.requests == requests);
    assert_int_equal(total.priced, priced);
}

static void a_total_is_the_sum_over_its_tree(void **state)
{
    struct fixture *f = *state;
    struct record *root = add_record(f, NULL, 1, 1);
    assert_total(root, 1, 1, true);
    struct record *left = add_record(f, root, 10, 2);
    struct record *right = add_record(f, root, 100, 0);
    struct record *leaf = add_record(f, left, 1000, 4);
    add_record(f, left, 10000, 8);
    assert_total(root, 11111, 15, true);
    assert_total(left, 11010, 14, true); /* a part of a tree stops at its own end */
    assert_total(right, 100, 0, true);
    assert_total(leaf, 1000, 4, true);
}

/* Money of a part must not be shown as that of the whole. */
static void one_run_without_a_price_takes_it_from_all_above(void **state)
{
    struct fixture *f = *state;
    struct record *root = add_record(f, NULL, 1, 1);
    struct record *left = add_record(f, root, 10, 2);
    struct record *right = add_record(f, root, 100, 0);
    left->account.priced = false;
    assert_total(root, 111, 3, false);
    assert_total(left, 10, 2, false);
    assert_total(right, 100, 0, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_total_is_the_sum_over_its_tree),
        TEST(one_run_without_a_price_takes_it_from_all_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
