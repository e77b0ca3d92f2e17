/* Confine: takes from a process everything but the memory it has, the time it was given and the descriptors it holds.
 *
 * The Lua VM has had memory errors and will have more, so a scenario runs in a process where taking over the VM gains
 * nothing: no file can be opened, no program started, no network reached.  The layers do not trust each other: resource
 * limits, Landlock without any right, and a list of 20 system calls.
 *
 * A call that is not on the list kills the process.  Nothing that we or the C library do from here on needs one, so it
 * can only come from a script that has broken out; an EPERM would let it go on and look for what works.  (Only builds
 * with sanitizers answer EPERM, since their reports try calls that they can do without.)
 *
 * There is no way back.  Threads that exist already are not confined: call it while there is one.
 */
#ifndef BATCH_CONFINE_H
#define BATCH_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct arena;

/* The parts of the sandbox that a kernel may lack.  A set of them fits one byte. */
enum confine_part {
    CONFINE_LIMITS = 1,   /* rlimits and the flags of prctl */
    CONFINE_LANDLOCK = 2, /* Linux 5.13 */
    CONFINE_SECCOMP = 4,
};

#define CONFINE_ADDRESS_SPACE_SLACK ((size_t)4 << 30) /* program, libraries, arenas, the largest answer */
#define CONFINE_CPU_SLACK 2                           /* seconds after the parent should have killed it */

struct confine_limits {
    int64_t max_seconds; /* 0 = no limit */
    size_t max_memory;   /* bytes; address space is limited to CONFINE_ADDRESS_SPACE_SLACK more; 0 = no limit */
    int descriptors;     /* 0 .. descriptors-1 stay open; all others are closed and none can be added */
    pid_t parent;        /* when this process is gone the caller dies too */
};

/* Confines the calling process and returns the set of parts that are missing (0: all are in force). */
unsigned confine_process(const struct confine_limits *limits);

/* Only the second layer: takes from the calling process all rights on files and the network that Landlock knows.  Needs
 * PR_SET_NO_NEW_PRIVS.  False if the kernel cannot. */
bool confine_by_landlock(void);

/* Closes all descriptors from this one on. */
void confine_close_from(int first);

/* "Landlock and the system-call filter", for a warning. */
struct str confine_describe(struct arena *arena, unsigned missing);

#endif
