/* Models and tools that are Lua functions. */
#ifndef SCRIPT_LUA_FUNCTION_H
#define SCRIPT_LUA_FUNCTION_H

#include <lua.h>

#include "engine/agent.h"
#include "script/shape.h"

struct session;

/* A model that calls the function behind a registry reference for each turn. */
struct model lua_function_model(struct session *session, int function);

/* sim.tool: the tool described by the table at `index`. */
struct tool *lua_function_tool(lua_State *L, int index, const struct place *place);

extern const struct shape shape_tool;

/* Reads what a tool's function returned: its first value stands at 1, a second one at 2. */
void lua_function_result(lua_State *L, const struct place *place, struct str tool, struct arena *keep,
                         struct tool_result *result);

/* What models and tools may hand back: pushes handles. */
int lua_function_failure(lua_State *L); /* sim.failure(text) */
int lua_function_sized(lua_State *L);   /* sim.sized(n) */

#endif
