/* Lookup: the file that a model means by a spelling of its path.
 *
 * Models write `./src/a.c` and `src/../src/a.c`; both mean `src/a.c`.  A workspace that a scenario wrote down may hold
 * any path as a key, also one that is not normal, so what stands there literally comes first.
 *
 *  I1  What was written under a spelling is read under the same spelling.
 */
#ifndef TOOLS_LOOKUP_H
#define TOOLS_LOOKUP_H

#include <stdbool.h>

#include "core/worktree.h"
#include "engine/tool.h"

struct found {
    struct str path; /* as the worktree knows it; lives as long as the spelling or the scratch */
    struct version version;
};

/* The file as it is now; its size is in the unit if a sizing is given.  When there is none, the result is the tool
 * error and false is returned; `failed` is set when its body could not be read (err says why). */
bool lookup_read(const struct tool_invocation *call, struct str spelling, const struct sizing *sizing,
                 struct found *found, struct tool_result *result, bool *failed, struct err *err);

/* Where something written under this spelling goes.  False, with the result, for a bad path. */
bool lookup_target(const struct tool_invocation *call, struct str spelling, struct str *path,
                   struct tool_result *result);

#endif
