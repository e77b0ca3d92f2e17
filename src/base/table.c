/* Table: from slices to small indices, over uthash; indices count from 0 in order of insertion. */
#include "base/table.h"

#include "base/arena.h"
#include "base/oom.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* uthash asks for memory in functions where the table is in scope: buckets live in its arena like everything
 * else.  Each growth doubles them, so what is left behind is no more than what is used. */
#define uthash_malloc(size) arena_alloc(table->arena, size)
#define uthash_free(pointer, size) ((void)(pointer))
#define uthash_fatal(message) oom_stop("a hash table", 0)
#include <uthash.h>

struct table_row {
    UT_hash_handle hh;
    struct str key;
    uint32_t index;
};

/* uthash hands the address on to memcmp, which must not see NULL. */
static const char *address(struct str key)
{
    return key.len == 0 ? "" : key.data;
}

/* Not uthash's own hash, which takes five times as long for a path. */
static unsigned hash_of(struct str key)
{
    return (unsigned)XXH3_64bits(address(key), key.len);
}

static uint32_t find_hashed(struct table *table, struct str key, unsigned hash)
{
    struct table_row *row;
    HASH_FIND_BYHASHVALUE(hh, table->head, address(key), key.len, hash, row);
    if (row == NULL) {
        return TABLE_NONE;
    }
    table->last_found = row;
    return row->index;
}

static struct table_row *row_at(const struct table *table, uint32_t index)
{
    return *(struct table_row *const *)chunks_at(&table->rows, index);
}

/* The row without hashing, or NULL: who scans asks for the keys in the order in which they were added, and who has
 * found a key often asks for it again. */
static struct table_row *guess(struct table *table, struct str key)
{
    struct table_row *last = table->last_found;
    if (last == NULL) {
        return NULL;
    }
    if (str_eq(last->key, key)) {
        return last;
    }
    struct table_row *next = row_at(table, last->index + 1 < table->count ? last->index + 1 : 0);
    if (!str_eq(next->key, key)) {
        return NULL;
    }
    table->last_found = next;
    return next;
}

void table_init(struct table *table, struct arena *arena)
{
    *table = (struct table){.arena = arena};
    chunks_init(&table->rows, arena, sizeof(struct table_row *));
}

uint32_t table_add(struct table *table, struct str key)
{
    CHECK(key.len <= UINT32_MAX && table->count < TABLE_NONE);
    struct table_row *guessed = guess(table, key);
    if (guessed != NULL) {
        return guessed->index;
    }
    unsigned hash = hash_of(key);
    uint32_t found = find_hashed(table, key, hash);
    if (found != TABLE_NONE) {
        return found;
    }
    struct table_row *row = arena_new(table->arena, struct table_row);
    row->key = str_copy(table->arena, key);
    row->index = table->count++;
    *(struct table_row **)chunks_add_unset(&table->rows) = row;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, table->head, address(row->key), row->key.len, hash, row);
    table->last_found = row;
    return row->index;
}

uint32_t table_find(struct table *table, struct str key)
{
    CHECK(key.len <= UINT32_MAX);
    struct table_row *guessed = guess(table, key);
    if (guessed != NULL) {
        return guessed->index;
    }
    return find_hashed(table, key, hash_of(key));
}

struct str table_key(const struct table *table, uint32_t index)
{
    CHECK(index < table->count);
    return row_at(table, index)->key;
}
