/* Dirwalk: lists the regular files below a folder, in byte order of their whole relative paths.
 *
 * What a disk returns depends on its history, so the order is made here, once, over the complete list.  Links are never
 * followed: a folder can then neither lead out of itself nor around in circles.
 *
 *  I1  A path is considered when it matches an include (or there is none) and no exclude, and no folder above it is
 *      pruned.  A folder is pruned, and not even opened, when an exclude matches it.  One that covers all that is below
 *      it (`.git` and two stars) does: two stars may span nothing.
 *  I2  Every considered path that is no folder is listed or counted in exactly one `skipped_` number.
 *  I3  A file that vanishes meanwhile is simply not there; nothing else goes missing without a number or an error.
 *
 * Names are raw bytes.  Paths and the list live in the caller's arena; the folder's descriptor stays the caller's.
 */
#ifndef BASE_DIRWALK_H
#define BASE_DIRWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

#define DIRWALK_FILE_BYTES ((int64_t)1 << 20)
#define DIRWALK_FILES ((int64_t)1000000)
#define DIRWALK_DEPTH ((size_t)200)

/* A limit of 0 means the default above. */
struct dirwalk_options {
    const struct str *include; /* globs that passed glob_check */
    size_t include_count;
    const struct str *exclude;
    size_t exclude_count;
    int64_t max_file_bytes; /* larger files are counted, not listed */
    int64_t max_files;      /* one more to list is an error */
    size_t max_depth;       /* folders inside each other … */
    bool depth_is_limit;    /* … deeper ones are an error; else each is counted as unreadable */
};

struct dirwalk_file {
    struct str path; /* parts joined by `/` */
    int64_t bytes;
};

struct dirwalk_listing {
    struct dirwalk_file *files;
    size_t count;
    int64_t bytes; /* of all listed files */
    int64_t skipped_link;
    int64_t skipped_special;    /* pipes, sockets, devices */
    int64_t skipped_too_large;
    int64_t skipped_unreadable; /* files, and folders whatever they hold */
};

/* The folder is a descriptor as file_open_folder returns it.  On failure the arena is as before.  O(n log n). */
MUST_USE bool dirwalk_list(struct arena *arena, int folder, const struct dirwalk_options *options,
                           struct dirwalk_listing *listing, struct err *err);

#endif
