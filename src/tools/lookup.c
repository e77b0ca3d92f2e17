#include "tools/lookup.h"

#include "core/path.h"
#include "tools/texts.h"

bool lookup_read(const struct tool_invocation *call, struct str spelling, const struct sizing *sizing,
                 struct found *found, struct tool_result *result, bool *failed, struct err *err)
{
    found->path = spelling;
    if (worktree_read(call->tree, spelling, sizing, &found->version, failed, err))
        return true;
    if (!*failed && path_normalise(call->scratch, spelling, &found->path) &&
        worktree_read(call->tree, found->path, sizing, &found->version, failed, err))
        return true;
    if (!*failed)
        tool_fail(call, result, STR(TEXT_NO_SUCH_FILE), spelling, (struct str){0});
    return false;
}

bool lookup_target(const struct tool_invocation *call, struct str spelling, struct str *path,
                   struct tool_result *result)
{
    if (!path_normalise(call->scratch, spelling, path)) {
        tool_fail(call, result, STR(TEXT_BAD_PATH), spelling, (struct str){0});
        return false;
    }
    if (worktree_bytes(call->tree, spelling) >= 0)
        *path = spelling; /* I1 */
    return true;
}
