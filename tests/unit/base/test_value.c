/* Values: paths with fallbacks, telling, and the canonical form. */
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

#define TEXT(literal) {.kind = VALUE_STRING, .string = {literal, sizeof(literal) - 1}}
#define INT(number) {.kind = VALUE_INT, .integer = (number)}
#define KEY(literal) {literal, sizeof(literal) - 1}

static const struct value items[] = {INT(10), {.kind = VALUE_REAL, .real = 0.5}, TEXT("third")};
static const struct member inner[] = {
    {KEY("list"), {.kind = VALUE_ARRAY, .count = 3, .items = items}},
    {KEY("on"), {.kind = VALUE_BOOL, .boolean = true}},
    {KEY(""), INT(7)},
};
static const struct member outer[] = {
    {KEY("z"), INT(INT64_MAX)},
    {KEY("a"), {.kind = VALUE_OBJECT, .count = 3, .members = inner}},
    {KEY("none"), {.kind = VALUE_NULL}},
    {KEY("1"), INT(1)},
};
static const struct value document = {.kind = VALUE_OBJECT, .count = 4, .members = outer};

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const struct value *expected;
    } rows[] = {
        {"z", &outer[0].value},
        {"a.list", &inner[0].value},
        {"a.list.1", &items[0]},
        {"a.list.3", &items[2]},
        {"a.list.03", &items[2]},
        {"a.list.0", NULL},                    /* positions count from 1 */
        {"a.list.4", NULL},
        {"a.list.18446744073709551617", NULL}, /* 2^64 + 1 is not 1 */
        {"a.list.x", NULL},
        {"a.list.", NULL},
        {"a.", &inner[2].value},               /* the empty key */
        {"1", &outer[3].value},                /* a key of digits in an object */
        {"none.x", NULL},
        {"z.x", NULL},
        {"missing.x.y", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_ptr_equal(value_path(&document, rows[i].path), rows[i].expected);
    }
    assert_null(value_path(NULL, "z"));
    assert_null(value_find(NULL, STR("z")));
    assert_null(value_find(&items[0], STR("z")));
}

static void test_fallbacks(void **state)
{
    (void)state;
    assert_true(value_int_at(&document, "z", -1) == INT64_MAX);
    assert_true(value_int_at(&document, "a.list.2", -1) == -1); /* a real is no integer */
    assert_true(value_int_at(&document, "nowhere", -1) == -1);
    assert_true(value_real_at(&document, "a.list.2", -1) == 0.5);
    assert_true(value_real_at(&document, "a.list.1", -1) == 10.0); /* but an integer is a real */
    assert_true(value_real_at(&document, "a.on", -1) == -1);
    assert_true(str_eq(value_str_at(&document, "a.list.3", STR("no")), STR("third")));
    assert_true(str_eq(value_str_at(&document, "z", STR("no")), STR("no")));
    assert_true(value_bool_at(&document, "a.on", false));
    assert_true(value_bool_at(&document, "z", true));
}

static void assert_canonical(const struct value *value, const char *expected)
{
    struct arena arena;
    arena_init(&arena);
    struct strbuf buf;
    strbuf_init(&buf, &arena, 1000000);
    value_canonical(value, &buf);
    strbuf_addc(&buf, '\0');
    assert_string_equal(buf.data, expected);
    arena_close(&arena);
}

static void test_canonical(void **state)
{
    (void)state;
    assert_canonical(&document, "{\"1\":1,\"a\":{\"\":7,\"list\":[10,0.5,\"third\"],\"on\":true},\"none\":null,"
                                "\"z\":9223372036854775807}");
    static const struct member astral[] = {
        {KEY("\xF0\x90\x80\x80"), INT(3)}, /* U+10000 */
        {KEY("\xEF\xBF\xBF"), INT(2)},     /* U+FFFF: before U+10000 by code point, after it in UTF-16 */
        {KEY("b\xFF"), INT(1)},
        {KEY("same"), INT(1)},
        {KEY("same"), INT(2)},             /* equal keys keep their order */
        {KEY("a\n"), {.kind = VALUE_REAL, .real = 3.0}},
    };
    const struct value object = {.kind = VALUE_OBJECT, .count = ARRAY_LEN(astral), .members = astral};
    assert_canonical(&object, "{\"a\\n\":3,\"b\xEF\xBF\xBD\":1,\"same\":1,\"same\":2,\"\xEF\xBF\xBF\":2,"
                              "\"\xF0\x90\x80\x80\":3}");
    const struct value empty_object = {.kind = VALUE_OBJECT}, empty_array = {.kind = VALUE_ARRAY};
    assert_canonical(&empty_object, "{}");
    assert_canonical(&empty_array, "[]");
}

/* Law: the canonical form does not depend on the order of members. */
static void test_canonical_ignores_order(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 14, STR("test"));
    char names[200][8];
    struct member members[200];
    char expected[4000];
    size_t len = 0;
    for (int i = 0; i < 200; i++) {
        snprintf(names[i], sizeof names[i], "k%03d", i);
        members[i] = (struct member){str_of(names[i]), INT(i)};
        len += (size_t)sprintf(expected + len, "%c\"k%03d\":%d", i == 0 ? '{' : ',', i, i);
    }
    strcpy(expected + len, "}");
    for (int round = 0; round < 20; round++) {
        for (int64_t i = 199; i > 0; i--) {
            int64_t other = rng_between(&rng, 0, i);
            struct member swapped = members[i];
            members[i] = members[other];
            members[other] = swapped;
        }
        const struct value object = {.kind = VALUE_OBJECT, .count = 200, .members = members};
        assert_canonical(&object, expected);
    }
}

/* A value told to the writer keeps its order. */
static void test_tell_counts(void **state)
{
    (void)state;
    struct sink sink;
    struct json_writer writer;
    sink_open(&sink, -1);
    json_writer_init(&writer, &sink);
    value_tell(&document, &writer.feed);
    static const char expected[] = "{\"z\":9223372036854775807,\"a\":{\"list\":[10,0.5,\"third\"],\"on\":true,\"\":7},"
                                   "\"none\":null,\"1\":1}";
    assert_true(sink.written == (int64_t)sizeof expected - 1);
    assert_true(sink_close(&sink));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),     cmocka_unit_test(test_fallbacks),
        cmocka_unit_test(test_canonical), cmocka_unit_test(test_canonical_ignores_order),
        cmocka_unit_test(test_tell_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
