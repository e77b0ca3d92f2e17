/* Tool call: one call of a built-in tool on a worktree, its arguments written down as constants. */
#ifndef SUPPORT_TOOL_CALL_H
#define SUPPORT_TOOL_CALL_H

#include "base/value.h"
#include "core/record.h"
#include "core/worktree.h"
#include "support/fixture.h"
#include "tools/argument.h"
#include "tools/builtin.h"

/* Members of arguments, for tables at file scope: SCHEMA_OBJECT(TXT("path", "a"), NUM("limit", 2)). */
#define TXT(key, text) SCHEMA_MEMBER(key, SCHEMA_TEXT(text))
#define NUM(key, number) SCHEMA_MEMBER(key, SCHEMA_INT(number))
#define YES(key) SCHEMA_MEMBER(key, SCHEMA_BOOL(true))
#define NO_ARGUMENTS {.kind = VALUE_OBJECT}

/* A call and all of its outcome. */
struct tool_row {
    struct value arguments;
    const char *content; /* a failed one begins with `ERROR: ` */
};

static const struct record tool_call_record;

static inline struct tool_result tool_call(struct fixture *f, struct worktree *tree, const struct tool *tool,
                                           const struct value *arguments)
{
    struct tool_invocation call = {.record = &tool_call_record, .arguments = arguments, .tree = tree,
                                   .sizing = &f->sizing, .keep = &f->arena, .scratch = &f->arena};
    struct tool_result result = {.size = -1};
    if (!tool->run(tool->self, &call, &result, &f->err))
        fail_msg("%s", f->err.message);
    return result;
}

static inline void assert_tool_rows(struct fixture *f, struct worktree *tree, const struct tool *tool,
                                    const struct tool_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str want = str_of(rows[i].content);
        struct tool_result result = tool_call(f, tree, tool, &rows[i].arguments);
        assert_str(result.content, want);
        assert_int_equal(result.failed, str_starts(want, STR("ERROR: ")));
        assert_false(result.blocked);
    }
}

/* The body of a file as it is now; fails when there is none. */
static inline struct str tool_body(struct fixture *f, struct worktree *tree, struct str path)
{
    struct version version;
    bool failed;
    if (!worktree_read(tree, path, NULL, &version, &failed, &f->err))
        fail_msg("no %.*s", STR_ARG(path));
    return version.body;
}

struct file_row {
    struct str path, body;
};

static inline struct worktree *tree_of(struct fixture *f, const struct file_row *files, size_t count)
{
    struct workspace *workspace = fixture_workspace(f);
    for (size_t i = 0; i < count; i++)
        workspace_add(workspace, files[i].path, files[i].body);
    workspace_seal(workspace);
    return worktree_new(&f->arena, workspace);
}

/* Strings as arguments, for calls made in loops. */
static inline const struct value *text_arguments(struct arena *arena, const struct file_row *pairs, size_t count)
{
    struct member *members = arena_array(arena, struct member, count);
    for (size_t i = 0; i < count; i++)
        members[i] = (struct member){pairs[i].path, {.kind = VALUE_STRING, .string = pairs[i].body}};
    struct value *object = arena_new(arena, struct value);
    *object = (struct value){.kind = VALUE_OBJECT, .count = count, .members = members};
    return object;
}

/* Spellings of paths that lead out of the workspace or name nothing; nothing may be written there. */
static const struct str bad_paths[] = {
    {"", 0},
    {".", 1},
    {"..", 2},
    {"./.", 3},
    {"a/..", 4},
    {"../a", 4},
    {"a/../../b", 9},
    {"./../a", 6},
    {"/", 1},
    {"/a", 2},
    {"/etc/passwd", 11},
    {"//a", 3},
    {"a//b", 4},
    {"a/", 2},
    {"a/./", 4},
    {"../../../../etc/passwd", 22},
    {"a\0b", 3},
    {"\0", 1},
    {"a/\0/../b", 8},
    {"a\\b", 3},
    {"..\\a", 4},
    {"C:\\a", 4},
    {"\\\\host\\share", 12},
};

#endif
