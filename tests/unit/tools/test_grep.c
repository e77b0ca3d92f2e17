#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "support/tool_call.h"

static const struct file_row files[] = {
    {{"src/a.c", 7}, {"int main(void)\n{\n    return 0;\n}\n", 32}},
    {{"src/b.c", 7}, {"int other;\r\nno end", 18}},
    {{"bytes", 5}, {"caf\xC3\xA9\n\xFFint\xFE\nnul\0here\n", 21}},
    {{"empty", 5}, {"", 0}},
    {{"blank", 5}, {"\n\n", 2}},
};

#define FIND(pattern) SCHEMA_OBJECT(TXT("pattern", pattern))
#define FIND_IN(path, pattern) SCHEMA_OBJECT(TXT("path", path), TXT("pattern", pattern))
#define FIND_MODE(mode, pattern) SCHEMA_OBJECT(TXT("mode", mode), TXT("pattern", pattern))

static const struct tool_row rows[] = {
    {FIND("int"), "bytes:2:\xFFint\xFE\nsrc/a.c:1:int main(void)\nsrc/b.c:1:int other;\r"},
    {FIND_MODE("content", "^int"), "src/a.c:1:int main(void)\nsrc/b.c:1:int other;\r"},
    {FIND_MODE("files", "int"), "bytes\nsrc/a.c\nsrc/b.c"},
    {FIND_MODE("count", "."), "bytes:3\nsrc/a.c:4\nsrc/b.c:2"},
    {FIND_MODE("count", ""), "blank:2\nbytes:3\nsrc/a.c:4\nsrc/b.c:2"}, /* an empty file has no line */
    {FIND_MODE("count", "^$"), "blank:2"},
    {FIND_IN("*.c", "end$"), "src/b.c:2:no end"}, /* the last line needs no line feed */
    {FIND_IN("src/*", "return"), "src/a.c:3:    return 0;"},
    {FIND_IN("src", "return"), "(no matches)"}, /* a glob, and no folder */
    {FIND_IN("", "return"), "src/a.c:3:    return 0;"}, /* as if it were not given */
    {FIND("^caf.$"), "bytes:1:caf\xC3\xA9"}, /* a code point is one */
    {FIND("CAF\xC3\x89"), "(no matches)"},
    {FIND("(?i)CAF\xC3\x89"), "bytes:1:caf\xC3\xA9"}, /* case beyond ASCII */
    {FIND("caf\\w"), "(no matches)"}, /* classes know ASCII alone … */
    {FIND("(*UCP)caf\\w"), "bytes:1:caf\xC3\xA9"}, /* … unless asked */
    {FIND("^int\xEF\xBF\xBD"), "(no matches)"}, /* a broken byte is no U+FFFD */
    {FIND("l\\x00h"), "bytes:3:nul\0here"},
    {FIND("\0"), "bytes:3:nul\0here"},
    {FIND("void\\)\n"), "(no matches)"}, /* a line feed is in no line */
    {FIND(";\\r$"), "src/b.c:1:int other;\r"},
    {FIND("(?<=int )\\w+(?=;)"), "src/b.c:1:int other;\r"},
    {FIND("(e).*\\1"), "bytes:3:nul\0here"},
    {FIND("nothing of the kind"), "(no matches)"},
    {FIND("("), "ERROR: bad pattern: missing closing parenthesis at offset 1"},
    {FIND("a[b"), "ERROR: bad pattern: missing terminating ] for character class at offset 3"},
    {FIND("*"), "ERROR: bad pattern: quantifier does not follow a repeatable item at offset 0"},
    {FIND("a\\Cb"), "ERROR: bad pattern: using \\C is disabled by the application at offset 3"},
    {FIND("\xFF"), "ERROR: bad pattern: UTF-8 error: illegal byte (0xfe or 0xff) at offset 0"},
    {FIND_IN("a[", "x"), "ERROR: grep: path is a bad glob: pattern \"a[\" has a '[' without ']'"},
    {FIND_MODE("lines", "x"), "ERROR: grep: mode must be one of \"content\", \"files\", \"count\""},
    {SCHEMA_OBJECT(NUM("pattern", 1)), "ERROR: grep: pattern must be a string, but is an integer"},
    {SCHEMA_OBJECT(TXT("glob", "*.c"), TXT("pattern", "x")), "ERROR: grep: glob is not a known field"},
    {NO_ARGUMENTS, "ERROR: grep: pattern is missing"},
};

/* The one result that holds NUL. */
static struct str want_of(const struct tool_row *row)
{
    bool nul = strstr(row->content, ":3:nul") == row->content + 5;
    return nul ? STR("bytes:3:nul\0here") : str_of(row->content);
}

static void each_call_has_its_result(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, ARRAY_LEN(files));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct tool_result result = tool_call(f, tree, &tool_grep, &rows[i].arguments);
        assert_str(result.content, want_of(&rows[i]));
        assert_int_equal(result.failed, str_starts(result.content, STR("ERROR: ")));
    }
    assert_str(tool_call(f, worktree_new(&f->arena, NULL), &tool_grep, &rows[0].arguments).content,
               STR("(no matches)"));
}

static void files_are_searched_as_they_are_now(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = tree_of(f, files, ARRAY_LEN(files));
    worktree_write(tree, STR("new"), STR("int new"), &tool_call_record);
    worktree_write(tree, STR("bytes"), STR(""), &tool_call_record);
    worktree_remove(tree, STR("src/a.c"), &tool_call_record);
    assert_str(tool_call(f, tree, &tool_grep, &rows[0].arguments).content,
               STR("new:1:int new\nsrc/b.c:1:int other;\r"));
}

/* A text without any special letter: what memmem finds line by line. */
static struct str grep_slowly(struct arena *arena, const struct file_row *file, struct str text)
{
    struct strbuf out;
    strbuf_init(&out, arena, 1 << 20);
    size_t number = 1;
    for (size_t at = 0; at < file->body.len; number++) {
        size_t end = at;
        while (end < file->body.len && file->body.data[end] != '\n')
            end++;
        struct str line = str_slice(file->body, at, end);
        if (str_holds(line, text)) {
            strbuf_addf(&out, "%s%s:%zu:", out.len ? "\n" : "", file->path.data, number);
            strbuf_add(&out, line);
        }
        at = end + 1;
    }
    return out.len ? strbuf_str(&out) : STR("(no matches)");
}

static void plain_texts_are_found_as_by_the_slow_way(void **state)
{
    struct fixture *f = *state;
    static const char *const pieces[] = {"a", "b", "\n", "\xC3\xA9", "\xFF", "\xE2\x82"};
    struct rng rng;
    rng_init(&rng, 4, STR("grep"));
    int hits = 0;
    for (int i = 0; i < 2000; i++) {
        fixture_renew(f);
        struct strbuf body, text;
        strbuf_init(&body, &f->arena, 4096);
        strbuf_init(&text, &f->arena, 4096);
        for (int64_t left = rng_between(&rng, 0, 40); left > 0; left--)
            strbuf_add(&body, str_of(pieces[rng_between(&rng, 0, ARRAY_LEN(pieces) - 1)]));
        for (int64_t left = rng_between(&rng, 1, 3); left > 0; left--)
            strbuf_add(&text, str_of((const char *[]){"a", "b", "\xC3\xA9"}[rng_between(&rng, 0, 2)]));
        struct file_row file = {STR("f"), strbuf_str(&body)}, pair = {STR("pattern"), strbuf_str(&text)};
        struct str want = grep_slowly(&f->arena, &file, pair.body);
        assert_str(tool_call(f, tree_of(f, &file, 1), &tool_grep, text_arguments(&f->arena, &pair, 1)).content, want);
        hits += !str_eq(want, STR("(no matches)"));
    }
    assert_true(hits > 300 && hits < 1900);
}

#ifdef SIMAGENT_SANITIZE
#define LARGE ((size_t)4 << 20)
#else
#define LARGE ((size_t)10 << 20)
#endif

/* Patterns that are slow for each other reason, and the line that makes them so. */
static const struct {
    struct str pattern;
    char fill;
    struct str tail;
    bool given_up;
} hard[] = {
    {{"(a+)+b", 6}, 'a', {"cb", 2}, true},      /* many ways from one start: the limit on matching */
    {{"(a|aa)+$", 8}, 'a', {"c", 1}, true},
    {{"a+b", 3}, 'a', {"cb", 2}, true},         /* each start goes to the end: no limit of the library stops it */
    {{"(a|b)*cd", 8}, 'a', {"cxd", 3}, true},   /* each letter is a place to go back to: the limit on depth */
    {{"(a*)b?\\1cd", 10}, 'a', {"cxd", 3}, true}, /* the group is compared again and again */
    {{"a{60000}b", 9}, 'a', {"cb", 2}, true},   /* long before it says anything */
    {{"(?R)?a", 6}, 'a', {"c", 1}, true},
    {{"[a-z]*[0-9]", 11}, 'a', {"c", 1}, true},
    {{"a.*c$", 5}, 'a', {"c", 1}, false},       /* these are quick */
    {{"^(?:a)*+b", 9}, 'a', {"b", 1}, false},
    {{"(?i)AAB", 7}, 'a', {"B", 1}, false},
    {{"^a*b?c", 6}, 'a', {"d", 1}, false},
};

static void no_pattern_hangs(void **state)
{
    struct fixture *f = *state;
    size_t length = LARGE / 5;
    for (size_t i = 0; i < ARRAY_LEN(hard); i++) {
        fixture_renew(f);
        char *body = arena_bytes(&f->arena, length);
        memset(body, hard[i].fill, length);
        memcpy(body + length - hard[i].tail.len, hard[i].tail.data, hard[i].tail.len);
        const struct file_row file = {STR("long"), {body, length}};
        const struct file_row pairs[] = {{STR("pattern"), hard[i].pattern}, {STR("mode"), STR("files")}};
        struct tool_result result =
            tool_call(f, tree_of(f, &file, 1), &tool_grep, text_arguments(&f->arena, pairs, 2));
        if (result.failed != hard[i].given_up)
            fail_msg("%s: %.*s", hard[i].pattern.data, STR_ARG(result.content));
        if (result.failed)
            assert_str(result.content, STR("ERROR: grep: pattern takes too many steps in long, line 1"));
    }
}

/* Ordinary patterns on many short lines, and on one line as long. */
static void large_files_are_searched(void **state)
{
    struct fixture *f = *state;
    static const char *const patterns[] = {"lazy", "[a-z]+ing", "(\\w+) \\1", "^The|dog$", "fox.*dog"};
    size_t length = LARGE;
    char *body = arena_bytes(&f->arena, length);
    static const char sentence[] = "the quick brown fox jumps over the lazy dog\n";
    for (size_t i = 0; i < length; i++)
        body[i] = sentence[i % (sizeof sentence - 1)];
    const struct file_row file = {STR("f"), {body, length}};
    struct worktree *tree = tree_of(f, &file, 1);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
            const struct file_row pairs[] = {{STR("pattern"), str_of(patterns[i])}, {STR("mode"), STR("count")}};
            assert_false(tool_call(f, tree, &tool_grep, text_arguments(&f->arena, pairs, 2)).failed);
        }
        for (size_t i = 0; i < length; i++)
            body[i] = body[i] == '\n' ? ' ' : body[i];
    }
}

static void what_is_found_is_not_without_end(void **state)
{
    struct fixture *f = *state;
    size_t lines = 70000;
    char *body = arena_bytes(&f->arena, lines), *path = arena_bytes(&f->arena, 4096);
    memset(body, '\n', lines);
    memset(path, 'p', 4096);
    const struct file_row file = {{path, 4096}, {body, lines}};
    struct worktree *tree = tree_of(f, &file, 1);
    const struct file_row pairs[] = {{STR("pattern"), STR("")}, {STR("mode"), STR("count")}};
    assert_str(tool_call(f, tree, &tool_grep, text_arguments(&f->arena, pairs, 1)).content,
               STR("ERROR: grep: pattern finds more than can be shown; narrow it, or ask for files or count"));
    assert_int_equal(tool_call(f, tree, &tool_grep, text_arguments(&f->arena, pairs, 2)).content.len, 4096 + 6);
}

static bool no_disk(void *self, const struct workspace_file *file, struct arena *arena, struct str *body,
                    struct err *err)
{
    (void)self, (void)file, (void)arena, (void)body;
    return err_set(err, ERR_IO, "no disk");
}

static void a_disk_that_fails_is_no_event_of_the_simulation(void **state)
{
    struct fixture *f = *state;
    struct workspace *w = fixture_workspace(f);
    w->source = (struct workspace_source){no_disk, NULL};
    workspace_add_listed(w, STR("a"), 3);
    workspace_seal(w);
    struct tool_invocation call = {.arguments = &rows[0].arguments, .tree = worktree_new(&f->arena, w),
                                   .sizing = &f->sizing, .keep = &f->arena, .scratch = &f->arena};
    struct tool_result result;
    assert_false(tool_grep.run(tool_grep.self, &call, &result, &f->err));
    assert_string_equal(f->err.message, "no disk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_call_has_its_result),
        TEST(files_are_searched_as_they_are_now),
        TEST(plain_texts_are_found_as_by_the_slow_way),
        TEST(no_pattern_hangs),
        TEST(large_files_are_searched),
        TEST(what_is_found_is_not_without_end),
        TEST(a_disk_that_fails_is_no_event_of_the_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
