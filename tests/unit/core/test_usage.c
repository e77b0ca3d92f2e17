/* Usage: every bucket has its own price, tiers price a whole request, and nothing is rounded. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../base/dies.h"
#include "core/usage.h"

/* Five primes, so that no two buckets can be taken for each other. */
static const struct price primes = {
    .base = {.input = 2, .output = 3, .cache_read = 5, .cache_write_5m = 7, .cache_write_1h = 11},
    .above_tokens = PRICE_MISSING,
};

/* The base up to ten tokens; beyond, some rates differ and the missing ones stay. */
static const struct price tiered = {
    .base = {.input = 2, .output = 3, .cache_read = 5, .cache_write_5m = 7, .cache_write_1h = 11},
    .above_tokens = 10,
    .above = {.input = 100, .output = PRICE_MISSING, .cache_read = 1000, .cache_write_5m = PRICE_MISSING,
              .cache_write_1h = PRICE_MISSING},
};

static const struct {
    struct usage usage;
    const struct price *price;
    int64_t cost;
    int64_t uncached;
} rows[] = {
    {{0, 0, 0, 0, 0}, &primes, 0, 0},
    {{1, 0, 0, 0, 0}, &primes, 2, 2}, /* each bucket alone … */
    {{0, 1, 0, 0, 0}, &primes, 5, 2},
    {{0, 0, 1, 0, 0}, &primes, 7, 2},
    {{0, 0, 0, 1, 0}, &primes, 11, 2},
    {{0, 0, 0, 0, 1}, &primes, 3, 3},
    {{1, 10, 100, 1000, 10000}, &primes, 2 + 50 + 700 + 11000 + 30000, 2 * 1111 + 30000}, /* … and all together */
    {{0, 4, 6, 0, 1}, &tiered, 4 * 5 + 6 * 7 + 3, 10 * 2 + 3},        /* exactly the tier's border is the base */
    {{0, 4, 7, 0, 1}, &tiered, 4 * 1000 + 7 * 7 + 3, 11 * 100 + 3},   /* one more, and all of it is dearer */
    {{11, 0, 0, 0, 0}, &tiered, 1100, 1100},
    {{0, 0, 0, 0, 500}, &tiered, 1500, 1500}, /* output counts for no tier */
};

static void every_bucket_costs_its_price(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_true(usage_cost(&rows[i].usage, rows[i].price) == rows[i].cost);
        assert_true(usage_cost_uncached(&rows[i].usage, rows[i].price) == rows[i].uncached);
    }
}

static void context_is_what_was_sent(void **state)
{
    (void)state;
    struct usage usage = {.fresh = 1, .read = 20, .write_5m = 300, .write_1h = 4000, .output = 50000};
    assert_true(usage_context(&usage) == 4321);
}

static void sums_are_bucket_by_bucket(void **state)
{
    (void)state;
    struct usage sum = {1, 2, 3, 4, 5};
    usage_add(&sum, &(struct usage){10, 20, 30, 40, 50});
    usage_add(&sum, &(struct usage){0});
    assert_true(sum.fresh == 11 && sum.read == 22 && sum.write_5m == 33 && sum.write_1h == 44 && sum.output == 55);
}

/* A bill of nine million dollars is exact: no double holds its last digits. */
static void large_bills_are_exact(void **state)
{
    (void)state;
    struct price price = {.base = {.input = 3000001, .output = 15000000}, .above_tokens = PRICE_MISSING};
    struct usage usage = {.fresh = INT64_C(2999999999999), .output = 1};
    assert_true(usage_cost(&usage, &price) == INT64_C(2999999999999) * 3000001 + 15000000);
}

static void nothing_costs_nothing_at_an_unknown_price(void **state)
{
    (void)state;
    struct price price = {.base = {2, 3, PRICE_MISSING, PRICE_MISSING, PRICE_MISSING}, .above_tokens = PRICE_MISSING};
    assert_true(usage_cost(&(struct usage){.fresh = 5, .output = 5}, &price) == 25);
}

static void bill_an_unknown_price(void *argument)
{
    (void)argument;
    struct price price = {.base = {2, 3, PRICE_MISSING, 7, 11}, .above_tokens = PRICE_MISSING};
    usage_cost(&(struct usage){.read = 1}, &price);
}

static void bill_beyond_all_counting(void *argument)
{
    (void)argument;
    struct price price = {.base = {.input = INT64_MAX}, .above_tokens = PRICE_MISSING};
    usage_cost(&(struct usage){.fresh = 2}, &price);
}

static void a_bill_is_never_made_up(void **state)
{
    (void)state;
    assert_int_not_equal(exit_code_of(bill_an_unknown_price, NULL), 0);
    assert_int_not_equal(exit_code_of(bill_beyond_all_counting, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bucket_costs_its_price),
        cmocka_unit_test(context_is_what_was_sent),
        cmocka_unit_test(sums_are_bucket_by_bucket),
        cmocka_unit_test(large_bills_are_exact),
        cmocka_unit_test(nothing_costs_nothing_at_an_unknown_price),
        cmocka_unit_test(a_bill_is_never_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
