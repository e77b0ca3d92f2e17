#include "core/pool.h"

#include "base/check.h"

const struct budget budget_none = {{POOL_UNLIMITED, POOL_UNLIMITED, POOL_UNLIMITED, POOL_UNLIMITED}};

static const char *const resource_names[RESOURCES] = {
    [RESOURCE_TOKENS] = "tokens",
    [RESOURCE_MONEY] = "usd",
    [RESOURCE_TURNS] = "turns",
    [RESOURCE_TIME] = "ms",
};

const char *resource_name(enum resource resource)
{
    return resource_names[resource];
}

int64_t pool_left(const struct pool *pool)
{
    CHECK(pool->limit != POOL_UNLIMITED);
    int64_t unreserved = pool->limit - pool->reserved; /* never negative: only what is left is ever reserved */
    return pool->spent < unreserved ? unreserved - pool->spent : 0;
}

bool pool_is_over(const struct pool *pool)
{
    return pool->limit != POOL_UNLIMITED && pool->spent > pool->limit - pool->reserved;
}

bool pool_reserve(struct pool *pool, int64_t amount)
{
    CHECK(amount >= 0);
    if (pool->limit != POOL_UNLIMITED && (pool_is_over(pool) || amount > pool_left(pool)))
        return false;
    pool->reserved = checked_add(pool->reserved, amount);
    return true;
}

void pool_settle(struct pool *pool, int64_t allocated, int64_t used)
{
    CHECK(pool->reserved >= allocated && used >= 0);
    pool->reserved -= allocated;
    pool->spent = checked_add(pool->spent, used);
}

void pool_charge(struct pool *pool, int64_t amount)
{
    CHECK(amount >= 0);
    pool->spent = checked_add(pool->spent, amount);
}

int64_t pool_overshoot(const struct pool *pool)
{
    return pool->limit != POOL_UNLIMITED && pool->spent > pool->limit ? pool->spent - pool->limit : 0;
}
