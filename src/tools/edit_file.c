/* edit_file: replaces text in one file of the workspace, the first place or all of them. */
#include <string.h>

#include "base/arena.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/lookup.h"
#include "tools/texts.h"

struct edit {
    struct str old_text; /* not empty */
    struct str new_text;
    bool all;
};

/* Where the text is next, or the end of the body. */
static size_t find_text(struct str body, size_t from, struct str text)
{
    const char *found = from < body.len ? memmem(body.data + from, body.len - from, text.data, text.len) : NULL;
    return found ? (size_t)(found - body.data) : body.len;
}

/* Places from left to right that do not overlap. */
static size_t count_places(struct str body, const struct edit *edit)
{
    size_t count = 0;
    for (size_t at = find_text(body, 0, edit->old_text); at < body.len; count++) {
        if (!edit->all)
            return 1;
        at = find_text(body, at + edit->old_text.len, edit->old_text);
    }
    return count;
}

/* False if it would be too large. */
static bool edited_length(struct str body, const struct edit *edit, size_t count, size_t *length)
{
    size_t added;
    return !__builtin_mul_overflow(count, edit->new_text.len, &added) &&
           !__builtin_add_overflow(body.len - count * edit->old_text.len, added, length) &&
           *length <= TOOL_FILE_BYTES_MAX;
}

static char *put(char *to, struct str text)
{
    return text.len > 0 ? (char *)mempcpy(to, text.data, text.len) : to;
}

static void write_edited(char *to, struct str body, const struct edit *edit, size_t count)
{
    size_t from = 0;
    for (; count > 0; count--) {
        size_t at = find_text(body, from, edit->old_text);
        to = put(put(to, str_slice(body, from, at)), edit->new_text);
        from = at + edit->old_text.len;
    }
    put(to, str_slice(body, from, body.len));
}

static void apply(const struct tool_invocation *call, struct str path, const struct found *found,
                  const struct edit *edit, struct tool_result *result)
{
    struct str body = found->version.body;
    size_t length, count = count_places(body, edit);
    if (count == 0) {
        tool_fail(call, result, STR(TEXT_NOT_FOUND), path, (struct str){0});
        return;
    }
    if (!edited_length(body, edit, count, &length)) {
        tool_fail(call, result, STR(TEXT_EDIT_SIZE), path, (struct str){0});
        return;
    }
    char *edited = arena_bytes(call->keep, length + 1);
    write_edited(edited, body, edit, count);
    worktree_write(call->tree, str_copy(call->keep, found->path), (struct str){edited, length}, call->record);
    struct strbuf text;
    strbuf_init(&text, call->keep, TOOL_FILE_BYTES_MAX);
    strbuf_add(&text, STR("Edited "));
    strbuf_add(&text, path);
    strbuf_addf(&text, " (%zu)", count);
    *result = (struct tool_result){.content = strbuf_str(&text), .size = -1};
}

static bool edit_file(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self;
    struct found found;
    bool failed;
    if (!tool_check_arguments(&tool_edit_file, call, result))
        return true;
    struct edit edit = {
        .old_text = argument_string(call->arguments, STR("old_text"), (struct str){0}),
        .new_text = argument_string(call->arguments, STR("new_text"), (struct str){0}),
        .all = argument_bool(call->arguments, STR("replace_all"), false),
    };
    struct str path = argument_string(call->arguments, STR("path"), (struct str){0});
    if (!lookup_read(call, path, NULL, &found, result, &failed, err))
        return !failed;
    apply(call, path, &found, &edit, result);
    return true;
}

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER(
        "properties",
        SCHEMA_OBJECT(
            SCHEMA_FIELD("new_text", "string", "What it is replaced by."),
            SCHEMA_MEMBER("old_text",
                          SCHEMA_OBJECT(SCHEMA_MEMBER("description", SCHEMA_TEXT("The exact text to replace.")),
                                        SCHEMA_MEMBER("minLength", SCHEMA_INT(1)),
                                        SCHEMA_MEMBER("type", SCHEMA_TEXT("string")))),
            SCHEMA_FIELD("path", "string", "The file's path, relative to the workspace."),
            SCHEMA_FIELD("replace_all", "boolean", "Replace every occurrence, not only the first."))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("new_text"), SCHEMA_TEXT("old_text"), SCHEMA_TEXT("path"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_edit_file = {
    .name = {"edit_file", 9},
    .description = {"Replace exact text in a file.", 29},
    .input_schema = &schema,
    .latency_us = -1,
    .run = edit_file,
};
