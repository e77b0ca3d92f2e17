/* Input: a report to compare, from a file, from stdin, or from a scenario that is run for it.
 *
 *  - `-` is stdin, and what ends in `.json` a file;
 *  - anything else is a scenario (cli/locate.h), run with the flags and options of the command line.
 *
 * A scenario whose expectations fail has a report like any other: what became better or worse is for the comparison to
 * say.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"

struct arena;
struct opt_values;

bool input_is_report(struct str word);

/* The report as a value in the arena.  *interrupted is the signal that ended a run, or 0; then there is no report. */
MUST_USE bool input_read(struct arena *arena, const struct opt_values *values, struct str word, struct value *report,
                         int *interrupted, struct err *err);

#endif
