/* Rank: which tool results were read again and again, the largest waste first.
 *
 * A result that n turns read was needed once and paid n times: waste = size x (n - 1).  A result that no turn read is
 * no candidate.  Equal waste keeps the transcript's order.
 */
#ifndef REDUCE_RANK_H
#define REDUCE_RANK_H

#include <stdint.h>

#include "core/record.h"

struct candidate {
    uint32_t entry; /* position in the transcript, from 0 */
    uint32_t appearances;
    int64_t waste;
};

struct ranking {
    struct candidate *candidates;
    uint32_t count;
};

#define RANK_LABEL_CODE_POINTS 40

/* O(entries) and a sort of the results that is linear when they come in order. */
struct ranking rank_results(struct arena *arena, const struct transcript *transcript);

/* The content up to the first line feed, at most 40 code points. */
struct str rank_label(const struct entry *entry);

/* The arguments, as canonical JSON, of the call of `tool` that gave a result.  O(entries of its turn). */
struct str rank_arguments(const struct transcript *transcript, uint32_t result, struct str tool);

#endif
