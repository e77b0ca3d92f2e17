/* Cache: which prefix of a request is warm at its time, and so how its tokens are billed.
 *
 * Providers keep the state of a prompt's prefix for a while.  A request of at least `min_tokens` leaves prefixes
 * behind that end after its tools entry, after its system entry, and at its own end.  A later request in the same
 * scope reads the longest one that it shares whole entry by whole entry, that is visible (the response to the
 * request that wrote it has begun), warm (last used no longer ago than its user's ttl) and large enough; the rest
 * of it is written.
 *
 *  I1  Requests come in the order of the virtual clock.
 *  I2  A prefix is known by a hash over its entries (role, name, size, content): equal content is shared wherever
 *      it comes from, and nothing is compared twice.
 *
 * Scope `run` needs no hashes: an append-only transcript shares all of its own last request or, when that is cold,
 * nothing, because what ended earlier was not used later.  Cost: O(1) a turn; in scope `scenario` one hash of each
 * entry's content and one look-up for each new entry, and on a miss one look-up for each entry.
 */
#ifndef CORE_CACHE_H
#define CORE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunks.h"
#include "core/transcript.h"
#include "core/usage.h"
#include "core/vclock.h"

#define CACHE_TTL_5M_US (INT64_C(300) * 1000000)
#define CACHE_TTL_1H_US (INT64_C(3600) * 1000000)

#define CACHE_MIN_UNSET INT64_C(-1)
#define CACHE_MIN_DEFAULT INT64_C(1024)

enum cache_ttl { CACHE_OFF, CACHE_5M, CACHE_1H };

struct cache_rule {
    enum cache_ttl ttl;
    int64_t min_tokens;  /* CACHE_MIN_UNSET: the model's own, or CACHE_MIN_DEFAULT */
    bool shared;       /* scope `scenario`: one variant's whole tree; else one run */
    uint32_t lookback; /* a prefix that ends more entries before the request's end is lost; 0 = no such limit */
};

extern const struct cache_rule cache_off;

/* What the runs of a variant share. */
struct cached_prefix;
struct cache_scope {
    struct arena *arena;
    struct cached_prefix *rows; /* uthash */
};

void cache_scope_init(struct cache_scope *scope, struct arena *arena);

enum miss_cause { MISS_MODEL_SWITCH, MISS_PREFIX_CHANGED, MISS_BELOW_MINIMUM, MISS_LOOKBACK, MISS_TTL };

/* One run's side of the cache. */
struct cache_reader {
    const struct cache_rule *rule;
    struct cache_scope *scope; /* NULL unless the rule shares */
    struct chunks keys;        /* struct prefix_key per entry: of the prefix that ends there */
    bool asked;                /* the fields below are set */
    struct instant last_begin; /* of the run's last request */
    int64_t last_context;
    uint32_t last_entries;
};

void cache_reader_init(struct cache_reader *reader, const struct cache_rule *rule, struct cache_scope *scope,
                       struct arena *arena);

struct cache_answer {
    struct usage usage; /* without output */
    bool missed;        /* not the run's first request, and it reads less than the last one's context */
    enum miss_cause cause;
    int64_t lost; /* of the last context */
};

/* Divides a request that begins now.  The transcript's last turn is the request. */
struct cache_answer cache_ask(struct cache_reader *reader, const struct transcript *transcript, struct instant now);

/* Leaves the request's prefixes behind, to be visible from an instant on.  Follows cache_ask at the same time. */
void cache_leave(struct cache_reader *reader, const struct transcript *transcript, struct instant now,
                 struct instant visible);

const char *miss_cause_name(enum miss_cause cause);

#endif
