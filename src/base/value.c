/* Immutable JSON-like values in an arena; objects keep insertion order. */
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/sort.h"

const struct value *value_find(const struct value *object, struct str key)
{
    if (object == NULL || object->kind != VALUE_OBJECT) {
        return NULL;
    }
    for (size_t i = 0; i < object->count; i++) {
        if (str_eq(object->members[i].key, key)) {
            return &object->members[i].value;
        }
    }
    return NULL;
}

/* The item at a position written in decimal, from 1. */
static const struct value *item_at(const struct value *array, struct str position)
{
    size_t number = 0;
    for (size_t i = 0; i < position.len; i++) {
        char c = position.data[i];
        if (c < '0' || c > '9' || number > array->count) {
            return NULL;
        }
        number = number * 10 + (size_t)(c - '0');
    }
    return number >= 1 && number <= array->count ? &array->items[number - 1] : NULL;
}

const struct value *value_path(const struct value *root, const char *dotted)
{
    const struct value *at = root;
    for (const char *step = dotted; at != NULL;) {
        const char *end = strchrnul(step, '.');
        struct str name = {.data = step, .len = (size_t)(end - step)};
        at = at->kind == VALUE_ARRAY ? item_at(at, name) : value_find(at, name);
        if (*end == '\0') {
            break;
        }
        step = end + 1;
    }
    return at;
}

int64_t value_int_at(const struct value *root, const char *dotted, int64_t fallback)
{
    const struct value *value = value_path(root, dotted);
    return value != NULL && value->kind == VALUE_INT ? value->integer : fallback;
}

double value_real_at(const struct value *root, const char *dotted, double fallback)
{
    const struct value *value = value_path(root, dotted);
    if (value != NULL && value->kind == VALUE_INT) {
        return (double)value->integer;
    }
    return value != NULL && value->kind == VALUE_REAL ? value->real : fallback;
}

struct str value_str_at(const struct value *root, const char *dotted, struct str fallback)
{
    const struct value *value = value_path(root, dotted);
    return value != NULL && value->kind == VALUE_STRING ? value->string : fallback;
}

bool value_bool_at(const struct value *root, const char *dotted, bool fallback)
{
    const struct value *value = value_path(root, dotted);
    return value != NULL && value->kind == VALUE_BOOL ? value->boolean : fallback;
}

static void tell_array(const struct value *array, struct feed *feed)
{
    feed_begin_array(feed);
    for (size_t i = 0; i < array->count; i++) {
        value_tell(&array->items[i], feed);
    }
    feed_end(feed);
}

static void tell_object(const struct value *object, struct feed *feed)
{
    feed_begin_object(feed);
    for (size_t i = 0; i < object->count; i++) {
        feed_key(feed, object->members[i].key);
        value_tell(&object->members[i].value, feed);
    }
    feed_end(feed);
}

void value_tell(const struct value *value, struct feed *feed)
{
    switch (value->kind) {
    case VALUE_NULL: feed_null(feed); return;
    case VALUE_BOOL: feed_bool(feed, value->boolean); return;
    case VALUE_INT: feed_int(feed, value->integer); return;
    case VALUE_REAL: feed_real(feed, value->real); return;
    case VALUE_STRING: feed_str(feed, value->string); return;
    case VALUE_ARRAY: tell_array(value, feed); return;
    case VALUE_OBJECT: tell_object(value, feed); return;
    }
    UNREACHABLE();
}

/* Where canonical text goes, and memory for sorting: taken only when something is out of order. */
struct canon {
    struct strbuf *out;
    struct arena scratch;
};

static void canon_value(struct canon *canon, const struct value *value);

static void canon_array(struct canon *canon, const struct value *array)
{
    strbuf_addc(canon->out, '[');
    for (size_t i = 0; i < array->count; i++) {
        if (i > 0) {
            strbuf_addc(canon->out, ',');
        }
        canon_value(canon, &array->items[i]);
    }
    strbuf_addc(canon->out, ']');
}

/* By key, and equal keys by place: all members of one object stand in one array. */
static int compare_members(const void *a, const void *b)
{
    const struct member *x = *(const struct member *const *)a, *y = *(const struct member *const *)b;
    return str_cmp(x->key, y->key);
}

static const struct member **sorted_members(struct arena *scratch, const struct value *object)
{
    const struct member **order = arena_array(scratch, const struct member *, object->count);
    for (size_t i = 0; i < object->count; i++) {
        order[i] = &object->members[i];
    }
    sort_stable(scratch, order, object->count, sizeof *order, compare_members);
    return order;
}

static bool members_are_sorted(const struct value *object)
{
    for (size_t i = 1; i < object->count; i++) {
        if (str_cmp(object->members[i - 1].key, object->members[i].key) > 0) {
            return false;
        }
    }
    return true;
}

static void canon_member(struct canon *canon, const struct member *member, bool first)
{
    if (!first) {
        strbuf_addc(canon->out, ',');
    }
    json_quote(canon->out, member->key);
    strbuf_addc(canon->out, ':');
    canon_value(canon, &member->value);
}

static void canon_unsorted(struct canon *canon, const struct value *object)
{
    struct arena_mark mark = arena_mark(&canon->scratch);
    const struct member **order = sorted_members(&canon->scratch, object);
    for (size_t i = 0; i < object->count; i++) {
        canon_member(canon, order[i], i == 0);
    }
    arena_release(&canon->scratch, mark);
}

/* Arguments come sorted from Lua, once for every call of every turn. */
static void canon_object(struct canon *canon, const struct value *object)
{
    strbuf_addc(canon->out, '{');
    if (members_are_sorted(object)) {
        for (size_t i = 0; i < object->count; i++) {
            canon_member(canon, &object->members[i], i == 0);
        }
    } else {
        canon_unsorted(canon, object);
    }
    strbuf_addc(canon->out, '}');
}

static void canon_value(struct canon *canon, const struct value *value)
{
    char number[32];
    switch (value->kind) {
    case VALUE_NULL: strbuf_add(canon->out, STR("null")); return;
    case VALUE_BOOL: strbuf_add(canon->out, value->boolean ? STR("true") : STR("false")); return;
    case VALUE_INT: strbuf_add(canon->out, (struct str){number, json_format_int(number, value->integer)}); return;
    case VALUE_REAL: strbuf_add(canon->out, (struct str){number, json_format_real(number, value->real)}); return;
    case VALUE_STRING: json_quote(canon->out, value->string); return;
    case VALUE_ARRAY: canon_array(canon, value); return;
    case VALUE_OBJECT: canon_object(canon, value); return;
    }
    UNREACHABLE();
}

void value_canonical(const struct value *value, struct strbuf *out)
{
    struct canon canon = {.out = out};
    arena_init(&canon.scratch);
    canon_value(&canon, value);
    arena_close(&canon.scratch);
}
