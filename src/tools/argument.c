#include "tools/argument.h"

struct str argument_string(const struct value *arguments, struct str key, struct str fallback)
{
    const struct value *value = value_find(arguments, key);
    return value ? value->string : fallback;
}

bool argument_bool(const struct value *arguments, struct str key, bool fallback)
{
    const struct value *value = value_find(arguments, key);
    return value ? value->boolean : fallback;
}

int64_t argument_count(const struct value *arguments, struct str key, int64_t fallback)
{
    const struct value *value = value_find(arguments, key);
    if (!value)
        return fallback;
    if (value->kind == VALUE_INT)
        return value->integer;
    return value->real < 0x1p63 ? (int64_t)value->real : INT64_MAX;
}
