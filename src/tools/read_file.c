/* read_file: the body of one file of the workspace, by reference. */
#include "base/value.h"
#include "core/worktree.h"
#include "tools/builtin.h"

static bool read_file(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self;
    struct str path;
    struct version version;
    bool failed;
    if (!tool_string_argument(call->arguments, STR("path"), &path)) {
        tool_fail(call, result, STR("read_file: path must be a string"), (struct str){0}, (struct str){0});
        return true;
    }
    if (!worktree_read(call->tree, path, call->sizing, &version, &failed, err)) {
        if (failed)
            return false;
        tool_fail(call, result, STR("no such file "), path, (struct str){0});
        return true;
    }
    *result = (struct tool_result){.content = version.body, .size = version.size};
    return true;
}

static const struct member path_schema[] = {
    {{"description", 11}, {.kind = VALUE_STRING, .string = {"The file's path, relative to the workspace.", 43}}},
    {{"type", 4}, {.kind = VALUE_STRING, .string = {"string", 6}}},
};
static const struct member properties[] = {
    {{"path", 4}, {.kind = VALUE_OBJECT, .count = ARRAY_LEN(path_schema), .members = path_schema}},
};
static const struct value required[] = {{.kind = VALUE_STRING, .string = {"path", 4}}};
static const struct member schema_members[] = {
    {{"properties", 10}, {.kind = VALUE_OBJECT, .count = ARRAY_LEN(properties), .members = properties}},
    {{"required", 8}, {.kind = VALUE_ARRAY, .count = ARRAY_LEN(required), .items = required}},
    {{"type", 4}, {.kind = VALUE_STRING, .string = {"object", 6}}},
};
static const struct value schema = {
    .kind = VALUE_OBJECT, .count = ARRAY_LEN(schema_members), .members = schema_members};

const struct tool tool_read_file = {
    .name = {"read_file", 9},
    .description = {"Read a file and return its whole content.", 41},
    .input_schema = &schema,
    .latency_us = -1,
    .run = read_file,
};
