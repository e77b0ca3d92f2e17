/* Worker: one confined child process, from fork to verdict; one loop can drive many of them.
 *
 * The child holds Lua and nothing else; the parent holds the clock, the files and the outputs.  Whatever happens in the
 * child (a crash, an endless loop, a takeover) ends here as one error with a message by cause.
 *
 *     worker_start -> [ worker_poll, poll, worker_handle ]... until worker_is_over -> worker_end
 *
 *  I1  A child that was started is waited for: after worker_end no zombie and no process is left.
 *  I2  At three quarters of max_seconds (at most a second before it) the child is asked to stop by SIGALRM, so that
 *      the script fails with file and line; at max_seconds it is killed.
 *      A real command of the scenario's is killed when the child is asked to stop, so that the script hears of it.
 *  I3  No call blocks for a child, whatever it does.  Only worker_kill and worker_end wait, for a process that they
 *      have killed before.
 *
 * Not shared between threads.
 */
#ifndef BATCH_WORKER_H
#define BATCH_WORKER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "batch/child.h"
#include "batch/dialog.h"
#include "batch/relay.h"

struct signals;

struct worker_setup {
    struct dialog_setup dialog;
    struct str name;                             /* of the script, put before what the parent says; may be empty */
    int64_t max_seconds;                         /* wall clock; 0 = no limit */
    size_t max_memory;                           /* of the Lua heap; 0 = no limit */
    void (*on_soft_deadline)(int signal_number); /* runs in the child; NULL: only the hard deadline counts */
    int stderr_fd;                               /* gets what the script printed; -1 = nobody */
};

enum worker_poll { WORKER_SOCKET, WORKER_OUTPUT, WORKER_PROCESS, WORKER_KEEPER };
#define WORKER_POLLS 4

struct worker {
    struct worker_setup setup;
    struct dialog dialog;
    struct relay relay;
    struct err err; /* why the parent gave up on the child */
    pid_t pid;
    int socket;  /* -1 once the child has closed it */
    int output;  /* of the pipe from the child's stderr; -1 likewise */
    int process; /* a pidfd, -1 where the kernel has none */
    int64_t soft_us; /* monotonic; INT64_MAX = none, or over */
    int64_t hard_us;
    bool killed; /* by us */
    bool timed_out;
    bool reaped;
    int status; /* of wait, once reaped */
};

/* Forks.  `run(channel, argument)` is called in the child, which sees the memory as it is now. */
MUST_USE bool worker_start(struct worker *worker, const struct worker_setup *setup, child_function *run, void *argument,
                           struct err *err);

/* What to wait for, and until when at the latest. */
void worker_poll(const struct worker *worker, struct pollfd polls[WORKER_POLLS]);
int64_t worker_next_deadline(const struct worker *worker);

/* Handles what poll found (also nothing) at the time `now_us`. */
void worker_handle(struct worker *worker, const struct pollfd polls[WORKER_POLLS], int64_t now_us);

/* True once the child is gone and everything it said was taken. */
bool worker_is_over(const struct worker *worker);

/* Kills the child and waits for it. */
void worker_kill(struct worker *worker);

/* The verdict, and the end of the worker (killing the child if it is not over): true if the child ended well. */
MUST_USE bool worker_end(struct worker *worker, struct err *err);

/* One round of a loop over several workers: waits for any of them, a signal, or the next deadline, then handles what
 * came.  `polls` has room for WORKER_POLLS per worker and one more. */
void worker_round(struct worker *const *workers, size_t count, const struct signals *signals, struct pollfd *polls);

/* Drives workers until all are over.  Returns 0, or the signal that came (`signals` may be NULL); then all are
 * killed. */
int worker_run_all(struct worker *const *workers, size_t count, const struct signals *signals);

#endif
