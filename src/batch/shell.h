/* Real shell: the port behind the tool bash filled by the channel: real commands in a box of the parent's.
 *
 * The box holds the files of one worktree.  Only what has changed since the last command is sent to it, and what the
 * command has changed comes back as new versions, written by the run that called.
 *
 *  I1  After a command worktree and box are the same, but for what no worktree can hold (links, pipes, large files).
 *
 * Lives in the child, in the arena of the scenario.  Not shared between threads.
 */
#ifndef BATCH_SHELL_H
#define BATCH_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/chunks.h"
#include "engine/shell.h"

struct channel;

struct real_shell {
    struct shell shell; /* the port */
    struct channel *channel;
    struct chunks boxes; /* struct shell_box; its index is the worktree's number on the channel */
    bool quiet;          /* no notes on stderr */
};

void shell_init(struct real_shell *real, struct channel *channel, struct arena *keep, bool quiet);

#endif
