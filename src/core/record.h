/* Record: one finished run as data, with the runs it spawned; what is measured.
 *
 * A run's whole tree is kept, because only a child's answer crosses into its parent: what the child read is to be found
 * here and nowhere else.  Ids such as `variant/2/1` number children in order of invocation.
 *
 *  I1  A child's `parent` is the record whose list holds it; depth is the parent's plus one.
 *  I2  The list of children is in order of invocation, from number 1.
 */
#ifndef CORE_RECORD_H
#define CORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core/account.h"
#include "core/transcript.h"
#include "core/worktree.h"

/* Why a run ended, and the status that follows from it. */
#define STOP_REASONS(X)                                                                                                \
    X(STOP, "stop", COMPLETE)                                                                                          \
    X(MAX_TURNS, "max_turns", PARTIAL)                                                                                 \
    X(SCRIPT_EXHAUSTED, "script_exhausted", PARTIAL)                                                                   \
    X(BUDGET_EXHAUSTED, "budget_exhausted", PARTIAL)                                                                   \
    X(CONTRACT_VIOLATION, "contract_violation", ABORTED)

enum status { STATUS_COMPLETE, STATUS_PARTIAL, STATUS_ABORTED };

enum stop_reason {
#define X(name, text, status) STOP_REASON_##name,
    STOP_REASONS(X)
#undef X
};

/* How much of what was asked for was read: successful calls of one tool. */
struct coverage {
    bool asked;
    int64_t requested;
    int64_t read;
};

/* How often hooks of the run's chain ran, and how often one blocked a call. */
struct hook_counts {
    bool any; /* some hook stands in the chain */
    int64_t fired;
    int64_t blocked;
};

struct record {
    struct str run;  /* `variant`, `variant/1`, … */
    struct str name; /* the variant's or the subagent's name */
    struct record *parent;
    struct record *first_child;
    struct record *last_child;
    struct record *next; /* the parent's next child */
    uint32_t child_count;
    uint32_t depth; /* 0 for a root */
    uint32_t max_turns;
    enum stop_reason stop_reason;
    struct str final_text; /* empty unless the run stopped by itself */
    const struct value *result; /* that its contract accepted, or NULL */
    bool ended;
    struct coverage coverage;
    struct transcript transcript;
    struct account account;
    struct hook_counts hooks;
    struct worktree *tree; /* the files it worked on, with all that was changed */
};

/* A new record below `parent` (NULL for a root, whose run id is its name). */
struct record *record_new(struct arena *arena, struct record *parent, struct str name, const struct sizing *sizing);

/* The next record of a tree in order of invocation, parents first; NULL after the last.  `top` bounds the walk. */
struct record *record_next(const struct record *top, struct record *record);

/* With coverage: aborted when something was requested and nothing read, partial when less was read than requested; else
 * what follows from the stop reason. */
enum status record_status(const struct record *record);
const char *status_name(enum status status);
const char *stop_reason_name(enum stop_reason reason);

#endif
