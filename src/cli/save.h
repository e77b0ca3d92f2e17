/* Save: a whole file at once, its folder made where needed; it is there complete or not at all. */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

/* Replaces what is there.  A signal is held back until no temporary file is left. */
MUST_USE bool save_file(struct arena *arena, const char *path, struct str bytes, struct err *err);

/* The same for a path that the user did not name: refuses to write through a link, the folder's own included, for a
 * repository may bring along one that leads anywhere. */
MUST_USE bool save_file_unlinked(struct arena *arena, const char *path, struct str bytes, struct err *err);

/* The part of a path before its last slash, without it; "." if there is none. */
struct str save_folder_of(struct str path);

#endif
