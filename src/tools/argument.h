/* Argument: how a built-in tool writes down its schema, and how it reads what was checked against it.
 *
 * A schema is constant data, so that it costs nothing until somebody asks for it; the macros spare the lengths that
 * would else be counted by hand.  Members of an object are written in byte order of their keys.
 */
#ifndef TOOLS_ARGUMENT_H
#define TOOLS_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/value.h"

#define TOOL_FILE_BYTES_MAX ((size_t)1 << 28) /* of a file that a tool makes, and of a result */

/* Parts of a static const struct value. */
#define SCHEMA_TEXT(text) {.kind = VALUE_STRING, .string = {text, sizeof(text) - 1}}
#define SCHEMA_INT(number) {.kind = VALUE_INT, .integer = number}
#define SCHEMA_BOOL(truth) {.kind = VALUE_BOOL, .boolean = truth}
#define SCHEMA_MEMBER(name, ...) {{name, sizeof(name) - 1}, __VA_ARGS__}
#define SCHEMA_OBJECT(...)                                                                                             \
    {.kind = VALUE_OBJECT, .count = sizeof((const struct member[]){__VA_ARGS__}) / sizeof(struct member),              \
     .members = (const struct member[]){__VA_ARGS__}}
#define SCHEMA_LIST(...)                                                                                               \
    {.kind = VALUE_ARRAY, .count = sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value),                 \
     .items = (const struct value[]){__VA_ARGS__}}

/* A property that is described and of a type, and nothing else. */
#define SCHEMA_FIELD(name, type_name, text)                                                                            \
    SCHEMA_MEMBER(name, SCHEMA_OBJECT(SCHEMA_MEMBER("description", SCHEMA_TEXT(text)),                                 \
                                      SCHEMA_MEMBER("type", SCHEMA_TEXT(type_name))))

/* What stands at a key of checked arguments; the fallback when nothing does. */
struct str argument_string(const struct value *arguments, struct str key, struct str fallback);
bool argument_bool(const struct value *arguments, struct str key, bool fallback);

/* A whole number of at least 0, also when it came as a double; one that is too large is the largest there is. */
int64_t argument_count(const struct value *arguments, struct str key, int64_t fallback);

#endif
