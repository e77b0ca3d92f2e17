#include "script/scenario_read.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "engine/run.h"
#include "reduce/boundary.h"
#include "script/agent_read.h"
#include "script/bash_read.h"
#include "script/case_read.h"
#include "script/convert.h"
#include "script/economy_read.h"
#include "script/handle.h"
#include "script/hook_read.h"
#include "script/session.h"
#include "script/workspace_api.h"

static const struct field scenario_fields[] = {
    {.name = "name", .type = "string"},
    {.name = "description", .type = "string"},
    {.name = "task", .type = "string"},
    {.name = "unit", .type = "\"chars\"|\"bytes\"|\"tokens\""},
    {.name = "workspace", .type = "simagent.workspace|table<string, string>"},
    {.name = "variants", .type = "simagent.variant[]"},
    {.name = "baseline", .type = "string"},
    {.name = "expect", .type = "table<string, string|number|boolean>"},
    {.name = "max_depth", .type = "integer"},
    {.name = "count_schemas", .type = "boolean"},
    {.name = "target_savings_ratio", .type = "number"},
    {.name = "thresholds", .type = "simagent.thresholds"},
    {.name = "tokens", .type = "simagent.tokens"},
    {.name = "price", .type = "string|simagent.price"},
    {.name = "price_date", .type = "string"},
    {.name = "cache", .type = "simagent.cache"},
    {.name = "latency", .type = "simagent.latency"},
    {.name = "budget", .type = "integer|simagent.budget"},
    {.name = "verdict", .type = "\"footprint\"|\"checklist\"|\"overhead\""},
    {.name = "hooks", .type = "simagent.hooks"},
    {.name = "bash", .type = "\"real\"|table<string, string>|simagent.bash_function"},
    {.name = "cases", .type = "simagent.case[]"},
    {.name = NULL},
};
const struct shape shape_scenario = {"simagent.scenario_options", scenario_fields};

static const struct field threshold_fields[] = {
    {.name = "min_cumulative", .type = "number"},
    {.name = "min_reread_multiplier", .type = "number"},
    {.name = "min_boundary_savings_ratio", .type = "number"},
    {.name = "min_tool_calls", .type = "number"},
    {.name = "min_result_tokens", .type = "number"},
    {.name = "min_overhead_multiple", .type = "number"},
    {.name = "min_overhead_calls", .type = "number"},
    {.name = "spawn_overhead", .type = "number"},
    {.name = NULL},
};
const struct shape shape_thresholds = {"simagent.thresholds", threshold_fields};

static const struct field tokens_fields[] = {{.name = "bytes_per_token", .type = "number"}, {.name = NULL}};
const struct shape shape_tokens = {"simagent.tokens", tokens_fields};

static const char *const op_texts[] = {
    [EXPECT_EQ] = "==", [EXPECT_NE] = "!=", [EXPECT_LT] = "<",
    [EXPECT_LE] = "<=", [EXPECT_GT] = ">",  [EXPECT_GE] = ">=",
};

const char *expect_op_text(enum expect_op op)
{
    return op_texts[op];
}

static void read_unit(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct str name = STR("chars");
    struct place here = place_key(place, "unit");
    enum unit *unit = &session->scenario.sizing.unit;
    bool from_flag = session->setup.unit.len > 0;
    shape_string(L, index, place, "unit", &session->keep, &name);
    if (from_flag) {
        session->unit_changed = !str_eq(name, session->setup.unit);
        name = session->setup.unit;
    }
    if (unit_find(name, unit))
        return;
    if (from_flag)
        state_fail(L, ERR_USAGE, "--unit must be chars, bytes or tokens, got \"%.*s\"", STR_ARG(name));
    shape_fail(L, &here, "must be \"chars\", \"bytes\" or \"tokens\", got \"%.*s\"", STR_ARG(name));
}

static void read_tokens(lua_State *L, int index, const struct place *place, struct scenario *scenario)
{
    struct place here = place_key(place, "tokens");
    struct place rate_place = place_key(&here, "bytes_per_token");
    scenario->sizing.millionth_bytes_per_token = SIZING_DEFAULT_RATE;
    if (lua_getfield(L, index, "tokens") != LUA_TNIL) {
        double rate;
        shape_table(L, -1, &here, "tokens");
        shape_check_keys(L, -1, &here, &shape_tokens);
        if (scenario->sizing.unit != UNIT_TOKENS)
            shape_fail(L, &here, "belongs to unit = \"tokens\"");
        if (shape_number(L, -1, &here, "bytes_per_token", &rate)) {
            double millionths = round(rate * 1e6);
            if (!(rate > 0.0 && rate <= 1e6) || millionths / 1e6 != rate)
                shape_fail(L, &rate_place, "must be above 0, with at most 6 decimals, got %.17g", rate);
            scenario->sizing.millionth_bytes_per_token = (int64_t)millionths;
        }
    }
    lua_pop(L, 1);
}

static void read_verdict(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct scenario *scenario = &session->scenario;
    struct place here = place_key(place, "verdict");
    struct str name;
    if (!shape_string(L, index, place, "verdict", &session->keep, &name))
        return;
    if (!profile_find(name, &scenario->verdict))
        shape_fail(L, &here, "must be \"footprint\", \"checklist\" or \"overhead\", got \"%.*s\"", STR_ARG(name));
    if (scenario->verdict != PROFILE_FOOTPRINT && scenario->sizing.unit != UNIT_TOKENS)
        shape_fail(L, &here, "\"%.*s\" counts tokens: it needs unit = \"tokens\"", STR_ARG(name));
}

/* What a root pays is known before anything runs, so a missing price is told then. */
static void check_economy(lua_State *L, const struct place *place, const struct scenario *scenario,
                          struct agent_spec *agent)
{
    struct economy economy = {
        .price = agent->economy.price ? agent->economy.price : scenario->economy.price,
        .cache = agent->economy.cache ? agent->economy.cache : scenario->economy.cache,
    };
    struct err err = {0};
    if (!agent->budget)
        agent->budget = scenario->budget;
    if (!economy_check(&economy, agent->budget, &err))
        shape_fail(L, place, "%s", err.message);
}

static void read_thresholds(lua_State *L, int index, const struct place *place, struct scenario *scenario)
{
    struct place here = place_key(place, "thresholds");
    scenario->thresholds = thresholds_default;
    if (lua_getfield(L, index, "thresholds") != LUA_TNIL) {
        shape_table(L, -1, &here, "thresholds");
        shape_check_keys(L, -1, &here, &shape_thresholds);
        for (size_t i = 0; i < THRESHOLD_COUNT; i++) {
            double *floor = (double *)(void *)((char *)&scenario->thresholds + threshold_rows[i].offset);
            struct place row = place_key(&here, threshold_rows[i].rule);
            if (!shape_number(L, -1, &here, threshold_rows[i].rule, floor))
                continue;
            if (!isfinite(*floor))
                shape_fail(L, &row, "must be a finite number");
            if (i == THRESHOLD_COUNT - 1 && *floor < 0.0)
                shape_fail(L, &row, "must be at least 0 tokens, got %.17g", *floor);
        }
    }
    lua_pop(L, 1);
}

static void read_target(lua_State *L, int index, const struct place *place, struct scenario *scenario)
{
    struct err err = {0};
    scenario->target_savings_ratio = BOUNDARY_TARGET_DEFAULT;
    if (shape_number(L, index, place, "target_savings_ratio", &scenario->target_savings_ratio) &&
        !boundary_check_target(scenario->target_savings_ratio, &err))
        shape_fail(L, place, "%s", err.message);
}

_Noreturn static void fail_variant_name(lua_State *L, const struct place *place, struct str name)
{
    char room[512];
    struct str shown = shape_escaped(name, room, sizeof room);
    shape_fail(L, place, "\"%.*s\" holds a character that a variant's name must not have ('.', '/', controls)",
               STR_ARG(shown));
}

static void check_variant_name(lua_State *L, const struct place *place, const struct scenario *scenario,
                               struct str name)
{
    struct place here = place_key(place, "name");
    if (name.len == 0)
        shape_fail(L, &here, "a variant needs a name");
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '.' || name.data[i] == '/' || (unsigned char)name.data[i] < 0x20)
            fail_variant_name(L, &here, name);
    }
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        if (str_eq(scenario->variants[i].agent->name, name))
            shape_fail(L, &here, "two variants are called \"%.*s\"", STR_ARG(name));
    }
}

/* The variant's table stands on top. */
static void read_variant(lua_State *L, const struct place *place, struct session *session)
{
    struct scenario *scenario = &session->scenario;
    struct variant *variant = &scenario->variants[scenario->variant_count];
    struct str name = {0};
    shape_table(L, -1, place, "a variant");
    shape_check_keys(L, -1, place, &shape_variant);
    shape_string(L, -1, place, "name", &session->keep, &name);
    check_variant_name(L, place, scenario, name);
    variant->task = scenario->task;
    shape_string(L, -1, place, "task", &session->keep, &variant->task);
    variant->agent = agent_from_lua(L, -1, place, &shape_variant, name);
    if (!variant->agent->workspace)
        variant->agent->workspace = scenario->workspace;
    check_economy(L, place, scenario, variant->agent);
    scenario->variant_count++;
}

static void read_variants(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct place here = place_key(place, "variants");
    if (lua_getfield(L, index, "variants") == LUA_TNIL)
        shape_fail(L, &here, "a scenario needs at least one variant");
    int64_t count = shape_list(L, -1, &here, "variants");
    if (count == 0)
        shape_fail(L, &here, "a scenario needs at least one variant");
    session->scenario.variants = arena_array(&session->keep, struct variant, (size_t)count);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(&here, i);
        lua_rawgeti(L, -1, i);
        read_variant(L, &item, session);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static bool find_variant(const struct scenario *scenario, struct str name, uint32_t *found)
{
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        if (str_eq(scenario->variants[i].agent->name, name)) {
            *found = i;
            return true;
        }
    }
    return false;
}

_Noreturn static void fail_no_variant(lua_State *L, const struct place *place, const struct scenario *scenario,
                                      struct str name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (uint32_t i = 0; i < scenario->variant_count; i++)
        suggest_offer(&suggest, scenario->variants[i].agent->name);
    shape_fail_unknown(L, place, "variant", name, suggest.best);
}

static void read_baseline(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct str name;
    struct place here = place_key(place, "baseline");
    if (!shape_string(L, index, place, "baseline", &session->keep, &name))
        return;
    if (!find_variant(&session->scenario, name, &session->scenario.baseline))
        fail_no_variant(L, &here, &session->scenario, name);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static struct str trim(struct str text)
{
    while (text.len && is_space(text.data[0]))
        text = str_slice(text, 1, text.len);
    while (text.len && is_space(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* "5" and "0.97" are numbers, "true" and "false" truths, anything else a string. */
static struct value read_operand(lua_State *L, struct str text)
{
    if (str_eq(text, STR("true")) || str_eq(text, STR("false")))
        return (struct value){.kind = VALUE_BOOL, .boolean = text.len == 4};
    lua_pushlstring(L, text.data, text.len);
    struct value value = {.kind = VALUE_STRING, .string = text};
    if (text.len && lua_stringtonumber(L, lua_tostring(L, -1)) == text.len + 1) {
        double real = lua_tonumber(L, -1);
        if (lua_isinteger(L, -1))
            value = (struct value){.kind = VALUE_INT, .integer = lua_tointeger(L, -1)};
        else if (isfinite(real))
            value = (struct value){.kind = VALUE_REAL, .real = real};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return value;
}

static void parse_condition(lua_State *L, const struct place *place, struct str text, struct expectation *expectation)
{
    static const enum expect_op longest_first[] = {EXPECT_EQ, EXPECT_NE, EXPECT_LE, EXPECT_GE, EXPECT_LT, EXPECT_GT};
    text = trim(text);
    expectation->op = EXPECT_EQ;
    for (size_t i = 0; i < ARRAY_LEN(longest_first); i++) {
        struct str op = str_of(op_texts[longest_first[i]]);
        if (!str_starts(text, op))
            continue;
        expectation->op = longest_first[i];
        text = trim(str_slice(text, op.len, text.len));
        if (text.len == 0)
            shape_fail(L, place, "nothing stands after %.*s", STR_ARG(op));
        break;
    }
    expectation->want = read_operand(L, text);
    bool ordered = expectation->op != EXPECT_EQ && expectation->op != EXPECT_NE;
    bool number = expectation->want.kind == VALUE_INT || expectation->want.kind == VALUE_REAL;
    if (ordered && !number)
        shape_fail(L, place, "%s needs a number, got \"%.*s\"", op_texts[expectation->op], STR_ARG(text));
}

/* The metric is the key at -2, the condition at -1. */
static void read_expectation(lua_State *L, const struct place *place, struct session *session,
                             struct expectation *expectation)
{
    struct str metric = expectation->metric;
    struct place here = place_str(place, metric);
    const char *dot = memchr(metric.data, '.', metric.len);
    uint32_t variant;
    if (!dot || dot + 1 == metric.data + metric.len)
        shape_fail(L, &here, "an expectation is named VARIANT.METRIC, such as \"delegated.measurement.peak\"");
    struct str name = str_slice(metric, 0, (size_t)(dot - metric.data));
    if (!find_variant(&session->scenario, name, &variant))
        fail_no_variant(L, &here, &session->scenario, name);
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
        parse_condition(L, &here, shape_copy_string(L, -1, &session->keep), expectation);
        return;
    case LUA_TNUMBER:
    case LUA_TBOOLEAN:
        expectation->want = convert_to_value(L, -1, &here, &session->keep);
        return;
    default:
        shape_fail(L, &here, "must be a comparison such as \">= 0.5\" or a value, got %s", shape_describe(L, -1));
    }
}

static int by_metric(const void *a, const void *b)
{
    const struct expectation *left = a;
    const struct expectation *right = b;
    return str_cmp(left->metric, right->metric);
}

static void read_expectations(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct scenario *scenario = &session->scenario;
    struct place here = place_key(place, "expect");
    if (lua_getfield(L, index, "expect") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    shape_table(L, -1, &here, "expect");
    uint32_t count = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        count++;
    scenario->expectations = arena_array(&session->keep, struct expectation, (size_t)count + 1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            shape_fail(L, &here, "every key must be the name of a metric");
        scenario->expectations[scenario->expectation_count++].metric = shape_copy_string(L, -2, &session->keep);
    }
    sort_stable(&session->keep, scenario->expectations, count, sizeof *scenario->expectations, by_metric);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushlstring(L, scenario->expectations[i].metric.data, scenario->expectations[i].metric.len);
        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        read_expectation(L, &here, session, &scenario->expectations[i]);
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
}

static void read_shared(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct scenario *scenario = &session->scenario;
    struct arena *keep = &session->keep;
    int64_t max_depth = 1;
    scenario->name = session->setup.stem;
    shape_string(L, index, place, "name", keep, &scenario->name);
    shape_string(L, index, place, "description", keep, &scenario->description);
    shape_string(L, index, place, "task", keep, &scenario->task);
    shape_integer(L, index, place, "max_depth", 0, MAX_DEPTH_LARGEST, &max_depth);
    scenario->max_depth = (uint32_t)max_depth;
    read_unit(L, index, place, session);
    read_tokens(L, index, place, scenario);
    scenario->count_schemas = scenario->sizing.unit == UNIT_TOKENS;
    shape_boolean(L, index, place, "count_schemas", &scenario->count_schemas);
    shape_string(L, index, place, "price_date", keep, &scenario->price_date);
    economy_from_lua(L, index, place, &scenario->economy);
    scenario->budget = budget_from_lua(L, index, place);
    read_verdict(L, index, place, session);
    scenario->hooks = hooks_from_lua(L, index, place);
    scenario->shell = bash_from_lua(L, index, place);
    read_target(L, index, place, scenario);
    read_thresholds(L, index, place, scenario);
    if (lua_getfield(L, index, "workspace") != LUA_TNIL) {
        struct place here = place_key(place, "workspace");
        scenario->workspace = workspace_from_lua(L, -1, &here);
    }
    lua_pop(L, 1);
}

void scenario_from_lua(lua_State *L, int index, const struct place *place, struct session *session)
{
    index = lua_absindex(L, index);
    if (session->built)
        shape_fail(L, place, "a scenario file describes one scenario");
    shape_table(L, index, place, "a scenario");
    shape_check_keys(L, index, place, &shape_scenario);
    read_shared(L, index, place, session);
    read_variants(L, index, place, session);
    read_baseline(L, index, place, session);
    read_expectations(L, index, place, session);
    cases_from_lua(L, index, place, session);
    session->scenario.where = str_copy(&session->keep, str_of(place->where));
    session->built = true;
}

int scenario_read(lua_State *L)
{
    struct session *session = state_of(L)->user;
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    scenario_from_lua(L, 1, &place, session);
    handle_push(L, HANDLE_SCENARIO, session);
    return 1;
}
