#include "engine/faults.h"

#include "base/arena.h"
#include "base/rng.h"
#include "core/record.h"

struct fault_state {
    int64_t calls;
    struct rng rng;
};

static struct fault_state *state_of_run(struct faults *faults, struct str run, struct arena *scratch)
{
    uint32_t index = table_add(&faults->runs, run);
    if (index < faults->states.count)
        return chunks_at(&faults->states, index);
    struct fault_state *state = chunks_add(&faults->states);
    struct strbuf stream;
    strbuf_init(&stream, scratch, (size_t)UINT32_MAX - 1);
    strbuf_add(&stream, run);
    strbuf_add(&stream, STR(" faults "));
    strbuf_add(&stream, faults->tool.name);
    rng_init(&state->rng, faults->seed, strbuf_str(&stream));
    return state;
}

static bool run_or_fail(const void *self, const struct tool_invocation *call, struct tool_result *result,
                        struct err *err)
{
    struct faults *faults = (struct faults *)self;
    struct fault_state *state = state_of_run(faults, call->record->run, call->scratch);
    state->calls++;
    bool fails = faults->every ? state->calls % faults->every == 0 : rng_real(&state->rng) < faults->rate;
    if (!fails)
        return faults->inner->run(faults->inner->self, call, result, err);
    if (faults->text.data)
        *result = (struct tool_result){.content = faults->text, .size = -1, .failed = true};
    else
        tool_fail(call, result, faults->tool.name, STR(" failed"), (struct str){0});
    return true;
}

void faults_init(struct faults *faults, struct arena *arena, const struct tool *inner, uint64_t seed)
{
    *faults = (struct faults){.tool = *inner, .inner = inner, .seed = seed};
    faults->tool.run = run_or_fail;
    faults->tool.self = faults;
    table_init(&faults->runs, arena);
    chunks_init(&faults->states, arena, sizeof(struct fault_state));
}
