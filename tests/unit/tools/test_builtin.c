#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/schema.h"
#include "support/tool_call.h"

static void tools_are_found_by_name_and_stand_in_order(void **state)
{
    (void)state;
    size_t count = 0;
    for (const struct tool *const *tool = builtin_tools; *tool; tool++, count++) {
        assert_ptr_equal(builtin_find((*tool)->name), *tool);
        assert_true(tool == builtin_tools || str_cmp(tool[-1]->name, (*tool)->name) < 0);
        assert_int_equal((*tool)->name.len, strlen((*tool)->name.data)); /* lengths are written by hand */
        assert_int_equal((*tool)->description.len, strlen((*tool)->description.data));
        assert_int_equal((*tool)->latency_us, -1);
    }
    assert_int_equal(count, 7);
    assert_null(builtin_find(STR("read_fil")));
    assert_null(builtin_find(STR("task"))); /* the engine's */
    assert_null(builtin_find(STR("")));
}

static void assert_members_in_order(const struct value *value)
{
    for (size_t i = 0; value->kind == VALUE_OBJECT && i < value->count; i++) {
        assert_true(i == 0 || str_cmp(value->members[i - 1].key, value->members[i].key) < 0);
        assert_members_in_order(&value->members[i].value);
    }
    for (size_t i = 0; value->kind == VALUE_ARRAY && i < value->count; i++)
        assert_members_in_order(&value->items[i]);
}

static void every_schema_is_good_and_describes_itself(void **state)
{
    struct fixture *f = *state;
    for (const struct tool *const *tool = builtin_tools; *tool; tool++) {
        if (!schema_compile(&f->arena, (*tool)->input_schema, &f->err))
            fail_msg("%s: %s", (*tool)->name.data, f->err.message);
        assert_members_in_order((*tool)->input_schema);
        const struct value *properties = value_find((*tool)->input_schema, STR("properties"));
        for (size_t i = 0; i < properties->count; i++)
            assert_non_null(value_find(&properties->members[i].value, STR("description")));
    }
}

/* What a model is shown: a change of it changes the size of transcripts. */
static void schemas_are_what_goldens_count(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const struct tool *tool;
        const char *properties;
    } rows[] = {
        {&tool_bash, "{\"command\":{\"description\":\"The command to run.\",\"type\":\"string\"},"
                     "\"timeout_ms\":{\"description\":\"Stop it after so many milliseconds.\",\"maximum\":86400000,"
                     "\"minimum\":1,\"type\":\"integer\"}}"},
        {&tool_glob, "{\"pattern\":{\"description\":\"Paths to list: * and ? within a part, ** for any parts, [a-z], "
                     "{a,b}. Without / it matches file names at any depth.\",\"type\":\"string\"}}"},
        {&tool_read_file, "{\"limit\":{\"description\":\"How many lines to read. All by default.\",\"minimum\":1,"
                          "\"type\":\"integer\"},\"offset\":{\"description\":\"The first line to read, from 1.\","
                          "\"minimum\":1,\"type\":\"integer\"},\"path\":{\"description\":\"The file's path, relative "
                          "to the workspace.\",\"type\":\"string\"}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct strbuf out;
        strbuf_init(&out, &f->arena, 4096);
        value_canonical(value_find(rows[i].tool->input_schema, STR("properties")), &out);
        assert_str(strbuf_str(&out), str_of(rows[i].properties));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tools_are_found_by_name_and_stand_in_order),
        TEST(every_schema_is_good_and_describes_itself),
        TEST(schemas_are_what_goldens_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
