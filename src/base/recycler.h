/* Recycler: small blocks freed a moment ago, by size, in front of malloc.
 *
 * An interpreter asks for the same few small sizes over and over.  A block given back is the next one handed out to who
 * asks for its size class (a multiple of 16 bytes): a few instructions, and memory that is still in the cache.
 *
 *  I1  Every block is malloc's own, so what is not kept goes back to malloc whole and can become part of any other: no
 *      survivor holds memory that others need, as in an allocator that cuts slabs.
 *  I2  At most RECYCLER_KEEPS bytes of each class are kept.
 *
 * The caller knows the size of each block, as Lua's allocator does.  All O(1).  Not shared between threads.
 */
#ifndef BASE_RECYCLER_H
#define BASE_RECYCLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hide.h"

#define RECYCLER_GRAIN ((size_t)16)
#define RECYCLER_BLOCK_MAX ((size_t)512)
#define RECYCLER_CLASSES (RECYCLER_BLOCK_MAX / RECYCLER_GRAIN)
#define RECYCLER_KEEPS ((size_t)256 << 10)

struct recycled {
    struct recycled *next;
};

struct recycler {
    struct recycled *freed[RECYCLER_CLASSES];
    size_t kept[RECYCLER_CLASSES]; /* bytes */
};

/* True if blocks of this size come from here; larger ones are malloc's alone. */
static inline bool recycler_fits(size_t size)
{
    return size <= RECYCLER_BLOCK_MAX;
}

static inline size_t recycler_class(size_t size)
{
    return (size - 1) / RECYCLER_GRAIN;
}

/* True if the block of one size serves as well for the other. */
static inline bool recycler_same(size_t size, size_t other)
{
    return recycler_fits(size) && recycler_fits(other) && recycler_class(size) == recycler_class(other);
}

/* An uninitialised block of 1 to RECYCLER_BLOCK_MAX bytes, or NULL when the system has no more. */
static inline void *recycler_take(struct recycler *recycler, size_t size)
{
    size_t class = recycler_class(size);
    struct recycled *block = recycler->freed[class];
    if (!block)
        return malloc((class + 1) * RECYCLER_GRAIN);
    SHOW(block, (class + 1) * RECYCLER_GRAIN);
    recycler->freed[class] = block->next;
    recycler->kept[class] -= (class + 1) * RECYCLER_GRAIN;
    return block;
}

/* Takes a block back; `size` is what it was asked with, or another of the same class. */
static inline void recycler_give(struct recycler *recycler, void *memory, size_t size)
{
    size_t class = recycler_class(size);
    struct recycled *block = memory;
    if (recycler->kept[class] >= RECYCLER_KEEPS) {
        free(block);
        return;
    }
    block->next = recycler->freed[class];
    recycler->freed[class] = block;
    recycler->kept[class] += (class + 1) * RECYCLER_GRAIN;
    HIDE(block, (class + 1) * RECYCLER_GRAIN);
}

/* Gives back to malloc what is kept. */
void recycler_empty(struct recycler *recycler);

#endif
