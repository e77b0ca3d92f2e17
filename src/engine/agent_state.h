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
    struct cache_scope cache; /* of all agents whose rule shares */
    struct hook_chain hooks; /* the scenario's */
    struct chunks trees; /* struct worktree *: one for each workspace that an agent of the run names */
    struct agent *live; /* all agents that have not ended, newest first */
    struct agent *idle; /* ended ones, to be used again with their scratch */
};

struct agent {
    struct run *run;
    struct record *record;
    struct agent_spec *spec;
    struct worktree *tree;
    struct str prompt;
    struct agent *parent;
    uint32_t parent_call; /* which call of the parent's turn waits for this agent */
    struct agent *previous, *next; /* in `live`; `next` also links `idle` */
    uint32_t task_subagents;              /* how many of its subagents go through `task` … */
    const struct subagent *only_subagent; /* … and the last of them */
    void *model; /* instance */
    const struct contract *contract; /* NULL: none */
    struct hook_chain hooks;
    struct economy economy;
    const struct latency *latency; /* the economy's, or none */
    struct cache_rule cache_rule;  /* the economy's with its minimum settled, or off */
    struct cache_reader cache;
    struct pool *pools[RESOURCES];  /* what it charges: its own, or an ancestor's; NULL = nothing limits it */
    int64_t allocated[RESOURCES];   /* reserved from the parent's pools for its own; POOL_UNLIMITED = not limited */
    struct cache_answer bill;       /* of the turn under way */
    struct instant turn_begin;
    int64_t turn_us;                /* how long its model call lasts */
    int64_t longest_call_us;        /* of the turn's calls, with unlimited slots */
    struct pending *pending;        /* what the turn will append */
    struct arena scratch; /* reset at every turn */
    struct turn turn;
    struct tool_result *outcomes; /* of the turn's calls */
    uint32_t started, ended;      /* calls of the turn */
    bool sent_on;                 /* by a Stop hook, at least once */
    uint32_t first_result, result_count; /* entries of the last turn's results */
};

/* An entry that the turn under way appends when it ends.  It is measured when the model answers, because the size
 * decides how long the answer takes. */
struct pending {
    struct str content;
    int64_t size;
    uint32_t name; /* NAME_NONE: the assistant's text */
};

/* What an agent is started with. */
struct order {
    struct agent_spec *spec;
    struct worktree *tree;
    struct str prompt;
    struct agent *parent; /* NULL for a root */
    uint32_t parent_call; /* which call of the parent's turn waits for it */
    const struct budget *budget;     /* its own, or what its parent set on the subagent; may be NULL */
    const struct contract *contract; /* likewise */
};

/* A new agent whose opening entries stand and whose first turn is scheduled for now.  NULL with err. */
struct agent *agent_start(struct run *run, struct record *record, const struct order *order, struct err *err);

/* How a run ends. */
struct ending {
    enum stop_reason reason;
    struct str final_text;
    const struct value *result; /* what its contract accepted, or NULL */
};

/* Ends the agent's run.  This and all below are false with err when the scenario is at fault. */
MUST_USE bool agent_finish(struct agent *agent, const struct ending *ending, struct err *err);

/* What each event does. */
MUST_USE bool turn_start(struct agent *agent, struct err *err);
MUST_USE bool turn_end(struct agent *agent, struct err *err);
MUST_USE bool call_start(struct agent *agent, uint32_t call, struct err *err);
MUST_USE bool call_end(struct agent *agent, uint32_t call, struct err *err);
void call_start_next(struct agent *agent);

/* What every hook of the agent is told of an event; the caller adds what belongs to it. */
struct hook_call agent_hook_call(const struct agent *agent, enum hook_event event);

/* The files of a workspace as the agents of this run see them; the same for all that name it. */
struct worktree *run_tree(struct run *run, struct workspace *workspace);

/* True if the agent may spawn: it has subagents and its depth allows them. */
bool agent_spawns(const struct agent *agent);

/* Appends the opening entries: tools (when schemas count), system, user. */
void opening_append(const struct agent *agent);

/* Counts what can be spawned.  O(subagents). */
void task_begin(struct agent *agent);

/* True if a call of this name spawns: `task` or the tool of a subagent.  Goes before a listed tool of the name. */
bool task_takes(const struct agent *agent, struct str tool);

enum task_started {
    TASK_NO,      /* the call names no subagent's tool: not a task */
    TASK_SPAWNED, /* the outcome comes when the child ends */
    TASK_REFUSED, /* the outcome is there */
    TASK_FAILED   /* the scenario is at fault */
};

/* Takes the contract over (contract.c). */
void contract_begin(struct agent *agent, const struct contract *contract);

/* What a run spends and how long it takes (economy.c). */

/* Takes over what the spec leaves out from the parent, and takes the budget's pools.  False with ERR_SCENARIO when
 * a price is missing that the run would need. */
MUST_USE bool economy_begin(struct agent *agent, const struct budget *budget, struct err *err);

/* Bills the turn that the model has just answered; sets `bill` and `turn_us`. */
void economy_bill_turn(struct agent *agent);

/* Books the turn that ended.  False if a pool is over now. */
bool economy_book_turn(struct agent *agent);

/* How long a call lasts, and what its end means for work and critical path. */
int64_t economy_call_us(const struct agent *agent, const struct tool *tool);
void economy_book_call(struct agent *agent, int64_t duration_us);
void economy_book_child(struct agent *agent, const struct account *child);
void economy_end_calls(struct agent *agent);

/* Reserves a child's allocation from the parent's pools.  False, with the refusal as the call's outcome and nothing
 * reserved, if it does not fit. */
bool economy_reserve(struct agent *agent, const struct budget *budget, uint32_t call);

/* Charges what a child used, and gives back the rest. */
void economy_settle(struct agent *child);

/* If the call is `task` or the tool of a subagent, starts the child. */
enum task_started task_start(struct agent *agent, uint32_t call, struct err *err);

/* What the parent reads of a child that ended. */
void task_outcome(const struct agent *child, const struct value *result, struct tool_result *outcome);

#endif
