/* Arena: memory that only grows, freed all at once or back to a mark; blocks never move. */
#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/oom.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define HIDE(address, size) ASAN_POISON_MEMORY_REGION((address), (size))
#define SHOW(address, size) ASAN_UNPOISON_MEMORY_REGION((address), (size))
#else
#define HIDE(address, size) ((void)(address), (void)(size))
#define SHOW(address, size) ((void)(address), (void)(size))
#endif

enum { BLOCK_MIN = 4096, BLOCK_MAX = 1024 * 1024, ALIGNMENT = 16, POISON = 0xDD };

/* A block of its own for one large allocation stands *behind* the newest block, so that the rest of the newest stays
 * in use.  It remembers how full the newest was (`since`), which tells on release whether it is younger than a mark. */
struct arena_block {
    struct arena_block *older;
    size_t size; /* of `bytes` */
    size_t used;
    size_t since;
    _Alignas(ALIGNMENT) char bytes[];
};

static_assert(sizeof(struct arena_block) % ALIGNMENT == 0, "objects start aligned");

static struct arena_block *block_new(struct arena *arena, size_t size)
{
    CHECK(size <= PTRDIFF_MAX - sizeof(struct arena_block));
    size_t whole = sizeof(struct arena_block) + size;
    struct arena_block *block = malloc(whole);
    if (block == NULL) {
        oom_stop("an arena", whole);
    }
    *block = (struct arena_block){.size = size};
    HIDE(block->bytes, size);
    arena->reserved += whole;
    return block;
}

static void block_free(struct arena *arena, struct arena_block *block)
{
    arena->reserved -= sizeof(struct arena_block) + block->size;
    SHOW(block->bytes, block->size);
#ifdef SIMAGENT_AUDIT
    memset(block->bytes, POISON, block->size);
#endif
    free(block);
}

/* Takes back the bytes of a block from `used` on. */
static void block_cut(struct arena_block *block, size_t used)
{
    CHECK(used <= block->used);
#ifdef SIMAGENT_AUDIT
    SHOW(block->bytes + used, block->used - used);
    memset(block->bytes + used, POISON, block->used - used);
#endif
    block->used = used;
    HIDE(block->bytes + used, block->size - used);
}

static void block_push(struct arena *arena, size_t size)
{
    struct arena_block *block = block_new(arena, size);
    block->older = arena->newest;
    arena->newest = block;
}

static char *alloc_alone(struct arena *arena, size_t size)
{
    struct arena_block *newest = arena->newest;
    if (newest == NULL || newest->used == newest->size) {
        block_push(arena, size);
        arena->newest->used = size;
        SHOW(arena->newest->bytes, size);
        return arena->newest->bytes;
    }
    struct arena_block *block = block_new(arena, size);
    block->used = size;
    block->since = ++newest->used; /* one byte is spent so that no mark before and after are equal */
    block->older = newest->older;
    newest->older = block;
    SHOW(block->bytes, size);
    return block->bytes;
}

static char *alloc_bytes(struct arena *arena, size_t size, size_t alignment)
{
    struct arena_block *block = arena->newest;
    size_t start = block == NULL ? 0 : (block->used + alignment - 1) & ~(alignment - 1);
    if (block == NULL || start > block->size || size > block->size - start) {
        size_t room = arena->next_block - sizeof(struct arena_block);
        if (size > room) {
            return alloc_alone(arena, size);
        }
        block_push(arena, room);
        if (arena->next_block < BLOCK_MAX) {
            arena->next_block *= 2;
        }
        block = arena->newest;
        start = 0;
    }
    SHOW(block->bytes + start, size);
    block->used = start + size;
    return block->bytes + start;
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){.next_block = BLOCK_MIN};
}

void *arena_alloc(struct arena *arena, size_t size)
{
    char *bytes = alloc_bytes(arena, size, ALIGNMENT);
    return memset(bytes, 0, size); /* I2; blocks are reused after a release, so the system's zeroes are no help */
}

void *arena_alloc_array(struct arena *arena, size_t size, size_t count)
{
    size_t whole;
    CHECK(!__builtin_mul_overflow(size, count, &whole));
    return arena_alloc(arena, whole);
}

char *arena_bytes(struct arena *arena, size_t size)
{
    return alloc_bytes(arena, size, 1);
}

char *arena_grow(struct arena *arena, char *newest, size_t old_size, size_t new_size)
{
    CHECK(new_size >= old_size);
    struct arena_block *block = arena->newest;
    bool is_last = block != NULL && newest != NULL && newest + old_size == block->bytes + block->used;
    if (is_last && new_size - old_size <= block->size - block->used) {
        SHOW(newest + old_size, new_size - old_size);
        block->used += new_size - old_size;
        return newest;
    }
    /* A copy is aligned, so that an array which started aligned stays so. */
    char *copy = alloc_bytes(arena, new_size, ALIGNMENT);
    if (old_size > 0) {
        memcpy(copy, newest, old_size);
    }
    return copy;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    struct arena_block *newest = arena->newest;
    return (struct arena_mark){.block = newest, .used = newest == NULL ? 0 : newest->used};
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
    while (arena->newest != mark.block) {
        struct arena_block *block = arena->newest;
        CHECK(block != NULL); /* the mark is of this arena and not yet released */
        arena->newest = block->older;
        block_free(arena, block);
    }
    struct arena_block *newest = arena->newest;
    if (newest == NULL) {
        return;
    }
    while (newest->older != NULL && newest->older->since > mark.used) {
        struct arena_block *alone = newest->older;
        newest->older = alone->older;
        block_free(arena, alone);
    }
    block_cut(newest, mark.used);
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = NULL;
    while (arena->newest != NULL) {
        struct arena_block *block = arena->newest;
        arena->newest = block->older;
        if (kept == NULL && block->size < BLOCK_MAX) {
            kept = block;
        } else {
            block_free(arena, block);
        }
    }
    if (kept != NULL) {
        block_cut(kept, 0);
        kept->older = NULL;
        kept->since = 0;
        arena->newest = kept;
    }
}

void arena_close(struct arena *arena)
{
    arena_release(arena, (struct arena_mark){.block = NULL});
    arena_init(arena);
}
