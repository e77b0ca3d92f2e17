#include "report/leaves.h"

#include "base/arena.h"

enum { ROOM_FIRST = 64 };

/* The parts of a run that hold numbers to compare; lists and advice are not among them. */
static const char *const parts[] = {"measurement", "isolated", "total_cumulative", "tokens", "cost",
                                    "time",        "total",    "budget",           "contract"};

struct collection {
    struct arena *arena;
    struct leaves leaves;
    size_t room;
};

static void add(struct collection *collection, struct str path, const struct value *number)
{
    struct leaves *leaves = &collection->leaves;
    if (leaves->count == collection->room) {
        size_t room = collection->room == 0 ? ROOM_FIRST : collection->room * 2;
        struct leaf *items = arena_array(collection->arena, struct leaf, room);
        if (leaves->count > 0) {
            memcpy(items, leaves->items, leaves->count * sizeof *items);
        }
        leaves->items = items;
        collection->room = room;
    }
    leaves->items[leaves->count++] = (struct leaf){.path = path, .number = number};
}

/* Keys may hold anything, so they are joined byte by byte. */
static struct str join(struct arena *arena, struct str path, struct str key)
{
    if (path.len == 0) {
        return key;
    }
    struct strbuf out;
    strbuf_init(&out, arena, path.len + key.len + 1);
    strbuf_add(&out, path);
    strbuf_addc(&out, '.');
    strbuf_add(&out, key);
    return strbuf_str(&out);
}

/* Recursion is as deep as the report, which its readers limit. */
static void collect(struct collection *collection, struct str path, const struct value *value)
{
    if (value->kind == VALUE_INT || value->kind == VALUE_REAL) {
        add(collection, path, value);
    }
    if (value->kind != VALUE_OBJECT) {
        return;
    }
    for (size_t i = 0; i < value->count; i++) {
        const struct member *member = &value->members[i];
        collect(collection, join(collection->arena, path, member->key), &member->value);
    }
}

struct leaves leaves_of(struct arena *arena, const struct value *run, const struct value *comparison)
{
    struct collection collection = {.arena = arena};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const struct value *part = value_find(run, str_of(parts[i]));
        if (part != NULL) {
            collect(&collection, str_of(parts[i]), part);
        }
    }
    if (comparison != NULL) {
        collect(&collection, STR(""), comparison);
    }
    return collection.leaves;
}

const struct value *leaves_comparison(const struct value *report, struct str variant)
{
    const struct value *list = value_find(report, STR("comparisons"));
    for (size_t i = 0; list != NULL && list->kind == VALUE_ARRAY && i < list->count; i++) {
        if (str_eq(value_str_at(&list->items[i], "variant", STR("")), variant)) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool ends_with(struct str s, struct str end)
{
    return s.len >= end.len && str_eq(str_slice(s, s.len - end.len, s.len), end);
}

/* The end or the start of a path. */
struct unit_row {
    const char *part;
    const char *unit;
};

static const struct unit_row ends[] = {
    {"_ratio", "ratio"}, {"_multiplier", "ratio"}, {"_of_total", "ratio"},  {"picodollars", "picodollars"},
    {"_us", "us"},       {"turn_count", "turns"},  {"requests", "requests"},
};

static const struct unit_row starts[] = {
    {"budget.usd.", "USD"}, {"budget.turns.", "turns"}, {"budget.ms.", "ms"}, {"contract.", "count"},
};

struct str leaves_unit(struct str path, struct str scenario_unit)
{
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        if (ends_with(path, str_of(ends[i].part))) {
            return str_of(ends[i].unit);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        if (str_starts(path, str_of(starts[i].part))) {
            return str_of(starts[i].unit);
        }
    }
    return scenario_unit;
}
