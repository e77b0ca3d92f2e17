/* What the files of the suite share. */
#ifndef CLI_SUITE_OWN_H
#define CLI_SUITE_OWN_H

#include "batch/crew.h"
#include "cli/suite.h"

struct golden_diff;

/* The job that does what the command line said with one scenario; mode and options are for the caller to set. */
struct job suite_job(const struct suite *suite, const struct suite_file *file);

/* How many children at once for so many jobs. */
size_t suite_most(const struct suite *suite, size_t jobs);

/* "path" or "path (case)". */
struct str suite_title(struct arena *arena, const struct suite_test *test);

/* Takes the outcome of one run: compares, writes, and fills status, message and details. */
void suite_judge(struct suite *suite, struct suite_test *test, struct str report, bool ok);

/* Writes the golden and drops what was pending. */
MUST_USE bool suite_accept(struct suite *suite, struct suite_test *test, struct str report, struct err *err);

/* The test could not be run, or its result not be kept. */
void suite_fail(struct suite_test *test, struct arena *arena, const struct err *err);

/* What is different, as safe lines. */
struct str suite_diff_text(struct arena *arena, const struct golden_diff *diff);

/* Finds goldens that belong to no test, in the folders of the files. */
void suite_find_stale(struct suite *suite);

#endif
