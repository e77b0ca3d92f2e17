#include "base/chunks.h"

#include <string.h>

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

void chunks_grow(struct chunks *chunks)
{
    if (chunks->chunk_count == chunks->directory_size)
        grow_directory(chunks);
    uint32_t bits = chunks->chunk_count + CHUNK_FIRST_BITS;
    if (bits > CHUNK_LAST_BITS)
        bits = CHUNK_LAST_BITS;
    CHECK(chunks->count < UINT32_MAX - (1u << CHUNK_LAST_BITS));
    chunks->next = arena_alloc_array(chunks->arena, chunks->item_size, (size_t)1 << bits);
    chunks->directory[chunks->chunk_count++] = chunks->next;
    chunks->room = 1u << bits;
}

void chunks_drop_last(struct chunks *chunks)
{
    CHECK(chunks->count > 0);
    void *last = chunks_at(chunks, chunks->count - 1);
    memset(last, 0, chunks->item_size);
    chunks->next = last;
    chunks->count--;
    /* The chunk stays for the next item.  An item can only be taken back right after it was added, so the newest chunk
     * is the one it stood in. */
    chunks->room++;
}
