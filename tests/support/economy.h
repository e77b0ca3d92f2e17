/* Economy: prices, budgets, contracts and tools that take time, in a line each, counted in tokens of one byte. */
#ifndef SUPPORT_ECONOMY_H
#define SUPPORT_ECONOMY_H

#include "base/value.h"
#include "core/schema.h"
#include "engine/contract.h"
#include "support/doubles.h"
#include "support/tell_json.h"

/* A byte is a token, so that a test can count by hand. */
static inline struct run_options token_options(struct fixture *f)
{
    f->sizing = (struct sizing){UNIT_TOKENS, 1000000};
    return options_of(f);
}

static inline const struct budget *budget_of(struct arena *arena, enum resource resource, int64_t limit)
{
    struct budget *budget = arena_new(arena, struct budget);
    *budget = budget_none;
    budget->limits[resource] = limit;
    return budget;
}

static inline const struct value *json_of(struct arena *arena, const char *json)
{
    struct value_builder *builder = arena_new(arena, struct value_builder);
    value_builder_init(builder, arena, NULL);
    tell_json(json, &builder->feed);
    CHECK(builder->complete);
    return &builder->result;
}

static inline struct contract *contract_of(struct fixture *f, const char *schema, enum on_violation on_violation,
                                           int64_t max_retries)
{
    struct contract *contract = arena_new(&f->arena, struct contract);
    contract->schema = schema_compile(&f->arena, json_of(&f->arena, schema), &f->err);
    contract->on_violation = on_violation;
    contract->max_retries = max_retries;
    if (!contract->schema || !contract_check_schema(contract->schema, &f->err))
        print_error("%s\n", f->err.message);
    assert_int_equal(f->err.kind, ERR_NONE);
    return contract;
}

/* A stop turn with a result; NULL: without one. */
static inline struct script *script_return(struct script *script, struct str text, const char *json)
{
    script_stop(script, text);
    if (json)
        script->turns[script->scripted.count - 1].result = json_of(script->arena, json);
    return script;
}

/* A tool that gives back its text and takes so long; -1: as long as the agent's tools take. */
static inline struct echo *timed_echo(struct arena *arena, struct str name, int64_t latency_us)
{
    struct echo *echo = echo_new(arena, name);
    echo->tool.latency_us = latency_us;
    return echo;
}

static inline void give_tool(struct arena *arena, struct agent_spec *spec, const struct tool *tool)
{
    const struct tool **tools = arena_array(arena, const struct tool *, spec->tool_count + 1);
    for (uint32_t i = 0; i < spec->tool_count; i++)
        tools[i] = spec->tools[i];
    tools[spec->tool_count++] = tool;
    spec->tools = tools;
}

static inline struct subagent *give_subagent(struct arena *arena, struct agent_spec *spec, struct str name,
                                             struct agent_spec *child)
{
    struct subagent *subagents = arena_array(arena, struct subagent, spec->subagent_count + 1);
    struct spec_factory *factory = arena_new(arena, struct spec_factory);
    for (uint32_t i = 0; i < spec->subagent_count; i++)
        subagents[i] = spec->subagents[i];
    factory->spec = child;
    subagents[spec->subagent_count] = subagent_of(name, factory);
    spec->subagents = subagents;
    return &subagents[spec->subagent_count++];
}

static inline void assert_pool_at(const struct record *record, enum resource resource, int64_t spent, int64_t overshoot)
{
    const struct pool *pool = &record->account.pools[resource];
    if (pool->spent != spent || pool->reserved != 0 || pool_overshoot(pool) != overshoot)
        print_error("spent %ld, reserved %ld, overshoot %ld\n", (long)pool->spent, (long)pool->reserved,
                    (long)pool_overshoot(pool));
    assert_true(pool->spent == spent && pool->reserved == 0 && pool_overshoot(pool) == overshoot);
}

#endif
