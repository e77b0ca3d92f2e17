/* Outfile: a file written aside and renamed, so that its path holds the old body or the whole new one.
 *
 * A run that is interrupted, or a disk that fills up, must not leave half a report where a good one was.  The bytes go
 * to `.NAME.XXXXXX.tmp` in the same folder; a commit flushes them to the disk before the name changes hands.
 *
 *  I1  Until outfile_commit returns true a regular destination is untouched.
 *  I2  After commit or abandon no temporary file is left, whatever failed.
 *  I3  A link to the destination survives: what it points to is replaced.  A file that is replaced keeps its mode, and
 *      one that may not be written is refused, as if it were written in place.
 *  I4  The process that writes a temporary file holds a lock on it, which ends with the process: so one that was left
 *      by a killed process can be told from one that somebody is writing.
 *
 * What is no regular file (/dev/null, a pipe, a terminal, /dev/stdout) cannot be replaced and is written directly.
 * Owned by whoever declares the struct.  On a signal the owner abandons; a handler itself may unlink `temporary`.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/sink.h"

struct outfile {
    char *path;      /* the destination, links resolved */
    char *temporary; /* NULL when the destination is written directly */
    int fd;          /* -1 once committed or abandoned */
    struct sink sink;
};

/* Fails with the path and the reason: no such folder, a folder itself, no permission. */
MUST_USE bool outfile_open(struct outfile *file, const char *path, struct err *err);

/* Makes everything written to the sink the body of the destination.  Ends the outfile also when it fails. */
MUST_USE bool outfile_commit(struct outfile *file, struct err *err);

/* Drops what was written; harmless after a commit. */
void outfile_abandon(struct outfile *file);

/* Removes from the folder what killed processes left behind (I4): of the file `name`, or of all if that is NULL.  Fails
 * silently: it is a kindness. */
void outfile_clean(const char *folder, const char *name);

#endif
