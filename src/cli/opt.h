/* Options: the rows of all common flags, and the parser that reads a command line by them.
 *
 * A row says everything about a flag once: its name, what it takes, where its value goes and what the help says.  The
 * parser stores and checks, it never acts.  A scenario declares options of its own, which nobody knows before it is
 * loaded: so an unknown `--name` is no error here but collected in order, and the scenario's process judges it.
 *
 *  I1  Names are never abbreviated; a wrong one is never taken for another.
 *  I2  Later flags win over earlier ones; lists keep the order given.
 *
 * Values point into argv or the arena.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "batch/job.h"

struct arena;

struct str_list {
    struct str *items;
    size_t count;
};

/* A flag that may stand alone, or be given names. */
struct opt_choice {
    bool given;
    struct str_list names; /* empty: all */
};

/* What a command line said, with the defaults for what it did not say. */
struct opt_values {
    struct str_list words;      /* what is no flag: verb, scenario */
    struct job_option *options; /* the scenario's own options and --set, in the order given */
    size_t option_count;
    struct str swallowed;       /* the value that the last scenario option before the first word took, or empty */
    struct str swallower;       /* that option's name */
    struct str format;
    struct str output;          /* data is NULL: stdout */
    struct str trace;           /* data is NULL: none */
    struct str unit;            /* empty: the scenario's own */
    struct str_list allow_read;
    struct str_list names;      /* of all common flags, given or not: a scenario's options must not have them */
    int64_t seed;
    int64_t max_seconds;
    int64_t max_memory; /* bytes */
    int64_t max_steps;  /* 0: no limit */
    int64_t jobs;               /* this and the next ones belong to `test`; 0: as many as there are CPUs */
    struct opt_choice update;
    struct str_list tolerances;
    struct str_list ratchets;
    struct str_list reports;
    bool review;
    struct str_list fail_on; /* this and the next one belong to `compare` */
    bool force;
    bool allow_exec;
    bool require_sandbox;
    bool log;
    bool quiet;
    bool no_color;
    bool help;
    bool version;
};

/* argv without the program's name. */
MUST_USE bool opt_parse(struct arena *arena, int argc, char *const argv[], struct opt_values *values, struct err *err);

/* The rows as a help text, one flag a line: those of all commands, or those that one has for itself. */
void opt_help(struct strbuf *out);
void opt_help_command(struct strbuf *out, struct str command);

/* The flag that may have been meant by a wrong one on this command line, without dashes, or empty. */
struct str opt_suggest(const struct opt_values *values, struct str wanted);

#endif
