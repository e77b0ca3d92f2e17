#include "script/shape.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/suggest.h"
#include "base/utf8.h"

/* Pushes "FILE:LINE" of the Lua code that called the running C function. */
static const char *push_caller(lua_State *L)
{
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0)
            return lua_pushfstring(L, "%s:%d", frame.short_src, frame.currentline);
    }
    return lua_pushliteral(L, "the scenario");
}

struct place place_of_caller(lua_State *L)
{
    return (struct place){.where = push_caller(L)};
}

struct place place_of_running_call(void)
{
    return (struct place){.function = 0};
}

struct place place_of_function(int reference)
{
    return (struct place){.function = reference};
}

struct place place_str(const struct place *outer, struct str key)
{
    return (struct place){.outer = outer, .key = key.data ? key : STR("")};
}

struct place place_index(const struct place *outer, int64_t index)
{
    return (struct place){.outer = outer, .index = index};
}

/* A key that is a Lua name (or a method, `agent:call`) reads `.key`, any other `["key"]`. */
static bool is_name(struct str key)
{
    if (key.len == 0 || (key.data[0] >= '0' && key.data[0] <= '9'))
        return false;
    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':'))
            return false;
    }
    return true;
}

static void add_outermost(lua_State *L, struct strbuf *out, const struct place *place)
{
    if (place->where || place->function == 0) {
        strbuf_addf(out, "%s", place->where ? place->where : push_caller(L));
        return;
    }
    lua_Debug frame;
    lua_rawgeti(L, LUA_REGISTRYINDEX, place->function);
    lua_getinfo(L, ">S", &frame);
    strbuf_addf(out, "%s:%d", frame.short_src, frame.linedefined);
}

static void add_place(lua_State *L, struct strbuf *out, const struct place *place)
{
    if (!place->outer) {
        add_outermost(L, out, place);
        return;
    }
    add_place(L, out, place->outer);
    bool first = place->outer->outer == NULL;
    struct str key = utf8_prefix(place->key, 60);
    strbuf_addf(out, "%s", first ? ": " : "");
    if (!place->key.data)
        strbuf_addf(out, "[%lld]", (long long)place->index);
    else if (is_name(place->key))
        strbuf_addf(out, "%s%.*s", first ? "" : ".", STR_ARG(key));
    else {
        strbuf_add(out, STR("[\""));
        utf8_escape(out, key, true);
        strbuf_add(out, STR("\"]"));
    }
}

void shape_fail(lua_State *L, const struct place *place, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct arena scratch;
    arena_init(&scratch);
    struct strbuf out;
    strbuf_init(&out, &scratch, 4096);
    add_place(L, &out, place);
    strbuf_addf(&out, ": %s", message);
    lua_settop(L, 0); /* room, whatever stood there */
    lua_pushlstring(L, out.data, out.len < 4000 ? out.len : 4000);
    arena_close(&scratch);
    lua_error(L);
    UNREACHABLE();
    __builtin_unreachable();
}

const char *shape_describe(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TSTRING: {
        struct str text;
        char room[512]; /* of 40 escapes */
        text.data = lua_tolstring(L, index, &text.len);
        struct str start = utf8_prefix(text, 40);
        struct str shown = shape_escaped(start, room, sizeof room - 1);
        room[shown.len] = '\0';
        return lua_pushfstring(L, "the string \"%s%s\"", room, start.len < text.len ? "..." : "");
    }
    case LUA_TNUMBER:
        lua_pushvalue(L, index);
        return lua_pushfstring(L, "the number %s", lua_tostring(L, -1));
    case LUA_TBOOLEAN:
        return lua_toboolean(L, index) ? "true" : "false";
    case LUA_TNIL:
    case LUA_TNONE:
        return "nil";
    default:
        return lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
}

void shape_table(lua_State *L, int index, const struct place *place, const char *what)
{
    if (!lua_istable(L, index))
        shape_fail(L, place, "%s must be a table, got %s", what, shape_describe(L, index));
}

struct str shape_escaped(struct str name, char *room, size_t size)
{
    struct arena scratch;
    struct strbuf out;
    arena_init(&scratch);
    strbuf_init(&out, &scratch, size);
    utf8_escape(&out, utf8_prefix(name, 60), true);
    if (out.len > 0)
        memcpy(room, out.data, out.len);
    struct str shown = {room, out.len};
    arena_close(&scratch);
    return shown;
}

void shape_fail_unknown(lua_State *L, const struct place *place, const char *what, struct str name, struct str best)
{
    char room[256];
    struct str shown = shape_escaped(name, room, sizeof room);
    if (best.len)
        shape_fail(L, place, "unknown %s \"%.*s\"; did you mean \"%.*s\"?", what, STR_ARG(shown), STR_ARG(best));
    shape_fail(L, place, "unknown %s \"%.*s\"", what, STR_ARG(shown));
}

static const struct field *find_field(const struct shape *shape, struct str key)
{
    for (const struct field *field = shape->fields; field->name; field++) {
        size_t same = 0;
        while (same < key.len && field->name[same] != '\0' && field->name[same] == key.data[same])
            same++;
        if (same == key.len && field->name[same] == '\0')
            return field;
    }
    return NULL;
}

_Noreturn static void fail_unknown_key(lua_State *L, const struct place *place, const struct shape *shape,
                                       struct str key)
{
    struct suggest suggest;
    suggest_init(&suggest, key);
    for (const struct field *field = shape->fields; field->name; field++) {
        if (!field->unbuilt)
            suggest_offer(&suggest, str_of(field->name));
    }
    shape_fail_unknown(L, place, "key", key, suggest.best);
}

/* Orders keys by type, then value, so that of several wrong keys the same one is named on every run. */
static bool key_before(lua_State *L, int a, int b)
{
    if (lua_type(L, a) != lua_type(L, b))
        return lua_type(L, a) < lua_type(L, b);
    if (lua_type(L, a) == LUA_TNUMBER || lua_type(L, a) == LUA_TSTRING)
        return lua_compare(L, a, b, LUA_OPLT);
    return false;
}

/* Pushes the first key, in that order, that `wrong` says yes to; false (nothing pushed) when there is none. */
static bool find_wrong_key(lua_State *L, int index, bool (*wrong)(lua_State *, const void *), const void *argument)
{
    index = lua_absindex(L, index);
    lua_pushnil(L); /* the best so far */
    int best = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (wrong(L, argument) && (lua_isnil(L, best) || key_before(L, -1, best)))
            lua_copy(L, -1, best);
    }
    if (!lua_isnil(L, best))
        return true;
    lua_pop(L, 1);
    return false;
}

static bool is_wrong_name(lua_State *L, const void *shape)
{
    if (lua_isinteger(L, -1) && lua_tointeger(L, -1) == 1)
        return !find_field(shape, STR(FIELD_FIRST));
    if (lua_type(L, -1) != LUA_TSTRING)
        return true;
    struct str key;
    key.data = lua_tolstring(L, -1, &key.len);
    const struct field *field = find_field(shape, key);
    return !field || field->unbuilt || str_eq(key, STR(FIELD_FIRST));
}

void shape_check_keys(lua_State *L, int index, const struct place *place, const struct shape *shape)
{
    if (!find_wrong_key(L, index, is_wrong_name, shape))
        return;
    if (lua_type(L, -1) != LUA_TSTRING)
        shape_fail(L, place, "a key is %s; only named keys belong here", shape_describe(L, -1));
    struct str key;
    key.data = lua_tolstring(L, -1, &key.len);
    if (!find_field(shape, key))
        fail_unknown_key(L, place, shape, key);
    shape_fail(L, place, "\"%s\" is not part of simagent " SIMAGENT_VERSION, key.data);
}

/* What the table itself does not have, its metatable may. */
static void push_inherited(lua_State *L, int index, const struct shape *shape, int first)
{
    if (!lua_getmetatable(L, index))
        return;
    lua_pop(L, 1);
    for (int i = 0; shape->fields[i].name; i++) {
        if (!lua_isnil(L, first + i))
            continue;
        lua_getfield(L, index, shape->fields[i].name);
        lua_replace(L, first + i);
    }
}

int shape_push_fields(lua_State *L, int index, const struct place *place, const struct shape *shape)
{
    int count = 0;
    while (shape->fields[count].name)
        count++;
    if (!lua_checkstack(L, count + 4))
        shape_fail(L, place, "there is no room on the stack to read a table");
    int first = lua_gettop(L) + 1;
    lua_settop(L, first + count); /* one more nil: the key to begin with */
    while (lua_next(L, index)) {
        struct str key = {0};
        if (lua_type(L, -2) == LUA_TSTRING)
            key.data = lua_tolstring(L, -2, &key.len);
        const struct field *field = find_field(shape, key);
        if (!field || field->unbuilt) {
            lua_settop(L, first - 1);
            shape_check_keys(L, index, place, shape); /* raises, and chooses which of several it names */
            UNREACHABLE();
        }
        lua_replace(L, first + (int)(field - shape->fields));
    }
    push_inherited(L, index, shape, first);
    return first;
}

struct str shape_copy_string(lua_State *L, int index, struct arena *arena)
{
    struct str text;
    text.data = lua_tolstring(L, index, &text.len);
    if (text.len >= UINT32_MAX)
        luaL_error(L, "a string of %d MiB is too long: 4 GiB is the limit", (int)(text.len >> 20));
    return str_copy(arena, text);
}

bool shape_string(lua_State *L, int index, const struct place *place, const char *key, struct arena *arena,
                  struct str *out)
{
    int type = lua_getfield(L, index, key);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        struct place here = place_key(place, key);
        shape_fail(L, &here, "must be a string, got %s", shape_describe(L, -1));
    }
    if (type == LUA_TSTRING)
        *out = shape_copy_string(L, -1, arena);
    lua_pop(L, 1);
    return type == LUA_TSTRING;
}

bool shape_integer(lua_State *L, int index, const struct place *place, const char *key, int64_t low, int64_t high,
                   int64_t *out)
{
    if (lua_getfield(L, index, key) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    struct place here = place_key(place, key);
    int whole = 0;
    lua_Integer value = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
    if (!whole)
        shape_fail(L, &here, "must be an integer, got %s", shape_describe(L, -1));
    if (value < low || value > high)
        shape_fail(L, &here, "must be from %lld to %lld, got %lld", (long long)low, (long long)high, (long long)value);
    *out = value;
    lua_pop(L, 1);
    return true;
}

bool shape_number(lua_State *L, int index, const struct place *place, const char *key, double *out)
{
    int type = lua_getfield(L, index, key);
    struct place here = place_key(place, key);
    if (type != LUA_TNIL && type != LUA_TNUMBER)
        shape_fail(L, &here, "must be a number, got %s", shape_describe(L, -1));
    if (type == LUA_TNUMBER)
        *out = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return type == LUA_TNUMBER;
}

bool shape_boolean(lua_State *L, int index, const struct place *place, const char *key, bool *out)
{
    int type = lua_getfield(L, index, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN) {
        struct place here = place_key(place, key);
        shape_fail(L, &here, "must be true or false, got %s", shape_describe(L, -1));
    }
    if (type == LUA_TBOOLEAN)
        *out = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return type == LUA_TBOOLEAN;
}

static bool is_no_position(lua_State *L, const void *unused)
{
    (void)unused;
    return !lua_isinteger(L, -1);
}

/* Counts the keys; those that are 1 to the length too.  `in_order` says that they came as 1, 2, 3 …, as they do when a
 * constructor or appending made the list: then nothing else needs to be looked at. */
static int64_t count_keys(lua_State *L, int index, int64_t *positions, bool *in_order)
{
    int64_t keys = 0;
    lua_Unsigned length = lua_rawlen(L, index);
    *positions = 0;
    *in_order = true;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        keys++;
        bool position = lua_isinteger(L, -1) && (lua_Unsigned)lua_tointeger(L, -1) - 1 < length;
        *positions += position;
        *in_order = *in_order && position && lua_tointeger(L, -1) == keys;
    }
    return keys;
}

int64_t shape_list(lua_State *L, int index, const struct place *place, const char *what)
{
    int64_t positions;
    bool in_order;
    shape_table(L, index, place, what);
    index = lua_absindex(L, index);
    int64_t keys = count_keys(L, index, &positions, &in_order);
    if (in_order)
        return keys;
    if (positions != keys && find_wrong_key(L, index, is_no_position, NULL))
        shape_fail(L, place, "%s must be a list, but one key is %s", what, shape_describe(L, -1));
    if (positions != keys || keys != (int64_t)lua_rawlen(L, index))
        shape_fail(L, place, "%s must be a list without holes", what);
    return keys;
}
