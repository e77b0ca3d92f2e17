/* Virtual clock: instants in microseconds and uncounted ticks, and how long things last.
 *
 * No clock of the machine is ever asked.  A model call lasts its base, plus what reading and writing its tokens takes;
 * rates are in nanoseconds so that fast prefill can be said, and a call is rounded to the nearest microsecond, half up.
 * Every model call also takes one tick that nobody counts: requests that depend on each other stay in order even when
 * all durations are 0.
 */
#ifndef CORE_VCLOCK_H
#define CORE_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/usage.h"

struct instant {
    int64_t us;
    int64_t ticks;
};

static inline bool instant_before(struct instant a, struct instant b)
{
    return a.us != b.us ? a.us < b.us : a.ticks < b.ticks;
}

#define PARALLEL_CALLS_DEFAULT 8

struct latency {
    int64_t base_us;       /* of a model call */
    int64_t per_input_ns;  /* a token that is not read from the cache */
    int64_t per_cached_ns; /* a token that is */
    int64_t per_output_ns;
    int64_t tool_us;         /* a tool call, unless the tool has its own */
    uint32_t parallel_calls; /* calls of one turn that run side by side, at least 1 */
};

extern const struct latency latency_none; /* all durations 0 */

/* Base and reading: when the response begins.  Microseconds. */
int64_t latency_until_response(const struct latency *latency, const struct usage *usage);

/* The whole model call. */
int64_t latency_of_turn(const struct latency *latency, const struct usage *usage);

#endif
