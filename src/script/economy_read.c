#include "script/economy_read.h"

#include <math.h>

#include "base/arena.h"
#include "core/price.h"
#include "core/schema.h"
#include "script/convert.h"
#include "script/session.h"

#define RATE_FIELDS                                                                                                    \
    {.name = "input", .type = "number"}, {.name = "output", .type = "number"},                                         \
        {.name = "cache_read", .type = "number"}, {.name = "cache_write_5m", .type = "number"},                        \
        {.name = "cache_write_1h", .type = "number"}

static const struct field price_fields[] = {
    RATE_FIELDS, {.name = "above", .type = "simagent.price_above"}, {.name = NULL}};
const struct shape shape_price = {"simagent.price", price_fields};

static const struct field above_fields[] = {{.name = "tokens", .type = "integer"}, RATE_FIELDS, {.name = NULL}};
const struct shape shape_price_above = {"simagent.price_above", above_fields};

static const struct field cache_fields[] = {
    {.name = "ttl", .type = "\"none\"|\"5m\"|\"1h\""},
    {.name = "min_tokens", .type = "integer"},
    {.name = "share", .type = "\"run\"|\"scenario\""},
    {.name = "lookback", .type = "integer"},
    {.name = NULL},
};
const struct shape shape_cache = {"simagent.cache", cache_fields};

static const struct field latency_fields[] = {
    {.name = "base_ms", .type = "number"},
    {.name = "per_input_token_us", .type = "number"},
    {.name = "per_cached_token_us", .type = "number"},
    {.name = "per_output_token_us", .type = "number"},
    {.name = "tool_ms", .type = "number"},
    {.name = "parallel", .type = "integer"},
    {.name = NULL},
};
const struct shape shape_latency = {"simagent.latency", latency_fields};

static const struct field budget_fields[] = {
    {.name = "tokens", .type = "integer"},
    {.name = "usd", .type = "number"},
    {.name = "turns", .type = "integer"},
    {.name = "ms", .type = "number"},
    {.name = NULL},
};
const struct shape shape_budget = {"simagent.budget", budget_fields};

static const struct field returns_fields[] = {
    {.name = "schema", .type = "table"},
    {.name = "on_violation", .type = "\"reject\"|\"truncate\"|\"retry\""},
    {.name = "max_retries", .type = "integer"},
    {.name = "coverage", .type = "simagent.coverage"},
    {.name = NULL},
};
const struct shape shape_returns = {"simagent.returns", returns_fields};

static const struct field coverage_fields[] = {
    {.name = "requested", .type = "integer"}, {.name = "tool", .type = "string"}, {.name = NULL}};
const struct shape shape_coverage = {"simagent.coverage", coverage_fields};

static struct session *session_of(lua_State *L)
{
    return state_of(L)->user;
}

static void need_tokens(lua_State *L, const struct place *place, const char *what)
{
    if (session_of(L)->scenario.sizing.unit != UNIT_TOKENS)
        shape_fail(L, place, "%s needs unit = \"tokens\"", what);
}

static void read_rates(lua_State *L, int index, const struct place *place, struct rates *rates)
{
    struct {
        const char *key;
        int64_t *rate;
    } const rows[] = {
        {"input", &rates->input},
        {"output", &rates->output},
        {"cache_read", &rates->cache_read},
        {"cache_write_5m", &rates->cache_write_5m},
        {"cache_write_1h", &rates->cache_write_1h},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct place here = place_key(place, rows[i].key);
        double usd;
        *rows[i].rate = PRICE_MISSING;
        if (shape_number(L, index, place, rows[i].key, &usd) && !price_from_usd(usd, rows[i].rate))
            shape_fail(L, &here, "must be USD per million tokens, from 0 to 1000000 with at most 6 decimals, got %.17g",
                       usd);
    }
}

static void read_price_table(lua_State *L, int index, const struct place *place, struct price *price)
{
    *price = (struct price){.above_tokens = PRICE_MISSING, .cache_min_tokens = PRICE_MISSING};
    shape_check_keys(L, index, place, &shape_price);
    read_rates(L, index, place, &price->base);
    if (lua_getfield(L, index, "above") != LUA_TNIL) {
        struct place above = place_key(place, "above");
        shape_table(L, -1, &above, "the price of larger requests");
        shape_check_keys(L, -1, &above, &shape_price_above);
        read_rates(L, lua_gettop(L), &above, &price->above);
        if (!shape_integer(L, lua_gettop(L), &above, "tokens", 0, INT64_MAX, &price->above_tokens))
            shape_fail(L, &above, "needs tokens: the largest context that costs the base price");
    }
    lua_pop(L, 1);
}

static const struct price *read_price(lua_State *L, int index, const struct place *place)
{
    struct place here = place_key(place, "price");
    struct session *session = session_of(L);
    int type = lua_getfield(L, index, "price");
    struct price *price = NULL;
    if (type != LUA_TNIL) {
        need_tokens(L, &here, "a price");
        price = arena_new(&session->keep, struct price);
    }
    if (type == LUA_TSTRING) {
        struct err err = {0};
        if (!price_find(shape_copy_string(L, -1, &session->keep), session->scenario.price_date, price, &err))
            shape_fail(L, &here, "%s", err.message);
    } else if (type == LUA_TTABLE) {
        read_price_table(L, lua_gettop(L), &here, price);
    } else if (type != LUA_TNIL) {
        shape_fail(L, &here, "must be the name of a model or a table of prices, got %s", shape_describe(L, -1));
    }
    lua_pop(L, 1);
    return price;
}

/* One of a few words; the first is the default. */
static int read_word(lua_State *L, int index, const struct place *place, const char *key, const char *const *words,
                     int count)
{
    struct str word;
    struct place here = place_key(place, key);
    if (!shape_string(L, index, place, key, &session_of(L)->keep, &word))
        return 0;
    for (int i = 0; i < count; i++) {
        if (str_eq(word, str_of(words[i])))
            return i;
    }
    if (count == 2)
        shape_fail(L, &here, "must be \"%s\" or \"%s\", got \"%.*s\"", words[0], words[1], STR_ARG(word));
    shape_fail(L, &here, "must be \"%s\", \"%s\" or \"%s\", got \"%.*s\"", words[0], words[1], words[2], STR_ARG(word));
}

static const struct cache_rule *read_cache(lua_State *L, int index, const struct place *place)
{
    static const char *const ttls[] = {"5m", "1h", "none"};
    static const enum cache_ttl by_word[] = {CACHE_5M, CACHE_1H, CACHE_OFF};
    static const char *const shares[] = {"run", "scenario"};
    struct place here = place_key(place, "cache");
    if (lua_getfield(L, index, "cache") == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    int table = lua_gettop(L);
    int64_t lookback = 0;
    struct cache_rule *rule = arena_new(&session_of(L)->keep, struct cache_rule);
    need_tokens(L, &here, "a cache");
    shape_table(L, table, &here, "a cache");
    shape_check_keys(L, table, &here, &shape_cache);
    rule->ttl = by_word[read_word(L, table, &here, "ttl", ttls, 3)];
    rule->shared = read_word(L, table, &here, "share", shares, 2) == 1;
    rule->min_tokens = CACHE_MIN_UNSET;
    shape_integer(L, table, &here, "min_tokens", 0, INT64_MAX, &rule->min_tokens);
    shape_integer(L, table, &here, "lookback", 1, UINT32_MAX, &lookback);
    rule->lookback = (uint32_t)lookback;
    lua_pop(L, 1);
    return rule;
}

/* A duration written in a unit of `scale` counts, as a whole number of counts. */
static void read_duration(lua_State *L, int index, const struct place *place, const char *key, double scale,
                          const char *finest, int64_t *out)
{
    struct place here = place_key(place, key);
    double value;
    if (!shape_number(L, index, place, key, &value))
        return;
    double counts = round(value * scale);
    if (!(value >= 0.0 && counts < 9e15))
        shape_fail(L, &here, "must be from 0 to 9e15 %s, got %.17g", finest, value);
    if (counts / scale != value)
        shape_fail(L, &here, "must be a whole number of %s, got %.17g", finest, value);
    *out = (int64_t)counts;
}

static const struct latency *read_latency(lua_State *L, int index, const struct place *place)
{
    struct place here = place_key(place, "latency");
    if (lua_getfield(L, index, "latency") == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    int table = lua_gettop(L);
    int64_t parallel = PARALLEL_CALLS_DEFAULT;
    struct latency *latency = arena_new(&session_of(L)->keep, struct latency);
    shape_table(L, table, &here, "latency");
    shape_check_keys(L, table, &here, &shape_latency);
    read_duration(L, table, &here, "base_ms", 1e3, "microseconds", &latency->base_us);
    read_duration(L, table, &here, "per_input_token_us", 1e3, "nanoseconds", &latency->per_input_ns);
    read_duration(L, table, &here, "per_cached_token_us", 1e3, "nanoseconds", &latency->per_cached_ns);
    read_duration(L, table, &here, "per_output_token_us", 1e3, "nanoseconds", &latency->per_output_ns);
    read_duration(L, table, &here, "tool_ms", 1e3, "microseconds", &latency->tool_us);
    shape_integer(L, table, &here, "parallel", 1, 1000000, &parallel);
    latency->parallel_calls = (uint32_t)parallel;
    lua_pop(L, 1);
    return latency;
}

int64_t duration_from_lua(lua_State *L, int index, const struct place *place, const char *key)
{
    int64_t microseconds = -1;
    read_duration(L, index, place, key, 1e3, "microseconds", &microseconds);
    return microseconds;
}

void economy_from_lua(lua_State *L, int index, const struct place *place, struct economy *economy)
{
    index = lua_absindex(L, index);
    economy->price = read_price(L, index, place);
    economy->cache = read_cache(L, index, place);
    economy->latency = read_latency(L, index, place);
}

/* Below it a number of picodollars that came from at most twelve decimals gives them back when it is divided. */
static const double exactly_divided = 0x1p51;

static void read_money(lua_State *L, int index, const struct place *place, int64_t *limit)
{
    struct place here = place_key(place, "usd");
    double usd;
    if (!shape_number(L, index, place, "usd", &usd))
        return;
    if (!(usd >= 0.0 && usd <= 9e6))
        shape_fail(L, &here, "must be from 0 to 9000000 USD, got %.17g", usd);
    double picodollars = round(usd * 1e12);
    if (picodollars < exactly_divided && picodollars / 1e12 != usd)
        shape_fail(L, &here, "must be a whole number of picodollars (10^-12 USD), got %.17g", usd);
    *limit = (int64_t)picodollars;
}

const struct budget *budget_from_lua(lua_State *L, int index, const struct place *place)
{
    struct place here = place_key(place, "budget");
    int type = lua_getfield(L, lua_absindex(L, index), "budget");
    int at = lua_gettop(L);
    struct budget *budget = NULL;
    if (type != LUA_TNIL) {
        need_tokens(L, &here, "a budget");
        budget = arena_new(&session_of(L)->keep, struct budget);
        *budget = budget_none;
    }
    if (type == LUA_TNUMBER) {
        int whole;
        budget->limits[RESOURCE_TOKENS] = lua_tointegerx(L, at, &whole);
        if (!whole || budget->limits[RESOURCE_TOKENS] < 0)
            shape_fail(L, &here, "must be a whole number of tokens, at least 0, got %s", shape_describe(L, at));
    } else if (type != LUA_TNIL) {
        shape_table(L, at, &here, "a budget");
        shape_check_keys(L, at, &here, &shape_budget);
        shape_integer(L, at, &here, "tokens", 0, INT64_MAX, &budget->limits[RESOURCE_TOKENS]);
        read_money(L, at, &here, &budget->limits[RESOURCE_MONEY]);
        shape_integer(L, at, &here, "turns", 0, INT64_MAX, &budget->limits[RESOURCE_TURNS]);
        read_duration(L, at, &here, "ms", 1e3, "microseconds", &budget->limits[RESOURCE_TIME]);
    }
    lua_settop(L, at - 1);
    return budget;
}

static void read_coverage(lua_State *L, int index, const struct place *place, struct contract *contract)
{
    struct place here = place_key(place, "coverage");
    struct place tool = place_key(&here, "tool");
    if (lua_getfield(L, index, "coverage") != LUA_TNIL) {
        int at = lua_gettop(L);
        shape_table(L, at, &here, "coverage");
        shape_check_keys(L, at, &here, &shape_coverage);
        contract->wants_coverage = true;
        if (!shape_integer(L, at, &here, "requested", 0, INT64_MAX, &contract->requested))
            shape_fail(L, &here, "needs requested: how many successful calls are complete coverage");
        if (!shape_string(L, at, &here, "tool", &session_of(L)->keep, &contract->coverage_tool))
            shape_fail(L, &tool, "must name the tool whose calls are counted");
    }
    lua_pop(L, 1);
}

const struct contract *contract_from_lua(lua_State *L, int index, const struct place *place)
{
    static const char *const words[] = {"reject", "truncate", "retry"};
    struct place here = place_key(place, "returns");
    struct place schema_place = place_key(&here, "schema");
    struct arena *keep = &session_of(L)->keep;
    if (lua_getfield(L, lua_absindex(L, index), "returns") == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    int at = lua_gettop(L);
    struct contract *contract = arena_new(keep, struct contract);
    shape_table(L, at, &here, "returns");
    shape_check_keys(L, at, &here, &shape_returns);
    contract->on_violation = (enum on_violation)read_word(L, at, &here, "on_violation", words, 3);
    contract->max_retries = 1;
    shape_integer(L, at, &here, "max_retries", 0, 1000000, &contract->max_retries);
    read_coverage(L, at, &here, contract);
    if (lua_getfield(L, at, "schema") != LUA_TTABLE)
        shape_fail(L, &schema_place, "must be a JSON Schema of an object, got %s", shape_describe(L, -1));
    struct value *json = arena_new(keep, struct value);
    *json = convert_to_value(L, -1, &schema_place, keep);
    struct err err = {0};
    contract->schema = schema_compile(keep, json, &err);
    if (!contract->schema || !contract_check_schema(contract->schema, &err))
        shape_fail(L, &schema_place, "%s", err.message);
    lua_settop(L, at - 1);
    return contract;
}
