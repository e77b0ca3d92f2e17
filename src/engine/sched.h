/* Sched: the queue of events, ordered by virtual time.
 *
 *  I1  Order is (microseconds, ticks, ends before starts, order of scheduling).
 *  I2  Nothing is ever scheduled before the event last taken.
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
    struct event *heap;
    uint32_t count;
    uint32_t capacity;
    uint64_t next_sequence;
    struct instant now;
};

void sched_init(struct sched *sched, struct arena *arena);
void sched_add(struct sched *sched, struct instant at, enum event_kind kind, struct agent *agent, uint32_t call);
bool sched_take(struct sched *sched, struct event *event); /* false when nothing is left; O(log n) */

#endif
