#include "script/turn_read.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "script/convert.h"

static const struct field turn_fields[] = {
    {.name = "text", .type = "string"},
    {.name = "tool_calls", .type = "simagent.tool_call[]"},
    {.name = "stop", .type = "boolean"},
    {.name = "result", .type = "table"},
    {.name = NULL},
};
const struct shape shape_turn = {"simagent.turn", turn_fields};

static const struct field tool_call_fields[] = {
    {.name = "name", .type = "string"},
    {.name = "arguments", .type = "table"},
    {.name = NULL},
};
const struct shape shape_tool_call = {"simagent.tool_call", tool_call_fields};

/* Counting keys is cheaper than looking each one up: only when there are more than the known ones is one of them
 * wrong. */
static void check_key_count(lua_State *L, int index, const struct place *place, const struct shape *shape, int known)
{
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        known--;
    }
    if (known != 0)
        shape_check_keys(L, index, place, shape);
}

void turn_call_from_lua(lua_State *L, int name_index, int arguments_index, const struct place *place,
                        struct arena *keep, struct arena *scratch, struct tool_call *call)
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
    call->content = tool_call_content(keep, call->name, call->arguments);
}

static void read_call(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                      struct tool_call *call)
{
    shape_table(L, index, place, "a tool call");
    lua_getfield(L, index, "name");
    lua_getfield(L, index, "arguments");
    int top = lua_gettop(L);
    check_key_count(L, index, place, &shape_tool_call, !lua_isnil(L, top - 1) + !lua_isnil(L, top));
    turn_call_from_lua(L, top - 1, top, place, keep, scratch, call);
    lua_pop(L, 2);
}

static void read_calls(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                       struct turn *turn)
{
    struct place here = place_key(place, "tool_calls");
    int64_t count = shape_list(L, index, &here, "a turn's calls");
    if (count == 0)
        return;
    struct tool_call *calls = arena_array(scratch, struct tool_call, (size_t)count);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(&here, i);
        lua_rawgeti(L, index, i);
        read_call(L, lua_gettop(L), &item, keep, scratch, &calls[i - 1]);
        lua_pop(L, 1);
    }
    turn->calls = calls;
    turn->call_count = (uint32_t)count;
}

/* What a run with a contract hands back; it stands on top. */
static void read_result(lua_State *L, const struct place *place, struct arena *keep, struct turn *turn)
{
    struct place here = place_key(place, "result");
    if (!turn->stop)
        shape_fail(L, &here, "belongs to a turn with stop = true");
    struct value *result = arena_new(keep, struct value);
    *result = convert_to_value(L, -1, &here, keep);
    turn->result = result;
}

void turn_from_lua(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                   struct turn *turn)
{
    *turn = (struct turn){0};
    index = lua_absindex(L, index);
    shape_table(L, index, place, "a turn");
    int known = shape_string(L, index, place, "text", keep, &turn->text);
    known += shape_boolean(L, index, place, "stop", &turn->stop);
    if (lua_getfield(L, index, "result") != LUA_TNIL) {
        known++;
        read_result(L, place, keep, turn);
    }
    lua_pop(L, 1);
    if (lua_getfield(L, index, "tool_calls") != LUA_TNIL) {
        known++;
        read_calls(L, lua_gettop(L), place, keep, scratch, turn);
    }
    lua_pop(L, 1);
    check_key_count(L, index, place, &shape_turn, known);
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
        lua_pop(L, 1);
    }
    struct scripted *script = arena_new(keep, struct scripted);
    *script = (struct scripted){.turns = turns, .count = (uint32_t)count};
    return script;
}
