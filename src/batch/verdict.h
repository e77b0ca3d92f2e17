/* Verdict: passes a report on and remembers what it says of itself: its schema and whether all is well.
 *
 * The exit code hangs on the report's own `ok`, and the report comes from an untrusted process, so it is read from the
 * same events that are rendered: what is shown and what is returned cannot differ.
 */
#ifndef BATCH_VERDICT_H
#define BATCH_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/feed.h"

struct verdict {
    struct feed feed;
    struct feed *next; /* hears everything */
    uint32_t depth;
    enum { VERDICT_OTHER, VERDICT_SCHEMA, VERDICT_OK } key; /* the top-level key whose value comes */
    bool right_schema;
    bool said; /* both were there */
    bool ok;
};

void verdict_init(struct verdict *verdict, struct feed *next);

#endif
