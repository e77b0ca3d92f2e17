/* Tables in an order that never changes: pairs, next, sort; and setmetatable without finalizers. */
#include "script/sandbox_own.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/str.h"
#include "script/state.h"

#define SORT_MAX ((lua_Integer)1 << 24)
#define PAIRS_MAX ((lua_Integer)1 << 26)
#define POLL_EVERY 4096 /* keys looked at between two questions whether the script must stop */

enum key_kind { KEY_INTEGER, KEY_FLOAT, KEY_STRING, KEY_FALSE, KEY_TRUE };

/* One key of a table; a string's bytes belong to Lua and stay while the table holds the key. */
struct key {
    enum key_kind kind;
    int32_t index; /* of this key in the table of keys */
    union {
        lua_Integer integer;
        lua_Number number;
        struct str text;
    } value;
};

/* A float key is never a whole number that fits an integer: Lua makes it an integer then. */
static bool integer_less_float(lua_Integer integer, lua_Number number)
{
    if (number >= 0x1p63)
        return true;
    return number > -0x1p63 && integer <= (lua_Integer)floor(number);
}

static int numbers_compare(const struct key *a, const struct key *b)
{
    if (a->kind == KEY_INTEGER && b->kind == KEY_INTEGER)
        return (a->value.integer > b->value.integer) - (a->value.integer < b->value.integer);
    if (a->kind == KEY_FLOAT && b->kind == KEY_FLOAT)
        return (a->value.number > b->value.number) - (a->value.number < b->value.number);
    if (a->kind == KEY_INTEGER)
        return integer_less_float(a->value.integer, b->value.number) ? -1 : 1;
    return integer_less_float(b->value.integer, a->value.number) ? 1 : -1;
}

/* No two keys of one table are equal. */
static int keys_compare(const struct key *a, const struct key *b)
{
    if (a->kind <= KEY_FLOAT && b->kind <= KEY_FLOAT)
        return numbers_compare(a, b);
    if (a->kind == KEY_STRING && b->kind == KEY_STRING)
        return str_cmp(a->value.text, b->value.text);
    return (int)a->kind - (int)b->kind;
}

static int keys_compare_void(const void *a, const void *b)
{
    return keys_compare(a, b);
}

/* The key at the top of the stack, which stays there. */
static struct key key_read(lua_State *L, const char *function)
{
    struct key key = {.kind = KEY_INTEGER};
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        key.kind = lua_isinteger(L, -1) ? KEY_INTEGER : KEY_FLOAT;
        if (key.kind == KEY_INTEGER)
            key.value.integer = lua_tointeger(L, -1);
        else
            key.value.number = lua_tonumber(L, -1);
        break;
    case LUA_TSTRING:
        key.kind = KEY_STRING;
        key.value.text.data = lua_tolstring(L, -1, &key.value.text.len);
        break;
    case LUA_TBOOLEAN:
        key.kind = lua_toboolean(L, -1) ? KEY_TRUE : KEY_FALSE;
        break;
    default:
        /* Which key is met first differs from run to run, so the message names none. */
        luaL_error(L, "%s: a table whose keys are not all numbers, strings or booleans has no order that is the same "
                      "in every run", function);
    }
    return key;
}

/* Counts the keys of the table at 1; `*is_sequence` if they are exactly 1..count. */
static lua_Integer keys_count(lua_State *L, bool *is_sequence)
{
    lua_Integer count = 0;
    bool positive = true;
    lua_Integer highest = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        positive = positive && key > 0;
        highest = key > highest ? key : highest;
        if (++count % POLL_EVERY == 0)
            state_poll(L);
    }
    *is_sequence = positive && highest == count;
    return count;
}

/* Iterator of a table whose keys are 1..n: upvalues n and the last index. */
static int sequence_step(lua_State *L)
{
    lua_Integer count = lua_tointeger(L, lua_upvalueindex(1));
    lua_Integer index = lua_tointeger(L, lua_upvalueindex(2));
    luaL_checktype(L, 1, LUA_TTABLE);
    while (index < count) {
        lua_pushinteger(L, ++index);
        if (lua_rawgeti(L, 1, index) != LUA_TNIL) {
            lua_pushinteger(L, index);
            lua_replace(L, lua_upvalueindex(2));
            return 2;
        }
        lua_pop(L, 2);
    }
    lua_pushinteger(L, index);
    lua_replace(L, lua_upvalueindex(2));
    lua_pushnil(L);
    return 1;
}

/* Iterator over a snapshot: upvalues keys (Lua table), order (array of struct key), count and the last position.  Keys
 * that lost their value meanwhile are skipped, as the script asked for when it removed them. */
static int snapshot_step(lua_State *L)
{
    const struct key *order = lua_touserdata(L, lua_upvalueindex(2));
    lua_Integer count = lua_tointeger(L, lua_upvalueindex(3));
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(4));
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    while (at < count) {
        lua_rawgeti(L, lua_upvalueindex(1), order[at++].index);
        lua_pushvalue(L, 2);
        if (lua_rawget(L, 1) != LUA_TNIL)
            break;
        lua_settop(L, 1);
    }
    lua_pushinteger(L, at);
    lua_replace(L, lua_upvalueindex(4));
    if (lua_gettop(L) == 3)
        return 2;
    lua_pushnil(L);
    return 1;
}

/* Pushes the iterator over the keys of the table at 1 in their order. */
static void snapshot_push(lua_State *L, int count)
{
    lua_createtable(L, count, 0);
    int keys = lua_gettop(L);
    struct key *order = lua_newuserdatauv(L, (size_t)count * sizeof *order, 0);
    int32_t at = 0;
    lua_pushnil(L);
    while (at < count && lua_next(L, 1)) {
        lua_pop(L, 1);
        order[at] = key_read(L, "pairs");
        order[at].index = at + 1;
        lua_pushvalue(L, -1);
        lua_rawseti(L, keys, ++at);
    }
    CHECK(at == count);
    lua_settop(L, keys + 1);
    struct arena scratch;
    arena_init(&scratch);
    sort_stable(&scratch, order, (size_t)count, sizeof *order, keys_compare_void);
    arena_close(&scratch);
    lua_pushinteger(L, count);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, snapshot_step, 4);
}

int sandbox_table_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pop(L, 1);
        return lua_tocfunction(L, lua_upvalueindex(1))(L);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    bool is_sequence;
    lua_Integer count = keys_count(L, &is_sequence);
    luaL_argcheck(L, count < PAIRS_MAX, 1, "table too big");
    if (is_sequence) {
        lua_pushinteger(L, count);
        lua_pushinteger(L, 0);
        lua_pushcclosure(L, sequence_step, 2);
    } else {
        snapshot_push(L, (int)count);
    }
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

int sandbox_table_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2))
        return luaL_error(L, "next(t, k) is not available: walk the table with pairs(t) (stock Lua's order of keys "
                             "is not the same in every run)");
    lua_settop(L, 1);
    struct key first = {.kind = KEY_INTEGER};
    lua_Integer count = 0;
    lua_pushnil(L); /* at 2: the least key so far */
    for (lua_pushnil(L); lua_next(L, 1);) {
        lua_pop(L, 1);
        struct key key = key_read(L, "next");
        if (count == 0 || keys_compare(&key, &first) < 0) {
            first = key;
            lua_copy(L, -1, 2);
        }
        if (++count % POLL_EVERY == 0)
            state_poll(L);
    }
    if (count == 0)
        return 1;
    lua_pushvalue(L, 2);
    lua_rawget(L, 1);
    return 2;
}

/* Sorting moves indexes into a table of the values, which is at VALUES; the comparator is at 2. */
#define VALUES 3

static bool value_less(lua_State *L, int32_t a, int32_t b)
{
    bool less;
    if (lua_isnil(L, 2)) {
        lua_rawgeti(L, VALUES, a);
        lua_rawgeti(L, VALUES, b);
        less = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    } else {
        lua_pushvalue(L, 2);
        lua_rawgeti(L, VALUES, a);
        lua_rawgeti(L, VALUES, b);
        lua_call(L, 2, 1);
        less = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    state_poll(L);
    return less;
}

/* Merges [low, middle) and [middle, high) of `from` into `to`.  The right one goes first only if it is less: stable,
 * and an answer that contradicts an earlier one cannot make it loop. */
static void merge_runs(lua_State *L, const int32_t *from, int32_t *to, size_t low, size_t middle, size_t high)
{
    size_t left = low;
    size_t right = middle;
    size_t at = low;
    if (middle < high && value_less(L, from[middle], from[middle - 1]))
        while (left < middle && right < high)
            to[at++] = value_less(L, from[right], from[left]) ? from[right++] : from[left++];
    memcpy(to + at, from + left, (middle - left) * sizeof *to);
    at += middle - left;
    memcpy(to + at, from + right, (high - right) * sizeof *to);
}

/* Bottom-up merge sort of the indexes 1..count; `order` has room for two arrays.  Returns the sorted one. */
static int32_t *merge_sort(lua_State *L, int32_t *order, size_t count)
{
    int32_t *from = order;
    int32_t *to = order + count;
    for (size_t i = 0; i < count; i++)
        from[i] = (int32_t)i + 1;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = middle + width < count ? middle + width : count;
            merge_runs(L, from, to, low, middle, high);
        }
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* Stock Lua's rule: a table, or anything that can be read, written and measured like one. */
static void check_table_like(lua_State *L)
{
    static const char *const fields[] = {"__index", "__newindex", "__len"};
    for (size_t i = 0; i < ARRAY_LEN(fields) && lua_type(L, 1) != LUA_TTABLE; i++)
        if (luaL_getmetafield(L, 1, fields[i]) == LUA_TNIL)
            luaL_checktype(L, 1, LUA_TTABLE);
}

int sandbox_table_sort(lua_State *L)
{
    check_table_like(L);
    lua_Integer count = luaL_len(L, 1);
    if (count <= 1)
        return 0;
    luaL_argcheck(L, count <= SORT_MAX, 1, "array too big");
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_newtable(L); /* not sized: a lying __len shall not cost memory before the values are there */
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, 1, i);
        lua_rawseti(L, VALUES, i);
        state_poll(L);
    }
    int32_t *order = lua_newuserdatauv(L, (size_t)count * 2 * sizeof *order, 0);
    const int32_t *sorted = merge_sort(L, order, (size_t)count);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, VALUES, sorted[i - 1]);
        lua_seti(L, 1, i);
        state_poll(L);
    }
    return 0;
}

int sandbox_table_setmetatable(lua_State *L)
{
    static const char *const refused[] = {"__gc", "__mode"};
    for (size_t i = 0; i < ARRAY_LEN(refused) && lua_istable(L, 2); i++) {
        lua_pushstring(L, refused[i]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "setmetatable refuses %s: weak tables and finalizers would make a run depend on the "
                                 "collector", refused[i]);
        lua_pop(L, 1);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}
