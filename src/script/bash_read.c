#include "script/bash_read.h"

#include <lauxlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"
#include "engine/tool.h"
#include "script/call.h"
#include "script/handle.h"
#include "script/lua_function.h"
#include "script/session.h"
#include "script/view.h"

/* Exact commands and their outputs. */
struct command_table {
    struct shell shell;
    struct table commands;
    struct str *outputs; /* by the table's index */
};

static bool run_table(const void *self, const struct shell_command *command, const struct tool_invocation *call,
                      struct tool_result *result, struct err *err)
{
    struct command_table *known = (struct command_table *)self;
    uint32_t index = table_find(&known->commands, command->text);
    (void)err;
    if (index == TABLE_NONE) {
        tool_fail(call, result, STR("bash is not scripted for: "), command->text, (struct str){0});
        return true;
    }
    struct str output = known->outputs[index];
    *result = (struct tool_result){.content = output.len ? output : STR("(no output)"), .size = -1};
    return true;
}

static const struct shell *read_table(lua_State *L, const struct place *place)
{
    struct session *session = state_of(L)->user;
    struct command_table *known = arena_new(&session->keep, struct command_table);
    uint32_t count = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        count++;
    table_init(&known->commands, &session->keep);
    known->outputs = arena_array(&session->keep, struct str, (size_t)count + 1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            shape_fail(L, place, "maps exact commands to their outputs, both strings");
        struct str command;
        command.data = lua_tolstring(L, -2, &command.len);
        known->outputs[table_add(&known->commands, command)] = shape_copy_string(L, -1, &session->keep);
    }
    known->shell = (struct shell){.run = run_table, .self = known};
    return &known->shell;
}

struct command_function {
    struct shell shell;
    struct session *session;
    int function;
};

struct running {
    const struct command_function *bash;
    const struct shell_command *command;
    const struct tool_invocation *call;
    struct tool_result *result;
};

static int run_body(lua_State *L)
{
    const struct running *running = lua_touserdata(L, 1);
    const struct command_function *bash = running->bash;
    struct str command = running->command->text;
    lua_settop(L, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, bash->function);
    lua_pushlstring(L, command.data ? command.data : "", command.len);
    lua_rawgeti(L, LUA_REGISTRYINDEX, bash->session->context_handle);
    lua_call(L, 2, 2);
    struct place place = place_of_function(bash->function);
    lua_function_result(L, &place, STR("bash"), running->call->keep, running->result);
    if (running->result->size < 0 && running->result->content.len == 0)
        running->result->content = STR("(no output)");
    return 0;
}

static bool run_function(const void *self, const struct shell_command *command, const struct tool_invocation *call,
                         struct tool_result *result, struct err *err)
{
    const struct command_function *bash = self;
    struct running running = {bash, command, call, result};
    struct view *context = bash->session->context;
    context->call = call;
    bool fine = call_body(&bash->session->state, run_body, &running, err);
    context->call = NULL;
    return fine;
}

static const struct shell *read_function(lua_State *L)
{
    struct session *session = state_of(L)->user;
    struct command_function *bash = arena_new(&session->keep, struct command_function);
    lua_pushvalue(L, -1);
    bash->session = session;
    bash->function = luaL_ref(L, LUA_REGISTRYINDEX);
    bash->shell = (struct shell){.run = run_function, .self = bash};
    return &bash->shell;
}

const struct shell *bash_from_lua(lua_State *L, int index, const struct place *place)
{
    struct place here = place_key(place, "bash");
    const struct shell *shell = NULL;
    switch (lua_getfield(L, lua_absindex(L, index), "bash")) {
    case LUA_TNIL:
        break;
    case LUA_TTABLE:
        shell = read_table(L, &here);
        break;
    case LUA_TFUNCTION:
        shell = read_function(L);
        break;
    case LUA_TSTRING:
        if (lua_rawlen(L, -1) == 4 && strcmp(lua_tostring(L, -1), "real") == 0) {
            struct session *session = state_of(L)->user;
            session->scenario.real_bash = true;
            break;
        }
        /* fall through */
    default:
        shape_fail(L, &here, "must be a function(command, context), a table of exact commands and outputs, or "
                             "\"real\", got %s", shape_describe(L, -1));
    }
    lua_pop(L, 1);
    return shell;
}
