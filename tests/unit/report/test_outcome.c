/* Outcomes: JUnit and TAP as their readers need them, whatever the strings hold. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/spool.h"
#include "report/outcome.h"

static int set_up(void **state)
{
    struct arena *arena = malloc(sizeof *arena);
    assert_non_null(arena);
    arena_init(arena);
    *state = arena;
    return 0;
}

static int tear_down(void **state)
{
    arena_close(*state);
    free(*state);
    return 0;
}

static struct str written(struct arena *arena, const struct outcome_format *format, const struct outcome *items,
                          size_t count)
{
    struct spool spool;
    struct str text = {0};
    struct err err = {0};
    assert_true(spool_open(&spool, &err));
    format->write(arena, spool_sink(&spool), items, count);
    assert_true(spool_read(&spool, arena, 1 << 20, &text, &err));
    spool_close(&spool);
    return text;
}

static void assert_text(struct str text, const char *wanted)
{
    if (!str_eq(text, str_of(wanted))) {
        print_error("wanted\n%s\ngot\n", wanted);
        print_error("%.*s\n", STR_ARG(text));
        fail();
    }
}

static const struct outcome items[] = {
    {.kind = OUTCOME_PASSED, .group = {"a.lua", 5}, .name = {"a.lua", 5}},
    {.kind = OUTCOME_FAILED, .group = {"a.lua", 5}, .name = {"a.lua (b)", 9}, .message = {"x < \"y\" & z", 11},
     .details = {"one\n\n  two", 10}},
    {.kind = OUTCOME_ERROR, .group = {"c#.lua", 6}, .name = {"c#.lua", 6}, .message = {"no\n]]>", 6},
     .notes = {"\x1b[2J\0\xff\xef\xbf\xbf\n", 10}},
};

static void junit(void **state)
{
    assert_text(written(*state, &outcome_junit, items, 3),
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuites name=\"simagent\" tests=\"3\" failures=\"1\" errors=\"1\">\n"
                "  <testsuite name=\"simagent\" tests=\"3\" failures=\"1\" errors=\"1\">\n"
                "    <testcase classname=\"a.lua\" name=\"a.lua\"/>\n"
                "    <testcase classname=\"a.lua\" name=\"a.lua (b)\">\n"
                "      <failure message=\"x &lt; &quot;y&quot; &amp; z\">one\n\n  two</failure>\n"
                "    </testcase>\n"
                "    <testcase classname=\"c#.lua\" name=\"c#.lua\">\n"
                "      <error message=\"no&#10;]]&gt;\"></error>\n"
                "      <system-err>\\x1B[2J\\x00\\xFF\\u{FFFF}\n</system-err>\n"
                "    </testcase>\n"
                "  </testsuite>\n"
                "</testsuites>\n");
}

static void tap(void **state)
{
    assert_text(written(*state, &outcome_tap, items, 3),
                "TAP version 13\n"
                "1..3\n"
                "ok 1 - a.lua\n"
                "not ok 2 - a.lua (b)\n"
                "  ---\n"
                "  message: \"x < \\\"y\\\" & z\"\n"
                "  severity: fail\n"
                "  file: \"a.lua\"\n"
                "  details: |2\n"
                "    one\n"
                "\n"
                "      two\n"
                "  ...\n"
                "not ok 3 - c\\#.lua\n"
                "  ---\n"
                "  message: \"no\\\\n]]>\"\n"
                "  severity: error\n"
                "  file: \"c#.lua\"\n"
                "  stderr: |2\n"
                "    \\x1B[2J\\x00\\xFF\xef\xbf\xbf\n"
                "  ...\n");
}

static void nothing(void **state)
{
    assert_text(written(*state, &outcome_tap, items, 0), "TAP version 13\n1..0\n");
    assert_text(written(*state, &outcome_junit, items, 0),
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuites name=\"simagent\" tests=\"0\" failures=\"0\" errors=\"0\">\n"
                "  <testsuite name=\"simagent\" tests=\"0\" failures=\"0\" errors=\"0\">\n"
                "  </testsuite>\n"
                "</testsuites>\n");
}

static void formats_have_names(void **state)
{
    (void)state;
    assert_ptr_equal(outcome_format_find(STR("junit")), &outcome_junit);
    assert_ptr_equal(outcome_format_find(STR("tap")), &outcome_tap);
    assert_null(outcome_format_find(STR("")));
    assert_null(outcome_format_find(STR("junit2")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(junit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing, set_up, tear_down),
        cmocka_unit_test(formats_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
