/* glob: the paths that match a pattern. */
#include "base/glob.h"

#include "base/arena.h"
#include "core/worktree.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/texts.h"

/* Appends the paths that match, joined by line feeds. */
static void list_paths(struct worktree *tree, struct str pattern, struct strbuf *out)
{
    uint32_t count;
    const struct str *paths = worktree_list(tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!glob_match(pattern, paths[i]))
            continue;
        if (out->len > 0)
            strbuf_addc(out, '\n');
        strbuf_add(out, paths[i]);
    }
}

static bool glob(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self, (void)err;
    struct err problem = {0};
    if (!tool_check_arguments(&tool_glob, call, result))
        return true;
    struct str pattern = argument_string(call->arguments, STR("pattern"), (struct str){0});
    if (!glob_check(pattern, &problem)) {
        tool_fail(call, result, STR(TEXT_GLOB_PATTERN), str_of(problem.message), (struct str){0});
        return true;
    }
    struct strbuf out;
    strbuf_init(&out, call->scratch, (size_t)UINT32_MAX - 1);
    list_paths(call->tree, pattern, &out);
    struct str content = out.len > 0 ? str_copy(call->keep, strbuf_str(&out)) : STR(TEXT_NO_FILES);
    *result = (struct tool_result){.content = content, .size = -1};
    return true;
}

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER("properties",
                  SCHEMA_OBJECT(SCHEMA_FIELD("pattern", "string",
                                             "Paths to list: * and ? within a part, ** for any parts, [a-z], {a,b}. "
                                             "Without / it matches file names at any depth."))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("pattern"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_glob = {
    .name = {"glob", 4},
    .description = {"List the files whose paths match a pattern, one a line.", 55},
    .input_schema = &schema,
    .latency_us = -1,
    .run = glob,
};
