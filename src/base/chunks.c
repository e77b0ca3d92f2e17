#include "base/chunks.h"

#include "base/arena.h"

void chunks_init(struct chunks *chunks, struct arena *arena, size_t item_size)
{
    CHECK(item_size > 0 && item_size <= UINT32_MAX);
    *chunks = (struct chunks){.arena = arena, .item_size = (uint32_t)item_size};
}

static void grow_directory(struct chunks *chunks)
{
    uint32_t size = chunks->directory_size ? chunks->directory_size * 2 : 4;
    char **directory = arena_array(chunks->arena, char *, size);
    if (chunks->chunk_count)
        memcpy(directory, chunks->directory, chunks->chunk_count * sizeof *directory);
    chunks->directory = directory;
    chunks->directory_size = size;
}

static uint32_t chunk_size(uint32_t chunk)
{
    uint32_t bits = chunk + CHUNK_FIRST_BITS;
    return 1u << (bits < CHUNK_LAST_BITS ? bits : CHUNK_LAST_BITS);
}

void chunks_grow(struct chunks *chunks)
{
    CHECK(chunks->count < UINT32_MAX - (1u << CHUNK_LAST_BITS));
    uint32_t within;
    uint32_t chunk = chunk_of(chunks->count, &within);
    if (chunk == chunks->chunk_count) { /* else one is left from items that were taken back */
        if (chunk == chunks->directory_size)
            grow_directory(chunks);
        chunks->directory[chunk] = arena_take_array(chunks->arena, chunks->item_size, chunk_size(chunk));
        chunks->chunk_count++;
    }
    chunks->next = chunks->directory[chunk];
    chunks->room = chunk_size(chunk);
}

void chunks_drop_last(struct chunks *chunks)
{
    CHECK(chunks->count > 0);
    uint32_t within;
    uint32_t chunk = chunk_of(--chunks->count, &within);
    chunks->next = chunks->directory[chunk] + (size_t)within * chunks->item_size;
    chunks->room = chunk_size(chunk) - within;
}
