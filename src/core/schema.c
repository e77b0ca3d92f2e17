#include "core/schema.h"

#include "base/arena.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "core/schema_own.h"

/* --- checking a value --- */

struct checking {
    struct arena *arena;  /* violations */
    struct arena scratch; /* what is needed while walking */
    const struct violation *first;
    struct violation *last;
};

static void report(struct checking *checking, const struct schema_step *step, struct str problem)
{
    struct violation *violation = arena_new(checking->arena, struct violation);
    *violation = (struct violation){schema_path_text(checking->arena, step), problem, NULL};
    if (checking->last == NULL) {
        checking->first = violation;
    } else {
        checking->last->next = violation;
    }
    checking->last = violation;
}

static bool has_type(unsigned types, const struct value *value)
{
    switch (value->kind) {
    case VALUE_NULL: return types & SCHEMA_NULL;
    case VALUE_BOOL: return types & SCHEMA_BOOLEAN;
    case VALUE_INT: return types & (SCHEMA_INTEGER | SCHEMA_NUMBER);
    case VALUE_REAL: return types & SCHEMA_NUMBER || (types & SCHEMA_INTEGER && schema_is_integral(value));
    case VALUE_STRING: return types & SCHEMA_STRING;
    case VALUE_ARRAY: return types & SCHEMA_ARRAY;
    case VALUE_OBJECT: return types & SCHEMA_OBJECT;
    }
    UNREACHABLE();
}

static void check_type(struct checking *checking, const struct schema *schema, const struct value *value,
                       const struct schema_step *step)
{
    if (schema->types == 0 || has_type(schema->types, value)) {
        return;
    }
    struct str wanted = schema_types_text(checking->arena, schema->types);
    report(checking, step,
           str_printf(checking->arena, "must be %.*s, but is %s", STR_ARG(wanted), schema_kind_text(value)));
}

static void check_choices(struct checking *checking, const struct schema *schema, const struct value *value,
                          const struct schema_step *step)
{
    for (size_t i = 0; i < schema->choice_count; i++) {
        if (schema_equal_values(&checking->scratch, &schema->choices[i], value)) {
            return;
        }
    }
    report(checking, step, schema->choices_text);
}

/* `is 912 code points long, at most 800 are allowed` */
static void check_string(struct checking *checking, const struct schema *schema, const struct value *value,
                         const struct schema_step *step)
{
    if (schema->min_length == 0 && schema->max_length == SCHEMA_NO_LIMIT) {
        return;
    }
    int64_t length = utf8_count(value->string);
    const char *plural = length == 1 ? "" : "s";
    if (length < schema->min_length) {
        report(checking, step,
               str_printf(checking->arena, "is %jd code point%s long, at least %jd %s needed", (intmax_t)length, plural,
                          (intmax_t)schema->min_length, schema->min_length == 1 ? "is" : "are"));
    }
    if (length > schema->max_length) {
        report(checking, step,
               str_printf(checking->arena, "is %jd code point%s long, at most %jd %s allowed", (intmax_t)length, plural,
                          (intmax_t)schema->max_length, schema->max_length == 1 ? "is" : "are"));
    }
}

/* `is 7, must be at most 5`, if the value is on the wrong side of the bound: `wrong` is the sign of a comparison with
 * it that is always refused, and `edge` says whether the bound itself is. */
static void check_bound(struct checking *checking, const struct value *value, const struct value *bound, int wrong,
                        bool edge, const struct schema_step *step)
{
    if (bound == NULL) {
        return;
    }
    int order = schema_compare_numbers(value, bound);
    if (order == 0 ? !edge : order != wrong) {
        return;
    }
    const char *relation = wrong < 0 ? (edge ? "more than" : "at least") : (edge ? "less than" : "at most");
    struct strbuf problem;
    strbuf_init(&problem, checking->arena, 256);
    strbuf_add(&problem, STR("is "));
    schema_quote(&problem, value);
    strbuf_addf(&problem, ", must be %s ", relation);
    schema_quote(&problem, bound);
    report(checking, step, strbuf_str(&problem));
}

static void check_number(struct checking *checking, const struct schema *schema, const struct value *value,
                         const struct schema_step *step)
{
    check_bound(checking, value, schema->minimum, -1, false, step);
    check_bound(checking, value, schema->exclusive_minimum, -1, true, step);
    check_bound(checking, value, schema->maximum, 1, false, step);
    check_bound(checking, value, schema->exclusive_maximum, 1, true, step);
}

static void check_count(struct checking *checking, const struct schema *schema, const struct value *list,
                        const struct schema_step *step)
{
    const char *plural = list->count == 1 ? "" : "s";
    if (list->count < (uint64_t)schema->min_items) {
        report(checking, step,
               str_printf(checking->arena, "has %zu item%s, at least %jd %s needed", list->count, plural,
                          (intmax_t)schema->min_items, schema->min_items == 1 ? "is" : "are"));
    }
    if (list->count > (uint64_t)schema->max_items) {
        report(checking, step,
               str_printf(checking->arena, "has %zu item%s, at most %jd %s allowed", list->count, plural,
                          (intmax_t)schema->max_items, schema->max_items == 1 ? "is" : "are"));
    }
}

static void check_value(struct checking *checking, const struct schema *schema, const struct value *value,
                        const struct schema_step *step);

static void check_list(struct checking *checking, const struct schema *schema, const struct value *list,
                       const struct schema_step *step)
{
    check_count(checking, schema, list, step);
    for (size_t i = 0; schema->items != NULL && i < list->count; i++) {
        struct schema_step inner = {.outer = step, .position = i + 1};
        check_value(checking, schema->items, &list->items[i], &inner);
    }
}

/* Required properties from the one `*next` points at up to, but without, the given one: they are missing. */
static void report_missing(struct checking *checking, const struct schema *schema, size_t *next, size_t end,
                           const struct schema_step *step)
{
    for (; *next < schema->required_count && schema->required[*next] < end; (*next)++) {
        struct schema_step inner = {.outer = step, .name = schema->properties[schema->required[*next]].name};
        report(checking, &inner, STR("is missing"));
    }
}

static void check_object(struct checking *checking, const struct schema *schema, const struct value *object,
                         const struct schema_step *step)
{
    struct arena_mark mark = arena_mark(&checking->scratch);
    const struct schema_match *matches = schema_match_members(&checking->scratch, schema, object);
    size_t next = 0; /* among the required ones */
    for (size_t i = 0; i < object->count; i++) {
        size_t property = matches[i].property;
        report_missing(checking, schema, &next, property, step);
        const struct member *member = &object->members[matches[i].member];
        struct schema_step inner = {.outer = step, .name = member->key};
        if (schema_is_repeated(matches, i)) {
            report(checking, &inner, STR("is given more than once"));
        } else if (property != SCHEMA_UNKNOWN) {
            next += schema->properties[property].required;
            check_value(checking, schema->properties[property].schema, &member->value, &inner);
        } else if (!schema->open) {
            report(checking, &inner, STR("is not a known field"));
        }
    }
    report_missing(checking, schema, &next, SCHEMA_UNKNOWN, step);
    arena_release(&checking->scratch, mark);
}

static void check_value(struct checking *checking, const struct schema *schema, const struct value *value,
                        const struct schema_step *step)
{
    if (schema->choice_count > 0) {
        check_choices(checking, schema, value, step); /* I1: what is chosen from them is fine by the rest */
        return;
    }
    check_type(checking, schema, value, step);
    switch (value->kind) {
    case VALUE_NULL:
    case VALUE_BOOL: return;
    case VALUE_INT:
    case VALUE_REAL: check_number(checking, schema, value, step); return;
    case VALUE_STRING: check_string(checking, schema, value, step); return;
    case VALUE_ARRAY: check_list(checking, schema, value, step); return;
    case VALUE_OBJECT: break;
    }
    /* Without a word about members there is nothing to look for in them. */
    if (!schema->open || schema->property_count > 0) {
        check_object(checking, schema, value, step);
    }
}

const struct violation *schema_validate(const struct schema *schema, const struct value *value, struct arena *arena)
{
    struct checking checking = {.arena = arena};
    arena_init(&checking.scratch);
    check_value(&checking, schema, value, NULL);
    arena_close(&checking.scratch);
    return checking.first;
}

bool schema_has_property(const struct schema *schema, struct str name)
{
    return schema_find_property(schema, name) != SCHEMA_UNKNOWN;
}
