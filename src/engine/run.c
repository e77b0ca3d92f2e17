/* The loop: what each event does to the agent it belongs to. */
#include "engine/run.h"

#include "engine/agent_state.h"

bool agent_spawns(const struct agent *agent)
{
    return agent->spec->subagent_count > 0 && agent->record->depth < agent->run->options->max_depth;
}

struct worktree *run_tree(struct run *run, struct workspace *workspace)
{
    for (uint32_t i = 0; i < run->trees.count; i++) {
        struct worktree *tree = *(struct worktree **)chunks_at(&run->trees, i);
        if (tree->workspace == workspace)
            return tree;
    }
    struct worktree *tree = worktree_new(run->options->keep, workspace);
    *(struct worktree **)chunks_add(&run->trees) = tree;
    return tree;
}

static struct agent *take_idle(struct run *run)
{
    struct agent *agent = run->idle;
    if (!agent) {
        agent = arena_new(&run->memory, struct agent);
        arena_init(&agent->scratch);
        return agent;
    }
    run->idle = agent->next;
    struct arena scratch = agent->scratch;
    *agent = (struct agent){.scratch = scratch};
    return agent;
}

static void link_live(struct run *run, struct agent *agent)
{
    agent->next = run->live;
    if (run->live)
        run->live->previous = agent;
    run->live = agent;
}

static void retire(struct agent *agent)
{
    struct run *run = agent->run;
    if (agent->model && agent->spec->model.ops->end)
        agent->spec->model.ops->end(agent->model);
    if (agent->spec->end)
        agent->spec->end(agent->spec);
    if (agent->previous)
        agent->previous->next = agent->next;
    else
        run->live = agent->next;
    if (agent->next)
        agent->next->previous = agent->previous;
    arena_reset(&agent->scratch);
    agent->next = run->idle;
    run->idle = agent;
}

static bool has_hooks(const struct hooks *hooks)
{
    for (int i = 0; i < HOOK_EVENTS; i++) {
        if (hooks->count[i])
            return true;
    }
    return false;
}

static void begin_hooks(struct agent *agent, const struct agent_spec *spec)
{
    const struct agent *parent = agent->parent;
    agent->hooks = (struct hook_chain){parent ? &parent->hooks : &agent->run->hooks, &spec->hooks};
    bool outer = parent ? parent->record->hooks.any : has_hooks(&agent->run->options->hooks);
    agent->record->hooks.any = outer || has_hooks(&spec->hooks);
}

struct agent *agent_start(struct run *run, struct record *record, const struct order *order, struct err *err)
{
    const struct model *model = &order->spec->model;
    struct agent *agent = take_idle(run);
    agent->run = run;
    agent->record = record;
    agent->spec = order->spec;
    agent->tree = record->tree = order->tree;
    agent->prompt = order->prompt;
    agent->parent = order->parent;
    begin_hooks(agent, order->spec);
    agent->parent_call = order->parent_call;
    record->max_turns = order->spec->max_turns;
    link_live(run, agent);
    contract_begin(agent, order->contract);
    task_begin(agent);
    if (!economy_begin(agent, order->budget, err))
        return NULL;
    agent->model = model->ops->begin(model->self, record, run->options->keep, err);
    if (!agent->model)
        return NULL;
    opening_append(agent);
    sched_add(&run->sched, run->sched.now, EVENT_TURN_START, agent, 0);
    return agent;
}

struct hook_call agent_hook_call(const struct agent *agent, enum hook_event event)
{
    return (struct hook_call){
        .event = event,
        .record = agent->record,
        .turn = transcript_turns(&agent->record->transcript),
        .keep = agent->run->options->keep,
        .scratch = (struct arena *)&agent->scratch,
    };
}

static void report_to_parent(struct agent *agent, const struct value *result)
{
    struct run *run = agent->run;
    economy_settle(agent);
    economy_book_child(agent->parent, &agent->record->account);
    task_outcome(agent, result, &agent->parent->outcomes[agent->parent_call]);
    sched_add(&run->sched, run->sched.now, EVENT_CALL_END, agent->parent, agent->parent_call);
}

bool agent_finish(struct agent *agent, const struct ending *ending, struct err *err)
{
    struct run *run = agent->run;
    struct record *record = agent->record;
    record->stop_reason = ending->reason;
    record->final_text = ending->final_text;
    record->result = ending->result;
    record->ended = true;
    record->account.end_us = run->sched.now.us;
#ifdef SIMAGENT_AUDIT
    transcript_check(&record->transcript);
#endif
    if (run->options->observer)
        run->options->observer->done(run->options->observer->self, record);
    if (agent->parent) {
        struct hook_call call = agent_hook_call(agent, HOOK_SUBAGENT_STOP);
        struct hook_answer answer;
        call.result = ending->final_text;
        if (!hook_run(&agent->hooks, &call, &record->hooks, &answer, err))
            return false;
        report_to_parent(agent, ending->result);
    }
    retire(agent);
    return true;
}

static bool handle(const struct event *event, struct err *err)
{
    switch (event->kind) {
    case EVENT_TURN_START:
        return turn_start(event->agent, err);
    case EVENT_TURN_END:
        return turn_end(event->agent, err);
    case EVENT_CALL_START:
        return call_start(event->agent, event->call, err);
    case EVENT_CALL_END:
        return call_end(event->agent, event->call, err);
    }
    UNREACHABLE();
    return false;
}

static void close_run(struct run *run)
{
    while (run->live)
        retire(run->live);
    for (struct agent *agent = run->idle; agent; agent = agent->next)
        arena_close(&agent->scratch);
    arena_close(&run->memory);
}

static bool submit_prompt(struct agent *root, struct err *err)
{
    struct hook_call call = agent_hook_call(root, HOOK_USER_PROMPT_SUBMIT);
    struct hook_answer answer;
    call.prompt = root->prompt;
    return hook_run(&root->hooks, &call, &root->record->hooks, &answer, err);
}

struct record *run_root(const struct run_options *options, struct agent_spec *spec, struct str task,
                        struct err *err)
{
    struct run run = {.options = options, .hooks = {.hooks = &options->hooks}};
    arena_init(&run.memory);
    sched_init(&run.sched, &run.memory);
    cache_scope_init(&run.cache, &run.memory);
    chunks_init(&run.trees, &run.memory, sizeof(struct worktree *));
    struct record *record = record_new(options->keep, NULL, spec->name, &options->sizing);
    struct order order = {
        .spec = spec,
        .tree = run_tree(&run, spec->workspace),
        .prompt = task,
        .budget = spec->budget,
        .contract = spec->contract,
    };
    struct agent *root = agent_start(&run, record, &order, err);
    bool fine = root && submit_prompt(root, err);
    struct event event;
    while (fine && sched_take(&run.sched, &event))
        fine = handle(&event, err);
    close_run(&run);
    return fine ? record : NULL;
}
