/* What the files of the schema share: the compiled form, places in it, and the words of its messages.
 *
 * A message goes to people and back to models, and what it quotes may come from a hostile script, so every quoted text
 * is cut to SCHEMA_QUOTE_MAX code points and written as JSON.
 */
#ifndef CORE_SCHEMA_OWN_H
#define CORE_SCHEMA_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/value.h"

struct arena;

#define SCHEMA_DEPTH_MAX 32
#define SCHEMA_QUOTE_MAX 60
#define SCHEMA_NO_LIMIT INT64_MAX  /* of a length or a number of items */
#define SCHEMA_UNKNOWN SIZE_MAX    /* the place of a property that does not exist */

/* One bit per type.  Each integer is a number too. */
enum {
    SCHEMA_ARRAY = 1 << 0,
    SCHEMA_BOOLEAN = 1 << 1,
    SCHEMA_INTEGER = 1 << 2,
    SCHEMA_NULL = 1 << 3,
    SCHEMA_NUMBER = 1 << 4,
    SCHEMA_OBJECT = 1 << 5,
    SCHEMA_STRING = 1 << 6,
};

struct schema_property {
    struct str name;
    const struct schema *schema;
    bool required;
};

struct schema {
    unsigned types; /* 0 when no type is given: any */
    struct schema_property *properties; /* in byte order of their names */
    size_t property_count;
    const size_t *required; /* places of the required properties, ascending */
    size_t required_count;
    bool open; /* unknown members are fine */
    const struct schema *items; /* NULL: any */
    int64_t min_length, max_length; /* code points */
    int64_t min_items, max_items;
    const struct value *minimum, *maximum, *exclusive_minimum, *exclusive_maximum; /* numbers, or NULL */
    const struct value *choices; /* of enum or const; each is fine by all the rest */
    size_t choice_count;         /* 0: neither was given */
    struct str choices_text;     /* "must be one of …" */
};

/* A place in a document: a chain from the innermost step outward, on the stack of who walks.  NULL is the whole. */
struct schema_step {
    const struct schema_step *outer;
    struct str name;
    size_t position; /* from 1, in a list; 0 means that the step is a name */
};

/* `evidence[2].source`; a name that is no plain word stands quoted in brackets. */
struct str schema_path_text(struct arena *arena, const struct schema_step *step);

/* JSON of at most about SCHEMA_QUOTE_MAX code points, cut with "…". */
void schema_quote(struct strbuf *out, const struct value *value);
struct str schema_quote_name(struct arena *arena, struct str name);

/* "a list", "true or false", …: of a value, and of a set of types ("a string or null"). */
const char *schema_kind_text(const struct value *value);
struct str schema_types_text(struct arena *arena, unsigned types);

/* The bit of a type's name, or 0; and all names. */
unsigned schema_type_named(struct str name);
#define SCHEMA_TYPE_NAMES "array, boolean, integer, null, number, object, string"

bool schema_is_number(const struct value *value);
bool schema_is_integral(const struct value *number); /* 3.0 too */

/* Exact, also between integers and reals.  Negative, zero or positive. */
int schema_compare_numbers(const struct value *a, const struct value *b);

/* JSON's equality: 3 is 3.0, the order of members says nothing.  Depth is bounded by the shallower one. */
bool schema_equal_values(struct arena *scratch, const struct value *a, const struct value *b);

/* SCHEMA_UNKNOWN if there is none of this name.  O(log properties). */
size_t schema_find_property(const struct schema *schema, struct str name);

/* Which member is which property, by property, then by member; members of no property last. */
struct schema_match {
    size_t property;
    size_t member;
};
const struct schema_match *schema_match_members(struct arena *scratch, const struct schema *schema,
                                                const struct value *object);

/* True if the match before this one has the same property: the member says again what was said. */
static inline bool schema_is_repeated(const struct schema_match *matches, size_t i)
{
    return i > 0 && matches[i].property != SCHEMA_UNKNOWN && matches[i].property == matches[i - 1].property;
}

/* What speaks against a schema whose keywords are all read; empty if nothing does. */
struct str schema_find_contradiction(struct arena *arena, const struct schema *schema);

/* Makes enum (already in `schema`) and const the choices, which may lie `depth_left` deep; else says what is wrong. */
struct str schema_settle_choices(struct arena *arena, struct schema *schema, const struct value *constant,
                                 unsigned depth_left);

#endif
