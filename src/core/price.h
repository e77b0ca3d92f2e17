/* Price: what a token costs, in integer picodollars (10^-12 USD), and the table of list prices.
 *
 * At a picodollar every list price per token is a whole number (1 USD per million tokens = 10^6 picodollars a token),
 * so a bill is exact, and 64 bits still hold nine million dollars.  No price is derived from another by a factor:
 * cache reads and writes cost what the model's row says, and a price that is missing is known to be missing.
 */
#ifndef CORE_PRICE_H
#define CORE_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define PRICE_MISSING INT64_C(-1)

/* Picodollars a token; PRICE_MISSING where the source has none. */
struct rates {
    int64_t input;
    int64_t output;
    int64_t cache_read;
    int64_t cache_write_5m;
    int64_t cache_write_1h;
};

struct price {
    struct rates base;
    int64_t above_tokens; /* a larger context is priced whole by `above`; PRICE_MISSING = no such tier */
    struct rates above;   /* a rate that is missing here is the base's */
    int64_t cache_min_tokens; /* the smallest prefix that the model's cache keeps; PRICE_MISSING = unknown */
};

/* USD per million tokens as picodollars a token.  A price p is accepted if round(p * 10^6) / 10^6 == p, p >= 0 and p is
 * at most 10^6; false otherwise. */
bool price_from_usd(double usd_per_million, int64_t *picodollars);

/* The rates that apply to a request with this context. */
struct rates price_rates(const struct price *price, int64_t context);

/* The row of a model that was in force on a date (`2026-05-01`; empty = the newest row).  A model with several names
 * (with and without a version date) is found under each.  False with ERR_SCENARIO: unknown model (with the nearest
 * name), or no price known on that date (with the first date there is one for). */
MUST_USE bool price_find(struct str model, struct str date, struct price *price, struct err *err);

#endif
