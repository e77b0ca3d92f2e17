#include "core/usage.h"

/* Nothing costs nothing, also at a price nobody knows. */
static int64_t charge(int64_t tokens, int64_t rate)
{
    if (tokens == 0)
        return 0;
    CHECK(rate != PRICE_MISSING); /* what a run needs is checked when its agent is read */
    return checked_mul(tokens, rate);
}

int64_t usage_cost(const struct usage *usage, const struct price *price)
{
    struct rates rates = price_rates(price, usage_context(usage));
    int64_t cost = charge(usage->fresh, rates.input);
    cost = checked_add(cost, charge(usage->read, rates.cache_read));
    cost = checked_add(cost, charge(usage->write_5m, rates.cache_write_5m));
    cost = checked_add(cost, charge(usage->write_1h, rates.cache_write_1h));
    return checked_add(cost, charge(usage->output, rates.output));
}

int64_t usage_cost_uncached(const struct usage *usage, const struct price *price)
{
    struct rates rates = price_rates(price, usage_context(usage));
    int64_t cost = charge(usage_context(usage), rates.input);
    return checked_add(cost, charge(usage->output, rates.output));
}
