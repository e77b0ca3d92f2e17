#include "script/convert.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sort.h"

#define DEPTH_MAX 64
#define PARTS_MAX 1000000
#define FEW 8 /* members of an object that is read in one pass */

static const char null_key = 0;
static const char array_key = 0;

void convert_push_null(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)&null_key);
}

void convert_push_array_mark(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushliteral(L, "array");
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &array_key);
}

struct conversion {
    lua_State *L;
    struct arena *arena;
    int parts;
    int depth;
};

static struct value convert(struct conversion *work, int index, const struct place *place);

static void count_part(struct conversion *work, const struct place *place)
{
    if (++work->parts > PARTS_MAX)
        shape_fail(work->L, place, "the value has more than %d parts", PARTS_MAX);
}

static bool is_marked_array(lua_State *L, int index)
{
    if (!lua_getmetatable(L, index))
        return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key);
    bool marked = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return marked;
}

/* Counts keys: all must be 1..n for an array, strings for an object. */
static size_t count_keys(struct conversion *work, int index, const struct place *place, bool *array)
{
    lua_State *L = work->L;
    size_t strings = 0;
    size_t integers = 0;
    size_t positions = 0; /* integers from 1 to the length */
    bool others = false;
    lua_Unsigned length = lua_rawlen(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        bool integer = lua_isinteger(L, -1);
        bool string = lua_type(L, -1) == LUA_TSTRING;
        strings += string;
        integers += integer;
        positions += integer && (lua_Unsigned)lua_tointeger(L, -1) - 1 < length;
        others = others || !(string || integer);
    }
    bool marked = is_marked_array(L, index);
    if (others)
        shape_fail(L, place, "only strings or 1..n can be keys of data");
    if (strings && (integers || marked))
        shape_fail(L, place, "a table must be a list or have named keys, not both");
    if (integers != positions || (integers && integers != length))
        shape_fail(L, place, "a list must be 1..n without holes");
    *array = marked || integers > 0;
    return strings + integers;
}

static struct value convert_array(struct conversion *work, int index, const struct place *place, size_t count)
{
    struct value *items = arena_array(work->arena, struct value, count);
    for (size_t i = 0; i < count; i++) {
        struct place here = place_index(place, (int64_t)i + 1);
        lua_rawgeti(work->L, index, (lua_Integer)i + 1);
        items[i] = convert(work, lua_gettop(work->L), &here);
        lua_pop(work->L, 1);
    }
    return (struct value){.kind = VALUE_ARRAY, .count = count, .items = items};
}

static int by_key(const void *a, const void *b)
{
    const struct member *left = a;
    const struct member *right = b;
    return str_cmp(left->key, right->key);
}

/* Of the pair on top: the key, and the value if it cannot be wrong; else the value stays VALUE_NULL. */
static struct member read_member(struct conversion *work)
{
    lua_State *L = work->L;
    struct member member = {.key = shape_copy_string(L, -2, work->arena)};
    if (lua_type(L, -1) == LUA_TSTRING)
        member.value = (struct value){.kind = VALUE_STRING, .string = shape_copy_string(L, -1, work->arena)};
    else if (lua_isinteger(L, -1))
        member.value = (struct value){.kind = VALUE_INT, .integer = lua_tointeger(L, -1)};
    return member;
}

static void collect_members(struct conversion *work, int index, struct member *members)
{
    lua_pushnil(work->L);
    while (lua_next(work->L, index)) {
        *members++ = read_member(work);
        lua_pop(work->L, 1);
    }
}

/* The members of what nearly every call has: a plain table with some named keys.  False, and nothing is read, if it is
 * something else. */
static bool collect_few(struct conversion *work, int index, struct member members[FEW], size_t *count)
{
    lua_State *L = work->L;
    *count = 0;
    if (lua_getmetatable(L, index)) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (lua_type(L, -2) != LUA_TSTRING || *count == FEW) {
            lua_pop(L, 2);
            return false;
        }
        members[(*count)++] = read_member(work);
        lua_pop(L, 1);
    }
    return true;
}

/* Lua has no order of keys; byte order is ours, also for which of two errors is told. */
static struct value convert_members(struct conversion *work, int index, const struct place *place,
                                    struct member *members, size_t count)
{
    lua_State *L = work->L;
    sort_stable(work->arena, members, count, sizeof *members, by_key);
    for (size_t i = 0; i < count; i++) {
        struct place here = place_str(place, members[i].key);
        if (members[i].value.kind != VALUE_NULL) {
            count_part(work, &here);
            continue;
        }
        lua_pushlstring(L, members[i].key.data, members[i].key.len);
        lua_rawget(L, index);
        members[i].value = convert(work, lua_gettop(L), &here);
        lua_pop(L, 1);
    }
    return (struct value){.kind = VALUE_OBJECT, .count = count, .members = members};
}

static struct value convert_object(struct conversion *work, int index, const struct place *place, size_t count)
{
    struct member *members = count ? arena_array_unset(work->arena, struct member, count) : NULL;
    collect_members(work, index, members);
    return convert_members(work, index, place, members, count);
}

static struct value convert_few(struct conversion *work, int index, const struct place *place,
                                const struct member *few, size_t count)
{
    struct member *members = count ? arena_array_unset(work->arena, struct member, count) : NULL;
    for (size_t i = 0; i < count; i++)
        members[i] = few[i];
    return convert_members(work, index, place, members, count);
}

static struct value convert_table(struct conversion *work, int index, const struct place *place)
{
    if (++work->depth > DEPTH_MAX)
        shape_fail(work->L, place, "the table is nested more than %d deep (or holds itself)", DEPTH_MAX);
    if (!lua_checkstack(work->L, 8))
        shape_fail(work->L, place, "the table is nested too deeply");
    bool array;
    size_t count;
    struct member few[FEW];
    struct value value;
    if (collect_few(work, index, few, &count)) {
        value = convert_few(work, index, place, few, count);
    } else {
        count = count_keys(work, index, place, &array);
        value = array ? convert_array(work, index, place, count) : convert_object(work, index, place, count);
    }
    work->depth--;
    return value;
}

static struct value convert_number(lua_State *L, int index, const struct place *place)
{
    if (lua_isinteger(L, index))
        return (struct value){.kind = VALUE_INT, .integer = lua_tointeger(L, index)};
    double real = lua_tonumber(L, index);
    if (!isfinite(real))
        shape_fail(L, place, "%s is not a number that JSON knows", isnan(real) ? "nan" : "inf");
    return (struct value){.kind = VALUE_REAL, .real = real};
}

static struct value convert(struct conversion *work, int index, const struct place *place)
{
    lua_State *L = work->L;
    count_part(work, place);
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        return (struct value){.kind = VALUE_NULL};
    case LUA_TBOOLEAN:
        return (struct value){.kind = VALUE_BOOL, .boolean = lua_toboolean(L, index)};
    case LUA_TNUMBER:
        return convert_number(L, index, place);
    case LUA_TSTRING:
        return (struct value){.kind = VALUE_STRING, .string = shape_copy_string(L, index, work->arena)};
    case LUA_TTABLE:
        return convert_table(work, index, place);
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(L, index) == &null_key)
            return (struct value){.kind = VALUE_NULL};
        break;
    default:
        break;
    }
    shape_fail(L, place, "%s cannot be data", shape_describe(L, index));
}

struct value convert_to_value(lua_State *L, int index, const struct place *place, struct arena *arena)
{
    struct conversion work = {.L = L, .arena = arena};
    return convert(&work, lua_absindex(L, index), place);
}

static void push_array(lua_State *L, const struct value *value)
{
    lua_createtable(L, value->count < 1 << 20 ? (int)value->count : 0, 0);
    for (size_t i = 0; i < value->count; i++) {
        convert_push(L, &value->items[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    convert_push_array_mark(L);
    lua_setmetatable(L, -2);
}

static void push_object(lua_State *L, const struct value *value)
{
    lua_createtable(L, 0, value->count < 1 << 20 ? (int)value->count : 0);
    for (size_t i = 0; i < value->count; i++) {
        lua_pushlstring(L, value->members[i].key.data, value->members[i].key.len);
        convert_push(L, &value->members[i].value);
        lua_rawset(L, -3);
    }
}

void convert_push(lua_State *L, const struct value *value)
{
    lua_checkstack(L, 8); /* depth is capped on the way in, so this cannot run out */
    switch (value->kind) {
    case VALUE_NULL:
        convert_push_null(L);
        return;
    case VALUE_BOOL:
        lua_pushboolean(L, value->boolean);
        return;
    case VALUE_INT:
        lua_pushinteger(L, value->integer);
        return;
    case VALUE_REAL:
        lua_pushnumber(L, value->real);
        return;
    case VALUE_STRING:
        lua_pushlstring(L, value->string.data ? value->string.data : "", value->string.len);
        return;
    case VALUE_ARRAY:
        push_array(L, value);
        return;
    case VALUE_OBJECT:
        push_object(L, value);
        return;
    }
}
