/* Pool: nested budgets of tokens, money, turns and time: reserve, charge, give back.
 *
 * A child's allocation is reserved from the pool it comes from, so that what is promised to one child cannot be
 * spent by another; when the child ends, what it really used is charged and the rest is free again.  What is
 * checked is checked after the spending (a model call cannot be unmade), so a pool can overshoot, and says by how
 * much.
 *
 *  I1  0 is zero, POOL_UNLIMITED is no limit.
 *  I2  After everything has ended reserved is 0, and what was spent is the sum of all charges.
 *
 * Amounts are tokens, picodollars, turns, or microseconds of work (the durations of model and tool calls added up,
 * so that shares of parallel children add up too).
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum resource { RESOURCE_TOKENS, RESOURCE_MONEY, RESOURCE_TURNS, RESOURCE_TIME };

#define RESOURCES 4
#define POOL_UNLIMITED INT64_C(-1)

struct budget {
    int64_t limits[RESOURCES]; /* POOL_UNLIMITED where there is none */
};

extern const struct budget budget_none;

struct pool {
    int64_t limit;
    int64_t spent;
    int64_t reserved;
};

/* What is left to be reserved or spent; 0 when the pool is over.  Only for a limited pool. */
int64_t pool_left(const struct pool *pool);

/* Sets an allocation aside.  False, with nothing changed, if it does not fit (exactly what is left fits). */
bool pool_reserve(struct pool *pool, int64_t amount);

/* Ends an allocation: what was used is spent, the rest is free again. */
void pool_settle(struct pool *pool, int64_t allocated, int64_t used);

void pool_charge(struct pool *pool, int64_t amount);

/* True when more than the limit is spent and reserved; exactly the limit is fine. */
bool pool_is_over(const struct pool *pool);

int64_t pool_overshoot(const struct pool *pool); /* of what was spent; 0 without a limit */

const char *resource_name(enum resource resource); /* "tokens", "usd", "turns", "ms" */

#endif
