/* Suite: all scenarios below some paths, each under its own options and its cases, against their goldens.
 *
 *     suite_find -> suite_plan -> suite_run -> [suite_review] -> suite_print, suite_send_reports
 *
 * A test's golden is `golden/NAME.json` beside its scenario, NAME being the file's stem, or STEM.CASE.
 *
 *  I1  Tests stand by path, then by case as listed; what is printed does not depend on which one ended first.
 *  I2  A test that cannot be run is one test that failed; all others run.
 *  I3  A golden changes only when it is accepted, and then at once and as a whole.  With CI set nothing is written.
 *
 * Everything lives in the arena of the command.
 */
#ifndef CLI_SUITE_H
#define CLI_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"
#include "batch/drift.h"
#include "batch/job.h"
#include "cli/progress.h"

struct arena;
struct opt_values;
struct page;
struct str_list;

#define SUITE_BYTES_MAX ((size_t)256 << 20) /* of a report, of a golden */

enum suite_status {
    SUITE_WAITING,
    SUITE_PASSED,
    SUITE_ACCEPTED, /* the golden was written */
    SUITE_MISSING,  /* there is no golden */
    SUITE_DIFFERENT,
    SUITE_UNMET,    /* the report itself says no */
    SUITE_FAULT,    /* the scenario is at fault */
    SUITE_BROKEN    /* reading, writing or the program failed */
};

/* One scenario file, and what it says about itself. */
struct suite_file {
    struct str path;
    struct str stem;
    bool described;
    struct value description; /* an object, once described */
    struct err *err;          /* why it could not be described */
    struct str notes;
};

struct suite_test {
    const struct suite_file *file;
    struct str name;      /* STEM or STEM.CASE */
    struct str case_name; /* empty: the scenario's own options */
    struct job_option *options;
    size_t option_count;
    const char *golden; /* its path */
    enum suite_status status;
    int exit_code;      /* that this test alone asks for */
    bool compared;      /* with its golden */
    bool pending;       /* NAME.json.new was written and waits to be accepted */
    struct str message; /* one line */
    struct str details; /* safe lines */
    struct str notes;   /* what the scenario printed */
};

struct suite {
    struct arena *arena;
    const struct opt_values *values;
    struct drift drift;
    bool may_write;
    struct progress progress;
    struct suite_file *files; /* by path */
    size_t file_count;
    struct suite_test *tests;
    size_t test_count;
    struct str *stale; /* goldens that belong to no test */
    size_t stale_count;
    int interrupted; /* the signal that ended it, or 0 */
};

/* Reads the flags.  False with ERR_USAGE. */
MUST_USE bool suite_init(struct suite *suite, struct arena *arena, const struct opt_values *values, struct err *err);

/* Files as named, and all files `*.lua` below folders; what begins with `.` or `_` is left out there. */
MUST_USE bool suite_find(struct suite *suite, const struct str_list *words, struct err *err);

/* Asks every scenario for its cases. */
MUST_USE bool suite_plan(struct suite *suite, struct err *err);

/* Runs and judges. */
MUST_USE bool suite_run(struct suite *suite, struct err *err);

/* Asks on the terminal what to do about each pending test. */
MUST_USE bool suite_review(struct suite *suite, struct err *err);

void suite_print(const struct suite *suite, struct page *page);

/* Writes what --report asked for. */
MUST_USE bool suite_send_reports(const struct suite *suite, struct err *err);

int suite_exit_code(const struct suite *suite);

#endif
