/* Script: writes scripted models, tools and subagents in a line each. */
#ifndef SUPPORT_SCRIPT_H
#define SUPPORT_SCRIPT_H

#include "base/arena.h"
#include "base/value.h"
#include "engine/run.h"
#include "engine/scripted.h"
#include "support/fixture.h"

#define SCRIPT_TURNS 64
#define SCRIPT_CALLS 32

/* A list of turns in the making.  The model that comes of it reads the same storage. */
struct script {
    struct arena *arena;
    struct scripted scripted;
    struct turn turns[SCRIPT_TURNS];
    struct tool_call calls[SCRIPT_TURNS][SCRIPT_CALLS];
};

static inline struct script *script_new(struct arena *arena)
{
    struct script *script = arena_new(arena, struct script);
    script->arena = arena;
    script->scripted.turns = script->turns;
    return script;
}

static inline struct script *script_say(struct script *script, struct str text)
{
    CHECK(script->scripted.count < SCRIPT_TURNS);
    struct turn *turn = &script->turns[script->scripted.count];
    *turn = (struct turn){.text = text, .calls = script->calls[script->scripted.count]};
    script->scripted.count++;
    return script;
}

static inline struct script *script_stop(struct script *script, struct str text)
{
    script_say(script, text);
    script->turns[script->scripted.count - 1].stop = true;
    return script;
}

/* One more call in the newest turn. */
static inline struct script *script_call(struct script *script, struct str name, const struct value *arguments)
{
    uint32_t last = script->scripted.count - 1;
    CHECK(script->turns[last].call_count < SCRIPT_CALLS);
    script->calls[last][script->turns[last].call_count++] = (struct tool_call){.name = name, .arguments = arguments};
    return script;
}

static inline struct model script_model(const struct script *script)
{
    return (struct model){&model_scripted, &script->scripted};
}

/* {"key": "text"}, and with two members. */
static inline const struct value *one_argument(struct arena *arena, struct str key, struct str text)
{
    struct member *member = arena_new(arena, struct member);
    *member = (struct member){key, {.kind = VALUE_STRING, .string = text}};
    struct value *object = arena_new(arena, struct value);
    *object = (struct value){.kind = VALUE_OBJECT, .count = 1, .members = member};
    return object;
}

static inline const struct value *two_arguments(struct arena *arena, struct str key, struct str text, struct str other,
                                                struct str other_text)
{
    struct member *members = arena_array(arena, struct member, 2);
    members[0] = (struct member){key, {.kind = VALUE_STRING, .string = text}};
    members[1] = (struct member){other, {.kind = VALUE_STRING, .string = other_text}};
    struct value *object = arena_new(arena, struct value);
    *object = (struct value){.kind = VALUE_OBJECT, .count = 2, .members = members};
    return object;
}

static inline const struct value *task_arguments(struct arena *arena, struct str subagent, struct str prompt)
{
    return two_arguments(arena, STR("subagent"), subagent, STR("prompt"), prompt);
}

/* A factory that gives the same spec each time and counts how often it was asked. */
struct spec_factory {
    struct agent_spec *spec;
    uint32_t made;
    struct str last_prompt;
};

static inline struct agent_spec *spec_factory_make(const void *self, struct str prompt, struct arena *keep,
                                                   struct err *err)
{
    struct spec_factory *factory = (struct spec_factory *)(uintptr_t)self; /* a test double that counts */
    (void)err;
    factory->made++;
    factory->last_prompt = str_copy(keep, prompt);
    return factory->spec;
}

static inline struct subagent subagent_of(struct str name, const struct spec_factory *factory)
{
    return (struct subagent){.name = name, .factory = {spec_factory_make, factory}};
}

static inline struct run_options options_of(struct fixture *f)
{
    return (struct run_options){.sizing = f->sizing, .max_depth = 1, .keep = &f->arena, .names = &f->names};
}

/* Nothing takes time, and so many calls of a turn run side by side. */
static inline const struct latency *slots_of(struct arena *arena, uint32_t slots)
{
    struct latency *latency = arena_new(arena, struct latency);
    latency->parallel_calls = slots;
    return latency;
}

static inline struct agent_spec *spec_of(struct arena *arena, const struct script *script)
{
    struct agent_spec *spec = arena_new(arena, struct agent_spec);
    spec->name = STR("root");
    spec->model = script_model(script);
    spec->max_turns = MAX_TURNS_DEFAULT;
    return spec;
}

/* Runs and expects no fault of the scenario. */
static inline struct record *run_fine(struct fixture *f, const struct run_options *options,
                                      struct agent_spec *spec, struct str task)
{
    struct record *record = run_root(options, spec, task, &f->err);
    if (!record)
        print_error("%s\n", f->err.message);
    assert_non_null(record);
    transcript_check(&record->transcript);
    return record;
}

static inline struct str content_at(const struct record *record, uint32_t entry)
{
    assert_true(entry < transcript_entries(&record->transcript));
    return entry_content(transcript_entry(&record->transcript, entry));
}

static inline enum role role_at(const struct record *record, uint32_t entry)
{
    assert_true(entry < transcript_entries(&record->transcript));
    return (enum role)transcript_entry(&record->transcript, entry)->role;
}

#endif
