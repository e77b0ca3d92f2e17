#include "script/agent_read.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "script/call.h"
#include "script/economy_read.h"
#include "script/handle.h"
#include "script/hook_read.h"
#include "script/lua_function.h"
#include "script/session.h"
#include "script/turn_read.h"
#include "script/workspace_api.h"
#include "tools/builtin.h"

#define AGENT_FIELDS                                                                                                   \
    {.name = "model", .type = "simagent.model"}, {.name = "tools", .type = "(string|simagent.tool)[]"},                \
        {.name = "subagents", .type = "table<string, simagent.factory|simagent.subagent>"},                            \
        {.name = "system", .type = "string"}, {.name = "max_turns", .type = "integer"},                                \
        {.name = "workspace", .type = "simagent.workspace|table<string, string>"},                                     \
        {.name = "budget", .type = "integer|simagent.budget"}, {.name = "returns", .type = "simagent.returns"},        \
        {.name = "latency", .type = "simagent.latency"}, {.name = "price", .type = "string|simagent.price"},           \
        {.name = "cache", .type = "simagent.cache"}, {.name = "hooks", .type = "simagent.hooks"}

static const struct field agent_fields[] = {AGENT_FIELDS, {.name = NULL}};
const struct shape shape_agent = {"simagent.agent", agent_fields};

static const struct field variant_fields[] = {
    {.name = "name", .type = "string"}, {.name = "task", .type = "string"}, AGENT_FIELDS, {.name = NULL}};
const struct shape shape_variant = {"simagent.variant", variant_fields};

static const struct field subagent_fields[] = {
    {.name = "description", .type = "string"},
    {.name = "agent", .type = "simagent.factory"},
    {.name = "tool", .type = "string"},
    {.name = "returns", .type = "simagent.returns"},
    {.name = "budget", .type = "integer|simagent.budget"},
    {.name = NULL},
};
const struct shape shape_subagent = {"simagent.subagent", subagent_fields};

/* The registry references that a spec holds, given back when its run ends. */
struct held {
    struct agent_spec spec; /* first, so that a spec is its holder */
    struct session *session;
    int model;
    int *factories;
    uint32_t factory_count;
};

static void release(struct agent_spec *spec)
{
    struct held *held = (struct held *)spec;
    lua_State *L = held->session->state.L;
    luaL_unref(L, LUA_REGISTRYINDEX, held->model);
    for (uint32_t i = 0; i < held->factory_count; i++)
        luaL_unref(L, LUA_REGISTRYINDEX, held->factories[i]);
}

static void read_model(lua_State *L, int index, const struct place *place, struct held *held)
{
    struct session *session = held->session;
    struct place here = place_key(place, "model");
    held->model = LUA_NOREF;
    lua_getfield(L, index, "model");
    const struct handle *handle = handle_test(L, -1, HANDLE_MODEL);
    if (handle) {
        held->spec.model = *(const struct model *)handle->pointer;
    } else if (lua_isfunction(L, -1)) {
        lua_pushvalue(L, -1);
        held->model = luaL_ref(L, LUA_REGISTRYINDEX);
        held->spec.model = lua_function_model(session, held->model);
    } else if (lua_istable(L, -1)) {
        held->spec.model = (struct model){&model_scripted, turn_list_from_lua(L, -1, &here, &session->keep)};
    } else {
        shape_fail(L, &here, "must be a list of turns, a function(request), sim.coroutine or one of sim.models, got %s",
                   shape_describe(L, -1));
    }
    lua_pop(L, 1);
}

static const struct tool *builtin_from_lua(lua_State *L, int index, const struct place *place)
{
    struct str name;
    name.data = lua_tolstring(L, index, &name.len);
    const struct tool *tool = builtin_find(name);
    if (tool)
        return tool;
    if (str_eq(name, STR("task")))
        shape_fail(L, place, "the tool \"task\" comes by itself with `subagents`");
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (const struct tool *const *builtin = builtin_tools; *builtin; builtin++)
        suggest_offer(&suggest, (*builtin)->name);
    shape_fail_unknown(L, place, "built-in tool", name, suggest.best);
}

const struct tool *tool_from_lua(lua_State *L, int index, const struct place *place)
{
    const struct handle *handle = handle_test(L, index, HANDLE_TOOL);
    if (handle)
        return handle->pointer;
    if (lua_type(L, index) == LUA_TSTRING)
        return builtin_from_lua(L, index, place);
    shape_fail(L, place, "must be the name of a built-in tool or a sim.tool, got %s", shape_describe(L, index));
}

static void refuse_twice(lua_State *L, const struct place *place, const struct tool *const *tools, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (str_eq(tools[i]->name, tools[count - 1]->name))
            shape_fail(L, place, "the tool \"%.*s\" is listed twice", STR_ARG(tools[i]->name));
    }
}

static void read_tools(lua_State *L, int index, const struct place *place, struct held *held)
{
    struct place here = place_key(place, "tools");
    if (lua_getfield(L, index, "tools") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    int64_t count = shape_list(L, -1, &here, "tools");
    const struct tool **tools = arena_array(&held->session->keep, const struct tool *, (size_t)count + 1);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(&here, i);
        lua_rawgeti(L, -1, i);
        tools[i - 1] = tool_from_lua(L, -1, &item);
        refuse_twice(L, &item, tools, (uint32_t)i);
        lua_pop(L, 1);
    }
    held->spec.tools = tools;
    held->spec.tool_count = (uint32_t)count;
    lua_pop(L, 1);
}

struct factory {
    struct session *session;
    struct str name;
    int function;
};

struct making {
    const struct factory *factory;
    struct str prompt;
    struct agent_spec *spec;
};

static int make_body(lua_State *L)
{
    struct making *making = lua_touserdata(L, 1);
    const struct factory *factory = making->factory;
    lua_rawgeti(L, LUA_REGISTRYINDEX, factory->function);
    lua_pushlstring(L, making->prompt.data ? making->prompt.data : "", making->prompt.len);
    lua_call(L, 1, 1);
    struct place function = place_of_function(factory->function);
    struct place place = place_str(&function, factory->name);
    shape_table(L, -1, &place, "what a subagent's factory returns");
    making->spec = agent_from_lua(L, lua_gettop(L), &place, &shape_agent, factory->name);
    making->spec->end = release;
    return 0;
}

static struct agent_spec *make(const void *self, struct str prompt, struct arena *keep, struct err *err)
{
    const struct factory *factory = self;
    struct making making = {.factory = factory, .prompt = prompt};
    CHECK(keep == &factory->session->keep);
    return call_body(&factory->session->state, make_body, &making, err) ? making.spec : NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct subagent *left = a;
    const struct subagent *right = b;
    return str_cmp(left->name, right->name);
}

/* The value of the subagent's key stands on top: a function, or a table that describes one. */
static void read_subagent(lua_State *L, const struct place *place, struct held *held, struct subagent *subagent)
{
    struct session *session = held->session;
    if (lua_istable(L, -1)) {
        shape_check_keys(L, -1, place, &shape_subagent);
        shape_string(L, -1, place, "description", &session->keep, &subagent->description);
        shape_string(L, -1, place, "tool", &session->keep, &subagent->tool);
        subagent->budget = budget_from_lua(L, -1, place);
        subagent->contract = contract_from_lua(L, -1, place);
        lua_getfield(L, -1, "agent");
        lua_remove(L, -2);
    }
    if (!lua_isfunction(L, -1)) {
        struct place agent = place_key(place, "agent");
        shape_fail(L, &agent, "must be a function(prompt) that returns an agent, got %s", shape_describe(L, -1));
    }
    struct factory *factory = arena_new(&session->keep, struct factory);
    lua_pushvalue(L, -1);
    *factory = (struct factory){session, subagent->name, luaL_ref(L, LUA_REGISTRYINDEX)};
    held->factories[held->factory_count++] = factory->function;
    subagent->factory = (struct agent_factory){.make = make, .self = factory};
}

/* Names are collected and sorted first: Lua's order of keys changes from run to run. */
static uint32_t collect_names(lua_State *L, const struct place *place, struct arena *keep, struct subagent **out)
{
    uint32_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        count++;
    }
    struct subagent *subagents = arena_array(keep, struct subagent, (size_t)count + 1);
    uint32_t filled = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            shape_fail(L, place, "subagents are named: every key must be a string");
        subagents[filled++].name = shape_copy_string(L, -1, keep);
    }
    sort_stable(keep, subagents, count, sizeof *subagents, by_name);
    *out = subagents;
    return count;
}

static void check_tool_name(lua_State *L, const struct place *place, const struct agent_spec *spec,
                            const struct subagent *subagents, uint32_t count)
{
    struct str tool = subagents[count - 1].tool;
    struct place here = place_key(place, "tool");
    if (tool.len == 0)
        return;
    if (str_eq(tool, STR("task")))
        shape_fail(L, &here, "\"task\" is the tool for all subagents without a tool of their own");
    for (uint32_t i = 0; i < spec->tool_count; i++) {
        if (str_eq(spec->tools[i]->name, tool))
            shape_fail(L, &here, "the agent has a tool \"%.*s\" already", STR_ARG(tool));
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (str_eq(subagents[i].tool, tool))
            shape_fail(L, &here, "another subagent is the tool \"%.*s\" already", STR_ARG(tool));
    }
}

static void read_subagents(lua_State *L, int index, const struct place *place, struct held *held)
{
    struct place here = place_key(place, "subagents");
    struct subagent *subagents;
    if (lua_getfield(L, index, "subagents") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    shape_table(L, -1, &here, "subagents");
    uint32_t count = collect_names(L, &here, &held->session->keep, &subagents);
    held->factories = arena_array(&held->session->keep, int, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct place item = place_str(&here, subagents[i].name);
        lua_pushlstring(L, subagents[i].name.data, subagents[i].name.len);
        lua_rawget(L, -2);
        read_subagent(L, &item, held, &subagents[i]);
        check_tool_name(L, &item, &held->spec, subagents, i + 1);
        lua_pop(L, 1);
    }
    held->spec.subagents = subagents;
    held->spec.subagent_count = count;
    lua_pop(L, 1);
}

/* A misspelt tool would never be counted, and every run would look as if it had read nothing. */
static void check_coverage_tool(lua_State *L, const struct place *place, const struct agent_spec *spec)
{
    struct place returns = place_key(place, "returns");
    struct place coverage = place_key(&returns, "coverage");
    struct place here = place_key(&coverage, "tool");
    if (!spec->contract || !spec->contract->wants_coverage)
        return;
    struct suggest suggest;
    suggest_init(&suggest, spec->contract->coverage_tool);
    for (uint32_t i = 0; i < spec->tool_count; i++) {
        if (str_eq(spec->tools[i]->name, spec->contract->coverage_tool))
            return;
        suggest_offer(&suggest, spec->tools[i]->name);
    }
    shape_fail_unknown(L, &here, "tool of this agent", spec->contract->coverage_tool, suggest.best);
}

struct agent_spec *agent_from_lua(lua_State *L, int index, const struct place *place, const struct shape *shape,
                                  struct str name)
{
    struct session *session = state_of(L)->user;
    struct held *held = arena_new(&session->keep, struct held);
    struct agent_spec *spec = &held->spec;
    int64_t max_turns = MAX_TURNS_DEFAULT;
    index = lua_absindex(L, index);
    held->session = session;
    spec->name = name;
    shape_check_keys(L, index, place, shape);
    read_model(L, index, place, held);
    read_tools(L, index, place, held);
    read_subagents(L, index, place, held);
    spec->has_system = shape_string(L, index, place, "system", &session->keep, &spec->system);
    shape_integer(L, index, place, "max_turns", 0, MAX_TURNS_LARGEST, &max_turns);
    spec->max_turns = (uint32_t)max_turns;
    economy_from_lua(L, index, place, &spec->economy);
    spec->budget = budget_from_lua(L, index, place);
    spec->contract = contract_from_lua(L, index, place);
    check_coverage_tool(L, place, spec);
    spec->hooks = hooks_from_lua(L, index, place);
    if (lua_getfield(L, index, "workspace") != LUA_TNIL) {
        struct place here = place_key(place, "workspace");
        spec->workspace = workspace_from_lua(L, -1, &here);
    }
    lua_pop(L, 1);
    return spec;
}
