/* The subagent tool: which subagent a call means, how it starts, and what its parent reads when it ends. */
#include <inttypes.h>
#include <stdio.h>

#include "base/value.h"
#include "engine/agent_state.h"

/* Few subagents have tools of their own; most designs have none. */
static const struct subagent *find_tool_subagent(const struct agent *agent, struct str tool)
{
    const struct agent_spec *spec = agent->spec;
    for (uint32_t i = 0; i < spec->subagent_count && agent->task_subagents < spec->subagent_count; i++) {
        if (spec->subagents[i].tool.len && str_eq(spec->subagents[i].tool, tool))
            return &spec->subagents[i];
    }
    return NULL;
}

/* O(log n): there may be one for each part of a large work. */
static const struct subagent *find_named(const struct agent_spec *spec, struct str name)
{
    uint32_t low = 0;
    uint32_t high = spec->subagent_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_cmp(spec->subagents[middle].name, name);
        if (order == 0)
            return spec->subagents[middle].tool.len ? NULL : &spec->subagents[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void task_begin(struct agent *agent)
{
    const struct agent_spec *spec = agent->spec;
    agent->task_subagents = 0;
    for (uint32_t i = 0; i < spec->subagent_count; i++) {
        CHECK(i == 0 || str_cmp(spec->subagents[i - 1].name, spec->subagents[i].name) < 0);
        if (spec->subagents[i].tool.len)
            continue;
        agent->only_subagent = &spec->subagents[i];
        agent->task_subagents++;
    }
}

static void refuse(struct agent *agent, uint32_t call, struct str before, struct str name, struct str after)
{
    struct tool_invocation invocation = {.keep = agent->run->options->keep};
    tool_fail(&invocation, &agent->outcomes[call], before, name, after);
}

/* The subagent of a `task` call; NULL with the refusal as the outcome. */
static const struct subagent *named_by_arguments(struct agent *agent, uint32_t index)
{
    const struct tool_call *call = &agent->turn.calls[index];
    const struct subagent *subagent = agent->only_subagent;
    struct str name;
    if (!tool_string_argument(call->arguments, STR("subagent"), &name)) {
        refuse(agent, index, STR("task: subagent must be a string"), (struct str){0}, (struct str){0});
        return NULL;
    }
    /* A single subagent need not be named; an empty name is a wrong one. */
    if (value_find(call->arguments, STR("subagent")) || agent->task_subagents != 1)
        subagent = find_named(agent->spec, name);
    if (!subagent)
        refuse(agent, index, STR("unknown subagent "), name, (struct str){0});
    return subagent;
}

/* `prompt`, or `description`, its other name. */
static bool find_prompt(struct agent *agent, uint32_t index, struct str *prompt)
{
    const struct tool_call *call = &agent->turn.calls[index];
    struct str wrong = STR(": prompt must be a string");
    if (tool_string_argument(call->arguments, STR("prompt"), prompt)) {
        if (prompt->len || tool_string_argument(call->arguments, STR("description"), prompt))
            return true;
        wrong = STR(": description must be a string");
    }
    refuse(agent, index, call->name, wrong, (struct str){0});
    return false;
}

static enum task_started spawn(struct agent *agent, uint32_t index, const struct subagent *subagent, struct str prompt,
                               struct err *err)
{
    const struct run_options *options = agent->run->options;
    struct str kept = str_copy(options->keep, prompt);
    struct agent_spec *spec = subagent->factory.make(subagent->factory.self, kept, options->keep, err);
    if (!spec)
        return TASK_FAILED;
    struct order order = {
        .spec = spec,
        .tree = spec->workspace ? run_tree(agent->run, spec->workspace) : agent->tree,
        .prompt = kept,
        .parent = agent,
        .parent_call = index,
        .budget = spec->budget ? spec->budget : subagent->budget,
        .contract = spec->contract ? spec->contract : subagent->contract,
    };
    if (!economy_reserve(agent, order.budget, index)) {
        if (spec->end)
            spec->end(spec);
        return TASK_REFUSED;
    }
    struct record *record = record_new(options->keep, agent->record, subagent->name, &options->sizing);
    if (!agent_start(agent->run, record, &order, err))
        return TASK_FAILED;
    if (options->observer)
        options->observer->spawned(options->observer->self, record);
    return TASK_SPAWNED;
}

bool task_takes(const struct agent *agent, struct str tool)
{
    if (agent->spec->subagent_count == 0 || !agent_spawns(agent))
        return false;
    return find_tool_subagent(agent, tool) || (str_eq(tool, STR("task")) && agent->task_subagents > 0);
}

enum task_started task_start(struct agent *agent, uint32_t index, struct err *err)
{
    const struct tool_call *call = &agent->turn.calls[index];
    if (!task_takes(agent, call->name))
        return TASK_NO;
    const struct subagent *subagent = find_tool_subagent(agent, call->name);
    if (!subagent)
        subagent = named_by_arguments(agent, index);
    struct str prompt;
    if (!subagent || !find_prompt(agent, index, &prompt))
        return TASK_REFUSED;
    return spawn(agent, index, subagent, prompt, err);
}

void task_outcome(const struct agent *child, const struct value *result, struct tool_result *outcome)
{
    const struct record *record = child->record;
    if (child->contract) {
        struct str envelope = contract_envelope(child->run->options->keep, record, result);
        bool aborted = record_status(record) == STATUS_ABORTED;
        *outcome = (struct tool_result){.content = envelope, .size = -1, .failed = aborted};
        return;
    }
    if (record->stop_reason == STOP_REASON_STOP) {
        *outcome = (struct tool_result){.content = record->final_text, .size = -1};
        return;
    }
    struct tool_invocation invocation = {.keep = child->run->options->keep};
    char why[64];
    snprintf(why, sizeof why, " stopped: %s", stop_reason_name(record->stop_reason));
    if (record->stop_reason == STOP_REASON_MAX_TURNS)
        snprintf(why, sizeof why, " stopped: max_turns (%" PRIu32 ") reached", record->max_turns);
    tool_fail(&invocation, outcome, STR("subagent "), record->name, str_of(why));
}
