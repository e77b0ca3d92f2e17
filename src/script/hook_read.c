#include "script/hook_read.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "core/record.h"
#include "script/call.h"
#include "script/command.h"
#include "script/convert.h"
#include "script/handle.h"
#include "script/session.h"

static const struct field hook_fields[] = {
    {.name = "UserPromptSubmit", .type = "simagent.hook|simagent.hook[]"},
    {.name = "PreToolUse", .type = "simagent.hook|simagent.hook[]"},
    {.name = "PostToolUse", .type = "simagent.hook|simagent.hook[]"},
    {.name = "Stop", .type = "simagent.hook|simagent.hook[]"},
    {.name = "SubagentStop", .type = "simagent.hook|simagent.hook[]"},
    {.name = NULL},
};
const struct shape shape_hooks = {"simagent.hooks", hook_fields};

/* A hook is anchored as long as the state lives: scenarios have few, and children share them. */
struct lua_hook {
    struct session *session;
    int function;
};

struct running {
    const struct lua_hook *hook;
    const struct hook_call *call;
    struct hook_answer *answer;
};

static void set_str(lua_State *L, const char *key, struct str text)
{
    lua_pushlstring(L, text.data ? text.data : "", text.len);
    lua_setfield(L, -2, key);
}

static void set_int(lua_State *L, const char *key, int64_t value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void push_event(lua_State *L, const struct hook_call *call)
{
    static const struct value nothing = {.kind = VALUE_OBJECT};
    lua_createtable(L, 0, 9);
    set_str(L, "hook", str_of(hook_event_name(call->event)));
    set_str(L, "run", call->record->run);
    set_str(L, "agent", call->record->name);
    set_int(L, "depth", call->record->depth);
    set_int(L, "turn", call->turn);
    if (call->event == HOOK_USER_PROMPT_SUBMIT)
        set_str(L, "prompt", call->prompt);
    if (call->tool.data) {
        set_str(L, "tool", call->tool);
        convert_push(L, call->arguments ? call->arguments : &nothing);
        lua_setfield(L, -2, "arguments");
    }
    if (call->event != HOOK_USER_PROMPT_SUBMIT && call->event != HOOK_PRE_TOOL_USE)
        set_str(L, "result", call->result);
}

_Noreturn static void fail_answer(lua_State *L, const struct running *running)
{
    static const char *const allowed[HOOK_EVENTS] = {
        [HOOK_PRE_TOOL_USE] = "nil, { block = \"reason\" }, a reason that is not empty, or { replace = arguments }",
        [HOOK_STOP] = "nil or { continue = \"text\" }",
    };
    struct place place = place_of_function(running->hook->function);
    enum hook_event event = running->call->event;
    shape_fail(L, &place, "a %s hook must return %s, got %s", hook_event_name(event),
               allowed[event] ? allowed[event] : "nil", shape_describe(L, 1));
}

/* The only key of the table at 1, if it is this one: pushes its value. */
static bool has_only(lua_State *L, const char *key)
{
    lua_pushnil(L);
    int keys = 0;
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        keys++;
    }
    return lua_getfield(L, 1, key) != LUA_TNIL && keys == 1;
}

static void read_block(lua_State *L, const struct running *running, int index)
{
    size_t length;
    if (lua_type(L, index) != LUA_TSTRING || !lua_tolstring(L, index, &length) || length == 0)
        fail_answer(L, running); /* an empty reason would look like a call that ran */
    running->answer->block = shape_copy_string(L, index, running->call->keep);
}

static void read_pre_tool_use(lua_State *L, const struct running *running)
{
    struct place place = place_of_function(running->hook->function);
    struct place replace = place_key(&place, "replace");
    if (lua_type(L, 1) == LUA_TSTRING) {
        read_block(L, running, 1);
    } else if (!lua_istable(L, 1)) {
        fail_answer(L, running);
    } else if (has_only(L, "block")) {
        read_block(L, running, -1);
    } else if (has_only(L, "replace")) {
        struct value *arguments = arena_new(running->call->scratch, struct value);
        *arguments = convert_to_value(L, -1, &replace, running->call->scratch);
        if (arguments->kind != VALUE_OBJECT)
            fail_answer(L, running);
        running->answer->replace = arguments;
    } else {
        fail_answer(L, running);
    }
}

static void read_stop(lua_State *L, const struct running *running)
{
    if (!lua_istable(L, 1) || !has_only(L, "continue") || lua_type(L, -1) != LUA_TSTRING)
        fail_answer(L, running);
    running->answer->proceed = shape_copy_string(L, -1, running->call->keep);
}

static int run_body(lua_State *L)
{
    const struct running *running = lua_touserdata(L, 1);
    lua_settop(L, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, running->hook->function);
    push_event(L, running->call);
    lua_call(L, 1, 1);
    if (lua_isnil(L, 1))
        return 0;
    if (running->call->event == HOOK_PRE_TOOL_USE)
        read_pre_tool_use(L, running);
    else if (running->call->event == HOOK_STOP)
        read_stop(L, running);
    else
        fail_answer(L, running);
    return 0;
}

static bool run_hook(const void *self, const struct hook_call *call, struct hook_answer *answer, struct err *err)
{
    const struct lua_hook *hook = self;
    struct running running = {hook, call, answer};
    return call_body(&hook->session->state, run_body, &running, err);
}

/* The hook stands on top. */
static void read_hook(lua_State *L, const struct place *place, struct hook *hook)
{
    struct session *session = state_of(L)->user;
    const struct handle *command = handle_test(L, -1, HANDLE_COMMAND);
    if (command) {
        *hook = command_hook(command->pointer);
        return;
    }
    if (!lua_isfunction(L, -1))
        shape_fail(L, place, "must be a function(event) or sim.command, got %s", shape_describe(L, -1));
    struct lua_hook *made = arena_new(&session->keep, struct lua_hook);
    lua_pushvalue(L, -1);
    *made = (struct lua_hook){session, luaL_ref(L, LUA_REGISTRYINDEX)};
    *hook = (struct hook){.run = run_hook, .self = made};
}

/* One hook or a list of them stands on top. */
static void read_event(lua_State *L, const struct place *place, struct hooks *hooks, enum hook_event event)
{
    struct session *session = state_of(L)->user;
    bool list = lua_istable(L, -1);
    int64_t count = list ? shape_list(L, -1, place, "hooks of one event") : 1;
    struct hook *read = arena_array(&session->keep, struct hook, (size_t)count + 1);
    if (!list)
        read_hook(L, place, &read[0]);
    for (int64_t i = 1; list && i <= count; i++) {
        struct place item = place_index(place, i);
        lua_rawgeti(L, -1, i);
        read_hook(L, &item, &read[i - 1]);
        lua_pop(L, 1);
    }
    hooks->of[event] = read;
    hooks->count[event] = (uint32_t)count;
}

struct hooks hooks_from_lua(lua_State *L, int index, const struct place *place)
{
    struct hooks hooks = {0};
    struct place here = place_key(place, "hooks");
    if (lua_getfield(L, lua_absindex(L, index), "hooks") != LUA_TNIL) {
        shape_table(L, -1, &here, "hooks");
        shape_check_keys(L, -1, &here, &shape_hooks);
        for (int i = 0; i < HOOK_EVENTS; i++) {
            const char *name = hook_event_name((enum hook_event)i);
            struct place event = place_key(&here, name);
            if (lua_getfield(L, -1, name) != LUA_TNIL)
                read_event(L, &event, &hooks, (enum hook_event)i);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
    return hooks;
}
