#include "script/option_read.h"

#include <lauxlib.h>
#include <string.h>

#include "base/arena.h"
#include "script/convert.h"
#include "script/session.h"

static const struct field option_fields[] = {
    {.name = FIELD_FIRST, .type = "string"},
    {.name = "type", .type = "\"string\"|\"integer\"|\"number\"|\"boolean\"|\"enum\"|\"size\"|\"dir\""},
    {.name = "help", .type = "string"},
    {.name = "default", .type = "string|number|boolean"},
    {.name = "min", .type = "number"},
    {.name = "max", .type = "number"},
    {.name = "values", .type = "string[]"},
    {.name = NULL},
};
const struct shape shape_option = {"simagent.option", option_fields};

static bool is_option_name(struct str name)
{
    if (name.len == 0 || name.len > 64 || !((name.data[0] >= 'a' && name.data[0] <= 'z')))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

static void read_name(lua_State *L, const struct session *session, const struct place *place, struct option *option,
                      struct arena *keep)
{
    if (lua_rawgeti(L, -1, 1) != LUA_TSTRING)
        shape_fail(L, place, "an option starts with its name: { \"limit\", default = 0 }");
    option->name = shape_copy_string(L, -1, keep);
    lua_pop(L, 1);
    if (!is_option_name(option->name))
        shape_fail(L, place, "the name \"%.*s\" must be lower-case letters, digits and _", STR_ARG(option->name));
    for (size_t i = 0; i < session->setup.reserved_count; i++) {
        struct option probe = {.name = session->setup.reserved[i]};
        struct option_set set = {.options = &probe, .count = 1};
        if (option_find(&set, option->name))
            shape_fail(L, place, "the name \"%.*s\" is taken by the flag --%.*s of simagent", STR_ARG(option->name),
                       STR_ARG(probe.name));
    }
}

static enum option_type type_of_default(lua_State *L, const struct place *place, const struct option *option)
{
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
        return OPTION_STRING;
    case LUA_TBOOLEAN:
        return OPTION_BOOLEAN;
    case LUA_TNUMBER:
        return lua_isinteger(L, -1) ? OPTION_INTEGER : OPTION_NUMBER;
    case LUA_TNIL:
        shape_fail(L, place, "the option \"%.*s\" needs a type or a default", STR_ARG(option->name));
    default:
        shape_fail(L, place, "a default must be a string, a number or a boolean, got %s", shape_describe(L, -1));
    }
}

static void read_type(lua_State *L, const struct place *place, struct option *option, struct arena *keep)
{
    struct str name;
    if (shape_string(L, -1, place, "type", keep, &name)) {
        struct place here = place_key(place, "type");
        if (!option_type_find(name, &option->type))
            shape_fail(L, &here, "must be string, integer, number, boolean, enum, size or dir, got \"%.*s\"",
                       STR_ARG(name));
        return;
    }
    lua_getfield(L, -1, "default");
    option->type = type_of_default(L, place, option);
    lua_pop(L, 1);
}

static void read_values(lua_State *L, const struct place *place, struct option *option, struct arena *keep)
{
    struct place here = place_key(place, "values");
    int type = lua_getfield(L, -1, "values");
    if ((type != LUA_TNIL) != (option->type == OPTION_ENUM))
        shape_fail(L, &here, "values belong to an option of type \"enum\", and it needs them");
    if (type != LUA_TNIL) {
        int64_t count = shape_list(L, -1, &here, "values");
        struct str *values = arena_array(keep, struct str, (size_t)count + 1);
        for (int64_t i = 1; i <= count; i++) {
            if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
                shape_fail(L, &here, "must be strings, got %s", shape_describe(L, -1));
            values[i - 1] = shape_copy_string(L, -1, keep);
            lua_pop(L, 1);
        }
        if (count == 0)
            shape_fail(L, &here, "must name at least one");
        option->values = values;
        option->value_count = (uint32_t)count;
    }
    lua_pop(L, 1);
}

static bool fits_type(const struct option *option, struct value *value)
{
    switch (option->type) {
    case OPTION_INTEGER:
        return value->kind == VALUE_INT;
    case OPTION_NUMBER:
        if (value->kind == VALUE_INT)
            *value = (struct value){.kind = VALUE_REAL, .real = (double)value->integer};
        return value->kind == VALUE_REAL;
    case OPTION_BOOLEAN:
        return value->kind == VALUE_BOOL;
    default:
        return value->kind == VALUE_STRING;
    }
}

static void read_default(lua_State *L, const struct place *place, struct option *option, struct arena *keep)
{
    struct place here = place_key(place, "default");
    if (lua_getfield(L, -1, "default") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    struct value value = convert_to_value(L, -1, &here, keep);
    struct err err = {0};
    if (option->type == OPTION_SIZE) {
        if (value.kind == VALUE_STRING && !option_give(option, value.string, &err))
            shape_fail(L, &here, "%s", err.message);
        if (value.kind == VALUE_STRING)
            value = option->value;
        option->given = false;
    }
    if (!(option->type == OPTION_SIZE && value.kind == VALUE_INT) && !fits_type(option, &value))
        shape_fail(L, &here, "must be of the option's type %s, got %s", option_type_name(option->type),
                   shape_describe(L, -1));
    if (!option_check(option, &value, &err))
        shape_fail(L, &here, "%s", err.message);
    option->has_default = option->has_value = true;
    option->fallback = option->value = value;
    lua_pop(L, 1);
}

/* The row stands on top. */
static void read_row(lua_State *L, const struct session *session, const struct place *place, struct option *option,
                     struct arena *keep)
{
    shape_table(L, -1, place, "an option");
    shape_check_keys(L, -1, place, &shape_option);
    read_name(L, session, place, option, keep);
    shape_string(L, -1, place, "help", keep, &option->help);
    read_type(L, place, option, keep);
    option->has_low = shape_number(L, -1, place, "min", &option->low);
    option->has_high = shape_number(L, -1, place, "max", &option->high);
    bool numeric = option->type == OPTION_INTEGER || option->type == OPTION_NUMBER || option->type == OPTION_SIZE;
    if ((option->has_low || option->has_high) && !numeric)
        shape_fail(L, place, "min and max belong to numbers; the option is of type %s", option_type_name(option->type));
    read_values(L, place, option, keep);
    read_default(L, place, option, keep);
}

static void take_given(lua_State *L, struct session *session)
{
    struct option_set *set = &session->options;
    for (size_t i = 0; i < session->setup.given_count; i++) {
        const struct given_option *given = &session->setup.given[i];
        struct option *option = option_find(set, given->name);
        struct err err = {0};
        if (!option) {
            struct str best = session_suggest_option(session, given->name);
            state_fail(L, ERR_USAGE, "no option --%.*s%s%.*s%s", STR_ARG(given->name),
                       best.len ? "; did you mean --" : "", STR_ARG(best), best.len ? "?" : "");
        }
        if (!option_give(option, given->value, &err))
            state_fail(L, err.kind, "%s", err.message);
    }
}

static int unknown_option(lua_State *L)
{
    const char *name = luaL_tolstring(L, 2, NULL);
    struct session *session = state_of(L)->user;
    if (lua_type(L, 2) == LUA_TSTRING && option_find(&session->options, str_of(lua_tostring(L, 2)))) {
        lua_pushnil(L); /* declared, but neither given nor defaulted */
        return 1;
    }
    struct str best = option_suggest(&session->options, str_of(name));
    if (!best.len)
        return luaL_error(L, "no option \"%s\" is declared", name);
    lua_pushlstring(L, best.data, best.len); /* the store ends no name with a zero byte, which "%s" would need */
    return luaL_error(L, "no option \"%s\" is declared; did you mean \"%s\"?", name, lua_tostring(L, -1));
}

static void push_values(lua_State *L, const struct option_set *set)
{
    lua_createtable(L, 0, (int)set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        if (!set->options[i].has_value)
            continue;
        lua_pushlstring(L, set->options[i].name.data, set->options[i].name.len);
        convert_push(L, &set->options[i].value);
        lua_rawset(L, -3);
    }
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, unknown_option);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "options");
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}

int option_read(lua_State *L)
{
    struct session *session = state_of(L)->user;
    struct option_set *set = &session->options;
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    lua_pushvalue(L, 1);
    if (set->declared)
        shape_fail(L, &place, "sim.options may be called once");
    int64_t count = shape_list(L, -1, &place, "what sim.options is given");
    struct option *options = arena_array(&session->keep, struct option, (size_t)count + 1);
    set->options = options;
    for (int64_t i = 1; i <= count; i++) {
        struct place row = place_index(&place, i);
        lua_rawgeti(L, -1, i);
        read_row(L, session, &row, &options[i - 1], &session->keep);
        if (option_find(set, options[i - 1].name))
            shape_fail(L, &row, "the option \"%.*s\" is declared twice", STR_ARG(options[i - 1].name));
        set->count++;
        lua_pop(L, 1);
    }
    set->declared = true;
    take_given(L, session);
    struct err err = {0};
    if (!session->setup.reader.declared(session->setup.reader.self, set, &err))
        state_fail(L, err.kind, "%s", err.message);
    push_values(L, set);
    return 1;
}
