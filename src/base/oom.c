/* Out of memory: the one way this program ends when the system has no more. */
#include "base/oom.h"

#include "base/check.h"

static int exit_code = 70;

void oom_blame_scenario(void)
{
    exit_code = OOM_OF_SCENARIO;
}

void oom_stop(const char *asker, size_t bytes)
{
    /* Nothing half-built is flushed as if it were whole. */
    check_stop(exit_code, "simagent: out of memory: %s asked for %zu bytes\n", asker, bytes);
}
