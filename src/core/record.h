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

#include <stdint.h>

#include "base/str.h"
#include "core/transcript.h"

/* Why a run ended, the status that follows from it, and whether the name was reached by the run itself. */
#define STOP_REASONS(X)                                                                                                \
    X(STOP, "stop", COMPLETE)                                                                                          \
    X(MAX_TURNS, "max_turns", PARTIAL)                                                                                 \
    X(SCRIPT_EXHAUSTED, "script_exhausted", PARTIAL)

enum status { STATUS_COMPLETE, STATUS_PARTIAL, STATUS_ABORTED };

enum stop_reason {
#define X(name, text, status) STOP_REASON_##name,
    STOP_REASONS(X)
#undef X
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
    struct transcript transcript;
};

/* A new record below `parent` (NULL for a root, whose run id is its name). */
struct record *record_new(struct arena *arena, struct record *parent, struct str name, const struct sizing *sizing);

/* The next record of a tree in order of invocation, parents first; NULL after the last.  `top` bounds the walk. */
struct record *record_next(const struct record *top, struct record *record);

enum status record_status(const struct record *record);
const char *status_name(enum status status);
const char *stop_reason_name(enum stop_reason reason);

#endif
