/* The loop: what each event does to the agent it belongs to. */
#include "engine/run.h"

#include "engine/agent_state.h"
#include "engine/scripted.h"

bool agent_spawns(const struct agent *agent)
{
    return agent->spec->subagent_count > 0 && agent->record->depth < agent->run->options->max_depth;
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

struct agent *agent_start(struct run *run, struct agent_spec *spec, struct record *record,
                          struct workspace *workspace, struct str prompt, struct agent *parent, struct err *err)
{
    struct agent *agent = take_idle(run);
    agent->run = run;
    agent->spec = spec;
    agent->record = record;
    agent->workspace = workspace;
    agent->prompt = prompt;
    agent->parent = parent;
    record->max_turns = spec->max_turns;
    link_live(run, agent);
    agent->model = spec->model.ops->begin(spec->model.self, record, run->options->keep, err);
    if (!agent->model)
        return NULL;
    opening_append(agent);
    sched_add(&run->sched, run->sched.now, EVENT_TURN_START, agent, 0);
    return agent;
}

static void finish(struct agent *agent, enum stop_reason reason, struct str final_text)
{
    struct run *run = agent->run;
    struct record *record = agent->record;
    record->stop_reason = reason;
    record->final_text = final_text;
#ifdef SIMAGENT_AUDIT
    transcript_check(&record->transcript);
#endif
    if (run->options->observer)
        run->options->observer->done(run->options->observer->self, record);
    if (agent->parent) {
        task_outcome(agent, &agent->parent->outcomes[agent->parent_call]);
        sched_add(&run->sched, run->sched.now, EVENT_CALL_END, agent->parent, agent->parent_call);
    }
    retire(agent);
}

static bool start_turn(struct agent *agent, struct err *err)
{
    struct run *run = agent->run;
    struct transcript *transcript = &agent->record->transcript;
    if (transcript_turns(transcript) == agent->spec->max_turns) {
        finish(agent, STOP_REASON_MAX_TURNS, (struct str){0});
        return true;
    }
    arena_reset(&agent->scratch);
    transcript_begin_turn(transcript);
    struct request request = {
        .record = agent->record,
        .prompt = agent->prompt,
        .turn = transcript_turns(transcript),
        .first_result = agent->first_result,
        .result_count = agent->result_count,
        .keep = run->options->keep,
        .scratch = &agent->scratch,
    };
    switch (agent->spec->model.ops->ask(agent->model, &request, &agent->turn, err)) {
    case MODEL_FAILED:
        return false;
    case MODEL_EXHAUSTED:
        transcript_cancel_turn(transcript);
        finish(agent, STOP_REASON_SCRIPT_EXHAUSTED, (struct str){0});
        return true;
    case MODEL_TURN:
        break;
    }
    struct instant end = {run->sched.now.us, run->sched.now.ticks + 1};
    sched_add(&run->sched, end, EVENT_TURN_END, agent, 0);
    return true;
}

static void append_turn(struct agent *agent)
{
    const struct run_options *options = agent->run->options;
    struct transcript *transcript = &agent->record->transcript;
    if (agent->turn.text.len)
        transcript_append(transcript, ROLE_ASSISTANT, NAME_NONE, agent->turn.text);
    for (uint32_t i = 0; i < agent->turn.call_count; i++) {
        const struct tool_call *call = &agent->turn.calls[i];
        struct str content = call->content;
        if (!content.data)
            content = tool_call_content(options->keep, call->name, call->arguments);
        transcript_append(transcript, ROLE_TOOL_CALL, table_add(options->names, call->name), content);
    }
}

static void start_next_call(struct agent *agent)
{
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_CALL_START, agent, agent->started++);
}

static void end_turn(struct agent *agent)
{
    struct run *run = agent->run;
    append_turn(agent);
    if (agent->turn.stop) {
        finish(agent, STOP_REASON_STOP, agent->turn.text);
        return;
    }
    agent->started = agent->ended = agent->result_count = 0;
    uint32_t count = agent->turn.call_count;
    if (count == 0) {
        sched_add(&run->sched, run->sched.now, EVENT_TURN_START, agent, 0);
        return;
    }
    agent->outcomes = arena_array(&agent->scratch, struct tool_result, count);
    while (agent->started < count && agent->started < run->options->parallel_calls)
        start_next_call(agent);
}

static const struct tool *find_tool(const struct agent_spec *spec, struct str name)
{
    for (uint32_t i = 0; i < spec->tool_count; i++) {
        if (str_eq(spec->tools[i]->name, name))
            return spec->tools[i];
    }
    return NULL;
}

static bool run_tool(struct agent *agent, uint32_t index, struct err *err)
{
    const struct tool_call *call = &agent->turn.calls[index];
    struct tool_invocation invocation = {
        .record = agent->record,
        .turn = transcript_turns(&agent->record->transcript),
        .arguments = call->arguments,
        .workspace = agent->workspace,
        .sizing = &agent->run->options->sizing,
        .keep = agent->run->options->keep,
        .scratch = &agent->scratch,
    };
    struct tool_result *outcome = &agent->outcomes[index];
    outcome->size = -1;
    const struct tool *tool = find_tool(agent->spec, call->name);
    if (!tool) {
        tool_fail(&invocation, outcome, STR("unknown tool "), call->name, (struct str){0});
        return true;
    }
    return tool->run(tool->self, &invocation, outcome, err);
}

static bool start_call(struct agent *agent, uint32_t index, struct err *err)
{
    struct run *run = agent->run;
    switch (task_start(agent, index, err)) {
    case TASK_FAILED:
        return false;
    case TASK_SPAWNED:
        return true;
    case TASK_NO:
        if (!run_tool(agent, index, err))
            return false;
        break;
    case TASK_REFUSED:
        break;
    }
    sched_add(&run->sched, run->sched.now, EVENT_CALL_END, agent, index);
    return true;
}

/* The turn's calls are the last entries as long as its results are not there, whether or not the model had their
 * content ready. */
static void observe_call(const struct agent *agent, uint32_t index)
{
    const struct run_observer *observer = agent->run->options->observer;
    if (!observer)
        return;
    const struct transcript *transcript = &agent->record->transcript;
    const struct tool_call *call = &agent->turn.calls[index];
    uint32_t entry = transcript_entries(transcript) - agent->turn.call_count + index;
    observer->called(observer->self, agent->record, call->name, entry_content(transcript_entry(transcript, entry)),
                     agent->outcomes[index].failed);
}

/* Results enter in call order, whatever order the calls ended in. */
static void append_results(struct agent *agent)
{
    struct transcript *transcript = &agent->record->transcript;
    struct table *names = agent->run->options->names;
    agent->first_result = transcript_entries(transcript);
    agent->result_count = agent->turn.call_count;
    for (uint32_t i = 0; i < agent->turn.call_count; i++) {
        const struct tool_result *outcome = &agent->outcomes[i];
        int64_t size = outcome->size >= 0 ? outcome->size : sizing_of(transcript->sizing, outcome->content);
        uint32_t entry = transcript_append_sized(transcript, ROLE_TOOL_RESULT,
                                                 table_add(names, agent->turn.calls[i].name), outcome->content, size);
        if (outcome->failed)
            transcript_entry(transcript, entry)->flags |= ENTRY_FAILED;
    }
}

static void end_call(struct agent *agent, uint32_t index)
{
    observe_call(agent, index);
    agent->ended++;
    if (agent->started < agent->turn.call_count)
        start_next_call(agent);
    if (agent->ended < agent->turn.call_count)
        return;
    append_results(agent);
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_TURN_START, agent, 0);
}

static bool handle(const struct event *event, struct err *err)
{
    switch (event->kind) {
    case EVENT_TURN_START:
        return start_turn(event->agent, err);
    case EVENT_TURN_END:
        end_turn(event->agent);
        return true;
    case EVENT_CALL_START:
        return start_call(event->agent, event->call, err);
    case EVENT_CALL_END:
        end_call(event->agent, event->call);
        return true;
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

struct record *run_root(const struct run_options *options, struct agent_spec *spec, struct str task,
                        struct err *err)
{
    CHECK(options->parallel_calls > 0); /* no call would ever start */
    struct run run = {.options = options};
    arena_init(&run.memory);
    sched_init(&run.sched, &run.memory);
    struct record *record = record_new(options->keep, NULL, spec->name, &options->sizing);
    bool fine = agent_start(&run, spec, record, spec->workspace, task, NULL, err) != NULL;
    struct event event;
    while (fine && sched_take(&run.sched, &event))
        fine = handle(&event, err);
    close_run(&run);
    return fine ? record : NULL;
}
