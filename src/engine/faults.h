/* Faults: a tool that fails now and then, in the place of one that does not.
 *
 * By count (every n-th call of a run) or by chance.  Chance comes from a stream of its own, keyed by the seed, the
 * run's id and the tool's name, so that adding a child or a call elsewhere never changes which calls of a run fail.
 */
#ifndef ENGINE_FAULTS_H
#define ENGINE_FAULTS_H

#include <stdint.h>

#include "base/chunks.h"
#include "base/table.h"
#include "engine/tool.h"

struct faults {
    struct tool tool; /* what agents are given: named and described as the inner one */
    const struct tool *inner;
    int64_t every; /* the calls n, 2n, 3n … of a run fail; 0: by chance */
    double rate;   /* the chance of each call to fail, 0 to 1 */
    struct str text; /* what the model reads of a failed call */
    uint64_t seed;
    struct table runs;    /* ids of the runs that called … */
    struct chunks states; /* … and how far they are */
};

/* `text` empty: a default that names the tool. */
void faults_init(struct faults *faults, struct arena *arena, const struct tool *inner, uint64_t seed);

#endif
