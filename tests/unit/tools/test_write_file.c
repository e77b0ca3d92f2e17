#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "support/tool_call.h"

static const struct tool_row rows[] = {
    {SCHEMA_OBJECT(TXT("content", "one\n"), TXT("path", "a")), "Wrote 4 bytes to a"},
    {SCHEMA_OBJECT(TXT("content", ""), TXT("path", "deep/er/b")), "Wrote 0 bytes to deep/er/b"}, /* it is there */
    {SCHEMA_OBJECT(TXT("content", "h\xC3\xA9\0\xFF"), TXT("path", "c")), "Wrote 5 bytes to c"}, /* bytes, not letters */
    {SCHEMA_OBJECT(TXT("content", "two"), TXT("path", "./deep/../d")), "Wrote 3 bytes to ./deep/../d"},
    {SCHEMA_OBJECT(TXT("content", "x"), TXT("path", "/a")), "ERROR: bad path /a"},
    {SCHEMA_OBJECT(TXT("content", "x"), TXT("path", "../a")), "ERROR: bad path ../a"},
    {SCHEMA_OBJECT(TXT("content", "x"), TXT("path", "")), "ERROR: bad path "},
    {SCHEMA_OBJECT(TXT("path", "a")), "ERROR: write_file: content is missing"},
    {SCHEMA_OBJECT(TXT("content", "x")), "ERROR: write_file: path is missing"},
    {SCHEMA_OBJECT(NUM("content", 1), TXT("path", "a")),
     "ERROR: write_file: content must be a string, but is an integer"},
    {SCHEMA_OBJECT(TXT("body", "x"), TXT("content", "x"), TXT("path", "a")),
     "ERROR: write_file: body is not a known field"},
    {NO_ARGUMENTS, "ERROR: write_file: content is missing"},
};

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, NULL);
    assert_tool_rows(f, tree, &tool_write_file, rows, ARRAY_LEN(rows));
    assert_str(tool_body(f, tree, STR("a")), STR("one\n"));
    assert_str(tool_body(f, tree, STR("deep/er/b")), STR(""));
    assert_str(tool_body(f, tree, STR("c")), STR("h\xC3\xA9\0\xFF"));
    assert_str(tool_body(f, tree, STR("d")), STR("two"));
    uint32_t count;
    worktree_list(tree, &count);
    assert_int_equal(count, 4); /* what failed has written nothing */
    assert_int_equal(tree->step, 4);
    struct change *changes = worktree_changes(tree, &tool_call_record, &f->arena, &count);
    assert_int_equal(count, 4);
    assert_int_equal(changes[0].bytes_before, -1);
    assert_int_equal(changes[0].bytes_after, 4);
}

static void nothing_is_written_outside(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, NULL);
    for (size_t i = 0; i < ARRAY_LEN(bad_paths); i++) {
        const struct file_row pairs[] = {{STR("path"), bad_paths[i]}, {STR("content"), STR("x")}};
        struct tool_result result = tool_call(f, tree, &tool_write_file, text_arguments(&f->arena, pairs, 2));
        assert_true(result.failed);
        assert_true(str_starts(result.content, STR("ERROR: bad path ")));
        assert_str(str_slice(result.content, 16, result.content.len), bad_paths[i]);
    }
    assert_int_equal(tree->step, 0);
}

static void a_long_path_is_as_long_as_4096_bytes(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, NULL);
    char *name = arena_bytes(&f->arena, 4097);
    memset(name, 'n', 4097);
    for (size_t length = 4095; length <= 4097; length++) {
        const struct file_row pairs[] = {{STR("path"), {name, length}}, {STR("content"), STR("x")}};
        struct tool_result result = tool_call(f, tree, &tool_write_file, text_arguments(&f->arena, pairs, 2));
        assert_int_equal(result.failed, length > 4096);
    }
}

/* Whatever the spelling, also where the workspace has keys that are not normal. */
static void what_was_written_is_read_under_the_same_spelling(void **state)
{
    struct fixture *f = *state;
    static const char *const parts[] = {"a", "b", ".", "..", "a.", " ", "\xEF\xBC\x8F", "\xE2\x80\xA5", "A"};
    static const struct file_row odd[] = {
        {{"./a", 3}, {"odd", 3}}, {{"a/../b", 6}, {"odd", 3}}, {{"/a", 2}, {"odd", 3}}};
    struct worktree *tree = tree_of(f, odd, ARRAY_LEN(odd));
    struct rng rng;
    rng_init(&rng, 1, STR("spellings"));
    uint32_t written = 0;
    for (int i = 0; i < 2000; i++) {
        struct strbuf path;
        strbuf_init(&path, &f->arena, 4096);
        for (int64_t left = rng_between(&rng, 1, 4); left > 0; left--)
            strbuf_addf(&path, "%s%s", path.len ? "/" : "", parts[rng_between(&rng, 0, ARRAY_LEN(parts) - 1)]);
        struct str body = str_printf(&f->arena, "%d", i);
        const struct file_row pairs[] = {{STR("path"), strbuf_str(&path)}, {STR("content"), body}};
        if (tool_call(f, tree, &tool_write_file, text_arguments(&f->arena, pairs, 2)).failed)
            continue;
        written++;
        struct tool_result read = tool_call(f, tree, &tool_read_file, text_arguments(&f->arena, pairs, 1));
        assert_str(read.content, body);
    }
    assert_true(written > 500 && written < 1900);
    assert_str(tool_body(f, tree, STR("/a")), STR("odd"));
}

static void what_was_written_does_not_hang_on_the_arguments(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, NULL);
    char path[] = "path", body[] = "body";
    const struct file_row pairs[] = {{STR("path"), {path, 4}}, {STR("content"), {body, 4}}};
    struct tool_result result = tool_call(f, tree, &tool_write_file, text_arguments(&f->arena, pairs, 2));
    path[0] = body[0] = '?';
    assert_str(tool_body(f, tree, STR("path")), STR("body"));
    assert_str(result.content, STR("Wrote 4 bytes to path"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_call_has_its_result),
        TEST(nothing_is_written_outside),
        TEST(a_long_path_is_as_long_as_4096_bytes),
        TEST(what_was_written_is_read_under_the_same_spelling),
        TEST(what_was_written_does_not_hang_on_the_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
