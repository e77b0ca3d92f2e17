/* Next: one command that goes on from a run, for whoever sits at the terminal. */
#ifndef CLI_NEXT_H
#define CLI_NEXT_H

#include <stdbool.h>

#include "base/str.h"

struct arena;
struct opt_values;

/* On stderr, and only where people read: text on a terminal, and not --quiet.  `ok` is the report's verdict. */
void next_print(struct arena *arena, const struct opt_values *values, struct str scenario, bool ok);

/* The same for the row alone, wherever it goes.  Empty after a run that `simagent test` would not make again. */
struct str next_command(struct arena *arena, const struct opt_values *values, struct str scenario, bool ok);

#endif
