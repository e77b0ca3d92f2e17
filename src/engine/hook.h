/* Hook: the port through which a scenario watches and guards what agents do.
 *
 * The hooks of an event form a chain: the scenario's first, then each ancestor's from the root down, then the agent's
 * own, each in order of registration.  A child cannot escape the hooks of those above it: isolation is no way round
 * permission.
 *
 *   UserPromptSubmit  a root is about to read its task
 *   PreToolUse        a call is about to run: may block it (the reason becomes the result) or replace its arguments
 *   PostToolUse       a call has run, also of an unknown tool; not after a block
 *   Stop              a root has given its final answer: may send it on with a further user entry
 *   SubagentStop      a child has ended, for whatever reason
 */
#ifndef ENGINE_HOOK_H
#define ENGINE_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct hook_counts;
struct record;
struct value;

enum hook_event { HOOK_USER_PROMPT_SUBMIT, HOOK_PRE_TOOL_USE, HOOK_POST_TOOL_USE, HOOK_STOP, HOOK_SUBAGENT_STOP };

#define HOOK_EVENTS 5

const char *hook_event_name(enum hook_event event);
bool hook_event_find(struct str name, enum hook_event *event);

/* What a hook is told; what does not apply is empty or NULL. */
struct hook_call {
    enum hook_event event;
    const struct record *record;
    uint32_t turn;
    struct str tool;
    const struct value *arguments; /* of a tool call; NULL = {} */
    struct str result;             /* of a tool call that has run, or the final text */
    struct str prompt;             /* of UserPromptSubmit */
    bool sent_on;                  /* Stop: an earlier Stop hook has sent the run on already */
    struct arena *keep;            /* for texts that enter a transcript */
    struct arena *scratch;         /* until the agent's next turn */
};

/* What a hook may answer; at most one of the three. */
struct hook_answer {
    struct str block; /* PreToolUse: the reason; data is NULL when it does not block */
    struct str proceed; /* Stop: a user entry to go on with; data is NULL when it does not */
    const struct value *replace; /* PreToolUse: other arguments, an object */
};

struct hook {
    /* False with err when the scenario is at fault. */
    bool (*run)(const void *self, const struct hook_call *call, struct hook_answer *answer, struct err *err);
    const void *self;
};

/* The hooks of a scenario or an agent. */
struct hooks {
    const struct hook *of[HOOK_EVENTS];
    uint32_t count[HOOK_EVENTS];
};

/* A chain, innermost last: each link knows the one before it. */
struct hook_chain {
    const struct hook_chain *outer;
    const struct hooks *hooks;
};

/* Runs the chain of an event.  The first block or proceed ends it; a replacement is what later hooks see.  Counts
 * each hook that ran, and a block. */
MUST_USE bool hook_run(const struct hook_chain *chain, struct hook_call *call, struct hook_counts *counts,
                       struct hook_answer *answer, struct err *err);

#endif
