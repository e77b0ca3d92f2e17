/* Economics as a scenario writes them: what is read, and that each mistake is told before anything runs, with its
 * place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "script/economy_read.h"
#include "script/session.h"
#include "support/fixture.h"

static bool declared(void *self, const struct option_set *options, struct err *err)
{
    (void)self, (void)options, (void)err;
    return true;
}

/* Loads a scenario of one variant: these fields on its second line, those of its variant on the third.  The model would
 * stop everything with an error if it were ever asked. */
static bool load(struct fixture *f, struct session *session, const char *unit, const char *fields, const char *variant)
{
    struct str source = str_printf(&f->arena,
                                   "local sim = require 'simagent'\n"
                                   "return sim.scenario { unit = '%s', %s\n"
                                   "  variants = { { name = 'v', model = function() error('it ran') end, %s } } }\n",
                                   unit, fields, variant);
    struct session_setup setup = {
        .file = STR("x.lua"), .stem = STR("x"), .source = source, .reader = {.declared = declared}};
    f->err = (struct err){0};
    return session_open(session, &setup, &f->err) && session_load(session, &f->err);
}

static struct str first_line(const struct err *err)
{
    return (struct str){err->message, strcspn(err->message, "\n")};
}

#define NEEDED ", which the run would need: give it in USD per million tokens (no price is derived from another)"
#define OR_NONE ", or set cache = { ttl = \"none\" }"
#define SCHEMA(properties) "returns = { schema = { type = 'object', properties = { " properties " } } }"
#define FINE SCHEMA("a = { type = 'integer' }")
#define AT_SCHEMA "variants[1].returns.schema: "

struct mistake {
    const char *fields;  /* of the scenario */
    const char *variant; /* of the variant */
    const char *message;
};

static const struct mistake price_rows[] = {
    {"price = { input = 1.1234567, output = 1 },", "",
     "price.input: must be USD per million tokens, from 0 to 1000000 with at most 6 decimals, got 1.1234567"},
    {"", "price = { input = 1, output = -1 }",
     "variants[1].price.output: must be USD per million tokens, from 0 to 1000000 with at most 6 decimals, got -1"},
    {"price = { input = '3', output = 1 },", "", "price.input: must be a number, got the string \"3\""},
    {"price = { input = 3 },", "", "variants[1]: the price has no output" NEEDED},
    {"price = { output = 3 },", "", "variants[1]: the price has no input" NEEDED},
    {"price = { input = 3, output = 3 }, cache = { ttl = '5m' },", "",
     "variants[1]: the price has no cache_read" NEEDED OR_NONE},
    {"price = { input = 3, output = 3, cache_read = 1 }, cache = {},", "",
     "variants[1]: the price has no cache_write_5m" NEEDED OR_NONE},
    {"price = { input = 3, output = 3, cache_read = 1, cache_write_5m = 1 },", "cache = { ttl = '1h' }",
     "variants[1]: the price has no cache_write_1h" NEEDED OR_NONE}, /* the variant's cache at the scenario's price */
    {"price = { input = 3, output = 3, above = { input = 6 } },", "",
     "price.above: needs tokens: the largest context that costs the base price"},
    {"price = { input = 3, output = 3, above = { tokens = 1, imput = 6 } },", "",
     "price.above: unknown key \"imput\"; did you mean \"input\"?"},
    {"price = { input = 3, output = 3, cahce_read = 3 },", "",
     "price: unknown key \"cahce_read\"; did you mean \"cache_read\"?"},
    {"price = 'claude-sonet-4-5',", "",
     "price: no price is known for the model 'claude-sonet-4-5' (did you mean 'claude-sonnet-4-5'?)"},
    {"price_date = 'yesterday', price = 'claude-sonnet-4-5',", "",
     "price: 'yesterday' is not a date like 2026-05-01"},
    {"price = 7,", "", "price: must be the name of a model or a table of prices, got the number 7"},
};

static const struct mistake cache_and_latency_rows[] = {
    {"cache = { ttl = '2m' },", "", "cache.ttl: must be \"5m\", \"1h\" or \"none\", got \"2m\""},
    {"cache = { share = 'all' },", "", "cache.share: must be \"run\" or \"scenario\", got \"all\""},
    {"cache = { min_tokens = -1 },", "", "cache.min_tokens: must be from 0 to 9223372036854775807, got -1"},
    {"cache = { lookback = 0 },", "", "cache.lookback: must be from 1 to 4294967295, got 0"},
    {"", "cache = '5m'", "variants[1].cache: a cache must be a table, got the string \"5m\""},
    {"latency = { base_ms = -1 },", "", "latency.base_ms: must be from 0 to 9e15 microseconds, got -1"},
    {"latency = { base_ms = 0.0001 },", "", "latency.base_ms: must be a whole number of microseconds, got 0.0001"},
    {"latency = { tool_ms = 1e300 },", "",
     "latency.tool_ms: must be from 0 to 9e15 microseconds, got 1.0000000000000001e+300"},
    {"latency = { per_cached_token_us = 0.0625001 },", "",
     "latency.per_cached_token_us: must be a whole number of nanoseconds, got 0.062500100000000003"},
    {"latency = { parallel = 0 },", "", "latency.parallel: must be from 1 to 1000000, got 0"},
    {"", "latency = { per_token_us = 1 }",
     "variants[1].latency: unknown key \"per_token_us\"; did you mean \"per_input_token_us\"?"},
};

static const struct mistake budget_rows[] = {
    {"budget = -1,", "", "budget: must be a whole number of tokens, at least 0, got the number -1"},
    {"", "budget = 1.5", "variants[1].budget: must be a whole number of tokens, at least 0, got the number 1.5"},
    {"budget = '60k',", "", "budget: a budget must be a table, got the string \"60k\""},
    {"budget = { tokens = -1 },", "", "budget.tokens: must be from 0 to 9223372036854775807, got -1"},
    {"budget = { turns = -1 },", "", "budget.turns: must be from 0 to 9223372036854775807, got -1"},
    {"budget = { usd = -0.5 },", "", "budget.usd: must be from 0 to 9000000 USD, got -0.5"},
    {"budget = { usd = 1e-13 },", "",
     "budget.usd: must be a whole number of picodollars (10^-12 USD), got 1e-13"}, /* and not silently none */
    {"budget = { usd = 0.5 },", "", "variants[1]: a budget in usd needs a price"},
    {"budget = { ms = 0.0001 },", "", "budget.ms: must be a whole number of microseconds, got 0.0001"},
    {"budget = { token = 1 },", "", "budget: unknown key \"token\"; did you mean \"tokens\"?"},
    {"", "subagents = { x = { agent = function() return {} end, budget = -1 } }",
     "variants[1].subagents.x.budget: must be a whole number of tokens, at least 0, got the number -1"},
    {"", "subagents = { x = { agent = function() return {} end, budget = { usd = -1 } } }",
     "variants[1].subagents.x.budget.usd: must be from 0 to 9000000 USD, got -1"},
};

static const struct mistake returns_rows[] = {
    {"", "returns = {}", AT_SCHEMA "must be a JSON Schema of an object, got nil"},
    {"", SCHEMA("a = { type = 'string' }"),
     AT_SCHEMA "properties.a: the string has no bound; give maxLength, an enum or a const"},
    {"", SCHEMA("a = { type = 'array', items = { type = 'integer' } }"),
     AT_SCHEMA "properties.a: the list has no bound; give maxItems, an enum or a const"},
    {"", SCHEMA("a = { type = 'array', maxItems = 5, items = { type = 'string' } }"), /* items are bounded too */
     AT_SCHEMA "properties.a.items: the string has no bound; give maxLength, an enum or a const"},
    {"", "subagents = { x = { agent = function() return {} end, " SCHEMA("a = { type = 'string' }") " } }",
     "variants[1].subagents.x.returns.schema: properties.a: the string has no bound; give maxLength, an enum or a "
     "const"},
    {"", SCHEMA("status = { type = 'integer' }"),
     AT_SCHEMA "properties.status: the engine fills this field; choose another name"},
    {"", SCHEMA("a = { type = 'string', minLength = 5, maxLength = 4 }"),
     AT_SCHEMA "properties.a: no length fits both minLength 5 and maxLength 4"},
    {"", "returns = { schema = { type = 'object', properties = {}, required = { 'b' } } }",
     AT_SCHEMA "required lists \"b\", which is not among the properties"},
    {"", SCHEMA("a = { type = 'integer', pattern = 'x' }"), AT_SCHEMA "properties.a: unknown keyword \"pattern\""},
    {"", "returns = { schema = { type = 'string', maxLength = 3 } }",
     AT_SCHEMA "the type must be \"object\" and no other"},
    {"", "returns = { schema = { type = 'object', properties = {} }, on_violation = 'ignore' }",
     "variants[1].returns.on_violation: must be \"reject\", \"truncate\" or \"retry\", got \"ignore\""},
    {"", "returns = { schema = { type = 'object', properties = {} }, max_retries = -1 }",
     "variants[1].returns.max_retries: must be from 0 to 1000000, got -1"},
    {"", "returns = { schema = { type = 'object', properties = {} }, coverage = { tool = 'x' } }",
     "variants[1].returns.coverage: needs requested: how many successful calls are complete coverage"},
    {"", "returns = { schema = { type = 'object', properties = {} }, coverage = { requested = 1 } }",
     "variants[1].returns.coverage.tool: must name the tool whose calls are counted"},
    {"", "returns = { schema = { type = 'object', properties = {} }, coverage = { requested = 1, tool = 'gte' } }, "
     "tools = { sim.tool { name = 'get', run = print } }",
     "variants[1].returns.coverage.tool: unknown tool of this agent \"gte\"; did you mean \"get\"?"},
    {FINE ",", "", "unknown key \"returns\""}, /* a contract belongs to an agent and is not inherited */
};

static const struct mistake other_rows[] = {
    {"tokens = { bytes_per_token = 0 },", "",
     "tokens.bytes_per_token: must be above 0, with at most 6 decimals, got 0"},
    {"tokens = { bytes_per_token = 1e-7 },", "",
     "tokens.bytes_per_token: must be above 0, with at most 6 decimals, got 9.9999999999999995e-08"},
    {"verdict = 'checkist',", "",
     "verdict: must be \"footprint\", \"checklist\" or \"overhead\", got \"checkist\""},
    {"thresholds = { spawn_overhead = -1 },", "", "thresholds.spawn_overhead: must be at least 0 tokens, got -1"},
    {"thresholds = { min_tool_calls = 1 / 0 },", "", "thresholds.min_tool_calls: must be a finite number"},
};

static void assert_mistakes(struct fixture *f, const char *unit, const struct mistake *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct session session;
        bool loaded = load(f, &session, unit, rows[i].fields, rows[i].variant);
        session_close(&session);
        assert_false(loaded);
        assert_int_equal(f->err.kind, ERR_SCENARIO);
        assert_str(first_line(&f->err), str_printf(&f->arena, "x.lua:2: %s", rows[i].message));
    }
}

static void each_mistake_is_told_with_its_place(void **state)
{
    struct fixture *f = *state;
    assert_mistakes(f, "tokens", price_rows, ARRAY_LEN(price_rows));
    assert_mistakes(f, "tokens", cache_and_latency_rows, ARRAY_LEN(cache_and_latency_rows));
    assert_mistakes(f, "tokens", budget_rows, ARRAY_LEN(budget_rows));
    assert_mistakes(f, "tokens", returns_rows, ARRAY_LEN(returns_rows));
    assert_mistakes(f, "tokens", other_rows, ARRAY_LEN(other_rows));
}

/* What counts tokens needs them. */
static const struct mistake unit_rows[] = {
    {"price = { input = 1, output = 1 },", "", "price: a price needs unit = \"tokens\""},
    {"cache = {},", "", "cache: a cache needs unit = \"tokens\""},
    {"budget = { turns = 5 },", "", "budget: a budget needs unit = \"tokens\""},
    {"", "price = 'claude-sonnet-4-5'", "variants[1].price: a price needs unit = \"tokens\""},
    {"", "cache = { ttl = 'none' }", "variants[1].cache: a cache needs unit = \"tokens\""},
    {"", "budget = 5", "variants[1].budget: a budget needs unit = \"tokens\""},
    {"", "subagents = { x = { agent = function() return {} end, budget = 5 } }",
     "variants[1].subagents.x.budget: a budget needs unit = \"tokens\""},
    {"verdict = 'overhead',", "", "verdict: \"overhead\" counts tokens: it needs unit = \"tokens\""},
    {"tokens = { bytes_per_token = 3 },", "", "tokens: belongs to unit = \"tokens\""},
};

static void what_counts_tokens_needs_unit_tokens(void **state)
{
    struct fixture *f = *state;
    assert_mistakes(f, "chars", unit_rows, ARRAY_LEN(unit_rows));
    assert_mistakes(f, "bytes", unit_rows, ARRAY_LEN(unit_rows));
    struct session session;
    bool loaded = load(f, &session, "chars", "latency = { base_ms = 1 }, verdict = 'footprint',", FINE);
    session_close(&session);
    assert_true(loaded); /* time and contracts count no tokens */
}

static void figures_are_read_exactly(void **state)
{
    struct fixture *f = *state;
    struct session session;
    bool loaded = load(f, &session, "tokens",
                       "price = { input = 3, output = 15, cache_read = 0.3, cache_write_5m = 3.75, cache_write_1h = 6,"
                       "          above = { tokens = 200000, input = 0.000001 } },"
                       "cache = { ttl = '1h', min_tokens = 2048, share = 'scenario', lookback = 20 },"
                       "latency = { base_ms = 800.001, per_input_token_us = 20, per_cached_token_us = 0.002,"
                       "            per_output_token_us = 12000, tool_ms = 0.5, parallel = 1 },"
                       "budget = { tokens = 60000, usd = 0.1, turns = 30, ms = 60000 },"
                       "tokens = { bytes_per_token = 3.85 },",
                       "");
    const struct scenario *scenario = &session.scenario;
    const struct price *price = scenario->economy.price;
    const struct cache_rule *cache = scenario->economy.cache;
    const struct latency *latency = scenario->economy.latency;
    assert_true(loaded);
    assert_true(price->base.input == 3000000 && price->base.output == 15000000 && price->base.cache_read == 300000);
    assert_true(price->base.cache_write_5m == 3750000 && price->base.cache_write_1h == 6000000);
    assert_true(price->above_tokens == 200000 && price->above.input == 1 && price->above.output == PRICE_MISSING);
    assert_true(cache->ttl == CACHE_1H && cache->min_tokens == 2048 && cache->shared && cache->lookback == 20);
    assert_true(latency->base_us == 800001 && latency->per_input_ns == 20000 && latency->per_cached_ns == 2);
    assert_true(latency->per_output_ns == 12000000 && latency->tool_us == 500 && latency->parallel_calls == 1);
    const struct budget *budget = scenario->variants[0].agent->budget; /* the scenario's is each root's */
    assert_true(budget->limits[RESOURCE_TOKENS] == 60000);
    assert_true(budget->limits[RESOURCE_MONEY] == INT64_C(100000000000));
    assert_true(budget->limits[RESOURCE_TURNS] == 30 && budget->limits[RESOURCE_TIME] == 60000000);
    assert_true(scenario->sizing.millionth_bytes_per_token == 3850000);
    session_close(&session);
}

static void what_is_left_out_has_its_default(void **state)
{
    struct fixture *f = *state;
    struct session session;
    bool loaded = load(f, &session, "tokens", "cache = {}, latency = {}, budget = { turns = 0 },", FINE);
    const struct scenario *scenario = &session.scenario;
    const struct agent_spec *agent = scenario->variants[0].agent;
    assert_true(loaded);
    assert_null(scenario->economy.price);
    assert_true(scenario->economy.cache->ttl == CACHE_5M && !scenario->economy.cache->shared);
    assert_true(scenario->economy.cache->min_tokens == CACHE_MIN_UNSET && scenario->economy.cache->lookback == 0);
    assert_memory_equal(scenario->economy.latency, &latency_none, sizeof latency_none);
    assert_true(agent->budget->limits[RESOURCE_TURNS] == 0); /* 0 is zero … */
    assert_true(agent->budget->limits[RESOURCE_TOKENS] == POOL_UNLIMITED); /* … absent is unlimited */
    assert_null(agent->economy.price);
    assert_null(agent->economy.cache);
    assert_null(agent->economy.latency);
    assert_int_equal(agent->contract->on_violation, ON_VIOLATION_REJECT);
    assert_true(agent->contract->max_retries == 1);
    assert_false(agent->contract->wants_coverage);
    assert_int_equal(scenario->verdict, PROFILE_FOOTPRINT);
    session_close(&session);
}

static void an_agents_own_figures_are_its_own(void **state)
{
    struct fixture *f = *state;
    struct session session;
    bool loaded = load(f, &session, "tokens", "budget = 5, price = { input = 1, output = 1 },",
                       "budget = 7, price = 'claude-sonnet-4-5', returns = { schema = { type = 'object', properties = {"
                       "} }, on_violation = 'retry', max_retries = 4, coverage = { requested = 40, tool = 'get' } }, "
                       "tools = { sim.tool { name = 'get', run = print } }");
    const struct agent_spec *agent = session.scenario.variants[0].agent;
    assert_true(loaded);
    assert_true(agent->budget->limits[RESOURCE_TOKENS] == 7);
    assert_true(agent->economy.price->base.input == 3000000);
    assert_true(agent->economy.price->cache_min_tokens == 1024);
    assert_int_equal(agent->contract->on_violation, ON_VIOLATION_RETRY);
    assert_true(agent->contract->max_retries == 4 && agent->contract->requested == 40);
    assert_str(agent->contract->coverage_tool, STR("get"));
    session_close(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_mistake_is_told_with_its_place),
        TEST(what_counts_tokens_needs_unit_tokens),
        TEST(figures_are_read_exactly),
        TEST(what_is_left_out_has_its_default),
        TEST(an_agents_own_figures_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
