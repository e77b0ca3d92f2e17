/* Schemas, by laws: random ones with random values against a slow reader of both, and what cutting promises. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "core/schema.h"

#define TEXT_MAX (1 << 20)

enum { ROUNDS = 3000, VALUES = 4, PARTS_MAX = 4, NAMES = 4 };

static const char *const names[NAMES] = {"a", "b", "c", "d"}; /* in byte order */

/* --- building documents --- */

struct maker {
    struct arena *arena;
    struct rng rng;
};

static int64_t pick(struct maker *m, int64_t low, int64_t high)
{
    return rng_between(&m->rng, low, high);
}

static bool chance(struct maker *m, int percent)
{
    return pick(m, 1, 100) <= percent;
}

static struct value integer(int64_t number)
{
    return (struct value){.kind = VALUE_INT, .integer = number};
}

static struct value text(struct str s)
{
    return (struct value){.kind = VALUE_STRING, .string = s};
}

static struct value empty(struct maker *m, enum value_kind kind)
{
    struct value value = {.kind = kind};
    if (kind == VALUE_OBJECT) {
        value.members = arena_array(m->arena, struct member, 24);
    } else {
        value.items = arena_array(m->arena, struct value, 24);
    }
    return value;
}

static void put(struct value *object, const char *key, struct value value)
{
    CHECK(object->count < 24);
    ((struct member *)(uintptr_t)object->members)[object->count++] = (struct member){str_of(key), value};
}

static void append(struct value *list, struct value value)
{
    CHECK(list->count < 24);
    ((struct value *)(uintptr_t)list->items)[list->count++] = value;
}

static struct value make_number(struct maker *m)
{
    int64_t halves = pick(m, -4, 6);
    if (halves % 2 == 0 && chance(m, 60)) {
        return integer(halves / 2);
    }
    return (struct value){.kind = VALUE_REAL, .real = (double)halves / 2};
}

/* Pieces of one code point each, one of them an invalid byte. */
static struct value make_string(struct maker *m)
{
    static const char *const pieces[] = {"a", "b", "\xC3\xA9", "\xE2\x82\xAC", "\xFF"};
    struct strbuf out;
    strbuf_init(&out, m->arena, 64);
    for (int64_t left = pick(m, 0, PARTS_MAX); left > 0; left--) {
        strbuf_add(&out, str_of(pieces[pick(m, 0, 4)]));
    }
    return text(strbuf_str(&out));
}

static struct value make_value(struct maker *m, const struct value *schema, int depth);

static struct value make_list(struct maker *m, const struct value *schema, int depth)
{
    struct value list = empty(m, VALUE_ARRAY);
    for (int64_t left = depth <= 0 ? 0 : pick(m, 0, PARTS_MAX); left > 0; left--) {
        append(&list, make_value(m, value_find(schema, STR("items")), depth - 1));
    }
    return list;
}

static struct value make_object(struct maker *m, const struct value *schema, int depth)
{
    struct value object = empty(m, VALUE_OBJECT);
    int64_t first = pick(m, 0, NAMES - 1);
    for (int64_t i = 0; depth > 0 && i < NAMES; i++) {
        const char *name = names[(first + i) % NAMES];
        const struct value *inner = value_find(value_find(schema, STR("properties")), str_of(name));
        for (int percent = inner != NULL ? 85 : 12; chance(m, percent); percent = 4) {
            put(&object, name, make_value(m, inner, depth - 1));
        }
    }
    return object;
}

static struct value make_of_type(struct maker *m, struct str type, const struct value *schema, int depth)
{
    switch (type.data[0]) {
    case 'a': return make_list(m, schema, depth);
    case 'b': return (struct value){.kind = VALUE_BOOL, .boolean = chance(m, 50)};
    case 'i': return integer(pick(m, -2, 3));
    case 's': return make_string(m);
    case 'o': return make_object(m, schema, depth);
    default: return type.len == 4 ? (struct value){.kind = VALUE_NULL} : make_number(m);
    }
}

static struct str any_type(struct maker *m)
{
    static const char *const types[] = {"array", "boolean", "integer", "null", "number", "object", "string"};
    return str_of(types[pick(m, 0, 6)]);
}

/* A value that often fits. */
static struct value make_value(struct maker *m, const struct value *schema, int depth)
{
    const struct value *choices = value_find(schema, STR("enum")), *type = value_find(schema, STR("type"));
    if (choices != NULL && chance(m, 80)) {
        return choices->items[pick(m, 0, (int64_t)choices->count - 1)];
    }
    if (type == NULL || chance(m, 8)) {
        return make_of_type(m, any_type(m), schema, depth);
    }
    struct str wanted = type->kind == VALUE_STRING ? type->string
                                                   : type->items[pick(m, 0, (int64_t)type->count - 1)].string;
    return make_of_type(m, wanted, schema, depth);
}

/* --- the slow reader: one finding per broken keyword --- */

struct finding {
    char kind; /* t type, c choice, l/L min and max length, i/I items, n number, m missing, U unknown, D repeated */
    const char *path;
};

struct reader {
    struct arena *arena;
    struct finding findings[4096];
    size_t count;
};

static void find(struct reader *r, char kind, const char *path)
{
    CHECK(r->count < 4096);
    r->findings[r->count++] = (struct finding){kind, path};
}

static const char *printed(struct arena *arena, const struct value *value)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_MAX);
    value_canonical(value, &out);
    return str_z(arena, strbuf_str(&out));
}

static double real_of(const struct value *number)
{
    return number->kind == VALUE_INT ? (double)number->integer : number->real;
}

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

static bool is_of_type(const struct value *value, struct str type)
{
    switch (type.data[0]) {
    case 'a': return value->kind == VALUE_ARRAY;
    case 'b': return value->kind == VALUE_BOOL;
    case 'i': return is_number(value) && floor(real_of(value)) == real_of(value);
    case 's': return value->kind == VALUE_STRING;
    case 'o': return value->kind == VALUE_OBJECT;
    default: return type.len == 4 ? value->kind == VALUE_NULL : is_number(value);
    }
}

static bool lists_type(const struct value *type, const char *name)
{
    if (type->kind == VALUE_STRING) {
        return str_eq(type->string, str_of(name));
    }
    for (size_t i = 0; i < type->count; i++) {
        if (str_eq(type->items[i].string, str_of(name))) {
            return true;
        }
    }
    return false;
}

static bool fits_type(const struct value *type, const struct value *value)
{
    if (type->kind == VALUE_STRING) {
        return is_of_type(value, type->string);
    }
    for (size_t i = 0; i < type->count; i++) {
        if (is_of_type(value, type->items[i].string)) {
            return true;
        }
    }
    return false;
}

static bool is_among(struct arena *arena, const struct value *choices, const struct value *value)
{
    for (size_t i = 0; i < choices->count; i++) {
        if (strcmp(printed(arena, &choices->items[i]), printed(arena, value)) == 0) {
            return true;
        }
    }
    return false;
}

/* Of the pieces above: all bytes but those that continue a sequence. */
static int64_t points(struct str s)
{
    int64_t count = 0;
    for (size_t i = 0; i < s.len; i++) {
        count += ((unsigned char)s.data[i] & 0xC0) != 0x80;
    }
    return count;
}

static void read_range(struct reader *r, const struct value *schema, const char *low, const char *high, int64_t size,
                       char kind, const char *path)
{
    if (size < value_int_at(schema, low, 0)) {
        find(r, kind, path);
    }
    if (size > value_int_at(schema, high, INT64_MAX)) {
        find(r, (char)(kind - 'a' + 'A'), path);
    }
}

static void read_value(struct reader *r, const struct value *schema, const struct value *value, const char *path);

static void read_object(struct reader *r, const struct value *schema, const struct value *object, const char *path)
{
    const struct value *properties = value_find(schema, STR("properties"));
    const struct value *required = value_find(schema, STR("required"));
    for (int n = 0; n < NAMES; n++) {
        const struct value *inner = value_find(properties, str_of(names[n]));
        if (inner == NULL) {
            continue;
        }
        const char *here = str_printf(r->arena, "%s%s%s%c", path, *path ? "." : "", names[n], 0).data;
        int seen = 0;
        for (size_t i = 0; i < object->count; i++) {
            if (!str_eq(object->members[i].key, str_of(names[n]))) {
                continue;
            }
            if (seen++ > 0) {
                find(r, 'D', here);
            } else {
                read_value(r, inner, &object->members[i].value, here);
            }
        }
        struct value name = text(str_of(names[n]));
        if (seen == 0 && required != NULL && is_among(r->arena, required, &name)) {
            find(r, 'm', here);
        }
    }
    bool open = value_bool_at(schema, "additionalProperties", properties == NULL);
    for (size_t i = 0; !open && i < object->count; i++) {
        struct str key = object->members[i].key;
        if (value_find(properties, key) == NULL) {
            find(r, 'U', str_printf(r->arena, "%s%s%.*s%c", path, *path ? "." : "", STR_ARG(key), 0).data);
        }
    }
}

static void read_number(struct reader *r, const struct value *schema, double number, const char *path)
{
    if (number < value_real_at(schema, "minimum", -INFINITY)) {
        find(r, 'n', path);
    }
    if (number <= value_real_at(schema, "exclusiveMinimum", -INFINITY)) {
        find(r, 'n', path);
    }
    if (number > value_real_at(schema, "maximum", INFINITY)) {
        find(r, 'n', path);
    }
    if (number >= value_real_at(schema, "exclusiveMaximum", INFINITY)) {
        find(r, 'n', path);
    }
}

static void read_value(struct reader *r, const struct value *schema, const struct value *value, const char *path)
{
    const struct value *choices = value_find(schema, STR("enum")), *type = value_find(schema, STR("type"));
    if (choices != NULL) {
        if (!is_among(r->arena, choices, value)) {
            find(r, 'c', path);
        }
        return;
    }
    if (type != NULL && !fits_type(type, value)) {
        find(r, 't', path);
    }
    if (is_number(value)) {
        read_number(r, schema, real_of(value), path);
    } else if (value->kind == VALUE_STRING) {
        read_range(r, schema, "minLength", "maxLength", points(value->string), 'l', path);
    } else if (value->kind == VALUE_ARRAY) {
        read_range(r, schema, "minItems", "maxItems", (int64_t)value->count, 'i', path);
        const struct value *items = value_find(schema, STR("items"));
        for (size_t i = 0; items != NULL && i < value->count; i++) {
            read_value(r, items, &value->items[i], str_printf(r->arena, "%s[%zu]%c", path, i + 1, 0).data);
        }
    } else if (value->kind == VALUE_OBJECT) {
        read_object(r, schema, value, path);
    }
}

static struct reader *read_all(struct arena *arena, const struct value *schema, const struct value *value)
{
    struct reader *r = arena_new(arena, struct reader);
    r->arena = arena;
    read_value(r, schema, value, "");
    return r;
}

static bool reads_bounded(const struct value *schema)
{
    const struct value *type = value_find(schema, STR("type")), *items = value_find(schema, STR("items"));
    const struct value *properties = value_find(schema, STR("properties"));
    if (value_find(schema, STR("enum")) != NULL) {
        return true;
    }
    if (type == NULL || (lists_type(type, "string") && value_find(schema, STR("maxLength")) == NULL)) {
        return false;
    }
    if (lists_type(type, "array") &&
        (value_find(schema, STR("maxItems")) == NULL || items == NULL || !reads_bounded(items))) {
        return false;
    }
    bool open = value_bool_at(schema, "additionalProperties", properties == NULL);
    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        if (!reads_bounded(&properties->members[i].value)) {
            return false;
        }
    }
    return !lists_type(type, "object") || !open;
}

/* --- schemas --- */

static void make_type(struct maker *m, struct value *schema)
{
    if (chance(m, 70)) {
        put(schema, "type", text(any_type(m)));
        return;
    }
    struct value first = text(any_type(m)), second = text(any_type(m)), list = empty(m, VALUE_ARRAY);
    append(&list, first);
    if (!str_eq(first.string, second.string)) {
        append(&list, second);
    }
    put(schema, "type", list);
}

static void make_range(struct maker *m, struct value *schema, const char *low, const char *high)
{
    int64_t least = pick(m, 0, 2);
    if (chance(m, 30)) {
        put(schema, low, integer(least));
    }
    if (chance(m, 75)) {
        put(schema, high, integer(least + pick(m, 0, 2)));
    }
}

static void make_bounds(struct maker *m, struct value *schema)
{
    if (chance(m, 40)) {
        put(schema, chance(m, 50) ? "minimum" : "exclusiveMinimum", integer(pick(m, -2, 0)));
    }
    if (chance(m, 40)) {
        put(schema, chance(m, 50) ? "maximum" : "exclusiveMaximum", integer(pick(m, 1, 3)));
    }
}

static struct value make_schema(struct maker *m, int depth);

static void make_properties(struct maker *m, struct value *schema, int depth)
{
    struct value properties = empty(m, VALUE_OBJECT), required = empty(m, VALUE_ARRAY);
    int64_t first = pick(m, 0, NAMES - 1);
    for (int64_t i = 0; i < NAMES; i++) {
        const char *name = names[(first + i) % NAMES];
        if (chance(m, 60)) {
            put(&properties, name, make_schema(m, depth - 1));
            if (chance(m, 40)) {
                append(&required, text(str_of(name)));
            }
        }
    }
    if (chance(m, 85)) {
        put(schema, "properties", properties);
        put(schema, "required", required);
    }
    if (chance(m, 25)) {
        put(schema, "additionalProperties", (struct value){.kind = VALUE_BOOL, .boolean = chance(m, 50)});
    }
}

static void make_enum(struct maker *m, struct value *schema)
{
    struct value choices = empty(m, VALUE_ARRAY);
    for (int i = 0; i < 6; i++) {
        struct value choice = make_value(m, schema, 2);
        if (read_all(m->arena, schema, &choice)->count == 0) {
            append(&choices, choice);
        }
    }
    if (choices.count > 0) {
        put(schema, "enum", choices);
    }
}

static struct value make_schema(struct maker *m, int depth)
{
    struct value schema = empty(m, VALUE_OBJECT);
    if (depth >= 3) { /* the outermost one is what an answer has */
        put(&schema, "type", text(STR("object")));
    } else if (chance(m, 92)) {
        make_type(m, &schema);
    }
    const struct value *type = value_find(&schema, STR("type"));
    if (type == NULL || lists_type(type, "string")) {
        make_range(m, &schema, "minLength", "maxLength");
    }
    if (type == NULL || lists_type(type, "number") || lists_type(type, "integer")) {
        make_bounds(m, &schema);
    }
    if (type == NULL || lists_type(type, "array")) {
        make_range(m, &schema, "minItems", "maxItems");
        if (depth > 0 && chance(m, 80)) {
            put(&schema, "items", make_schema(m, depth - 1));
        }
    }
    if (depth > 0 && (type == NULL || lists_type(type, "object"))) {
        make_properties(m, &schema, depth);
    }
    if (chance(m, depth >= 3 ? 2 : 15)) {
        make_enum(m, &schema);
    }
    return schema;
}

/* --- laws --- */

/* How often each side of each law was seen: a law about nothing proves nothing. */
struct seen {
    int valid, invalid, cut, mended, bounded, unbounded;
};

static void same_findings(const struct violation *violation, const struct reader *reader)
{
    for (size_t i = 0; i < reader->count; i++, violation = violation->next) {
        assert_non_null(violation);
        assert_int_equal(violation->path.len, strlen(reader->findings[i].path));
        assert_true(str_eq(violation->path, str_of(reader->findings[i].path)));
        assert_true(violation->problem.len > 0);
    }
    assert_null(violation);
}

static void judge_value(struct arena *arena, const struct value *json, const struct schema *schema,
                        const struct value *value, struct seen *seen)
{
    const struct reader *before = read_all(arena, json, value);
    same_findings(schema_validate(schema, value, arena), before);

    uint32_t cuts = UINT32_MAX, again = UINT32_MAX;
    const struct value *cut = schema_truncate(schema, value, arena, &cuts);
    const char *cut_text = printed(arena, cut);
    assert_int_equal(strcmp(cut_text, printed(arena, value)) == 0, cuts == 0);
    assert_true(before->count > 0 || cuts == 0);
    assert_string_equal(printed(arena, schema_truncate(schema, cut, arena, &again)), cut_text);
    assert_int_equal(again, 0);

    const struct reader *after = read_all(arena, json, cut);
    same_findings(schema_validate(schema, cut, arena), after);
    for (size_t i = 0; i < after->count; i++) {
        assert_null(strchr("LIUD", after->findings[i].kind));
    }
    seen->valid += before->count == 0;
    seen->invalid += before->count > 0;
    seen->cut += cuts > 0;
    seen->mended += before->count > 0 && after->count == 0;
}

static void judge_schema(struct maker *m, struct seen *seen)
{
    struct value json = make_schema(m, 3);
    struct err err = {.kind = ERR_NONE};
    const struct schema *schema = schema_compile(m->arena, &json, &err);
    if (schema == NULL) {
        print_error("%s\n%s\n", printed(m->arena, &json), err.message);
    }
    assert_non_null(schema);
    bool bounded = reads_bounded(&json);
    assert_int_equal(schema_check_bounded(schema, &err), bounded);
    assert_int_equal(err.kind, bounded ? ERR_NONE : ERR_SCENARIO);
    seen->bounded += bounded;
    seen->unbounded += !bounded;
    for (int i = 0; i < VALUES; i++) {
        struct value value = make_value(m, &json, 4);
        judge_value(m->arena, &json, schema, &value, seen);
    }
}

static void random_documents_keep_the_laws(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct maker m = {.arena = &arena};
    rng_init(&m.rng, 7, STR("schemas"));
    struct seen seen = {0};
    for (int i = 0; i < ROUNDS; i++) {
        judge_schema(&m, &seen);
        arena_reset(&arena);
    }
    arena_close(&arena);
    const int counts[] = {seen.valid, seen.invalid, seen.cut, seen.mended, seen.bounded, seen.unbounded};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        assert_true(counts[i] > ROUNDS / 20);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(random_documents_keep_the_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
