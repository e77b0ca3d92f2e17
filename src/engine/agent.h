/* Agent: what an agent is made of, before it runs. */
#ifndef ENGINE_AGENT_H
#define ENGINE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cache.h"
#include "core/pool.h"
#include "core/vclock.h"
#include "engine/contract.h"
#include "engine/hook.h"
#include "engine/model.h"
#include "engine/tool.h"

#define MAX_TURNS_DEFAULT 20
#define MAX_TURNS_LARGEST UINT32_C(4000000000) /* turns are 32-bit in spans */
#define MAX_DEPTH_LARGEST 10 /* a report nests as deeply as its agents do, and their results below that */

struct agent_spec;

/* What a run pays and how long things take.  Each part that is NULL comes from the agent that spawned it, whole. */
struct economy {
    const struct price *price;
    const struct cache_rule *cache;
    const struct latency *latency;
};

/* Makes the agent that answers one invocation.  Called afresh each time, so nothing of an earlier one remains. */
struct agent_factory {
    struct agent_spec *(*make)(const void *self, struct str prompt, struct arena *keep, struct err *err);
    const void *self;
};

struct subagent {
    struct str name;
    struct str description;
    struct str tool; /* offered as a tool of this name; empty: through `task` */
    const struct budget *budget;     /* NULL: the agent's own, or none */
    const struct contract *contract; /* NULL: the agent's own, or none */
    struct agent_factory factory;
};

/* Serves one run. */
struct agent_spec {
    struct str name;
    struct model model;
    const struct tool *const *tools; /* as listed */
    uint32_t tool_count;
    const struct subagent *subagents; /* in byte order of their names */
    uint32_t subagent_count;
    bool has_system;
    struct str system;
    uint32_t max_turns;
    struct workspace *workspace; /* NULL: the files of the agent that spawned it, none for a root */
    struct economy economy;
    const struct budget *budget;     /* NULL: it draws on its parent's pools */
    const struct contract *contract; /* NULL: its final text is what returns */
    struct hooks hooks;
    void (*end)(struct agent_spec *spec); /* told when the run of this spec has ended; may be NULL */
};

#endif
