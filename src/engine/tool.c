#include "engine/tool.h"

#include "base/arena.h"
#include "base/value.h"
#include "core/schema.h"

void tool_fail(const struct tool_invocation *call, struct tool_result *result, struct str before, struct str name,
               struct str after)
{
    struct strbuf text;
    strbuf_init(&text, call->keep, (size_t)UINT32_MAX - 1);
    strbuf_add(&text, STR("ERROR: "));
    strbuf_add(&text, before);
    strbuf_add(&text, name);
    strbuf_add(&text, after);
    *result = (struct tool_result){.content = strbuf_str(&text), .size = -1, .failed = true};
}

bool tool_check_arguments(const struct tool *tool, const struct tool_invocation *call, struct tool_result *result)
{
    static const struct value none = {.kind = VALUE_OBJECT};
    struct err err = {0};
    const struct schema *schema = schema_compile(call->scratch, tool->input_schema, &err);
    CHECK(schema); /* a built-in tool's own */
    const struct violation *violation =
        schema_validate(schema, call->arguments ? call->arguments : &none, call->scratch);
    if (!violation)
        return true;
    struct str field = violation->path.len ? violation->path : STR("arguments");
    struct str what = str_printf(call->scratch, ": %.*s ", STR_ARG(field));
    tool_fail(call, result, tool->name, what, violation->problem);
    return false;
}

bool tool_string_argument(const struct value *arguments, struct str key, struct str *out)
{
    const struct value *value = value_find(arguments, key);
    *out = (struct str){0};
    if (!value || value->kind == VALUE_NULL)
        return true;
    if (value->kind != VALUE_STRING)
        return false;
    *out = value->string;
    return true;
}
