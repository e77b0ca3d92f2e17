/* Transcript: what one agent's model reads, as append-only entries with spans.
 *
 * An agent re-sends its whole context on every turn.  Copying it per turn would be quadratic in memory as well, so an
 * entry is stored once with the turns it was live at, and a snapshot is two words: the transcript and a turn.
 *
 *        turn        1    2    3    4
 *        user        |---------------->      born 1
 *        assistant        |----------->      appended by turn 1, so born 2
 *        tool_result      |----|             retired after turn 3, so its life is [2, 4)
 *
 *  I1  Entries are only appended; an entry's bytes, position and birth never change.
 *  I2  Births never decrease along the array.
 *  I3  A death is written at most once, and only with the turn that comes next, so no past snapshot changes.
 *  I4  context(t) = sum of the sizes of all entries live at turn t; kept as a running total, so each turn costs O(1).
 *
 * Content is referenced, never copied: its bytes must live as long as the transcript.  Lives in one arena; not shared
 * between threads.
 */
#ifndef CORE_TRANSCRIPT_H
#define CORE_TRANSCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunks.h"
#include "base/str.h"
#include "core/sizing.h"
#include "core/span.h"

enum role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL_CALL, ROLE_TOOL_RESULT };

#define NAME_NONE UINT32_MAX /* an entry without a tool name */

enum entry_flag {
    ENTRY_FAILED = 1 /* a tool result that is an error */
};

struct entry {
    const char *bytes;
    int64_t size; /* in the transcript's unit */
    struct span span;
    uint32_t length; /* bytes */
    uint32_t name;   /* index in the run's table of tool names, or NAME_NONE */
    uint8_t role;    /* enum role */
    uint8_t flags;   /* enum entry_flag */
};

struct transcript {
    const struct sizing *sizing;
    struct chunks entries;
    struct chunks contexts; /* int64_t per turn: what the model read, in the unit */
    int64_t live;           /* sizes of all entries live now, I4 */
    uint32_t results;       /* entries that are tool results */
};

void transcript_init(struct transcript *transcript, struct arena *arena, const struct sizing *sizing);

/* Appends one entry, to be seen from the next turn on, and returns its index.  O(bytes) in chars, else O(1). */
uint32_t transcript_append(struct transcript *transcript, enum role role, uint32_t name, struct str content);

/* The same for a content whose size is known (a file read before, a result that has only a size); size >= 0. */
uint32_t transcript_append_sized(struct transcript *transcript, enum role role, uint32_t name, struct str content,
                                 int64_t size);

/* Opens the next turn: records what its model call reads.  O(1). */
void transcript_begin_turn(struct transcript *transcript);

/* Takes back the turn just opened, because nothing answered it.  Nothing may have been appended since. */
void transcript_cancel_turn(struct transcript *transcript);

/* Ends the life of an entry: from the next turn on no model call reads it. */
void transcript_retire(struct transcript *transcript, uint32_t entry);

static inline uint32_t transcript_turns(const struct transcript *t) { return t->contexts.count; }
static inline uint32_t transcript_entries(const struct transcript *t) { return t->entries.count; }

static inline struct entry *transcript_entry(const struct transcript *t, uint32_t index)
{
    return chunks_at(&t->entries, index);
}

static inline struct str entry_content(const struct entry *entry)
{
    return (struct str){entry->bytes, entry->length};
}

/* What the model read at a turn, counted from 1. */
static inline int64_t transcript_context(const struct transcript *t, uint32_t turn)
{
    return *(const int64_t *)chunks_at(&t->contexts, turn - 1);
}

const char *role_name(enum role role);

/* Walks everything and stops the program if I2 to I4 do not hold.  O(entries + turns). */
void transcript_check(const struct transcript *transcript);

#endif
