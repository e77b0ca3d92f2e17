/* Access: the one place that decides what a scenario may read.
 *
 * A scenario comes from a stranger; the user only named it.  It may read modules and folders below its own folder,
 * below a `dir` option that the user gave on the command line, and below --allow-read DIR.  Modules are also looked for
 * in the folders of SIMAGENT_PATH.  The decision is made on the folder that was opened, not on its name, so that
 * nothing can be exchanged in between.
 *
 *  I1  Nothing is opened for reading that does not lie inside one of the roots, links resolved.
 *  I2  Bodies are read beneath the folder of their listing only, and through no link.
 *  I3  Messages show paths as the scenario or the user wrote them.
 *
 * Owns the descriptors of listed folders until access_close.  Answers live in the arena of the caller.
 */
#ifndef BATCH_ACCESS_H
#define BATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dirwalk.h"
#include "base/err.h"
#include "base/str.h"

struct arena;
struct value;

#define ACCESS_FOLDERS 64u                    /* listings that one scenario may hold */
#define ACCESS_MODULE_BYTES ((size_t)1 << 20) /* the largest source of a module */

/* An option as given on the command line. */
struct access_given {
    struct str name;
    struct str value;
};

struct access_setup {
    struct str scenario; /* the file as given; empty for a bundled scenario, which has no folder */
    struct str search_path; /* of SIMAGENT_PATH: folders separated by colons */
    const struct str *allow_read;
    size_t allow_read_count;
    const struct access_given *given;
    size_t given_count;
};

struct access {
    struct access_setup setup;    /* what it points to must outlive this */
    const struct value *declared; /* the scenario's declared options, NULL until known */
    int folders[ACCESS_FOLDERS];
    char names[ACCESS_FOLDERS][256]; /* as they were asked for, for messages */
    uint32_t folder_count;
};

void access_init(struct access *access, const struct access_setup *setup);

/* Tells which options the scenario declares (an array of objects with `name` and `type`).  Must outlive this. */
void access_declare(struct access *access, const struct value *declared);

/* The source of the module `name` (a.b is a/b.lua or a/b/init.lua), and its path as messages show it. */
MUST_USE bool access_module(const struct access *access, struct str name, struct arena *arena, struct str *shown,
                            struct str *source, struct err *err);

/* Lists a folder and keeps it open under `handle`.  A path that is a given `dir` option, or below one, counts from the
 * current folder; every other relative path counts from the scenario's folder. */
MUST_USE bool access_list(struct access *access, struct str path, const struct dirwalk_options *options,
                          struct arena *arena, uint64_t *handle, struct dirwalk_listing *listing, struct err *err);

/* A file of a listing, of exactly the size that was listed. */
MUST_USE bool access_body(const struct access *access, uint64_t handle, struct str path, int64_t bytes,
                          struct arena *arena, struct str *body, struct err *err);

void access_close(struct access *access);

#endif
