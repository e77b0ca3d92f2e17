/* write_file: makes or replaces one whole file of the workspace. */
#include "base/arena.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/lookup.h"

static bool write_file(const void *self, const struct tool_invocation *call, struct tool_result *result,
                       struct err *err)
{
    (void)self, (void)err;
    struct str target;
    if (!tool_check_arguments(&tool_write_file, call, result))
        return true;
    struct str path = argument_string(call->arguments, STR("path"), (struct str){0});
    struct str content = argument_string(call->arguments, STR("content"), (struct str){0});
    if (!lookup_target(call, path, &target, result))
        return true;
    worktree_write(call->tree, str_copy(call->keep, target), str_copy(call->keep, content), call->record);
    struct strbuf text;
    strbuf_init(&text, call->keep, TOOL_FILE_BYTES_MAX);
    strbuf_addf(&text, "Wrote %zu bytes to ", content.len);
    strbuf_add(&text, path);
    *result = (struct tool_result){.content = strbuf_str(&text), .size = -1};
    return true;
}

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER("properties",
                  SCHEMA_OBJECT(SCHEMA_FIELD("content", "string", "What the file shall hold."),
                                SCHEMA_FIELD("path", "string", "The file's path, relative to the workspace."))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("content"), SCHEMA_TEXT("path"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_write_file = {
    .name = {"write_file", 10},
    .description = {"Write a file, replacing it if there is one.", 43},
    .input_schema = &schema,
    .latency_us = -1,
    .run = write_file,
};
