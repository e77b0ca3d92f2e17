/* Golden: what is different about two reports, on which path, and whether that fails a test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "batch/golden.h"
#include "support/fixture.h"

/* All rows as text: "path:old>new" for metrics, "path:old|new" for other places, "path<" for what has shrunk. */
static struct str dump(struct arena *arena, const struct golden_diff *diff)
{
    struct strbuf out;
    strbuf_init(&out, arena, 65536);
    for (size_t i = 0; i < diff->metric_count; i++) {
        const struct golden_metric *row = &diff->metrics[i];
        strbuf_addf(&out, "%.*s:", STR_ARG(row->path));
        value_canonical(&row->old, &out);
        strbuf_addc(&out, '>');
        value_canonical(&row->now, &out);
        strbuf_addc(&out, ' ');
    }
    for (size_t i = 0; i < diff->path_count; i++) {
        const struct golden_path *row = &diff->paths[i];
        strbuf_addf(&out, "%.*s:%.*s|%.*s ", STR_ARG(row->path), STR_ARG(row->old), STR_ARG(row->now));
    }
    for (size_t i = 0; i < diff->shrunk_count; i++) {
        strbuf_addf(&out, "%.*s< ", STR_ARG(diff->shrunk[i].path));
    }
    return strbuf_str(&out);
}

static const struct {
    const char *old;
    const char *now;
    const char *rows;
    enum golden_verdict verdict;
} rows[] = {
    {"{\"a\":1}", "{\"a\":1}", "", GOLDEN_SAME},
    {"{\"a\":1}", "{\"a\":2}", "a:1>2 ", GOLDEN_DIFFERENT},
    /* a variant is called by its name, wherever it stands */
    {"{\"variants\":[{\"name\":\"x\",\"peak\":1},{\"name\":\"y\",\"peak\":5}]}",
     "{\"variants\":[{\"name\":\"y\",\"peak\":5},{\"name\":\"x\",\"peak\":2}]}", "x.peak:1>2 ", GOLDEN_DIFFERENT},
    {"{\"variants\":[{\"name\":\"x\",\"peak\":1}]}", "{\"variants\":[{\"name\":\"y\",\"peak\":1}]}",
     "x:{…}| y:|{…} ", GOLDEN_DIFFERENT},
    {"{\"comparisons\":[{\"variant\":\"x\",\"total_ratio\":0.5}]}",
     "{\"comparisons\":[{\"variant\":\"x\",\"total_ratio\":0.75}]}", "x.total_ratio:0.5>0.75 ", GOLDEN_DIFFERENT},
    /* items of other lists by position; numbers in lists stand last */
    {"{\"a\":[1,2],\"b\":1}", "{\"a\":[1,3],\"b\":2}", "b:1>2 a.2:2>3 ", GOLDEN_DIFFERENT},
    {"{\"a\":[1,2]}", "{\"a\":[1]}", "a:2 items|1 item ", GOLDEN_DIFFERENT},
    {"{\"a\":\"x\"}", "{\"a\":\"y\"}", "a:\"x\"|\"y\" ", GOLDEN_DIFFERENT},
    {"{\"a\":true}", "{\"a\":null}", "a:true|null ", GOLDEN_DIFFERENT},
    {"{\"a\":1}", "{\"b\":1}", "a:1| b:|1 ", GOLDEN_DIFFERENT},
    {"{\"usd\":\"0.10\"}", "{\"usd\":\"0.20\"}", "usd:\"0.10\">\"0.20\" ", GOLDEN_DIFFERENT}, /* money is text */
    {"{\"a\":9007199254740993}", "{\"a\":9007199254740992}", "a:9007199254740993>9007199254740992 ",
     GOLDEN_DIFFERENT}, /* beyond what a double tells apart */
    /* what an expectation got stands in its own place */
    {"{\"expectations\":[{\"got\":1}],\"a\":1}", "{\"expectations\":[{\"got\":2}],\"a\":2}", "a:1>2 ",
     GOLDEN_DIFFERENT},
    /* bytes that differ are never the same, even if all values are */
    {"{\"a\":1}", "{ \"a\":1}", "(the whole report):other bytes|the same values ", GOLDEN_DIFFERENT},
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "(the whole report):other bytes|the same values ", GOLDEN_DIFFERENT},
    {"", "{}", "(golden:1:1: nothing)", GOLDEN_DIFFERENT},
};

static void differences_have_paths(void **state)
{
    struct fixture *f = *state;
    struct drift none = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct golden_diff diff;
        golden_compare(&f->arena, str_of(rows[i].old), str_of(rows[i].now), &none, &diff);
        struct str told = dump(&f->arena, &diff);
        bool unreadable = rows[i].old[0] == '\0';
        if (diff.verdict != rows[i].verdict || (!unreadable && !str_eq(told, str_of(rows[i].rows)))) {
            fail_msg("%s -> %s: %.*s", rows[i].old, rows[i].now, STR_ARG(told));
        }
    }
}

static void rows_are_bounded_and_totals_exact(void **state)
{
    struct fixture *f = *state;
    struct drift none = {0};
    struct golden_diff diff;
    struct strbuf old;
    struct strbuf now;
    strbuf_init(&old, &f->arena, 1 << 20);
    strbuf_init(&now, &f->arena, 1 << 20);
    for (int i = 0; i < 1000; i++) {
        strbuf_addf(&old, "%c%d,\"s%d\"", i == 0 ? '[' : ',', i, i);
        strbuf_addf(&now, "%c%d,\"t%d\"", i == 0 ? '[' : ',', i + 1, i);
    }
    strbuf_addc(&old, ']');
    strbuf_addc(&now, ']');
    golden_compare(&f->arena, strbuf_str(&old), strbuf_str(&now), &none, &diff);
    assert_int_equal(diff.metric_count, GOLDEN_METRICS);
    assert_int_equal(diff.path_count, GOLDEN_PATHS);
    assert_int_equal(diff.metric_total, 1000);
    assert_int_equal(diff.path_total, 1000);
}

static const char old_report[] = "{\"variants\":[{\"name\":\"x\",\"peak\":100,\"sum\":10,\"reason\":\"w 100\"}]}";

static const struct {
    const char *now; /* of the report above */
    const char *tolerance;
    const char *ratchet;
    const char *rows;
    enum golden_verdict verdict;
} rule_rows[] = {
    {"{\"variants\":[{\"name\":\"x\",\"peak\":101,\"sum\":10,\"reason\":\"w 101\"}]}", "peak=1%", NULL, "",
     GOLDEN_ALLOWED}, /* and words that repeat numbers may follow them */
    {"{\"variants\":[{\"name\":\"x\",\"peak\":102,\"sum\":10,\"reason\":\"w 100\"}]}", "peak=1%", NULL,
     "x.peak:100>102 ", GOLDEN_DIFFERENT},
    {"{\"variants\":[{\"name\":\"x\",\"peak\":101,\"sum\":11,\"reason\":\"w 100\"}]}", "peak=1%", NULL,
     "x.sum:10>11 ", GOLDEN_DIFFERENT}, /* another metric has no tolerance */
    {"{\"variants\":[{\"name\":\"x\",\"peak\":101,\"sum\":99,\"reason\":\"?\"}]}", NULL, "peak", "x.peak:100>101 ",
     GOLDEN_DIFFERENT},
    {"{\"variants\":[{\"name\":\"x\",\"peak\":90,\"sum\":99,\"reason\":\"?\"}]}", NULL, "peak", "x.peak< ",
     GOLDEN_ALLOWED}, /* with a ratchet nothing else counts */
    {"{\"variants\":[{\"name\":\"x\",\"sum\":10,\"reason\":\"w 100\"}]}", NULL, "peak", "x.peak:a number| ",
     GOLDEN_DIFFERENT}, /* a metric cannot slip away by vanishing */
    {"{\"variants\":[]}", NULL, "peak", "x.peak:a number| ", GOLDEN_DIFFERENT},
};

static void rules_decide(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(rule_rows); i++) {
        struct drift_rule rules[2];
        struct drift drift = {.rules = rules};
        struct golden_diff diff;
        if (rule_rows[i].tolerance) {
            assert_true(drift_parse_tolerance(str_of(rule_rows[i].tolerance), &rules[drift.count++], &f->err));
        }
        if (rule_rows[i].ratchet) {
            assert_true(drift_parse_ratchet(str_of(rule_rows[i].ratchet), &rules[drift.count++], &f->err));
        }
        golden_compare(&f->arena, str_of(old_report), str_of(rule_rows[i].now), &drift, &diff);
        struct str told = dump(&f->arena, &diff);
        if (diff.verdict != rule_rows[i].verdict || !str_eq(told, str_of(rule_rows[i].rows))) {
            fail_msg("row %zu: %.*s", i, STR_ARG(told));
        }
    }
}

static void rules_are_marked_also_when_nothing_differs(void **state)
{
    struct fixture *f = *state;
    struct drift_rule rules[] = {{.kind = DRIFT_RATCHET, .metric = STR("peak")},
                                 {.kind = DRIFT_RATCHET, .metric = STR("paek")}};
    struct drift drift = {.rules = rules, .count = 2};
    struct golden_diff diff;
    golden_compare(&f->arena, str_of(old_report), str_of(old_report), &drift, &diff);
    assert_int_equal(diff.verdict, GOLDEN_SAME);
    assert_true(rules[0].matched);
    assert_false(rules[1].matched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(differences_have_paths, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(rows_are_bounded_and_totals_exact, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(rules_decide, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(rules_are_marked_also_when_nothing_differs, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
