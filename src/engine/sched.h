/* Sched: the queue of events, ordered by virtual time.
 *
 *  I1  Order is (microseconds, ticks, ends before starts, call order, order of scheduling).  Call order goes by the
 *      calls that lead from the root to the event: what belongs to an earlier call of a turn comes first, however deep.
 *  I2  Nothing is ever scheduled before the event last taken.
 *  I3  `first`, when it is there, comes before everything in the heap.
 */
#ifndef ENGINE_SCHED_H
#define ENGINE_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "core/vclock.h"

struct arena;
struct agent;

enum event_kind {
    EVENT_TURN_END, /* ends first: at one instant they come before starts */
    EVENT_CALL_END,
    EVENT_CALL_START,
    EVENT_TURN_START
};

struct event {
    struct instant at;
    uint64_t sequence;
    struct agent *agent;
    uint32_t call; /* index of the call in its turn, for call events */
    enum event_kind kind;
};

struct sched {
    struct arena *arena;
    struct event first; /* the earliest event, kept out of the heap: a lone agent never touches the heap */
    bool has_first;     /* false while events are left: then the heap's top is the earliest */
    struct event *heap;
    uint32_t count;
    uint32_t capacity;
    uint64_t next_sequence;
    struct instant now;
};

void sched_init(struct sched *sched, struct arena *arena);

/* The paths that a lone agent never takes. */
void sched_add_among(struct sched *sched, const struct event *event);
bool sched_take_from_heap(struct sched *sched, struct event *event);

static inline void sched_add(struct sched *sched, struct instant at, enum event_kind kind, struct agent *agent,
                             uint32_t call)
{
    CHECK(!instant_before(at, sched->now)); /* I2 */
    struct event event = {at, sched->next_sequence++, agent, call, kind};
    if (sched->has_first || sched->count > 0) {
        sched_add_among(sched, &event);
        return;
    }
    sched->first = event;
    sched->has_first = true;
}

/* False when nothing is left.  O(log n) comparisons; one is O(depth) when instants are equal. */
static inline bool sched_take(struct sched *sched, struct event *event)
{
    if (!sched->has_first)
        return sched_take_from_heap(sched, event);
    *event = sched->first;
    sched->has_first = false;
    sched->now = event->at;
    return true;
}

#endif
