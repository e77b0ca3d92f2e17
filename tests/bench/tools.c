/* Tools: what grep, edit_file and read_file cost on a file of 10 MB, in one table.
 *
 *     tools [MB]
 *
 * Ends with 1 if a call does not end as it must; never because of seconds. */
#include "workload.h"

#include "base/arena.h"
#include "base/value.h"
#include "core/worktree.h"
#include "tools/builtin.h"

struct call_row {
    const struct tool *tool;
    const char *keys[3];
    const char *texts[3]; /* of the keys; the path is `f` */
    const char *shown;
};

static const struct call_row call_rows[] = {
    {&tool_read_file, {"path"}, {"f"}, "read_file"},
    {&tool_grep, {"pattern", "mode"}, {"lazy", "count"}, "grep, a word"},
    {&tool_grep, {"pattern", "mode"}, {"no such word", "count"}, "grep, no match"},
    {&tool_grep, {"pattern", "mode"}, {"[a-z]+ing", "count"}, "grep, slow starts"},
    {&tool_grep, {"pattern", "mode"}, {"(\\w+) \\1", "count"}, "grep, references"},
    {&tool_edit_file, {"path", "old_text", "new_text"}, {"f", "no such text", ""}, "edit_file, no match"},
    {&tool_edit_file, {"path", "old_text", "new_text"}, {"f", "quick", "slow"}, "edit_file, first"},
};

static struct str file_body(struct arena *arena, size_t bytes)
{
    static const char sentence[] = "the quick brown fox jumps over the lazy dog\n";
    char *body = arena_bytes(arena, bytes);
    for (size_t i = 0; i < bytes; i++)
        body[i] = sentence[i % (sizeof sentence - 1)];
    return (struct str){body, bytes};
}

static bool measure(const struct call_row *row, struct arena *arena, size_t bytes)
{
    struct workspace *workspace = workspace_new(arena);
    struct member members[3];
    struct value arguments = {.kind = VALUE_OBJECT, .members = members};
    struct sizing sizing = {UNIT_BYTES, SIZING_DEFAULT_RATE};
    workspace_add(workspace, STR("f"), file_body(arena, bytes));
    workspace_seal(workspace);
    for (; arguments.count < 3 && row->keys[arguments.count]; arguments.count++)
        members[arguments.count] =
            (struct member){str_of(row->keys[arguments.count]),
                            {.kind = VALUE_STRING, .string = str_of(row->texts[arguments.count])}};
    struct tool_invocation call = {.arguments = &arguments, .tree = worktree_new(arena, workspace), .sizing = &sizing,
                                   .keep = arena, .scratch = arena};
    struct tool_result result;
    struct err err = {0};
    double start = cpu_us();
    bool good = row->tool->run(row->tool->self, &call, &result, &err);
    double spent = cpu_us() - start;
    printf("%-20s %10.1f ms %8.0f MB/s\n", row->shown, spent / 1e3, (double)bytes / (spent > 0.1 ? spent : 0.1));
    return good && (!result.failed || str_starts(result.content, STR("ERROR: text not found")));
}

int main(int count, char **arguments)
{
    size_t megabytes = count > 1 ? strtoul(arguments[1], NULL, 10) : 10;
    bool good = true;
    for (size_t i = 0; i < ARRAY_LEN(call_rows); i++) {
        struct arena arena;
        arena_init(&arena);
        good = measure(&call_rows[i], &arena, megabytes * 1000000) && good;
        arena_close(&arena);
    }
    return good ? 0 : 1;
}
