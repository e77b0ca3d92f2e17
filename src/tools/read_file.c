/* read_file: the body of one file of the workspace, or some lines of it, by reference. */
#include <string.h>

#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/lookup.h"
#include "tools/texts.h"

/* The text without its first `count` lines. */
static struct str skip_lines(struct str text, int64_t count)
{
    for (; count > 0 && text.len > 0; count--) {
        const char *feed = memchr(text.data, '\n', text.len);
        text = str_slice(text, feed ? (size_t)(feed - text.data) + 1 : text.len, text.len);
    }
    return text;
}

/* Lines keep their line feeds, so that reading on piece by piece gives the whole body. */
static struct str cut_lines(struct str body, const struct value *arguments)
{
    int64_t offset = argument_count(arguments, STR("offset"), 1);
    int64_t limit = argument_count(arguments, STR("limit"), INT64_MAX);
    struct str from = skip_lines(body, offset - 1);
    return str_slice(from, 0, from.len - skip_lines(from, limit).len);
}

/* The path alone, which is what nearly every call has, is checked by hand: a scan is made of such calls. */
static bool read_file(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self;
    struct str path;
    struct found found;
    bool failed;
    if (!tool_string_argument(call->arguments, STR("path"), &path)) {
        tool_fail(call, result, STR(TEXT_READ_PATH), (struct str){0}, (struct str){0});
        return true;
    }
    if (!lookup_read(call, path, call->sizing, &found, result, &failed, err))
        return !failed;
    if (call->arguments->count == 1) {
        *result = (struct tool_result){.content = found.version.body, .size = found.version.size};
        return true;
    }
    if (tool_check_arguments(&tool_read_file, call, result))
        *result = (struct tool_result){.content = cut_lines(found.version.body, call->arguments), .size = -1};
    return true;
}

#define LINES_FIELD(name, text)                                                                                        \
    SCHEMA_MEMBER(name, SCHEMA_OBJECT(SCHEMA_MEMBER("description", SCHEMA_TEXT(text)),                                 \
                                      SCHEMA_MEMBER("minimum", SCHEMA_INT(1)),                                         \
                                      SCHEMA_MEMBER("type", SCHEMA_TEXT("integer"))))

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER("properties",
                  SCHEMA_OBJECT(LINES_FIELD("limit", "How many lines to read. All by default."),
                                LINES_FIELD("offset", "The first line to read, from 1."),
                                SCHEMA_FIELD("path", "string", "The file's path, relative to the workspace."))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("path"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_read_file = {
    .name = {"read_file", 9},
    .description = {"Read a file and return its content, all of it or some lines.", 60},
    .input_schema = &schema,
    .latency_us = -1,
    .run = read_file,
};
