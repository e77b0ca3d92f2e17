/* Markdown and CSV: foreign text stays text, and the tables hold what the report says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json_read.h"
#include "report/csv_cell.h"
#include "report/markdown_text.h"
#include "support/demo_report.h"
#include "support/rendered.h"

struct text_row {
    const char *raw;
    const char *want;
};

static const struct text_row markdown_rows[] = {
    {"plain words", "plain words"},
    {"a|b", "a\\|b"},                                  /* would end the cell */
    {"`code`", "\\`code\\`"},
    {"<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"},
    {"*x* ~y~", "\\*x\\* \\~y\\~"},
    {"snake_case_name", "snake_case_name"},            /* never emphasis inside a word */
    {"_x_", "\\_x\\_"},
    {"[a](http://b)", "\\[a\\](http://b)"},
    {"![x] # @someone $1$", "\\!\\[x\\] \\# \\@someone \\$1\\$"},
    {"back\\slash", "back\\\\slash"},
    {"two\nlines", "two\\\\nlines"},                   /* escaped for the terminal first: one line */
    {"\x1b[31m", "\\\\x1B\\[31m"},
    {"\xFF", "\\\\xFF"},
};

static void test_markdown_text(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(markdown_rows); i++) {
        struct str got = markdown_text(&arena, str_of(markdown_rows[i].raw), 200);
        if (!str_eq(got, str_of(markdown_rows[i].want))) {
            fail_msg("%s: %.*s", markdown_rows[i].raw, STR_ARG(got));
        }
    }
    arena_close(&arena);
}

static const struct text_row csv_rows[] = {
    {"", ""},
    {"plain", "plain"},
    {"a,b", "\"a,b\""},
    {"say \"x\"", "\"say \"\"x\"\"\""},
    {" x", "\" x\""},
    {"x ", "\"x \""},
    {"=1+1", "'=1+1"},
    {"+1", "'+1"},
    {"-1", "'-1"},           /* text, even if it looks like a number */
    {"@SUM(A1)", "'@SUM(A1)"},
    {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
    {"\t=1", "'\\t=1"},
    {"\r=1", "'\\x0D=1"},
    {"a\nb", "a\\nb"},
    {"a=b", "a=b"},          /* only the first counts */
    {"\xC3\xA9", "\xC3\xA9"},
};

static struct str cell(struct arena *arena, struct str text)
{
    struct sink sink;
    int fd = memfd_create("cell", MFD_CLOEXEC);
    assert_true(fd >= 0);
    sink_open(&sink, fd);
    csv_cell_text(&sink, arena, text);
    assert_true(sink_close(&sink));
    struct str bytes = rendered_bytes(arena, fd);
    close(fd);
    return bytes;
}

static void test_csv_text(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(csv_rows); i++) {
        struct str got = cell(&arena, str_of(csv_rows[i].raw));
        if (!str_eq(got, str_of(csv_rows[i].want))) {
            fail_msg("%s: %.*s", csv_rows[i].raw, STR_ARG(got));
        }
    }
    arena_close(&arena);
}

static struct value demo(struct arena *arena)
{
    struct value report;
    struct err err = {0};
    char json[16384];
    demo_report_json(json);
    assert_true(json_read_value(arena, str_of(json), "demo", &report, &err));
    return report;
}

static bool holds(struct str text, const char *line)
{
    return memmem(text.data, text.len, line, strlen(line)) != NULL;
}

static void test_csv_report(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "variant,metric,value,unit\n",
        "\nmonolithic,measurement.peak,6144,chars\n",
        "\nmonolithic,measurement.reread_multiplier,3.2130533854166665,ratio\n",
        "\ndelegated,isolated.turn_count,7,turns\n",
        "\ndelegated,total_ratio,1.020718302011043,ratio\n", /* of the comparison with the baseline */
        "\ndelegated/1,measurement.cumulative,19951,chars\n", /* a subagent */
        "\nsplit,total_cumulative,10493,chars\n",
    };
    struct arena arena;
    struct render_style style = {.columns = 80, .reproduce = STR("not for programs")};
    arena_init(&arena);
    struct value report = demo(&arena);
    struct str text = rendered(&arena, "csv", &report, &style);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if (!holds(text, lines[i])) {
            fail_msg("lacks %s", lines[i]);
        }
    }
    size_t rows = 0;
    for (size_t i = 0; i < text.len; i++) {
        rows += text.data[i] == '\n';
    }
    assert_int_equal(rows, 1 + 3 * 10 + 2 * 4 + 5); /* heading, variants, comparisons, the one measured subagent */
    arena_close(&arena);
}

static void test_markdown_report(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "## repo_scan\n",
        "\n| variant | peak | cumulative | isolated | total | of baseline | re-read | turns |\n",
        "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        "\n| monolithic | 6,144 | 19,741 | 0 | 19,741 | baseline | 3.21× | 7 |\n",
        "\n| delegated | 173 | 199 | 19,951 | 20,150 | 102.1 % | 1.15× | 2 |\n",
        "\n- monolithic: **yes** (cumulative 19,741 ≥ 2,000, re-read 3.21 ≥ 1.50, boundary saves 57.4 % ≥ 30.0 %)\n",
        "\n- split: **no** (cumulative 908 < 2,000, boundary saves 3.3 % < 30.0 %)\n",
        "\n| delegated.parent_peak_savings_ratio | ≥ 0.5 | 0.9718424479166666 | yes |\n",
        "\nReproduce: simagent repo_scan\n",
    };
    struct arena arena;
    struct render_style style = {.columns = 80, .reproduce = STR("simagent repo_scan")};
    arena_init(&arena);
    struct value report = demo(&arena);
    struct str text = rendered(&arena, "md", &report, &style);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if (!holds(text, lines[i])) {
            fail_msg("lacks %s in %.*s", lines[i], STR_ARG(text));
        }
    }
    arena_close(&arena);
}

/* Reports that lack everything, or have it of another kind, are written all the same. */
static void test_poor_reports(void **state)
{
    (void)state;
    static const char *const reports[] = {
        "{}", "[]", "7", "{\"variants\":7}", "{\"variants\":[7,null,{}]}",
        "{\"variants\":[{\"name\":7,\"measurement\":[1],\"subagents\":7}],\"comparisons\":{},\"expectations\":[7]}",
        "{\"variants\":[{\"name\":\"=a|b,c\",\"measurement\":{\"=x\":1}}],\"ok\":false}",
    };
    static const char *const formats[] = {"md", "csv"};
    for (size_t i = 0; i < ARRAY_LEN(reports) * ARRAY_LEN(formats); i++) {
        struct arena arena;
        struct value report;
        struct err err = {0};
        struct render_style style = {.columns = 80};
        arena_init(&arena);
        assert_true(json_read_value(&arena, str_of(reports[i / 2]), "poor", &report, &err));
        struct str text = rendered(&arena, formats[i % 2], &report, &style);
        assert_true(text.len > 0 && text.data[text.len - 1] == '\n');
        if (i == 2 * ARRAY_LEN(reports) - 1) {
            assert_true(holds(text, "\"'=a|b,c\",measurement.=x,1,\n"));
        }
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown_text), cmocka_unit_test(test_csv_text),   cmocka_unit_test(test_csv_report),
        cmocka_unit_test(test_markdown_report), cmocka_unit_test(test_poor_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
