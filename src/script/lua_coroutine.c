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

enum progress {
    NOT_STARTED, /* the function and the agent stand on the thread */
    RUNNING,
    ASKED,   /* yielded by a method, which has written the turn and gives back what the engine answers */
    FINISHED
};

struct coroutine_run {
    const struct lua_coroutine *coroutine;
    lua_State *thread;
    int thread_reference;
    enum progress progress;
    bool disturbed; /* a script has resumed it, or closed it, while it waited */
    struct view view;
    struct str run;
    struct str prompt;
    const struct request *request; /* while the thread runs … */
    struct turn *turn;             /* … and where its methods write what it wants */
    struct arena_mark scratch;     /* of the request, as it was when the thread was resumed */
};

/* A script may hold the coroutine itself, and resume or close it when it likes: the engine has not asked then. */
static struct coroutine_run *run_of(lua_State *L)
{
    struct coroutine_run *run = handle_check(L, 1, HANDLE_AGENT)->pointer;
    if (run->progress == FINISHED)
        luaL_error(L, "this agent has finished");
    if (L != run->thread)
        luaL_error(L, "an agent's methods must be called from its own coroutine, not from one inside it");
    run->disturbed = run->disturbed || !run->request;
    if (!run->request)
        luaL_error(L, "this agent waits for an answer: its coroutine must not be resumed or closed by a script");
    return run;
}

/* The run of a method that will yield.  Refused where that cannot be done (inside a comparison of table.sort, say)
 * before anything is written; what an attempt that failed has left in scratch is given back. */
static struct coroutine_run *begin_method(lua_State *L)
{
    struct coroutine_run *run = run_of(L);
    if (!lua_isyieldable(L))
        luaL_error(L, "attempt to yield across a C-call boundary");
    arena_release(run->request->scratch, run->scratch);
    return run;
}

/* Gives the turn to the engine; `answered` makes the method's results when it has been done. */
static int hand_over(lua_State *L, struct coroutine_run *run, enum progress progress, lua_KFunction answered)
{
    run->progress = progress;
    return lua_yieldk(L, 0, 0, answered);
}

static int call_answered(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    const struct request *request = run_of(L)->request;
    const struct entry *entry = transcript_entry(&request->record->transcript, request->first_result);
    struct str content = entry_content(entry);
    lua_pushlstring(L, content.data ? content.data : "", content.len);
    lua_pushboolean(L, (entry->flags & ENTRY_FAILED) != 0);
    return 2;
}

/* agent:call(name, arguments, text): content and is_error come back as its results. */
static int agent_call(lua_State *L)
{
    struct coroutine_run *run = begin_method(L);
    const struct request *request = run->request;
    struct place caller = place_of_running_call();
    struct place here = place_key(&caller, "agent:call");
    struct tool_call *call = arena_new(request->scratch, struct tool_call);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 4);
    if (!lua_isnil(L, 4) && lua_type(L, 4) != LUA_TSTRING)
        shape_fail(L, &here, "the text must be a string, got %s", shape_describe(L, 4));
    turn_call_from_lua(L, 2, 3, &here, request->scratch, call);
    *run->turn = (struct turn){.calls = call, .call_count = 1};
    if (!lua_isnil(L, 4))
        run->turn->text = shape_copy_string(L, 4, request->keep);
    return hand_over(L, run, ASKED, call_answered);
}

static int turn_answered(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    const struct coroutine_run *run = run_of(L);
    view_push_results(L, &run->view, run->request);
    return 1;
}

static int agent_turn(lua_State *L)
{
    struct coroutine_run *run = begin_method(L);
    struct place caller = place_of_running_call();
    struct place here = place_key(&caller, "agent:turn");
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    turn_from_lua(L, 2, &here, run->request->keep, run->request->scratch, run->turn);
    return hand_over(L, run, ASKED, turn_answered);
}

static void stop_with(struct coroutine_run *run, lua_State *L, int index)
{
    *run->turn = (struct turn){.text = shape_copy_string(L, index, run->request->keep), .stop = true};
}

static int agent_finish(lua_State *L)
{
    struct coroutine_run *run = begin_method(L);
    luaL_checktype(L, 2, LUA_TSTRING);
    stop_with(run, L, 2);
    return hand_over(L, run, FINISHED, NULL);
}

static int push_field(lua_State *L, const char *key)
{
    struct coroutine_run *run = handle_check(L, 1, HANDLE_AGENT)->pointer;
    if (strcmp(key, "run") == 0)
        lua_pushlstring(L, run->run.data, run->run.len);
    else if (strcmp(key, "prompt") == 0)
        lua_pushlstring(L, run->prompt.data ? run->prompt.data : "", run->prompt.len);
    else if (strcmp(key, "transcript") == 0)
        view_push_transcript(L, &run->view);
    else
        return luaL_error(L, "an agent has no field \"%s\"; it has call, turn, finish, run, prompt, transcript", key);
    return 1;
}

int lua_coroutine_agent_index(lua_State *L)
{
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(key, "call") == 0)
        lua_pushcfunction(L, agent_call);
    else if (strcmp(key, "turn") == 0)
        lua_pushcfunction(L, agent_turn);
    else if (strcmp(key, "finish") == 0)
        lua_pushcfunction(L, agent_finish);
    else
        return push_field(L, key);
    return 1;
}

/* What a protected body is given, and gives back. */
struct returned {
    struct coroutine_run *run;
    int results;
    enum model_answer answer;
};

static int make_thread(lua_State *L)
{
    struct coroutine_run *run = lua_touserdata(L, 1);
    run->thread = lua_newthread(L);
    run->thread_reference = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_rawgeti(run->thread, LUA_REGISTRYINDEX, run->coroutine->function);
    handle_push(L, HANDLE_AGENT, run);
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

/* The thread returned: a string is the final text, nothing means that the script is exhausted. */
static int return_body(lua_State *L)
{
    struct returned *returned = lua_touserdata(L, 1);
    struct coroutine_run *run = returned->run;
    struct place place = place_of_function(run->coroutine->function);
    lua_settop(run->thread, lua_gettop(run->thread) - returned->results + 1); /* the first, or nil */
    lua_xmove(run->thread, L, 1);
    if (lua_isnil(L, 2))
        returned->answer = MODEL_EXHAUSTED;
    else if (lua_type(L, 2) == LUA_TSTRING)
        stop_with(run, L, 2);
    else
        shape_fail(L, &place, "a coroutine model must return the final text or nothing, got %s", shape_describe(L, 2));
    run->progress = FINISHED;
    return 0;
}

static int refuse_yield(lua_State *L)
{
    const struct coroutine_run *run = lua_touserdata(L, 1);
    struct place place = place_of_function(run->coroutine->function);
    shape_fail(L, &place, "a coroutine model must not yield by itself: use agent:call, agent:turn or agent:finish");
}

static int refuse_dead(lua_State *L)
{
    const struct coroutine_run *run = lua_touserdata(L, 1);
    struct place place = place_of_function(run->coroutine->function);
    shape_fail(L, &place, "the agent's coroutine was resumed or closed by the script while the agent waited");
}

/* What the thread did since it was resumed. */
static enum model_answer read_outcome(struct coroutine_run *run, enum call_resumed how, int results, struct err *err)
{
    struct script_state *state = &run->coroutine->session->state;
    struct returned returned = {.run = run, .results = results, .answer = MODEL_TURN};
    if (how == CALL_FAILED)
        return MODEL_FAILED;
    if (how == CALL_RETURNED)
        return call_body(state, return_body, &returned, err) ? returned.answer : MODEL_FAILED;
    if (run->progress == RUNNING)
        return call_body(state, refuse_yield, run, err) ? MODEL_TURN : MODEL_FAILED;
    return MODEL_TURN;
}

static enum model_answer ask(void *instance, const struct request *request, struct turn *turn, struct err *err)
{
    struct coroutine_run *run = instance;
    if (run->progress == FINISHED)
        return MODEL_EXHAUSTED; /* agent:turn { stop = true } ends a run before this */
    if (run->disturbed || (run->progress == ASKED && lua_status(run->thread) != LUA_YIELD))
        return call_body(&run->coroutine->session->state, refuse_dead, run, err) ? MODEL_EXHAUSTED : MODEL_FAILED;
    int arguments = run->progress == NOT_STARTED;
    int results = 0;
    run->progress = RUNNING;
    run->prompt = request->prompt;
    run->request = request;
    run->turn = turn;
    run->scratch = arena_mark(request->scratch);
    enum call_resumed how = call_resume(&run->coroutine->session->state, run->thread, arguments, &results, err);
    enum model_answer answer = read_outcome(run, how, results, err);
    run->request = NULL;
    run->turn = NULL;
    return answer;
}

static void end(void *instance)
{
    struct coroutine_run *run = instance;
    run->view.record = NULL;
    run->progress = FINISHED;
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
