/* Composition: what fills the context, by kind and by tool, in the last request and over all turns.
 *
 *  I1  The sizes of all rows add up to the last request's context, and in an append-only transcript the cumulative ones
 *      to the run's cumulative reading.
 */
#ifndef REDUCE_COMPOSITION_H
#define REDUCE_COMPOSITION_H

#include <stdint.h>

#include "core/record.h"

enum content_kind {
    CONTENT_SYSTEM,
    CONTENT_TOOL_SCHEMAS,
    CONTENT_USER,
    CONTENT_ASSISTANT,
    CONTENT_TOOL_CALL,
    CONTENT_TOOL_RESULT,
    CONTENT_FAILED_RESULT
};

struct content_row {
    enum content_kind kind;
    uint32_t tool;  /* index of the name, NAME_NONE where it does not apply */
    int64_t size;   /* in the last request */
    int64_t cumulative;
};

struct composition {
    struct content_row *rows; /* by kind, then by the tool's name in byte order; rows of size 0 are left out */
    uint32_t count;
    int64_t context; /* of the last request; 0 when there was none */
};

struct table;

/* `names` are the tools' names.  O(entries + rows log rows). */
struct composition composition_of(struct arena *arena, const struct transcript *transcript, const struct table *names);

const char *content_kind_name(enum content_kind kind);

#endif
