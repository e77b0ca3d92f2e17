/* Slabs: small blocks of memory that come and go, sorted by size, in front of malloc.
 *
 * An interpreter asks for the same few small sizes over and over.  Each size class (a multiple of 16 bytes) cuts its
 * blocks out of slabs of 32 KiB; a block freed is the next one handed out, which is also the one still in the cache.
 * Taking and giving back touch the block and the head of its slab, nothing else: O(1).
 *
 *  I1  A slab holds blocks of one class; its head stands where a block's address is rounded down to SLAB_SIZE.
 *  I2  `open[c]` lists every slab of class c that has room.  One without stays until it is the first and that is seen.
 *  I3  A slab without live blocks goes back to the system, but for the last one open of its class and a few spares:
 *      what a script has freed does not stay with the process.
 *
 * The caller knows the size of each block, as Lua's allocator does.  Not shared between threads.
 */
#ifndef BASE_SLABS_H
#define BASE_SLABS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/hide.h"

#define SLAB_SIZE ((size_t)32768)
#define SLABS_GRAIN 16
#define SLABS_BLOCK_MAX ((size_t)512)
#define SLABS_CLASSES (SLABS_BLOCK_MAX / SLABS_GRAIN)

struct slab_block {
    struct slab_block *next;
};

struct slab {
    struct slab *next;
    struct slab *previous; /* NULL in the first of its list */
    struct slab_block *freed;
    char *fresh; /* from here on no block was ever taken … */
    char *end;   /* … up to here */
    uint32_t live;
    uint16_t class;
    bool listed; /* in `open` */
};

struct slabs {
    struct slab *open[SLABS_CLASSES];
    struct slab *spare;
    int spares;
};

void slabs_init(struct slabs *slabs);

/* True if blocks of this size come from here; larger ones are malloc's. */
static inline bool slabs_fits(size_t size)
{
    return size <= SLABS_BLOCK_MAX;
}

static inline uint16_t slabs_class(size_t size)
{
    return (uint16_t)((size - 1) / SLABS_GRAIN);
}

/* The rarer ways of the two below, called by them alone. */
void *slabs_take_fresh(struct slabs *slabs, size_t size);
void slabs_settle(struct slabs *slabs, struct slab *slab);

/* An uninitialised block of 1 to SLABS_BLOCK_MAX bytes, aligned to 16, or NULL when the system has no more. */
static inline void *slabs_take(struct slabs *slabs, size_t size)
{
    struct slab *slab = slabs->open[slabs_class(size)];
    if (!slab || !slab->freed)
        return slabs_take_fresh(slabs, size);
    struct slab_block *block = slab->freed;
    SHOW(block, sizeof *block);
    slab->freed = block->next;
    slab->live++;
    HIDE(block, sizeof *block);
    SHOW(block, size);
    return block;
}

/* True if the block of one size serves as well for the other; then it does from now on. */
static inline bool slabs_keep(void *block, size_t old_size, size_t size)
{
    if (!slabs_fits(old_size) || !slabs_fits(size) || slabs_class(old_size) != slabs_class(size))
        return false;
    HIDE(block, old_size);
    SHOW(block, size);
    return true;
}

/* Takes a block back; `size` is what it was asked with, or another of the same class. */
static inline void slabs_give(struct slabs *slabs, void *memory, size_t size)
{
    struct slab_block *block = memory;
    struct slab *slab = (struct slab *)((uintptr_t)memory & ~(uintptr_t)(SLAB_SIZE - 1)); /* I1 */
    CHECK(slab->class == slabs_class(size) && slab->live > 0);
    SHOW(block, sizeof *block);
    block->next = slab->freed;
    slab->freed = block;
    HIDE(block, (slab->class + (size_t)1) * SLABS_GRAIN);
    if (--slab->live == 0 || !slab->listed)
        slabs_settle(slabs, slab);
}

/* Gives everything back.  Every block must have been given back before. */
void slabs_close(struct slabs *slabs);

#endif
