/* A turn: the model is asked, its answer is billed, and when it has ended it is recorded and acted on. */
#include "base/value.h"
#include "engine/agent_state.h"
#include "engine/scripted.h"

static enum model_answer ask(struct agent *agent, struct err *err)
{
    struct run *run = agent->run;
    struct request request = {
        .record = agent->record,
        .prompt = agent->prompt,
        .turn = transcript_turns(&agent->record->transcript),
        .first_result = agent->first_result,
        .result_count = agent->result_count,
        .keep = run->options->keep,
        .scratch = &agent->scratch,
    };
    return agent->spec->model.ops->ask(agent->model, &request, &agent->turn, err);
}

/* Measures what the turn will append, once: the size decides how long the answer takes and what it costs. */
static void prepare(struct agent *agent)
{
    const struct run_options *options = agent->run->options;
    const struct turn *turn = &agent->turn;
    uint32_t count = 0;
    agent->pending = arena_array(&agent->scratch, struct pending, (size_t)turn->call_count + 1);
    if (turn->text.len)
        agent->pending[count++] =
            (struct pending){.content = turn->text, .size = sizing_of(&options->sizing, turn->text), .name = NAME_NONE};
    for (uint32_t i = 0; i < turn->call_count; i++) {
        const struct tool_call *call = &turn->calls[i];
        struct str content = call->content;
        if (!content.data)
            content = tool_call_content(options->keep, call->name, call->arguments);
        agent->pending[count++] = (struct pending){
            .content = content,
            .size = sizing_of(&options->sizing, content),
            .name = table_add(options->names, call->name),
        };
    }
}

bool turn_start(struct agent *agent, struct err *err)
{
    struct run *run = agent->run;
    struct transcript *transcript = &agent->record->transcript;
    if (transcript_turns(transcript) == agent->spec->max_turns) {
        return agent_finish(agent, &(struct ending){.reason = STOP_REASON_MAX_TURNS}, err);
    }
    arena_reset(&agent->scratch);
    transcript_begin_turn(transcript);
    switch (ask(agent, err)) {
    case MODEL_FAILED:
        return false;
    case MODEL_EXHAUSTED:
        transcript_cancel_turn(transcript);
        return agent_finish(agent, &(struct ending){.reason = STOP_REASON_SCRIPT_EXHAUSTED}, err);
    case MODEL_TURN:
        break;
    }
    prepare(agent);
    economy_bill_turn(agent);
    struct instant end = {checked_add(run->sched.now.us, agent->turn_us), run->sched.now.ticks + 1};
    sched_add(&run->sched, end, EVENT_TURN_END, agent, 0);
    return true;
}

static void append_turn(struct agent *agent)
{
    struct transcript *transcript = &agent->record->transcript;
    uint32_t texts = agent->turn.text.len > 0;
    for (uint32_t i = 0; i < texts + agent->turn.call_count; i++) {
        const struct pending *entry = &agent->pending[i];
        enum role role = i < texts ? ROLE_ASSISTANT : ROLE_TOOL_CALL;
        transcript_append_sized(transcript, role, entry->name, entry->content, entry->size);
    }
}

/* The final answer stands, unless a Stop hook of a root sends the agent on. */
static bool accept(struct agent *agent, const struct value *result, struct err *err)
{
    struct hook_answer answer = {0};
    if (!agent->parent) {
        struct hook_call call = agent_hook_call(agent, HOOK_STOP);
        call.result = agent->turn.text;
        call.sent_on = agent->sent_on;
        if (!hook_run(&agent->hooks, &call, &agent->record->hooks, &answer, err))
            return false;
    }
    if (!answer.proceed.data)
        return agent_finish(agent, &(struct ending){STOP_REASON_STOP, agent->turn.text, result}, err);
    transcript_append(&agent->record->transcript, ROLE_USER, NAME_NONE, answer.proceed);
    agent->sent_on = true;
    agent->result_count = 0;
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_TURN_START, agent, 0);
    return true;
}

static bool stop(struct agent *agent, struct err *err)
{
    const struct value *result = NULL;
    if (!agent->contract)
        return accept(agent, NULL, err);
    switch (contract_judge(agent, &result)) {
    case CONTRACT_MET:
        return accept(agent, result, err);
    case CONTRACT_BROKEN:
        return agent_finish(agent, &(struct ending){.reason = STOP_REASON_CONTRACT_VIOLATION}, err);
    case CONTRACT_RETRIED:
        return true;
    }
    UNREACHABLE();
    return false;
}

bool turn_end(struct agent *agent, struct err *err)
{
    struct run *run = agent->run;
    append_turn(agent);
    if (!economy_book_turn(agent))
        return agent_finish(agent, &(struct ending){.reason = STOP_REASON_BUDGET_EXHAUSTED}, err);
    if (agent->turn.stop)
        return stop(agent, err);
    agent->started = agent->ended = agent->result_count = 0;
    uint32_t count = agent->turn.call_count;
    if (count == 0) {
        sched_add(&run->sched, run->sched.now, EVENT_TURN_START, agent, 0);
        return true;
    }
    agent->outcomes = arena_array(&agent->scratch, struct tool_result, count);
    while (agent->started < count && agent->started < agent->latency->parallel_calls)
        call_start_next(agent);
    return true;
}
