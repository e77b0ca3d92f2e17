/* What a run spends and how long it takes: the one place where turns and calls meet price, cache, clock and budget. */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_write.h"
#include "engine/agent_state.h"

static void inherit(struct agent *agent)
{
    const struct economy *own = &agent->spec->economy;
    const struct economy *from = agent->parent ? &agent->parent->economy : &agent->run->options->economy;
    agent->economy.price = own->price ? own->price : from->price;
    agent->economy.cache = own->cache ? own->cache : from->cache;
    agent->economy.latency = own->latency ? own->latency : from->latency;
}

static void take_pools(struct agent *agent, const struct budget *budget)
{
    struct account *account = &agent->record->account;
    for (int i = 0; i < RESOURCES; i++) {
        int64_t limit = budget ? budget->limits[i] : POOL_UNLIMITED;
        agent->allocated[i] = limit;
        agent->pools[i] = agent->parent ? agent->parent->pools[i] : NULL;
        if (limit == POOL_UNLIMITED)
            continue;
        account->limited[i] = true;
        account->pools[i].limit = limit;
        agent->pools[i] = &account->pools[i];
    }
}

static void settle_rule(struct agent *agent)
{
    const struct price *price = agent->economy.price;
    agent->cache_rule = agent->economy.cache ? *agent->economy.cache : cache_off;
    if (agent->cache_rule.min_tokens != CACHE_MIN_UNSET)
        return;
    agent->cache_rule.min_tokens = CACHE_MIN_DEFAULT;
    if (price && price->cache_min_tokens != PRICE_MISSING)
        agent->cache_rule.min_tokens = price->cache_min_tokens;
}

bool economy_check(const struct economy *economy, const struct budget *budget, struct err *err)
{
    enum cache_ttl ttl = economy->cache ? economy->cache->ttl : CACHE_OFF;
    if (!economy->price && budget && budget->limits[RESOURCE_MONEY] != POOL_UNLIMITED)
        return err_set(err, ERR_SCENARIO, "a budget in usd needs a price");
    if (!economy->price)
        return true;
    const struct rates *rates = &economy->price->base;
    const char *missing = NULL;
    if (rates->input == PRICE_MISSING)
        missing = "input";
    else if (rates->output == PRICE_MISSING)
        missing = "output";
    else if (ttl != CACHE_OFF && rates->cache_read == PRICE_MISSING)
        missing = "cache_read";
    else if (ttl == CACHE_5M && rates->cache_write_5m == PRICE_MISSING)
        missing = "cache_write_5m";
    else if (ttl == CACHE_1H && rates->cache_write_1h == PRICE_MISSING)
        missing = "cache_write_1h";
    if (!missing)
        return true;
    return err_set(err, ERR_SCENARIO,
                   "the price has no %s, which the run would need: give it in USD per million tokens (no price is "
                   "derived from another)%s",
                   missing, ttl == CACHE_OFF ? "" : ", or set cache = { ttl = \"none\" }");
}

bool economy_begin(struct agent *agent, const struct budget *budget, struct err *err)
{
    struct account *account = &agent->record->account;
    struct run *run = agent->run;
    inherit(agent);
    if (!economy_check(&agent->economy, budget, err))
        return err_wrap(err, "%.*s", STR_ARG(agent->record->run));
    settle_rule(agent);
    take_pools(agent, budget);
    account->counted = run->options->sizing.unit == UNIT_TOKENS;
    account->priced = agent->economy.price != NULL;
    account->cached = agent->economy.cache != NULL;
    account->timed = agent->economy.latency != NULL;
    agent->latency = agent->economy.latency ? agent->economy.latency : &latency_none;
    CHECK(agent->latency->parallel_calls > 0); /* else no call would ever start */
    account->begin_us = run->sched.now.us;
    cache_reader_init(&agent->cache, &agent->cache_rule, &run->cache, &run->memory);
    return true;
}

static int64_t output_of(const struct agent *agent)
{
    int64_t output = 0;
    uint32_t count = agent->turn.call_count + (agent->turn.text.len > 0);
    for (uint32_t i = 0; i < count; i++)
        output = checked_add(output, agent->pending[i].size);
    return output;
}

void economy_bill_turn(struct agent *agent)
{
    const struct transcript *transcript = &agent->record->transcript;
    struct instant now = agent->run->sched.now;
    struct instant response;
    agent->turn_begin = now;
    if (!agent->record->account.counted && !agent->economy.latency)
        return; /* sizes are not tokens, and nothing takes time: there is nothing to bill */
    agent->bill = cache_ask(&agent->cache, transcript, now);
    agent->bill.usage.output = output_of(agent);
    response.us = checked_add(now.us, latency_until_response(agent->latency, &agent->bill.usage));
    response.ticks = now.ticks + 1;
    cache_leave(&agent->cache, transcript, now, response);
    agent->turn_us = latency_of_turn(agent->latency, &agent->bill.usage);
}

static void charge(struct agent *agent, enum resource resource, int64_t amount)
{
    if (agent->pools[resource])
        pool_charge(agent->pools[resource], amount);
}

bool economy_book_turn(struct agent *agent)
{
    struct record *record = agent->record;
    const struct usage *usage = &agent->bill.usage;
    if (!record->account.counted && !agent->economy.latency)
        return true; /* and budgets need tokens */
    account_book(&record->account, transcript_turns(&record->transcript), &agent->bill, agent->economy.price,
                 agent->turn_begin.us, agent->turn_us);
    charge(agent, RESOURCE_TOKENS, checked_add(usage_context(usage), usage->output));
    charge(agent, RESOURCE_MONEY, account_cost(&agent->bill, agent->economy.price));
    charge(agent, RESOURCE_TURNS, 1);
    charge(agent, RESOURCE_TIME, agent->turn_us);
    for (int i = 0; i < RESOURCES; i++) {
        if (agent->pools[i] && pool_is_over(agent->pools[i]))
            return false;
    }
    return true;
}

int64_t economy_call_us(const struct agent *agent, const struct tool *tool)
{
    return tool && tool->latency_us >= 0 ? tool->latency_us : agent->latency->tool_us;
}

void economy_book_call(struct agent *agent, int64_t duration_us)
{
    struct account *account = &agent->record->account;
    account->work_us = checked_add(account->work_us, duration_us);
    charge(agent, RESOURCE_TIME, duration_us);
    if (duration_us > agent->longest_call_us)
        agent->longest_call_us = duration_us;
}

void economy_book_child(struct agent *agent, const struct account *child)
{
    if (child->critical_us > agent->longest_call_us)
        agent->longest_call_us = child->critical_us;
}

void economy_end_calls(struct agent *agent)
{
    struct account *account = &agent->record->account;
    account->critical_us = checked_add(account->critical_us, agent->longest_call_us);
    agent->longest_call_us = 0;
}

/* An amount in the unit in which budgets are written: tokens, USD, turns, milliseconds. */
static void format_amount(enum resource resource, int64_t amount, char out[48])
{
    char number[32];
    double scale = resource == RESOURCE_MONEY ? 1e12 : resource == RESOURCE_TIME ? 1e3 : 1;
    size_t length = scale == 1 ? json_format_int(number, amount) : json_format_real(number, (double)amount / scale);
    bool named = resource != RESOURCE_TOKENS;
    snprintf(out, 48, "%.*s%s%s", (int)length, number, named ? " " : "", named ? resource_name(resource) : "");
}

static void refuse(struct agent *agent, uint32_t call, enum resource resource, int64_t wanted)
{
    char asked[48];
    char left[48];
    char text[160];
    struct tool_invocation invocation = {.keep = agent->run->options->keep};
    format_amount(resource, wanted, asked);
    format_amount(resource, pool_left(agent->pools[resource]), left);
    snprintf(text, sizeof text, "budget: cannot allocate %s (%s left)", asked, left);
    tool_fail(&invocation, &agent->outcomes[call], str_of(text), (struct str){0}, (struct str){0});
}

bool economy_reserve(struct agent *agent, const struct budget *budget, uint32_t call)
{
    for (int i = 0; budget && i < RESOURCES; i++) {
        if (budget->limits[i] == POOL_UNLIMITED || !agent->pools[i])
            continue;
        if (pool_reserve(agent->pools[i], budget->limits[i]))
            continue;
        refuse(agent, call, (enum resource)i, budget->limits[i]);
        while (i-- > 0) {
            if (budget->limits[i] != POOL_UNLIMITED && agent->pools[i])
                pool_settle(agent->pools[i], budget->limits[i], 0);
        }
        return false;
    }
    return true;
}

void economy_settle(struct agent *child)
{
    const struct account *account = &child->record->account;
    for (int i = 0; i < RESOURCES; i++) {
        struct pool *from = child->parent ? child->parent->pools[i] : NULL;
        if (from && child->allocated[i] != POOL_UNLIMITED)
            pool_settle(from, child->allocated[i], account->pools[i].spent);
    }
}
