#include "script/lua_coroutine.h"

#include <lauxlib.h>
#include <string.h>

#include "base/arena.h"
#include "core/record.h"
#include "script/call.h"
#include "script/handle.h"
#include "script/session.h"
#include "script/turn_read.h"
#include "script/view.h"

struct lua_coroutine {
    struct model model;
    struct session *session;
    int function;
};

/* What the thread waits for, so that the next answer has the right shape. */
enum waiting { WAITING_START, WAITING_CALL, WAITING_TURN, WAITING_NOTHING };

struct coroutine_run {
    const struct lua_coroutine *coroutine;
    lua_State *thread;
    int thread_reference;
    enum waiting waiting;
    struct view view;
    struct str run;
    struct str prompt;
};

/* The addresses of these say what a yield means; a scenario has no way to make them. */
static const char call_mark = 0;
static const char turn_mark = 0;
static const char finish_mark = 0;

static struct coroutine_run *run_of(lua_State *L)
{
    struct coroutine_run *run = handle_check(L, 1, HANDLE_AGENT)->pointer;
    if (run->waiting == WAITING_NOTHING)
        luaL_error(L, "this agent has finished");
    if (L != run->thread)
        luaL_error(L, "an agent's methods must be called from its own coroutine, not from one inside it");
    return run;
}

static int yield_marked(lua_State *L, const char *mark)
{
    lua_pushlightuserdata(L, (void *)mark);
    lua_insert(L, 1);
    return lua_yield(L, lua_gettop(L));
}

/* agent:call(name, arguments, text): content and is_error come back as its results. */
static int agent_call(lua_State *L)
{
    run_of(L);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 4);
    return yield_marked(L, &call_mark);
}

static int agent_turn(lua_State *L)
{
    run_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    return yield_marked(L, &turn_mark);
}

static int agent_finish(lua_State *L)
{
    run_of(L);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 2);
    return yield_marked(L, &finish_mark);
}

int lua_coroutine_agent_index(lua_State *L)
{
    struct coroutine_run *run = handle_check(L, 1, HANDLE_AGENT)->pointer;
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(key, "call") == 0)
        lua_pushcfunction(L, agent_call);
    else if (strcmp(key, "turn") == 0)
        lua_pushcfunction(L, agent_turn);
    else if (strcmp(key, "finish") == 0)
        lua_pushcfunction(L, agent_finish);
    else if (strcmp(key, "run") == 0)
        lua_pushlstring(L, run->run.data, run->run.len);
    else if (strcmp(key, "prompt") == 0)
        lua_pushlstring(L, run->prompt.data ? run->prompt.data : "", run->prompt.len);
    else if (strcmp(key, "transcript") == 0)
        view_push_transcript(L, &run->view);
    else
        return luaL_error(L, "an agent has no field \"%s\"; it has call, turn, finish, run, prompt, transcript", key);
    return 1;
}

struct asking {
    struct coroutine_run *run;
    const struct request *request;
    struct turn *turn;
    enum model_answer answer;
    struct err *err;
};

static int make_thread(lua_State *L)
{
    struct coroutine_run *run = lua_touserdata(L, 1);
    run->thread = lua_newthread(L);
    run->thread_reference = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_rawgeti(run->thread, LUA_REGISTRYINDEX, run->coroutine->function);
    handle_push(L, HANDLE_AGENT, run, 0);
    lua_xmove(L, run->thread, 1);
    return 0;
}

static void *begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    const struct lua_coroutine *coroutine = self;
    struct coroutine_run *run = arena_new(keep, struct coroutine_run);
    run->coroutine = coroutine;
    run->run = record->run;
    run->view = (struct view){.record = record, .names = &coroutine->session->names};
    return call_body(&coroutine->session->state, make_thread, run, err) ? run : NULL;
}

/* Pushes on the thread what its yield returns; gives the number of values. */
static int push_answer(lua_State *L, const struct asking *asking)
{
    struct coroutine_run *run = asking->run;
    const struct request *request = asking->request;
    if (run->waiting == WAITING_START)
        return 1; /* the agent stands there already */
    if (run->waiting == WAITING_TURN) {
        view_push_results(L, &run->view, request);
        lua_xmove(L, run->thread, 1);
        return 1;
    }
    const struct entry *entry = transcript_entry(&request->record->transcript, request->first_result);
    struct str content = entry_content(entry);
    lua_pushlstring(L, content.data ? content.data : "", content.len);
    lua_pushboolean(L, (entry->flags & ENTRY_FAILED) != 0);
    lua_xmove(L, run->thread, 2);
    return 2;
}

static void stop_with(struct asking *asking, lua_State *L, int index)
{
    *asking->turn = (struct turn){.text = shape_copy_string(L, index, asking->request->keep), .stop = true};
    asking->run->waiting = WAITING_NOTHING;
}

/* The thread returned: a string is the final text, nothing means that the script is exhausted. */
static void read_return(lua_State *L, struct asking *asking, const struct place *place)
{
    if (lua_isnoneornil(L, 1))
        asking->answer = MODEL_EXHAUSTED;
    else if (lua_type(L, 1) == LUA_TSTRING)
        stop_with(asking, L, 1);
    else
        shape_fail(L, place, "a coroutine model must return the final text or nothing, got %s", shape_describe(L, 1));
    asking->run->waiting = WAITING_NOTHING;
}

/* A yield of agent:call stands as mark, agent, name, arguments, text. */
static void read_call(lua_State *L, struct asking *asking, const struct place *place)
{
    const struct request *request = asking->request;
    struct tool_call *call = arena_new(request->scratch, struct tool_call);
    struct turn *turn = asking->turn;
    struct place here = place_key(place, "agent:call");
    *turn = (struct turn){.calls = call, .call_count = 1};
    turn_call_from_lua(L, 3, 4, &here, request->keep, request->scratch, call);
    if (lua_type(L, 5) == LUA_TSTRING)
        turn->text = shape_copy_string(L, 5, request->keep);
    else if (!lua_isnoneornil(L, 5))
        shape_fail(L, &here, "the text must be a string, got %s", shape_describe(L, 5));
    asking->run->waiting = WAITING_CALL;
}

static void read_yield(lua_State *L, struct asking *asking, const struct place *place)
{
    const void *mark = lua_type(L, 1) == LUA_TLIGHTUSERDATA ? lua_touserdata(L, 1) : NULL;
    const struct request *request = asking->request;
    if (mark == &call_mark) {
        read_call(L, asking, place);
    } else if (mark == &turn_mark) {
        struct place here = place_key(place, "agent:turn");
        turn_from_lua(L, 3, &here, request->keep, request->scratch, asking->turn);
        asking->run->waiting = WAITING_TURN;
    } else if (mark == &finish_mark) {
        stop_with(asking, L, 3);
    } else {
        shape_fail(L, place, "a coroutine model must not yield by itself: use agent:call, agent:turn or agent:finish");
    }
}

static int ask_body(lua_State *L)
{
    struct asking *asking = lua_touserdata(L, 1);
    struct coroutine_run *run = asking->run;
    lua_settop(L, 0);
    int arguments = push_answer(L, asking);
    int results = 0;
    enum call_resumed how =
        call_resume(&run->coroutine->session->state, run->thread, arguments, &results, asking->err);
    if (how == CALL_FAILED) {
        asking->answer = MODEL_FAILED;
        return 0;
    }
    lua_settop(L, 0);
    if (!lua_checkstack(L, results + 16))
        return luaL_error(L, "the coroutine gave back too many values");
    lua_xmove(run->thread, L, results);
    struct place place = place_of_function(run->coroutine->function);
    if (how == CALL_RETURNED)
        read_return(L, asking, &place);
    else
        read_yield(L, asking, &place);
    return 0;
}

static enum model_answer ask(void *instance, const struct request *request, struct turn *turn, struct err *err)
{
    struct coroutine_run *run = instance;
    if (run->waiting == WAITING_NOTHING)
        return MODEL_EXHAUSTED; /* agent:turn { stop = true } ends a run before this */
    run->prompt = request->prompt;
    struct asking asking = {.run = run, .request = request, .turn = turn, .answer = MODEL_TURN, .err = err};
    if (!call_body(&run->coroutine->session->state, ask_body, &asking, err))
        return MODEL_FAILED;
    return asking.answer;
}

static void end(void *instance)
{
    struct coroutine_run *run = instance;
    run->view.record = NULL;
    run->waiting = WAITING_NOTHING;
    luaL_unref(run->coroutine->session->state.L, LUA_REGISTRYINDEX, run->thread_reference);
}

static const struct model_ops model_lua_coroutine = {.begin = begin, .ask = ask, .end = end};

struct model *lua_coroutine_model(lua_State *L, int index)
{
    struct session *session = state_of(L)->user;
    struct lua_coroutine *coroutine = arena_new(&session->keep, struct lua_coroutine);
    lua_pushvalue(L, index);
    coroutine->session = session;
    coroutine->function = luaL_ref(L, LUA_REGISTRYINDEX);
    coroutine->model = (struct model){.ops = &model_lua_coroutine, .self = coroutine};
    return &coroutine->model;
}
