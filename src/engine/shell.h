/* Shell: the port behind the tool bash: a script of the scenario's, or real commands in a box.
 *
 * Scripted by default, so that a run can be repeated; real only when the user allows it.  Whoever fills the port
 * applies what a command changed to the worktree.
 */
#ifndef ENGINE_SHELL_H
#define ENGINE_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tool_invocation;
struct tool_result;

#define SHELL_TIMEOUT_MS_DEFAULT INT64_C(120000)
#define SHELL_OUTPUT_MAX ((size_t)50000) /* bytes of output that a model is shown */

struct shell_command {
    struct str text;
    int64_t timeout_ms;
};

struct shell {
    /* Sets the result: output, stderr after stdout; `(no output)`; `(exit N)` last when N is not 0.  False with err
     * when the scenario is at fault, or when real commands cannot run. */
    bool (*run)(const void *self, const struct shell_command *command, const struct tool_invocation *call,
                struct tool_result *result, struct err *err);
    const void *self;
    bool real; /* not reproducible */
};

#endif
