/* Reproduce: the command line that makes the same report again, quoted for a shell.
 *
 * Only what changes the report is in it.  Words that hold anything a terminal must not see are written as $'…' with
 * octal escapes, so that the command is both safe to print and exact.
 */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "base/str.h"

struct arena;
struct opt_values;

struct str reproduce_command(struct arena *arena, const struct opt_values *values, struct str scenario);

/* One word as a shell reads it back. */
void reproduce_quote(struct strbuf *out, struct str word);

#endif
