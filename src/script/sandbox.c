#include "script/sandbox.h"

#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "base/check.h"
#include "script/sandbox_own.h"

#define GLOBALS "" /* the library name of what is a global itself */

/* A name that a scenario finds.  Without an own function it is stock Lua's. */
struct allowed {
    const char *library;
    const char *name;
    lua_CFunction own;
};

struct absent {
    const char *name; /* dotted */
    const char *reason;
};

static const luaL_Reg stock_libraries[] = {
    {GLOBALS, luaopen_base},
    {"string", luaopen_string},
    {"table", luaopen_table},
    {"math", luaopen_math},
    {"utf8", luaopen_utf8},
};

static const struct allowed allow_list[] = {
    {GLOBALS, "assert", NULL},
    {GLOBALS, "error", NULL},
    {GLOBALS, "getmetatable", NULL},
    {GLOBALS, "ipairs", NULL},
    {GLOBALS, "load", sandbox_text_load},
    {GLOBALS, "next", sandbox_table_next},
    {GLOBALS, "pairs", sandbox_table_pairs},
    {GLOBALS, "pcall", NULL},
    {GLOBALS, "print", sandbox_text_print},
    {GLOBALS, "rawequal", NULL},
    {GLOBALS, "rawget", NULL},
    {GLOBALS, "rawlen", NULL},
    {GLOBALS, "rawset", NULL},
    {GLOBALS, "select", NULL},
    {GLOBALS, "setmetatable", sandbox_table_setmetatable},
    {GLOBALS, "tonumber", NULL},
    {GLOBALS, "tostring", sandbox_text_tostring},
    {GLOBALS, "type", NULL},
    {GLOBALS, "xpcall", sandbox_thread_xpcall},
    {GLOBALS, "_VERSION", NULL},
    {"coroutine", "close", sandbox_thread_close},
    {"coroutine", "create", sandbox_thread_create},
    {"coroutine", "isyieldable", sandbox_thread_isyieldable},
    {"coroutine", "resume", sandbox_thread_resume},
    {"coroutine", "running", sandbox_thread_running},
    {"coroutine", "status", sandbox_thread_status},
    {"coroutine", "wrap", sandbox_thread_wrap},
    {"coroutine", "yield", sandbox_thread_yield},
    {"math", "abs", NULL},
    {"math", "acos", sandbox_math_acos},
    {"math", "asin", sandbox_math_asin},
    {"math", "atan", sandbox_math_atan},
    {"math", "ceil", NULL},
    {"math", "cos", sandbox_math_cos},
    {"math", "deg", NULL},
    {"math", "exp", sandbox_math_exp},
    {"math", "floor", NULL},
    {"math", "fmod", NULL},
    {"math", "huge", NULL},
    {"math", "log", sandbox_math_log},
    {"math", "max", NULL},
    {"math", "maxinteger", NULL},
    {"math", "min", NULL},
    {"math", "mininteger", NULL},
    {"math", "modf", NULL},
    {"math", "pi", NULL},
    {"math", "rad", NULL},
    {"math", "random", sandbox_math_random},
    {"math", "randomseed", sandbox_math_randomseed},
    {"math", "sin", sandbox_math_sin},
    {"math", "sqrt", NULL},
    {"math", "tan", sandbox_math_tan},
    {"math", "tointeger", NULL},
    {"math", "type", NULL},
    {"math", "ult", NULL},
    {"os", "clock", sandbox_math_clock},
    {"os", "difftime", sandbox_math_difftime},
    {"os", "time", sandbox_math_time},
    {"string", "byte", NULL},
    {"string", "char", NULL},
    {"string", "find", NULL},
    {"string", "format", sandbox_text_format},
    {"string", "gmatch", NULL},
    {"string", "gsub", NULL},
    {"string", "len", NULL},
    {"string", "lower", NULL},
    {"string", "match", NULL},
    {"string", "pack", NULL},
    {"string", "packsize", NULL},
    {"string", "rep", NULL},
    {"string", "reverse", NULL},
    {"string", "sub", NULL},
    {"string", "unpack", NULL},
    {"string", "upper", NULL},
    {"table", "concat", NULL},
    {"table", "insert", NULL},
    {"table", "move", NULL},
    {"table", "pack", NULL},
    {"table", "remove", NULL},
    {"table", "sort", sandbox_table_sort},
    {"table", "unpack", NULL},
    {"utf8", "char", NULL},
    {"utf8", "charpattern", NULL},
    {"utf8", "codepoint", NULL},
    {"utf8", "codes", NULL},
    {"utf8", "len", NULL},
    {"utf8", "offset", NULL},
};

#define NO_FILES "a scenario has no access to files; its own are in the agents' workspace"
#define NO_SYSTEM "a scenario has no access to the system"

static const struct absent absent_list[] = {
    {"collectgarbage", "collectgarbage is not available: a run must not depend on the collector"},
    {"debug", "debug is not available: it could take the limits off"},
    {"dofile", "dofile is not available: use require for files beside the scenario"},
    {"io", "io is not available: " NO_FILES},
    {"loadfile", "loadfile is not available: use require for files beside the scenario"},
    {"loadstring", "loadstring is load since Lua 5.2"},
    {"math.cosh", "math.cosh left Lua with 5.3"},
    {"math.frexp", "math.frexp left Lua with 5.3"},
    {"math.ldexp", "math.ldexp left Lua with 5.3: write x * 2^n"},
    {"math.log10", "math.log10 left Lua with 5.3: write math.log(x, 10)"},
    {"math.pow", "math.pow left Lua with 5.3: write x^y"},
    {"math.sinh", "math.sinh left Lua with 5.3"},
    {"math.tanh", "math.tanh left Lua with 5.3"},
    {"os.date", "os.date is not available: a simulation has a clock (os.time) but no calendar"},
    {"os.execute", "os.execute is not available: " NO_SYSTEM},
    {"os.exit", "os.exit is not available: return from the scenario, or call error"},
    {"os.getenv", "os.getenv is not available: a run must not depend on the environment; use the scenario's options"},
    {"os.remove", "os.remove is not available: " NO_FILES},
    {"os.rename", "os.rename is not available: " NO_FILES},
    {"os.setlocale", "os.setlocale is not available: a run must not depend on the locale"},
    {"os.tmpname", "os.tmpname is not available: " NO_FILES},
    {"package", "package is not available: require finds the files beside the scenario only"},
    {"setfenv", "setfenv is not in Lua 5.4: give load an environment"},
    {"string.dump", "string.dump is not available: bytecode is never loaded"},
    {"table.getn", "table.getn is not in Lua 5.4: write #t"},
    {"unpack", "unpack is table.unpack since Lua 5.2"},
    {"warn", "warn is not available: use print"},
};

/* Pushes the table of a library below `tables`, made when it is first asked for. */
static void push_library(lua_State *L, int tables, const char *library)
{
    if (*library == '\0')
        lua_pushvalue(L, tables);
    else
        luaL_getsubtable(L, tables, library);
}

/* Pushes a table of library name to stock table, and takes every trace of them out of the registry: what is found there
 * is found by luaL_requiref too, and by error messages in an order that changes. */
static void push_stock(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < ARRAY_LEN(stock_libraries); i++) {
        lua_pushcfunction(L, stock_libraries[i].func);
        lua_pushstring(L, stock_libraries[i].name);
        lua_call(L, 1, 1);
        lua_setfield(L, -2, stock_libraries[i].name);
    }
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}

/* Pushes what the script gets under this name. */
static void push_allowed(lua_State *L, int stock, const struct allowed *allowed)
{
    if (lua_getfield(L, stock, allowed->library) == LUA_TNIL)
        lua_pushnil(L);
    else
        lua_getfield(L, -1, allowed->name);
    lua_remove(L, -2);
    if (allowed->own != NULL)
        lua_pushcclosure(L, allowed->own, 1);
    CHECK(!lua_isnil(L, -1));
}

/* Methods of strings come from a copy that no script can reach, so none can change what `("x"):upper()` does. */
static void seal_strings(lua_State *L, int globals)
{
    lua_pushliteral(L, "");
    CHECK(lua_getmetatable(L, -1));
    lua_newtable(L);
    lua_getfield(L, globals, "string");
    for (lua_pushnil(L); lua_next(L, -2);) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -5);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "string");
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
}

void sandbox_install(lua_State *L)
{
    int top = lua_gettop(L);
    luaL_checkstack(L, 16, NULL);
    push_stock(L);
    int stock = lua_gettop(L);
    lua_newtable(L);
    int globals = lua_gettop(L);
    for (size_t i = 0; i < ARRAY_LEN(allow_list); i++) {
        push_library(L, globals, allow_list[i].library);
        push_allowed(L, stock, &allow_list[i]);
        lua_setfield(L, -2, allow_list[i].name);
        lua_pop(L, 1);
    }
    lua_pushvalue(L, globals);
    lua_setfield(L, globals, LUA_GNAME);
    seal_strings(L, globals);
    lua_pushvalue(L, globals);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_settop(L, top);
}

const char *sandbox_reason(const char *dotted_name)
{
    for (size_t i = 0; i < ARRAY_LEN(absent_list); i++)
        if (strcmp(absent_list[i].name, dotted_name) == 0)
            return absent_list[i].reason;
    return NULL;
}

const char *sandbox_reason_of_part(const char *name, bool is_global)
{
    if (is_global)
        return sandbox_reason(name);
    for (size_t i = 0; i < ARRAY_LEN(absent_list); i++) {
        const char *dot = strchr(absent_list[i].name, '.');
        if (dot != NULL && strcmp(dot + 1, name) == 0)
            return absent_list[i].reason;
    }
    return NULL;
}

/* As stock Lua does for files: a byte order mark and a first line that starts with # are skipped; the line still
 * counts. */
static struct str skip_head(struct str source)
{
    if (str_starts(source, STR("\xEF\xBB\xBF")))
        source = str_slice(source, 3, source.len);
    if (!str_starts(source, STR("#")))
        return source;
    const char *end = memchr(source.data, '\n', source.len);
    return end ? str_slice(source, (size_t)(end - source.data), source.len) : STR("");
}

void sandbox_compile(lua_State *L, struct str source, const char *chunk_name)
{
    struct str text = skip_head(source);
    const char *shown = *chunk_name == '@' || *chunk_name == '=' ? chunk_name + 1 : chunk_name;
    if (source.len > SANDBOX_SOURCE_MAX)
        luaL_error(L, "%s: the source is longer than 1 MiB", shown);
    if (str_starts(text, (struct str){LUA_SIGNATURE, 1}))
        luaL_error(L, "%s: this is bytecode, and only text is loaded", shown);
    if (luaL_loadbufferx(L, text.data ? text.data : "", text.len, chunk_name, "t") == LUA_OK)
        return;
    size_t length;
    const char *message = lua_tolstring(L, -1, &length);
    if (message == NULL || memmem(message, length, shown, strlen(shown)) != NULL)
        lua_error(L);
    luaL_error(L, "%s: %s", shown, message); /* "C stack overflow" comes without a place */
}
