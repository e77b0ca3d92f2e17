/* World: random agents, runs and children from a seed, for laws that hold of every run.
 *
 * What an agent does follows from the seed and its prompt alone, so that the order in which agents start can never
 * change what they do.  Texts hold several bytes a letter, line feeds, NUL and broken sequences.
 */
#ifndef SUPPORT_WORLD_H
#define SUPPORT_WORLD_H

#include "base/rng.h"
#include "support/witness.h"
#include "tools/builtin.h"

#define WORLD_FILES 5

struct world {
    struct fixture *fixture;
    uint64_t seed;
    struct ledger ledger;
    struct run_options options;
    struct workspace *files;
    bool repeats; /* prompts come again, so that whole runs are alike */
};

static inline struct str random_text(struct arena *arena, struct rng *rng, int64_t most)
{
    static const struct str pieces[] = {
        {"a", 1},        {"word ", 5},        {"\n", 1},           {"\xC3\xA9", 2}, {"\xE2\x82\xAC", 3},
        {"\xF0\x9F\x98\x80", 4}, {"\xFF", 1}, {"\xE2\x82", 2},     {"\0", 1},       {"\xED\xA0\x80", 3},
        {"\"quoted\"", 8}, {"\xC0\xAF", 2},   {"\xF4\x90\x80\x80", 4}, {"e\xCC\x81", 3},
    };
    struct strbuf text;
    strbuf_init(&text, arena, 1 << 20);
    for (int64_t left = rng_between(rng, 0, most); left > 0; left--)
        strbuf_add(&text, pieces[rng_between(rng, 0, ARRAY_LEN(pieces) - 1)]);
    return strbuf_str(&text);
}

static inline void random_call(struct world *world, struct rng *rng, struct script *script)
{
    struct arena *arena = &world->fixture->arena;
    struct str file = str_printf(arena, "file%d", (int)rng_between(rng, 0, WORLD_FILES)); /* the last is missing */
    struct str prompt = str_printf(arena, "prompt %d of %u", (int)rng_between(rng, 0, world->repeats ? 1 : 999999),
                                   script->scripted.count);
    switch (rng_between(rng, 0, 9)) {
    case 0:
        script_call(script, STR("no_such_tool"), one_argument(arena, STR("x"), random_text(arena, rng, 6)));
        break;
    case 1:
        script_call(script, STR("task"), task_arguments(arena, STR("nobody"), prompt));
        break;
    case 2:
    case 3:
        script_call(script, STR("task"), task_arguments(arena, STR("child"), prompt));
        break;
    case 4:
        script_call(script, STR("ask_expert"), one_argument(arena, STR("prompt"), prompt));
        break;
    default:
        script_call(script, STR("read_file"), one_argument(arena, STR("path"), file));
    }
}

static inline struct script *random_script(struct world *world, struct rng *rng)
{
    struct arena *arena = &world->fixture->arena;
    struct script *script = script_new(arena);
    int64_t turns = rng_between(rng, 0, 9);
    bool stops = rng_between(rng, 0, 4) > 0;
    for (int64_t turn = 0; turn < turns; turn++) {
        script_say(script, random_text(arena, rng, 8));
        for (int64_t calls = rng_between(rng, 0, 3); calls > 0; calls--)
            random_call(world, rng, script);
    }
    if (stops && turns > 0)
        script->turns[script->scripted.count - 1].stop = true;
    return script;
}

static inline struct agent_spec *world_spec(const void *self, struct str prompt, struct arena *keep, struct err *err)
{
    static const struct tool *const tools[] = {&tool_read_file};
    struct world *world = (struct world *)(uintptr_t)self;
    (void)err;
    struct rng rng;
    rng_init(&rng, world->seed, prompt);
    struct agent_spec *spec = arena_new(keep, struct agent_spec);
    *spec = (struct agent_spec){.name = STR("root"), .tools = tools, .tool_count = 1, .workspace = world->files};
    spec->model = witness_model(&world->ledger, script_model(random_script(world, &rng)));
    spec->max_turns = rng_between(&rng, 0, 3) == 0 ? (uint32_t)rng_between(&rng, 0, 6) : MAX_TURNS_DEFAULT;
    spec->has_system = rng_between(&rng, 0, 1);
    spec->system = random_text(keep, &rng, 5);
    struct subagent *subagents = arena_array(keep, struct subagent, 2);
    subagents[0] = (struct subagent){.name = STR("child"), .factory = {world_spec, world}};
    subagents[1] = (struct subagent){.name = STR("expert"), .tool = STR("ask_expert"), .factory = {world_spec, world}};
    spec->subagents = subagents;
    spec->subagent_count = (uint32_t)rng_between(&rng, 0, 2);
    return spec;
}

/* A fresh world in the fixture; its unit, depth and slots follow from the seed too. */
static inline struct world *world_new(struct fixture *f, uint64_t seed)
{
    struct world *world = arena_new(&f->arena, struct world);
    struct rng rng;
    rng_init(&rng, seed, STR("world"));
    world->fixture = f;
    world->seed = seed;
    world->ledger.arena = &f->arena;
    f->sizing = (struct sizing){(enum unit)rng_between(&rng, UNIT_CHARS, UNIT_TOKENS),
                                rng_between(&rng, 1000000, 6000000)};
    world->options = options_of(f);
    world->options.max_depth = (uint32_t)rng_between(&rng, 0, 3);
    world->options.economy.latency = slots_of(&f->arena, (uint32_t)rng_between(&rng, 1, 3));
    world->options.count_schemas = rng_between(&rng, 0, 1);
    world->files = fixture_workspace(f);
    for (int i = 0; i < WORLD_FILES; i++) /* two of the bodies are equal: results must not be told by content */
        workspace_add(world->files, str_printf(&f->arena, "file%d", i),
                      i == 1 ? world->files->files[0].body : random_text(&f->arena, &rng, 60));
    workspace_seal(world->files);
    return world;
}

static inline struct record *world_run(struct world *world)
{
    struct str task = str_printf(&world->fixture->arena, "task %llu", (unsigned long long)world->seed);
    struct agent_spec *spec = world_spec(world, task, &world->fixture->arena, &world->fixture->err);
    return run_fine(world->fixture, &world->options, spec, task);
}

#endif
