/* Table: from slices to small indices, over uthash; indices count from 0 in order of insertion.
 *
 * The index is the stable name of the string: arrays beside the table hold what belongs to it.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunks.h"
#include "base/str.h"

struct arena;
struct table_row;

struct table {
    struct arena *arena; /* holds rows, copied keys and buckets */
    struct table_row *head;
    struct chunks rows; /* struct table_row *, by index */
    uint32_t count;
    struct table_row *last_found; /* the same key is often asked twice in a row */
};

#define TABLE_NONE UINT32_MAX

void table_init(struct table *table, struct arena *arena);
uint32_t table_add(struct table *table, struct str key);        /* copies a new key; O(1) expected */
uint32_t table_find(struct table *table, struct str key);       /* TABLE_NONE if absent */
struct str table_key(const struct table *table, uint32_t index); /* the key of an index below count */

#endif
