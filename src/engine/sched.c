#include "engine/sched.h"

#include <string.h>

#include "base/arena.h"
#include "engine/agent_state.h"

void sched_init(struct sched *sched, struct arena *arena)
{
    *sched = (struct sched){.arena = arena};
}

static bool is_start(enum event_kind kind)
{
    return kind == EVENT_CALL_START || kind == EVENT_TURN_START;
}

/* Where an event stands among the calls of an agent that both events are below. */
struct spot {
    const struct agent *agent;
    int64_t call; /* of that agent's turn; -1: the agent itself */
};

static struct spot spot_of(const struct event *event)
{
    bool of_call = event->kind == EVENT_CALL_START || event->kind == EVENT_CALL_END;
    return (struct spot){event->agent, of_call ? (int64_t)event->call : -1};
}

static uint32_t length_of(struct spot spot)
{
    return spot.agent->record->depth + (spot.call >= 0);
}

static struct spot above(struct spot spot)
{
    return (struct spot){spot.agent->parent, spot.agent->parent_call};
}

/* Call order: by the calls that lead to both events from the agent that has spawned them; what is above comes first. */
static int call_order(const struct event *a, const struct event *b)
{
    struct spot left = spot_of(a);
    struct spot right = spot_of(b);
    uint32_t left_length = length_of(left);
    uint32_t right_length = length_of(right);
    while (left.agent->record->depth > right.agent->record->depth)
        left = above(left);
    while (right.agent->record->depth > left.agent->record->depth)
        right = above(right);
    while (left.agent != right.agent) {
        left = above(left);
        right = above(right);
    }
    if (left.call != right.call)
        return left.call < right.call ? -1 : 1;
    return (left_length > right_length) - (left_length < right_length);
}

static bool comes_before(const struct event *a, const struct event *b)
{
    if (a->at.us != b->at.us || a->at.ticks != b->at.ticks)
        return instant_before(a->at, b->at);
    if (is_start(a->kind) != is_start(b->kind))
        return is_start(b->kind);
    int order = call_order(a, b);
    return order ? order < 0 : a->sequence < b->sequence;
}

static void make_room(struct sched *sched)
{
    if (sched->count < sched->capacity)
        return;
    uint32_t capacity = sched->capacity ? sched->capacity * 2 : 32;
    struct event *heap = arena_array(sched->arena, struct event, capacity);
    if (sched->count)
        memcpy(heap, sched->heap, sched->count * sizeof *heap);
    sched->heap = heap;
    sched->capacity = capacity;
}

static void push(struct sched *sched, const struct event *event)
{
    make_room(sched);
    uint32_t hole = sched->count++;
    while (hole > 0 && comes_before(event, &sched->heap[(hole - 1) / 2])) {
        sched->heap[hole] = sched->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    sched->heap[hole] = *event;
}

void sched_add_among(struct sched *sched, const struct event *event)
{
    if (sched->has_first && comes_before(event, &sched->first)) {
        push(sched, &sched->first); /* I3 */
        sched->first = *event;
    } else {
        push(sched, event);
    }
}

static void sift_down(struct sched *sched, struct event event)
{
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = hole * 2 + 1;
        if (child >= sched->count)
            break;
        if (child + 1 < sched->count && comes_before(&sched->heap[child + 1], &sched->heap[child]))
            child++;
        if (!comes_before(&sched->heap[child], &event))
            break;
        sched->heap[hole] = sched->heap[child];
        hole = child;
    }
    sched->heap[hole] = event;
}

bool sched_take_from_heap(struct sched *sched, struct event *event)
{
    if (sched->count == 0)
        return false;
    *event = sched->heap[0];
    sched->now = event->at;
    struct event last = sched->heap[--sched->count];
    if (sched->count > 0)
        sift_down(sched, last);
    return true;
}
