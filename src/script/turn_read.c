#include "script/turn_read.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "script/convert.h"

enum turn_field { TURN_TEXT, TURN_TOOL_CALLS, TURN_STOP, TURN_RESULT, TURN_FIELDS };

static const struct field turn_fields[] = {
    [TURN_TEXT] = {.name = "text", .type = "string"},
    [TURN_TOOL_CALLS] = {.name = "tool_calls", .type = "simagent.tool_call[]"},
    [TURN_STOP] = {.name = "stop", .type = "boolean"},
    [TURN_RESULT] = {.name = "result", .type = "table"},
    [TURN_FIELDS] = {.name = NULL},
};
const struct shape shape_turn = {"simagent.turn", turn_fields};

enum tool_call_field { TOOL_CALL_NAME, TOOL_CALL_ARGUMENTS, TOOL_CALL_FIELDS };

static const struct field tool_call_fields[] = {
    [TOOL_CALL_NAME] = {.name = "name", .type = "string"},
    [TOOL_CALL_ARGUMENTS] = {.name = "arguments", .type = "table"},
    [TOOL_CALL_FIELDS] = {.name = NULL},
};
const struct shape shape_tool_call = {"simagent.tool_call", tool_call_fields};

void turn_call_from_lua(lua_State *L, int name_index, int arguments_index, const struct place *place,
                        struct arena *scratch, struct tool_call *call)
{
    if (lua_type(L, name_index) != LUA_TSTRING) {
        struct place here = place_key(place, "name");
        shape_fail(L, &here, "must be the name of a tool, got %s", shape_describe(L, name_index));
    }
    call->name = shape_copy_string(L, name_index, scratch);
    if (!lua_isnoneornil(L, arguments_index)) {
        struct place here = place_key(place, "arguments");
        struct value *arguments = arena_new(scratch, struct value);
        *arguments = convert_to_value(L, arguments_index, &here, scratch);
        if (arguments->kind != VALUE_OBJECT)
            shape_fail(L, &here, "must be a table with named keys, got %s",
                       arguments->kind == VALUE_ARRAY ? "a list" : shape_describe(L, arguments_index));
        call->arguments = arguments;
    }
}

static void read_call(lua_State *L, int index, const struct place *place, struct arena *scratch, struct tool_call *call)
{
    shape_table(L, index, place, "a tool call");
    int fields = shape_push_fields(L, index, place, &shape_tool_call);
    turn_call_from_lua(L, fields + TOOL_CALL_NAME, fields + TOOL_CALL_ARGUMENTS, place, scratch, call);
    lua_settop(L, fields - 1);
}

static void read_calls(lua_State *L, int index, const struct place *place, struct arena *scratch, struct turn *turn)
{
    struct place here = place_key(place, "tool_calls");
    int64_t count = shape_list(L, index, &here, "a turn's calls");
    if (count == 0)
        return;
    struct tool_call *calls = arena_array(scratch, struct tool_call, (size_t)count);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(&here, i);
        lua_rawgeti(L, index, i);
        read_call(L, lua_gettop(L), &item, scratch, &calls[i - 1]);
        lua_pop(L, 1);
    }
    turn->calls = calls;
    turn->call_count = (uint32_t)count;
}

static void check_text(lua_State *L, int index, const struct place *place)
{
    struct place here = place_key(place, "text");
    if (!lua_isnil(L, index) && lua_type(L, index) != LUA_TSTRING)
        shape_fail(L, &here, "must be a string, got %s", shape_describe(L, index));
}

static void read_stop(lua_State *L, int index, const struct place *place, struct turn *turn)
{
    struct place here = place_key(place, "stop");
    if (!lua_isboolean(L, index))
        shape_fail(L, &here, "must be true or false, got %s", shape_describe(L, index));
    turn->stop = lua_toboolean(L, index);
}

/* What a run with a contract hands back.  Read twice, so that what is wrong leaves nothing in `keep`. */
static void read_result(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                        struct turn *turn)
{
    struct place here = place_key(place, "result");
    if (!turn->stop)
        shape_fail(L, &here, "belongs to a turn with stop = true");
    (void)convert_to_value(L, index, &here, scratch);
    struct value *result = arena_new(keep, struct value);
    *result = convert_to_value(L, index, &here, keep);
    turn->result = result;
}

void turn_from_lua(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                   struct turn *turn)
{
    struct turn made = {0};
    index = lua_absindex(L, index);
    shape_table(L, index, place, "a turn");
    int fields = shape_push_fields(L, index, place, &shape_turn);
    check_text(L, fields + TURN_TEXT, place);
    if (!lua_isnil(L, fields + TURN_STOP))
        read_stop(L, fields + TURN_STOP, place, &made);
    if (!lua_isnil(L, fields + TURN_TOOL_CALLS))
        read_calls(L, fields + TURN_TOOL_CALLS, place, scratch, &made);
    if (!lua_isnil(L, fields + TURN_RESULT))
        read_result(L, fields + TURN_RESULT, place, keep, scratch, &made);
    if (!lua_isnil(L, fields + TURN_TEXT))
        made.text = shape_copy_string(L, fields + TURN_TEXT, keep);
    lua_settop(L, fields - 1);
    *turn = made;
}

/* A list is compiled once, what its calls look like in a transcript too. */
static const struct tool_call *with_contents(const struct turn *turn, struct arena *keep)
{
    struct tool_call *calls = (struct tool_call *)turn->calls; /* made here, for this turn */
    for (uint32_t i = 0; i < turn->call_count; i++)
        calls[i].content = tool_call_content(keep, calls[i].name, calls[i].arguments);
    return calls;
}

struct scripted *turn_list_from_lua(lua_State *L, int index, const struct place *place, struct arena *keep)
{
    index = lua_absindex(L, index);
    int64_t count = shape_list(L, index, place, "a model that is a table");
    struct turn *turns = arena_array(keep, struct turn, (size_t)count + 1);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(place, i);
        lua_rawgeti(L, index, i);
        turn_from_lua(L, -1, &item, keep, keep, &turns[i - 1]);
        turns[i - 1].calls = with_contents(&turns[i - 1], keep);
        lua_pop(L, 1);
    }
    struct scripted *script = arena_new(keep, struct scripted);
    *script = (struct scripted){.turns = turns, .count = (uint32_t)count};
    return script;
}
