#include "core/account.h"

void account_init(struct account *account, struct arena *arena)
{
    *account = (struct account){0};
    chunks_init(&account->misses, arena, sizeof(struct miss));
    chunks_init(&account->turns, arena, sizeof(struct turn_figures));
    for (int i = 0; i < RESOURCES; i++)
        account->pools[i].limit = POOL_UNLIMITED;
}

int64_t account_cost(const struct cache_answer *answer, const struct price *price)
{
    return price ? usage_cost(&answer->usage, price) : 0;
}

/* What the lost tokens cost more than reading them would have.  They were paid as whatever the rest of the request
 * was. */
static int64_t bill_of_miss(const struct cache_answer *answer, const struct price *price)
{
    if (!price)
        return 0;
    const struct usage *usage = &answer->usage;
    struct rates rates = price_rates(price, usage_context(usage));
    int64_t paid = usage->write_1h ? rates.cache_write_1h : usage->write_5m ? rates.cache_write_5m : rates.input;
    return checked_mul(answer->lost, paid - rates.cache_read);
}

static void book_miss(struct account *account, uint32_t turn, const struct cache_answer *answer,
                      const struct price *price)
{
    struct miss *miss = chunks_add(&account->misses);
    miss->turn = turn;
    miss->cause = answer->cause;
    miss->size = answer->lost;
    miss->picodollars = bill_of_miss(answer, price);
}

void account_book(struct account *account, uint32_t turn, const struct cache_answer *answer, const struct price *price,
                  int64_t begin_us, int64_t duration_us)
{
    account->work_us = checked_add(account->work_us, duration_us);
    account->critical_us = checked_add(account->critical_us, duration_us);
    if (!account->counted)
        return;
    usage_add(&account->usage, &answer->usage);
    account->cost = checked_add(account->cost, account_cost(answer, price));
    if (price)
        account->uncached = checked_add(account->uncached, usage_cost_uncached(&answer->usage, price));
    if (answer->missed)
        book_miss(account, turn, answer, price);
    struct turn_figures *figures = chunks_add(&account->turns);
    *figures = (struct turn_figures){begin_us, answer->usage.read, answer->usage.output};
}
