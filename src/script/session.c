#include "script/session.h"

#include <lauxlib.h>
#include <lua.h>
#include <malloc.h>

#include "base/suggest.h"
#include "script/api.h"
#include "script/call.h"
#include "script/handle.h"
#include "script/sandbox.h"
#include "script/scenario_read.h"
#include "script/view.h"

#define COLLECTED_FROM_KIB 16384

static const char modules_key = 0; /* registry: name -> what the module returned, or the mark while it loads */
static const char loading_mark = 0;

static void compile(lua_State *L, struct session *session, struct str shown, struct str source)
{
    struct str chunk = str_printf(&session->keep, "@%.*s", STR_ARG(shown));
    sandbox_compile(L, source, str_z(&session->keep, chunk));
}

static void load_module(lua_State *L, struct session *session)
{
    struct str name = shape_copy_string(L, 1, &session->keep);
    struct str shown = {0};
    struct str source = {0};
    struct err err = {0};
    const struct script_reader *reader = &session->setup.reader;
    if (!reader->module(reader->self, name, &session->keep, &shown, &source, &err)) {
        if (err.kind != ERR_SCENARIO)
            state_fail(L, err.kind, "%s", err.message);
        luaL_error(L, "%s", err.message);
    }
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, (void *)&loading_mark);
    lua_rawset(L, 2);
    compile(L, session, shown, source);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    lua_rawset(L, 2);
}

static int require(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TSTRING);
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &modules_key); /* 2 */
    lua_pushvalue(L, 1);
    lua_rawget(L, 2);
    if (lua_touserdata(L, -1) == &loading_mark)
        return luaL_error(L, "the module \"%s\" requires itself", lua_tostring(L, 1));
    if (!lua_isnil(L, -1))
        return 1;
    load_module(L, state_of(L)->user);
    return 1;
}

static int open_body(lua_State *L)
{
    struct session *session = lua_touserdata(L, 1);
    handle_install(L);
    lua_newtable(L);
    api_push(L);
    lua_setfield(L, -2, "simagent");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &modules_key);
    lua_pushcfunction(L, require);
    lua_setglobal(L, "require");
    view_push_context(L, session->context);
    session->context_handle = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

bool session_open(struct session *session, const struct session_setup *setup, struct err *err)
{
    *session = (struct session){.setup = *setup};
    arena_init(&session->keep);
    table_init(&session->names, &session->keep);
    table_init(&session->scan_paths, &session->keep);
    chunks_init(&session->scan_rows, &session->keep, sizeof(void *));
    table_init(&session->streams, &session->keep);
    chunks_init(&session->stream_states, &session->keep, sizeof(struct rng));
    session->context = arena_new(&session->keep, struct view);
    if (!state_open(&session->state, &setup->limits, (uint64_t)setup->seed, err))
        return false;
    session->state.user = session;
    session->state.silent = setup->silent;
    return call_body(&session->state, open_body, session, err);
}

struct str session_suggest_option(const struct session *session, struct str name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (uint32_t i = 0; i < session->options.count; i++)
        suggest_offer(&suggest, session->options.options[i].name);
    for (size_t i = 0; i < session->setup.reserved_count; i++)
        suggest_offer(&suggest, session->setup.reserved[i]);
    return suggest.best;
}

/* Flags that no option took: only a script that declares nothing leaves any. */
static void refuse_untaken(lua_State *L, const struct session *session)
{
    if (session->options.declared || session->setup.given_count == 0)
        return;
    struct str name = session->setup.given[0].name;
    struct str best = session_suggest_option(session, name);
    state_fail(L, ERR_USAGE, "no option --%.*s: %.*s declares no options%s%.*s%s", STR_ARG(name),
               STR_ARG(session->setup.file), best.len ? "; did you mean --" : "", STR_ARG(best), best.len ? "?" : "");
}

static int load_body(lua_State *L)
{
    struct session *session = lua_touserdata(L, 1);
    lua_settop(L, 0);
    compile(L, session, session->setup.file, session->setup.source);
    lua_call(L, 0, 1);
    refuse_untaken(L, session);
    if (handle_test(L, 1, HANDLE_SCENARIO))
        return 0;
    struct place place = {.where = str_z(&session->keep, session->setup.file)};
    if (!lua_istable(L, 1))
        shape_fail(L, &place, "a scenario file must return sim.scenario { … }, got %s", shape_describe(L, 1));
    scenario_from_lua(L, 1, &place, session);
    return 0;
}

/* The tables that described the scenario have been compiled and are garbage: of a long list of turns most of the heap.
 * Collected here once, they are no part of what the turns cost, and the system has their memory back. */
static int collect_body(lua_State *L)
{
    if (lua_gc(L, LUA_GCCOUNT) < COLLECTED_FROM_KIB)
        return 0;
    lua_gc(L, LUA_GCCOLLECT);
    malloc_trim(0);
    return 0;
}

bool session_load(struct session *session, struct err *err)
{
    return call_body(&session->state, load_body, session, err) &&
           call_body(&session->state, collect_body, session, err);
}

void session_close(struct session *session)
{
    state_close(&session->state);
    arena_close(&session->keep);
}

struct str session_lua_release(void)
{
    return STR(LUA_RELEASE);
}

/* 5.4.0 to 5.4.4 compile `6 | (9 or 0)` wrongly in a function with more than 256 constants. */
static int probe_body(lua_State *L)
{
    luaL_Buffer source;
    luaL_buffinit(L, &source);
    luaL_addstring(&source, "local pool = {");
    for (int i = 0; i < 300; i++) {
        lua_pushfstring(L, "%d.25;", i);
        luaL_addvalue(&source);
    }
    luaL_addstring(&source, "} return 6 | (9 or 0)");
    luaL_pushresult(&source);
    struct str text;
    text.data = lua_tolstring(L, -1, &text.len);
    sandbox_compile(L, text, "@probe");
    lua_call(L, 0, 1);
    *(bool *)lua_touserdata(L, 1) = lua_tointeger(L, -1) != 15;
    return 0;
}

bool session_lua_is_faulty(struct err *err)
{
    struct script_state state;
    struct script_limits limits = {0};
    bool faulty = false;
    if (!state_open(&state, &limits, 0, err))
        return false;
    if (!call_body(&state, probe_body, &faulty, err))
        faulty = false;
    state_close(&state);
    return faulty;
}
