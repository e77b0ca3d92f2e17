/* Measure: what a run read, turn by turn and in all.
 *
 * Context at a turn is what the model was sent for it; it is sent again at every turn, so the sum grows with the square
 * of the work.  All figures come from births, deaths and sizes; no snapshot is ever made.
 */
#ifndef REDUCE_MEASURE_H
#define REDUCE_MEASURE_H

#include <stdint.h>

#include "core/record.h"

struct measurement {
    int64_t peak;       /* the largest context of a turn */
    int64_t cumulative; /* the sum of all contexts */
    int64_t turn_count;
};

/* One transcript alone.  O(turns). */
struct measurement measure_transcript(const struct transcript *transcript);

/* All descendants of a record, their turns thrown together: peak = the worst single turn.  O(turns of the tree). */
struct measurement measure_isolated(const struct record *record);

/* cumulative / peak: how often, on average, what was in the window was read.  0 when the peak is 0. */
double measure_multiplier(struct measurement measurement);

/* Results that are errors, of the run and of all it has spawned.  O(entries of the tree). */
int64_t measure_failed_calls(struct record *root);

/* Sizes of all entries that are live at the end, the final answer included. */
int64_t measure_final_context(const struct transcript *transcript);

#endif
