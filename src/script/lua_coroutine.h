/* Models that are Lua coroutines: `sim.coroutine(function(agent) … end)`, a fresh thread for each run. */
#ifndef SCRIPT_LUA_COROUTINE_H
#define SCRIPT_LUA_COROUTINE_H

#include <lua.h>

#include "engine/model.h"

/* The model whose function is at `index`. */
struct model *lua_coroutine_model(lua_State *L, int index);

/* __index of the agent: call, turn, finish, prompt, transcript. */
int lua_coroutine_agent_index(lua_State *L);

#endif
