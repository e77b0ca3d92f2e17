#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/path.h"
#include "support/fixture.h"

/* A path and what it is when it is normal; NULL: a bad one. */
static const struct {
    struct str path;
    const char *normal;
} rows[] = {
    /* as they are */
    {{"a", 1}, "a"},
    {{"a/b", 3}, "a/b"},
    {{"a/b/c.txt", 9}, "a/b/c.txt"},
    {{"README.md", 9}, "README.md"},
    {{"-", 1}, "-"},
    {{"~", 1}, "~"},
    {{"~/a", 3}, "~/a"},
    {{"$HOME/a", 7}, "$HOME/a"},
    {{"a b", 3}, "a b"},
    {{" a", 2}, " a"},
    {{"a ", 2}, "a "},
    {{" ", 1}, " "},
    {{"a\nb", 3}, "a\nb"},
    {{"a\tb", 3}, "a\tb"},
    {{"*?[a]{b}", 8}, "*?[a]{b}"},
    {{"a:b", 3}, "a:b"},
    {{"C:a", 3}, "C:a"},
    {{"CON", 3}, "CON"},
    {{"file:///a", 9}, NULL}, /* its empty parts */
    {{"%2e%2e/a", 8}, "%2e%2e/a"},
    {{"\xC3\xA9", 2}, "\xC3\xA9"},
    {{"e\xCC\x81", 3}, "e\xCC\x81"}, /* the same letter, another name */
    {{"\xFF\xFE", 2}, "\xFF\xFE"},   /* no text, but a name */
    {{"\xC0\xAE\xC0\xAE/a", 6}, "\xC0\xAE\xC0\xAE/a"}, /* overlong dots are no dots */
    {{"a\xC0\x80" "b", 4}, "a\xC0\x80" "b"},           /* nor is an overlong NUL one */
    {{"\xE2\x80\xA5/a", 5}, "\xE2\x80\xA5/a"},         /* two dot leader */
    {{"\xE2\x80\xA4\xE2\x80\xA4/a", 8}, "\xE2\x80\xA4\xE2\x80\xA4/a"}, /* one dot leaders */
    {{"\xEF\xBC\x8E\xEF\xBC\x8E/a", 8}, "\xEF\xBC\x8E\xEF\xBC\x8E/a"}, /* full width dots */
    {{"..\xEF\xBC\x8F" "a", 6}, "..\xEF\xBC\x8F" "a"}, /* full width slash */
    {{"..\xE2\x88\x95" "a", 6}, "..\xE2\x88\x95" "a"}, /* division slash */
    {{"..\xE2\x81\x84" "a", 6}, "..\xE2\x81\x84" "a"}, /* fraction slash */
    {{"..\xEF\xB9\xA8" "a", 6}, "..\xEF\xB9\xA8" "a"}, /* small backslash */
    {{"\xE2\x80\xAE" "a", 4}, "\xE2\x80\xAE" "a"},     /* right-to-left override */
    {{"A", 1}, "A"},
    {{"a.", 2}, "a."},
    {{"a..", 3}, "a.."},
    {{"...", 3}, "..."},
    {{"....", 4}, "...."},
    {{".../a", 5}, ".../a"},
    {{".a", 2}, ".a"},
    {{"..a", 3}, "..a"},
    {{".. ", 3}, ".. "},
    {{" ..", 3}, " .."},
    {{". ", 2}, ". "},
    {{".git/config", 11}, ".git/config"},
    /* dots */
    {{"./a", 3}, "a"},
    {{"././a", 5}, "a"},
    {{"a/./b", 5}, "a/b"},
    {{"a/.", 3}, "a"},
    {{"a/./.", 5}, "a"},
    {{"a/../b", 6}, "b"},
    {{"a/b/../c", 8}, "a/c"},
    {{"a/b/..", 6}, "a"},
    {{"a/b/../..", 9}, NULL},
    {{"a/b/../../c", 11}, "c"},
    {{"./a/../b/./c", 12}, "b/c"},
    {{"a/.../b", 7}, "a/.../b"},
    {{"ab/../c", 7}, "c"},
    {{"a/bc/../d", 9}, "a/d"},
    /* the workspace itself */
    {{"", 0}, NULL},
    {{".", 1}, NULL},
    {{"./.", 3}, NULL},
    {{"a/..", 4}, NULL},
    {{"./a/..", 6}, NULL},
    /* out of it */
    {{"..", 2}, NULL},
    {{"../", 3}, NULL},
    {{"../a", 4}, NULL},
    {{"../../a", 7}, NULL},
    {{"./../a", 6}, NULL},
    {{"a/../..", 7}, NULL},
    {{"a/../../a", 9}, NULL}, /* also when it comes back */
    {{"a/../../../etc/passwd", 21}, NULL},
    {{"../abcd/a", 9}, NULL},
    /* absolute */
    {{"/", 1}, NULL},
    {{"/a", 2}, NULL},
    {{"/./a", 4}, NULL},
    {{"/../a", 5}, NULL},
    {{"//", 2}, NULL},
    {{"//a", 3}, NULL},
    /* empty parts */
    {{"a/", 2}, NULL},
    {{"a//", 3}, NULL},
    {{"a//b", 4}, NULL},
    {{"a/b/", 4}, NULL},
    {{"./", 2}, NULL},
    {{".//a", 4}, NULL},
    {{"a/../", 5}, NULL},
    {{"a//../b", 7}, NULL},
    /* bytes that no path holds */
    {{"\0", 1}, NULL},
    {{"a\0", 2}, NULL},
    {{"a\0b", 3}, NULL},
    {{"\0/../a", 6}, NULL},
    {{"a/\0/../b", 8}, NULL},
    {{"\\", 1}, NULL},
    {{"a\\b", 3}, NULL},
    {{"..\\a", 4}, NULL},
    {{"a/b\\", 4}, NULL},
    {{"C:\\a", 4}, NULL},
    {{"\\\\host\\a", 8}, NULL},
};

static void each_path_is_normal_or_bad(void **state)
{
    struct fixture *f = *state;
    assert_true(ARRAY_LEN(rows) >= 80);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str normal = {0};
        bool good = path_normalise(&f->arena, rows[i].path, &normal);
        if (good != (rows[i].normal != NULL))
            fail_msg("row %zu: %.*s", i, STR_ARG(rows[i].path));
        if (good)
            assert_str(normal, str_of(rows[i].normal));
    }
}

/* The rule once more: split all, then fold from the left. */
static bool normalise_slowly(struct arena *arena, struct str path, struct str *out)
{
    struct str *parts = arena_array(arena, struct str, path.len + 1);
    size_t count = 0, from = 0;
    if (path.len > 4096)
        return false;
    for (size_t i = 0; i <= path.len; i++) {
        char c = i < path.len ? path.data[i] : '/';
        if (c == '\0' || c == '\\')
            return false;
        if (c != '/')
            continue;
        struct str part = str_slice(path, from, i);
        from = i + 1;
        if (part.len == 0 || (count == 0 && str_eq(part, STR(".."))))
            return false;
        if (str_eq(part, STR("..")))
            count--;
        else if (!str_eq(part, STR(".")))
            parts[count++] = part;
    }
    struct strbuf text;
    strbuf_init(&text, arena, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        strbuf_add(&text, i > 0 ? STR("/") : STR(""));
        strbuf_add(&text, parts[i]);
    }
    *out = strbuf_str(&text);
    return count > 0;
}

static void random_paths_agree_with_the_slow_way(void **state)
{
    struct fixture *f = *state;
    static const struct str pieces[] = {{"/", 1},  {"/", 1},  {".", 1},  {"..", 2}, {"/../", 4},    {"/./", 3},
                                        {"a", 1},  {"b", 1},  {"a/", 2}, {"/b", 2}, {"\xC3\xA9", 2}, {"...", 3},
                                        {"\\", 1}, {"\0", 1}, {" ", 1},  {"a/b/", 4}};
    struct rng rng;
    rng_init(&rng, 7, STR("paths"));
    int good_ones = 0;
    for (int i = 0; i < 30000; i++) {
        fixture_renew(f);
        struct strbuf text;
        strbuf_init(&text, &f->arena, 4096);
        int64_t kinds = (int64_t)ARRAY_LEN(pieces) - (rng_between(&rng, 0, 3) ? 5 : 1);
        for (int64_t left = rng_between(&rng, 0, 8); left > 0; left--)
            strbuf_add(&text, pieces[rng_between(&rng, 0, kinds)]);
        struct str path = strbuf_str(&text), normal, want, again;
        bool good = path_normalise(&f->arena, path, &normal);
        assert_int_equal(good, normalise_slowly(&f->arena, path, &want));
        if (!good)
            continue;
        good_ones++;
        assert_str(normal, want);
        assert_true(path_normalise(&f->arena, normal, &again)); /* what is normal stays as it is */
        assert_str(again, normal);
    }
    assert_true(good_ones > 3000 && good_ones < 27000);
}

static void length_is_counted_before_anything_is_taken_out(void **state)
{
    struct fixture *f = *state;
    char *text = arena_bytes(&f->arena, 5000);
    struct str normal;
    memset(text, 'n', 5000);
    assert_true(path_normalise(&f->arena, (struct str){text, 4095}, &normal));
    assert_true(path_normalise(&f->arena, (struct str){text, PATH_BYTES_MAX}, &normal));
    assert_int_equal(normal.len, 4096);
    assert_false(path_normalise(&f->arena, (struct str){text, 4097}, &normal));
    for (size_t i = 0; i + 2 <= 4098; i += 2)
        memcpy(text + i, "./", 2);
    text[4094] = 'n';
    assert_true(path_normalise(&f->arena, (struct str){text, 4095}, &normal));
    assert_str(normal, STR("n"));
    text[4094] = '.';
    text[4096] = 'n';
    assert_false(path_normalise(&f->arena, (struct str){text, 4097}, &normal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_path_is_normal_or_bad),
        TEST(random_paths_agree_with_the_slow_way),
        TEST(length_is_counted_before_anything_is_taken_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
