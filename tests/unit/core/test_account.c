/* Accounts: one turn after the other is booked, and the sums are those of the turns. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account.h"
#include "support/fixture.h"

static const struct price primes = {
    .base = {.input = 20, .output = 3, .cache_read = 5, .cache_write_5m = 70, .cache_write_1h = 110},
    .above_tokens = 1000,
    .above = {.input = 41, .output = 7, .cache_read = 11, .cache_write_5m = 141, .cache_write_1h = 221},
};

static const struct {
    struct cache_answer answer;
    int64_t duration_us;
    int64_t cost;
    int64_t uncached;
    int64_t bill; /* of the miss; -1 where there is none */
} turns[] = {
    {{.usage = {.write_5m = 100, .output = 9}}, 10, 7027, 2027, -1},
    {{.usage = {.read = 100, .write_5m = 20, .output = 1}}, 20, 1903, 2403, -1},
    {{.usage = {.write_5m = 150}, .missed = true, .cause = MISS_TTL, .lost = 120}, 30, 10500, 3000, 120 * 65},
    {{.usage = {.read = 30, .write_1h = 130}, .missed = true, .cause = MISS_LOOKBACK, .lost = 120}, 0, 14450, 3200,
     120 * 105}, /* what was lost is paid as what was written */
    {{.usage = {.fresh = 170}, .missed = true, .cause = MISS_BELOW_MINIMUM, .lost = 160}, 5, 3400, 3400, 160 * 15},
    {{.usage = {.write_5m = 1001}, .missed = true, .cause = MISS_TTL, .lost = 170}, 5, 141141, 41041, 170 * 130},
};

static void sums_are_those_of_the_turns(void **state)
{
    struct fixture *f = *state;
    struct account account;
    struct usage sum = {0};
    int64_t cost = 0, uncached = 0, time = 0;
    uint32_t misses = 0;
    account_init(&account, &f->arena);
    account.counted = true;
    for (uint32_t i = 0; i < ARRAY_LEN(turns); i++) {
        account_book(&account, i + 1, &turns[i].answer, &primes, time, turns[i].duration_us);
        usage_add(&sum, &turns[i].answer.usage);
        cost += turns[i].cost;
        uncached += turns[i].uncached;
        const struct turn_figures *figures = chunks_at(&account.turns, i);
        assert_true(figures->begin_us == time && figures->read == turns[i].answer.usage.read);
        assert_true(figures->output == turns[i].answer.usage.output);
        time += turns[i].duration_us;
        assert_true(account_cost(&turns[i].answer, &primes) == turns[i].cost);
        assert_true(account.cost == cost && account.uncached == uncached);
        assert_true(account.work_us == time && account.critical_us == time);
        assert_memory_equal(&account.usage, &sum, sizeof sum);
        if (turns[i].bill < 0)
            continue;
        const struct miss *miss = chunks_at(&account.misses, misses++);
        assert_int_equal(miss->turn, i + 1);
        assert_int_equal(miss->cause, turns[i].answer.cause);
        assert_true(miss->size == turns[i].answer.lost);
        assert_true(miss->picodollars == turns[i].bill);
    }
    assert_int_equal(account.misses.count, misses);
    assert_int_equal(account.turns.count, ARRAY_LEN(turns));
}

static void without_a_price_nothing_is_billed(void **state)
{
    struct fixture *f = *state;
    struct account account;
    account_init(&account, &f->arena);
    account.counted = true;
    account_book(&account, 3, &turns[2].answer, NULL, 0, 30);
    assert_true(account.cost == 0 && account.uncached == 0);
    const struct miss *miss = chunks_at(&account.misses, 0);
    assert_true(miss->size == 120 && miss->picodollars == 0); /* the miss is told all the same */
    assert_true(account.usage.write_5m == 150);
}

/* Characters are no tokens: only the time counts. */
static void what_is_not_counted_in_tokens_has_no_usage(void **state)
{
    struct fixture *f = *state;
    struct account account;
    account_init(&account, &f->arena);
    account_book(&account, 3, &turns[2].answer, NULL, 0, 30);
    assert_true(usage_context(&account.usage) == 0);
    assert_int_equal(account.misses.count, 0);
    assert_int_equal(account.turns.count, 0);
    assert_true(account.work_us == 30);
}

static void a_new_account_has_no_limits(void **state)
{
    struct fixture *f = *state;
    struct account account;
    account_init(&account, &f->arena);
    for (int i = 0; i < RESOURCES; i++) {
        assert_false(account.limited[i]);
        assert_true(account.pools[i].limit == POOL_UNLIMITED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_those_of_the_turns),
        TEST(without_a_price_nothing_is_billed),
        TEST(what_is_not_counted_in_tokens_has_no_usage),
        TEST(a_new_account_has_no_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
