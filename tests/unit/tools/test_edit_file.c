#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "support/tool_call.h"

static const struct file_row files[] = {
    {{"a", 1}, {"one two one\n", 12}},
    {{"aaaa", 4}, {"aaaaa", 5}},
    {{"./odd", 5}, {"odd one", 7}},
    {{"odd", 3}, {"plain one", 9}},
    {{"/abs", 4}, {"one", 3}},
    {{"nul", 3}, {"\0one\0one", 8}},
    {{"empty", 5}, {"", 0}},
};

#define EDIT(path, from, to) SCHEMA_OBJECT(TXT("new_text", to), TXT("old_text", from), TXT("path", path))
#define EDIT_ALL(path, from, to)                                                                                       \
    SCHEMA_OBJECT(TXT("new_text", to), TXT("old_text", from), TXT("path", path), YES("replace_all"))

static const struct tool_row rows[] = {
    {EDIT("a", "one", "1"), "Edited a (1)"},                      /* the first place alone */
    {EDIT("a", "three", "3"), "ERROR: text not found in a"},
    {EDIT("a", "one two", ""), "ERROR: text not found in a"},     /* it is gone */
    {EDIT_ALL("aaaa", "aa", "b"), "Edited aaaa (2)"},             /* places do not overlap */
    {EDIT_ALL("nul", "\0one", "x"), "Edited nul (2)"},
    {EDIT("nul", "x", ""), "Edited nul (1)"},
    {EDIT("./odd", "one", "1"), "Edited ./odd (1)"},              /* what stands there literally comes first */
    {EDIT("x/../odd", "one", "2"), "Edited x/../odd (1)"},
    {EDIT("/abs", "one", "3"), "Edited /abs (1)"},                /* the scenario's own key */
    {EDIT("a", "1", "1"), "Edited a (1)"},                        /* the same text is an edit too */
    {EDIT("empty", "x", "y"), "ERROR: text not found in empty"},
    {EDIT("gone", "one", "1"), "ERROR: no such file gone"},
    {EDIT("/a", "one", "1"), "ERROR: no such file /a"},
    {EDIT("../a", "one", "1"), "ERROR: no such file ../a"},
    {EDIT("", "one", "1"), "ERROR: no such file "},
    {EDIT("a", "", "1"), "ERROR: edit_file: old_text is 0 code points long, at least 1 is needed"},
    {SCHEMA_OBJECT(TXT("new_text", "x"), TXT("path", "a")), "ERROR: edit_file: old_text is missing"},
    {SCHEMA_OBJECT(TXT("new_text", "x"), TXT("old_text", "y"), TXT("path", "a"), TXT("replace_all", "yes")),
     "ERROR: edit_file: replace_all must be true or false, but is a string"},
    {NO_ARGUMENTS, "ERROR: edit_file: new_text is missing"},
};

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, ARRAY_LEN(files));
    assert_tool_rows(f, tree, &tool_edit_file, rows, ARRAY_LEN(rows));
    assert_str(tool_body(f, tree, STR("a")), STR("1 two one\n"));
    assert_str(tool_body(f, tree, STR("aaaa")), STR("bba"));
    assert_str(tool_body(f, tree, STR("nul")), STR("x"));
    assert_str(tool_body(f, tree, STR("./odd")), STR("odd 1"));
    assert_str(tool_body(f, tree, STR("odd")), STR("plain 2"));
    assert_str(tool_body(f, tree, STR("/abs")), STR("3"));
    uint32_t count;
    worktree_list(tree, &count);
    assert_int_equal(count, ARRAY_LEN(files)); /* no edit makes a file */
    assert_int_equal(tree->step, 8);
}

/* The slow way: byte by byte. */
static struct str edit_slowly(struct arena *arena, struct str body, struct str from, struct str to, bool all,
                              int *count)
{
    struct strbuf out;
    strbuf_init(&out, arena, 1 << 20);
    *count = 0;
    for (size_t i = 0; i < body.len;) {
        if ((all || *count == 0) && str_starts(str_slice(body, i, body.len), from)) {
            strbuf_add(&out, to);
            i += from.len;
            ++*count;
        } else {
            strbuf_addc(&out, body.data[i++]);
        }
    }
    return strbuf_str(&out);
}

static struct str random_letters(struct arena *arena, struct rng *rng, int64_t least, int64_t most)
{
    struct strbuf text;
    strbuf_init(&text, arena, 1 << 20);
    for (int64_t left = rng_between(rng, least, most); left > 0; left--)
        strbuf_addc(&text, "ab\n"[rng_between(rng, 0, 2)]);
    return strbuf_str(&text);
}

static void random_edits_agree_with_the_slow_way(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 2, STR("edits"));
    int edited = 0;
    for (int i = 0; i < 3000; i++) {
        fixture_renew(f);
        struct file_row file = {STR("f"), random_letters(&f->arena, &rng, 0, 40)};
        struct str from = random_letters(&f->arena, &rng, 1, 3), to = random_letters(&f->arena, &rng, 0, 4);
        bool all = rng_between(&rng, 0, 1);
        struct member members[] = {{STR("path"), {.kind = VALUE_STRING, .string = STR("f")}},
                                   {STR("old_text"), {.kind = VALUE_STRING, .string = from}},
                                   {STR("new_text"), {.kind = VALUE_STRING, .string = to}},
                                   {STR("replace_all"), {.kind = VALUE_BOOL, .boolean = all}}};
        struct value arguments = {.kind = VALUE_OBJECT, .count = 4, .members = members};
        struct worktree *tree = tree_of(f, &file, 1);
        struct tool_result result = tool_call(f, tree, &tool_edit_file, &arguments);
        int count;
        struct str want = edit_slowly(&f->arena, file.body, from, to, all, &count);
        assert_str(result.content, count ? str_printf(&f->arena, "Edited f (%d)", count)
                                         : STR("ERROR: text not found in f"));
        assert_str(tool_body(f, tree, STR("f")), want);
        edited += count > 0;
    }
    assert_true(edited > 1000 && edited < 2900);
}

static const struct value each_letter = EDIT_ALL("f", "x", "bc");

/* The sanitizer looks at all that is left of the file each time that something is searched. */
#ifdef SIMAGENT_SANITIZE
#define PLACES_APART 4096
#else
#define PLACES_APART 1
#endif

/* 10 MB whose every byte may begin a match of a long text: what is not linear does not end. */
static void large_files_take_linear_time(void **state)
{
    struct fixture *f = *state;
    size_t length = 10 << 20, needle = 100000;
    char *body = arena_bytes(&f->arena, length), *text = arena_bytes(&f->arena, needle);
    memset(body, 'a', length);
    memset(text, 'a', needle);
    text[needle / 2] = 'b';
    const struct file_row file = {STR("f"), {body, length}};
    struct worktree *tree = tree_of(f, &file, 1);
    const struct file_row pairs[] = {
        {STR("path"), STR("f")}, {STR("old_text"), {text, needle}}, {STR("new_text"), STR("c")}};
    struct tool_result result = tool_call(f, tree, &tool_edit_file, text_arguments(&f->arena, pairs, 3));
    assert_str(result.content, STR("ERROR: text not found in f"));
    for (size_t i = 0; i < length; i += PLACES_APART)
        body[i] = 'x';
    size_t places = length / PLACES_APART;
    assert_str(tool_call(f, tree, &tool_edit_file, &each_letter).content,
               str_printf(&f->arena, "Edited f (%zu)", places));
    assert_int_equal(worktree_bytes(tree, STR("f")), length + places);
}

static void a_file_cannot_grow_without_end(void **state)
{
    struct fixture *f = *state;
    size_t length = 1 << 16;
    char *body = arena_bytes(&f->arena, length);
    memset(body, 'a', length);
    const struct file_row file = {STR("f"), {body, length}};
    struct worktree *tree = tree_of(f, &file, 1);
    struct member members[] = {{STR("path"), {.kind = VALUE_STRING, .string = STR("f")}},
                               {STR("old_text"), {.kind = VALUE_STRING, .string = STR("a")}},
                               {STR("new_text"), {.kind = VALUE_STRING, .string = {body, length}}},
                               {STR("replace_all"), {.kind = VALUE_BOOL, .boolean = true}}};
    struct value arguments = {.kind = VALUE_OBJECT, .count = 4, .members = members};
    assert_str(tool_call(f, tree, &tool_edit_file, &arguments).content,
               STR("ERROR: edit_file: new_text makes too large a file of f"));
    assert_int_equal(tree->step, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_call_has_its_result),
        TEST(random_edits_agree_with_the_slow_way),
        TEST(large_files_take_linear_time),
        TEST(a_file_cannot_grow_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
