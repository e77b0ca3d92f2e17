/* File: reads whole regular files, by path or safely beneath a folder.
 *
 * A path may name a pipe, a device or a folder, and what lies in a folder may be swapped for a link while we look at
 * it.  Every read therefore opens without blocking, asks the open descriptor what it is, and refuses all but regular
 * files.  Together with base/dirwalk, base/outfile, base/spool and batch/box this is the only code that opens files.
 *
 *  I1  No call blocks on what it opens: pipes, sockets and devices are refused.
 *  I2  file_read_beneath never leaves its folder: it follows no link at all, whatever is changed meanwhile.
 *  I3  When a read fails the arena is as it was before.
 *
 * Bodies live in the arena of the caller; descriptors belong to whoever opened them.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

/* The body of a regular file (links are followed).  A body of more than `max_bytes` is an error that names both. */
MUST_USE bool file_read_whole(struct arena *arena, const char *path, size_t max_bytes, struct str *out,
                              struct err *err);

/* A descriptor for file_read_beneath and dirwalk_list, to be closed by the caller; -1 with `err` set on failure. */
MUST_USE int file_open_folder(const char *path, struct err *err);

/* The body of the regular file `relative` below the folder.  The path is plain: parts joined by single slashes, none
 * of them `.` or `..`.  When `expected_size` is not negative, a body of another size is an error: it changed. */
MUST_USE bool file_read_beneath(struct arena *arena, int folder, struct str relative, int64_t expected_size,
                                int64_t max_bytes, struct str *out, struct err *err);

/* The same for a file that others may be writing to: its first `listed_size` bytes, as it was when it was listed.  What
 * was appended since is left out, a body that has become shorter is an error. */
MUST_USE bool file_read_listed(struct arena *arena, int folder, struct str relative, int64_t listed_size,
                               struct str *out, struct err *err);

/* Closes the descriptor, unless it is none (-1), and forgets it. */
void file_close(int *fd);

/* True if the path leads to something, of whatever kind. */
bool file_exists(const char *path);

/* True if both names lead to one regular file, or would when it is made: links and `..` do not hide it. */
bool file_is_same(struct arena *arena, const char *a, const char *b);

/* True for a folder, also through a link. */
bool file_is_folder(const char *path);

/* Makes the folder and those above it that are not there. */
MUST_USE bool file_make_folder(const char *path, struct err *err);

/* Removes the file; one that is not there is as good. */
MUST_USE bool file_remove(const char *path, struct err *err);

/* The absolute path without links, `.` and `..`; everything on it must exist. */
MUST_USE bool file_real_path(struct arena *arena, const char *path, struct str *out, struct err *err);

#endif
