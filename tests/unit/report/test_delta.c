/* Comparing two reports: which numbers, what changed, what makes runs unlike, and the rules that fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "report/delta.h"
#include "report/fail_on.h"
#include "report/leaves.h"
#include "support/demo_report.h"

#define HEAD                                                                                                           \
    "{\"schema\":\"simagent.report/1\",\"scenario\":{\"name\":\"s\",\"unit\":\"tokens\",\"seed\":0,\"options\":{}},"
#define VARIANT(name, peak) "{\"name\":\"" name "\",\"status\":\"complete\",\"measurement\":{\"peak\":" peak "}}"

static struct delta_input input_of(struct arena *arena, const char *name, const char *json)
{
    struct err err = {0};
    struct delta_input input = {.name = str_of(name)};
    if (!json_read_value(arena, str_of(json), name, &input.report, &err)) {
        fail_msg("%s", err.message);
    }
    assert_true(delta_check_report(&input, &err));
    return input;
}

static struct delta delta_of(struct arena *arena, const char *old, const char *now)
{
    struct delta_input *inputs = arena_array(arena, struct delta_input, 2);
    struct delta delta;
    inputs[0] = input_of(arena, "old.json", old);
    inputs[1] = input_of(arena, "new.json", now);
    delta_init(&delta, arena, &inputs[0], &inputs[1]);
    return delta;
}

static size_t row_count(const struct delta *delta)
{
    size_t count = 0;
    for (size_t i = 0; i < delta->count; i++) {
        count += delta->variants[i].count;
    }
    return count;
}

static void test_same_report(void **state)
{
    (void)state;
    struct arena arena;
    char json[16384];
    arena_init(&arena);
    demo_report_json(json);
    struct delta delta = delta_of(&arena, json, json);
    assert_int_equal(delta.unlike_count, 0);
    assert_int_equal(delta.changed, 0);
    assert_int_equal(delta.count, 3);
    /* measurement 5, isolated 4, total_cumulative; and of two of the three, 4 numbers of a comparison */
    assert_int_equal(delta.unchanged, 3 * 10 + 2 * 4);
    for (size_t v = 0; v < delta.count; v++) {
        assert_int_equal(delta.variants[v].note_count, 0);
        for (size_t i = 0; i < delta.variants[v].count; i++) {
            const struct delta_row *row = &delta.variants[v].rows[i];
            assert_true(row->difference.kind == VALUE_INT ? row->difference.integer == 0 : row->difference.real == 0);
            assert_true(!row->has_percent || row->percent == 0);
        }
    }
    arena_close(&arena);
}

struct number_row {
    const char *old;
    const char *now;
    bool changed;
    int64_t difference;
    double percent; /* -1000: none */
};

static const struct number_row number_rows[] = {
    {"100", "110", true, 10, 10},
    {"110", "55", true, -55, -50},
    {"0", "0", false, 0, -1000},
    {"0", "5", true, 5, -1000},                      /* of nothing there are no percent */
    {"-100", "-50", true, 50, 50},                   /* a rise is a rise below zero too */
    {"9007199254740993", "9007199254740992", true, -1, -1000}, /* doubles see no difference (percent is not 0) */
    {"9223372036854775807", "9223372036854775806", true, -1, -1000},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(number_rows); i++) {
        const struct number_row *row = &number_rows[i];
        struct arena arena;
        arena_init(&arena);
        struct str old = str_printf(&arena, HEAD "\"variants\":[" VARIANT("a", "%s") "]}", row->old);
        struct str now = str_printf(&arena, HEAD "\"variants\":[" VARIANT("a", "%s") "]}", row->now);
        struct delta delta = delta_of(&arena, str_z(&arena, old), str_z(&arena, now));
        struct delta back = delta_of(&arena, str_z(&arena, now), str_z(&arena, old));
        const struct delta_row *got = delta_find(&delta.variants[0], STR("measurement.peak"));
        const struct delta_row *reverse = delta_find(&back.variants[0], STR("measurement.peak"));
        assert_non_null(got);
        assert_int_equal(got->changed, row->changed);
        assert_int_equal(got->difference.kind, VALUE_INT);
        assert_int_equal(got->difference.integer, row->difference);
        assert_int_equal(reverse->difference.integer, -row->difference);
        if (row->percent > -1000) {
            assert_true(got->has_percent && got->percent == row->percent);
        }
        arena_close(&arena);
    }
}

static void test_extremes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct delta delta = delta_of(&arena, HEAD "\"variants\":[" VARIANT("a", "-9223372036854775808") "]}",
                                  HEAD "\"variants\":[" VARIANT("a", "9223372036854775807") "]}");
    const struct delta_row *row = &delta.variants[0].rows[0];
    assert_int_equal(row->difference.kind, VALUE_REAL);
    assert_true(row->difference.real == 0x1p64);
    delta = delta_of(&arena, HEAD "\"variants\":[" VARIANT("a", "-1.7e308") "]}",
                     HEAD "\"variants\":[" VARIANT("a", "1.7e308") "]}");
    assert_int_equal(delta.variants[0].rows[0].difference.kind, VALUE_NULL);
    assert_false(delta.variants[0].rows[0].has_percent);
    arena_close(&arena);
}

/* Variants and numbers come and go, and change places. */
static void test_matching(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct delta delta = delta_of(
        &arena, HEAD "\"variants\":[" VARIANT("a", "1") "," VARIANT("b", "2") "," VARIANT("c", "3") "]}",
        HEAD "\"variants\":[" VARIANT("d", "4") "," VARIANT("c", "3") ",{\"name\":\"a\",\"status\":\"partial\","
             "\"stop_reason\":\"max_turns\",\"measurement\":{\"turn_count\":9,\"deep\":{\"er\":0.5}},\"final_text\":7,"
             "\"total_cumulative\":8}]}");
    static const char *const names[] = {"a", "b", "c", "d"};
    static const enum delta_side sides[] = {DELTA_BOTH, DELTA_OLD_ONLY, DELTA_BOTH, DELTA_NEW_ONLY};
    assert_int_equal(delta.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(str_eq(delta.variants[i].name, str_of(names[i])));
        assert_int_equal(delta.variants[i].side, sides[i]);
    }
    const struct delta_variant *a = &delta.variants[0];
    assert_int_equal(a->count, 4);
    assert_null(delta_find(a, STR("measurement.peak"))->now);
    assert_null(delta_find(a, STR("measurement.turn_count"))->old);
    assert_non_null(delta_find(a, STR("measurement.deep.er")));
    assert_non_null(delta_find(a, STR("total_cumulative")));
    assert_null(delta_find(a, STR("final_text"))); /* a number, but not of a part that holds measures */
    assert_int_equal(a->note_count, 2);
    assert_string_equal(a->notes[0].what, "status");
    assert_true(str_eq(a->notes[1].now, STR("max_turns")));
    assert_int_equal(delta.changed + delta.unchanged, row_count(&delta));
    assert_int_equal(delta.unchanged, 1);
    arena_close(&arena);
}

struct unlike_row {
    const char *old;
    const char *now;
    const char *want; /* NULL: alike */
};

#define WITH(schema, scenario) "{\"schema\":\"" schema "\",\"scenario\":{" scenario "},\"variants\":[]}"
#define R1 "simagent.report/1"

static const struct unlike_row unlike_rows[] = {
    {WITH(R1, "\"seed\":0"), WITH(R1, "\"seed\":0"), NULL},
    {WITH(R1, "\"seed\":0"), WITH(R1, "\"seed\":5"), "seed: 0, 5"},
    {WITH(R1, "\"seed\":0"), WITH(R1, ""), "seed: 0, none"},
    {WITH(R1, "\"unit\":\"chars\""), WITH(R1, "\"unit\":\"bytes\""), "unit: chars, bytes"},
    {WITH(R1, "\"unit\":\"chars\""), WITH(R1, "\"unit\":7"), "unit: chars, 7"},
    {WITH(R1, "\"name\":\"a\""), WITH(R1, "\"name\":\"b\""), "scenario: a, b"},
    {WITH(R1, "\"bytes_per_token\":3"), WITH(R1, "\"bytes_per_token\":4"), "bytes per token: 3, 4"},
    {WITH(R1, ""), WITH("simagent.report/2", ""), "schema: simagent.report/1, simagent.report/2"},
    {WITH(R1, "\"options\":{\"limit\":0}"), WITH(R1, "\"options\":{\"limit\":5}"), "option limit: 0, 5"},
    {WITH(R1, "\"options\":{\"limit\":0}"), WITH(R1, "\"options\":{}"), "option limit: 0, none"},
    {WITH(R1, "\"options\":{}"), WITH(R1, "\"options\":{\"dir\":\"x\"}"), "option dir: none, x"},
    {WITH(R1, "\"options\":{\"a\":1,\"b\":2}"), WITH(R1, "\"options\":{\"b\":2,\"a\":1}"), NULL}, /* order is nothing */
    {WITH(R1, "\"task\":\"x\""), WITH(R1, "\"task\":\"y\""), NULL}, /* what is asked may change: that is compared */
};

static void test_unlike(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(unlike_rows); i++) {
        const struct unlike_row *row = &unlike_rows[i];
        struct arena arena;
        arena_init(&arena);
        struct delta delta = delta_of(&arena, row->old, row->now);
        assert_int_equal(delta.unlike_count, row->want != NULL);
        if (row->want != NULL && !str_eq(delta.unlike[0], str_of(row->want))) {
            fail_msg("%.*s and not %s", STR_ARG(delta.unlike[0]), row->want);
        }
        arena_close(&arena);
    }
}

static void test_no_report(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]", "7", "{\"schema\":\"simagent.report/1\"}",
                                        "{\"schema\":\"simagent.report/1\",\"variants\":{}}",
                                        "{\"schema\":\"simagent.compare/1\",\"variants\":[]}", "{\"variants\":[]}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct arena arena;
        struct err err = {0};
        struct delta_input input = {.name = STR("x.json")};
        arena_init(&arena);
        assert_true(json_read_value(&arena, str_of(texts[i]), "x.json", &input.report, &err));
        assert_false(delta_check_report(&input, &err));
        assert_int_equal(err.kind, ERR_IO);
        arena_close(&arena);
    }
}

struct parse_row {
    const char *text;
    enum fail_on_op op;
    enum fail_on_measure measure;
    double limit;
    const char *target; /* NULL: refused */
};

static const struct parse_row parse_rows[] = {
    {"a.b > +5%", FAIL_ON_ABOVE, FAIL_ON_PERCENT, 5, "a.b"},
    {"a.b>5%", FAIL_ON_ABOVE, FAIL_ON_PERCENT, 5, "a.b"},
    {"a.b >= 0.5 %", FAIL_ON_AT_LEAST, FAIL_ON_PERCENT, 0.5, "a.b"},
    {"a.b < -5%", FAIL_ON_BELOW, FAIL_ON_PERCENT, -5, "a.b"},
    {"a.b <= -100", FAIL_ON_AT_MOST, FAIL_ON_CHANGE, -100, "a.b"},
    {"a.b > +100", FAIL_ON_ABOVE, FAIL_ON_CHANGE, 100, "a.b"},
    {"a.b > 20000", FAIL_ON_ABOVE, FAIL_ON_VALUE, 20000, "a.b"},
    {"  *.c.d  >  0  ", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, "*.c.d"},
    {"a > b.c > 7", FAIL_ON_ABOVE, FAIL_ON_VALUE, 7, "a > b.c"}, /* a name may be anything */
    {"", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b = 5", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"ab > 5", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"> 5", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b >", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > %", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > +", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > +%", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > five", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > 5.5.5", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > 1e5", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > nan", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > 5%%", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
    {"a.b > 1111111111111111111111111111111111111111111", FAIL_ON_ABOVE, FAIL_ON_VALUE, 0, NULL},
};

static void test_rules_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(parse_rows); i++) {
        const struct parse_row *row = &parse_rows[i];
        struct fail_on rule;
        struct err err = {0};
        if (fail_on_parse(str_of(row->text), &rule, &err) != (row->target != NULL)) {
            fail_msg("'%s': %s", row->text, err.message);
        }
        if (row->target == NULL) {
            assert_int_equal(err.kind, ERR_USAGE);
            continue;
        }
        assert_true(str_eq(rule.target, str_of(row->target)));
        assert_int_equal(rule.op, row->op);
        assert_int_equal(rule.measure, row->measure);
        assert_true((double)rule.limit == row->limit);
    }
}

/* a: 100 -> 105.  a.x: 0 -> 1.  gone: 7 -> nothing.  new: nothing -> 7.  b only has peak before. */
#define OLD_REPORT                                                                                                     \
    HEAD "\"variants\":[" VARIANT("a", "100") "," VARIANT("a.x", "0") "," VARIANT("gone", "7")                         \
         ",{\"name\":\"b\",\"measurement\":{\"peak\":1,\"turn_count\":3}}]}"
#define NEW_REPORT                                                                                                     \
    HEAD "\"variants\":[" VARIANT("a", "105") "," VARIANT("a.x", "1") "," VARIANT("new", "7")                          \
         ",{\"name\":\"b\",\"measurement\":{\"turn_count\":3}}]}"

struct judge_row {
    const char *rule;
    size_t findings;
    size_t failed;
    const char *error; /* a part of the message, when it is about nothing */
};

static const struct judge_row judge_rows[] = {
    {"a.measurement.peak > +5%", 1, 0, NULL}, /* exactly 5 % is not above it */
    {"a.measurement.peak >= +5%", 1, 1, NULL},
    {"a.measurement.peak > +4.9%", 1, 1, NULL},
    {"a.measurement.peak > +4", 1, 1, NULL},
    {"a.measurement.peak > +5", 1, 0, NULL},
    {"a.measurement.peak > 104", 1, 1, NULL},
    {"a.measurement.peak > 105", 1, 0, NULL},
    {"a.measurement.peak < 106", 1, 1, NULL},
    {"a.measurement.peak < -1%", 1, 0, NULL},
    {"a.x.measurement.peak > +1000000%", 1, 1, NULL}, /* from 0 any rise is more; and the longer name is meant */
    {"a.x.measurement.peak < -1%", 1, 0, NULL},
    {"b.measurement.turn_count > +0%", 1, 0, NULL},
    {"b.measurement.peak > +100%", 1, 1, NULL},  /* what went missing fails */
    {"gone.measurement.peak > 1000", 1, 1, NULL},
    {"new.measurement.peak > +1%", 1, 1, NULL},  /* named, but there is nothing to compare it with */
    {"new.measurement.peak > 7", 1, 0, NULL},    /* which a limit of the value does not need */
    {"*.measurement.peak > +1000%", 4, 3, NULL}, /* a; a.x; gone and b's, missing; the new one is left out */
    {"*.measurement.turn_count > +0%", 1, 0, NULL},
    {"*.measurement.peak > 1000", 5, 2, NULL},
    {"a.measurement.paek > 1", 0, 0, "did you mean 'measurement.peak'?"},
    {"a.measurement.turn_count > 1", 0, 0, "no metric 'measurement.turn_count'"},
    {"*.measurement.qqq > 1", 0, 0, "no metric 'measurement.qqq'"},
    {"gine.measurement.peak > 1", 0, 0, "no variant 'gine' in these reports (did you mean 'gone'?)"},
};

static void test_rules_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(judge_rows); i++) {
        const struct judge_row *row = &judge_rows[i];
        struct arena arena;
        struct fail_on rule;
        struct fail_on_findings findings;
        struct err err = {0};
        arena_init(&arena);
        struct delta delta = delta_of(&arena, OLD_REPORT, NEW_REPORT);
        assert_true(fail_on_parse(str_of(row->rule), &rule, &err));
        bool fine = fail_on_judge(&arena, &rule, 1, &delta, 1, &findings, &err);
        if (fine != (row->error == NULL) || (!fine && strstr(err.message, row->error) == NULL)) {
            fail_msg("%s: %s", row->rule, err.message);
        }
        size_t failed = 0;
        for (size_t f = 0; fine && f < findings.count; f++) {
            failed += findings.items[f].failed;
        }
        if (fine && (findings.count != row->findings || failed != row->failed || findings.ok != (failed == 0))) {
            fail_msg("%s: %zu findings, %zu failed", row->rule, findings.count, failed);
        }
        arena_close(&arena);
    }
}

/* A variant that a later report lacks fails there, though another one has it. */
static void test_rules_of_several_reports(void **state)
{
    (void)state;
    struct arena arena;
    struct fail_on rule;
    struct fail_on_findings findings;
    struct err err = {0};
    arena_init(&arena);
    struct delta deltas[] = {delta_of(&arena, OLD_REPORT, NEW_REPORT),
                             delta_of(&arena, OLD_REPORT, HEAD "\"variants\":[]}")};
    assert_true(fail_on_parse(STR("new.measurement.peak > 7"), &rule, &err));
    assert_true(fail_on_judge(&arena, &rule, 1, deltas, 2, &findings, &err));
    assert_int_equal(findings.count, 2);
    assert_false(findings.items[0].failed);
    assert_true(findings.items[1].failed);
    assert_string_equal(findings.items[1].reason, "the variant is missing");
    assert_false(findings.ok);
    arena_close(&arena);
}

static void test_units(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"measurement.peak", "chars"},
        {"measurement.reread_multiplier", "ratio"},
        {"measurement.turn_count", "turns"},
        {"isolated_share_of_total", "ratio"},
        {"total_ratio", "ratio"},
        {"total.cost.picodollars", "picodollars"},
        {"cost.uncached_picodollars", "picodollars"},
        {"time.elapsed_us", "us"},
        {"total.requests", "requests"},
        {"budget.usd.limit", "USD"},
        {"budget.turns.used", "turns"},
        {"budget.ms.overshoot", "ms"},
        {"budget.tokens.used", "chars"},
        {"contract.retries", "count"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_true(str_eq(leaves_unit(str_of(rows[i][0]), STR("chars")), str_of(rows[i][1])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_report),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_unlike),
        cmocka_unit_test(test_no_report),
        cmocka_unit_test(test_rules_are_read),
        cmocka_unit_test(test_rules_are_judged),
        cmocka_unit_test(test_rules_of_several_reports),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
