/* Output: a result reaches its destinations complete, or not at all.
 *
 * Report and trace are written to nameless files while the run lasts.  Only when everything has succeeded they are
 * copied out: to stdout, or to files that are written aside and renamed.
 *
 *  I1  Nothing is visible before output_send.
 *  I2  Both files are written in full before the first is renamed.
 *  I3  A signal that arrives while a temporary file has a name is held back until it has none.
 *
 * Owned by whoever declares the struct.  SIGPIPE must be ignored.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/spool.h"
#include "base/str.h"

struct arena;
struct opt_values;

#define OUTPUT_PIPE_CLOSED 141 /* the exit code when the reader of stdout is gone; says nothing */

struct output {
    const char *report_path; /* NULL: stdout */
    const char *trace_path;  /* NULL: none */
    struct spool report;
    struct spool trace;
};

/* Fails early when a destination cannot be written.  After a failure nothing needs closing. */
MUST_USE bool output_open(struct output *output, struct arena *arena, const struct opt_values *values,
                          struct err *err);

/* False with ERR_USAGE if a destination is the file that the result is made from. */
MUST_USE bool output_spares(const struct output *output, struct arena *arena, struct str source, struct err *err);

/* Copies everything out.  *exit_code changes only when stdout's reader is gone. */
MUST_USE bool output_send(struct output *output, int *exit_code, struct err *err);

void output_close(struct output *output);

/* A short result, straight to stdout; *exit_code as above, else 0. */
MUST_USE bool output_text(struct str text, int *exit_code, struct err *err);

#endif
