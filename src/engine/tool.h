/* Tool: the port through which an agent acts; what it is given and what it may give back.
 *
 * A tool that fails inside the simulation returns a result that is marked failed: the model reads it and goes on.  Only
 * a scenario that is itself wrong (a Lua error in a tool's function) returns false.
 */
#ifndef ENGINE_TOOL_H
#define ENGINE_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct record;
struct value;
struct worktree;
struct shell;
struct sizing;

struct tool_invocation {
    const struct record *record; /* the run that calls: its id, name and depth */
    uint32_t turn;
    const struct value *arguments; /* an object, or NULL for {} */
    struct worktree *tree;         /* the files as they are now; one without a workspace began empty */
    const struct sizing *sizing;
    const struct shell *shell; /* behind bash; NULL: no command is known */
    struct arena *keep;    /* for content */
    struct arena *scratch; /* until the agent's next turn */
};

struct tool_result {
    struct str content; /* lives as long as the transcripts */
    int64_t size;       /* in the scenario's unit if the tool knows it, -1 = to be measured */
    bool failed;
    bool blocked; /* by a hook: the tool did not run */
};

struct tool {
    struct str name;
    struct str description;
    const struct value *input_schema; /* an object; NULL = {"type":"object"} */
    int64_t latency_us;           /* -1: as long as the agent's tools take */
    struct str requires_complete; /* a subagent whose last run must be complete, or empty */
    bool (*run)(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err);
    const void *self;
};

/* A built-in tool's arguments checked against its schema.  False, with the result `ERROR: NAME: FIELD PROBLEM`, when
 * they do not fit.  Compiles the schema: O(schema). */
bool tool_check_arguments(const struct tool *tool, const struct tool_invocation *call, struct tool_result *result);

/* Makes the result a failed one that reads `ERROR: ` and the three parts. */
void tool_fail(const struct tool_invocation *call, struct tool_result *result, struct str before, struct str name,
               struct str after);

/* The string at a key of the arguments.  Missing gives the empty string; false when it is something else. */
bool tool_string_argument(const struct value *arguments, struct str key, struct str *out);

#endif
