#include "script/chance.h"

#include "base/arena.h"
#include "base/rng.h"
#include "engine/faults.h"
#include "script/agent_read.h"
#include "script/handle.h"
#include "script/session.h"

static const struct field faults_fields[] = {
    {.name = "tool", .type = "string|simagent.tool"},
    {.name = "every", .type = "integer"},
    {.name = "rate", .type = "number"},
    {.name = "text", .type = "string"},
    {.name = NULL},
};
const struct shape shape_faults = {"simagent.faults_options", faults_fields};

int chance_faults(lua_State *L)
{
    struct session *session = state_of(L)->user;
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    lua_pushvalue(L, 1);
    shape_table(L, -1, &place, "what sim.faults is given");
    shape_check_keys(L, -1, &place, &shape_faults);
    struct place tool_place = place_key(&place, "tool");
    struct place rate_place = place_key(&place, "rate");
    struct faults *faults = arena_new(&session->keep, struct faults);
    lua_getfield(L, -1, "tool");
    faults_init(faults, &session->keep, tool_from_lua(L, -1, &tool_place), (uint64_t)session->setup.seed);
    lua_pop(L, 1);
    bool counted = shape_integer(L, -1, &place, "every", 1, INT64_MAX, &faults->every);
    bool chanced = shape_number(L, -1, &place, "rate", &faults->rate);
    if (counted == chanced)
        shape_fail(L, &place, "sim.faults needs either every (each n-th call fails) or rate (a chance from 0 to 1)");
    if (chanced && !(faults->rate >= 0.0 && faults->rate <= 1.0))
        shape_fail(L, &rate_place, "must be from 0 to 1, got %.17g", faults->rate);
    shape_string(L, -1, &place, "text", &session->keep, &faults->text);
    handle_push(L, HANDLE_TOOL, &faults->tool);
    return 1;
}

int chance_random(lua_State *L)
{
    struct session *session = state_of(L)->user;
    luaL_checktype(L, 1, LUA_TSTRING);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 2);
    lua_pushliteral(L, " random ");
    lua_insert(L, 2);
    lua_concat(L, 3);
    struct str stream;
    stream.data = lua_tolstring(L, 1, &stream.len);
    uint32_t index = table_add(&session->streams, stream);
    if (index == session->stream_states.count)
        rng_init(chunks_add(&session->stream_states), (uint64_t)session->setup.seed, stream);
    handle_push(L, HANDLE_RANDOM, chunks_at(&session->stream_states, index));
    return 1;
}

static struct rng *rng_of(lua_State *L)
{
    return handle_check(L, 1, HANDLE_RANDOM)->pointer;
}

static int random_real(lua_State *L)
{
    lua_pushnumber(L, rng_real(rng_of(L)));
    return 1;
}

static int random_integer(lua_State *L)
{
    struct rng *rng = rng_of(L);
    lua_Integer low = luaL_checkinteger(L, 2);
    lua_Integer high = luaL_checkinteger(L, 3);
    luaL_argcheck(L, low <= high, 3, "the upper bound is below the lower one");
    lua_pushinteger(L, rng_between(rng, low, high));
    return 1;
}

static int random_chance(lua_State *L)
{
    struct rng *rng = rng_of(L);
    lua_Number rate = luaL_checknumber(L, 2);
    luaL_argcheck(L, rate >= 0.0 && rate <= 1.0, 2, "a chance from 0 to 1 expected");
    lua_pushboolean(L, rng_real(rng) < rate);
    return 1;
}

static int random_pick(lua_State *L)
{
    struct rng *rng = rng_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
    luaL_argcheck(L, count > 0, 2, "a list with at least one item expected");
    lua_rawgeti(L, 2, rng_between(rng, 1, count));
    return 1;
}

const luaL_Reg random_methods[] = {
    {"real", random_real}, {"integer", random_integer}, {"chance", random_chance}, {"pick", random_pick}, {NULL, NULL}};
