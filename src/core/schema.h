/* Schema: checks a value against a small JSON Schema subset; reports every part that failed; can cut to the bounds.
 *
 * A subagent's answer is an interface, so its shape is checked by the engine and never by asking a model nicely.
 * Known keywords: type (one or a list), properties, required, additionalProperties (true or false), items, enum, const,
 * minLength, maxLength (code points), minimum, maximum, exclusiveMinimum, exclusiveMaximum, minItems, maxItems; title,
 * description, default, examples and $schema say nothing.  Any other keyword is refused, because ignoring it would be a
 * silent hole.
 *
 *  I1  A compiled schema does not contradict itself: bounds are in order, required properties exist, enums are not
 *      empty and fine by the rest of their schema.
 *  I2  Checking is O(value x enum sizes), with depth bounded by the schema's own.
 */
#ifndef CORE_SCHEMA_H
#define CORE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/value.h"

struct arena;
struct schema;

/* NULL with ERR_SCENARIO: an unknown keyword, a wrong type of one, a contradiction; the message starts with the path
 * (`properties.evidence.items: …`). */
const struct schema *schema_compile(struct arena *arena, const struct value *json, struct err *err);

/* False with ERR_SCENARIO unless the schema is an object whose every string has a maxLength (or an enum or const) and
 * whose every list has maxItems and bounded items, all the way down, and no object is open (properties listed, others
 * refused). */
MUST_USE bool schema_check_bounded(const struct schema *schema, struct err *err);

struct violation {
    struct str path;    /* `evidence[2]`, from 1; empty for the value itself */
    struct str problem; /* "is 912 code points long, at most 800 are allowed" */
    struct violation *next;
};

/* All violations in the order of the schema's properties (byte order), or NULL.  A value's members that the schema does
 * not know are violations when additionalProperties is false, or not given and properties are.  Where an enum or const
 * is given, not being among the choices is the one violation.  Texts may point into the schema. */
const struct violation *schema_validate(const struct schema *schema, const struct value *value, struct arena *arena);

/* The value cut to the bounds that cutting can meet: strings to maxLength, lists to maxItems, unknown members left out.
 * `cuts` counts them.  What cutting cannot mend still violates.  The result shares memory with `value`. */
const struct value *schema_truncate(const struct schema *schema, const struct value *value, struct arena *arena,
                                    uint32_t *cuts);

/* True if the schema names a property of the top-level object. */
bool schema_has_property(const struct schema *schema, struct str name);

#endif
