/* Out of memory: the one way this program ends when the system has no more. */
#include "base/oom.h"

#include "base/check.h"

void oom_stop(const char *asker, size_t bytes)
{
    /* Nothing half-built is flushed as if it were whole. */
    check_stop(70, "simagent: out of memory: %s asked for %zu bytes\n", asker, bytes);
}
