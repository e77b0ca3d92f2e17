#include "script/api.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "engine/scan.h"
#include "script/agent_read.h"
#include "script/case_read.h"
#include "script/chance.h"
#include "script/command.h"
#include "script/convert.h"
#include "script/economy_read.h"
#include "script/handle.h"
#include "script/hook_read.h"
#include "script/lua_coroutine.h"
#include "script/lua_function.h"
#include "script/names.h"
#include "script/option_read.h"
#include "script/scenario_read.h"
#include "script/session.h"
#include "script/turn_read.h"
#include "script/workspace_api.h"

/* sim.tool { name =, description =, input_schema =, run = } */
static int api_tool(lua_State *L)
{
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    lua_pushvalue(L, 1);
    struct tool *tool = lua_function_tool(L, lua_gettop(L), &place);
    handle_push(L, HANDLE_TOOL, tool);
    return 1;
}

/* sim.coroutine(function(agent) … end) */
static int api_coroutine(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    handle_push(L, HANDLE_MODEL, lua_coroutine_model(L, 1));
    return 1;
}

/* sim.call(name, arguments): a tool call of a turn. */
static int api_call(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TSTRING);
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_createtable(L, 0, 2);
    lua_insert(L, 1);
    lua_setfield(L, 1, "arguments");
    lua_setfield(L, 1, "name");
    return 1;
}

/* sim.array { … }: the same table, marked to be a list even when it is empty. */
static int api_array(lua_State *L)
{
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    lua_pushvalue(L, 1);
    shape_list(L, -1, &place, "what sim.array is given");
    convert_push_array_mark(L);
    lua_setmetatable(L, -2);
    return 1;
}

/* Equal paths share one row, so that what is said about a path is kept once. */
static struct scan *scan_new(lua_State *L, int index, int64_t count, const struct place *place, struct session *session)
{
    struct scan *scan = arena_new(&session->keep, struct scan);
    struct table *distinct = &session->scan_paths;
    scan->paths = arena_array(&session->keep, struct scan_path *, (size_t)count + 1);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(place, i);
        if (lua_rawgeti(L, index, i) != LUA_TSTRING)
            shape_fail(L, &item, "a path must be a string, got %s", shape_describe(L, -1));
        struct str path;
        path.data = lua_tolstring(L, -1, &path.len);
        uint32_t row = table_add(distinct, path);
        if (row == session->scan_rows.count) {
            struct scan_path *added = arena_new(&session->keep, struct scan_path);
            added->path = table_key(distinct, row);
            *(struct scan_path **)chunks_add(&session->scan_rows) = added;
        }
        scan->paths[scan->count++] = *(struct scan_path **)chunks_at(&session->scan_rows, row);
        lua_pop(L, 1);
    }
    return scan;
}

/* sim.models.scan(paths, final_text) */
static int api_scan(lua_State *L)
{
    struct session *session = state_of(L)->user;
    lua_settop(L, 2);
    struct place place = place_of_caller(L);
    struct place paths = place_key(&place, "paths");
    int64_t count = shape_list(L, 1, &paths, "the paths of sim.models.scan");
    if (lua_type(L, 2) != LUA_TSTRING)
        shape_fail(L, &place, "the final text of sim.models.scan must be a string, got %s", shape_describe(L, 2));
    struct scan *scan = scan_new(L, 1, count, &paths, session);
    scan->final_text = shape_copy_string(L, 2, &session->keep);
    struct model *model = arena_new(&session->keep, struct model);
    *model = (struct model){.ops = &model_scan, .self = scan};
    handle_push(L, HANDLE_MODEL, model);
    return 1;
}

static const luaL_Reg functions[] = {
    {"array", api_array},
    {"call", api_call},
    {"command", command_read},
    {"coroutine", api_coroutine},
    {"failure", lua_function_failure},
    {"faults", chance_faults},
    {"options", option_read},
    {"random", chance_random},
    {"scenario", scenario_read},
    {"sized", lua_function_sized},
    {"tool", api_tool},
    {NULL, NULL},
};

static const luaL_Reg models[] = {{"scan", api_scan}, {NULL, NULL}};

void api_push(lua_State *L)
{
    luaL_newlib(L, functions);
    luaL_newlib(L, models);
    names_seal(L, "sim.models");
    lua_setfield(L, -2, "models");
    lua_newtable(L);
    luaL_setfuncs(L, workspace_functions, 0);
    names_seal(L, "sim.workspace");
    lua_setfield(L, -2, "workspace");
    convert_push_null(L);
    lua_setfield(L, -2, "null");
    lua_pushliteral(L, SIMAGENT_VERSION);
    lua_setfield(L, -2, "version");
    names_seal(L, "sim");
}

const struct shape *const api_shapes[] = {
    &shape_scenario, &shape_variant,    &shape_agent,       &shape_subagent, &shape_turn,    &shape_tool_call,
    &shape_tool,     &shape_option,     &shape_thresholds,  &shape_tokens,   &shape_price,   &shape_price_above,
    &shape_cache,    &shape_latency,    &shape_budget,      &shape_returns,  &shape_coverage, &shape_faults,
    &shape_dir_options, &shape_case, NULL,
};

const char *const api_functions[] = {
    "array",   "call",   "command",  "coroutine", "failure", "faults", "models.scan",    "options",
    "random",  "scenario", "sized",   "tool",    "workspace.demo", "workspace.dir", NULL,
};
