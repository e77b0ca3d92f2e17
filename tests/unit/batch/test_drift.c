/* Drift: which metrics a rule is about, and what it lets them do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "batch/drift.h"

#define PARTS_MAX 8

static size_t split(char *path, struct str parts[PARTS_MAX])
{
    size_t count = 0;
    for (char *part = strtok(path, "."); part != NULL; part = strtok(NULL, ".")) {
        parts[count++] = str_of(part);
    }
    return count;
}

static bool is_about(const char *pattern, const char *path)
{
    char copy[128];
    struct str parts[PARTS_MAX];
    struct drift_rule rule = {.metric = str_of(pattern)};
    strcpy(copy, path);
    return drift_rule_is_about(&rule, parts, split(copy, parts));
}

static void a_metric_is_named_by_its_end(void **state)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool about;
    } rows[] = {
        {"peak", "delegated.measurement.peak", true},
        {"measurement.peak", "delegated.measurement.peak", true},
        {"delegated.measurement.peak", "delegated.measurement.peak", true},
        {"x.delegated.measurement.peak", "delegated.measurement.peak", false}, /* longer than the path */
        {"delegated.peak", "delegated.measurement.peak", false},              /* parts are not left out */
        {"*.peak", "delegated.measurement.peak", true},
        {"delegated.*.peak", "delegated.measurement.peak", true},
        {"alone.*.peak", "delegated.measurement.peak", false},
        {"*", "anything", true},
        {"eak", "delegated.measurement.peak", false}, /* a part is a whole part */
        {"peak.*", "peak.1", true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (is_about(rows[i].pattern, rows[i].path) != rows[i].about) {
            fail_msg("%s about %s", rows[i].pattern, rows[i].path);
        }
    }
}

static void tolerances_are_read(void **state)
{
    static const struct {
        const char *text;
        bool good;
        enum drift_kind kind;
        double amount;
    } rows[] = {
        {"peak=1%", true, DRIFT_RELATIVE, 0.01},
        {"peak=0.5%", true, DRIFT_RELATIVE, 0.005},
        {"a.b.peak=20", true, DRIFT_ABSOLUTE, 20},
        {"peak=0", true, DRIFT_ABSOLUTE, 0},
        {"peak", false, 0, 0},
        {"peak=", false, 0, 0},
        {"peak=%", false, 0, 0},
        {"=1%", false, 0, 0},
        {"peak=-1%", false, 0, 0},  /* a tolerance below nothing */
        {"peak=1e3", false, 0, 0},  /* digits only */
        {"peak=nan%", false, 0, 0},
        {"peak=1.2.3", false, 0, 0},
        {"a..b=1", false, 0, 0},
        {".a=1", false, 0, 0},
        {"a.=1", false, 0, 0},
        {"", false, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct drift_rule rule;
        struct err err = {0};
        bool good = drift_parse_tolerance(str_of(rows[i].text), &rule, &err);
        if (good != rows[i].good) {
            fail_msg("%s", rows[i].text);
        }
        assert_int_equal(err.kind, good ? ERR_NONE : ERR_USAGE);
        if (good) {
            assert_int_equal(rule.kind, rows[i].kind);
            assert_true(rule.amount == rows[i].amount);
        }
    }
}

static void judges(void **state)
{
    static const struct {
        struct drift_rule rules[2];
        size_t count;
        double old;
        double now;
        enum drift_verdict verdict;
    } rows[] = {
        {{{0}}, 0, 100, 101, DRIFT_FAILS}, /* no rule */
        {{{DRIFT_RELATIVE, {"peak", 4}, 0.01, false}}, 1, 100, 101, DRIFT_ALLOWED}, /* at equality */
        {{{DRIFT_RELATIVE, {"peak", 4}, 0.01, false}}, 1, 100, 99, DRIFT_ALLOWED},
        {{{DRIFT_RELATIVE, {"peak", 4}, 0.01, false}}, 1, 100, 101.5, DRIFT_FAILS},
        {{{DRIFT_RELATIVE, {"peak", 4}, 0.01, false}}, 1, 0, 1, DRIFT_FAILS}, /* no share of nothing */
        {{{DRIFT_RELATIVE, {"peak", 4}, 0.01, false}}, 1, -100, -101, DRIFT_ALLOWED},
        {{{DRIFT_ABSOLUTE, {"peak", 4}, 5, false}}, 1, 0, 5, DRIFT_ALLOWED},
        {{{DRIFT_RELATIVE, {"other", 5}, 0.5, false}}, 1, 100, 101, DRIFT_FAILS},
        /* a later rule is the one that counts */
        {{{DRIFT_RELATIVE, {"*", 1}, 0.5, false}, {DRIFT_ABSOLUTE, {"peak", 4}, 0, false}}, 2, 100, 101, DRIFT_FAILS},
        {{{DRIFT_RATCHET, {"peak", 4}, 0, false}}, 1, 100, 101, DRIFT_FAILS},
        {{{DRIFT_RATCHET, {"peak", 4}, 0, false}}, 1, 100, 99, DRIFT_SHRUNK},
        /* its metrics alone decide */
        {{{DRIFT_RATCHET, {"other", 5}, 0, false}}, 1, 100, 200, DRIFT_ALLOWED},
        {{{DRIFT_RATCHET, {"peak", 4}, 0, false}, {DRIFT_RELATIVE, {"peak", 4}, 0.05, false}}, 2, 100, 104,
         DRIFT_ALLOWED},
        {{{DRIFT_RATCHET, {"peak", 4}, 0, false}, {DRIFT_RELATIVE, {"peak", 4}, 0.05, false}}, 2, 100, 106,
         DRIFT_FAILS},
    };
    const struct str parts[] = {STR("delegated"), STR("measurement"), STR("peak")};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct drift_rule rules[2] = {rows[i].rules[0], rows[i].rules[1]};
        struct drift drift = {.rules = rules, .count = rows[i].count};
        enum drift_verdict verdict = drift_judge(&drift, parts, 3, rows[i].old, rows[i].now);
        if (verdict != rows[i].verdict) {
            fail_msg("row %zu: %d", i, verdict);
        }
    }
}

static void rules_that_were_about_something_are_marked(void **state)
{
    struct drift_rule rules[] = {{.metric = STR("peak")}, {.metric = STR("paek")}};
    struct drift drift = {.rules = rules, .count = 2};
    const struct str parts[] = {STR("a"), STR("peak")};
    (void)state;
    drift_mark(&drift, parts, 2);
    assert_true(rules[0].matched);
    assert_false(rules[1].matched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_named_by_its_end),
        cmocka_unit_test(tolerances_are_read),
        cmocka_unit_test(judges),
        cmocka_unit_test(rules_that_were_about_something_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
