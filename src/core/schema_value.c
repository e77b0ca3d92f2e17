/* What the schema needs to know of values: order of numbers, equality, and which member is which property. */
#include "core/schema.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/sort.h"
#include "core/schema_own.h"

/* 2^63, the first real above all integers; its negation is the smallest of them. */
#define INTEGERS_END 9223372036854775808.0

bool schema_is_number(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

bool schema_is_integral(const struct value *number)
{
    return number->kind == VALUE_INT || (number->kind == VALUE_REAL && trunc(number->real) == number->real);
}

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

/* A real has more range and less precision than an integer, so neither is turned into the other before it is known to
 * fit. */
static int compare_mixed(int64_t a, double b)
{
    if (b >= INTEGERS_END) {
        return -1;
    }
    if (b < -INTEGERS_END) {
        return 1;
    }
    int64_t whole = (int64_t)b;
    if (a != whole) {
        return a < whole ? -1 : 1;
    }
    return compare_reals(0, b - (double)whole);
}

int schema_compare_numbers(const struct value *a, const struct value *b)
{
    CHECK(schema_is_number(a) && schema_is_number(b));
    if (a->kind == VALUE_INT && b->kind == VALUE_INT) {
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
    if (a->kind == VALUE_REAL && b->kind == VALUE_REAL) {
        return compare_reals(a->real, b->real);
    }
    return a->kind == VALUE_INT ? compare_mixed(a->integer, b->real) : -compare_mixed(b->integer, a->real);
}

static int compare_keys(const void *a, const void *b)
{
    return str_cmp((*(const struct member *const *)a)->key, (*(const struct member *const *)b)->key);
}

static const struct member **by_key(struct arena *scratch, const struct value *object)
{
    const struct member **order = arena_array(scratch, const struct member *, object->count);
    for (size_t i = 0; i < object->count; i++) {
        order[i] = &object->members[i];
    }
    sort_stable(scratch, order, object->count, sizeof *order, compare_keys);
    return order;
}

/* Arrays and objects of the same kind: equal when their parts are, pair by pair. */
static bool equal_parts(struct arena *scratch, const struct value *a, const struct value *b)
{
    if (a->count != b->count) {
        return false;
    }
    if (a->kind == VALUE_ARRAY) {
        for (size_t i = 0; i < a->count; i++) {
            if (!schema_equal_values(scratch, &a->items[i], &b->items[i])) {
                return false;
            }
        }
        return true;
    }
    const struct member **left = by_key(scratch, a), **right = by_key(scratch, b);
    for (size_t i = 0; i < a->count; i++) {
        if (!str_eq(left[i]->key, right[i]->key) ||
            !schema_equal_values(scratch, &left[i]->value, &right[i]->value)) {
            return false;
        }
    }
    return true;
}

bool schema_equal_values(struct arena *scratch, const struct value *a, const struct value *b)
{
    if (schema_is_number(a) && schema_is_number(b)) {
        return schema_compare_numbers(a, b) == 0;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case VALUE_NULL: return true;
    case VALUE_BOOL: return a->boolean == b->boolean;
    case VALUE_STRING: return str_eq(a->string, b->string);
    default: break;
    }
    struct arena_mark mark = arena_mark(scratch);
    bool equal = equal_parts(scratch, a, b);
    arena_release(scratch, mark);
    return equal;
}

size_t schema_find_property(const struct schema *schema, struct str name)
{
    size_t low = 0, high = schema->property_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(schema->properties[middle].name, name);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return SCHEMA_UNKNOWN;
}

static int compare_matches(const void *a, const void *b)
{
    size_t x = ((const struct schema_match *)a)->property, y = ((const struct schema_match *)b)->property;
    return (x > y) - (x < y);
}

const struct schema_match *schema_match_members(struct arena *scratch, const struct schema *schema,
                                                const struct value *object)
{
    struct schema_match *matches = arena_array(scratch, struct schema_match, object->count);
    for (size_t i = 0; i < object->count; i++) {
        matches[i] = (struct schema_match){schema_find_property(schema, object->members[i].key), i};
    }
    sort_stable(scratch, matches, object->count, sizeof *matches, compare_matches);
    return matches;
}
