#include "script/names.h"

#include <lauxlib.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "script/shape.h"

#define NAMES_MAX 64

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The names of the table at 1, in byte order, so that the same one is offered on every run. */
static size_t collect(lua_State *L, struct arena *arena, struct str names[NAMES_MAX])
{
    size_t count = 0;
    lua_pushnil(L);
    while (count < NAMES_MAX && lua_next(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING) { /* a script may have put others in by rawset */
            names[count].data = lua_tolstring(L, -2, &names[count].len);
            count++;
        }
        lua_pop(L, 1);
    }
    sort_stable(arena, names, count, sizeof *names, by_bytes);
    return count;
}

/* Writes what there is instead, and pushes it: "did you mean …", or all of it. */
static void push_hint(lua_State *L, struct str wanted)
{
    struct str names[NAMES_MAX];
    struct arena scratch;
    struct strbuf all;
    struct suggest suggest;
    arena_init(&scratch);
    strbuf_init(&all, &scratch, 2048);
    suggest_init(&suggest, wanted);
    size_t count = collect(L, &scratch, names);
    for (size_t i = 0; i < count; i++) {
        suggest_offer(&suggest, names[i]);
        strbuf_addf(&all, "%s%.*s", i ? ", " : "; it has ", STR_ARG(names[i]));
    }
    if (suggest.best.len) {
        strbuf_init(&all, &scratch, 2048);
        strbuf_addf(&all, "; did you mean \"%.*s\"?", STR_ARG(suggest.best));
    }
    char text[2048];
    size_t length = all.len;
    if (length > 0)
        memcpy(text, all.data, length);
    arena_close(&scratch); /* before anything that may raise */
    lua_pushlstring(L, text, length);
}

static int no_such_name(lua_State *L)
{
    const char *what = lua_tostring(L, lua_upvalueindex(1));
    struct str wanted = {0};
    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "%s has named fields only, got a %s", what, luaL_typename(L, 2));
    wanted.data = lua_tolstring(L, 2, &wanted.len);
    push_hint(L, wanted);
    char room[256];
    struct str shown = shape_escaped(wanted, room, sizeof room - 1);
    room[shown.len] = '\0';
    return luaL_error(L, "%s has no field \"%s\"%s", what, room, lua_tostring(L, -1));
}

static int refuse_new_name(lua_State *L)
{
    return luaL_error(L, "%s cannot be changed", lua_tostring(L, lua_upvalueindex(1)));
}

void names_seal(lua_State *L, const char *what)
{
    lua_createtable(L, 0, 3);
    lua_pushstring(L, what);
    lua_pushcclosure(L, no_such_name, 1);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, what);
    lua_pushcclosure(L, refuse_new_name, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushliteral(L, "simagent");
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}
