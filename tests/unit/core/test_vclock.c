/* Virtual clock: how long a model call lasts, to the nearest microsecond, and which instant comes first. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/vclock.h"

static const struct {
    struct latency latency;
    struct usage usage;
    int64_t until_response;
    int64_t turn;
} rows[] = {
    {{.base_us = 7}, {.fresh = 1000, .read = 1000, .output = 1000}, 7, 7},
    {{.per_input_ns = 1000}, {.fresh = 1, .write_5m = 10, .write_1h = 100, .read = 1000, .output = 10000}, 111, 111},
    {{.per_cached_ns = 1000}, {.fresh = 1, .write_5m = 10, .write_1h = 100, .read = 1000, .output = 10000}, 1000, 1000},
    {{.per_output_ns = 1000}, {.fresh = 1, .write_5m = 10, .write_1h = 100, .read = 1000, .output = 10000}, 0, 10000},
    {{.base_us = 800000, .per_input_ns = 20000, .per_cached_ns = 2000, .per_output_ns = 12000000},
     {.write_5m = 2000, .read = 3000, .output = 100},
     800000 + 40000 + 6000,
     800000 + 40000 + 6000 + 1200000},
    {{.per_input_ns = 499}, {.fresh = 1}, 0, 0}, /* nearest, and a half goes up */
    {{.per_input_ns = 500}, {.fresh = 1}, 1, 1},
    {{.per_input_ns = 500}, {.fresh = 3}, 2, 2},
    {{.per_input_ns = 499, .per_output_ns = 2}, {.fresh = 1, .output = 1}, 0, 1}, /* rounded once, as a whole */
    {{.per_input_ns = 300, .per_cached_ns = 300, .per_output_ns = 300}, {.fresh = 1, .read = 1, .output = 1}, 1, 1},
    {{.tool_us = 99, .parallel_calls = 3}, {.fresh = 5}, 0, 0}, /* what tools take is no part of a model call */
};

static void a_call_lasts_what_its_tokens_take(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(latency_until_response(&rows[i].latency, &rows[i].usage) == rows[i].until_response);
        assert_true(latency_of_turn(&rows[i].latency, &rows[i].usage) == rows[i].turn);
    }
}

static void without_latency_nothing_lasts(void **state)
{
    (void)state;
    struct usage usage = {1000000, 1000000, 1000000, 1000000, 1000000};
    assert_true(latency_of_turn(&latency_none, &usage) == 0);
    assert_true(latency_none.tool_us == 0);
    assert_int_equal(latency_none.parallel_calls, 8);
}

/* A chain of instants, each before all that follow. */
static void instants_are_ordered_by_time_then_ticks(void **state)
{
    (void)state;
    static const struct instant chain[] = {{0, 0}, {0, 1}, {0, 99}, {1, 0}, {1, 1}, {2, 0}, {INT64_MAX, 0}};
    for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
        for (size_t k = 0; k < sizeof chain / sizeof *chain; k++)
            assert_int_equal(instant_before(chain[i], chain[k]), i < k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_lasts_what_its_tokens_take),
        cmocka_unit_test(without_latency_nothing_lasts),
        cmocka_unit_test(instants_are_ordered_by_time_then_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
