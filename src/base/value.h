/* Immutable JSON-like values in an arena; objects keep insertion order.
 *
 * Arguments of tool calls, schemas, and the part of a report that a renderer looks at.  A value is built by feeding
 * events to a value_builder, or by hand for literals, and never changes afterwards.
 */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/feed.h"
#include "base/str.h"

struct arena;

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

struct value {
    enum value_kind kind;
    size_t count;   /* items of an array, members of an object */
    size_t dropped; /* items that a builder's limit left out, after the ones kept */
    union {
        bool boolean;
        int64_t integer;
        double real; /* finite */
        struct str string;
        const struct value *items;
        const struct member *members;
    };
};

struct member {
    struct str key;
    struct value value;
};

/* The value of a key of an object, or NULL (also when `object` is NULL or no object).  O(members). */
const struct value *value_find(const struct value *object, struct str key);

/* Follows keys (and list positions from 1) separated by dots, or NULL. */
const struct value *value_path(const struct value *root, const char *dotted);

/* The number, string or truth at a dotted path; the fallback when it is missing or of another kind. */
int64_t value_int_at(const struct value *root, const char *dotted, int64_t fallback);
double value_real_at(const struct value *root, const char *dotted, double fallback); /* integers too */
struct str value_str_at(const struct value *root, const char *dotted, struct str fallback);
bool value_bool_at(const struct value *root, const char *dotted, bool fallback);

void value_tell(const struct value *value, struct feed *feed);

/* Canonical JSON: no spaces, keys sorted by code point, integers in full, other numbers as in RFC 8785, invalid bytes
 * as U+FFFD. */
void value_canonical(const struct value *value, struct strbuf *out);

/* Keeps only the first `keep` items of arrays below a key of this name (at any depth) and counts the rest. */
struct value_limit {
    const char *key;
    size_t keep;
};

struct value_frame;

struct value_builder {
    struct feed feed;
    struct arena *arena;
    const struct value_limit *limits; /* ended by a row whose key is NULL; may be NULL */
    struct value_frame *top;
    struct str pending_key;
    size_t skipping; /* depth below an item that a limit leaves out; 0 = keeping */
    struct value result;
    bool complete;
};

/* A listener that builds; `result` is good once `complete` is true. */
void value_builder_init(struct value_builder *builder, struct arena *arena, const struct value_limit *limits);

#endif
