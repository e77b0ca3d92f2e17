/* Sparkline: heights on one scale, and no peak lost. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/value.h"
#include "report/sparkline.h"

#define MARK_BYTES 3
#define ITEMS_MAX 200

static struct value series(struct value items[ITEMS_MAX], const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct value){.kind = VALUE_INT, .integer = numbers[i]};
    }
    return (struct value){.kind = VALUE_ARRAY, .count = count, .items = items};
}

struct row {
    const char *why;
    int64_t numbers[8];
    size_t count;
    int64_t max;
    size_t columns;
    const char *want;
};

static const struct row rows[] = {
    {"an eighth each", {1, 2, 3, 4, 5, 6, 7, 8}, 8, 8, 20, "▁▂▃▄▅▆▇█"},
    {"just above an eighth", {101, 100}, 2, 800, 20, "▂▁"},
    {"zero and less are the lowest", {0, -5, 8}, 3, 8, 20, "▁▁█"},
    {"all zero", {0, 0}, 2, 0, 20, "▁▁"},
    {"the largest of two", {1, 8, 8, 1, 1, 1}, 6, 8, 3, "██▁"},
    {"the remainder goes to the first marks", {1, 2, 8, 1, 1}, 5, 8, 2, "█▁"},
    {"no columns", {1}, 1, 8, 0, ""},
    {"no turns", {0}, 0, 8, 20, ""},
    {"no overflow", {INT64_MAX, INT64_MAX / 2}, 2, INT64_MAX, 20, "█▄"},
    {"above the maximum stays the highest", {9}, 1, 8, 20, "█"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct strbuf out;
        struct value items[ITEMS_MAX];
        arena_init(&arena);
        strbuf_init(&out, &arena, 4096);
        struct value list = series(items, rows[i].numbers, rows[i].count);
        sparkline_draw(&out, &list, rows[i].max, rows[i].columns);
        if (!str_eq(strbuf_str(&out), str_of(rows[i].want))) {
            fail_msg("%s: '%.*s' is not '%s'", rows[i].why, (int)out.len, out.data, rows[i].want);
        }
        arena_close(&arena);
    }
}

/* One tall turn among many low ones is seen wherever it stands and however narrow the row is. */
static void test_peak_survives(void **state)
{
    (void)state;
    struct value items[ITEMS_MAX];
    int64_t numbers[ITEMS_MAX];
    for (size_t columns = 1; columns < 40; columns += 6) {
        for (size_t peak = 0; peak < ITEMS_MAX; peak++) {
            struct arena arena;
            struct strbuf out;
            arena_init(&arena);
            strbuf_init(&out, &arena, 4096);
            for (size_t i = 0; i < ITEMS_MAX; i++) {
                numbers[i] = i == peak ? 1000 : 1;
            }
            struct value list = series(items, numbers, ITEMS_MAX);
            sparkline_draw(&out, &list, sparkline_max(&list, 0), columns);
            assert_int_equal(out.len, columns * MARK_BYTES);
            assert_non_null(memmem(out.data, out.len, "█", MARK_BYTES));
            arena_close(&arena);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_peak_survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
