#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/value.h"
#include "support/script.h"
#include "tools/builtin.h"

static bool read_with(struct fixture *f, struct workspace *workspace, const struct value *arguments,
                      struct tool_result *result)
{
    struct tool_invocation call = {.arguments = arguments, .tree = worktree_new(&f->arena, workspace), .sizing = &f->sizing,
                                   .keep = &f->arena, .scratch = &f->arena};
    *result = (struct tool_result){.size = -1};
    return tool_read_file.run(tool_read_file.self, &call, result, &f->err);
}

static void a_body_is_returned_by_reference_and_measured(void **state)
{
    struct fixture *f = *state;
    struct workspace *w = fixture_workspace(f);
    workspace_add(w, STR("a"), (struct str){"h\xC3\xA9\0\xFF", 5});
    workspace_seal(w);
    struct tool_result result;
    for (int i = 0; i < 2; i++) {
        assert_true(read_with(f, w, one_argument(&f->arena, STR("path"), STR("a")), &result));
        assert_ptr_equal(result.content.data, workspace_find(w, STR("a"))->body.data);
        assert_int_equal(result.content.len, 5);
        assert_int_equal(result.size, 4);
        assert_false(result.failed);
    }
}

static void an_empty_file_is_no_failure(void **state)
{
    struct fixture *f = *state;
    struct workspace *w = fixture_workspace(f);
    workspace_add(w, STR("empty"), (struct str){0});
    workspace_seal(w);
    struct tool_result result;
    assert_true(read_with(f, w, one_argument(&f->arena, STR("path"), STR("empty")), &result));
    assert_int_equal(result.content.len, 0);
    assert_int_equal(result.size, 0);
    assert_false(result.failed);
}

static void what_cannot_be_read_is_an_error_to_read(void **state)
{
    struct fixture *f = *state;
    static const struct member number[] = {{{"path", 4}, {.kind = VALUE_INT, .integer = 1}}};
    static const struct value number_path = {.kind = VALUE_OBJECT, .count = 1, .members = number};
    const struct {
        const struct value *arguments;
        const char *text;
    } rows[] = {
        {NULL, "ERROR: no such file "}, /* a missing argument counts as the empty string */
        {one_argument(&f->arena, STR("path"), STR("")), "ERROR: no such file "},
        {one_argument(&f->arena, STR("file"), STR("README.md")), "ERROR: no such file "},
        {one_argument(&f->arena, STR("path"), STR("readme.md")), "ERROR: no such file readme.md"},
        {one_argument(&f->arena, STR("path"), STR("./README.md")), "ERROR: no such file ./README.md"},
        {one_argument(&f->arena, STR("path"), STR("src")), "ERROR: no such file src"},
        {&number_path, "ERROR: read_file: path must be a string"},
    };
    struct workspace *const workspaces[] = {fixture_demo(f), NULL};
    for (size_t w = 0; w < ARRAY_LEN(workspaces); w++) {
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            struct tool_result result;
            assert_true(read_with(f, workspaces[w], rows[i].arguments, &result));
            assert_str(result.content, str_of(rows[i].text));
            assert_true(result.failed);
            assert_int_equal(result.size, -1);
        }
    }
}

static bool no_disk(void *self, const struct workspace_file *file, struct arena *arena, struct str *body,
                    struct err *err)
{
    (void)self;
    (void)file;
    (void)arena;
    (void)body;
    return err_set(err, ERR_IO, "no disk");
}

static void a_disk_that_fails_is_no_event_of_the_simulation(void **state)
{
    struct fixture *f = *state;
    struct workspace *w = fixture_workspace(f);
    w->source = (struct workspace_source){no_disk, NULL};
    workspace_add_listed(w, STR("a"), 3);
    workspace_seal(w);
    struct tool_result result;
    assert_false(read_with(f, w, one_argument(&f->arena, STR("path"), STR("a")), &result));
    assert_int_equal(f->err.kind, ERR_IO);
    assert_string_equal(f->err.message, "no disk");
}

static void an_agent_reads_what_the_workspace_holds(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("read_file"), one_argument(&f->arena, STR("path"), STR("README.md")));
    script_call(script, STR("read_file"), one_argument(&f->arena, STR("path"), STR("gone")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("")));
    const struct tool *tools[] = {&tool_read_file};
    spec->tools = tools;
    spec->tool_count = 1;
    spec->workspace = fixture_demo(f);
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(record, 3), workspace_find(spec->workspace, STR("README.md"))->body);
    assert_int_equal(transcript_entry(&record->transcript, 3)->size, 733);
    assert_str(content_at(record, 4), STR("ERROR: no such file gone"));
    assert_int_equal(transcript_entry(&record->transcript, 4)->size, 24);
    assert_int_equal(transcript_entry(&record->transcript, 4)->flags, ENTRY_FAILED);
}

static void built_in_tools_are_found_by_name_and_stand_in_order(void **state)
{
    (void)state;
    assert_ptr_equal(builtin_find(STR("read_file")), &tool_read_file);
    assert_null(builtin_find(STR("read_fil")));
    assert_null(builtin_find(STR("task")));
    for (const struct tool *const *tool = builtin_tools; *tool; tool++) {
        assert_ptr_equal(builtin_find((*tool)->name), *tool);
        assert_true(tool == builtin_tools || str_cmp(tool[-1]->name, (*tool)->name) < 0);
        assert_int_equal((*tool)->name.len, strlen((*tool)->name.data)); /* lengths are written by hand */
        assert_int_equal((*tool)->description.len, strlen((*tool)->description.data));
    }
}

static void the_schema_is_whole(void **state)
{
    struct fixture *f = *state;
    struct strbuf out;
    strbuf_init(&out, &f->arena, 4096);
    value_canonical(tool_read_file.input_schema, &out);
    assert_str(strbuf_str(&out),
               STR("{\"properties\":{\"path\":{\"description\":\"The file's path, relative to the workspace.\","
                   "\"type\":\"string\"}},\"required\":[\"path\"],\"type\":\"object\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_body_is_returned_by_reference_and_measured),
        TEST(an_empty_file_is_no_failure),
        TEST(what_cannot_be_read_is_an_error_to_read),
        TEST(a_disk_that_fails_is_no_event_of_the_simulation),
        TEST(an_agent_reads_what_the_workspace_holds),
        TEST(built_in_tools_are_found_by_name_and_stand_in_order),
        TEST(the_schema_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
