/* A call: the tool runs when its slot is free, and when all calls of the turn have ended their results are recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/agent_state.h"

void call_start_next(struct agent *agent)
{
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_CALL_START, agent, agent->started++);
}

static const struct tool *find_tool(const struct agent_spec *spec, struct str name)
{
    for (uint32_t i = 0; i < spec->tool_count; i++) {
        if (str_eq(spec->tools[i]->name, name))
            return spec->tools[i];
    }
    return NULL;
}

/* The newest run of a subagent of that name, or NULL. */
static const struct record *find_last(const struct record *parent, struct str name)
{
    const struct record *last = NULL;
    for (const struct record *child = parent->first_child; child; child = child->next) {
        if (str_eq(child->name, name))
            last = child;
    }
    return last;
}

/* "A completion status nobody branches on is a comment": a tool may demand that its evidence is complete. */
static bool is_refused(const struct tool *tool, const struct tool_invocation *call, struct tool_result *outcome)
{
    if (tool->requires_complete.len == 0)
        return false;
    char why[160] = ", which has not run";
    const struct record *last = find_last(call->record, tool->requires_complete);
    if (last && last->ended && record_status(last) == STATUS_COMPLETE)
        return false;
    if (last && !last->ended)
        snprintf(why, sizeof why, ", which is still running");
    else if (last && last->coverage.asked)
        snprintf(why, sizeof why, ", which is %s: %" PRId64 " of %" PRId64 " read", status_name(record_status(last)),
                 last->coverage.read, last->coverage.requested);
    else if (last)
        snprintf(why, sizeof why, ", which is %s: %s", status_name(record_status(last)),
                 stop_reason_name(last->stop_reason));
    struct str before = str_printf(call->scratch, "%.*s needs a complete ", STR_ARG(tool->name));
    tool_fail(call, outcome, before, tool->requires_complete, str_of(why));
    return true;
}

static bool run_tool(struct agent *agent, uint32_t index, const struct tool *tool, struct err *err)
{
    const struct tool_call *call = &agent->turn.calls[index];
    struct tool_invocation invocation = {
        .record = agent->record,
        .turn = transcript_turns(&agent->record->transcript),
        .arguments = call->arguments,
        .tree = agent->tree,
        .sizing = &agent->run->options->sizing,
        .shell = agent->run->options->shell,
        .keep = agent->run->options->keep,
        .scratch = &agent->scratch,
    };
    struct tool_result *outcome = &agent->outcomes[index];
    outcome->size = -1;
    if (!tool) {
        tool_fail(&invocation, outcome, STR("unknown tool "), call->name, (struct str){0});
        return true;
    }
    return is_refused(tool, &invocation, outcome) || tool->run(tool->self, &invocation, outcome, err);
}

static void replace_arguments(struct agent *agent, uint32_t index, const struct value *arguments)
{
    uint32_t count = agent->turn.call_count;
    struct tool_call *calls = arena_array(&agent->scratch, struct tool_call, count);
    memcpy(calls, agent->turn.calls, count * sizeof *calls);
    calls[index].arguments = arguments; /* what was recorded stays as the model said it */
    agent->turn.calls = calls;
}

/* Asks the hooks.  A blocked call has its outcome: the reason. */
static bool ask_hooks(struct agent *agent, uint32_t index, struct err *err)
{
    if (!agent->record->hooks.any)
        return true;
    struct hook_call call = agent_hook_call(agent, HOOK_PRE_TOOL_USE);
    struct hook_answer answer;
    call.tool = agent->turn.calls[index].name;
    call.arguments = agent->turn.calls[index].arguments;
    if (!hook_run(&agent->hooks, &call, &agent->record->hooks, &answer, err))
        return false;
    if (answer.replace)
        replace_arguments(agent, index, answer.replace);
    if (answer.block.data)
        agent->outcomes[index] =
            (struct tool_result){.content = answer.block, .size = -1, .failed = true, .blocked = true};
    return true;
}

static bool start_tool(struct agent *agent, uint32_t index, struct instant *end, struct err *err)
{
    const struct tool *tool = find_tool(agent->spec, agent->turn.calls[index].name);
    if (!run_tool(agent, index, tool, err))
        return false;
    int64_t duration_us = economy_call_us(agent, tool);
    economy_book_call(agent, duration_us);
    end->us = checked_add(end->us, duration_us);
    return true;
}

bool call_start(struct agent *agent, uint32_t index, struct err *err)
{
    struct run *run = agent->run;
    struct instant end = run->sched.now;
    if (!ask_hooks(agent, index, err))
        return false;
    if (!agent->outcomes[index].blocked) {
        switch (task_start(agent, index, err)) {
        case TASK_FAILED:
            return false;
        case TASK_SPAWNED:
            return true;
        case TASK_REFUSED:
            break;
        case TASK_NO:
            if (!start_tool(agent, index, &end, err))
                return false;
            break;
        }
    }
    sched_add(&run->sched, end, EVENT_CALL_END, agent, index);
    return true;
}

static bool tell_hooks(struct agent *agent, uint32_t index, struct err *err)
{
    struct hook_call call = agent_hook_call(agent, HOOK_POST_TOOL_USE);
    struct hook_answer answer;
    if (agent->outcomes[index].blocked || !agent->record->hooks.any)
        return true;
    call.tool = agent->turn.calls[index].name;
    call.arguments = agent->turn.calls[index].arguments;
    call.result = agent->outcomes[index].content;
    return hook_run(&agent->hooks, &call, &agent->record->hooks, &answer, err);
}

static void observe_call(const struct agent *agent, uint32_t index)
{
    const struct run_observer *observer = agent->run->options->observer;
    if (!observer)
        return;
    const struct pending *entry = &agent->pending[index + (agent->turn.text.len > 0)];
    observer->called(observer->self, agent->record, entry->content, &agent->outcomes[index]);
}

static void count_result(struct agent *agent, uint32_t index, int64_t size)
{
    struct record *record = agent->record;
    const struct contract *contract = agent->contract;
    if (agent->outcomes[index].blocked)
        return; /* no tool ran */
    record->account.tool_calls++;
    record->account.results_size = checked_add(record->account.results_size, size);
    if (contract && contract->wants_coverage && !agent->outcomes[index].failed &&
        str_eq(agent->turn.calls[index].name, contract->coverage_tool))
        record->coverage.read++;
}

/* Results enter in call order, whatever order the calls ended in. */
static void append_results(struct agent *agent)
{
    struct transcript *transcript = &agent->record->transcript;
    uint32_t texts = agent->turn.text.len > 0;
    agent->first_result = transcript_entries(transcript);
    agent->result_count = agent->turn.call_count;
    for (uint32_t i = 0; i < agent->turn.call_count; i++) {
        const struct tool_result *outcome = &agent->outcomes[i];
        int64_t size = outcome->size >= 0 ? outcome->size : sizing_of(transcript->sizing, outcome->content);
        uint32_t entry = transcript_append_sized(transcript, ROLE_TOOL_RESULT, agent->pending[i + texts].name,
                                                 outcome->content, size);
        if (outcome->failed)
            transcript_entry(transcript, entry)->flags |= ENTRY_FAILED;
        count_result(agent, i, size);
    }
}

bool call_end(struct agent *agent, uint32_t index, struct err *err)
{
    observe_call(agent, index);
    if (!tell_hooks(agent, index, err))
        return false;
    agent->ended++;
    if (agent->started < agent->turn.call_count)
        call_start_next(agent);
    if (agent->ended < agent->turn.call_count)
        return true;
    append_results(agent);
    economy_end_calls(agent);
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_TURN_START, agent, 0);
    return true;
}
