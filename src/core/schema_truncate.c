/* Cuts a value to the bounds of its schema that cutting can meet. */
#include "core/schema.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "core/schema_own.h"

struct cutting {
    struct arena *arena;  /* what had to be copied */
    struct arena scratch; /* what is needed while walking */
    uint32_t cuts;
};

static void count_cut(struct cutting *cutting)
{
    CHECK(cutting->cuts < UINT32_MAX);
    cutting->cuts++;
}

static struct value cut_value(struct cutting *cutting, const struct schema *schema, const struct value *value);

static struct value cut_string(struct cutting *cutting, const struct schema *schema, const struct value *value)
{
    struct value result = *value;
    if ((uint64_t)schema->max_length < value->string.len) { /* no code point is shorter than a byte */
        result.string = utf8_prefix(value->string, (size_t)schema->max_length);
    }
    if (result.string.len < value->string.len) {
        count_cut(cutting);
    }
    return result;
}

static struct value cut_list(struct cutting *cutting, const struct schema *schema, const struct value *list)
{
    struct value result = *list;
    if ((uint64_t)schema->max_items < list->count) {
        result.count = (size_t)schema->max_items;
        count_cut(cutting);
    }
    if (schema->items == NULL || result.count == 0) {
        return result;
    }
    struct value *items = arena_array(cutting->arena, struct value, result.count);
    for (size_t i = 0; i < result.count; i++) {
        items[i] = cut_value(cutting, schema->items, &list->items[i]);
    }
    result.items = items;
    return result;
}

/* For each member the schema that it must fit: `any` if the object is open to it, NULL if it has to go. */
static const struct schema **plan_members(struct cutting *cutting, const struct schema *schema,
                                          const struct value *object, const struct schema *any)
{
    const struct schema **plan = arena_array(&cutting->scratch, const struct schema *, object->count);
    const struct schema_match *matches = schema_match_members(&cutting->scratch, schema, object);
    for (size_t i = 0; i < object->count; i++) {
        if (matches[i].property == SCHEMA_UNKNOWN) {
            plan[matches[i].member] = schema->open ? any : NULL;
        } else if (!schema_is_repeated(matches, i)) {
            plan[matches[i].member] = schema->properties[matches[i].property].schema;
        }
    }
    return plan;
}

static struct value cut_object(struct cutting *cutting, const struct schema *schema, const struct value *object)
{
    static const struct schema any = {.open = true, .max_length = SCHEMA_NO_LIMIT, .max_items = SCHEMA_NO_LIMIT};
    if (object->count == 0 || (schema->open && schema->property_count == 0)) {
        return *object;
    }
    struct arena_mark mark = arena_mark(&cutting->scratch);
    const struct schema **plan = plan_members(cutting, schema, object, &any);
    struct value result = *object;
    struct member *members = arena_array(cutting->arena, struct member, object->count);
    result.count = 0;
    for (size_t i = 0; i < object->count; i++) {
        if (plan[i] == NULL) {
            count_cut(cutting);
            continue;
        }
        members[result.count].key = object->members[i].key;
        members[result.count++].value = cut_value(cutting, plan[i], &object->members[i].value);
    }
    result.members = members;
    arena_release(&cutting->scratch, mark);
    return result;
}

static struct value cut_value(struct cutting *cutting, const struct schema *schema, const struct value *value)
{
    switch (value->kind) {
    case VALUE_STRING: return cut_string(cutting, schema, value);
    case VALUE_ARRAY: return cut_list(cutting, schema, value);
    case VALUE_OBJECT: return cut_object(cutting, schema, value);
    default: return *value;
    }
}

const struct value *schema_truncate(const struct schema *schema, const struct value *value, struct arena *arena,
                                    uint32_t *cuts)
{
    struct cutting cutting = {.arena = arena};
    arena_init(&cutting.scratch);
    struct value *result = arena_new(arena, struct value);
    *result = cut_value(&cutting, schema, value);
    arena_close(&cutting.scratch);
    *cuts = cutting.cuts;
    return result;
}
