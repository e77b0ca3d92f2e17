/* Reads a schema, keyword by keyword, and refuses what it does not know and what cannot be met. */
#include "core/schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "core/schema_own.h"

/* One schema being read; inner ones have their own, on the stack. */
struct reading {
    struct arena *arena;
    struct err *err;
    const struct schema_step *place;
    unsigned depth; /* of this schema; the outermost has 1 */
    struct schema *schema;
    const struct value *constant; /* of const, or NULL */
    bool additional_given;
};

/* A keyword, the types that it says something about, and how its value is read into the schema at an offset. */
struct keyword {
    struct str name;
    unsigned fits; /* 0: all */
    bool (*read)(struct reading *reading, const struct keyword *keyword, const struct value *given);
    size_t offset;
};

static bool fail(const struct reading *reading, struct str problem)
{
    struct str place = schema_path_text(reading->arena, reading->place);
    return err_set(reading->err, ERR_SCENARIO, "%.*s%s%.*s", STR_ARG(place), place.len > 0 ? ": " : "",
                   STR_ARG(problem));
}

static bool fail_kind(const struct reading *reading, const struct keyword *keyword, const char *wanted,
                      const struct value *given)
{
    return fail(reading, str_printf(reading->arena, "%.*s must be %s, but is %s", STR_ARG(keyword->name), wanted,
                                    schema_kind_text(given)));
}

static const struct schema *compile_node(const struct reading *outer, const struct schema_step *place,
                                         const struct value *json);

static bool read_silent(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    (void)reading, (void)keyword, (void)given;
    return true;
}

static bool read_silent_string(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    return given->kind == VALUE_STRING || fail_kind(reading, keyword, "a string", given);
}

/* An empty table of Lua is both, and the converter calls it an object. */
static bool is_list(const struct value *value)
{
    return value->kind == VALUE_ARRAY || (value->kind == VALUE_OBJECT && value->count == 0);
}

static bool read_silent_list(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    return is_list(given) || fail_kind(reading, keyword, "a list", given);
}

static bool add_type(struct reading *reading, const struct value *name)
{
    if (name->kind != VALUE_STRING) {
        return fail(reading, str_printf(reading->arena, "type must be a string or a list of strings, but holds %s",
                                        schema_kind_text(name)));
    }
    unsigned type = schema_type_named(name->string);
    struct str quoted = schema_quote_name(reading->arena, name->string);
    if (type == 0) {
        return fail(reading, str_printf(reading->arena, "unknown type %.*s; the types are " SCHEMA_TYPE_NAMES,
                                        STR_ARG(quoted)));
    }
    if (reading->schema->types & type) {
        return fail(reading, str_printf(reading->arena, "type lists %.*s twice", STR_ARG(quoted)));
    }
    reading->schema->types |= type;
    return true;
}

static bool read_type(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (given->kind == VALUE_STRING) {
        return add_type(reading, given);
    }
    if (!is_list(given)) {
        return fail_kind(reading, keyword, "a string or a list of strings", given);
    }
    if (given->count == 0) {
        return fail(reading, STR("type is an empty list, which no value fits"));
    }
    for (size_t i = 0; i < given->count; i++) {
        if (!add_type(reading, &given->items[i])) {
            return false;
        }
    }
    return true;
}

/* Lengths and numbers of items. */
static bool read_count(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    static const struct value least = {.kind = VALUE_INT, .integer = 0};
    static const struct value most = {.kind = VALUE_INT, .integer = SCHEMA_NO_LIMIT};
    if (!schema_is_number(given) || !schema_is_integral(given)) {
        return fail_kind(reading, keyword, "a whole number", given);
    }
    if (schema_compare_numbers(given, &least) < 0 || schema_compare_numbers(given, &most) > 0) {
        return fail(reading, str_printf(reading->arena, "%.*s must be a whole number from 0 to %jd",
                                        STR_ARG(keyword->name), (intmax_t)SCHEMA_NO_LIMIT));
    }
    int64_t *into = (int64_t *)(void *)((char *)reading->schema + keyword->offset);
    *into = given->kind == VALUE_INT ? given->integer : (int64_t)given->real;
    return true;
}

static bool read_bound(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (!schema_is_number(given)) {
        return fail_kind(reading, keyword, "a number", given);
    }
    *(const struct value **)(void *)((char *)reading->schema + keyword->offset) = given;
    return true;
}

static bool read_additional(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (given->kind != VALUE_BOOL) {
        return fail_kind(reading, keyword, "true or false", given);
    }
    reading->additional_given = true;
    reading->schema->open = given->boolean;
    return true;
}

static bool read_enum(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (!is_list(given)) {
        return fail_kind(reading, keyword, "a list", given);
    }
    if (given->count == 0) {
        return fail(reading, STR("enum is an empty list, which no value fits"));
    }
    reading->schema->choices = given->items;
    reading->schema->choice_count = given->count;
    return true;
}

static bool read_const(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    (void)keyword;
    reading->constant = given;
    return true;
}

/* Runs after properties. */
static bool add_required(struct reading *reading, const struct value *name)
{
    struct schema *schema = reading->schema;
    if (name->kind != VALUE_STRING) {
        return fail(reading, str_printf(reading->arena, "required must be a list of strings, but holds %s",
                                        schema_kind_text(name)));
    }
    size_t property = schema_find_property(schema, name->string);
    struct str quoted = schema_quote_name(reading->arena, name->string);
    if (property == SCHEMA_UNKNOWN) {
        return fail(reading, str_printf(reading->arena, "required lists %.*s, which is not among the properties",
                                        STR_ARG(quoted)));
    }
    if (schema->properties[property].required) {
        return fail(reading, str_printf(reading->arena, "required lists %.*s twice", STR_ARG(quoted)));
    }
    schema->properties[property].required = true;
    return true;
}

static bool read_required(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (!is_list(given)) {
        return fail_kind(reading, keyword, "a list of strings", given);
    }
    for (size_t i = 0; i < given->count; i++) {
        if (!add_required(reading, &given->items[i])) {
            return false;
        }
    }
    struct schema *schema = reading->schema;
    size_t *required = arena_array(reading->arena, size_t, given->count);
    for (size_t i = 0; i < schema->property_count; i++) {
        if (schema->properties[i].required) {
            required[schema->required_count++] = i;
        }
    }
    schema->required = required;
    return true;
}

/* Sets what follows from several keywords; refuses what they refuse together. */
static bool finish(struct reading *reading, const struct value *json)
{
    struct schema *schema = reading->schema;
    if (!reading->additional_given) {
        schema->open = value_find(json, STR("properties")) == NULL;
    }
    struct str problem = schema_find_contradiction(reading->arena, schema);
    if (problem.len == 0) {
        problem = schema_settle_choices(reading->arena, schema, reading->constant, SCHEMA_DEPTH_MAX - reading->depth);
    }
    return problem.len == 0 || fail(reading, problem);
}

static int compare_names(const void *a, const void *b)
{
    return str_cmp((*(const struct member *const *)a)->key, (*(const struct member *const *)b)->key);
}

static const struct member **sorted_members(struct arena *arena, const struct value *object)
{
    const struct member **order = arena_array(arena, const struct member *, object->count);
    for (size_t i = 0; i < object->count; i++) {
        order[i] = &object->members[i];
    }
    sort_stable(arena, order, object->count, sizeof *order, compare_names);
    return order;
}

static bool read_properties(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    if (given->kind != VALUE_OBJECT) {
        return fail_kind(reading, keyword, "an object", given);
    }
    const struct member **order = sorted_members(reading->arena, given);
    struct schema *schema = reading->schema;
    schema->properties = arena_array(reading->arena, struct schema_property, given->count);
    struct schema_step all = {.outer = reading->place, .name = keyword->name};
    for (size_t i = 0; i < given->count; i++) {
        struct str name = order[i]->key;
        if (i > 0 && str_eq(name, order[i - 1]->key)) {
            struct str quoted = schema_quote_name(reading->arena, name);
            return fail(reading, str_printf(reading->arena, "properties names %.*s twice", STR_ARG(quoted)));
        }
        struct schema_step inner = {.outer = &all, .name = name};
        const struct schema *compiled = compile_node(reading, &inner, &order[i]->value);
        if (compiled == NULL) {
            return false;
        }
        schema->properties[schema->property_count++] = (struct schema_property){name, compiled, false};
    }
    return true;
}

static bool read_items(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    struct schema_step inner = {.outer = reading->place, .name = keyword->name};
    reading->schema->items = compile_node(reading, &inner, given);
    return reading->schema->items != NULL;
}

#define KEY(literal) {literal, sizeof(literal) - 1}
#define NUMERIC (SCHEMA_INTEGER | SCHEMA_NUMBER)

/* In the order of reading: type before what must fit it, properties before required. */
static const struct keyword keywords[] = {
    {KEY("type"), 0, read_type, 0},
    {KEY("title"), 0, read_silent_string, 0},
    {KEY("description"), 0, read_silent_string, 0},
    {KEY("default"), 0, read_silent, 0},
    {KEY("examples"), 0, read_silent_list, 0},
    {KEY("$schema"), 0, read_silent_string, 0},
    {KEY("minLength"), SCHEMA_STRING, read_count, offsetof(struct schema, min_length)},
    {KEY("maxLength"), SCHEMA_STRING, read_count, offsetof(struct schema, max_length)},
    {KEY("minimum"), NUMERIC, read_bound, offsetof(struct schema, minimum)},
    {KEY("maximum"), NUMERIC, read_bound, offsetof(struct schema, maximum)},
    {KEY("exclusiveMinimum"), NUMERIC, read_bound, offsetof(struct schema, exclusive_minimum)},
    {KEY("exclusiveMaximum"), NUMERIC, read_bound, offsetof(struct schema, exclusive_maximum)},
    {KEY("minItems"), SCHEMA_ARRAY, read_count, offsetof(struct schema, min_items)},
    {KEY("maxItems"), SCHEMA_ARRAY, read_count, offsetof(struct schema, max_items)},
    {KEY("items"), SCHEMA_ARRAY, read_items, 0},
    {KEY("properties"), SCHEMA_OBJECT, read_properties, 0},
    {KEY("additionalProperties"), SCHEMA_OBJECT, read_additional, 0},
    {KEY("required"), SCHEMA_OBJECT, read_required, 0},
    {KEY("enum"), 0, read_enum, 0},
    {KEY("const"), 0, read_const, 0},
};

static bool fail_unknown(const struct reading *reading, struct str name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
        suggest_offer(&suggest, keywords[i].name);
    }
    struct str quoted = schema_quote_name(reading->arena, name);
    bool near = suggest.best.len > 0;
    return fail(reading, str_printf(reading->arena, "unknown keyword %.*s%s%.*s%s", STR_ARG(quoted),
                                    near ? "; did you mean \"" : "", STR_ARG(suggest.best), near ? "\"?" : ""));
}

/* Every member is a keyword, and none comes twice. */
static bool check_members(const struct reading *reading, const struct value *json)
{
    unsigned seen = 0;
    _Static_assert(ARRAY_LEN(keywords) <= 32, "one bit per keyword");
    for (size_t i = 0; i < json->count; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(keywords) && !str_eq(keywords[k].name, json->members[i].key)) {
            k++;
        }
        if (k == ARRAY_LEN(keywords)) {
            return fail_unknown(reading, json->members[i].key);
        }
        if (seen & 1u << k) {
            return fail(reading, str_printf(reading->arena, "%.*s is given twice", STR_ARG(keywords[k].name)));
        }
        seen |= 1u << k;
    }
    return true;
}

static bool read_keyword(struct reading *reading, const struct keyword *keyword, const struct value *given)
{
    unsigned types = reading->schema->types;
    if (keyword->fits != 0 && types != 0 && (keyword->fits & types) == 0) {
        struct str text = schema_types_text(reading->arena, types);
        return fail(reading, str_printf(reading->arena, "%.*s says nothing about %.*s, which is all that type allows",
                                        STR_ARG(keyword->name), STR_ARG(text)));
    }
    return keyword->read(reading, keyword, given);
}

static bool read_keywords(struct reading *reading, const struct value *json)
{
    if (json->kind != VALUE_OBJECT) {
        return fail(reading, str_printf(reading->arena, "a schema must be an object, but this is %s",
                                        schema_kind_text(json)));
    }
    if (reading->depth > SCHEMA_DEPTH_MAX) {
        return fail(reading, str_printf(reading->arena, "schemas lie more than %d deep", SCHEMA_DEPTH_MAX));
    }
    if (!check_members(reading, json)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
        const struct value *given = value_find(json, keywords[i].name);
        if (given != NULL && !read_keyword(reading, &keywords[i], given)) {
            return false;
        }
    }
    return finish(reading, json);
}

static const struct schema *compile_node(const struct reading *outer, const struct schema_step *place,
                                         const struct value *json)
{
    struct reading reading = {.arena = outer->arena, .err = outer->err, .place = place, .depth = outer->depth + 1};
    reading.schema = arena_new(outer->arena, struct schema);
    reading.schema->max_length = SCHEMA_NO_LIMIT;
    reading.schema->max_items = SCHEMA_NO_LIMIT;
    return read_keywords(&reading, json) ? reading.schema : NULL;
}

const struct schema *schema_compile(struct arena *arena, const struct value *json, struct err *err)
{
    /* The schema points into names, bounds and choices, and must not need more than its own arena. */
    struct value_builder copy;
    value_builder_init(&copy, arena, NULL);
    value_tell(json, &copy.feed);
    CHECK(copy.complete);
    struct reading outside = {.arena = arena, .err = err};
    return compile_node(&outside, NULL, &copy.result);
}
