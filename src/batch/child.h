/* Child: what a forked process does before and after the one function it was made for.
 *
 * It arranges its descriptors (0 and 1 lead nowhere, 2 is the pipe that the parent relays, 3 is the channel), takes
 * back the parent's signal handlers, confines itself, tells the parent what is missing, and only then calls the
 * function.
 * SIGINT and SIGTERM are ignored: a terminal sends them to both, and the parent decides.
 */
#ifndef BATCH_CHILD_H
#define BATCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct channel;

/* Runs in the confined process; its result is the exit code.  It must end the channel with channel_done or _fail. */
typedef int child_function(struct channel *channel, void *argument);

#define CHILD_DESCRIPTORS 4 /* all that a child has: 0 to 3 */

struct child_setup {
    int socket; /* these three are above CHILD_DESCRIPTORS */
    int output;
    int null; /* /dev/null for reading and writing */
    pid_t parent;
    int64_t max_seconds;
    size_t max_memory;
    bool require_sandbox;
    void (*on_soft_deadline)(int signal_number); /* handles SIGALRM; NULL: ignored */
    child_function *run;
    void *argument;
};

/* Called right after fork with all signals blocked. */
_Noreturn void child_main(const struct child_setup *setup);

#endif
