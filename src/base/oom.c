/* Out of memory: the one way this program ends when the system has no more. */
#include "base/oom.h"

#include <stdio.h>
#include <unistd.h>

void oom_stop(const char *asker, size_t bytes)
{
    /* dprintf and _exit need no heap of ours, and nothing half-built is flushed as if it were whole. */
    dprintf(STDERR_FILENO, "simagent: out of memory: %s asked for %zu bytes\n", asker, bytes);
    _exit(70);
}
