#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/glob.h"
#include "support/tool_call.h"

static const struct file_row files[] = {
    {{"src/b.c", 7}, {"b", 1}},     {{"src/a.c", 7}, {"a", 1}},     {{"src/a.h", 7}, {"h", 1}},
    {{"src-x", 5}, {"x", 1}},       {{"README.md", 9}, {"r", 1}},   {{"src/deep/er/a.c", 15}, {"d", 1}},
    {{"\xC3\xA9.c", 4}, {"e", 1}}, {{"a\nb", 3}, {"line", 4}},
};

static const struct tool_row rows[] = {
    {SCHEMA_OBJECT(TXT("pattern", "*.c")), "src/a.c\nsrc/b.c\nsrc/deep/er/a.c\n\xC3\xA9.c"}, /* at any depth */
    {SCHEMA_OBJECT(TXT("pattern", "src/*.c")), "src/a.c\nsrc/b.c"},
    {SCHEMA_OBJECT(TXT("pattern", "src/**")), "src/a.c\nsrc/a.h\nsrc/b.c\nsrc/deep/er/a.c"},
    {SCHEMA_OBJECT(TXT("pattern", "**/a.{c,h}")), "src/a.c\nsrc/a.h\nsrc/deep/er/a.c"},
    {SCHEMA_OBJECT(TXT("pattern", "?.c")), "src/a.c\nsrc/b.c\nsrc/deep/er/a.c\n\xC3\xA9.c"},
    {SCHEMA_OBJECT(TXT("pattern", "src/[!a].c")), "src/b.c"},
    {SCHEMA_OBJECT(TXT("pattern", "a?b")), "a\nb"}, /* a path is shown as it is */
    {SCHEMA_OBJECT(TXT("pattern", "*.py")), "(no files)"},
    {SCHEMA_OBJECT(TXT("pattern", "")), "(no files)"},
    {SCHEMA_OBJECT(TXT("pattern", "../*")), "(no files)"},
    {SCHEMA_OBJECT(TXT("pattern", "/*")), "(no files)"},
    {SCHEMA_OBJECT(TXT("pattern", "a[b")), "ERROR: glob: pattern is a bad glob: pattern \"a[b\" has a '[' without ']'"},
    {SCHEMA_OBJECT(TXT("pattern", "a{b")), "ERROR: glob: pattern is a bad glob: pattern \"a{b\" has a '{' without '}'"},
    {SCHEMA_OBJECT(TXT("pattern", "a\\")), "ERROR: glob: pattern is a bad glob: pattern \"a\\\" ends in a backslash"},
    {SCHEMA_OBJECT(NUM("pattern", 3)), "ERROR: glob: pattern must be a string, but is an integer"},
    {SCHEMA_OBJECT(TXT("path", "src"), TXT("pattern", "*")), "ERROR: glob: path is not a known field"},
    {NO_ARGUMENTS, "ERROR: glob: pattern is missing"},
};

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    assert_tool_rows(f, tree_of(f, files, ARRAY_LEN(files)), &tool_glob, rows, ARRAY_LEN(rows));
}

static const struct value all = SCHEMA_OBJECT(TXT("pattern", "**"));

static void files_are_listed_as_they_are_now(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, 2);
    worktree_write(tree, STR("src/aa.c"), STR(""), &tool_call_record);
    assert_str(tool_call(f, tree, &tool_glob, &all).content, STR("src/a.c\nsrc/aa.c\nsrc/b.c"));
    worktree_remove(tree, STR("src/a.c"), &tool_call_record);
    assert_str(tool_call(f, tree, &tool_glob, &all).content, STR("src/aa.c\nsrc/b.c"));
    assert_str(tool_call(f, worktree_new(&f->arena, NULL), &tool_glob, &all).content, STR("(no files)"));
}

static void a_pattern_that_is_too_long_is_a_bad_one(void **state)
{
    struct fixture *f = *state;
    char *text = arena_bytes(&f->arena, 1025);
    memset(text, 'a', 1025);
    for (size_t length = 1024; length <= 1025; length++) {
        const struct file_row pair = {STR("pattern"), {text, length}};
        struct tool_result result =
            tool_call(f, worktree_new(&f->arena, NULL), &tool_glob, text_arguments(&f->arena, &pair, 1));
        assert_int_equal(result.failed, length > 1024);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_call_has_its_result),
        TEST(files_are_listed_as_they_are_now),
        TEST(a_pattern_that_is_too_long_is_a_bad_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
