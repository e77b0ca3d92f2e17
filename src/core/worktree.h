/* Worktree: a workspace as the agents of one run tree see and change it, with all its past.
 *
 * The workspace itself never changes: it may be shared by variants, and a real directory is nobody's to write to.  A
 * worktree lays what was written over it.  Every version of a file has a half-open life in steps (a step is one
 * change), so any past state can be read back, and what each run changed is known from the versions alone.
 *
 *  I1  Steps count from 0, the workspace as it was; the version written by step s is born at s.
 *  I2  The versions of a file stand in order of birth; each one's death is the next one's birth.
 *  I3  A path that is listed is normal (core/path.h) if it was written here.
 *
 * One for each workspace and run tree.  Not shared between threads.
 */
#ifndef CORE_WORKTREE_H
#define CORE_WORKTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunks.h"
#include "base/err.h"
#include "base/table.h"
#include "core/sizing.h"
#include "core/span.h"
#include "core/workspace.h"

struct record;

/* What a file was for a while.  A version without a body says that the file was not there. */
struct version {
    bool exists;
    struct str body;
    struct span steps;
    const struct record *writer; /* NULL for the workspace as it was */
    int64_t size;                /* in the unit; -1 = not yet measured */
};

struct tracked {
    struct str path;
    struct workspace_file *file; /* of the workspace, NULL if it was not there */
    struct chunks versions;      /* struct version, the first one the workspace's own */
};

/* Who wrote a version, for telling what each run changed. */
struct written {
    const struct record *writer;
    const struct tracked *tracked;
    uint32_t version; /* its place among the file's */
};

struct worktree {
    struct arena *arena;
    struct workspace *workspace; /* NULL: it began empty */
    uint32_t step;               /* the last one taken */
    struct table paths;          /* of tracked files … */
    struct chunks tracked;       /* … and their struct tracked *, by the table's index */
    struct str *listing;         /* paths of all files there are now, in byte order; NULL = to be made */
    uint32_t listed;
    struct written *written; /* of all steps up to written_count, grouped by writer; made when asked for */
    uint32_t written_count;
};

struct worktree *worktree_new(struct arena *arena, struct workspace *workspace);

/* The file at a path as it is now: sets body and size in the unit (measured once).  False when there is none;
 * `failed` is set when its body could not be read (err says why). */
bool worktree_read(struct worktree *tree, struct str path, const struct sizing *sizing, struct version *out,
                   bool *failed, struct err *err);

/* The same after a past step; the body is read through the workspace if need be. */
bool worktree_read_at(struct worktree *tree, struct str path, uint32_t step, struct version *out, bool *failed,
                      struct err *err);

/* Whether there is a file, and how many bytes it has, without reading it; -1 = none. */
int64_t worktree_bytes(struct worktree *tree, struct str path);

/* Writes a whole file as a new version (also when the content is the same).  The path is normal; path and body are
 * referenced, not copied. */
void worktree_write(struct worktree *tree, struct str path, struct str body, const struct record *writer);

/* Removes a file that exists. */
void worktree_remove(struct worktree *tree, struct str path, const struct record *writer);

/* The paths of all files there are now, in byte order.  O(1) until something appears or goes. */
const struct str *worktree_list(struct worktree *tree, uint32_t *count);

/* What a run changed of one file. */
struct change {
    struct str path;
    uint32_t versions;    /* that the run wrote */
    int64_t bytes_before; /* before its first one; -1 = there was none */
    int64_t bytes_after;  /* after its last one; -1 = gone */
    uint32_t step_before; /* steps at which both states can be read back */
    uint32_t step_after;
};

/* All that a run changed, in byte order of the path; in the arena.  O(w log w) of the versions that it wrote, once
 * O(v log v) of all there are. */
struct change *worktree_changes(struct worktree *tree, const struct record *run, struct arena *arena, uint32_t *count);

#endif
