/* Crew: many jobs in one loop, so many of them at once, each in its own child.
 *
 * What one scenario does (it hangs, it crashes the VM, it eats its memory) is the end of its own child and of nothing
 * else.  Jobs are started in order; they end in any order, so whoever listens keeps results by index.
 *
 *  I1  `begin` is called once for every index, in order; `ended` once for every index, also for one that never started.
 *  I2  At most `most` children are alive at any time, none after crew_run.
 *  I3  After a signal nothing more is started: all that runs is killed, and neither `begin` nor `ended` is called again
 *      but for what was begun.
 *
 * Seats live in the crew; what their pointers lead to belongs to the caller until `ended`.
 */
#ifndef BATCH_CREW_H
#define BATCH_CREW_H

#include <stdbool.h>
#include <stddef.h>

#include "batch/job.h"

/* One job under way, as its caller arranges it. */
struct crew_seat {
    struct job job;
    struct job_ears ears;
};

struct crew_plan {
    size_t count; /* jobs */
    size_t most;  /* children at once, at least 1 */
    void *self;
    /* Fills the seat of job `index`.  False with err: it is not started, and `ended` hears why. */
    bool (*begin)(void *self, size_t index, struct crew_seat *seat, struct err *err);
    /* `err` is NULL when the job ended well. */
    void (*ended)(void *self, size_t index, const struct job_end *end, const struct err *err);
};

/* Returns 0, or the signal that ended it.  False with err only when the loop itself cannot run. */
MUST_USE bool crew_run(const struct crew_plan *plan, int *interrupted, struct err *err);

#endif
