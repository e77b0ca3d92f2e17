/* Total: a run and all its descendants together: tokens, money, requests, work. */
#ifndef REDUCE_TOTAL_H
#define REDUCE_TOTAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record.h"

struct total {
    struct usage usage;
    bool priced; /* every run of the tree has a price; else the money would be a part, shown as the whole */
    int64_t cost;
    int64_t uncached;
    int64_t requests;
    int64_t work_us;
};

struct total total_of(struct record *top); /* O(runs of the tree) */

#endif
