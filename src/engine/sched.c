#include "engine/sched.h"

#include <string.h>

#include "base/arena.h"

void sched_init(struct sched *sched, struct arena *arena)
{
    *sched = (struct sched){.arena = arena};
}

static bool is_start(enum event_kind kind)
{
    return kind == EVENT_CALL_START || kind == EVENT_TURN_START;
}

static bool comes_before(const struct event *a, const struct event *b)
{
    if (a->at.us != b->at.us || a->at.ticks != b->at.ticks)
        return instant_before(a->at, b->at);
    if (is_start(a->kind) != is_start(b->kind))
        return is_start(b->kind);
    return a->sequence < b->sequence;
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
