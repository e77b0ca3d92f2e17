/* The report as JSON, and traces as JSON Lines: what is told is what is written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/lines.h"
#include "support/demo_report.h"
#include "support/rendered.h"
#include "support/tell_json.h"

/* The demo is written down in the report's own form, so it comes back byte for byte, with a line feed. */
static void test_demo(void **state)
{
    (void)state;
    struct arena arena;
    struct value_builder builder;
    struct render_style style = {.columns = 80, .reproduce = STR("not for programs")};
    char json[16384];
    arena_init(&arena);
    demo_report_json(json);
    value_builder_init(&builder, &arena, NULL);
    tell_json(json, &builder.feed);
    struct str text = rendered(&arena, "json", &builder.result, &style);
    assert_int_equal(text.len, strlen(json) + 1);
    assert_memory_equal(text.data, json, text.len - 1);
    assert_int_equal(text.data[text.len - 1], '\n');
    arena_close(&arena);
}

static void test_unfinished(void **state)
{
    (void)state;
    struct arena arena;
    struct sink sink;
    struct err err = {0};
    struct render_style style = {.columns = 80};
    arena_init(&arena);
    sink_open(&sink, -1);
    struct rendering *rendering = render_find(STR("json"))->begin(&arena, &sink, &style);
    feed_begin_object(rendering->listen);
    assert_false(rendering->finish(rendering, &err));
    assert_int_equal(err.kind, ERR_INTERNAL);
    assert_true(sink_close(&sink));
    arena_close(&arena);
}

static void test_lines(void **state)
{
    (void)state;
    static const char *const documents[] = {"{\"a\":[1,2,[]],\"b\":{\"c\":null}}", "[]", "7", "\"x\\ny\"", "true",
                                            "0.5", "null", "{}"};
    struct arena arena;
    struct sink sink;
    struct lines lines;
    int fd = memfd_create("lines", MFD_CLOEXEC);
    arena_init(&arena);
    sink_open(&sink, fd);
    lines_init(&lines, &sink);
    struct strbuf want;
    strbuf_init(&want, &arena, 4096);
    for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
        tell_json(documents[i], &lines.feed);
        strbuf_add(&want, str_of(documents[i]));
        strbuf_addc(&want, '\n');
    }
    feed_begin_array(&lines.feed);
    feed_ints(&lines.feed, (const int64_t[]){1, 2, 3}, 3);
    feed_end(&lines.feed);
    strbuf_add(&want, STR("[1,2,3]\n"));
    assert_true(sink_close(&sink));
    assert_true(str_eq(rendered_bytes(&arena, fd), strbuf_str(&want)));
    close(fd);
    arena_close(&arena);
}

static void test_find(void **state)
{
    (void)state;
    assert_ptr_equal(render_find(STR("text")), renderers[0]);
    assert_non_null(render_find(STR("json")));
    assert_null(render_find(STR("jso")));
    assert_null(render_find(STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demo),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
