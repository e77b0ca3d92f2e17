/* The gates of a recommendation: the sign between value and threshold is the verdict. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"
#include "support/rendered.h"
#include "support/tell_json.h"

#define HEADING "\nWorth delegating? (yes when every gate passes)\n"
#define HEADING_ANY "\nWorth delegating? (yes when one gate passes)\n"
#define REPORT(delegate, triggered, failed)                                                                            \
    "{\"variants\":[{\"name\":\"a\",\"recommendation\":{\"delegate\":" delegate ",\"triggered_rules\":[" triggered     \
    "],\"failed_rules\":[" failed "]}}]}"
#define RULE(rule, value, threshold)                                                                                   \
    "{\"rule\":\"" rule "\",\"value\":" value ",\"threshold\":" threshold "}"

struct row {
    const char *why;
    const char *report;
    const char *want;
};

static const struct row rows[] = {
    {"no recommendation", "{\"variants\":[{\"name\":\"a\"}]}", ""},
    {"equality passes, a whole threshold may be a real",
     REPORT("true", RULE("min_cumulative", "2000", "2e3"), ""),
     HEADING "variant  delegate     cumulative\na        yes       2,000 ≥ 2,000\n"},
    {"the known gates keep their order, whichever failed",
     REPORT("false", RULE("min_boundary_savings_ratio", "0.5", "0.3"), RULE("min_cumulative", "7", "2000")),
     HEADING "variant  delegate  cumulative   boundary saves\na        no         7 < 2,000  50.0 % ≥ 30.0 %\n"},
    {"a miss by less than is shown is shown in full",
     REPORT("false", "", RULE("min_reread_multiplier", "1.4996", "1.5")),
     HEADING "variant  delegate       re-read\na        no        1.4996 < 1.5\n"},
    {"a share that is nearly all or nothing has more decimals",
     REPORT("false", RULE("min_boundary_savings_ratio", "0.99972", "0.3"), ""),
     HEADING "variant  delegate     boundary saves\na        no        99.972 % ≥ 30.0 %\n"},
    {"rules of other profiles",
     REPORT("true", RULE("min_tool_calls", "4", "4"), RULE("odd\\u001b", "null", "1")),
     HEADING_ANY "variant  delegate  tool calls  odd\\x1B\na        yes            4 ≥ 4   failed\n"},
    {"the multiple of the overhead must be passed, meeting it is not enough",
     REPORT("false", RULE("min_overhead_calls", "5", "5"), RULE("min_overhead_multiple", "5", "5")),
     HEADING "variant  delegate  results / overhead  tool calls\na        no               5.00 ≤ 5.00       5 ≥ 5\n"},
    {"a pass by less than is shown is shown in full",
     REPORT("true", RULE("min_overhead_multiple", "5.001", "5"), ""),
     HEADING "variant  delegate  results / overhead\na        yes                5.001 > 5\n"},
    {"no rules at all", REPORT("false", "", ""), HEADING "variant  delegate\na        no\n"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct sink sink;
        struct value_builder builder;
        struct sheet sheet;
        int fd = memfd_create("gates", MFD_CLOEXEC);
        arena_init(&arena);
        sink_open(&sink, fd);
        value_builder_init(&builder, &arena, NULL);
        tell_json(rows[i].report, &builder.feed);
        sheet_init(&sheet, &arena, &builder.result, 80);
        struct page page = {.sink = &sink, .arena = &arena, .columns = 80};
        section_gates(&page, &sheet);
        assert_true(sink_close(&sink));
        struct str got = rendered_bytes(&arena, fd);
        if (!str_eq(got, str_of(rows[i].want))) {
            fail_msg("%s:\n%.*s\nis not\n%s", rows[i].why, (int)got.len, got.data, rows[i].want);
        }
        close(fd);
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
