#include "batch/golden.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/utf8.h"

#define PARTS_MAX 600     /* deeper than any document that is read */
#define SHOWN_POINTS 60   /* code points of a value in a row */
#define TEXT_CEILING ((size_t)64 << 10)
#define DECIMAL_MAX 63

struct walk;

typedef void leaf_visitor(struct walk *walk);

struct walk {
    struct arena *arena;
    struct drift *drift;
    struct golden_diff *diff;
    struct golden_metric listed[GOLDEN_METRICS]; /* numbers within lists, of which there may be thousands */
    size_t listed_count;
    struct str parts[PARTS_MAX];
    size_t depth;
    size_t list_depth; /* lists that we are in, but for those of variants and comparisons */
    bool loose;        /* the test has rules, so that texts which only repeat numbers may differ */
};

static void push(struct walk *walk, struct str part)
{
    CHECK(walk->depth < PARTS_MAX);
    walk->parts[walk->depth++] = part;
}

static struct str path_of(const struct walk *walk)
{
    struct strbuf out;
    strbuf_init(&out, walk->arena, TEXT_CEILING);
    for (size_t i = 0; i < walk->depth; i++) {
        strbuf_add(&out, i > 0 ? STR(".") : STR(""));
        strbuf_add(&out, walk->parts[i]);
    }
    return walk->depth > 0 ? strbuf_str(&out) : STR("(the whole report)");
}

/* A value as JSON, cut. */
static struct str shown(struct arena *arena, const struct value *value)
{
    if (value->kind == VALUE_ARRAY) {
        return str_printf(arena, "%zu item%s", value->count, value->count == 1 ? "" : "s");
    }
    if (value->kind == VALUE_OBJECT) {
        return STR("{…}");
    }
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    value_canonical(value, &out);
    struct str whole = strbuf_str(&out);
    struct str cut = utf8_prefix(whole, SHOWN_POINTS);
    return cut.len < whole.len ? str_printf(arena, "%.*s…", STR_ARG(cut)) : whole;
}

/* "0.000123", as money is told. */
static bool read_decimal(struct str text, double *number)
{
    char digits[DECIMAL_MAX + 1] = {0};
    size_t start = text.len > 0 && text.data[0] == '-' ? 1 : 0;
    size_t dots = 0;
    for (size_t i = start; i < text.len; i++) {
        bool digit = text.data[i] >= '0' && text.data[i] <= '9';
        dots += text.data[i] == '.';
        if ((!digit && text.data[i] != '.') || dots > 1) {
            return false;
        }
    }
    if (text.len <= start + dots || text.len > DECIMAL_MAX) {
        return false;
    }
    memcpy(digits, text.data, text.len);
    *number = strtod(digits, NULL);
    return true;
}

static bool number_of(const struct value *value, double *number)
{
    switch (value->kind) {
    case VALUE_INT: *number = (double)value->integer; return true;
    case VALUE_REAL: *number = value->real; return true;
    case VALUE_STRING: return read_decimal(value->string, number);
    default: return false;
    }
}

/* Exact for integers, which a double is not. */
static bool is_equal_leaf(const struct value *old, const struct value *now)
{
    double a;
    double b;
    if (old->kind == VALUE_INT && now->kind == VALUE_INT) {
        return old->integer == now->integer;
    }
    if (old->kind == VALUE_STRING || now->kind == VALUE_STRING) {
        return old->kind == now->kind && str_eq(old->string, now->string);
    }
    if (number_of(old, &a) && number_of(now, &b)) {
        return a == b;
    }
    return old->kind == now->kind && (old->kind != VALUE_BOOL || old->boolean == now->boolean);
}

static void add_path(struct walk *walk, struct str old, struct str now)
{
    struct golden_diff *diff = walk->diff;
    if (drift_has_ratchet(walk->drift)) {
        diff->allowed_total++;
        return;
    }
    diff->path_total++;
    if (diff->path_count < GOLDEN_PATHS) {
        diff->paths[diff->path_count++] = (struct golden_path){.path = path_of(walk), .old = old, .now = now};
    }
}

static void add_metric(struct walk *walk, const struct value *old, const struct value *now, double from, double to)
{
    struct golden_diff *diff = walk->diff;
    enum drift_verdict verdict = drift_judge(walk->drift, walk->parts, walk->depth, from, to);
    struct golden_metric *rows = diff->metrics;
    size_t *count = &diff->metric_count;
    if (verdict != DRIFT_FAILS) {
        diff->allowed_total++;
        rows = diff->shrunk;
        count = &diff->shrunk_count;
    } else {
        diff->metric_total++;
        rows = walk->list_depth > 0 ? walk->listed : rows;
        count = walk->list_depth > 0 ? &walk->listed_count : count;
    }
    if (verdict == DRIFT_ALLOWED || *count >= GOLDEN_METRICS) {
        return;
    }
    rows[(*count)++] = (struct golden_metric){
        .path = path_of(walk),
        .old = *old,
        .now = *now,
        .has_change = from != 0.0,
        .change = from != 0.0 ? (to - from) / fabs(from) : 0.0,
    };
}

/* The words of a recommendation repeat its numbers, which are compared anyway. */
static bool only_repeats(const struct walk *walk)
{
    return walk->loose && walk->depth > 0 && str_eq(walk->parts[walk->depth - 1], STR("reason"));
}

static void compare_leaves(struct walk *walk, const struct value *old, const struct value *now)
{
    double from;
    double to;
    if (is_equal_leaf(old, now)) {
        return;
    }
    if (number_of(old, &from) && number_of(now, &to)) {
        add_metric(walk, old, now, from, to);
    } else if (only_repeats(walk)) {
        walk->diff->allowed_total++;
    } else {
        add_path(walk, shown(walk->arena, old), shown(walk->arena, now));
    }
}

static void visit(struct walk *walk, const struct value *value, leaf_visitor *leaf);

/* The lists whose items are named: their members are called by that name instead of by list and position. */
static const char *naming_key(const struct walk *walk, struct str key)
{
    if (walk->depth > 0) {
        return NULL;
    }
    return str_eq(key, STR("variants"))      ? "name"
           : str_eq(key, STR("comparisons")) ? "variant"
                                             : NULL;
}

static struct str name_of(const struct value *item, const char *key)
{
    const struct value *name = value_find(item, str_of(key));
    return name != NULL && name->kind == VALUE_STRING ? name->string : (struct str){0};
}

/* True if every item has a name; they differ by construction. */
static bool is_named(const struct value *list, const char *key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (name_of(&list->items[i], key).len == 0) {
            return false;
        }
    }
    return list->kind == VALUE_ARRAY;
}

static const struct value *named_item(const struct value *list, const char *key, struct str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (str_eq(name_of(&list->items[i], key), name)) {
            return &list->items[i];
        }
    }
    return NULL;
}

static void visit_members(struct walk *walk, const struct value *object, leaf_visitor *leaf)
{
    for (size_t i = 0; i < object->count; i++) {
        const struct member *member = &object->members[i];
        const char *key = naming_key(walk, member->key);
        if (key != NULL && is_named(&member->value, key)) {
            for (size_t k = 0; k < member->value.count; k++) {
                push(walk, name_of(&member->value.items[k], key));
                visit(walk, &member->value.items[k], leaf);
                walk->depth--;
            }
            continue;
        }
        push(walk, member->key);
        visit(walk, &member->value, leaf);
        walk->depth--;
    }
}

/* Calls `leaf` at every number. */
static void visit(struct walk *walk, const struct value *value, leaf_visitor *leaf)
{
    double number;
    if (value->kind == VALUE_OBJECT) {
        visit_members(walk, value, leaf);
    } else if (value->kind == VALUE_ARRAY) {
        for (size_t i = 0; i < value->count; i++) {
            push(walk, str_printf(walk->arena, "%zu", i + 1));
            visit(walk, &value->items[i], leaf);
            walk->depth--;
        }
    } else if (number_of(value, &number)) {
        leaf(walk);
    }
}

static void mark_leaf(struct walk *walk)
{
    drift_mark(walk->drift, walk->parts, walk->depth);
}

/* A metric that must not grow cannot vanish either. */
static void fail_ratcheted_leaf(struct walk *walk)
{
    if (drift_is_ratcheted(walk->drift, walk->parts, walk->depth)) {
        struct golden_diff *diff = walk->diff;
        diff->path_total++;
        if (diff->path_count < GOLDEN_PATHS) {
            diff->paths[diff->path_count++] = (struct golden_path){.path = path_of(walk), .old = STR("a number")};
        }
    }
}

static void add_gone(struct walk *walk, const struct value *old)
{
    add_path(walk, shown(walk->arena, old), (struct str){0});
    if (drift_has_ratchet(walk->drift)) {
        visit(walk, old, fail_ratcheted_leaf);
    }
}

static void compare(struct walk *walk, const struct value *old, const struct value *now);

static void compare_named(struct walk *walk, const struct value *old, const struct value *now, const char *key)
{
    for (size_t i = 0; i < old->count; i++) {
        push(walk, name_of(&old->items[i], key));
        const struct value *other = named_item(now, key, walk->parts[walk->depth - 1]);
        if (other != NULL) {
            compare(walk, &old->items[i], other);
        } else {
            add_gone(walk, &old->items[i]);
        }
        walk->depth--;
    }
    for (size_t i = 0; i < now->count; i++) {
        struct str name = name_of(&now->items[i], key);
        if (named_item(old, key, name) == NULL) {
            push(walk, name);
            add_path(walk, (struct str){0}, shown(walk->arena, &now->items[i]));
            walk->depth--;
        }
    }
}

/* What an expectation got is a metric of the report, which is compared in its own place. */
static bool is_repeated(const struct walk *walk, struct str key)
{
    return walk->depth == 2 && str_eq(walk->parts[0], STR("expectations")) && str_eq(key, STR("got"));
}

static void compare_member(struct walk *walk, const struct member *member, const struct value *now)
{
    const struct value *other = value_find(now, member->key);
    const char *key = naming_key(walk, member->key);
    if (other != NULL && key != NULL && is_named(&member->value, key) && is_named(other, key)) {
        compare_named(walk, &member->value, other, key);
        return;
    }
    push(walk, member->key);
    if (other == NULL) {
        add_gone(walk, &member->value);
    } else {
        compare(walk, &member->value, other);
    }
    walk->depth--;
}

static void compare_objects(struct walk *walk, const struct value *old, const struct value *now)
{
    for (size_t i = 0; i < old->count; i++) {
        if (!is_repeated(walk, old->members[i].key)) {
            compare_member(walk, &old->members[i], now);
        }
    }
    for (size_t i = 0; i < now->count; i++) {
        if (value_find(old, now->members[i].key) == NULL) {
            push(walk, now->members[i].key);
            add_path(walk, (struct str){0}, shown(walk->arena, &now->members[i].value));
            walk->depth--;
        }
    }
}

static void compare_arrays(struct walk *walk, const struct value *old, const struct value *now)
{
    size_t common = old->count < now->count ? old->count : now->count;
    if (old->count != now->count) {
        add_path(walk, shown(walk->arena, old), shown(walk->arena, now));
    }
    walk->list_depth++;
    for (size_t i = 0; i < common; i++) {
        push(walk, str_printf(walk->arena, "%zu", i + 1));
        compare(walk, &old->items[i], &now->items[i]);
        walk->depth--;
    }
    for (size_t i = common; i < old->count && drift_has_ratchet(walk->drift); i++) {
        push(walk, str_printf(walk->arena, "%zu", i + 1));
        visit(walk, &old->items[i], fail_ratcheted_leaf);
        walk->depth--;
    }
    walk->list_depth--;
}

static void compare(struct walk *walk, const struct value *old, const struct value *now)
{
    if (old->kind == VALUE_OBJECT && now->kind == VALUE_OBJECT) {
        compare_objects(walk, old, now);
    } else if (old->kind == VALUE_ARRAY && now->kind == VALUE_ARRAY) {
        compare_arrays(walk, old, now);
    } else {
        compare_leaves(walk, old, now);
    }
}

static void take_listed(struct walk *walk)
{
    struct golden_diff *diff = walk->diff;
    for (size_t i = 0; i < walk->listed_count && diff->metric_count < GOLDEN_METRICS; i++) {
        diff->metrics[diff->metric_count++] = walk->listed[i];
    }
}

/* I1: what no row explains is a difference all the same. */
static void judge(struct walk *walk, bool same_bytes)
{
    struct golden_diff *diff = walk->diff;
    if (!same_bytes && diff->metric_total + diff->path_total + diff->allowed_total == 0) {
        add_path(walk, STR("other bytes"), STR("the same values"));
    }
    take_listed(walk);
    diff->verdict = diff->metric_total + diff->path_total > 0 ? GOLDEN_DIFFERENT
                    : same_bytes                              ? GOLDEN_SAME
                                                              : GOLDEN_ALLOWED;
}

static bool is_readable(struct walk *walk, struct str text, const char *name, struct value *value)
{
    struct err err = {0};
    if (json_read_value(walk->arena, text, name, value, &err)) {
        return true;
    }
    walk->diff->path_total = walk->diff->path_count = 1;
    walk->diff->paths[0] = (struct golden_path){
        .path = str_printf(walk->arena, "(%s)", err.message), .old = STR("no JSON"), .now = STR("a report")};
    walk->diff->verdict = GOLDEN_DIFFERENT;
    return false;
}

void golden_compare(struct arena *arena, struct str golden, struct str now, struct drift *drift,
                    struct golden_diff *diff)
{
    struct value old_value;
    struct value new_value;
    bool same_bytes = str_eq(golden, now);
    *diff = (struct golden_diff){.verdict = GOLDEN_SAME};
    if (same_bytes && drift->count == 0) {
        return;
    }
    struct walk *walk = arena_new(arena, struct walk);
    *walk = (struct walk){.arena = arena, .drift = drift, .diff = diff, .loose = drift->count > 0};
    if (!is_readable(walk, now, "report", &new_value)) {
        return;
    }
    if (drift->count > 0) {
        visit(walk, &new_value, mark_leaf);
    }
    if (!same_bytes && !is_readable(walk, golden, "golden", &old_value)) {
        return;
    }
    if (!same_bytes) {
        compare(walk, &old_value, &new_value);
    }
    judge(walk, same_bytes);
}
