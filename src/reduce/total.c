#include "reduce/total.h"

struct total total_of(struct record *top)
{
    struct total total = {.priced = true};
    for (struct record *record = top; record; record = record_next(top, record)) {
        const struct account *account = &record->account;
        usage_add(&total.usage, &account->usage);
        total.priced = total.priced && account->priced;
        total.cost = checked_add(total.cost, account->cost);
        total.uncached = checked_add(total.uncached, account->uncached);
        total.requests += transcript_turns(&record->transcript);
        total.work_us = checked_add(total.work_us, account->work_us);
    }
    return total;
}
