/* Workspace: the files an agent works on, listed at once, read when they are asked for.
 *
 * A real tree may hold a hundred thousand files of which a run reads ten, so bodies come through a port, once each,
 * into the arena; transcripts then refer to those bytes.  Nothing here knows where bodies come from.
 *
 *  I1  Files stand in byte order of their paths once the workspace is sealed; no path occurs twice.
 *  I2  A body never changes once it was read.
 */
#ifndef CORE_WORKSPACE_H
#define CORE_WORKSPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/table.h"

struct arena;

struct workspace_file {
    struct str path;
    struct str body;
    int64_t bytes;
    int64_t size;  /* of the body in the unit it was last measured in; -1 = not yet */
    bool has_body;
};

/* Where the body of a file comes from when it is first read. */
struct workspace_source {
    bool (*read)(void *self, const struct workspace_file *file, struct arena *arena, struct str *body, struct err *err);
    void *self;
};

struct workspace_skipped {
    int64_t link, special, too_large, unreadable;
};

struct workspace {
    struct arena *arena;
    struct workspace_file *files; /* sorted by path once sealed */
    struct table index;           /* path -> position in `files`, once sealed */
    bool sealed;
    uint32_t count;
    uint32_t capacity;
    int64_t bytes;
    struct workspace_source source;
    struct workspace_skipped skipped;
};

struct workspace *workspace_new(struct arena *arena);

/* Adds a file with its body, or one to be read later.  The path must be new.  Bytes are referenced, not copied. */
void workspace_add(struct workspace *workspace, struct str path, struct str body);
void workspace_add_listed(struct workspace *workspace, struct str path, int64_t bytes);

/* Sorts.  Called once, after the last file was added.  O(n log n). */
void workspace_seal(struct workspace *workspace);

struct workspace_file *workspace_find(struct workspace *workspace, struct str path); /* NULL if absent; O(1) expected */

/* The body, read through the source the first time. */
MUST_USE bool workspace_read(struct workspace *workspace, struct workspace_file *file, struct err *err);

#endif
