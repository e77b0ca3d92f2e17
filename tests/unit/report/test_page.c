/* Page and grid: wrapping keeps every word, and nothing is wider than the page. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"
#include "report/grid.h"
#include "report/page.h"
#include "support/rendered.h"

struct sheet_of_paper {
    struct arena arena;
    struct sink sink;
    struct page page;
    int fd;
};

static void paper_open(struct sheet_of_paper *paper, size_t columns)
{
    arena_init(&paper->arena);
    paper->fd = memfd_create("page", MFD_CLOEXEC);
    sink_open(&paper->sink, paper->fd);
    paper->page = (struct page){.sink = &paper->sink, .arena = &paper->arena, .columns = columns};
}

static struct str paper_text(struct sheet_of_paper *paper)
{
    assert_true(sink_close(&paper->sink));
    struct str text = rendered_bytes(&paper->arena, paper->fd);
    close(paper->fd);
    return text;
}

static const char prose[] = "each of the 19,741 chars was read 3.2 times on average; 93.0 % of the parent's peak is "
                            "gone, über alles 日本語日本語日本語 and a-word-that-is-longer-than-the-narrowest-page ends it";

/* Taking out line feeds and spaces leaves the same letters; no line is too wide, ends with a space or begins with %. */
static void test_wrapping(void **state)
{
    (void)state;
    for (size_t columns = 20; columns < 120; columns++) {
        struct sheet_of_paper paper;
        paper_open(&paper, columns);
        page_paragraph(&paper.page, 0, PAGE_PLAIN, str_of(prose));
        struct str text = paper_text(&paper);
        size_t from = 0;
        size_t word = 0;
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '\n') {
                assert_true(utf8_columns(str_slice(text, from, i)) <= columns);
                assert_true(i > from && text.data[i - 1] != ' ' && text.data[from] != '%');
                from = i + 1;
            } else if (text.data[i] != ' ') {
                while (prose[word] == ' ') {
                    word++;
                }
                assert_int_equal(prose[word++], text.data[i]);
            }
        }
        assert_int_equal(prose[word], '\0');
        assert_int_equal(from, text.len);
        arena_close(&paper.arena);
    }
}

static void test_entry(void **state)
{
    (void)state;
    struct sheet_of_paper paper;
    paper_open(&paper, 32);
    page_entry(&paper.page, 1, STR("task"), 8, STR("Summarise this repository in a few words."));
    page_entry(&paper.page, 1, STR("nothing"), 8, STR(""));
    struct str text = paper_text(&paper);
    assert_true(str_eq(text, STR(" task    Summarise this\n         repository in a few\n         words.\n")));
    arena_close(&paper.arena);
}

static struct grid *small_grid(struct arena *arena)
{
    static const char *const cells[3][3] = {{"variant", "peak", "begins"}, {"a", "1,000", "日本"}, {"long", "", "x"}};
    struct grid *grid = grid_new(arena, 3, 3);
    grid_align_left(grid, 0);
    grid_align_left(grid, 2);
    for (size_t i = 0; i < 9; i++) {
        grid_set(grid, i / 3, i % 3, str_of(cells[i / 3][i % 3]));
    }
    return grid;
}

struct grid_row {
    size_t columns;
    const char *want;
};

static const struct grid_row grid_rows[] = {
    {23, "variant   peak  begins\na        1,000  日本\nlong            x\n"},
    {22, "variant   peak  begins\na        1,000  日本\nlong            x\n"},
    {21, "a\n  peak    1,000\n  begins  日本\nlong\n  begins  x\n"},
};

static void test_grid(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(grid_rows); i++) {
        struct sheet_of_paper paper;
        paper_open(&paper, grid_rows[i].columns);
        struct grid *grid = small_grid(&paper.arena);
        assert_int_equal(grid_width(grid, 0), 22);
        grid_print(&paper.page, grid, 0);
        struct str text = paper_text(&paper);
        if (!str_eq(text, str_of(grid_rows[i].want))) {
            fail_msg("at %zu columns:\n%.*s", grid_rows[i].columns, (int)text.len, text.data);
        }
        arena_close(&paper.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_entry),
        cmocka_unit_test(test_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
