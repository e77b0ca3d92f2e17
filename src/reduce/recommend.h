/* Recommend: gates judged one by one, in three profiles; the verdict follows from them and from nothing else.
 *
 *   footprint   delegate when all pass: the run read much, again and again, and a boundary would save a good part of it
 *   checklist   delegate when one passes: a subagent would make many calls, or read much that need not cross
 *   overhead    delegate when both pass: the work outweighs what starting a subagent costs
 *
 * They disagree at times, which is why all are reported; the recommendation is footprint's unless a scenario chooses.
 * Floors are met at equality, but for the multiple of the overhead, which must be passed.  The reason is built from the
 * gates, so it can never disagree with them.
 */
#ifndef REDUCE_RECOMMEND_H
#define REDUCE_RECOMMEND_H

#include <stdbool.h>

#include "base/str.h"
#include "reduce/boundary.h"
#include "reduce/measure.h"

enum profile { PROFILE_FOOTPRINT, PROFILE_CHECKLIST, PROFILE_OVERHEAD };

#define PROFILES 3

const char *profile_name(enum profile profile);
bool profile_find(struct str name, enum profile *profile);

struct thresholds {
    double min_cumulative;             /* 2,000 */
    double min_reread_multiplier;      /* 1.5 */
    double min_boundary_savings_ratio; /* 0.3 */
    double min_tool_calls;             /* 4 */
    double min_result_tokens;          /* 3,000 */
    double min_overhead_multiple;      /* 5 */
    double min_overhead_calls;         /* 5 */
    double spawn_overhead;             /* tokens; negative: measured, or SPAWN_OVERHEAD_DEFAULT */
};

/* The middle of 1,500 to 3,000 tokens, for a variant that spawns nothing to be measured. */
#define SPAWN_OVERHEAD_DEFAULT 2250.0

extern const struct thresholds thresholds_default;

/* A floor's name and where it stands in struct thresholds: the one list of all floors. */
struct threshold_row {
    const char *rule;
    size_t offset;
    bool whole;  /* the value compared with it is an integer */
    bool strict; /* the value must pass it, equality is not enough */
};

#define THRESHOLD_COUNT 8
extern const struct threshold_row threshold_rows[THRESHOLD_COUNT];

struct gate {
    const struct threshold_row *row;
    double value;
    int64_t whole_value; /* the exact value when row->whole */
    double threshold;
    bool passed;
};

#define GATES_MAX 3

struct recommendation {
    enum profile profile;
    bool delegate;
    struct gate gates[GATES_MAX]; /* in the order of the rows */
    uint32_t gate_count;
};

/* The footprint's.  `boundary` may be NULL: then only the first two gates are judged. */
struct recommendation recommend(struct measurement measurement, const struct boundary *boundary,
                                const struct thresholds *thresholds);

/* Of what a run did itself: its tool calls that ran, and the tokens of their results. */
struct recommendation recommend_by_checklist(int64_t tool_calls, int64_t result_tokens,
                                             const struct thresholds *thresholds);

/* `spawn_overhead` in tokens: what a subagent holds before it has done anything. */
struct recommendation recommend_by_overhead(int64_t tool_calls, int64_t result_tokens, double spawn_overhead,
                                            const struct thresholds *thresholds);

/* The overhead to use for a variant: the scenario's, else the mean of what its subagents held when they began, else the
 * default. */
double recommend_spawn_overhead(const struct record *root, const struct thresholds *thresholds);

/* "delegate: min_cumulative (19741 >= 2000), …" or "keep monolithic: …" with the failed ones, made from the gates. */
struct str recommend_reason(struct arena *arena, const struct recommendation *recommendation);

#endif
