/* Usage: how the tokens of one model call, or of many, divide into what is billed differently.
 *
 *  I1  fresh + read + write_5m + write_1h = what the model was sent (its context); always.
 */
#ifndef CORE_USAGE_H
#define CORE_USAGE_H

#include <stdint.h>

#include "base/check.h"
#include "core/price.h"

struct usage {
    int64_t fresh;    /* not cached at all */
    int64_t read;     /* from the cache */
    int64_t write_5m; /* into the cache, to stay warm for five minutes */
    int64_t write_1h;
    int64_t output; /* what the model wrote: assistant texts and tool calls */
};

static inline int64_t usage_context(const struct usage *usage)
{
    return usage->fresh + usage->read + usage->write_5m + usage->write_1h;
}

static inline void usage_add(struct usage *into, const struct usage *more)
{
    into->fresh = checked_add(into->fresh, more->fresh);
    into->read = checked_add(into->read, more->read);
    into->write_5m = checked_add(into->write_5m, more->write_5m);
    into->write_1h = checked_add(into->write_1h, more->write_1h);
    into->output = checked_add(into->output, more->output);
}

/* Picodollars for one request.  A bucket that holds tokens must have a price. */
int64_t usage_cost(const struct usage *usage, const struct price *price);

/* The same request without a cache: its whole context at the input price. */
int64_t usage_cost_uncached(const struct usage *usage, const struct price *price);

#endif
