/* Chunks: a growable array in an arena whose items never move; indices are stable names.
 *
 * Growing copies nothing, so a million appends cost the same each, and no moment holds two copies.  The first chunk has
 * 16 items and each further one doubles up to 4,096, so a short-lived subagent pays little and a long run wastes at
 * most one chunk.
 */
#ifndef BASE_CHUNKS_H
#define BASE_CHUNKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

struct arena;

#define CHUNK_FIRST_BITS 4  /* 16 items */
#define CHUNK_LAST_BITS 12  /* 4,096 items */

struct chunks {
    struct arena *arena;
    char **directory;
    char *next; /* where the next item goes, when there is room */
    uint32_t item_size;
    uint32_t count;
    uint32_t chunk_count;
    uint32_t directory_size;
    uint32_t room; /* items that still fit into the chunk of `next` */
};

void chunks_init(struct chunks *chunks, struct arena *arena, size_t item_size);

/* Makes room; called by chunks_add_unset alone. */
void chunks_grow(struct chunks *chunks);

static inline uint32_t chunk_of(uint32_t index, uint32_t *within)
{
    /* Items before the doubling ends: 16 * (2^8 - 1) = 4,080 in eight chunks; from there on each chunk is full size. */
    const uint32_t doubled = (1u << CHUNK_LAST_BITS) - (1u << CHUNK_FIRST_BITS);
    if (index >= doubled) {
        *within = (index - doubled) & ((1u << CHUNK_LAST_BITS) - 1);
        return (CHUNK_LAST_BITS - CHUNK_FIRST_BITS) + ((index - doubled) >> CHUNK_LAST_BITS);
    }
    uint32_t shifted = index + (1u << CHUNK_FIRST_BITS);
    uint32_t bits = 31u - (uint32_t)__builtin_clz(shifted);
    *within = shifted - (1u << bits);
    return bits - CHUNK_FIRST_BITS;
}

/* The item at an index below count. */
static inline void *chunks_at(const struct chunks *chunks, uint32_t index)
{
    uint32_t within;
    uint32_t chunk = chunk_of(index, &within);
    return chunks->directory[chunk] + (size_t)within * chunks->item_size;
}

/* A new item at the end, for who sets every field of it. */
static inline void *chunks_add_unset(struct chunks *chunks)
{
    if (chunks->room == 0)
        chunks_grow(chunks);
    void *item = chunks->next;
    chunks->next += chunks->item_size;
    chunks->room--;
    chunks->count++;
    return item;
}

/* A new zeroed item at the end. */
static inline void *chunks_add(struct chunks *chunks)
{
    return memset(chunks_add_unset(chunks), 0, chunks->item_size);
}

/* The items from `index` on that stand side by side: returns the first and sets how many (0 at the end). */
static inline const void *chunks_run(const struct chunks *chunks, uint32_t index, uint32_t *count)
{
    if (index >= chunks->count) {
        *count = 0;
        return NULL;
    }
    uint32_t within;
    uint32_t chunk = chunk_of(index, &within);
    uint32_t bits = chunk + CHUNK_FIRST_BITS < CHUNK_LAST_BITS ? chunk + CHUNK_FIRST_BITS : CHUNK_LAST_BITS;
    uint32_t left = chunks->count - index;
    uint32_t here = (1u << bits) - within;
    *count = left < here ? left : here;
    return chunks->directory[chunk] + (size_t)within * chunks->item_size;
}

/* Takes the newest item back. */
void chunks_drop_last(struct chunks *chunks);

#endif
