/* Text without addresses: tostring, format, print; and load for text alone. */
#include "script/sandbox_own.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>

#include "base/str.h"
#include "script/sandbox.h"
#include "script/state.h"

#define PRINT_MAX ((size_t)64 << 10)
#define PRINT_NOTE "\nprint: more than 64 KiB, the rest is left out\n"

static bool is_nan(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TNUMBER && !lua_isinteger(L, index) &&
           lua_tonumber(L, index) != lua_tonumber(L, index);
}

static void push_basic_text(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (is_nan(L, index)) {
            lua_pushliteral(L, "nan");
            break;
        }
        lua_pushvalue(L, index);
        lua_tolstring(L, -1, NULL);
        break;
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNIL:
        lua_pushliteral(L, "nil");
        break;
    default:
        if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING)
            break;
        lua_pushstring(L, luaL_typename(L, index));
    }
}

void sandbox_push_text(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 4, NULL);
    if (!luaL_callmeta(L, index, "__tostring"))
        push_basic_text(L, index);
    else if (!lua_isstring(L, -1))
        luaL_error(L, "'__tostring' must return a string");
}

int sandbox_text_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    sandbox_push_text(L, 1);
    return 1;
}

/* Makes the argument one that stock Lua prints the same on every machine. */
static void format_prepare(lua_State *L, char conversion, int argument)
{
    if (conversion == 'p')
        luaL_error(L, "string.format: '%%p' is not available: an address differs from run to run");
    if (argument > lua_gettop(L))
        return;
    if (is_nan(L, argument) && strchr("aAeEfFgG", conversion) != NULL) {
        lua_pushnumber(L, __builtin_nan(""));
        lua_replace(L, argument);
    } else if (conversion == 's' && (!lua_isstring(L, argument) || is_nan(L, argument))) {
        sandbox_push_text(L, argument);
        lua_replace(L, argument);
    }
}

/* Stock Lua's own function does the work, in this frame, so that its errors name the right place and argument. */
int sandbox_text_format(lua_State *L)
{
    size_t length;
    const char *format = luaL_checklstring(L, 1, &length);
    const char *end = format + length;
    int argument = 1;
    for (const char *at = format; at < end; at++) {
        if (*at != '%')
            continue;
        at++;
        if (at < end && *at == '%')
            continue;
        while (at < end && *at != '\0' && strchr("-+ #0123456789.", *at) != NULL)
            at++;
        if (at < end && *at != '\0')
            format_prepare(L, *at, ++argument);
    }
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* The parent reads this and makes it safe for a terminal; a closed stderr is no reason to stop. */
static void write_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDERR_FILENO, data, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        data += written;
        len -= (size_t)written;
    }
}

static void print_line(struct script_state *state, struct str line)
{
    if (state->silent || state->printed > PRINT_MAX)
        return;
    size_t room = PRINT_MAX - state->printed;
    if (line.len <= room) {
        write_all(line.data, line.len);
        state->printed += line.len;
        return;
    }
    write_all(line.data, room);
    size_t skip = room == 0; /* the last line has ended already */
    write_all(PRINT_NOTE + skip, sizeof PRINT_NOTE - 1 - skip);
    state->printed = PRINT_MAX + 1;
}

int sandbox_text_print(lua_State *L)
{
    int count = lua_gettop(L);
    luaL_Buffer line;
    luaL_checkstack(L, count + 8, "too many values to print");
    for (int i = 1; i <= count; i++)
        sandbox_push_text(L, i);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&line, '\t');
        lua_pushvalue(L, count + i);
        luaL_addvalue(&line);
    }
    luaL_addchar(&line, '\n');
    luaL_pushresult(&line);
    struct str text = {.data = NULL, .len = 0};
    text.data = lua_tolstring(L, -1, &text.len);
    print_line(state_of(L), text);
    return 0;
}

static int load_refused(lua_State *L, const char *why)
{
    luaL_pushfail(L);
    lua_pushstring(L, why);
    return 2;
}

int sandbox_text_load(lua_State *L)
{
    if (lua_isfunction(L, 1))
        return luaL_error(L, "load takes a string here, not a function that returns pieces");
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    const char *name = luaL_optstring(L, 2, text);
    const char *mode = luaL_optstring(L, 3, "t");
    if (strchr(mode, 't') == NULL || (length > 0 && text[0] == LUA_SIGNATURE[0]))
        return load_refused(L, "load takes text only, never bytecode");
    if (length > SANDBOX_SOURCE_MAX)
        return load_refused(L, "load takes at most 1 MiB of source");
    bool has_environment = !lua_isnone(L, 4);
    if (luaL_loadbufferx(L, text, length, name, "t") != LUA_OK) {
        luaL_pushfail(L);
        lua_insert(L, -2);
        return 2;
    }
    if (has_environment) {
        lua_pushvalue(L, 4);
        if (lua_setupvalue(L, -2, 1) == NULL)
            lua_pop(L, 1);
    }
    return 1;
}
