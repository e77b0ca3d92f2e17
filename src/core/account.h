/* Account: what one run cost: tokens by bucket, money, time, budget, and how its contract fared.
 *
 * Kept while the run goes, a constant amount of work a turn, so that nothing has to be gone through again; and the
 * figures of each turn are kept too, so that a second computation can be held against it.
 *
 *  I1  usage is the sum over the turns; cost and uncached are the sums of each turn's bill.
 *  I2  critical_us <= end_us - begin_us <= work_us of the run and its descendants together.
 */
#ifndef CORE_ACCOUNT_H
#define CORE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunks.h"
#include "core/cache.h"
#include "core/pool.h"
#include "core/usage.h"

struct miss {
    uint32_t turn;
    enum miss_cause cause;
    int64_t size;        /* of the last request's context that has to be paid again */
    int64_t picodollars; /* what it cost more than reading it; 0 without a price */
};

/* One turn as it was billed. */
struct turn_figures {
    int64_t begin_us;
    int64_t read;
    int64_t output;
};

struct contract_counts {
    int64_t violations;
    int64_t retries;
    int64_t truncated;
};

struct account {
    bool counted; /* sizes are tokens: usage means something */
    bool priced;
    bool cached; /* a cache rule is in force, be it "none" */
    bool timed;
    bool has_contract;
    bool limited[RESOURCES]; /* the run has a pool of its own */
    struct usage usage;
    int64_t cost;     /* picodollars */
    int64_t uncached; /* the same requests without a cache */
    struct chunks misses; /* struct miss */
    struct chunks turns;  /* struct turn_figures, when counted */
    int64_t begin_us;
    int64_t end_us;
    int64_t work_us;     /* its own model and tool calls */
    int64_t critical_us; /* how long it would have taken with unlimited slots */
    struct pool pools[RESOURCES];
    int64_t results_size; /* of all its tool results */
    int64_t tool_calls;   /* that ran */
    struct contract_counts contract;
};

void account_init(struct account *account, struct arena *arena);

/* Books one finished turn.  `price` may be NULL. */
void account_book(struct account *account, uint32_t turn, const struct cache_answer *answer, const struct price *price,
                  int64_t begin_us, int64_t duration_us);

/* What a turn costs at a price; 0 without one. */
int64_t account_cost(const struct cache_answer *answer, const struct price *price);

#endif
