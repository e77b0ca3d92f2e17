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
#define CUT(name) "{\"name\":\"" name "\",\"status\":\"partial\",\"measurement\":{\"peak\":1,\"cumulative\":1}}"
#define COMPARED(name, peak, total, isolated)                                                                          \
    "{\"variant\":\"" name "\",\"parent_peak_savings_ratio\":" peak ",\"total_ratio\":" total                          \
    ",\"isolated_share_of_total\":" isolated "}"
#define TWO_RUNS RUN("a", "10", "30", "3") "," RUN("b", "1", "1", "1")
#define ECONOMICAL(name, cost, uncached, elapsed)                                                                      \
    "{\"name\":\"" name "\",\"measurement\":{\"peak\":10,\"cumulative\":30,\"reread_multiplier\":3},"                  \
    "\"total\":{\"cost\":{\"picodollars\":" cost ",\"uncached_picodollars\":" uncached "}},"                           \
    "\"time\":{\"elapsed_us\":" elapsed "}}"
#define READ_30 "a read 30 chars to build a window of 10: each was read 3.0 times on average; "
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
    {"all but nothing of the peak is left", REPORT(TWO_RUNS, COMPARED("b", "0.9997", "0.0002", "0")),
     READ_30 "b takes more than 99.9 % off the parent's peak and lowers the total to less than 0.1 %."},
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
    {"money and time fall",
     REPORT(ECONOMICAL("a", "40000000000", "1", "48000000") "," ECONOMICAL("b", "35080000000", "1", "14000000"),
            COMPARED("b", "0.9", "0.5", "0.9")),
     READ_30 "b takes 90.0 % off the parent's peak and lowers the total to 50.0 %, while total cost falls by 12.3 % to "
     "$0.03508 and elapsed time falls from 48 s to 14 s."},
    {"money rises tenfold, time stays",
     REPORT(ECONOMICAL("a", "1000000000", "1", "48000000") "," ECONOMICAL("b", "11000000000", "1", "48000001"),
            COMPARED("b", "0", "1", "0")),
     READ_30 "b leaves the parent's peak as it is, and the total stays the same, while total cost rises from $0.001000 "
     "to $0.01100 and elapsed time stays at 48 s."},
    {"only the baseline has a clock, and nothing costs anything",
     REPORT(ECONOMICAL("a", "0", "0", "1") "," ECONOMICAL("b", "0", "0", "null"), COMPARED("b", "0", "1", "0")),
     READ_30 "b leaves the parent's peak as it is, and the total stays the same, while total cost stays at $0."},
    {"alone, with money and time", REPORT(ECONOMICAL("a", "27280000000", "54560000000", "14000000"), ""),
     READ_30 "all of it costs $0.02728, 50.0 % less than without caching, and takes 14 s."},
    {"alone, with time alone", REPORT(ECONOMICAL("a", "null", "1", "800000"), ""), READ_30 "it takes 800 ms."},
    {"the best of many",
     REPORT(TWO_RUNS "," RUN("c", "1", "1", "1") "," RUN("d", "1", "1", "1"),
            COMPARED("b", "0.9", "1.5", "0") "," COMPARED("c", "0.5", "0.25", "0") "," COMPARED("d", "0", "1", "0")),
     "a read 30 chars to build a window of 10: each was read 3.0 times on average; best of 3 for the peak, b takes "
     "90.0 % off the parent's peak, but the total rises to 150.0 %; best of 3 for the total, c takes 50.0 % off the "
     "parent's peak and lowers the total to 25.0 %."},
    {"what was cut short is no best",
     REPORT(TWO_RUNS "," CUT("c") "," RUN("d", "1", "1", "1"),
            COMPARED("b", "0.9", "0.75", "0") "," COMPARED("c", "0.99", "0.25", "0") "," COMPARED("d", "0", "1", "0")),
     READ_30 "best of 3 for peak and total, b takes 90.0 % off the parent's peak and lowers the total to 75.0 %."},
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
