#include "script/lua_function.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "core/record.h"
#include "script/call.h"
#include "script/convert.h"
#include "script/economy_read.h"
#include "script/handle.h"
#include "script/session.h"
#include "script/turn_read.h"
#include "script/view.h"

/* The model as the scenario gave it; whoever made it holds the registry reference. */
struct lua_function {
    struct session *session;
    int function;
};

/* One run of it. */
struct function_run {
    const struct lua_function *model;
    int request_handle;
    struct view view;
};

/* What a protected body is given, and gives back. */
struct asking {
    struct function_run *run;
    const struct request *request;
    struct turn *turn;
    enum model_answer answer;
};

static int make_run(lua_State *L)
{
    struct function_run *run = lua_touserdata(L, 1);
    view_push_request(L, &run->view);
    run->request_handle = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static void *begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    const struct lua_function *model = self;
    struct function_run *run = arena_new(keep, struct function_run);
    run->model = model;
    run->view = (struct view){.record = record, .names = &model->session->names};
    return call_body(&model->session->state, make_run, run, err) ? run : NULL;
}

static int ask_body(lua_State *L)
{
    struct asking *asking = lua_touserdata(L, 1);
    struct function_run *run = asking->run;
    const struct request *request = asking->request;
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->model->function);
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->request_handle);
    lua_call(L, 1, 1);
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        asking->answer = MODEL_EXHAUSTED;
        return 0;
    case LUA_TSTRING:
        *asking->turn = (struct turn){.text = shape_copy_string(L, -1, request->keep), .stop = true};
        return 0;
    default:
        break;
    }
    struct place place = place_of_function(run->model->function);
    if (!lua_istable(L, -1))
        shape_fail(L, &place, "a model must return a turn, a string or nil, got %s", shape_describe(L, -1));
    turn_from_lua(L, -1, &place, request->keep, request->scratch, asking->turn);
    return 0;
}

static enum model_answer ask(void *instance, const struct request *request, struct turn *turn, struct err *err)
{
    struct function_run *run = instance;
    struct asking asking = {.run = run, .request = request, .turn = turn, .answer = MODEL_TURN};
    run->view.request = request;
    bool fine = call_body(&run->model->session->state, ask_body, &asking, err);
    run->view.request = NULL;
    return fine ? asking.answer : MODEL_FAILED;
}

static void end(void *instance)
{
    struct function_run *run = instance;
    run->view.record = NULL;
    luaL_unref(run->model->session->state.L, LUA_REGISTRYINDEX, run->request_handle);
}

static const struct model_ops model_lua_function = {.begin = begin, .ask = ask, .end = end};

struct model lua_function_model(struct session *session, int function)
{
    struct lua_function *model = arena_new(&session->keep, struct lua_function);
    *model = (struct lua_function){.session = session, .function = function};
    return (struct model){.ops = &model_lua_function, .self = model};
}

static const struct field tool_fields[] = {
    {.name = "name", .type = "string"},
    {.name = "description", .type = "string"},
    {.name = "input_schema", .type = "table"},
    {.name = "run",
     .type = "fun(arguments: table, context: simagent.context): string|simagent.failure|simagent.sized|nil, string?"},
    {.name = "latency_ms", .type = "number"},
    {.name = "requires_complete", .type = "string"},
    {.name = NULL},
};
const struct shape shape_tool = {"simagent.tool_options", tool_fields};

/* A tool may outlive the factory that made it, so its function stays anchored for as long as the state lives. */
struct tool_function {
    struct tool tool;
    struct session *session;
    int function;
};

struct running {
    const struct tool_function *tool;
    const struct tool_invocation *call;
    struct tool_result *result;
};

static void refuse_sized_unit(lua_State *L)
{
    const struct session *session = state_of(L)->user;
    if (session->unit_changed)
        state_fail(L, ERR_USAGE,
                   "--unit %.*s cannot be used: a tool returns sim.sized, whose size is in the scenario's unit",
                   STR_ARG(session->setup.unit));
}

void lua_function_result(lua_State *L, const struct place *place, struct str tool, struct arena *keep,
                         struct tool_result *result)
{
    struct handle *handle;
    if (lua_type(L, 1) == LUA_TSTRING) {
        *result = (struct tool_result){.content = shape_copy_string(L, 1, keep), .size = -1};
    } else if ((handle = handle_test(L, 1, HANDLE_SIZED)) != NULL) {
        refuse_sized_unit(L);
        *result = (struct tool_result){.size = handle->number};
    } else if (handle_test(L, 1, HANDLE_FAILURE)) {
        lua_getiuservalue(L, 1, 1);
        *result = (struct tool_result){.content = shape_copy_string(L, -1, keep), .size = -1, .failed = true};
    } else if (lua_isnil(L, 1) && lua_type(L, 2) == LUA_TSTRING) {
        *result = (struct tool_result){.content = shape_copy_string(L, 2, keep), .size = -1, .failed = true};
    } else {
        shape_fail(L, place,
                   "the tool \"%.*s\" must return a string, sim.failure, sim.sized, or nil and a string; got %s",
                   STR_ARG(tool), shape_describe(L, 1));
    }
}

static int run_body(lua_State *L)
{
    static const struct value nothing = {.kind = VALUE_OBJECT};
    const struct running *running = lua_touserdata(L, 1);
    const struct value *arguments = running->call->arguments;
    lua_settop(L, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, running->tool->function);
    convert_push(L, arguments ? arguments : &nothing);
    lua_rawgeti(L, LUA_REGISTRYINDEX, running->tool->session->context_handle);
    lua_call(L, 2, 2);
    struct place place = place_of_function(running->tool->function);
    lua_function_result(L, &place, running->tool->tool.name, running->call->keep, running->result);
    return 0;
}

static bool run_tool(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    const struct tool_function *tool = self;
    struct running running = {.tool = tool, .call = call, .result = result};
    struct view *context = tool->session->context;
    context->call = call;
    bool fine = call_body(&tool->session->state, run_body, &running, err);
    context->call = NULL;
    return fine;
}

struct tool *lua_function_tool(lua_State *L, int index, const struct place *place)
{
    struct session *session = state_of(L)->user;
    struct arena *keep = &session->keep;
    struct tool_function *made = arena_new(keep, struct tool_function);
    shape_table(L, index, place, "sim.tool");
    shape_check_keys(L, index, place, &shape_tool);
    struct place name = place_key(place, "name");
    if (!shape_string(L, index, place, "name", keep, &made->tool.name) || made->tool.name.len == 0)
        shape_fail(L, &name, "a tool needs a name");
    shape_string(L, index, place, "description", keep, &made->tool.description);
    struct place schema_place = place_key(place, "input_schema");
    if (lua_getfield(L, index, "input_schema") != LUA_TNIL) {
        struct value *schema = arena_new(keep, struct value);
        *schema = convert_to_value(L, -1, &schema_place, keep);
        if (schema->kind != VALUE_OBJECT)
            shape_fail(L, &schema_place, "must be a JSON Schema: a table with named keys");
        made->tool.input_schema = schema;
    }
    struct place run = place_key(place, "run");
    if (lua_getfield(L, index, "run") != LUA_TFUNCTION)
        shape_fail(L, &run, "must be a function(arguments, context), got %s", shape_describe(L, -1));
    made->function = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
    made->tool.latency_us = duration_from_lua(L, index, place, "latency_ms");
    shape_string(L, index, place, "requires_complete", keep, &made->tool.requires_complete);
    made->session = session;
    made->tool.run = run_tool;
    made->tool.self = made;
    return &made->tool;
}

int lua_function_failure(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TSTRING);
    handle_push(L, HANDLE_FAILURE, NULL);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

int lua_function_sized(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TNUMBER);
    lua_Integer size = luaL_checkinteger(L, 1);
    luaL_argcheck(L, size >= 0, 1, "a size of at least 0 expected");
    handle_push(L, HANDLE_SIZED, NULL)->number = size;
    return 1;
}
