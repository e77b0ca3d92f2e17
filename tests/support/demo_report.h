/* The report of the demo project read in one context, behind one subagent and behind three, as a test's input. */
#ifndef SUPPORT_DEMO_REPORT_H
#define SUPPORT_DEMO_REPORT_H

#include <stddef.h>
#include <string.h>

#define DEMO_MONOLITHIC                                                                                                \
    "{\"name\":\"monolithic\",\"run\":\"monolithic\",\"status\":\"complete\",\"stop_reason\":\"stop\","                \
    "\"final_text\":\"Summary complete.\",\"measurement\":{\"peak\":6144,\"cumulative\":19741,"                        \
    "\"reread_multiplier\":3.2130533854166665,\"turn_count\":7,\"final_context\":6161},"                               \
    "\"per_turn\":[26,828,1289,2393,4002,5059,6144],\"candidates\":["                                                  \
    "{\"entry\":3,\"tool\":\"read_file\",\"label\":\"# delegate-demo\",\"size\":733,\"appearances\":6,"                \
    "\"later_rereads\":5,\"waste\":3665},"                                                                             \
    "{\"entry\":9,\"tool\":\"read_file\",\"label\":\"\\\"\\\"\\\"Read raw order files and split them i\","             \
    "\"size\":1027,\"appearances\":4,\"later_rereads\":3,\"waste\":3081},"                                             \
    "{\"entry\":12,\"tool\":\"read_file\",\"label\":\"\\\"\\\"\\\"Turn raw records into typed rows, col\","            \
    "\"size\":1532,\"appearances\":3,\"later_rereads\":2,\"waste\":3064},"                                             \
    "{\"entry\":6,\"tool\":\"read_file\",\"label\":\"[build-system]\",\"size\":382,\"appearances\":5,"                 \
    "\"later_rereads\":4,\"waste\":1528},"                                                                             \
    "{\"entry\":15,\"tool\":\"read_file\",\"label\":\"\\\"\\\"\\\"Load, parse and aggregate in one call\","            \
    "\"size\":976,\"appearances\":2,\"later_rereads\":1,\"waste\":976},"                                               \
    "{\"entry\":18,\"tool\":\"read_file\",\"label\":\"from decimal import Decimal\",\"size\":990,\"appearances\":1,"   \
    "\"later_rereads\":0,\"waste\":0}],"                                                                               \
    "\"boundary\":{\"target_savings_ratio\":0.5,\"entries\":[3,9,12,6],\"achieved_savings\":11338,"                    \
    "\"achieved_savings_ratio\":0.5743376728635834},"                                                                  \
    "\"recommendation\":{\"delegate\":true,\"triggered_rules\":["                                                      \
    "{\"rule\":\"min_cumulative\",\"value\":19741,\"threshold\":2000},"                                                \
    "{\"rule\":\"min_reread_multiplier\",\"value\":3.2130533854166665,\"threshold\":1.5},"                             \
    "{\"rule\":\"min_boundary_savings_ratio\",\"value\":0.5743376728635834,\"threshold\":0.3}],"                       \
    "\"failed_rules\":[],\"reason\":\"all gates passed\"},"                                                            \
    "\"isolated\":{\"peak\":0,\"cumulative\":0,\"reread_multiplier\":0,\"turn_count\":0},"                             \
    "\"total_cumulative\":19741,\"subagents\":[]}"

#define DEMO_DELEGATED                                                                                                 \
    "{\"name\":\"delegated\",\"run\":\"delegated\",\"status\":\"complete\",\"stop_reason\":\"stop\","                  \
    "\"final_text\":\"Summary complete.\",\"measurement\":{\"peak\":173,\"cumulative\":199,"                           \
    "\"reread_multiplier\":1.1502890173410405,\"turn_count\":2,\"final_context\":190},\"per_turn\":[26,173],"          \
    "\"candidates\":[{\"entry\":3,\"tool\":\"task\",\"label\":\"Repo summarised.\",\"size\":16,\"appearances\":1,"     \
    "\"later_rereads\":0,\"waste\":0}],"                                                                               \
    "\"boundary\":{\"target_savings_ratio\":0.5,\"entries\":[3],\"achieved_savings\":0,\"achieved_savings_ratio\":0}," \
    "\"recommendation\":{\"delegate\":false,\"triggered_rules\":[],\"failed_rules\":["                                 \
    "{\"rule\":\"min_cumulative\",\"value\":199,\"threshold\":2000},"                                                  \
    "{\"rule\":\"min_reread_multiplier\",\"value\":1.1502890173410405,\"threshold\":1.5},"                             \
    "{\"rule\":\"min_boundary_savings_ratio\",\"value\":0,\"threshold\":0.3}],\"reason\":\"no gate passed\"},"         \
    "\"isolated\":{\"peak\":6174,\"cumulative\":19951,\"reread_multiplier\":3.2314544865565273,\"turn_count\":7},"     \
    "\"total_cumulative\":20150,\"subagents\":[{\"name\":\"repo_scanner\",\"run\":\"delegated/1\","                    \
    "\"parent\":\"delegated\",\"status\":\"complete\",\"stop_reason\":\"stop\",\"final_text\":\"Repo summarised.\","   \
    "\"measurement\":{\"peak\":6174,\"cumulative\":19951,\"reread_multiplier\":3.2314544865565273,"                    \
    "\"turn_count\":7,\"final_context\":6190},\"per_turn\":[56,858,1319,2423,4032,5089,6174],\"subagents\":[]}]}"

#define DEMO_SPLIT                                                                                                     \
    "{\"name\":\"split\",\"run\":\"split\",\"status\":\"complete\",\"stop_reason\":\"stop\","                          \
    "\"final_text\":\"Summary complete.\",\"measurement\":{\"peak\":428,\"cumulative\":908,"                           \
    "\"reread_multiplier\":2.121495327102804,\"turn_count\":4,\"final_context\":445},\"per_turn\":[26,160,294,428],"   \
    "\"candidates\":[{\"entry\":3,\"tool\":\"task\",\"label\":\"Part done.\",\"size\":10,\"appearances\":3,"           \
    "\"later_rereads\":2,\"waste\":20},{\"entry\":6,\"tool\":\"task\",\"label\":\"Part done.\",\"size\":10,"           \
    "\"appearances\":2,\"later_rereads\":1,\"waste\":10},{\"entry\":9,\"tool\":\"task\",\"label\":\"Part done.\","     \
    "\"size\":10,\"appearances\":1,\"later_rereads\":0,\"waste\":0}],"                                                 \
    "\"boundary\":{\"target_savings_ratio\":0.5,\"entries\":[3,6,9],\"achieved_savings\":30,"                          \
    "\"achieved_savings_ratio\":0.03303964757709251},"                                                                 \
    "\"recommendation\":{\"delegate\":false,\"triggered_rules\":["                                                     \
    "{\"rule\":\"min_reread_multiplier\",\"value\":2.121495327102804,\"threshold\":1.5}],\"failed_rules\":["           \
    "{\"rule\":\"min_cumulative\",\"value\":908,\"threshold\":2000},"                                                  \
    "{\"rule\":\"min_boundary_savings_ratio\",\"value\":0.03303964757709251,\"threshold\":0.3}],"                      \
    "\"reason\":\"two gates failed\"},"                                                                                \
    "\"isolated\":{\"peak\":2769,\"cumulative\":9585,\"reread_multiplier\":3.4615384615384617,\"turn_count\":9},"      \
    "\"total_cumulative\":10493,\"subagents\":["                                                                       \
    "{\"name\":\"part0\",\"run\":\"split/1\",\"parent\":\"split\",\"status\":\"complete\",\"stop_reason\":\"stop\","   \
    "\"per_turn\":[56,858,1319],\"subagents\":[]},"                                                                    \
    "{\"name\":\"part1\",\"run\":\"split/2\",\"parent\":\"split\",\"status\":\"complete\",\"stop_reason\":\"stop\","   \
    "\"per_turn\":[56,1160,2769],\"subagents\":[]},"                                                                   \
    "{\"name\":\"part2\",\"run\":\"split/3\",\"parent\":\"split\",\"status\":\"complete\",\"stop_reason\":\"stop\","   \
    "\"per_turn\":[56,1113,2198],\"subagents\":[]}]}"

#define DEMO_HEAD                                                                                                      \
    "{\"schema\":\"simagent.report/1\",\"scenario\":{\"name\":\"repo_scan\","                                          \
    "\"description\":\"Read every file in one context, or behind subagents.\","                                        \
    "\"task\":\"Summarise this repository.\",\"unit\":\"chars\",\"seed\":0,\"options\":{\"limit\":0}},"                \
    "\"workspace\":{\"files\":6,\"bytes\":5640,\"skipped\":{\"link\":0,\"special\":0,\"too_large\":0,"                 \
    "\"unreadable\":0}},\"baseline\":\"monolithic\",\"variants\":["

#define DEMO_COMPARISONS                                                                                               \
    "\"comparisons\":[{\"baseline\":\"monolithic\",\"variant\":\"delegated\","                                         \
    "\"parent_peak_savings_ratio\":0.9718424479166666,\"parent_cumulative_savings_ratio\":0.9899194569677321,"         \
    "\"isolated_share_of_total\":0.9901240694789082,\"total_ratio\":1.020718302011043},"                               \
    "{\"baseline\":\"monolithic\",\"variant\":\"split\",\"parent_peak_savings_ratio\":0.9303385416666666,"             \
    "\"parent_cumulative_savings_ratio\":0.9540043564155818,\"isolated_share_of_total\":0.9134661202706567,"           \
    "\"total_ratio\":0.5315333569727977}]"

#define DEMO_TAIL                                                                                                      \
    ",\"expectations\":[{\"metric\":\"delegated.parent_peak_savings_ratio\",\"op\":\">=\",\"want\":0.5,"           \
    "\"got\":0.9718424479166666,\"ok\":true}],\"ok\":true}"

/* In pieces, since one literal may hold no more than 4095 characters. */
static inline void demo_report_json(char out[16384])
{
    static const char *const pieces[] = {DEMO_HEAD, DEMO_MONOLITHIC, ",", DEMO_DELEGATED, ",", DEMO_SPLIT, "],",
                                         DEMO_COMPARISONS, DEMO_TAIL};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        strcat(out, pieces[i]);
    }
}

#endif
