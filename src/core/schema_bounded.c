/* Whether all that fits a schema is of bounded size. */
#include "core/schema.h"

#include "base/arena.h"
#include "core/schema_own.h"

struct bounding {
    struct arena scratch;
    struct err *err;
};

static bool fail(struct bounding *bounding, const struct schema_step *place, const char *problem)
{
    struct str path = schema_path_text(&bounding->scratch, place);
    return err_set(bounding->err, ERR_SCENARIO, "%.*s%s%s", STR_ARG(path), path.len > 0 ? ": " : "", problem);
}

/* What is wrong with the schema itself, apart from those inside it; NULL if nothing. */
static const char *find_hole(const struct schema *schema)
{
    if (schema->types == 0) {
        return "anything fits, so its size has no bound; give a type, an enum or a const";
    }
    if (schema->types & SCHEMA_STRING && schema->max_length == SCHEMA_NO_LIMIT) {
        return "the string has no bound; give maxLength, an enum or a const";
    }
    if (schema->types & SCHEMA_ARRAY && schema->max_items == SCHEMA_NO_LIMIT) {
        return "the list has no bound; give maxItems, an enum or a const";
    }
    if (schema->types & SCHEMA_ARRAY && schema->items == NULL) {
        return "the list may hold anything; give items";
    }
    if (schema->types & SCHEMA_OBJECT && schema->open) {
        return "the object may hold any member; list its properties and leave additionalProperties out or false";
    }
    return NULL;
}

static bool check_node(struct bounding *bounding, const struct schema *schema, const struct schema_step *place)
{
    if (schema->choice_count > 0) {
        return true;
    }
    const char *hole = find_hole(schema);
    if (hole != NULL) {
        return fail(bounding, place, hole);
    }
    struct schema_step items = {.outer = place, .name = STR("items")};
    if (schema->items != NULL && !check_node(bounding, schema->items, &items)) {
        return false;
    }
    struct schema_step all = {.outer = place, .name = STR("properties")};
    for (size_t i = 0; i < schema->property_count; i++) {
        struct schema_step inner = {.outer = &all, .name = schema->properties[i].name};
        if (!check_node(bounding, schema->properties[i].schema, &inner)) {
            return false;
        }
    }
    return true;
}

bool schema_check_bounded(const struct schema *schema, struct err *err)
{
    struct bounding bounding = {.err = err};
    arena_init(&bounding.scratch);
    bool is_object = schema->types == SCHEMA_OBJECT;
    bool bounded = is_object ? check_node(&bounding, schema, NULL)
                             : fail(&bounding, NULL, "the type must be \"object\" and no other");
    arena_close(&bounding.scratch);
    return bounded;
}
