/* Describe: what a scenario does, the options it declares and its variants, without running it. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "base/err.h"

struct arena;
struct job;
struct opt_values;
struct page;
struct str;
struct value;

/* Loads the scenario (mode JOB_DESCRIBE, whatever the job says) and prints its description to stdout. */
MUST_USE bool describe_scenario(struct arena *arena, const struct opt_values *values, const struct job *job,
                                int *exit_code, struct err *err);

/* The same for a description at hand; `word` is how the scenario was named. */
void describe_print(struct page *page, const struct value *description, struct str word);

#endif
