/* Tell world: what a run did to the world around it: hooks that fired, files that changed.
 *
 * Keys stand after those of what it cost, and only when they apply.
 */
#ifndef BATCH_TELL_WORLD_H
#define BATCH_TELL_WORLD_H

#include "base/feed.h"
#include "core/record.h"

/* hooks (where some are set) and changes (where files changed); with `diffs` each change has a unified diff. */
void tell_world(const struct record *record, bool diffs, struct feed *feed);

#endif
