/* Box: a private folder with the files of one worktree, and real shell commands that can reach nothing else.
 *
 * A command comes from a scenario, perhaps from a model, and does what it likes.  bubblewrap gives it namespaces of its
 * own: no network, no other processes, of the disk /usr to read and the box to write.  It is never run without.
 *
 *     TMPDIR/simagent-XXXXXX/       mode 0700
 *         files/                    what the command sees as its folder
 *
 *  I1  Nothing outside the box is read or written on behalf of a path or of what a command left behind: folders are
 *      opened one by one, and no link is followed.
 *  I2  When box_run returns, every process that the command has started is gone.
 *  I3  After box_close the folder is gone, whatever is in it.
 *  I4  `files` says what was in the box when it was last synced: what is the same in the worktree.
 *
 * What a command is held to: see box_run.c.  A command may fill the disk that TMPDIR is on until its deadline.
 * For one process that does nothing else meanwhile (batch/keeper.h).
 */
#ifndef BATCH_BOX_H
#define BATCH_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/chunks.h"
#include "base/err.h"
#include "base/str.h"
#include "base/table.h"

struct program_end;

#define BOX_OUTPUT_MAX ((size_t)50000) /* of each stream */
#define BOX_FILES_MAX INT64_C(10000)
#define BOX_FILE_BYTES_MAX (INT64_C(1) << 20) /* a larger file that a command made stays in the box */
#define BOX_BYTES_MAX (INT64_C(64) << 20)     /* of all files */
#define BOX_DEPTH_MAX ((size_t)100)           /* folders inside each other */
#define BOX_USER 65534                        /* nobody */

struct box_file;

struct box {
    struct arena arena;
    struct str path; /* of the outer folder */
    int outer;
    int work;
    uid_t user; /* that commands run as: 0 = ours, BOX_USER when ours is root */
    struct table paths;
    struct chunks files; /* struct box_file, by the table's index */
    int64_t count;       /* of files that are there */
    int64_t bytes;
};

/* Whether real commands can be run on this machine at all: is bubblewrap there, and is it new enough?  Starts it. */
MUST_USE bool box_probe(struct err *err);

/* Makes the folder, below TMPDIR or /tmp. */
MUST_USE bool box_open(struct box *box, struct err *err);

/* One file is from now on as given.  The path is relative, `/`-separated and
 * normal (core/path.h), which is checked. */
MUST_USE bool box_write(struct box *box, struct str path, struct str body, struct err *err);
MUST_USE bool box_remove(struct box *box, struct str path, struct err *err);

struct box_command {
    struct str text; /* for bash, or sh where there is none */
    int64_t timeout_ms;
    int64_t deadline_us; /* of the whole run, as clock_now_us; INT64_MAX = none */
    int lifeline;        /* as in batch/program.h */
};

/* Runs a command with the box as its current folder. */
MUST_USE bool box_run(struct box *box, const struct box_command *command, struct arena *arena,
                      struct program_end *end, struct err *err);

struct box_change {
    struct str path;
    bool exists;
    struct str body; /* when it exists */
};

struct box_changes {
    struct box_change *changes;
    size_t count;
    int64_t skipped; /* links, special and unreadable files, too large files, names that no worktree can hold */
};

/* What is different, by content, from what was last synced, in byte order of the path.  It counts as synced then. */
MUST_USE bool box_changes(struct box *box, struct arena *arena, struct box_changes *changes, struct err *err);

void box_close(struct box *box);

#endif
