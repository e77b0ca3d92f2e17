/* Agent state: one agent while it runs, and the run it belongs to; shared by the files of this folder only. */
#ifndef ENGINE_AGENT_STATE_H
#define ENGINE_AGENT_STATE_H

#include "base/arena.h"
#include "engine/run.h"
#include "engine/sched.h"

struct run {
    const struct run_options *options;
    struct arena memory; /* queue and agents; given back when the run ends */
    struct sched sched;
    struct agent *live; /* all agents that have not ended, newest first */
    struct agent *idle; /* ended ones, to be used again with their scratch */
};

struct agent {
    struct run *run;
    struct record *record;
    struct agent_spec *spec;
    struct workspace *workspace;
    struct str prompt;
    struct agent *parent;
    uint32_t parent_call; /* which call of the parent's turn waits for this agent */
    struct agent *previous, *next; /* in `live`; `next` also links `idle` */
    void *model; /* instance */
    struct arena scratch; /* reset at every turn */
    struct turn turn;
    struct tool_result *outcomes; /* of the turn's calls */
    uint32_t started, ended;      /* calls of the turn */
    uint32_t first_result, result_count; /* entries of the last turn's results */
};

/* A new agent whose opening entries stand and whose first turn is scheduled for now.  NULL with err. */
struct agent *agent_start(struct run *run, struct agent_spec *spec, struct record *record,
                          struct workspace *workspace, struct str prompt, struct agent *parent, struct err *err);

/* True if the agent may spawn: it has subagents and its depth allows them. */
bool agent_spawns(const struct agent *agent);

/* Appends the opening entries: tools (when schemas count), system, user. */
void opening_append(const struct agent *agent);

/* True if a call of this name spawns: `task` or the tool of a subagent.  Goes before a listed tool of the name. */
bool task_takes(const struct agent *agent, struct str tool);

enum task_started {
    TASK_NO,      /* the call names no subagent's tool: not a task */
    TASK_SPAWNED, /* the outcome comes when the child ends */
    TASK_REFUSED, /* the outcome is there */
    TASK_FAILED   /* the scenario is at fault */
};

/* If the call is `task` or the tool of a subagent, starts the child. */
enum task_started task_start(struct agent *agent, uint32_t call, struct err *err);

/* What the parent reads of a child that ended. */
void task_outcome(const struct agent *child, struct tool_result *outcome);

#endif
