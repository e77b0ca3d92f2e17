/* Slow economy: a second computation of all bills and times, from transcripts, terms and the rules alone.
 *
 * It knows each run's entries with their births, when each turn began, and what the agents' terms are.  Instants follow
 * from the tree: each run is placed after what it waited for.  The cache is a list of all earlier requests, compared
 * entry by entry; nothing is hashed and nothing is carried from one request to the next.
 */
#ifndef SUPPORT_SLOW_ECONOMY_H
#define SUPPORT_SLOW_ECONOMY_H

#include "support/market.h"

/* One request as the second computation sees it. */
struct asked {
    const struct record *record;
    struct terms terms;
    struct cache_rule rule;
    uint32_t turn;
    uint32_t entries; /* that were sent */
    uint32_t systems; /* of them, at the start: each ends a prefix that is kept */
    int64_t context;
    struct instant begin;
    struct instant response; /* begins */
    uint32_t read_end;       /* entries of the prefix that was read; 0 = none */
    struct usage usage;
    int64_t lost;
    enum miss_cause cause;
};

struct study {
    const struct market *market;
    struct asked *rows; /* in the order of the clock once all are placed */
    uint32_t count, capacity;
};

static inline uint32_t slow_count(const struct record *record, uint32_t turn, enum role role)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        count += entry->span.birth == turn + 1 && entry->role == role;
    }
    return count;
}

/* The n-th entry of a role that a turn appended. */
static inline const struct entry *slow_entry(const struct record *record, uint32_t turn, enum role role, uint32_t n)
{
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        if (entry->span.birth == turn + 1 && entry->role == role && n-- == 0)
            return entry;
    }
    return NULL;
}

static inline struct terms slow_terms(const struct market *market, const struct record *record)
{
    const struct economy *all = &market->world->options.economy;
    struct terms from = {.price = all->price, .cache = all->cache, .latency = all->latency};
    if (record->parent)
        from = slow_terms(market, record->parent);
    struct str prompt = {0};
    for (uint32_t i = 0; i < transcript_entries(&record->transcript) && !prompt.data; i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        if (entry->role == ROLE_USER)
            prompt = entry_content(entry);
    }
    struct terms own = market_own(market, prompt);
    from.price = own.price ? own.price : from.price;
    from.cache = own.cache ? own.cache : from.cache;
    from.latency = own.latency ? own.latency : from.latency;
    return from;
}

static inline int64_t slow_rate(int64_t above, int64_t base, bool is_above)
{
    return is_above && above != PRICE_MISSING ? above : base;
}

static inline int64_t slow_cost(const struct usage *usage, const struct price *price)
{
    const struct rates *base = &price->base, *above = &price->above;
    int64_t context = usage->fresh + usage->read + usage->write_5m + usage->write_1h;
    bool is_above = price->above_tokens != PRICE_MISSING && context > price->above_tokens;
    return usage->fresh * slow_rate(above->input, base->input, is_above) +
           usage->read * slow_rate(above->cache_read, base->cache_read, is_above) +
           usage->write_5m * slow_rate(above->cache_write_5m, base->cache_write_5m, is_above) +
           usage->write_1h * slow_rate(above->cache_write_1h, base->cache_write_1h, is_above) +
           usage->output * slow_rate(above->output, base->output, is_above);
}

static inline int64_t rounded_us(int64_t nanoseconds)
{
    return (nanoseconds + 500) / 1000;
}

/* The turn's length as its buckets take it; whether it read what it says is told later. */
static inline struct asked slow_ask(const struct study *study, const struct record *record, uint32_t turn,
                                    struct instant begin, int64_t *duration_us)
{
    const struct transcript *t = &record->transcript;
    const struct turn_figures *figures = chunks_at(&record->account.turns, turn - 1);
    struct asked asked = {.record = record, .turn = turn, .begin = begin, .terms = slow_terms(study->market, record)};
    for (uint32_t i = 0; i < transcript_entries(t); i++) {
        const struct entry *entry = transcript_entry(t, i);
        bool sent = entry->span.birth <= turn;
        asked.entries += sent;
        asked.context += sent ? entry->size : 0;
        asked.systems += entry->role == ROLE_SYSTEM; /* no later turn appends one */
        if (entry->span.birth == turn + 1 && (entry->role == ROLE_ASSISTANT || entry->role == ROLE_TOOL_CALL))
            asked.usage.output += entry->size;
    }
    asked.rule = *asked.terms.cache;
    int64_t models = asked.terms.price->cache_min_tokens;
    if (asked.rule.min_tokens == CACHE_MIN_UNSET)
        asked.rule.min_tokens = models == PRICE_MISSING ? 1024 : models;
    const struct latency *latency = asked.terms.latency;
    int64_t reading = (asked.context - figures->read) * latency->per_input_ns + figures->read * latency->per_cached_ns;
    asked.response = (struct instant){begin.us + latency->base_us + rounded_us(reading), begin.ticks + 1};
    *duration_us = latency->base_us + rounded_us(reading + asked.usage.output * latency->per_output_ns);
    return asked;
}

static inline void study_add(struct study *study, const struct asked *asked)
{
    if (study->count == study->capacity) {
        struct asked *rows = study->rows;
        study->capacity = 2 * study->capacity + 64;
        study->rows = arena_array(&study->market->world->fixture->arena, struct asked, study->capacity);
        for (uint32_t i = 0; i < study->count; i++)
            study->rows[i] = rows[i];
    }
    study->rows[study->count++] = *asked;
}

static inline bool not_after(struct instant a, struct instant b)
{
    return a.us < b.us || (a.us == b.us && a.ticks <= b.ticks);
}

struct placed {
    struct instant end;
    int64_t critical_us;
    int64_t work_us; /* of the record alone */
};

static inline struct placed place_run(struct study *study, struct record *record, struct instant begin);

/* One call: a child's run, nothing for a refused task, or as long as tools take. */
static inline struct placed place_call(struct study *study, const struct record *record, uint32_t turn, uint32_t call,
                                       struct record **child, struct instant begin)
{
    struct str name = table_key(&study->market->world->fixture->names,
                                slow_entry(record, turn, ROLE_TOOL_CALL, call)->name);
    struct str result = entry_content(slow_entry(record, turn, ROLE_TOOL_RESULT, call));
    bool task = str_eq(name, STR("task")) || str_eq(name, STR("ask_expert"));
    bool refused = str_starts(result, STR("ERROR: unknown subagent ")) || str_starts(result, STR("ERROR: budget: "));
    if (task && refused)
        return (struct placed){.end = begin};
    if (task && !str_starts(result, STR("ERROR: unknown tool "))) {
        struct record *spawned = *child;
        assert_non_null(spawned);
        *child = spawned->next;
        struct placed run = place_run(study, spawned, begin);
        return (struct placed){run.end, run.critical_us, 0};
    }
    int64_t lasts = slow_terms(study->market, record).latency->tool_us;
    return (struct placed){{begin.us + lasts, begin.ticks}, lasts, lasts};
}

/* The calls of a turn on their slots: each starts when there are slots or when another has ended. */
static inline void place_calls(struct study *study, const struct record *record, uint32_t turn, struct record **child,
                               struct placed *placed)
{
    struct instant running[SCRIPT_CALLS];
    struct instant begin = placed->end;
    uint32_t count = 0;
    int64_t longest = 0;
    uint32_t slots = slow_terms(study->market, record).latency->parallel_calls;
    uint32_t calls = slow_count(record, turn, ROLE_TOOL_RESULT); /* that ran */
    for (uint32_t call = 0; call < calls; call++) {
        struct instant start = begin;
        if (count == slots) {
            uint32_t first = 0;
            for (uint32_t i = 1; i < count; i++)
                first = not_after(running[first], running[i]) ? first : i;
            start = running[first];
            running[first] = running[--count];
        }
        struct placed one = place_call(study, record, turn, call, child, start);
        running[count++] = one.end;
        longest = one.critical_us > longest ? one.critical_us : longest;
        placed->work_us += one.work_us;
        placed->end = not_after(placed->end, one.end) ? one.end : placed->end;
    }
    placed->critical_us += longest;
}

static inline struct placed place_run(struct study *study, struct record *record, struct instant begin)
{
    struct placed placed = {.end = begin};
    struct record *child = record->first_child;
    assert_true(record->account.begin_us == begin.us);
    for (uint32_t turn = 1; turn <= transcript_turns(&record->transcript); turn++) {
        const struct turn_figures *figures = chunks_at(&record->account.turns, turn - 1);
        int64_t duration;
        assert_true(figures->begin_us == placed.end.us);
        struct asked asked = slow_ask(study, record, turn, placed.end, &duration);
        study_add(study, &asked);
        placed.end = (struct instant){placed.end.us + duration, placed.end.ticks + 1};
        placed.critical_us += duration;
        placed.work_us += duration;
        place_calls(study, record, turn, &child, &placed);
    }
    assert_null(child);
    assert_true(record->account.end_us == placed.end.us);
    assert_true(record->account.critical_us == placed.critical_us);
    assert_true(record->account.work_us == placed.work_us);
    return placed;
}

/* How many entries two requests share, from the first on. */
static inline uint32_t shared_entries(const struct asked *a, const struct asked *b)
{
    uint32_t shared = 0;
    for (; shared < a->entries && shared < b->entries; shared++) {
        const struct entry *left = transcript_entry(&a->record->transcript, shared);
        const struct entry *right = transcript_entry(&b->record->transcript, shared);
        if (left->role != right->role || left->name != right->name || left->size != right->size ||
            !str_eq(entry_content(left), entry_content(right)))
            break;
    }
    return shared;
}

static inline bool wrote(const struct asked *asked, uint32_t end)
{
    bool kept = asked->rule.ttl != CACHE_OFF && asked->context >= asked->rule.min_tokens;
    return kept && (end == asked->entries || end <= asked->systems);
}

static inline int64_t slow_ttl(const struct asked *asked)
{
    return asked->rule.ttl == CACHE_1H ? INT64_C(3600000000) : INT64_C(300000000);
}

/* Warm from one request to another: at every moment between, some use lies no longer back than its user's ttl. */
static inline bool stayed_warm(const struct study *study, const uint32_t *shared, uint32_t from, uint32_t to,
                               uint32_t end)
{
    int64_t until = study->rows[from].begin.us;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < to; i++) {
            const struct asked *user = &study->rows[i];
            bool uses = shared[i] >= end && (wrote(user, end) || user->read_end == end);
            if (uses && user->begin.us <= until && user->begin.us + slow_ttl(user) > until) {
                until = user->begin.us + slow_ttl(user);
                more = true;
            }
        }
    }
    return until >= study->rows[to].begin.us;
}

/* The longest prefix that an earlier request of the scope wrote, in entries; 0 = none. */
static inline uint32_t slow_read(const struct study *study, uint32_t at, uint32_t *shared)
{
    const struct asked *asked = &study->rows[at];
    for (uint32_t i = 0; i < at; i++) {
        const struct asked *other = &study->rows[i];
        bool in_scope = asked->rule.shared ? other->rule.shared : other->record == asked->record;
        shared[i] = in_scope ? shared_entries(asked, other) : 0;
    }
    int64_t size = asked->context;
    for (uint32_t end = asked->entries; end > 0; end--) {
        bool near = !asked->rule.lookback || asked->entries - end <= asked->rule.lookback;
        for (uint32_t i = 0; near && size >= asked->rule.min_tokens && i < at; i++) {
            if (shared[i] >= end && wrote(&study->rows[i], end) &&
                not_after(study->rows[i].response, asked->begin) && stayed_warm(study, shared, i, at, end))
                return end;
        }
        size -= transcript_entry(&asked->record->transcript, end - 1)->size;
    }
    return 0;
}

static inline void slow_divide(struct asked *asked)
{
    int64_t read = 0;
    for (uint32_t i = 0; i < asked->read_end; i++)
        read += transcript_entry(&asked->record->transcript, i)->size;
    asked->usage.read = read;
    bool kept = asked->rule.ttl != CACHE_OFF && asked->context >= asked->rule.min_tokens;
    if (!kept)
        asked->usage.fresh = asked->context - read;
    else if (asked->rule.ttl == CACHE_1H)
        asked->usage.write_1h = asked->context - read;
    else
        asked->usage.write_5m = asked->context - read;
}

/* What the request lost of the run's last context, and why. */
static inline void slow_miss(const struct study *study, uint32_t at)
{
    struct asked *asked = &study->rows[at];
    for (uint32_t i = at; i-- > 0;) {
        const struct asked *last = &study->rows[i];
        if (last->record != asked->record)
            continue;
        if (asked->rule.ttl == CACHE_OFF || asked->usage.read >= last->context)
            return;
        asked->lost = last->context - asked->usage.read;
        bool far = asked->rule.lookback && asked->entries - last->entries > asked->rule.lookback;
        bool small = last->context < asked->rule.min_tokens;
        asked->cause = small ? MISS_BELOW_MINIMUM : far ? MISS_LOOKBACK : MISS_TTL;
        return;
    }
}

static inline struct study *study_new(const struct market *market, struct record *root)
{
    struct arena *arena = &market->world->fixture->arena;
    struct study *study = arena_new(arena, struct study);
    study->market = market;
    place_run(study, root, (struct instant){0, 0});
    for (uint32_t i = 1; i < study->count; i++) { /* by insertion, in the order of the clock */
        struct asked asked = study->rows[i];
        uint32_t place = i;
        for (; place > 0 && !not_after(study->rows[place - 1].begin, asked.begin); place--)
            study->rows[place] = study->rows[place - 1];
        study->rows[place] = asked;
    }
    uint32_t *shared = arena_array(arena, uint32_t, study->count + 1);
    for (uint32_t i = 0; i < study->count; i++) {
        if (study->rows[i].rule.ttl != CACHE_OFF)
            study->rows[i].read_end = slow_read(study, i, shared);
        slow_divide(&study->rows[i]);
        slow_miss(study, i);
    }
    return study;
}

#endif
