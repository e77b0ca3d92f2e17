/* Tell economics: what a run cost, as the keys that stand after those of its reading. */
#ifndef BATCH_TELL_ECONOMICS_H
#define BATCH_TELL_ECONOMICS_H

#include "base/feed.h"
#include "core/record.h"

struct table;

/* tokens, cost, cache_misses, time, composition, budget, contract: each only when it applies. */
void tell_economics(const struct record *record, const struct table *names, struct feed *feed);

/* total: the run and all its descendants. */
void tell_total(const struct record *record, struct feed *feed);

#endif
