/* Insight: each clause is chosen by the numbers it states. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "report/insight.h"
#include "report/sheet.h"
#include "support/tell_json.h"

#define RUN(name, peak, cumulative, multiplier)                                                                        \
    "{\"name\":\"" name "\",\"measurement\":{\"peak\":" peak ",\"cumulative\":" cumulative                             \
    ",\"reread_multiplier\":" multiplier ",\"turn_count\":4}}"
#define COMPARED(name, peak, total, isolated)                                                                          \
    "{\"variant\":\"" name "\",\"parent_peak_savings_ratio\":" peak ",\"total_ratio\":" total                          \
    ",\"isolated_share_of_total\":" isolated "}"
#define TWO_RUNS RUN("a", "10", "30", "3") "," RUN("b", "1", "1", "1")
#define REPORT(variants, comparisons)                                                                                  \
    "{\"scenario\":{\"unit\":\"chars\"},\"baseline\":\"a\",\"variants\":[" variants "],\"comparisons\":[" comparisons  \
    "]}"

struct row {
    const char *why;
    const char *report;
    const char *want;
};

static const struct row rows[] = {
    {"nothing to say", "{}", ""},
    {"alone", REPORT(RUN("a", "1000", "2500", "2.5"), ""),
     "a read 2,500 chars to build a window of 1,000: each was read 2.5 times on average."},
    {"alone, with a boundary",
     REPORT("{\"name\":\"a\",\"measurement\":{\"peak\":10,\"cumulative\":20,\"reread_multiplier\":2},"
            "\"boundary\":{\"entries\":[3,6],\"achieved_savings_ratio\":0.25}}", ""),
     "a read 20 chars to build a window of 10: each was read 2.0 times on average; a subagent for its top 2 tool "
     "results would keep 25.0 % of that out of the context."},
    {"read once", REPORT(RUN("a", "10", "10", "1"), ""),
     "a read 10 chars to build a window of 10: almost nothing was read twice."},
    {"empty contexts", REPORT(RUN("a", "0", "0", "0"), ""), "a read nothing: its context was empty at every turn."},
    {"no turn", REPORT("{\"name\":\"a\"}", ""), "a read nothing: it took no turn."},
    {"the cost only moved", REPORT(TWO_RUNS, COMPARED("b", "0.9", "1.02", "0.98")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; b takes 90.0 % off the parent's "
     "peak, but the total rises to 102.0 %, of which subagents read 98.0 %."},
    {"the cost fell", REPORT(TWO_RUNS, COMPARED("b", "0.9", "0.5", "0.9")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; b takes 90.0 % off the parent's "
     "peak and lowers the total to 50.0 %."},
    {"all got worse", REPORT(TWO_RUNS, COMPARED("b", "-0.5", "2", "0")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; b adds 50.0 % to the parent's "
     "peak, and the total rises to 200.0 %."},
    {"nothing changed", REPORT(TWO_RUNS, COMPARED("b", "0", "1", "0")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; b leaves the parent's peak as it "
     "is, and the total stays the same."},
    {"cut short",
     REPORT("{\"name\":\"a\",\"status\":\"partial\",\"measurement\":{\"peak\":10,\"cumulative\":20,"
            "\"reread_multiplier\":2}}", ""),
     "a read 20 chars to build a window of 10: each was read 2.0 times on average before it was cut short."},
    {"the best of many",
     REPORT(TWO_RUNS "," RUN("c", "1", "1", "1") "," RUN("d", "1", "1", "1"),
            COMPARED("b", "0.9", "1.5", "0") "," COMPARED("c", "0.5", "0.25", "0") "," COMPARED("d", "0", "1", "0")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; best of 3 for the peak, b takes "
     "90.0 % off the parent's peak, but the total rises to 150.0 %; best of 3 for the total, c takes 50.0 % off the "
     "parent's peak and lowers the total to 25.0 %."},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct value_builder builder;
        struct sheet sheet;
        arena_init(&arena);
        value_builder_init(&builder, &arena, NULL);
        tell_json(rows[i].report, &builder.feed);
        sheet_init(&sheet, &arena, &builder.result, 80);
        struct str got = insight_sentence(&arena, &sheet);
        if (!str_eq(got, str_of(rows[i].want))) {
            fail_msg("%s:\n%.*s\nnot\n%s", rows[i].why, (int)got.len, got.data, rows[i].want);
        }
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
