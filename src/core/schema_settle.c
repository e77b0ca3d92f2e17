/* What the keywords of one schema say together: bounds in order, and choices that the rest of it allows. */
#include "core/schema.h"

#include "base/arena.h"
#include "core/schema_own.h"

/* More than these are counted, not named, in `must be one of …`. */
enum { CHOICES_NAMED = 20, TEXT_CEILING = 1 << 16 };

static struct str quoted(struct arena *arena, const struct value *value)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    schema_quote(&out, value);
    return strbuf_str(&out);
}

static struct str judge_counts(struct arena *arena, const char *what, const char *which, int64_t least, int64_t most)
{
    if (least <= most) {
        return STR("");
    }
    return str_printf(arena, "no %s fits both min%s %jd and max%s %jd", what, which, (intmax_t)least, which,
                      (intmax_t)most);
}

static struct str judge_bounds(struct arena *arena, const struct schema *schema)
{
    const struct {
        const char *low_name, *high_name;
        const struct value *low, *high;
        bool may_be_equal;
    } rows[] = {
        {"minimum", "maximum", schema->minimum, schema->maximum, true},
        {"minimum", "exclusiveMaximum", schema->minimum, schema->exclusive_maximum, false},
        {"exclusiveMinimum", "maximum", schema->exclusive_minimum, schema->maximum, false},
        {"exclusiveMinimum", "exclusiveMaximum", schema->exclusive_minimum, schema->exclusive_maximum, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].low == NULL || rows[i].high == NULL) {
            continue;
        }
        int order = schema_compare_numbers(rows[i].low, rows[i].high);
        if (order > 0 || (order == 0 && !rows[i].may_be_equal)) {
            struct str low = quoted(arena, rows[i].low), high = quoted(arena, rows[i].high);
            return str_printf(arena, "no number fits both %s %.*s and %s %.*s", rows[i].low_name, STR_ARG(low),
                              rows[i].high_name, STR_ARG(high));
        }
    }
    return STR("");
}

struct str schema_find_contradiction(struct arena *arena, const struct schema *schema)
{
    struct str problem = judge_counts(arena, "length", "Length", schema->min_length, schema->max_length);
    if (problem.len == 0) {
        problem = judge_counts(arena, "number of items", "Items", schema->min_items, schema->max_items);
    }
    return problem.len == 0 ? judge_bounds(arena, schema) : problem;
}

static bool is_deeper(const struct value *value, unsigned levels)
{
    if (value->kind != VALUE_ARRAY && value->kind != VALUE_OBJECT) {
        return false;
    }
    if (levels == 0) {
        return true;
    }
    for (size_t i = 0; i < value->count; i++) {
        if (is_deeper(value->kind == VALUE_ARRAY ? &value->items[i] : &value->members[i].value, levels - 1)) {
            return true;
        }
    }
    return false;
}

/* What the schema without its choices has against one of them. */
static struct str judge_choice(struct arena *arena, const struct schema *schema, const char *keyword,
                               const struct value *choice, unsigned depth_left)
{
    if (is_deeper(choice, depth_left)) {
        return str_printf(arena, "%s lies more than %d deep", keyword, SCHEMA_DEPTH_MAX);
    }
    const struct violation *violation = schema_validate(schema, choice, arena);
    if (violation == NULL) {
        return STR("");
    }
    struct str shown = quoted(arena, choice);
    return str_printf(arena, "the %s value %.*s breaks the schema: %.*s%s%.*s", keyword, STR_ARG(shown),
                      STR_ARG(violation->path), violation->path.len > 0 ? " " : "", STR_ARG(violation->problem));
}

static bool is_among(struct arena *arena, const struct schema *schema, const struct value *constant)
{
    for (size_t i = 0; i < schema->choice_count; i++) {
        if (schema_equal_values(arena, &schema->choices[i], constant)) {
            return true;
        }
    }
    return schema->choice_count == 0;
}

/* `must be one of "high", "medium", "low"`; one choice must simply be. */
static struct str choices_text(struct arena *arena, const struct schema *schema)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    strbuf_add(&out, schema->choice_count == 1 ? STR("must be ") : STR("must be one of "));
    size_t named = schema->choice_count < CHOICES_NAMED ? schema->choice_count : CHOICES_NAMED;
    for (size_t i = 0; i < named; i++) {
        strbuf_add(&out, i > 0 ? STR(", ") : STR(""));
        schema_quote(&out, &schema->choices[i]);
    }
    if (named < schema->choice_count) {
        strbuf_addf(&out, " or one of %zu more", schema->choice_count - named);
    }
    return strbuf_str(&out);
}

struct str schema_settle_choices(struct arena *arena, struct schema *schema, const struct value *constant,
                                 unsigned depth_left)
{
    struct schema rest = *schema;
    rest.choice_count = 0;
    struct str problem = STR("");
    for (size_t i = 0; i < schema->choice_count && problem.len == 0; i++) {
        problem = judge_choice(arena, &rest, "enum", &schema->choices[i], depth_left);
    }
    if (constant != NULL && problem.len == 0) {
        problem = judge_choice(arena, &rest, "const", constant, depth_left);
    }
    if (problem.len > 0) {
        return problem;
    }
    if (constant != NULL && !is_among(arena, schema, constant)) {
        struct str shown = quoted(arena, constant);
        return str_printf(arena, "const %.*s is not in enum", STR_ARG(shown));
    }
    if (constant != NULL) {
        schema->choices = constant;
        schema->choice_count = 1;
    }
    if (schema->choice_count > 0) {
        schema->choices_text = choices_text(arena, schema);
    }
    return STR("");
}
