/* Program: runs one external program to its end: input in, capped output out, until a deadline.
 *
 * What a program writes beyond its ceiling is read and dropped, so that it neither fills the memory nor waits for ever.
 * A program that does not end is killed, and what it has started in its process group with it.  This is the only place
 * that starts programs; who may start one is decided before (batch/keeper.h).
 *
 *  I1  When program_run returns, the program and its process group are gone and all descriptors are closed.
 *  I2  It returns soon after the deadline, and soon after the lifeline has been cut.
 *  I3  The program inherits its three streams, what its warden gives it, and nothing else.
 *
 * Output lives in the caller's arena.  The caller ignores SIGPIPE: not every program reads its input.
 */
#ifndef BATCH_PROGRAM_H
#define BATCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

/* A pipe to or from a program; both ends lie above the descriptors that it is given, and close at exec. */
struct program_pipe {
    int ours; /* does not block */
    int theirs;
};

MUST_USE bool program_pipe_open(struct program_pipe *pipe, bool we_write);
void program_pipe_close(struct program_pipe *pipe);

/* For a program that only wraps another one and must be watched in its own way.  Functions may be NULL. */
struct program_warden {
    int inherited[2];          /* `theirs` of two pipes; become the program's descriptors 3 and 4 */
    int watch;                 /* `heard` is called when it is readable; -1 = nothing */
    bool (*heard)(void *self); /* false: it has nothing more to say */
    bool (*kill)(void *self);  /* false: the process group has to be killed instead */
    void (*ended)(void *self); /* the program is gone; ends what it wrapped */
    void *self;
};

struct program_plan {
    const char *const *argv;        /* ends with NULL; argv[0] is looked for in PATH */
    const char *const *environment; /* ends with NULL; NULL = our own */
    uid_t become;                   /* this user and group, with no other groups; 0 = stay who we are */
    struct str input;
    size_t output_max;   /* bytes that are kept of each stream */
    int64_t deadline_us; /* monotonic; INT64_MAX = none */
    int lifeline;        /* a socket: the program is killed when its other end is closed; -1 = none */
    const struct program_warden *warden;
};

struct program_end {
    struct str out;
    struct str err;
    bool out_cut; /* there was more */
    bool err_cut;
    int exit_code;  /* 128 + N after signal N */
    bool timed_out; /* killed at the deadline */
    bool abandoned; /* killed because the lifeline was cut */
};

/* Whether PATH has a program of that name. */
bool program_is_there(const char *name);

/* False with ERR_SCENARIO when it could not be started. */
MUST_USE bool program_run(const struct program_plan *plan, struct arena *arena, struct program_end *end,
                          struct err *err);

#endif
