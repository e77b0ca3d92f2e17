/* The results as people read them: a line for each test, more for those that failed, the sum, the next step. */
#include "cli/suite_own.h"

#include "base/arena.h"
#include "cli/opt.h"
#include "report/cells.h"
#include "report/page.h"

#define MESSAGE_COLUMNS 2000
#define LINE_COLUMNS 400 /* of a line of details or notes */
#define NOTE_LINES 40

static const struct {
    const char *word; /* of seven columns */
    enum page_tone tone;
} statuses[] = {
    [SUITE_WAITING] = {"waiting", PAGE_DIM},   [SUITE_PASSED] = {"ok     ", PAGE_GOOD},
    [SUITE_ACCEPTED] = {"updated", PAGE_GOOD}, [SUITE_MISSING] = {"FAILED ", PAGE_BAD},
    [SUITE_DIFFERENT] = {"FAILED ", PAGE_BAD}, [SUITE_UNMET] = {"FAILED ", PAGE_BAD},
    [SUITE_FAULT] = {"FAULT  ", PAGE_BAD},     [SUITE_BROKEN] = {"ERROR  ", PAGE_BAD},
};

static bool is_good(const struct suite_test *test)
{
    return test->status == SUITE_PASSED || test->status == SUITE_ACCEPTED;
}

static struct str take_line(struct str *rest)
{
    const char *end = memchr(rest->data, '\n', rest->len);
    size_t length = end != NULL ? (size_t)(end - rest->data) : rest->len;
    struct str line = str_slice(*rest, 0, length);
    *rest = str_slice(*rest, end != NULL ? length + 1 : length, rest->len);
    return line;
}

static void print_lines(struct page *page, size_t indent, struct str text, size_t most)
{
    for (size_t i = 0; text.len > 0; i++) {
        if (i == most) {
            page_line(page, indent, STR("(and more)"));
            return;
        }
        struct str line = cells_text(page->arena, take_line(&text), LINE_COLUMNS);
        page_line(page, indent, line);
    }
}

static void print_status(struct page *page, const struct suite_test *test)
{
    struct str title = suite_title(page->arena, test);
    page_toned(page, statuses[test->status].tone, str_of(statuses[test->status].word));
    struct str message = cells_text(page->arena, test->message, MESSAGE_COLUMNS);
    struct str line = is_good(test) ? title
                                    : str_printf(page->arena, "%.*s: %.*s", STR_ARG(title), STR_ARG(message));
    page_line(page, 1, line);
}

static void print_test(struct page *page, const struct suite_test *test, bool quiet)
{
    if (is_good(test) && quiet) {
        return;
    }
    print_status(page, test);
    if (test->status == SUITE_ACCEPTED) {
        return;
    }
    print_lines(page, 8, test->details, SIZE_MAX);
    if (test->pending) {
        page_line(page, 8, str_printf(page->arena, "the new report: %.*s.new",
                                      STR_ARG(cells_name(page->arena, str_of(test->golden), LINE_COLUMNS))));
    }
    if (!is_good(test) && test->notes.len > 0) {
        page_line(page, 8, STR("stderr:"));
        print_lines(page, 10, test->notes, NOTE_LINES);
    }
}

static size_t count_of(const struct suite *suite, enum suite_status from, enum suite_status to)
{
    size_t count = 0;
    for (size_t i = 0; i < suite->test_count; i++) {
        count += suite->tests[i].status >= from && suite->tests[i].status <= to;
    }
    return count;
}

static void print_sum(const struct suite *suite, struct page *page)
{
    static const struct {
        enum suite_status from;
        enum suite_status to;
        const char *words;
    } rows[] = {
        {SUITE_PASSED, SUITE_PASSED, "passed"},       {SUITE_ACCEPTED, SUITE_ACCEPTED, "updated"},
        {SUITE_MISSING, SUITE_UNMET, "failed"},       {SUITE_FAULT, SUITE_FAULT, "at fault"},
        {SUITE_BROKEN, SUITE_BROKEN, "with an error"},
    };
    struct strbuf out;
    strbuf_init(&out, page->arena, 1024);
    const char *before = ":";
    strbuf_add(&out, cells_count(page->arena, (int64_t)suite->test_count, "test"));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t count = count_of(suite, rows[i].from, rows[i].to);
        if (count > 0) {
            strbuf_addf(&out, "%s %zu %s", before, count, rows[i].words);
            before = ",";
        }
    }
    page_line(page, 0, strbuf_str(&out));
}

/* What a report itself finds wrong is no better for being accepted. */
static bool is_acceptable(const struct suite_test *test)
{
    return test->pending && test->status != SUITE_UNMET;
}

/* One command that goes on from here. */
static void print_next(const struct suite *suite, struct page *page)
{
    size_t pending = 0;
    for (size_t i = 0; i < suite->test_count; i++) {
        pending += is_acceptable(&suite->tests[i]);
    }
    if (pending == 1) {
        for (size_t i = 0; i < suite->test_count; i++) {
            if (is_acceptable(&suite->tests[i])) {
                struct str name = cells_name(page->arena, suite->tests[i].name, LINE_COLUMNS);
                page_line(page, 0, str_printf(page->arena, "accept it: the same command with --update=%.*s",
                                              STR_ARG(name)));
            }
        }
    } else if (pending > 1) {
        page_line(page, 0, STR("accept them: the same command with --update, or --review to be asked one by one"));
    }
}

void suite_print(const struct suite *suite, struct page *page)
{
    for (size_t i = 0; i < suite->test_count; i++) {
        struct arena_mark mark = arena_mark(page->arena);
        print_test(page, &suite->tests[i], suite->values->quiet);
        arena_release(page->arena, mark);
    }
    for (size_t i = 0; i < suite->stale_count; i++) {
        struct str path = cells_name(page->arena, suite->stale[i], LINE_COLUMNS);
        page_toned(page, PAGE_DIM, STR("stale  "));
        page_line(page, 1, str_printf(page->arena, "%.*s: no test has this golden; remove it", STR_ARG(path)));
    }
    print_sum(suite, page);
    print_next(suite, page);
}

int suite_exit_code(const struct suite *suite)
{
    static const enum err_kind worst_first[] = {ERR_INTERNAL, ERR_SCENARIO, ERR_IO};
    int exit_code = 0;
    for (size_t i = 0; i < suite->test_count; i++) {
        exit_code = suite->tests[i].exit_code != 0 ? 1 : exit_code;
    }
    for (size_t k = 0; k < ARRAY_LEN(worst_first); k++) {
        for (size_t i = 0; i < suite->test_count; i++) {
            if (suite->tests[i].exit_code == err_exit_code(worst_first[k])) {
                return suite->tests[i].exit_code;
            }
        }
    }
    return exit_code;
}
