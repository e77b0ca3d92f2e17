/* Commands: what the first word of a command line can be besides a scenario.
 *
 * One file per command and one line in the table; the help and the suggestions come from the table.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct opt_values;
struct str_list;

struct command {
    const char *name;
    const char *usage;   /* after the name */
    const char *summary; /* one line for the help */
    const char *help;    /* lines below the usage in `help NAME`; NULL: the program's help says all */

    /* `words` follow the command's name.  False with err, or true with the exit code. */
    bool (*run)(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err);
};

extern const struct command *const commands[]; /* ended by NULL */
extern const struct command command_run;
extern const struct command command_compare;
extern const struct command command_help;
extern const struct command command_test;
extern const struct command command_init;
extern const struct command command_list;

const struct command *command_find(struct str name); /* NULL if there is none of that name */

/* A word that is no file, no command and no bundled scenario, nor, with `tools`, one of those: ERR_USAGE, with the
 * nearest name. */
bool command_fail_unknown(struct str word, bool tools, struct err *err);

/* The command to try after a wrong command line: that which lists a scenario's options where some were given. */
struct str command_hint(struct arena *arena, const struct opt_values *values);

/* Does what the command line says: exit code in *exit_code, or false with err. */
MUST_USE bool command_dispatch(struct arena *arena, const struct opt_values *values, int *exit_code, struct err *err);

#endif
