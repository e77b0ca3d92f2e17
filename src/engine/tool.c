#include "engine/tool.h"

#include "base/arena.h"
#include "base/value.h"

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
