/* The run's own random stream, correctly rounded functions, virtual time. */
#include "script/sandbox_own.h"

#include <lauxlib.h>

#include "base/rng.h"
#include "script/exact_math.h"
#include "script/state.h"

/* The same three forms and the same errors as in stock Lua. */
int sandbox_math_random(lua_State *L)
{
    struct rng *random = &state_of(L)->random;
    int count = lua_gettop(L);
    lua_Integer low = 1;
    if (count == 0) {
        lua_pushnumber(L, rng_real(random));
        return 1;
    }
    if (count > 2)
        return luaL_error(L, "wrong number of arguments");
    if (count == 2)
        low = luaL_checkinteger(L, 1);
    lua_Integer high = luaL_checkinteger(L, count);
    if (count == 1 && high == 0) {
        lua_pushinteger(L, (lua_Integer)rng_next(random));
        return 1;
    }
    luaL_argcheck(L, low <= high, count, "interval is empty");
    lua_pushinteger(L, rng_between(random, low, high));
    return 1;
}

int sandbox_math_randomseed(lua_State *L)
{
    return luaL_error(L, "math.randomseed is not available: set the seed with --seed");
}

static int push_unary(lua_State *L, double (*operation)(double))
{
    lua_pushnumber(L, operation(luaL_checknumber(L, 1)));
    return 1;
}

int sandbox_math_exp(lua_State *L)
{
    return push_unary(L, exact_math_exp);
}

int sandbox_math_sin(lua_State *L)
{
    return push_unary(L, exact_math_sin);
}

int sandbox_math_cos(lua_State *L)
{
    return push_unary(L, exact_math_cos);
}

int sandbox_math_tan(lua_State *L)
{
    return push_unary(L, exact_math_tan);
}

int sandbox_math_asin(lua_State *L)
{
    return push_unary(L, exact_math_asin);
}

int sandbox_math_acos(lua_State *L)
{
    return push_unary(L, exact_math_acos);
}

int sandbox_math_atan(lua_State *L)
{
    double y = luaL_checknumber(L, 1);
    lua_pushnumber(L, exact_math_atan2(y, luaL_optnumber(L, 2, 1)));
    return 1;
}

int sandbox_math_log(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    if (lua_isnoneornil(L, 2))
        return push_unary(L, exact_math_log);
    double base = luaL_checknumber(L, 2);
    if (base == 2)
        return push_unary(L, exact_math_log2);
    if (base == 10)
        return push_unary(L, exact_math_log10);
    lua_pushnumber(L, exact_math_log(x) / exact_math_log(base));
    return 1;
}

int sandbox_math_time(lua_State *L)
{
    if (!lua_isnoneornil(L, 1))
        return luaL_error(L, "os.time takes no table: a simulation has a clock but no calendar");
    lua_pushinteger(L, state_of(L)->clock_us / 1000000);
    return 1;
}

int sandbox_math_clock(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)state_of(L)->clock_us / 1e6);
    return 1;
}

int sandbox_math_difftime(lua_State *L)
{
    lua_Integer later = luaL_checkinteger(L, 1);
    lua_Integer earlier = luaL_checkinteger(L, 2);
    lua_pushnumber(L, (lua_Number)later - (lua_Number)earlier);
    return 1;
}
