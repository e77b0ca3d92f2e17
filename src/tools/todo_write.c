/* todo_write: the list of what is to be done, said back; it is kept nowhere but in the transcript. */
#include <string.h>

#include "base/arena.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/texts.h"

#define STATUS_PENDING "pending"
#define STATUS_IN_PROGRESS "in_progress"
#define STATUS_COMPLETED "completed"

static const struct {
    struct str status;
    struct str mark;
} marks[] = {
    {{STATUS_PENDING, sizeof STATUS_PENDING - 1}, {TEXT_PENDING, sizeof TEXT_PENDING - 1}},
    {{STATUS_IN_PROGRESS, sizeof STATUS_IN_PROGRESS - 1}, {TEXT_IN_PROGRESS, sizeof TEXT_IN_PROGRESS - 1}},
    {{STATUS_COMPLETED, sizeof STATUS_COMPLETED - 1}, {TEXT_COMPLETED, sizeof TEXT_COMPLETED - 1}},
};

/* An empty table of Lua is both, and the converter calls it an object: here it can only be meant as a list. */
static const struct value *as_list(const struct value *arguments, struct arena *scratch)
{
    const struct value *items = value_find(arguments, STR("items"));
    if (!items || items->kind != VALUE_OBJECT || items->count > 0)
        return arguments;
    struct member *members = arena_array(scratch, struct member, arguments->count);
    memcpy(members, arguments->members, arguments->count * sizeof *members);
    for (size_t i = 0; i < arguments->count; i++) {
        if (str_eq(members[i].key, STR("items")))
            members[i].value = (struct value){.kind = VALUE_ARRAY};
    }
    struct value *copy = arena_new(scratch, struct value);
    *copy = (struct value){.kind = VALUE_OBJECT, .count = arguments->count, .members = members};
    return copy;
}

static size_t count_in_progress(const struct value *items)
{
    size_t count = 0;
    for (size_t i = 0; i < items->count; i++) {
        struct str status = argument_string(&items->items[i], STR("status"), (struct str){0});
        count += str_eq(status, STR(STATUS_IN_PROGRESS));
    }
    return count;
}

static void add_item(struct strbuf *out, const struct value *item)
{
    struct str status = argument_string(item, STR("status"), (struct str){0});
    if (out->len > 0)
        strbuf_addc(out, '\n');
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (str_eq(marks[i].status, status))
            strbuf_add(out, marks[i].mark);
    }
    strbuf_add(out, argument_string(item, STR("content"), (struct str){0}));
}

static bool todo_write(const void *self, const struct tool_invocation *call, struct tool_result *result,
                       struct err *err)
{
    (void)self, (void)err;
    struct tool_invocation listed = *call;
    listed.arguments = as_list(call->arguments, call->scratch);
    if (!tool_check_arguments(&tool_todo_write, &listed, result))
        return true;
    const struct value *items = value_find(listed.arguments, STR("items"));
    if (count_in_progress(items) > 1) {
        tool_fail(call, result, STR(TEXT_TODO_PROGRESS), (struct str){0}, (struct str){0});
        return true;
    }
    struct strbuf out;
    strbuf_init(&out, call->keep, (size_t)UINT32_MAX - 1);
    for (size_t i = 0; i < items->count; i++)
        add_item(&out, &items->items[i]);
    *result = (struct tool_result){.content = items->count > 0 ? strbuf_str(&out) : STR(TEXT_NO_TODOS), .size = -1};
    return true;
}

#define ITEMS_TEXT "All todos, in order; at most one is in_progress."
#define STATUS_FIELD                                                                                                   \
    SCHEMA_MEMBER("status", SCHEMA_OBJECT(SCHEMA_MEMBER(                                                               \
                                "enum", SCHEMA_LIST(SCHEMA_TEXT(STATUS_PENDING), SCHEMA_TEXT(STATUS_IN_PROGRESS),      \
                                                    SCHEMA_TEXT(STATUS_COMPLETED)))))

#define ITEM                                                                                                           \
    SCHEMA_OBJECT(SCHEMA_MEMBER("properties", SCHEMA_OBJECT(SCHEMA_FIELD("content", "string", "What is to be done."),  \
                                                            STATUS_FIELD)),                                            \
                  SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("content"), SCHEMA_TEXT("status"))),               \
                  SCHEMA_MEMBER("type", SCHEMA_TEXT("object")))

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER("properties",
                  SCHEMA_OBJECT(SCHEMA_MEMBER("items",
                                              SCHEMA_OBJECT(SCHEMA_MEMBER("description", SCHEMA_TEXT(ITEMS_TEXT)),
                                                            SCHEMA_MEMBER("items", ITEM),
                                                            SCHEMA_MEMBER("type", SCHEMA_TEXT("array")))))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("items"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_todo_write = {
    .name = {"todo_write", 10},
    .description = {"Write down the whole list of todos, replacing the one before.", 61},
    .input_schema = &schema,
    .latency_us = -1,
    .run = todo_write,
};
