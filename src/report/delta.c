#include "report/delta.h"

#include "base/arena.h"
#include "report/cells.h"
#include "report/leaves.h"

#define SCHEMA "simagent.report/1"
#define SHOWN_COLUMNS 60 /* of a value in a text about what differs */

const struct delta_format *const delta_formats[] = {&delta_format_text, &delta_format_markdown, &delta_format_csv,
                                                    &delta_format_json, NULL};

const struct delta_format *delta_format_find(struct str name)
{
    for (size_t i = 0; delta_formats[i] != NULL; i++) {
        if (str_eq(name, str_of(delta_formats[i]->name))) {
            return delta_formats[i];
        }
    }
    return NULL;
}

/* --- numbers --- */

static double real_of(const struct value *number)
{
    return number->kind == VALUE_INT ? (double)number->integer : number->real;
}

static struct value difference_of(const struct value *old, const struct value *now)
{
    int64_t whole;
    if (old->kind == VALUE_INT && now->kind == VALUE_INT &&
        !__builtin_sub_overflow(now->integer, old->integer, &whole)) {
        return (struct value){.kind = VALUE_INT, .integer = whole};
    }
    double real = real_of(now) - real_of(old);
    bool finite = __builtin_isfinite(real);
    return finite ? (struct value){.kind = VALUE_REAL, .real = real} : (struct value){.kind = VALUE_NULL};
}

static bool is_equal(const struct value *old, const struct value *now)
{
    bool whole = old->kind == VALUE_INT && now->kind == VALUE_INT;
    return whole ? old->integer == now->integer : real_of(old) == real_of(now);
}

static struct delta_row row_of(struct str metric, const struct value *old, const struct value *now)
{
    struct delta_row row = {.metric = metric, .old = old, .now = now, .changed = true};
    if (old == NULL || now == NULL) {
        return row;
    }
    row.changed = !is_equal(old, now);
    row.difference = difference_of(old, now);
    double before = real_of(old);
    double size = before < 0 ? -before : before;
    if (size > 0 && row.difference.kind != VALUE_NULL) {
        row.percent = 100 * (real_of(&row.difference) / size);
        row.has_percent = __builtin_isfinite(row.percent) != 0;
    }
    return row;
}

/* --- variants --- */

static const struct value *variants_of(const struct value *report)
{
    static const struct value none = {.kind = VALUE_ARRAY};
    const struct value *list = value_find(report, STR("variants"));
    return list != NULL && list->kind == VALUE_ARRAY ? list : &none;
}

static struct str name_of(const struct value *variant)
{
    return value_str_at(variant, "name", STR(""));
}

/* Both reports mostly have the same things in the same order, so a search goes on where the last one ended. */
static const struct value *variant_named(const struct value *list, struct str name, size_t *cursor)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = (*cursor + i) % list->count;
        if (str_eq(name_of(&list->items[at]), name)) {
            *cursor = at + 1;
            return &list->items[at];
        }
    }
    return NULL;
}

static const struct value *leaf_named(const struct leaves *leaves, struct str path, size_t *cursor)
{
    for (size_t i = 0; i < leaves->count; i++) {
        size_t at = (*cursor + i) % leaves->count;
        if (str_eq(leaves->items[at].path, path)) {
            *cursor = at + 1;
            return leaves->items[at].number;
        }
    }
    return NULL;
}

static void add_row(struct delta_variant *variant, struct delta_row row)
{
    variant->rows[variant->count++] = row;
    variant->changed += row.changed;
}

static void compare_leaves(struct delta_variant *variant, struct arena *arena, const struct leaves *old,
                           const struct leaves *now)
{
    size_t cursor = 0;
    variant->rows = arena_array(arena, struct delta_row, old->count + now->count);
    for (size_t i = 0; i < old->count; i++) {
        struct str path = old->items[i].path;
        add_row(variant, row_of(path, old->items[i].number, leaf_named(now, path, &cursor)));
    }
    cursor = 0;
    for (size_t i = 0; i < now->count; i++) {
        struct str path = now->items[i].path;
        if (leaf_named(old, path, &cursor) == NULL) {
            add_row(variant, row_of(path, NULL, now->items[i].number));
        }
    }
}

static struct str word_at(struct arena *arena, const struct value *variant, const char *path)
{
    const struct value *value = value_path(variant, path);
    struct strbuf json;
    if (value == NULL || value->kind == VALUE_STRING) {
        return value == NULL ? STR("") : value->string;
    }
    strbuf_init(&json, arena, 256);
    value_canonical(value, &json);
    return strbuf_str(&json);
}

static void compare_words(struct delta_variant *variant, struct arena *arena, const struct value *old,
                          const struct value *now)
{
    static const char *const paths[DELTA_NOTES] = {"status", "stop_reason", "recommendation.delegate"};
    for (size_t i = 0; i < DELTA_NOTES; i++) {
        struct delta_note note = {paths[i], word_at(arena, old, paths[i]), word_at(arena, now, paths[i])};
        if (!str_eq(note.old, note.now)) {
            variant->notes[variant->note_count++] = note;
        }
    }
}

/* Either may be NULL. */
static void add_variant(struct delta *delta, struct arena *arena, const struct value *old, const struct value *now)
{
    struct delta_variant *variant = &delta->variants[delta->count++];
    struct str name = name_of(old != NULL ? old : now);
    struct leaves before = {0};
    struct leaves after = {0};
    *variant = (struct delta_variant){.name = name};
    variant->side = now == NULL ? DELTA_OLD_ONLY : old == NULL ? DELTA_NEW_ONLY : DELTA_BOTH;
    if (old != NULL) {
        before = leaves_of(arena, old, leaves_comparison(&delta->old->report, name));
    }
    if (now != NULL) {
        after = leaves_of(arena, now, leaves_comparison(&delta->now->report, name));
    }
    compare_leaves(variant, arena, &before, &after);
    if (variant->side == DELTA_BOTH) {
        compare_words(variant, arena, old, now);
    }
    delta->changed += variant->changed;
    delta->unchanged += variant->count - variant->changed;
}

static void compare_variants(struct delta *delta, struct arena *arena)
{
    const struct value *old = variants_of(&delta->old->report);
    const struct value *now = variants_of(&delta->now->report);
    size_t cursor = 0;
    delta->variants = arena_array(arena, struct delta_variant, old->count + now->count);
    for (size_t i = 0; i < old->count; i++) {
        add_variant(delta, arena, &old->items[i], variant_named(now, name_of(&old->items[i]), &cursor));
    }
    cursor = 0;
    for (size_t i = 0; i < now->count; i++) {
        if (variant_named(old, name_of(&now->items[i]), &cursor) == NULL) {
            add_variant(delta, arena, NULL, &now->items[i]);
        }
    }
}

/* --- the experiment --- */

static struct str shown(struct arena *arena, const struct value *value)
{
    struct strbuf json;
    if (value == NULL) {
        return STR("none");
    }
    if (value->kind == VALUE_STRING) {
        return cells_text(arena, value->string, SHOWN_COLUMNS);
    }
    strbuf_init(&json, arena, 4096);
    value_canonical(value, &json);
    return cells_text(arena, strbuf_str(&json), SHOWN_COLUMNS);
}

static bool is_same(struct arena *arena, const struct value *old, const struct value *now)
{
    struct strbuf a;
    struct strbuf b;
    if (old == NULL || now == NULL) {
        return old == now;
    }
    strbuf_init(&a, arena, SIZE_MAX / 4);
    strbuf_init(&b, arena, SIZE_MAX / 4);
    value_canonical(old, &a);
    value_canonical(now, &b);
    return str_eq(strbuf_str(&a), strbuf_str(&b));
}

static void judge_pair(struct delta *delta, struct arena *arena, struct str label, const struct value *old,
                       const struct value *now)
{
    if (is_same(arena, old, now)) {
        return;
    }
    struct str before = shown(arena, old);
    struct str after = shown(arena, now);
    delta->unlike[delta->unlike_count++] =
        str_printf(arena, "%.*s: %.*s, %.*s", STR_ARG(label), STR_ARG(before), STR_ARG(after));
}

static size_t members_of(const struct value *object)
{
    return object != NULL && object->kind == VALUE_OBJECT ? object->count : 0;
}

static struct str option_label(struct arena *arena, struct str name)
{
    struct str safe = cells_name(arena, name, SHOWN_COLUMNS);
    return str_printf(arena, "option %.*s", STR_ARG(safe));
}

static void judge_options(struct delta *delta, struct arena *arena, const struct value *old, const struct value *now)
{
    for (size_t i = 0; i < members_of(old); i++) {
        const struct member *member = &old->members[i];
        judge_pair(delta, arena, option_label(arena, member->key), &member->value, value_find(now, member->key));
    }
    for (size_t i = 0; i < members_of(now); i++) {
        const struct member *member = &now->members[i];
        if (value_find(old, member->key) == NULL) {
            judge_pair(delta, arena, option_label(arena, member->key), NULL, &member->value);
        }
    }
}

struct likeness {
    const char *label;
    const char *path;
};

/* What must be the same in both, beside the options. */
static const struct likeness same[] = {
    {"schema", "schema"},
    {"scenario", "scenario.name"},
    {"unit", "scenario.unit"},
    {"bytes per token", "scenario.bytes_per_token"},
    {"seed", "scenario.seed"},
};

static void judge_experiment(struct delta *delta, struct arena *arena)
{
    const struct value *old = &delta->old->report;
    const struct value *now = &delta->now->report;
    const struct value *old_options = value_path(old, "scenario.options");
    const struct value *new_options = value_path(now, "scenario.options");
    size_t room = ARRAY_LEN(same) + members_of(old_options) + members_of(new_options);
    delta->unlike = arena_array(arena, struct str, room);
    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        judge_pair(delta, arena, str_of(same[i].label), value_path(old, same[i].path), value_path(now, same[i].path));
    }
    judge_options(delta, arena, old_options, new_options);
}

bool delta_check_report(const struct delta_input *input, struct err *err)
{
    const struct value *variants = value_find(&input->report, STR("variants"));
    struct str schema = value_str_at(&input->report, "schema", STR(""));
    if (variants != NULL && variants->kind == VALUE_ARRAY && str_starts(schema, STR("simagent.report/"))) {
        return true;
    }
    if (str_eq(schema, STR(SCHEMA))) {
        return err_set(err, ERR_IO, "%.*s: no whole report of simagent: it has no list of variants",
                       STR_ARG(input->name));
    }
    return err_set(err, ERR_IO, "%.*s: no report of simagent: its schema is '%.*s' and not %s", STR_ARG(input->name),
                   STR_ARG(schema), SCHEMA);
}

void delta_init(struct delta *delta, struct arena *arena, const struct delta_input *old,
                const struct delta_input *now)
{
    *delta = (struct delta){.old = old, .now = now};
    judge_experiment(delta, arena);
    compare_variants(delta, arena);
}

const struct delta_row *delta_find(const struct delta_variant *variant, struct str metric)
{
    for (size_t i = 0; i < variant->count; i++) {
        if (str_eq(variant->rows[i].metric, metric)) {
            return &variant->rows[i];
        }
    }
    return NULL;
}
