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
        agent_finish(agent, STOP_REASON_MAX_TURNS, (struct str){0}, NULL);
        return true;
    }
    arena_reset(&agent->scratch);
    transcript_begin_turn(transcript);
    switch (ask(agent, err)) {
    case MODEL_FAILED:
        return false;
    case MODEL_EXHAUSTED:
        transcript_cancel_turn(transcript);
        agent_finish(agent, STOP_REASON_SCRIPT_EXHAUSTED, (struct str){0}, NULL);
        return true;
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

static void stop(struct agent *agent)
{
    const struct value *result = NULL;
    if (!agent->contract) {
        agent_finish(agent, STOP_REASON_STOP, agent->turn.text, NULL);
        return;
    }
    switch (contract_judge(agent, &result)) {
    case CONTRACT_MET:
        agent_finish(agent, STOP_REASON_STOP, agent->turn.text, result);
        return;
    case CONTRACT_BROKEN:
        agent_finish(agent, STOP_REASON_CONTRACT_VIOLATION, (struct str){0}, NULL);
        return;
    case CONTRACT_RETRIED:
        return;
    }
}

void turn_end(struct agent *agent)
{
    struct run *run = agent->run;
    append_turn(agent);
    if (!economy_book_turn(agent)) {
        agent_finish(agent, STOP_REASON_BUDGET_EXHAUSTED, (struct str){0}, NULL);
        return;
    }
    if (agent->turn.stop) {
        stop(agent);
        return;
    }
    agent->started = agent->ended = agent->result_count = 0;
    uint32_t count = agent->turn.call_count;
    if (count == 0) {
        sched_add(&run->sched, run->sched.now, EVENT_TURN_START, agent, 0);
        return;
    }
    agent->outcomes = arena_array(&agent->scratch, struct tool_result, count);
    while (agent->started < count && agent->started < agent->latency->parallel_calls)
        call_start_next(agent);
}
