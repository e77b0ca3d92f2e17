/* Globs: examples, and random patterns against a matcher that tries everything. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/glob.h"
#include "base/rng.h"
#include "base/utf8.h"

static bool matches(const char *pattern, const char *path)
{
    struct err err = {.kind = ERR_NONE};
    if (!glob_check(str_of(pattern), &err)) {
        fail_msg("%s: %s", pattern, err.message);
    }
    return glob_match(str_of(pattern), str_of(path));
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } rows[] = {
        {"*.c", "main.c", true},
        {"*.c", "src/base/main.c", true}, /* without a slash: at any depth */
        {"*.c", "main.cc", false},
        {"src/*.c", "src/main.c", true},
        {"src/*.c", "src/base/main.c", false}, /* a star stays in its part */
        {"src/**/*.c", "src/base/main.c", true},
        {"src/**/*.c", "src/main.c", true}, /* none */
        {"src/**", "src", true},
        {"src/**", "src/a/b", true},
        {"src/**", "srcs/a", false},
        {"**/test/**", "a/test/b/c", true},
        {"**/test/**", "test", true},
        {"**", "a/b/c", true},
        {"a**c", "abbc", true}, /* within a part like a star */
        {"a**c/d", "ab/c/d", false},
        {"src", "src/a", false}, /* the whole path */
        {"?.c", "a.c", true},
        {"?.c", ".c", false},
        {"?/b", "//b", false},
        {"caf?", "caf\xC3\xA9", true}, /* one code point */
        {"caf??", "caf\xC3\xA9", false},
        {"caf?", "caf\xC3", true}, /* an invalid byte */
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[!a-c]x", "dx", true},
        {"[!a-c]x", "bx", false},
        {"[^a-c]x", "dx", true},
        {"[^a-c]x", "bx", false},
        {"[a^]", "^", true},
        {"[\\^]", "^", true},
        {"[!a]/b", "x/b", true},
        {"[]]", "]", true}, /* a bracket in first place */
        {"[!]]", "]", false},
        {"[a-]", "-", true},
        {"[\\]]", "]", true},
        {"[!a]", "\xC3\xA9", true},
        {"a\\*b", "a*b", true},
        {"a\\*b", "axb", false},
        {"\\[a]", "[a]", true},
        {"{a,b}.c", "b.c", true},
        {"{a,b}.c", "c.c", false},
        {"{a,{b,c}d}e", "cde", true},
        {"{a,{b,c}d}e", "ce", false},
        {"{,x}y", "y", true},
        {"{*.h,src/*.c}", "inc/a.h", true}, /* each alternative by itself */
        {"{*.h,src/*.c}", "inc/a.c", false},
        {"[{a,b}]", "{", true}, /* braces in a class are bytes */
        {"\\{a,b\\}", "{a,b}", true},
        {"a,b}", "a,b}", true},
        {"{src,lib}/**/*.{c,h}", "lib/x/y/z.h", true},
        {"", "", true},
        {"", "a", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (matches(rows[i].pattern, rows[i].path) != rows[i].matches) {
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].path);
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static char long_pattern[1030];
    memset(long_pattern, 'a', 1025);
    static const struct {
        const char *pattern;
        const char *says; /* NULL: fine */
    } rows[] = {
        {"[a", "'['"},
        {"[]", "'['"},
        {"[!]", "'['"},
        {"a[\\]", "'['"},
        {"{a", "'{'"},
        {"{a,{b}", "'{'"},
        {"a\\", "backslash"},
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", NULL},               /* 64 */
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "alternatives"}, /* 128 */
        {"{{a,b}{a,b}{a,b}{a,b}{a,b}{a,b},c}", "alternatives"},  /* 65 */
        {"{a}{a}{a}{a}{a}{a}{a}{a}", NULL},
        {"}", NULL},
        {long_pattern, "1025"},
        {long_pattern + 1, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = {.kind = ERR_NONE};
        assert_int_equal(glob_check(str_of(rows[i].pattern), &err), rows[i].says == NULL);
        assert_int_equal(err.kind, rows[i].says == NULL ? ERR_NONE : ERR_SCENARIO);
        assert_true(rows[i].says == NULL || strstr(err.message, rows[i].says) != NULL);
    }
}

/* The slow matcher takes a pattern without braces and a path as C strings and tries every choice.  `start` says that
 * the pattern stands at the start of a part. */
static bool slow_match(const char *p, const char *s, bool start)
{
    if (start && p[0] == '*' && p[1] == '*' && (p[2] == '/' || p[2] == '\0')) {
        if (p[2] == '\0') {
            return true;
        }
        const char *slash = strchr(s, '/');
        return slow_match(p + 3, s, true) || (slash != NULL && slow_match(p, slash + 1, true));
    }
    /* `x/` followed by a last `**` may also end before the slash. */
    if (*s == '\0' && p[0] == '/') {
        while (strncmp(p, "/**", 3) == 0 && (p[3] == '/' || p[3] == '\0')) {
            p += 3;
        }
        return *p == '\0';
    }
    switch (*p) {
    case '\0': return *s == '\0';
    case '*': return slow_match(p + 1, s, false) || (*s != '\0' && *s != '/' && slow_match(p, s + 1, false));
    case '?': return *s != '\0' && *s != '/' && slow_match(p + 1, s + 1, false);
    case '[': {
        const char *end = strchr(p + 1, ']');
        bool negated = p[1] == '!', listed = false;
        for (const char *c = p + 1 + negated; c < end; c++) {
            if (c[1] == '-' && c + 2 < end) {
                listed = listed || (c[0] <= *s && *s <= c[2]);
                c += 2;
            } else {
                listed = listed || *c == *s;
            }
        }
        return *s != '\0' && *s != '/' && listed != negated && slow_match(end + 1, s + 1, false);
    }
    default: return *p == *s && slow_match(p + 1, s + 1, *p == '/');
    }
}

/* Expands the first braces (not nested) by hand, then matches each. */
static bool slow_glob(const char *pattern, const char *path)
{
    const char *open = strchr(pattern, '{');
    if (open == NULL) {
        const char *last = strrchr(path, '/');
        bool whole = strchr(pattern, '/') != NULL || last == NULL;
        return slow_match(pattern, whole ? path : last + 1, true);
    }
    const char *close = strchr(open, '}');
    for (const char *from = open + 1; from <= close;) {
        size_t len = strcspn(from, ",}");
        char expanded[200];
        size_t head = (size_t)(open - pattern);
        memcpy(expanded, pattern, head);
        memcpy(expanded + head, from, len);
        strcpy(expanded + head + len, close + 1);
        if (slow_glob(expanded, path)) {
            return true;
        }
        from += len + 1;
    }
    return false;
}

static void test_random_patterns(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", "b", "a", "/", "*", "?", "**", "/**/", "**/", "/**", "[ab]", "[!a]",
                                         "[a-b]", "{a,b}", "{*,a/}", "{,b}", "{a/b,**}"};
    struct rng rng;
    rng_init(&rng, 17, STR("test"));
    int found = 0;
    for (int round = 0; round < 60000; round++) {
        char pattern[100] = "", path[16];
        for (int64_t i = rng_between(&rng, 1, 6); i > 0; i--) {
            strcat(pattern, pieces[rng_between(&rng, 0, (int64_t)ARRAY_LEN(pieces) - 1)]);
        }
        size_t len = 0;
        for (int64_t parts = rng_between(&rng, 1, 4); parts > 0; parts--) {
            for (int64_t i = rng_between(&rng, 1, 2); i > 0; i--) {
                path[len++] = "abc"[rng_between(&rng, 0, 2)];
            }
            path[len++] = parts > 1 ? '/' : '\0';
        }
        bool expected = slow_glob(pattern, path);
        struct err err = {.kind = ERR_NONE};
        if (!glob_check(str_of(pattern), &err)) {
            assert_non_null(strstr(err.message, "alternatives"));
            continue;
        }
        if (glob_match(str_of(pattern), str_of(path)) != expected) {
            fail_msg("\"%s\" and \"%s\": expected %d", pattern, path, expected);
        }
        found += expected;
    }
    assert_true(found > 5000);
}

/* Patterns that take exponential time in a careless matcher; the time of the process, generously. */
static void test_hostile_patterns_are_quick(void **state)
{
    (void)state;
    static char pattern[1025], path[4001];
    clock_t start = clock();
    for (size_t i = 0; i + 3 <= 1020; i += 2) {
        memcpy(pattern + i, "*a", 3);
    }
    memset(path, 'a', 4000);
    strcat(pattern, "b");
    assert_false(glob_match(str_of(pattern), str_of(path)));
    pattern[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(pattern, "**/a/");
    }
    strcat(pattern, "b");
    for (size_t i = 1; i < 4000; i += 2) {
        path[i] = '/';
    }
    assert_false(glob_match(str_of(pattern), (struct str){path, 3999}));
    memset(pattern, '{', 512);
    memset(pattern + 512, '}', 512);
    pattern[1024] = '\0';
    assert_true(matches(pattern, ""));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_hostile_patterns_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
