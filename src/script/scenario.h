/* Scenario: what a scenario file asked for, read and checked, as plain data.
 *
 * No Lua type appears here: whoever runs, measures or tells a scenario needs this header alone.
 */
#ifndef SCRIPT_SCENARIO_H
#define SCRIPT_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/value.h"
#include "core/sizing.h"
#include "engine/agent.h"
#include "reduce/recommend.h"

struct workspace;

struct variant {
    struct agent_spec *agent; /* agent->name is the variant's name */
    struct str task;
};

enum expect_op { EXPECT_EQ, EXPECT_NE, EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE };

struct expectation {
    struct str metric; /* VARIANT.METRIC */
    enum expect_op op;
    struct value want; /* a number, a string or a boolean */
};

/* The scenario under other options, for a golden of its own. */
struct scenario_case {
    struct str name;      /* letters, digits, _ and - */
    struct value options; /* an object of strings, numbers and booleans; not checked against what is declared */
};

struct scenario {
    struct str name;
    struct str description;
    struct str task;
    struct sizing sizing;
    bool count_schemas;
    uint32_t max_depth;
    struct economy economy;       /* of all agents that have none of their own */
    struct hooks hooks;           /* of all agents */
    const struct shell *shell;    /* behind bash; NULL when the scenario says nothing of it */
    bool real_bash;               /* bash = "real": the shell is to be a real one */
    bool runs_programs;           /* sim.command was used */
    const struct budget *budget;  /* each root's that has none of its own */
    struct str price_date;        /* of prices by name; empty = the newest */
    enum profile verdict;         /* which one is the recommendation */
    double target_savings_ratio;
    struct thresholds thresholds;
    struct workspace *workspace; /* NULL when the scenario has none */
    uint32_t baseline;           /* index of a variant */
    struct variant *variants;    /* at least one; names differ */
    uint32_t variant_count;
    struct expectation *expectations; /* in byte order of the metric */
    uint32_t expectation_count;
    struct str where; /* "FILE:LINE" of the call that described the scenario, for faults found after the run */
    struct scenario_case *cases; /* as listed; names differ */
    uint32_t case_count;
};

const char *expect_op_text(enum expect_op op);

#endif
