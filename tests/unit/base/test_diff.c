#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/diff.h"
#include "base/rng.h"
#include "support/fixture.h"

#define ROOM ((size_t)1 << 30)

static struct str diff_of(struct fixture *f, struct str before, struct str after, size_t max_bytes)
{
    struct strbuf out;
    strbuf_init(&out, &f->arena, ROOM);
    diff_unified(&out, before, after, STR("--- a\n+++ b\n"), max_bytes);
    return strbuf_str(&out);
}

/* What GNU diff -u says of the same texts, but for the last ones, which have several shortest diffs. */
static void known_diffs(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *before, *after, *hunks;
    } rows[] = {
        {"a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
        {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
        {"a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"},
        {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
        {"a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
        {"a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
         "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
        /* six equal lines between two changes: one hunk */
        {"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
         "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n"},
        /* seven: two */
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
         "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
        {"a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
         "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n"}, /* Myers's own example */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str want = str_printf(&f->arena, "--- a\n+++ b\n%s", rows[i].hunks);
        assert_str(diff_of(f, str_of(rows[i].before), str_of(rows[i].after), ROOM), want);
    }
    assert_int_equal(diff_of(f, STR("a\nb"), STR("a\nb"), ROOM).len, 0); /* equal: no header either */
    assert_int_equal(diff_of(f, STR(""), (struct str){0}, ROOM).len, 0);
    assert_str(diff_of(f, STR("\0\n\xFF\n"), STR("\0\n"), ROOM), STR("--- a\n+++ b\n@@ -1,2 +1 @@\n \0\n-\xFF\n"));
}

/* --- a patch applier that knows nothing of how diffs are made --- */

static struct str take_line(struct str *rest)
{
    const char *feed = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
    size_t end = feed ? (size_t)(feed - rest->data) + 1 : rest->len;
    struct str line = str_slice(*rest, 0, end);
    *rest = str_slice(*rest, end, rest->len);
    return line;
}

struct range {
    size_t first, count;
};

static struct range read_range(const char **at)
{
    struct range range = {.count = 1};
    char *end;
    range.first = strtoul(*at + 1, &end, 10);
    if (*end == ',')
        range.count = strtoul(end + 1, &end, 10);
    *at = end + 1;
    return range;
}

/* Moves one line over and checks it. */
static void expect_line(struct str *before, struct str line)
{
    assert_str(take_line(before), line);
}

static struct str apply_patch(struct arena *arena, struct str before, struct str patch, size_t *edits)
{
    struct strbuf out;
    strbuf_init(&out, arena, ROOM);
    *edits = 0;
    expect_line(&patch, STR("--- a\n"));
    expect_line(&patch, STR("+++ b\n"));
    for (size_t line_before = 1, line_after = 1; patch.len > 0;) {
        const char *at = str_z(arena, take_line(&patch)) + 3;
        struct range left = read_range(&at), right = read_range(&at);
        for (; line_before < left.first + (left.count == 0); line_before++, line_after++)
            strbuf_add(&out, take_line(&before));
        assert_int_equal(line_after, right.first + (right.count == 0));
        while (left.count > 0 || right.count > 0) {
            struct str line = take_line(&patch);
            char mark = line.data[0];
            line = str_slice(line, 1, line.len);
            if (patch.len > 0 && patch.data[0] == '\\') {
                assert_str(take_line(&patch), STR("\\ No newline at end of file\n"));
                line.len--;
            }
            if (mark != '+') {
                assert_true(left.count-- > 0);
                line_before++;
                expect_line(&before, line);
            }
            if (mark != '-') {
                assert_true(right.count-- > 0);
                line_after++;
                strbuf_add(&out, line);
            }
            *edits += mark != ' ';
        }
    }
    strbuf_add(&out, before);
    return strbuf_str(&out);
}

/* --- the slow way: the longest common subsequence by its table --- */

static size_t fewest_edits(struct arena *arena, struct str before, struct str after)
{
    struct str left[64], right[64];
    size_t n = 0, m = 0;
    while (before.len > 0)
        left[n++] = take_line(&before);
    while (after.len > 0)
        right[m++] = take_line(&after);
    size_t(*common)[65] = arena_alloc(arena, sizeof(size_t[65]) * 65);
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t longer = common[i - 1][j] > common[i][j - 1] ? common[i - 1][j] : common[i][j - 1];
            common[i][j] = str_eq(left[i - 1], right[j - 1]) ? common[i - 1][j - 1] + 1 : longer;
        }
    }
    return n + m - 2 * common[n][m];
}

static struct str random_lines(struct arena *arena, struct rng *rng, int64_t most, int64_t letters)
{
    struct strbuf text;
    strbuf_init(&text, arena, ROOM);
    for (int64_t left = rng_between(rng, 0, most); left > 0; left--)
        strbuf_addf(&text, "%c\n", (int)('a' + rng_between(rng, 0, letters)));
    if (text.len > 0 && rng_between(rng, 0, 3) == 0)
        text.len--; /* no line feed at the end */
    return strbuf_str(&text);
}

static void random_diffs_apply_and_are_shortest(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 5, STR("diff"));
    for (int i = 0; i < 6000; i++) {
        fixture_renew(f);
        int64_t letters = rng_between(&rng, 0, 20);
        struct str before = random_lines(&f->arena, &rng, 50, letters);
        struct str after = random_lines(&f->arena, &rng, 50, letters);
        struct str patch = diff_of(f, before, after, ROOM);
        size_t edits;
        if (patch.len == 0) {
            assert_str(before, after);
            continue;
        }
        assert_str(apply_patch(&f->arena, before, patch, &edits), after);
        assert_int_equal(edits, fewest_edits(&f->arena, before, after));
    }
}

/* A text with some lines changed here and there, as edits do. */
static struct str edit_lines(struct arena *arena, struct rng *rng, struct str text, int64_t one_in)
{
    struct strbuf out;
    strbuf_init(&out, arena, ROOM);
    while (text.len > 0) {
        struct str line = take_line(&text);
        int64_t what = rng_between(rng, 0, one_in * 3);
        if (what == 0)
            strbuf_add(&out, STR("new\n"));
        if (what != 1)
            strbuf_add(&out, what == 2 ? STR("changed\n") : line);
    }
    return strbuf_str(&out);
}

static struct str numbered_lines(struct arena *arena, size_t count)
{
    struct strbuf text;
    strbuf_init(&text, arena, ROOM);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&text, "line %zu\n", i);
    return strbuf_str(&text);
}

static void large_texts_apply_too(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 6, STR("large"));
    struct str before = numbered_lines(&f->arena, 20000);
    size_t edits;
    /* a hundred edits; and more than are looked for, so that the middle is replaced */
    static const int64_t rates[] = {200, 2};
    for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
        struct str after = edit_lines(&f->arena, &rng, before, rates[i]);
        assert_str(apply_patch(&f->arena, before, diff_of(f, before, after, ROOM), &edits), after);
        assert_true(i == 0 ? edits < DIFF_EDITS_MAX : edits > 30000);
    }
}

/* A great many equal lines, which make each diagonal long. */
static void what_takes_too_long_is_replaced(void **state)
{
    struct fixture *f = *state;
    struct strbuf before, after;
    strbuf_init(&before, &f->arena, ROOM);
    strbuf_init(&after, &f->arena, ROOM);
    for (int i = 0; i < 100000; i++) {
        strbuf_add(&before, i % 2 ? STR("x\n") : STR("y\n"));
        strbuf_add(&after, i % 400 == 7 ? STR("z\n") : STR("x\n"));
    }
    size_t edits;
    struct str patch = diff_of(f, strbuf_str(&before), strbuf_str(&after), ROOM);
    assert_str(apply_patch(&f->arena, strbuf_str(&before), patch, &edits), strbuf_str(&after));
}

static void what_is_too_long_is_cut_at_a_line(void **state)
{
    struct fixture *f = *state;
    struct str before = numbered_lines(&f->arena, 10), after = STR("other\n");
    struct str whole = diff_of(f, before, after, ROOM);
    size_t header = STR("--- a\n+++ b\n").len;
    assert_str(diff_of(f, before, after, whole.len - header), whole);
    for (size_t room = 0; room < whole.len - header; room++) {
        struct str cut = diff_of(f, before, after, room), rest = whole;
        size_t kept = 0, lines = 0;
        for (struct str left = cut; left.len > 0 && left.data[0] != '(';)
            kept += take_line(&left).len;
        assert_true(kept <= header + room);
        assert_str(str_slice(cut, 0, kept), str_slice(whole, 0, kept));
        for (rest = str_slice(whole, kept, whole.len); rest.len > 0; lines++)
            take_line(&rest);
        struct str note = str_printf(&f->arena, "(%zu more line%s)\n", lines, lines == 1 ? "" : "s");
        assert_str(str_slice(cut, kept, cut.len), note);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(known_diffs),
        TEST(random_diffs_apply_and_are_shortest),
        TEST(large_texts_apply_too),
        TEST(what_takes_too_long_is_replaced),
        TEST(what_is_too_long_is_cut_at_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
