/* The sections on money, time, verdicts and terms: what each says of small reports, and what they leave unsaid. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/section_report.h"

#define REPORT(variants) "{\"scenario\":{\"unit\":\"tokens\"},\"baseline\":\"a\",\"variants\":[" variants "]}"
#define RUN(name, keys) "{\"name\":\"" name "\"," keys "}"
#define COST(cost, uncached)                                                                                           \
    "\"total\":{\"cost\":{\"picodollars\":" cost ",\"uncached_picodollars\":" uncached "}}"
#define TIME(elapsed, work) "\"time\":{\"elapsed_us\":" elapsed ",\"work_us\":" work "}"
#define MISS(turn, cause, size, bill)                                                                                  \
    "{\"turn\":" turn ",\"cause\":\"" cause "\",\"size\":" size ",\"picodollars\":" bill "}"
#define MISSES(list) "\"cache_misses\":[" list "]"
#define RULE(rule, value, threshold)                                                                                   \
    "{\"rule\":\"" rule "\",\"value\":" value ",\"threshold\":" threshold "}"
#define SAYS(delegate, triggered, failed)                                                                              \
    "\"delegate\":" delegate ",\"triggered_rules\":[" triggered "],\"failed_rules\":[" failed "]"
#define CALLS_PASSED SAYS("true", RULE("min_tool_calls", "4", "4"), "")
#define READING_FAILED SAYS("false", "", RULE("min_cumulative", "7", "2000"))
#define VERDICTS(footprint, checklist)                                                                                 \
    "\"verdicts\":[{\"profile\":\"footprint\"," footprint "},{\"profile\":\"checklist\"," checklist "}]"
#define RECOMMENDATION(says) "\"recommendation\":{" says "}"

static void profiles(struct page *page, const struct sheet *sheet)
{
    (void)section_profiles(page, sheet);
}

static const struct section_row rows[] = {
    {"no money, no section", section_cost, REPORT(RUN("a", "\"measurement\":{\"turn_count\":3}")), ""},
    {"no clock, no section", section_time, REPORT(RUN("a", "\"time\":3")), ""},
    {"no cache, no section", section_misses, REPORT(RUN("a", "\"cache_misses\":null")), ""},
    {"no verdicts, no section", profiles, REPORT(RUN("a", "\"verdicts\":[]")), ""},
    {"no composition, no section", section_composition, REPORT(RUN("a", "\"composition\":{}")), ""},
    {"no terms, no section", section_terms, REPORT(RUN("a", "\"budget\":7,\"contract\":[]")), ""},
    {"a saving and a loss by caching; a price of nothing is a price", section_cost,
     REPORT(RUN("a", COST("2000000000", "4000000000")) "," RUN("b", COST("5000000000", "4000000000")) ","
            RUN("c", COST("0", "0"))),
     "\nWhat it costs (tokens as they are billed)\n"
     "                                a          b         c\n"
     "total cost              $0.002000  $0.005000        $0\n"
     "  against the baseline   baseline   +150.0 %  −100.0 %\n"
     "  without caching       $0.004000  $0.004000        $0\n"
     "  change by caching       −50.0 %    +25.0 %         –\n"},
    {"buckets that nobody used are left out; descendants only where they add something", section_cost,
     REPORT(RUN("a", "\"tokens\":{\"fresh\":5,\"read\":0,\"output\":7},"
                     "\"total\":{\"tokens\":{\"fresh\":9,\"read\":0,\"output\":7},\"requests\":3}")),
     "\nWhat it costs (tokens as they are billed)\n"
     "                  a\n"
     "fresh input       5\n"
     "  with subagents  9\n"
     "output            7\n"
     "requests in all   3\n"},
    {"work that did not change is not compared", section_time,
     REPORT(RUN("a", TIME("48000000", "50000000")) "," RUN("b", TIME("14000000", "50000000"))),
     "\nHow long it takes (on the simulated clock)\n"
     "                               a        b\n"
     "elapsed                     48 s     14 s\n"
     "  against the baseline  baseline  −70.8 %\n"
     "work of all agents          50 s     50 s\n"},
    {"a cache that nothing fell out of", section_misses, REPORT(RUN("a", MISSES(""))),
     "\nCache misses\nNone: no request paid again for what an earlier one had put into the cache.\n"},
    {"by cause, the dearest turns first, without prices the largest", section_misses,
     REPORT(RUN("a", MISSES(MISS("2", "ttl", "10", "0") "," MISS("3", "odd\\u001b", "1", "0") ","
                            MISS("4", "ttl", "30", "0") "," MISS("5", "ttl", "20", "0") ","
                            MISS("6", "ttl", "5", "0") "," MISS("7", "ttl", "25", "0")))),
     "\nCache misses (paid again though it was read before; dearest turns first)\n"
     "run  cause          misses  tokens lost  bill  at turns\n"
     "a    expired (ttl)       5           90     –  4, 7, 5, 2, …\n"
     "a    odd\\x1B             1            1     –  3\n"},
    {"sums that do not fit stop at the largest number", section_misses,
     REPORT(RUN("a", MISSES(MISS("2", "ttl", "9223372036854775807", "9223372036854775807") ","
                            MISS("3", "ttl", "1", "1")))),
     "\nCache misses (paid again though it was read before; dearest turns first)\n"
     "run  cause          misses                tokens lost           bill  at turns\n"
     "a    expired (ttl)       2  9,223,372,036,854,775,807  $9,223,372.04  2, 3\n"},
    {"profiles that agree need no sentence", profiles,
     REPORT(RUN("a", VERDICTS(READING_FAILED, SAYS("false", "", RULE("min_tool_calls", "3", "4"))) ","
                     RECOMMENDATION(READING_FAILED))),
     "\nWorth delegating? (* = the recommendation)\n"
     "                                 a\n"
     "* footprint: every gate         no\n"
     "    cumulative           7 < 2,000\n"
     "  checklist: any gate           no\n"
     "    tool calls               3 < 4\n"},
    {"variants that disagree alike share a sentence; a chosen profile is named", profiles,
     REPORT(RUN("a", VERDICTS(READING_FAILED, CALLS_PASSED) "," RECOMMENDATION(CALLS_PASSED)) ","
            RUN("b", VERDICTS(READING_FAILED, CALLS_PASSED) "," RECOMMENDATION(CALLS_PASSED))),
     "\nWorth delegating? (* = the recommendation)\n"
     "                                 a          b\n"
     "  footprint: every gate         no         no\n"
     "    cumulative           7 < 2,000  7 < 2,000\n"
     "* checklist: any gate          yes        yes\n"
     "    tool calls               4 ≥ 4      4 ≥ 4\n"
     "This scenario chose checklist for its recommendation, not footprint.\n"
     "a, b: checklist says yes (tool calls 4 ≥ 4), but footprint says no (cumulative 7\n"
     "< 2,000).\n"},
    {"a recommendation of no known profile stands for itself", profiles,
     REPORT(RUN("a", VERDICTS(READING_FAILED, CALLS_PASSED) "," RECOMMENDATION(SAYS("true", "", "")))),
     "\nWhat the profiles say\n"
     "                                 a\n"
     "  footprint: every gate         no\n"
     "    cumulative           7 < 2,000\n"
     "  checklist: any gate          yes\n"
     "    tool calls               4 ≥ 4\n"
     "a: checklist says yes (tool calls 4 ≥ 4), but footprint says no (cumulative 7 <\n"
     "2,000).\n"},
    {"more parts than are shown are added up, the largest first", section_composition,
     REPORT(RUN("a", "\"composition\":[{\"kind\":\"system\",\"tool\":null,\"size\":1,\"share\":0.01,\"cumulative\":3},"
                     "{\"kind\":\"user\",\"size\":2,\"share\":0.02,\"cumulative\":4},"
                     "{\"kind\":\"tool_result\",\"tool\":\"d\",\"size\":3},{\"kind\":\"tool_result\",\"tool\":\"e\","
                     "\"size\":4},{\"kind\":\"tool_result\",\"tool\":\"f\",\"size\":5},{\"kind\":\"odd\",\"size\":6},"
                     "{\"size\":7},{\"kind\":\"failed_result\",\"tool\":\"g\",\"size\":72,\"share\":0.72,"
                     "\"cumulative\":2000}]")),
     "\nWhat fills the last request (in tokens; read in all = over all turns)\n"
     "variant  content         tool  size   share  read in all\n"
     "a        failed results  g       72  72.0 %        2,000\n"
     "         –                        7       –            –\n"
     "         odd                      6       –            –\n"
     "         tool results    f        5       –            –\n"
     "         tool results    e        4       –            –\n"
     "         tool results    d        3       –            –\n"
     "         … and 2 more             3   3.0 %            7\n"},
    {"budgets in their units, of subagents too; a pool of another kind is left out", section_terms,
     REPORT(RUN("a", "\"budget\":{\"usd\":{\"limit\":0.5,\"used\":0.525,\"overshoot\":0.025},"
                     "\"ms\":{\"limit\":1500.5,\"used\":750.25,\"overshoot\":0},\"turns\":3},"
                     "\"subagents\":[{\"name\":\"s\",\"run\":\"a/1\",\"status\":\"aborted\","
                     "\"budget\":{\"tokens\":{\"limit\":0,\"used\":4,\"overshoot\":4}},"
                     "\"contract\":{\"violations\":2,\"retries\":1,\"truncated\":\"x\"}}]")),
     "\nBudgets (checked after each model call, so the last one may pass the limit)\n"
     "run    budget of    limit     used    share  overshoot\n"
     "a      money      $0.5000  $0.5250  105.0 %   $0.02500\n"
     "a      time         1.5 s   750 ms   50.0 %       none\n"
     "a/1 s  tokens           0        4        –          4\n"
     "\nReturn contracts\n"
     "run    status   violations  retries  truncated\n"
     "a/1 s  aborted           2        1          –\n"},
};

static void check(struct str got, const char *why, const char *want)
{
    if (!str_eq(got, str_of(want))) {
        fail_msg("%s:\n%.*s\nis not\n%s", why, (int)got.len, got.data, want);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        arena_init(&arena);
        check(section_text(&arena, &rows[i], NULL), rows[i].why, rows[i].want);
        arena_close(&arena);
    }
}

/* What a limit left out is never passed over in silence, nor added up as if it were 0. */
static void test_limits(void **state)
{
    (void)state;
    static const struct value_limit limits[] = {{"cache_misses", 1}, {"composition", 1}, {"subagents", 1}, {NULL, 0}};
    static const struct section_row cut[] = {
        {"misses", section_misses,
         REPORT(RUN("a", MISSES(MISS("2", "ttl", "10", "0") "," MISS("4", "ttl", "30", "0")))),
         "\nCache misses (paid again though it was read before; dearest turns first)\n"
         "run  cause          misses  tokens lost  bill  at turns\n"
         "a    expired (ttl)       1           10     –  2\n"
         "Of long runs the last 1 are not counted.\n"},
        {"parts", section_composition,
         REPORT(RUN("a", "\"composition\":[{\"kind\":\"user\",\"size\":2},{\"kind\":\"system\",\"size\":3}]")),
         "\nWhat fills the last request (in tokens; read in all = over all turns)\n"
         "variant  content       tool  size  share  read in all\n"
         "a        user text              2      –            –\n"
         "         … and 1 more\n"},
        {"subagents", section_terms,
         REPORT(RUN("a", "\"contract\":{\"violations\":2},\"subagents\":[{},{},{}]")),
         "\nReturn contracts\n"
         "run  status  violations  retries  truncated\n"
         "a                     2        –          –\n"
         "… not looked at: 2 more subagents\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
        struct arena arena;
        arena_init(&arena);
        check(section_text(&arena, &cut[i], limits), cut[i].why, cut[i].want);
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
