/* Signals: SIGINT and SIGTERM set a flag and wake a poll; nothing else happens in the handler.
 *
 * A run that is interrupted must still remove its temporary file and its children, so the loop that waits has to come
 * back and say so.  A flag alone would be missed by a poll that has just begun; hence the pipe to itself.
 *
 * A handler can reach nothing but file-scope variables: the flag and the pipe's end are volatile sig_atomic_t at file
 * scope in signals.c, an exception to the rule against them.  Opened at most once at a time.
 */
#ifndef BATCH_SIGNALS_H
#define BATCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

struct signals {
    int wake; /* readable once a signal came; for poll */
    int wake_end;
    struct sigaction old_interrupt;
    struct sigaction old_terminate;
};

MUST_USE bool signals_open(struct signals *signals, struct err *err);

/* The first signal that came, or 0. */
int signals_caught(void);

/* Puts back what was there before. */
void signals_close(struct signals *signals);

#endif
