/* Arena: memory that only grows, freed all at once or back to a mark; blocks never move. */
#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hide.h"
#include "base/oom.h"

enum { BLOCK_MIN = 4096, BLOCK_MAX = 1024 * 1024, LARGE = 64 * 1024, POISON = 0xDD };

static_assert(sizeof(struct arena_block) % ARENA_ALIGNMENT == 0, "objects start aligned");

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

char *arena_take_slowly(struct arena *arena, size_t size)
{
    size_t room = arena->next_block - sizeof(struct arena_block);
    if (size > room || size >= LARGE) { /* a new block would leave as much of the newest unused */
        return alloc_alone(arena, size);
    }
    block_push(arena, room);
    if (arena->next_block < BLOCK_MAX) {
        arena->next_block *= 2;
    }
    SHOW(arena->newest->bytes, size);
    arena->newest->used = size;
    return arena->newest->bytes;
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){.next_block = BLOCK_MIN};
}

void *arena_alloc(struct arena *arena, size_t size)
{
    char *bytes = arena_take(arena, size, ARENA_ALIGNMENT);
    return memset(bytes, 0, size); /* I2; blocks are reused after a release, so the system's zeroes are no help */
}

static size_t array_size(size_t size, size_t count)
{
    size_t whole;
    CHECK(!__builtin_mul_overflow(size, count, &whole));
    return whole;
}

void *arena_alloc_array(struct arena *arena, size_t size, size_t count)
{
    return arena_alloc(arena, array_size(size, count));
}

void *arena_take_array(struct arena *arena, size_t size, size_t count)
{
    return arena_take(arena, array_size(size, count), ARENA_ALIGNMENT);
}

static bool is_newest(const struct arena_block *block, const char *allocation, size_t size)
{
    return block != NULL && allocation != NULL && allocation + size == block->bytes + block->used;
}

char *arena_grow(struct arena *arena, char *newest, size_t old_size, size_t new_size)
{
    CHECK(new_size >= old_size);
    struct arena_block *block = arena->newest;
    if (is_newest(block, newest, old_size) && new_size - old_size <= block->size - block->used) {
        SHOW(newest + old_size, new_size - old_size);
        block->used += new_size - old_size;
        return newest;
    }
    /* A copy is aligned, so that an array which started aligned stays so. */
    char *copy = arena_take(arena, new_size, ARENA_ALIGNMENT);
    if (old_size > 0) {
        memcpy(copy, newest, old_size);
    }
    return copy;
}

void arena_shrink(struct arena *arena, char *newest, size_t old_size, size_t new_size)
{
    CHECK(new_size <= old_size);
    if (is_newest(arena->newest, newest, old_size)) {
        block_cut(arena->newest, arena->newest->used - (old_size - new_size));
    }
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
