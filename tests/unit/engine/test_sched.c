#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "engine/agent_state.h"
#include "engine/sched.h"
#include "support/fixture.h"

/* A root, the agents that its calls 0 and 2 have spawned, and one that call 1 of the first of those has. */
#define AGENTS 4
#define LEVELS 3

struct family {
    struct agent agents[AGENTS];
    struct record records[AGENTS];
};

static const struct {
    uint32_t parent;
    uint32_t call;
    uint32_t depth;
    int64_t path[LEVELS]; /* the calls that lead to it; -1: it is that agent */
} members[AGENTS] = {
    {0, 0, 0, {-1, -1, -1}},
    {0, 0, 1, {0, -1, -1}},
    {0, 2, 1, {2, -1, -1}},
    {1, 1, 2, {0, 1, -1}},
};

static struct family *make_family(struct fixture *f)
{
    struct family *family = arena_new(&f->arena, struct family);
    for (uint32_t i = 0; i < AGENTS; i++) {
        family->records[i].depth = members[i].depth;
        family->agents[i].record = &family->records[i];
        family->agents[i].parent_call = members[i].call;
        family->agents[i].parent = i ? &family->agents[members[i].parent] : NULL;
    }
    return family;
}

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

static void order_is_time_ticks_ends_then_calls(void **state)
{
    struct fixture *f = *state;
    static const struct {
        struct instant at;
        enum event_kind kind;
        uint32_t agent;
        uint32_t call;
        uint64_t place; /* in which the event is to be taken */
    } rows[] = {
        {{5, 0}, EVENT_TURN_START, 0, 0, 9},
        {{1, 9}, EVENT_TURN_START, 0, 0, 8}, /* microseconds count before ticks */
        {{0, 2}, EVENT_TURN_START, 2, 0, 7}, /* of the root's call 2 */
        {{0, 2}, EVENT_CALL_START, 0, 1, 6}, /* the root's call 1 */
        {{0, 2}, EVENT_CALL_START, 1, 2, 5}, /* of call 0: its call 2 … */
        {{0, 2}, EVENT_TURN_START, 3, 0, 4}, /* … comes after what its call 1 has spawned */
        {{0, 2}, EVENT_CALL_END, 2, 0, 3},
        {{0, 2}, EVENT_TURN_END, 1, 0, 1},   /* ends come before starts, in call order too */
        {{0, 2}, EVENT_CALL_END, 1, 0, 2},
        {{0, 1}, EVENT_TURN_START, 2, 0, 0},
    };
    struct family *family = make_family(f);
    struct sched sched;
    sched_init(&sched, &f->arena);
    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++)
        sched_add(&sched, rows[i].at, rows[i].kind, &family->agents[rows[i].agent], rows[i].call);
    struct event event;
    for (uint32_t place = 0; place < ARRAY_LEN(rows); place++) {
        assert_true(sched_take(&sched, &event));
        assert_int_equal(rows[event.sequence].place, place);
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

/* The calls that lead to an event, written out. */
static void write_path(const struct family *family, const struct event *event, int64_t path[LEVELS + 1])
{
    size_t index = (size_t)(event->agent - family->agents);
    for (size_t i = 0; i < LEVELS; i++)
        path[i] = members[index].path[i];
    path[LEVELS] = -1;
    if (event->kind == EVENT_CALL_START || event->kind == EVENT_CALL_END)
        path[members[index].depth] = event->call;
}

/* Whether a is to be taken before b; the reference's own words for I1. */
static bool earlier(const struct family *family, const struct event *a, const struct event *b)
{
    bool a_starts = a->kind == EVENT_CALL_START || a->kind == EVENT_TURN_START;
    bool b_starts = b->kind == EVENT_CALL_START || b->kind == EVENT_TURN_START;
    int64_t left[4 + LEVELS + 1] = {a->at.us, a->at.ticks, a_starts};
    int64_t right[4 + LEVELS + 1] = {b->at.us, b->at.ticks, b_starts};
    write_path(family, a, left + 3);
    write_path(family, b, right + 3);
    left[4 + LEVELS] = (int64_t)a->sequence;
    right[4 + LEVELS] = (int64_t)b->sequence;
    for (size_t i = 0; i < ARRAY_LEN(left); i++) {
        if (left[i] != right[i])
            return left[i] < right[i];
    }
    return false;
}

/* Takes the earliest of an unordered list by looking at all of them. */
static struct event take_slowly(const struct family *family, struct event *waiting, uint32_t *count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < *count; i++) {
        if (earlier(family, &waiting[i], &waiting[best]))
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
    struct family *family = make_family(f);
    struct event *waiting = arena_array(&f->arena, struct event, 4000);
    uint32_t count = 0;
    uint64_t sequence = 0;
    for (int step = 0; step < 6000; step++) {
        if (count > 0 && rng_between(&rng, 0, 9) < 4) {
            struct event want = take_slowly(family, waiting, &count);
            struct event got;
            assert_true(sched_take(&sched, &got));
            assert_int_equal(got.sequence, want.sequence);
            assert_int_equal(got.call, want.call);
            continue;
        }
        struct instant at = {sched.now.us + rng_between(&rng, 0, 2), 0};
        at.ticks = (at.us == sched.now.us ? sched.now.ticks : 0) + rng_between(&rng, 0, 2);
        enum event_kind kind = (enum event_kind)rng_between(&rng, EVENT_TURN_END, EVENT_TURN_START);
        uint32_t call = (uint32_t)rng_between(&rng, 0, 3);
        struct agent *agent = &family->agents[rng_between(&rng, 0, AGENTS - 1)];
        sched_add(&sched, at, kind, agent, call);
        waiting[count++] = (struct event){at, sequence++, agent, call, kind};
        assert_true(count < 4000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_comes_of_an_empty_queue),
        TEST(order_is_time_ticks_ends_then_calls),
        TEST(now_is_the_time_of_what_was_taken),
        TEST(a_queue_takes_what_a_slow_search_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
