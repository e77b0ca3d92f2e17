#include "core/cache.h"

#include <string.h>

#include "base/arena.h"
#include "base/oom.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define uthash_malloc(size) arena_alloc(scope->arena, size) /* as in base/table.c */
#define uthash_free(pointer, size) ((void)(pointer))
#define uthash_fatal(message) oom_stop("the prompt cache", 0)
#include <uthash.h>

const struct cache_rule cache_off = {.ttl = CACHE_OFF};

static const char *const cause_names[] = {
    [MISS_MODEL_SWITCH] = "model_switch",     [MISS_PREFIX_CHANGED] = "prefix_changed",
    [MISS_BELOW_MINIMUM] = "below_minimum",   [MISS_LOOKBACK] = "lookback",
    [MISS_TTL] = "ttl",
};

const char *miss_cause_name(enum miss_cause cause)
{
    return cause_names[cause];
}

struct prefix_key {
    XXH128_hash_t hash; /* of the prefix that ends with this entry */
    int64_t size;       /* of that prefix */
};

struct cached_prefix {
    UT_hash_handle hh;
    XXH128_hash_t hash;
    struct instant visible;
    int64_t warm_until_us;
};

void cache_scope_init(struct cache_scope *scope, struct arena *arena)
{
    *scope = (struct cache_scope){.arena = arena};
}

void cache_reader_init(struct cache_reader *reader, const struct cache_rule *rule, struct cache_scope *scope,
                       struct arena *arena)
{
    *reader = (struct cache_reader){.rule = rule, .scope = rule->shared && rule->ttl != CACHE_OFF ? scope : NULL};
    chunks_init(&reader->keys, arena, sizeof(struct prefix_key));
}

static int64_t ttl_us(const struct cache_rule *rule)
{
    return rule->ttl == CACHE_1H ? CACHE_TTL_1H_US : CACHE_TTL_5M_US;
}

/* I2: the key of a prefix is made of the key before it and of all that a request shows of the entry. */
static void extend_keys(struct cache_reader *reader, const struct transcript *transcript)
{
    for (uint32_t i = reader->keys.count; i < transcript_entries(transcript); i++) {
        const struct entry *entry = transcript_entry(transcript, i);
        struct {
            XXH128_hash_t before;
            XXH128_hash_t content;
            int64_t size;
            uint32_t name;
            uint32_t role;
        } parts;
        memset(&parts, 0, sizeof parts);
        int64_t size = entry->size;
        if (i > 0) {
            const struct prefix_key *before = chunks_at(&reader->keys, i - 1);
            parts.before = before->hash;
            size = checked_add(size, before->size);
        }
        parts.content = XXH3_128bits(entry->bytes ? entry->bytes : "", entry->length);
        parts.size = entry->size;
        parts.name = entry->name;
        parts.role = entry->role;
        struct prefix_key *key = chunks_add(&reader->keys);
        *key = (struct prefix_key){.hash = XXH3_128bits(&parts, sizeof parts), .size = size};
    }
}

static struct cached_prefix *find_prefix(const struct cache_scope *scope, XXH128_hash_t hash)
{
    struct cached_prefix *prefix;
    HASH_FIND(hh, scope->rows, &hash, sizeof hash, prefix);
    return prefix;
}

static bool is_usable(const struct cached_prefix *prefix, struct instant now)
{
    return !instant_before(now, prefix->visible) && now.us <= prefix->warm_until_us;
}

static void mark_used(struct cached_prefix *prefix, const struct cache_rule *rule, struct instant now)
{
    int64_t warm_until_us = checked_add(now.us, ttl_us(rule));
    if (warm_until_us > prefix->warm_until_us)
        prefix->warm_until_us = warm_until_us;
}

/* The longest usable prefix, looked for from the request's end; what is used stays warm. */
static int64_t read_shared(struct cache_reader *reader, const struct transcript *transcript, struct instant now)
{
    const struct cache_rule *rule = reader->rule;
    extend_keys(reader, transcript);
    uint32_t entries = transcript_entries(transcript);
    for (uint32_t end = entries; end > 0; end--) {
        const struct prefix_key *key = chunks_at(&reader->keys, end - 1);
        if (key->size < rule->min_tokens || (rule->lookback && entries - end > rule->lookback))
            return 0;
        struct cached_prefix *prefix = find_prefix(reader->scope, key->hash);
        if (prefix && is_usable(prefix, now)) {
            mark_used(prefix, rule, now);
            return key->size;
        }
    }
    return 0;
}

static int64_t read_own(const struct cache_reader *reader, const struct transcript *transcript, struct instant now)
{
    const struct cache_rule *rule = reader->rule;
    bool kept = reader->asked && reader->last_context >= rule->min_tokens;
    bool warm = kept && now.us - reader->last_begin.us <= ttl_us(rule);
    bool near = !rule->lookback || transcript_entries(transcript) - reader->last_entries <= rule->lookback;
    return warm && near ? reader->last_context : 0;
}

static enum miss_cause find_cause(const struct cache_reader *reader, const struct transcript *transcript)
{
    const struct cache_rule *rule = reader->rule;
    if (reader->last_context < rule->min_tokens)
        return MISS_BELOW_MINIMUM;
    if (rule->lookback && transcript_entries(transcript) - reader->last_entries > rule->lookback)
        return MISS_LOOKBACK;
    return MISS_TTL;
}

struct cache_answer cache_ask(struct cache_reader *reader, const struct transcript *transcript, struct instant now)
{
    const struct cache_rule *rule = reader->rule;
    int64_t context = transcript_context(transcript, transcript_turns(transcript));
    struct cache_answer answer = {.usage.fresh = context};
    if (rule->ttl == CACHE_OFF)
        return answer; /* nothing is ever kept */
    int64_t read = reader->scope ? read_shared(reader, transcript, now) : read_own(reader, transcript, now);
    int64_t rest = context - read;
    answer.usage = (struct usage){.read = read};
    if (context < rule->min_tokens)
        answer.usage.fresh = rest;
    else if (rule->ttl == CACHE_1H)
        answer.usage.write_1h = rest;
    else
        answer.usage.write_5m = rest;
    if (reader->asked && read < reader->last_context) {
        answer.missed = true;
        answer.cause = find_cause(reader, transcript);
        answer.lost = reader->last_context - read;
    }
    return answer;
}

/* A prefix that is cold is written anew and visible only when the new response has begun; a warm one stays visible. */
static void leave_prefix(struct cache_reader *reader, uint32_t end, struct instant now, struct instant visible)
{
    struct cache_scope *scope = reader->scope;
    const struct prefix_key *key = chunks_at(&reader->keys, end - 1);
    struct cached_prefix *prefix = find_prefix(scope, key->hash);
    if (!prefix) {
        prefix = arena_new(scope->arena, struct cached_prefix);
        prefix->hash = key->hash;
        prefix->visible = visible;
        HASH_ADD(hh, scope->rows, hash, sizeof prefix->hash, prefix);
    } else if (now.us > prefix->warm_until_us || instant_before(visible, prefix->visible)) {
        prefix->visible = visible;
    }
    mark_used(prefix, reader->rule, now);
}

void cache_leave(struct cache_reader *reader, const struct transcript *transcript, struct instant now,
                 struct instant visible)
{
    if (reader->rule->ttl == CACHE_OFF)
        return;
    int64_t context = transcript_context(transcript, transcript_turns(transcript));
    uint32_t entries = transcript_entries(transcript);
    reader->asked = true;
    reader->last_begin = now;
    reader->last_context = context;
    reader->last_entries = entries;
    if (!reader->scope || context < reader->rule->min_tokens)
        return;
    for (uint32_t i = 0; i < entries && transcript_entry(transcript, i)->role == ROLE_SYSTEM; i++)
        leave_prefix(reader, i + 1, now, visible);
    leave_prefix(reader, entries, now, visible);
}
