/* Keeper: the process that runs real commands and programs for one scenario, and the parent's end of the talk with it.
 *
 * A command may take minutes, and the loop that drives the scenarios must not wait for it: other scenarios have their
 * deadlines, and the user may press Ctrl-C.  So the parent passes such requests on, as they came, to a process of its
 * own making.  That one is not confined, and checks every byte: they come from the scenario's child.
 *
 *     child --- FRAME_SHELL --> parent --- the same --> keeper --> bubblewrap --> command
 *
 *  I1  It is started with the first request, and only when the user allowed commands (--allow-exec).
 *  I2  Nothing is sent to it while it owes an answer, so that sending waits for a disk at most.
 *  I3  When its socket is closed, also because the parent is gone, it kills what runs, removes its boxes, and ends.
 *      It does not listen to signals from a terminal: the parent does.
 *  I4  No command runs beyond `deadline_us`.
 *
 * Not shared between threads.
 */
#ifndef BATCH_KEEPER_H
#define BATCH_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "batch/frame.h"

struct arena;

#define KEEPER_BOXES 64                       /* worktrees in which one scenario may run commands */
#define KEEPER_ARGUMENTS 64                   /* of a program, its name included */
#define KEEPER_PROGRAM_MS INT64_C(60000)      /* for a program */
#define KEEPER_PROGRAM_OUTPUT ((size_t)1 << 20) /* kept of each of its streams */
#define KEEPER_INPUT_MAX ((size_t)16 << 20)   /* for a program */
#define KEEPER_COMMAND_MS_MAX INT64_C(86400000)

struct keeper {
    pid_t pid; /* 0 = not started */
    int socket;
    int64_t deadline_us; /* as clock_now_us; set before the first request; INT64_MAX = none */
    bool busy;           /* owes an answer */
    size_t got;          /* bytes of the answer */
    unsigned char head[FRAME_HEAD_SIZE];
    char *frame; /* once the head is complete */
    size_t size;
};

void keeper_init(struct keeper *keeper);

/* True for the kinds of requests that a keeper takes. */
bool keeper_takes(uint8_t kind);

/* Passes a request on, as it came. */
MUST_USE bool keeper_send(struct keeper *keeper, uint8_t kind, struct str payload, struct err *err);

/* What to wait for while it owes an answer; else -1. */
int keeper_poll(const struct keeper *keeper);

/* Takes what is there of the answer, into the arena; sets the frame (to nothing if it is not yet complete).  False: it
 * is gone, or what it was asked was no correct request. */
MUST_USE bool keeper_hear(struct keeper *keeper, struct arena *arena, struct str *frame, struct err *err);

/* Ends it, and with it whatever runs.  Waits until it is gone. */
void keeper_end(struct keeper *keeper);

#endif
