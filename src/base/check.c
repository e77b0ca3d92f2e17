/* CHECK (always on) and UNREACHABLE: a bug stops the program where it is. */
#include "base/check.h"

#include <stdio.h>
#include <unistd.h>

void check_failed(const char *file, int line, const char *statement)
{
    /* No exit handlers: after a broken invariant nothing of ours may run any more. */
    dprintf(STDERR_FILENO, "simagent: internal error at %s:%d: %s\n", file, line, statement);
    _exit(70);
}
