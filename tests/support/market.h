/* Market: random worlds in which agents pay, wait and are limited, for laws that hold of every bill.
 *
 * The scripts are those of support/world.h.  What an agent pays follows from the seed and its prompt alone, so that a
 * second computation can find it again without asking the engine.
 */
#ifndef SUPPORT_MARKET_H
#define SUPPORT_MARKET_H

#include "support/world.h"

struct market {
    struct world *world;
    bool mixed;   /* agents may have prices, caches and latencies of their own */
    bool limited; /* agents and subagents may have budgets */
    const struct budget *root_budget; /* in place of the root's own; may be NULL */
};

/* What one agent has of its own; NULL where it has nothing. */
struct terms {
    const struct price *price;
    const struct cache_rule *cache;
    const struct latency *latency;
    const struct budget *budget;
};

static inline struct rates random_rates(struct rng *rng, int64_t missing_in)
{
    int64_t rates[5];
    for (int i = 0; i < 5; i++)
        rates[i] = missing_in && rng_between(rng, 1, missing_in) == 1 ? PRICE_MISSING : rng_between(rng, 0, 1000);
    return (struct rates){rates[0], rates[1], rates[2], rates[3], rates[4]};
}

static inline const struct price *random_price(struct arena *arena, struct rng *rng)
{
    struct price *price = arena_new(arena, struct price);
    price->base = random_rates(rng, 0);
    price->above_tokens = rng_between(rng, 0, 1) ? PRICE_MISSING : rng_between(rng, 0, 200);
    price->above = random_rates(rng, 3);
    price->cache_min_tokens = rng_between(rng, 0, 3) ? rng_between(rng, 0, 40) : PRICE_MISSING;
    return price;
}

static inline struct cache_rule *random_rule(struct arena *arena, struct rng *rng)
{
    struct cache_rule *rule = arena_new(arena, struct cache_rule);
    rule->ttl = rng_between(rng, 0, 5) ? (enum cache_ttl)rng_between(rng, CACHE_5M, CACHE_1H) : CACHE_OFF;
    rule->min_tokens = rng_between(rng, 0, 4) ? rng_between(rng, 0, 40) : CACHE_MIN_UNSET;
    rule->shared = rng_between(rng, 0, 2) > 0;
    rule->lookback = rng_between(rng, 0, 2) ? 0 : (uint32_t)rng_between(rng, 1, 12);
    return rule;
}

/* Durations that fall on a ttl to the microsecond, just beyond it, and far from both. */
static inline int64_t random_duration(struct rng *rng)
{
    static const int64_t durations[] = {0, 0, 0, 7, 1000000, CACHE_TTL_5M_US / 2, CACHE_TTL_5M_US, CACHE_TTL_5M_US + 1,
                                        CACHE_TTL_1H_US, CACHE_TTL_1H_US + 1};
    return durations[rng_between(rng, 0, ARRAY_LEN(durations) - 1)];
}

static inline int64_t random_rate(struct rng *rng)
{
    static const int64_t rates[] = {0, 0, 1, 499, 1000, 20000, 12000000};
    return rates[rng_between(rng, 0, ARRAY_LEN(rates) - 1)];
}

static inline struct latency *random_latency(struct arena *arena, struct rng *rng)
{
    struct latency *latency = arena_new(arena, struct latency);
    latency->base_us = random_duration(rng);
    latency->per_input_ns = random_rate(rng);
    latency->per_cached_ns = random_rate(rng);
    latency->per_output_ns = random_rate(rng);
    latency->tool_us = random_duration(rng);
    latency->parallel_calls = (uint32_t)rng_between(rng, 1, 4);
    return latency;
}

static inline const struct budget *random_budget(struct arena *arena, struct rng *rng)
{
    struct budget *budget = arena_new(arena, struct budget);
    *budget = budget_none;
    static const int64_t most[RESOURCES] = {3000, 1000000, 12, 20 * CACHE_TTL_5M_US};
    for (int i = 0; i < RESOURCES; i++) {
        if (rng_between(rng, 0, 2) == 0)
            budget->limits[i] = rng_between(rng, 0, most[i]);
    }
    return budget;
}

/* What the agent with this prompt has of its own. */
static inline struct terms market_own(const struct market *market, struct str prompt)
{
    struct arena *arena = &market->world->fixture->arena;
    struct rng rng;
    rng_init(&rng, market->world->seed, str_printf(arena, "terms of %.*s", STR_ARG(prompt)));
    struct terms terms = {0};
    if (market->mixed && rng_between(&rng, 0, 2) == 0)
        terms.price = random_price(arena, &rng);
    if (market->mixed && rng_between(&rng, 0, 2) == 0)
        terms.cache = random_rule(arena, &rng);
    if (market->mixed && rng_between(&rng, 0, 2) == 0)
        terms.latency = random_latency(arena, &rng);
    if (market->limited && rng_between(&rng, 0, 2) == 0)
        terms.budget = random_budget(arena, &rng);
    return terms;
}

static inline struct agent_spec *market_spec(const void *self, struct str prompt, struct arena *keep, struct err *err)
{
    const struct market *market = self;
    struct agent_spec *spec = world_spec(market->world, prompt, keep, err);
    struct terms terms = market_own(market, prompt);
    struct subagent *subagents = arena_array(keep, struct subagent, 2);
    struct rng rng;
    rng_init(&rng, market->world->seed, str_printf(keep, "subagents of %.*s", STR_ARG(prompt)));
    for (uint32_t i = 0; i < spec->subagent_count; i++) {
        subagents[i] = spec->subagents[i];
        subagents[i].factory = (struct agent_factory){market_spec, market};
        if (market->limited && rng_between(&rng, 0, 2) == 0)
            subagents[i].budget = random_budget(keep, &rng);
    }
    if (rng_between(&rng, 0, 2) > 0) { /* openings that several agents share */
        spec->has_system = true;
        spec->system = rng_between(&rng, 0, 3) ? STR("You read what you are given, and say what it says.")
                                               : STR("Be brief.");
    }
    spec->subagents = subagents;
    spec->economy = (struct economy){terms.price, terms.cache, terms.latency};
    spec->budget = terms.budget;
    return spec;
}

/* A fresh market in the fixture: a world that counts in tokens. */
static inline struct market *market_new(struct fixture *f, uint64_t seed)
{
    struct market *market = arena_new(&f->arena, struct market);
    market->world = world_new(f, seed);
    market->world->repeats = seed % 2 == 0;
    f->sizing.unit = UNIT_TOKENS;
    market->world->options.sizing = f->sizing;
    return market;
}

/* All that the scenario sets for every agent, from the seed. */
static inline void market_fill_terms(struct market *market)
{
    struct arena *arena = &market->world->fixture->arena;
    struct rng rng;
    rng_init(&rng, market->world->seed, STR("the scenario's terms"));
    market->world->options.economy =
        (struct economy){random_price(arena, &rng), random_rule(arena, &rng), random_latency(arena, &rng)};
}

static inline struct record *market_run(struct market *market)
{
    struct fixture *f = market->world->fixture;
    struct str task = str_printf(&f->arena, "task %llu", (unsigned long long)market->world->seed);
    struct agent_spec *spec = market_spec(market, task, &f->arena, &f->err);
    if (market->root_budget)
        spec->budget = market->root_budget;
    return run_fine(f, &market->world->options, spec, task);
}

#endif
