#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "engine/sched.h"
#include "support/fixture.h"

static void nothing_comes_of_an_empty_queue(void **state)
{
    struct fixture *f = *state;
    struct sched sched;
    struct event event;
    sched_init(&sched, &f->arena);
    assert_false(sched_take(&sched, &event));
    sched_add(&sched, (struct instant){0, 0}, EVENT_TURN_START, NULL, 4);
    assert_true(sched_take(&sched, &event));
    assert_int_equal(event.call, 4);
    assert_false(sched_take(&sched, &event));
}

static void order_is_time_ticks_ends_then_scheduling(void **state)
{
    struct fixture *f = *state;
    static const struct {
        struct instant at;
        enum event_kind kind;
        uint32_t place; /* in which the event is to be taken */
    } rows[] = {
        {{5, 0}, EVENT_TURN_START, 6},
        {{1, 9}, EVENT_TURN_START, 5}, /* microseconds count before ticks */
        {{0, 2}, EVENT_CALL_START, 3},
        {{0, 2}, EVENT_TURN_START, 4}, /* scheduled after the other start */
        {{0, 2}, EVENT_TURN_END, 1},   /* ends come before starts */
        {{0, 2}, EVENT_CALL_END, 2},
        {{0, 1}, EVENT_TURN_START, 0},
    };
    struct sched sched;
    sched_init(&sched, &f->arena);
    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++)
        sched_add(&sched, rows[i].at, rows[i].kind, NULL, rows[i].place);
    struct event event;
    for (uint32_t place = 0; place < ARRAY_LEN(rows); place++) {
        assert_true(sched_take(&sched, &event));
        assert_int_equal(event.call, place);
    }
}

static void now_is_the_time_of_what_was_taken(void **state)
{
    struct fixture *f = *state;
    struct sched sched;
    struct event event;
    sched_init(&sched, &f->arena);
    sched_add(&sched, (struct instant){7, 3}, EVENT_TURN_START, NULL, 0);
    assert_true(sched_take(&sched, &event));
    assert_int_equal(sched.now.us, 7);
    assert_int_equal(sched.now.ticks, 3);
}

/* Whether a is to be taken before b; the reference's own words for I1. */
static bool earlier(const struct event *a, const struct event *b)
{
    bool a_starts = a->kind == EVENT_CALL_START || a->kind == EVENT_TURN_START;
    bool b_starts = b->kind == EVENT_CALL_START || b->kind == EVENT_TURN_START;
    int64_t left[] = {a->at.us, a->at.ticks, a_starts, (int64_t)a->sequence};
    int64_t right[] = {b->at.us, b->at.ticks, b_starts, (int64_t)b->sequence};
    for (size_t i = 0; i < ARRAY_LEN(left); i++) {
        if (left[i] != right[i])
            return left[i] < right[i];
    }
    return false;
}

/* Takes the earliest of an unordered list by looking at all of them. */
static struct event take_slowly(struct event *waiting, uint32_t *count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < *count; i++) {
        if (earlier(&waiting[i], &waiting[best]))
            best = i;
    }
    struct event event = waiting[best];
    waiting[best] = waiting[--*count];
    return event;
}

static void a_queue_takes_what_a_slow_search_takes(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 4, STR("sched"));
    struct sched sched;
    sched_init(&sched, &f->arena);
    struct event *waiting = arena_array(&f->arena, struct event, 4000);
    uint32_t count = 0;
    uint64_t sequence = 0;
    for (int step = 0; step < 6000; step++) {
        if (count > 0 && rng_between(&rng, 0, 9) < 4) {
            struct event want = take_slowly(waiting, &count);
            struct event got;
            assert_true(sched_take(&sched, &got));
            assert_int_equal(got.sequence, want.sequence);
            assert_int_equal(got.call, want.call);
            continue;
        }
        struct instant at = {sched.now.us + rng_between(&rng, 0, 2), 0};
        at.ticks = (at.us == sched.now.us ? sched.now.ticks : 0) + rng_between(&rng, 0, 2);
        enum event_kind kind = (enum event_kind)rng_between(&rng, EVENT_TURN_END, EVENT_TURN_START);
        uint32_t call = (uint32_t)rng_between(&rng, 0, 1000000);
        sched_add(&sched, at, kind, NULL, call);
        waiting[count++] = (struct event){at, sequence++, NULL, call, kind};
        assert_true(count < 4000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_comes_of_an_empty_queue),
        TEST(order_is_time_ticks_ends_then_scheduling),
        TEST(now_is_the_time_of_what_was_taken),
        TEST(a_queue_takes_what_a_slow_search_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
