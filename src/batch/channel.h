/* Channel: the child's end of the socket: asks the parent for files, tells it the report, and says how it ended.
 *
 * The confined child can open nothing, so whatever it reads comes through here, after the parent has decided whether it
 * may (batch/access.h).  Asking blocks, and a signal in between changes nothing.
 *
 *  I1  One question at a time; the whole answer is read before the call returns.
 *  I2  The options are told before the first question and the first word of the report, if at all.
 *  I3  After channel_fail or channel_done nothing more is sent.
 *
 * Answers live in the caller's arena.  A parent that has gone away is a failure of every call from then on.
 */
#ifndef BATCH_CHANNEL_H
#define BATCH_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dirwalk.h"
#include "base/err.h"
#include "base/feed.h"
#include "batch/frame.h"
#include "batch/log.h"
#include "batch/wire.h"

struct channel {
    int socket;
    bool broken; /* the parent is gone, or it answered nonsense */
    bool over;   /* I3 */
    struct wire_feed options;
    struct wire_feed report;
    struct wire_feed trace;
};

void channel_init(struct channel *channel, int socket);

/* The options that the scenario declares: one array of objects with name, type, help, default and so on. */
struct feed *channel_options(struct channel *channel);
struct feed *channel_report(struct channel *channel); /* one document */
struct feed *channel_trace(struct channel *channel);  /* many documents, each a line */

/* Sends a request and waits for its answer, whose payload (without the leading 1) is put into the arena. */
MUST_USE bool channel_ask(struct channel *channel, enum frame_kind kind, struct str payload, struct arena *arena,
                          struct str *answer, struct err *err);

struct channel_module {
    struct str shown; /* the path to show in messages */
    struct str source;
};

/* The source of a Lua module by its dotted name. */
MUST_USE bool channel_module(struct channel *channel, struct str name, struct arena *arena,
                             struct channel_module *module, struct err *err);

/* The files below a folder, by the rules of base/dirwalk.h, and a handle for their bodies. */
MUST_USE bool channel_list(struct channel *channel, struct str path, const struct dirwalk_options *options,
                           struct arena *arena, uint64_t *handle, struct dirwalk_listing *listing, struct err *err);

/* One file of a listing; `bytes` as it was listed. */
MUST_USE bool channel_body(struct channel *channel, uint64_t handle, struct str path, int64_t bytes,
                           struct arena *arena, struct str *body, struct err *err);

/* Whether the parent can and may run something: sim.command's programs, or shell commands.  Fails with the reason. */
MUST_USE bool channel_may_run(struct channel *channel, enum frame_run what, struct arena *arena, struct err *err);

/* Says what a file is from now on in the box of a worktree; one that does not exist is removed.  What is wrong with it
 * is told by the next channel_shell. */
struct channel_file {
    uint64_t worktree; /* any number, the same for the same worktree */
    struct str path;   /* normal */
    bool exists;
    struct str body;
};
MUST_USE bool channel_file(struct channel *channel, const struct channel_file *file, struct err *err);

/* How a command or a program ended. */
struct channel_end {
    int exit_code; /* 128 + N after signal N */
    bool timed_out;
    struct str out;
    struct str err;
    bool out_cut; /* there was more */
    bool err_cut;
    int64_t skipped; /* files that cannot be taken back: links, pipes, too large ones */
    struct channel_file *changes; /* files that a command has changed, in byte order of the path */
    size_t change_count;
};

/* Runs a shell command in the box of a worktree.  At most as long as `timeout_ms`, 1 to KEEPER_COMMAND_MS_MAX. */
struct channel_command {
    uint64_t worktree;
    struct str text; /* without NUL, less than a frame */
    int64_t timeout_ms;
};
MUST_USE bool channel_shell(struct channel *channel, const struct channel_command *command, struct arena *arena,
                            struct channel_end *end, struct err *err);

/* Runs a program of the user's, which PATH has as argv[0], in the current folder and at most KEEPER_PROGRAM_MS long. */
struct channel_program {
    const struct str *argv; /* without NUL, less than a frame in all */
    size_t argc;            /* 1 to KEEPER_ARGUMENTS */
    struct str input;       /* at most KEEPER_INPUT_MAX */
};
MUST_USE bool channel_program(struct channel *channel, const struct channel_program *program, struct arena *arena,
                              struct channel_end *end, struct err *err);

/* Says what an agent does, for a user who watches. */
void channel_log(struct channel *channel, const struct log_line *line);

/* Which parts of the sandbox are missing: the first thing a child says. */
void channel_confined(struct channel *channel, unsigned missing);

/* Ends the conversation with a failure, or well.  channel_done fails if the wire could not carry what it was told. */
void channel_fail(struct channel *channel, const struct err *failure);
MUST_USE bool channel_done(struct channel *channel, struct err *err);

#endif
