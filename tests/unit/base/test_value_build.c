/* The builder: what was told comes back, limits leave out exactly the rest, misuse stops. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/rng.h"
#include "base/value.h"
#include "unit/base/dies.h"

/* A random document of its own, not through the builder. */
static struct value draw_value(struct rng *rng, struct arena *arena, int depth)
{
    struct value value = {.kind = (enum value_kind)rng_between(rng, 0, depth > 0 ? VALUE_OBJECT : VALUE_STRING)};
    switch (value.kind) {
    case VALUE_NULL: break;
    case VALUE_BOOL: value.boolean = rng_between(rng, 0, 1); break;
    case VALUE_INT: value.integer = (int64_t)rng_next(rng); break;
    case VALUE_REAL: value.real = rng_real(rng); break;
    case VALUE_STRING: value.string = str_printf(arena, "s%d", (int)rng_between(rng, 0, 999)); break;
    case VALUE_ARRAY: {
        value.count = (size_t)rng_between(rng, 0, 12);
        struct value *items = arena_array(arena, struct value, value.count);
        for (size_t i = 0; i < value.count; i++) {
            items[i] = draw_value(rng, arena, depth - 1);
        }
        value.items = items;
        break;
    }
    case VALUE_OBJECT: {
        value.count = (size_t)rng_between(rng, 0, 12);
        struct member *members = arena_array(arena, struct member, value.count);
        for (size_t i = 0; i < value.count; i++) {
            members[i].key = str_printf(arena, "%.*s", (int)rng_between(rng, 0, 2), "rk");
            members[i].value = draw_value(rng, arena, depth - 1);
        }
        value.members = members;
        break;
    }
    }
    return value;
}

/* Equal, where arrays under the key "r" were to keep `keep` items; `under` says that this is one. */
static bool matches(const struct value *built, const struct value *whole, size_t keep, bool under)
{
    if (built->kind != whole->kind) {
        return false;
    }
    switch (built->kind) {
    case VALUE_NULL: return true;
    case VALUE_BOOL: return built->boolean == whole->boolean;
    case VALUE_INT: return built->integer == whole->integer;
    case VALUE_REAL: return built->real == whole->real;
    case VALUE_STRING: return str_eq(built->string, whole->string) && built->string.data != whole->string.data;
    default: break;
    }
    bool is_array = built->kind == VALUE_ARRAY;
    size_t expected = under && is_array && whole->count > keep ? keep : whole->count;
    if (built->count != expected || built->dropped != whole->count - expected) {
        return false;
    }
    for (size_t i = 0; i < expected; i++) {
        if (is_array ? !matches(&built->items[i], &whole->items[i], keep, false)
                     : !str_eq(built->members[i].key, whole->members[i].key) ||
                           !matches(&built->members[i].value, &whole->members[i].value, keep,
                                    str_eq(whole->members[i].key, STR("r")))) {
            return false;
        }
    }
    return true;
}

static void test_round_trip(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 15, STR("test"));
    struct arena arena;
    arena_init(&arena);
    for (int round = 0; round < 600; round++) {
        struct value whole = draw_value(&rng, &arena, 4);
        size_t keep = (size_t)rng_between(&rng, 0, 5);
        const struct value_limit limits[] = {{"other", 0}, {"r", keep}, {NULL, 0}};
        struct value_builder builder;
        value_builder_init(&builder, &arena, limits);
        assert_false(builder.complete);
        value_tell(&whole, &builder.feed);
        assert_true(builder.complete);
        assert_true(matches(&builder.result, &whole, keep, false));
        value_builder_init(&builder, &arena, NULL);
        value_tell(&whole, &builder.feed);
        assert_true(builder.complete && matches(&builder.result, &whole, SIZE_MAX, false));
        arena_reset(&arena);
    }
    arena_close(&arena);
}

static void test_bulk_and_limits(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    static int64_t numbers[10000];
    for (int i = 0; i < 10000; i++) {
        numbers[i] = i;
    }
    const struct value_limit limits[] = {{"rows", 2500}, {NULL, 0}};
    struct value_builder builder;
    value_builder_init(&builder, &arena, limits);
    struct feed *f = &builder.feed;
    feed_begin_object(f);
    feed_open_array(f, STR("rows"));
    feed_ints(f, numbers, 2000);
    feed_ints(f, numbers + 2000, 8000);
    feed_end(f);
    feed_open_array(f, STR("all"));
    feed_ints(f, numbers, 10000);
    feed_end(f);
    feed_put_str(f, STR("after"), STR("kept"));
    feed_end(f);
    const struct value *rows = value_find(&builder.result, STR("rows"));
    assert_true(rows->count == 2500 && rows->dropped == 7500 && rows->items[2499].integer == 2499);
    const struct value *all = value_find(&builder.result, STR("all"));
    assert_true(all->count == 10000 && all->dropped == 0 && all->items[9999].integer == 9999);
    assert_int_equal((uintptr_t)all->items % _Alignof(struct value), 0);
    assert_true(str_eq(value_str_at(&builder.result, "after", STR("")), STR("kept")));
    arena_close(&arena);
}

/* What was told may go away at once. */
static void test_copies_text(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value_builder builder;
    value_builder_init(&builder, &arena, NULL);
    char key[] = "key", text[] = "text";
    feed_begin_object(&builder.feed);
    feed_put_str(&builder.feed, str_of(key), str_of(text));
    feed_put_str(&builder.feed, (struct str){NULL, 0}, (struct str){NULL, 0});
    feed_end(&builder.feed);
    memset(key, 'x', 3);
    memset(text, 'x', 4);
    assert_true(str_eq(value_str_at(&builder.result, "key", STR("")), STR("text")));
    assert_int_equal(builder.result.count, 2);
    assert_int_equal(builder.result.members[1].key.len, 0);
    arena_close(&arena);
}

/* Deep nesting uses frames again and again without mixing them up. */
static void test_deep(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value_builder builder;
    value_builder_init(&builder, &arena, NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
            if (round == 0 || i > 0) {
                feed_begin_array(&builder.feed);
            }
            feed_int(&builder.feed, i);
        }
        for (int i = 0; i < (round == 2 ? 300 : 299); i++) {
            feed_end(&builder.feed);
        }
    }
    assert_true(builder.complete);
    const struct value *at = &builder.result;
    assert_int_equal(at->count, 6); /* 0, nested, 0, nested, 0, nested */
    for (size_t i = 0; i < 6; i += 2) {
        assert_int_equal(at->items[i].integer, 0);
        const struct value *down = &at->items[i + 1];
        for (int depth = 1; depth < 300; depth++, down = &down->items[1]) {
            assert_int_equal(down->items[0].integer, depth);
            assert_int_equal(down->count, depth < 299 ? 2 : 1);
            if (depth == 299) {
                break;
            }
        }
    }
    arena_close(&arena);
}

/* A string of events: letters are calls. */
static void play(void *argument)
{
    struct arena arena;
    arena_init(&arena);
    struct value_builder builder;
    value_builder_init(&builder, &arena, NULL);
    struct feed *f = &builder.feed;
    for (const char *c = argument; *c != '\0'; c++) {
        switch (*c) {
        case '{': feed_begin_object(f); break;
        case '[': feed_begin_array(f); break;
        case '.': feed_end(f); break;
        case 'k': feed_key(f, STR("")); break;
        default: feed_int(f, 1); break;
        }
    }
    arena_close(&arena);
}

static void test_misuse_stops(void **state)
{
    (void)state;
    static const struct {
        const char *events;
        int code;
    } rows[] = {
        {"{kv.", 0}, {"[v{kv.v.", 0}, {"{v", 70}, {"{kk", 70}, {"{kvv", 70}, {"{k.", 70},
        {"[k", 70},  {"k", 70},       {".", 70},  {"vv", 70},  {"[.[", 70},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(exit_code_of(play, (void *)(uintptr_t)rows[i].events), rows[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_bulk_and_limits), cmocka_unit_test(test_copies_text),
        cmocka_unit_test(test_deep),       cmocka_unit_test(test_misuse_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
