/* Arena: memory that only grows, freed all at once or back to a mark; blocks never move.
 *
 * Everything the engine makes lives exactly as long as something larger (a job, a step, a call), so nothing is freed
 * one by one and nothing can be freed twice.
 *
 *  I1  A pointer handed out stays good until the arena is released to an earlier mark, reset or closed.
 *  I2  Memory is zeroed, unless the name says otherwise.  Objects are aligned to 16 bytes; text is not.
 *  I3  Out of memory never returns: the process says what it was doing and ends with 70.
 *
 * Owned by whoever declares the struct; not shared between threads.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/hide.h"

#define ARENA_ALIGNMENT 16

/* A block of its own for one large allocation stands *behind* the newest block, so that the rest of the newest stays
 * in use.  It remembers how full the newest was (`since`), which tells on release whether it is younger than a mark. */
struct arena_block {
    struct arena_block *older;
    size_t size; /* of `bytes` */
    size_t used;
    size_t since;
    _Alignas(ARENA_ALIGNMENT) char bytes[];
};

struct arena {
    struct arena_block *newest; /* blocks form a list, newest first */
    size_t reserved;            /* bytes of all blocks, what the process pays */
    size_t next_block;          /* size of the next block: doubles from 4 KiB to 1 MiB */
};

struct arena_mark {
    struct arena_block *block;
    size_t used;
};

void arena_init(struct arena *arena);

/* Makes room in a new block; called by arena_take alone. */
char *arena_take_slowly(struct arena *arena, size_t size);

/* `size` uninitialised bytes: the way of every allocation, so it stands where it is used.  O(1) amortised. */
static inline char *arena_take(struct arena *arena, size_t size, size_t alignment)
{
    struct arena_block *block = arena->newest;
    size_t start = block ? (block->used + alignment - 1) & ~(alignment - 1) : 0;
    if (!block || start > block->size || size > block->size - start)
        return arena_take_slowly(arena, size);
    SHOW(block->bytes + start, size);
    block->used = start + size;
    return block->bytes + start;
}

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* `size` uninitialised bytes without alignment, for text. */
static inline char *arena_bytes(struct arena *arena, size_t size)
{
    return arena_take(arena, size, 1);
}

/* Makes the newest allocation larger where it stands if it fits; else copies, aligned as by arena_alloc.  `old_size`
 * must be what was asked; the new bytes are uninitialised.  NULL with 0 is the start of something that will grow. */
char *arena_grow(struct arena *arena, char *newest, size_t old_size, size_t new_size);

/* Gives back the end of the newest allocation, made since the newest mark; of any other, nothing. */
void arena_shrink(struct arena *arena, char *newest, size_t old_size, size_t new_size);

/* Gives back everything allocated since the mark.  In audit builds the bytes are poisoned first. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);

/* Forgets everything but keeps one block for the next user. */
void arena_reset(struct arena *arena);

void arena_close(struct arena *arena);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), sizeof(type), (count)))
void *arena_alloc_array(struct arena *arena, size_t size, size_t count);

/* The same without zeroes, for who sets every field of every item. */
#define arena_array_unset(arena, type, count) ((type *)arena_take_array((arena), sizeof(type), (count)))
void *arena_take_array(struct arena *arena, size_t size, size_t count);

#endif
