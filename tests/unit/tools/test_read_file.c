#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/value.h"
#include "support/script.h"
#include "support/tool_call.h"

static bool read_with(struct fixture *f, struct workspace *workspace, const struct value *arguments,
                      struct tool_result *result)
{
    struct tool_invocation call = {.arguments = arguments, .tree = worktree_new(&f->arena, workspace),
                                   .sizing = &f->sizing, .keep = &f->arena, .scratch = &f->arena};
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
        {one_argument(&f->arena, STR("path"), STR("./readme.md")), "ERROR: no such file ./readme.md"},
        {one_argument(&f->arena, STR("path"), STR("/README.md")), "ERROR: no such file /README.md"},
        {one_argument(&f->arena, STR("path"), STR("README.md/")), "ERROR: no such file README.md/"},
        {one_argument(&f->arena, STR("path"), STR("../README.md")), "ERROR: no such file ../README.md"},
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

static const struct file_row files[] = {
    {{"a", 1}, {"one\ntwo\n\nfour", 13}},
    {{"ends", 4}, {"one\ntwo\n", 8}},
    {{"empty", 5}, {"", 0}},
    {{"./odd", 5}, {"literally", 9}},
    {{"odd", 3}, {"plain", 5}},
    {{"/abs", 4}, {"absolute", 8}},
    {{"x//y", 4}, {"empty part", 10}},
};

static const struct tool_row rows[] = {
    {SCHEMA_OBJECT(TXT("path", "a")), "one\ntwo\n\nfour"},
    {SCHEMA_OBJECT(NUM("offset", 1), TXT("path", "a")), "one\ntwo\n\nfour"},
    {SCHEMA_OBJECT(NUM("offset", 2), TXT("path", "a")), "two\n\nfour"},
    {SCHEMA_OBJECT(NUM("limit", 1), TXT("path", "a")), "one\n"},
    {SCHEMA_OBJECT(NUM("limit", 2), NUM("offset", 2), TXT("path", "a")), "two\n\n"}, /* an empty line is one */
    {SCHEMA_OBJECT(NUM("limit", 9), NUM("offset", 4), TXT("path", "a")), "four"},
    {SCHEMA_OBJECT(NUM("offset", 5), TXT("path", "a")), ""}, /* beyond the end */
    {SCHEMA_OBJECT(NUM("offset", 3), TXT("path", "ends")), ""}, /* nothing comes after the last line feed */
    {SCHEMA_OBJECT(NUM("limit", INT64_MAX), NUM("offset", INT64_MAX), TXT("path", "a")), ""},
    {SCHEMA_OBJECT({{"offset", 6}, {.kind = VALUE_REAL, .real = 4.0}}, TXT("path", "a")), "four"},
    {SCHEMA_OBJECT({{"limit", 5}, {.kind = VALUE_REAL, .real = 1e300}}, TXT("path", "ends")), "one\ntwo\n"},
    {SCHEMA_OBJECT(NUM("offset", 1), TXT("path", "empty")), ""},
    {SCHEMA_OBJECT(TXT("path", "./odd")), "literally"}, /* a key that is not normal comes first */
    {SCHEMA_OBJECT(TXT("path", "././odd")), "plain"},
    {SCHEMA_OBJECT(TXT("path", "b/../odd")), "plain"},
    {SCHEMA_OBJECT(NUM("limit", 1), TXT("path", "./ends")), "one\n"},
    {SCHEMA_OBJECT(TXT("path", "/abs")), "absolute"},
    {SCHEMA_OBJECT(TXT("path", "x//y")), "empty part"},
    {SCHEMA_OBJECT(TXT("path", "x/./y")), "ERROR: no such file x/./y"},
    {SCHEMA_OBJECT(NUM("offset", 2)), "ERROR: no such file "}, /* a missing path is an empty one here too */
    {SCHEMA_OBJECT(NUM("offset", 0), TXT("path", "gone")), "ERROR: no such file gone"},
    {SCHEMA_OBJECT(NUM("offset", 0), TXT("path", "a")), "ERROR: read_file: offset is 0, must be at least 1"},
    {SCHEMA_OBJECT(NUM("limit", 0), TXT("path", "a")), "ERROR: read_file: limit is 0, must be at least 1"},
    {SCHEMA_OBJECT(TXT("offset", "2"), TXT("path", "a")),
     "ERROR: read_file: offset must be an integer, but is a string"},
    {SCHEMA_OBJECT({{"limit", 5}, {.kind = VALUE_REAL, .real = 1.5}}, TXT("path", "a")),
     "ERROR: read_file: limit must be an integer, but is a number"},
    {SCHEMA_OBJECT(NUM("line", 2), TXT("path", "a")), "ERROR: read_file: line is not a known field"},
};

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    assert_tool_rows(f, tree_of(f, files, ARRAY_LEN(files)), &tool_read_file, rows, ARRAY_LEN(rows));
}

static void nothing_is_read_outside(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, 3);
    for (size_t i = 0; i < ARRAY_LEN(bad_paths); i++) {
        const struct file_row pair = {STR("path"), bad_paths[i]};
        struct tool_result result = tool_call(f, tree, &tool_read_file, text_arguments(&f->arena, &pair, 1));
        assert_true(result.failed);
        assert_true(str_starts(result.content, STR("ERROR: no such file ")));
    }
}

/* Whatever the size of the pieces, they are the body, and they are parts of it and no copies. */
static void pieces_make_the_body(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 3, STR("pieces"));
    for (int i = 0; i < 300; i++) {
        fixture_renew(f);
        struct strbuf body, pieces;
        strbuf_init(&body, &f->arena, 4096);
        for (int64_t left = rng_between(&rng, 0, 30); left > 0; left--)
            strbuf_addc(&body, "a\n\0"[rng_between(&rng, 0, 2)]);
        struct file_row file = {STR("f"), strbuf_str(&body)};
        struct worktree *tree = tree_of(f, &file, 1);
        int64_t limit = rng_between(&rng, 1, 5);
        strbuf_init(&pieces, &f->arena, 4096);
        for (int64_t offset = 1; offset < 40; offset += limit) {
            struct member members[] = {{STR("path"), {.kind = VALUE_STRING, .string = STR("f")}},
                                       {STR("offset"), {.kind = VALUE_INT, .integer = offset}},
                                       {STR("limit"), {.kind = VALUE_INT, .integer = limit}}};
            struct value arguments = {.kind = VALUE_OBJECT, .count = 3, .members = members};
            struct str piece = tool_call(f, tree, &tool_read_file, &arguments).content;
            assert_true(piece.len == 0 || (uintptr_t)piece.data - (uintptr_t)file.body.data < file.body.len);
            strbuf_add(&pieces, piece);
        }
        assert_str(strbuf_str(&pieces), file.body);
    }
}

static const struct value path_a = SCHEMA_OBJECT(TXT("path", "a"));

static void what_a_tool_wrote_is_read(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, ARRAY_LEN(files));
    worktree_write(tree, STR("a"), STR("h\xC3\xA9"), &tool_call_record);
    struct tool_result result = tool_call(f, tree, &tool_read_file, &path_a);
    assert_str(result.content, STR("h\xC3\xA9"));
    assert_int_equal(result.size, 2);
    worktree_remove(tree, STR("a"), &tool_call_record);
    assert_str(tool_call(f, tree, &tool_read_file, &path_a).content, STR("ERROR: no such file a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_body_is_returned_by_reference_and_measured),
        TEST(an_empty_file_is_no_failure),
        TEST(what_cannot_be_read_is_an_error_to_read),
        TEST(a_disk_that_fails_is_no_event_of_the_simulation),
        TEST(an_agent_reads_what_the_workspace_holds),
        TEST(each_call_has_its_result),
        TEST(nothing_is_read_outside),
        TEST(pieces_make_the_body),
        TEST(what_a_tool_wrote_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
