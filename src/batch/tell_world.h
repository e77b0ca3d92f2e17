/* Tell world: what a run did to the world around it: hooks that fired, files that changed.
 *
 * Keys stand after those of what it cost, and only when they apply.
 */
#ifndef BATCH_TELL_WORLD_H
#define BATCH_TELL_WORLD_H

#include "base/feed.h"
#include "core/record.h"

/* hooks (where some are set) and changes (where files changed); `people`, where there are any, are told the unified
 * diff of each change. */
void tell_world(const struct record *record, struct feed *people, struct feed *feed);

#endif
