/* Pools: what is reserved cannot be spent twice, what is left over comes back, exactly the limit is fine. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../base/dies.h"
#include "base/check.h"
#include "base/rng.h"
#include "core/pool.h"

static struct pool pool_of(int64_t limit)
{
    return (struct pool){.limit = limit};
}

static void assert_pool(const struct pool *pool, int64_t spent, int64_t reserved)
{
    assert_true(pool->spent == spent);
    assert_true(pool->reserved == reserved);
}

/* The founding vectors: four of 60,000 fit into 250,000, the fifth does not, and 10,000 does to the last token. */
static void four_of_sixty_thousand_fit_into_two_hundred_and_fifty(void **state)
{
    (void)state;
    struct pool pool = pool_of(250000);
    for (int i = 0; i < 4; i++)
        assert_true(pool_reserve(&pool, 60000));
    assert_false(pool_reserve(&pool, 60000));
    assert_pool(&pool, 0, 240000); /* a refusal changes nothing */
    assert_true(pool_left(&pool) == 10000);
    assert_true(pool_reserve(&pool, 10000));
    assert_true(pool_left(&pool) == 0);
    assert_false(pool_is_over(&pool));
    assert_false(pool_reserve(&pool, 1));
    assert_true(pool_reserve(&pool, 0));
}

/* The same after the four have been spent. */
static void spent_counts_as_reserved_does(void **state)
{
    (void)state;
    struct pool pool = pool_of(250000);
    pool_charge(&pool, 240000);
    assert_false(pool_reserve(&pool, 60000));
    assert_false(pool_reserve(&pool, 10001));
    assert_true(pool_reserve(&pool, 10000));
    assert_pool(&pool, 240000, 10000);
}

static void what_a_child_did_not_use_comes_back(void **state)
{
    (void)state;
    struct pool pool = pool_of(100);
    assert_true(pool_reserve(&pool, 60));
    pool_settle(&pool, 60, 25);
    assert_pool(&pool, 25, 0);
    assert_true(pool_left(&pool) == 75);
    assert_true(pool_reserve(&pool, 75));
    pool_settle(&pool, 75, 80); /* a child may overshoot its allocation by its last call */
    assert_pool(&pool, 105, 0);
    assert_true(pool_is_over(&pool));
    assert_true(pool_overshoot(&pool) == 5);
    assert_true(pool_left(&pool) == 0); /* never less */
    assert_false(pool_reserve(&pool, 0)); /* over is over */
}

static void zero_is_zero(void **state)
{
    (void)state;
    struct pool pool = pool_of(0);
    assert_false(pool_is_over(&pool));
    assert_true(pool_left(&pool) == 0);
    assert_true(pool_reserve(&pool, 0));
    assert_false(pool_reserve(&pool, 1));
    pool_charge(&pool, 1);
    assert_true(pool_is_over(&pool));
    assert_true(pool_overshoot(&pool) == 1);
}

static void without_a_limit_everything_fits(void **state)
{
    (void)state;
    struct pool pool = pool_of(POOL_UNLIMITED);
    assert_true(pool_reserve(&pool, INT64_MAX));
    pool_settle(&pool, INT64_MAX, INT64_MAX);
    assert_false(pool_is_over(&pool));
    assert_true(pool_overshoot(&pool) == 0);
    for (int i = 0; i < RESOURCES; i++)
        assert_true(budget_none.limits[i] == POOL_UNLIMITED);
}

static void over_is_told_of_spent_and_reserved_together(void **state)
{
    (void)state;
    struct pool pool = pool_of(100);
    assert_true(pool_reserve(&pool, 60));
    pool_charge(&pool, 40);
    assert_false(pool_is_over(&pool));
    pool_charge(&pool, 1);
    assert_true(pool_is_over(&pool));
    assert_true(pool_overshoot(&pool) == 0); /* nothing is overspent yet: the 60 may come back */
}

/* No amount is too large to be refused. */
static void the_largest_amounts_are_refused_like_any(void **state)
{
    (void)state;
    struct pool pool = pool_of(100);
    pool_charge(&pool, 1);
    assert_false(pool_reserve(&pool, INT64_MAX));
    assert_pool(&pool, 1, 0);
    pool = pool_of(INT64_MAX);
    pool_charge(&pool, 1);
    assert_true(pool_reserve(&pool, INT64_MAX - 1));
    assert_false(pool_reserve(&pool, INT64_MAX));
}

/* Random orders against a list of open allocations that is summed anew each time. */
static void every_order_of_events_adds_up(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 3, STR("pools"));
    for (int world = 0; world < 2000; world++) {
        struct pool pool = pool_of(rng_between(&rng, 0, 50));
        int64_t open[8] = {0};
        int64_t count = 0, spent = 0;
        for (int step = 0; step < 40; step++) {
            int64_t held = 0;
            int64_t amount = rng_between(&rng, 0, 9);
            for (int i = 0; i < count; i++)
                held += open[i];
            assert_pool(&pool, spent, held);
            assert_int_equal(pool_is_over(&pool), spent + held > pool.limit);
            if (rng_between(&rng, 0, 2) == 0) {
                pool_charge(&pool, amount);
                spent += amount;
            } else if (count > 0 && (count == 8 || rng_between(&rng, 0, 1))) {
                pool_settle(&pool, open[--count], amount);
                spent += amount;
            } else {
                bool fits = spent + held + amount <= pool.limit;
                assert_int_equal(pool_reserve(&pool, amount), fits);
                if (fits)
                    open[count++] = amount;
            }
        }
    }
}

static void reserve_less_than_nothing(void *argument)
{
    pool_reserve(argument, -1);
}

static void charge_less_than_nothing(void *argument)
{
    pool_charge(argument, -1);
}

static void give_back_what_was_not_reserved(void *argument)
{
    pool_settle(argument, 1, 0);
}

static void amounts_are_never_negative(void **state)
{
    (void)state;
    struct pool pool = pool_of(100);
    assert_int_not_equal(exit_code_of(reserve_less_than_nothing, &pool), 0);
    assert_int_not_equal(exit_code_of(charge_less_than_nothing, &pool), 0);
    assert_int_not_equal(exit_code_of(give_back_what_was_not_reserved, &pool), 0);
}

static void resources_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"tokens", "usd", "turns", "ms"};
    for (int i = 0; i < RESOURCES; i++)
        assert_string_equal(resource_name((enum resource)i), names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_of_sixty_thousand_fit_into_two_hundred_and_fifty),
        cmocka_unit_test(spent_counts_as_reserved_does),
        cmocka_unit_test(what_a_child_did_not_use_comes_back),
        cmocka_unit_test(zero_is_zero),
        cmocka_unit_test(without_a_limit_everything_fits),
        cmocka_unit_test(over_is_told_of_spent_and_reserved_together),
        cmocka_unit_test(the_largest_amounts_are_refused_like_any),
        cmocka_unit_test(every_order_of_events_adds_up),
        cmocka_unit_test(amounts_are_never_negative),
        cmocka_unit_test(resources_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
