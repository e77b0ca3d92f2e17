/* One failure of the program: its kind, its message, set once at the lowest level and wrapped on the way up.
 *
 * Failing is one line (`return err_set(...)`), and every function that can fail is MUST_USE.  Events inside the
 * simulated world (a missing file, a spent budget) are never an err: they are data in the transcript.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

#include "base/check.h"

/* kind, exit code: the command line maps one to the other, nobody else does. */
#define ERR_KINDS(X)                                                                                                   \
    X(NONE, 0)                                                                                                         \
    X(USAGE, 2)    /* the command line is wrong */                                                                     \
    X(SCENARIO, 3) /* the scenario is wrong: Lua error, bad table */                                                   \
    X(LIMIT, 3)    /* a limit was reached: message names limit, value and flag */                                      \
    X(IO, 4)       /* reading or writing failed */                                                                     \
    X(INTERNAL, 70)

enum err_kind {
#define X(name, code) ERR_##name,
    ERR_KINDS(X)
#undef X
};

struct err {
    enum err_kind kind;
    char message[4096]; /* NUL-terminated, cut with "…" at a code point when longer; may hold raw bytes of input */
};

/* Sets the error unless one is set already (the first one is the cause).  Always returns false. */
bool err_set(struct err *err, enum err_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts "PREFIX: " in front of the message of an error that is set.  Always returns false. */
bool err_wrap(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

int err_exit_code(enum err_kind kind);

#endif
