/* Arena: memory that only grows, freed all at once or back to a mark; blocks never move.
 *
 * Everything the engine makes lives exactly as long as something larger (a job, a step, a call), so nothing is freed
 * one by one and nothing can be freed twice.
 *
 *  I1  A pointer handed out stays good until the arena is released to an earlier mark, reset or closed.
 *  I2  Memory is zeroed.  Objects are aligned to 16 bytes; arena_bytes gives unaligned bytes.
 *  I3  Out of memory never returns: the process says what it was doing and ends with 70.
 *
 * Owned by whoever declares the struct; not shared between threads.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

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

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);

/* `size` uninitialised bytes without alignment, for text. */
char *arena_bytes(struct arena *arena, size_t size);

/* Makes the newest allocation larger where it stands if it fits; else copies, aligned as by arena_alloc.  `old_size`
 * must be what was asked; the new bytes are uninitialised.  NULL with 0 is the start of something that will grow. */
char *arena_grow(struct arena *arena, char *newest, size_t old_size, size_t new_size);

/* Gives back everything allocated since the mark.  In audit builds the bytes are poisoned first. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);

/* Forgets everything but keeps one block for the next user. */
void arena_reset(struct arena *arena);

void arena_close(struct arena *arena);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc_array((arena), sizeof(type), (count)))
void *arena_alloc_array(struct arena *arena, size_t size, size_t count);

#endif
