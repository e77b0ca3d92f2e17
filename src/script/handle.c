#include "script/handle.h"

#include <assert.h>
#include <lauxlib.h>

#include "base/check.h"
#include "script/chance.h"
#include "script/lua_coroutine.h"
#include "script/names.h"
#include "script/state.h"
#include "script/view.h"
#include "script/workspace_api.h"

struct metamethods {
    const char *noun;
    lua_CFunction index; /* NULL: the method table, if any */
    lua_CFunction length;
    const luaL_Reg *methods;
};

static const struct metamethods kinds[HANDLE_KINDS] = {
    [HANDLE_SCENARIO] = {.noun = "a scenario"},
    [HANDLE_WORKSPACE] = {.noun = "a workspace", .methods = workspace_methods},
    [HANDLE_TREE] = {.noun = "a workspace", .methods = tree_methods},
    [HANDLE_TOOL] = {.noun = "a tool"},
    [HANDLE_MODEL] = {.noun = "a model"},
    [HANDLE_FAILURE] = {.noun = "a failure"},
    [HANDLE_SIZED] = {.noun = "a sized result"},
    [HANDLE_REQUEST] = {.noun = "a request", .index = view_request_index},
    [HANDLE_TRANSCRIPT] = {.noun = "a transcript", .index = view_transcript_index, .length = view_transcript_length},
    [HANDLE_CONTEXT] = {.noun = "a tool's context", .index = view_context_index},
    [HANDLE_COMMAND] = {.noun = "a command"},
    [HANDLE_RANDOM] = {.noun = "a random stream", .methods = random_methods},
    [HANDLE_AGENT] = {.noun = "an agent", .index = lua_coroutine_agent_index},
};

static const char marks[HANDLE_KINDS] = {0}; /* what handles hold is an address of these */

const char *handle_noun(enum handle_kind kind)
{
    return kinds[kind].noun;
}

static int refuse_change(lua_State *L)
{
    return luaL_error(L, "an object of simagent cannot be changed");
}

static void install_kind(lua_State *L, const struct metamethods *kind)
{
    lua_createtable(L, 0, 6);
    lua_pushliteral(L, "simagent");
    lua_setfield(L, -2, "__metatable");
    lua_pushstring(L, kind->noun + (kind->noun[1] == 'n' ? 3 : 2)); /* without the article */
    lua_setfield(L, -2, "__name");
    lua_pushcfunction(L, refuse_change);
    lua_setfield(L, -2, "__newindex");
    if (kind->index)
        lua_pushcfunction(L, kind->index);
    else
        lua_newtable(L);
    if (kind->methods)
        luaL_setfuncs(L, kind->methods, 0);
    if (!kind->index)
        names_seal(L, kind->noun);
    lua_setfield(L, -2, "__index");
    if (kind->length) {
        lua_pushcfunction(L, kind->length);
        lua_setfield(L, -2, "__len");
    }
}

void handle_install(lua_State *L)
{
    static_assert(HANDLE_KINDS <= ARRAY_LEN(((struct script_state *)NULL)->handle_references), "room for all kinds");
    for (size_t i = 0; i < HANDLE_KINDS; i++) {
        install_kind(L, &kinds[i]);
        state_of(L)->handle_references[i] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
}

struct handle *handle_push(lua_State *L, enum handle_kind kind, void *pointer)
{
    struct handle *handle = lua_newuserdatauv(L, sizeof *handle, kind == HANDLE_FAILURE);
    *handle = (struct handle){.mark = &marks[kind], .pointer = pointer};
    lua_rawgeti(L, LUA_REGISTRYINDEX, state_of(L)->handle_references[kind]);
    lua_setmetatable(L, -2);
    return handle;
}

struct handle *handle_test(lua_State *L, int index, enum handle_kind kind)
{
    struct handle *handle = lua_type(L, index) == LUA_TUSERDATA ? lua_touserdata(L, index) : NULL;
    return handle && lua_rawlen(L, index) == sizeof *handle && handle->mark == &marks[kind] ? handle : NULL;
}

struct handle *handle_check(lua_State *L, int argument, enum handle_kind kind)
{
    struct handle *handle = handle_test(L, argument, kind);
    if (!handle)
        luaL_argerror(L, argument,
                      lua_pushfstring(L, "%s expected, got %s", kinds[kind].noun, luaL_typename(L, argument)));
    return handle;
}
