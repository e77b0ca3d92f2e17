/* Witness: a model that copies the transcript whenever it is asked, as a program without spans would keep it.
 *
 * The copies are the reference for everything that is measured: nothing in them comes from a span, a running total or a
 * stored size.  An entry's size is counted again from its bytes, one code point at a time.
 */
#ifndef SUPPORT_WITNESS_H
#define SUPPORT_WITNESS_H

#include "core/record.h"
#include "support/script.h"

struct seen_entry {
    enum role role;
    struct str content; /* a copy */
    int64_t size;
};

struct snapshot {
    struct seen_entry *entries;
    uint32_t count;
};

/* All snapshots of one run. */
struct seen {
    const struct record *record;
    struct snapshot *snapshots;
    uint32_t count;
    struct seen *next; /* the run that began next */
};

/* Where all runs of one world are written down, in the order in which they began. */
struct ledger {
    struct arena *arena;
    struct seen *first, *last;
};

struct witness {
    struct model inner;
    struct ledger *ledger;
};

struct witness_instance {
    const struct witness *witness;
    struct seen *seen;
    void *inner;
};

/* Code points by the rule of base/utf8.h, told from the table of well-formed sequences of the Unicode standard. */
static inline size_t slow_sequence(const unsigned char *s, size_t left)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } rows[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (s[0] < rows[i].first_low || s[0] > rows[i].first_high || left < rows[i].length)
            continue;
        bool fine = rows[i].length == 1 || (s[1] >= rows[i].second_low && s[1] <= rows[i].second_high);
        for (size_t k = 2; fine && k < rows[i].length; k++)
            fine = s[k] >= 0x80 && s[k] <= 0xBF;
        if (fine)
            return rows[i].length;
    }
    return 1;
}

static inline int64_t slow_size(const struct sizing *sizing, struct str content)
{
    int64_t length = (int64_t)content.len;
    if (sizing->unit == UNIT_BYTES)
        return length;
    if (sizing->unit == UNIT_TOKENS) { /* the least number of tokens that covers the bytes */
        int64_t tokens = 0;
        while (tokens * sizing->millionth_bytes_per_token < length * 1000000)
            tokens++;
        return tokens;
    }
    int64_t code_points = 0;
    for (size_t at = 0; at < content.len; code_points++)
        at += slow_sequence((const unsigned char *)content.data + at, content.len - at);
    return code_points;
}

static inline struct snapshot snapshot_of(struct arena *arena, const struct transcript *transcript)
{
    struct snapshot snapshot = {.count = transcript_entries(transcript)};
    snapshot.entries = arena_array(arena, struct seen_entry, snapshot.count + 1);
    for (uint32_t i = 0; i < snapshot.count; i++) {
        const struct entry *entry = transcript_entry(transcript, i);
        struct str copy = str_copy(arena, entry_content(entry));
        snapshot.entries[i] = (struct seen_entry){(enum role)entry->role, copy, slow_size(transcript->sizing, copy)};
    }
    return snapshot;
}

static inline void *witness_begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    const struct witness *witness = self;
    struct ledger *ledger = witness->ledger;
    struct witness_instance *instance = arena_new(ledger->arena, struct witness_instance);
    instance->witness = witness;
    instance->seen = arena_new(ledger->arena, struct seen);
    instance->seen->record = record;
    instance->seen->snapshots = arena_array(ledger->arena, struct snapshot, SCRIPT_TURNS);
    if (ledger->last)
        ledger->last->next = instance->seen;
    else
        ledger->first = instance->seen;
    ledger->last = instance->seen;
    instance->inner = witness->inner.ops->begin(witness->inner.self, record, keep, err);
    return instance;
}

static inline enum model_answer witness_ask(void *self, const struct request *request, struct turn *turn,
                                            struct err *err)
{
    struct witness_instance *instance = self;
    struct snapshot snapshot = snapshot_of(instance->witness->ledger->arena, &request->record->transcript);
    enum model_answer answer = instance->witness->inner.ops->ask(instance->inner, request, turn, err);
    if (answer == MODEL_TURN) { /* a question without an answer is no turn */
        CHECK(instance->seen->count < SCRIPT_TURNS);
        instance->seen->snapshots[instance->seen->count++] = snapshot;
    }
    return answer;
}

static const struct model_ops witness_ops = {.begin = witness_begin, .ask = witness_ask};

static inline struct model witness_model(struct ledger *ledger, struct model inner)
{
    struct witness *witness = arena_new(ledger->arena, struct witness);
    *witness = (struct witness){inner, ledger};
    return (struct model){&witness_ops, witness};
}

static inline const struct seen *ledger_find(const struct ledger *ledger, const struct record *record)
{
    const struct seen *seen = ledger->first;
    while (seen && seen->record != record)
        seen = seen->next;
    assert_non_null(seen);
    return seen;
}

/* What the lists of copies say: sizes of one snapshot, and the sum over all of them. */
static inline int64_t snapshot_size(const struct snapshot *snapshot)
{
    int64_t size = 0;
    for (uint32_t i = 0; i < snapshot->count; i++)
        size += snapshot->entries[i].size;
    return size;
}

static inline int64_t seen_cumulative(const struct seen *seen)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        sum += snapshot_size(&seen->snapshots[i]);
    return sum;
}

static inline int64_t seen_peak(const struct seen *seen)
{
    int64_t peak = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        peak = snapshot_size(&seen->snapshots[i]) > peak ? snapshot_size(&seen->snapshots[i]) : peak;
    return peak;
}

/* In how many snapshots position `index` stands. */
static inline uint32_t seen_appearances(const struct seen *seen, uint32_t index)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        found += seen->snapshots[i].count > index;
    return found;
}

#endif
