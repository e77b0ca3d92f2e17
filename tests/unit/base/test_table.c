/* Table: against a linear scan over all keys added so far. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "base/table.h"

static uint32_t slow_find(const struct str *keys, uint32_t count, struct str key)
{
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i].len == key.len && memcmp(keys[i].data, key.data, key.len) == 0) {
            return i;
        }
    }
    return TABLE_NONE;
}

/* Short keys over a small alphabet with NUL, so that many are asked for again and many are prefixes of others. */
static struct str draw_key(struct rng *rng, char room[8])
{
    size_t len = (size_t)rng_between(rng, 0, 6);
    for (size_t i = 0; i < len; i++) {
        room[i] = "\0abc"[rng_between(rng, 0, 3)];
    }
    return (struct str){room, len};
}

static void test_against_scan(void **state)
{
    (void)state;
    static struct str keys[6000];
    struct rng rng;
    rng_init(&rng, 10, STR("test"));
    struct arena arena;
    arena_init(&arena);
    struct table table;
    table_init(&table, &arena);
    uint32_t count = 0;
    for (int step = 0; step < 8000; step++) {
        char room[8];
        struct str key = draw_key(&rng, room);
        uint32_t expected = slow_find(keys, count, key);
        assert_int_equal(table_find(&table, key), expected);
        if (rng_between(&rng, 0, 1) == 0) {
            if (expected == TABLE_NONE) {
                keys[count] = str_copy(&arena, key);
                expected = count++;
            }
            assert_int_equal(table_add(&table, key), expected);
            assert_int_equal(table_find(&table, key), expected);
        }
        memset(room, 'x', sizeof room); /* the table has its own copy */
        assert_int_equal(table.count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(table_find(&table, keys[i]), i);
        assert_int_equal(table_add(&table, keys[i]), i);
        assert_true(str_eq(table_key(&table, i), keys[i]));
    }
    arena_close(&arena);
}

static void test_empty(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct table table;
    table_init(&table, &arena);
    assert_int_equal(table_find(&table, STR("a")), TABLE_NONE);
    assert_int_equal(table_find(&table, (struct str){NULL, 0}), TABLE_NONE);
    assert_int_equal(table_add(&table, (struct str){NULL, 0}), 0);
    assert_int_equal(table_add(&table, STR("")), 0);
    assert_int_equal(table_add(&table, STR("a")), 1);
    assert_int_equal(table_find(&table, (struct str){NULL, 0}), 0);
    table_init(&table, &arena);
    arena_close(&arena);
}

static void test_many(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct table table;
    table_init(&table, &arena);
    for (uint32_t i = 0; i < 200000; i++) {
        assert_int_equal(table_add(&table, (struct str){(const char *)&i, sizeof i}), i);
    }
    for (uint32_t i = 0; i < 200000; i += 7) {
        assert_int_equal(table_find(&table, (struct str){(const char *)&i, sizeof i}), i);
    }
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_scan),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
