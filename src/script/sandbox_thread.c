/* Coroutines whose every change of thread the state knows of. */
#include "script/sandbox_own.h"

#include <lauxlib.h>

#include "script/state.h"

/* A close starts its coroutine with a fresh count of C levels, so closes inside one another would use up the C stack
 * in 5.4.4.  Each may take 200 levels, about 512 KiB. */
#define CLOSING_MAX 8

static lua_State *check_thread(lua_State *L)
{
    lua_State *thread = lua_tothread(L, 1);
    luaL_argexpected(L, thread, 1, "thread");
    return thread;
}

static const char *status_text(lua_State *L, lua_State *thread)
{
    lua_Debug activation;
    if (L == thread)
        return "running";
    switch (lua_status(thread)) {
    case LUA_YIELD:
        return "suspended";
    case LUA_OK:
        if (lua_getstack(thread, 0, &activation))
            return "normal";
        return lua_gettop(thread) == 0 ? "dead" : "suspended";
    default:
        return "dead";
    }
}

/* Leaves the results on L and returns their number, or an error object and -1. */
static int resume(lua_State *L, lua_State *thread, int arguments)
{
    int results = 0;
    if (!lua_checkstack(thread, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, thread, arguments);
    lua_State *previous = state_enter_thread(thread);
    int status = lua_resume(thread, L, arguments, &results);
    state_leave_thread(previous);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(thread, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(thread, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(thread, L, results);
    return results;
}

/* Runs the pending __close of a coroutine; returns its status, with the error object on its stack.  If the script must
 * stop, nothing of it may run: a coroutine that died in a hook has its hooks off for good. */
static int close_pending(lua_State *L, lua_State *thread)
{
    struct script_state *state = state_of(L);
    state_poll(L);
    if (state->closing >= CLOSING_MAX)
        return luaL_error(L, "C stack overflow (too many coroutines close one another)");
    state->closing++;
    lua_State *previous = state_enter_thread(thread);
    int status = lua_resetthread(thread);
    state_leave_thread(previous);
    state->closing--;
    return status;
}

/* The script's message handler, below upvalue 1.  A failure that stops the script is raised in a hook, and while a hook
 * runs no other can: a handler that loops then would loop for ever. */
static int guarded_handler(lua_State *L)
{
    if (state_of(L)->failure.kind != ERR_NONE)
        return 1;
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

int sandbox_thread_xpcall(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int sandbox_thread_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *thread = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, thread, 1);
    return 1;
}

int sandbox_thread_resume(lua_State *L)
{
    lua_State *thread = check_thread(L);
    int results = resume(L, thread, lua_gettop(L) - 1);
    if (results < 0) {
        lua_pushboolean(L, 0);
        lua_insert(L, -2);
        return 2;
    }
    lua_pushboolean(L, 1);
    lua_insert(L, -(results + 1));
    return results + 1;
}

/* As in stock Lua: an error ends the coroutine, and a text gets the caller's place in front. */
static int wrapped_failed(lua_State *L, lua_State *thread)
{
    int status = lua_status(thread);
    if (status != LUA_OK && status != LUA_YIELD) {
        status = close_pending(L, thread);
        lua_xmove(thread, L, 1);
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int call_wrapped(lua_State *L)
{
    lua_State *thread = lua_tothread(L, lua_upvalueindex(1));
    int results = resume(L, thread, lua_gettop(L));
    return results < 0 ? wrapped_failed(L, thread) : results;
}

int sandbox_thread_wrap(lua_State *L)
{
    sandbox_thread_create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

int sandbox_thread_yield(lua_State *L)
{
    return lua_yield(L, lua_gettop(L));
}

int sandbox_thread_status(lua_State *L)
{
    lua_pushstring(L, status_text(L, check_thread(L)));
    return 1;
}

int sandbox_thread_isyieldable(lua_State *L)
{
    lua_State *thread = lua_isnone(L, 1) ? L : check_thread(L);
    lua_pushboolean(L, lua_isyieldable(thread));
    return 1;
}

int sandbox_thread_running(lua_State *L)
{
    int is_main = lua_pushthread(L);
    lua_pushboolean(L, is_main);
    return 2;
}

int sandbox_thread_close(lua_State *L)
{
    lua_State *thread = check_thread(L);
    const char *status = status_text(L, thread);
    if (*status != 'd' && *status != 's')
        return luaL_error(L, "cannot close a %s coroutine", status);
    if (close_pending(L, thread) == LUA_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushboolean(L, 0);
    lua_xmove(thread, L, 1);
    return 2;
}
