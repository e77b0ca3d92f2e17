/* Run: one root agent and all it spawns, from the first request to the last answer.
 *
 * Agents are step functions that a queue of events wakes in the order of a virtual clock.  At one instant ends come
 * before starts, then what belongs to the earlier call; every model call also takes one uncounted tick, so that
 * requests which depend on each other are in order even when nothing takes time.  Results enter a transcript in call
 * order whatever the clock says.
 *
 * All memory is in `keep`, except per-agent scratch that is reused at every turn.  Cost: O(1) amortised per turn and
 * call beyond what the model and the tools do themselves, and reading content once to measure it.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "core/record.h"
#include "engine/agent.h"

/* What the agents of a run do, told while it happens.  `content` is the call's entry: NAME(ARGUMENTS). */
struct run_observer {
    void (*spawned)(void *self, const struct record *record);
    void (*called)(void *self, const struct record *record, struct str content, const struct tool_result *result);
    void (*done)(void *self, const struct record *record);
    void *self;
};

struct run_options {
    struct sizing sizing;
    bool count_schemas;
    uint32_t max_depth;      /* agents at this depth and below have no subagents; 1: only the root may spawn */
    struct economy economy;  /* of agents that have none of their own, nor a parent that has */
    struct hooks hooks; /* of the whole scenario */
    const struct shell *shell; /* behind bash; may be NULL */
    struct arena *keep;
    struct table *names; /* interns tool names for the entries of all runs that share it */
    const struct run_observer *observer; /* may be NULL */
};

/* False with ERR_SCENARIO when a price is missing that a run with these terms would need.  The error names no place. */
MUST_USE bool economy_check(const struct economy *economy, const struct budget *budget, struct err *err);

/* Runs a root agent on a task.  NULL with err if the scenario is at fault. */
struct record *run_root(const struct run_options *options, struct agent_spec *spec, struct str task,
                        struct err *err);

#endif
