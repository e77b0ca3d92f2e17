/* Path: the one rule for what names a file of a workspace.
 *
 * Relative, parts separated by `/`, no part empty; `.` stands for the folder it is in and `..` for the one above, and
 * neither may lead out of the workspace.  A path that is absolute, leaves the workspace, holds NUL or a backslash, is
 * longer than 4,096 bytes, or has an empty part is a bad path.  Nothing is ever looked up on a disk.
 */
#ifndef CORE_PATH_H
#define CORE_PATH_H

#include <stdbool.h>

#include "base/str.h"

struct arena;

#define PATH_BYTES_MAX 4096

/* Sets `*out` to the shortest form of the path, in the arena.  False for a bad path; the workspace itself (`.`) is
 * one. */
bool path_normalise(struct arena *arena, struct str path, struct str *out);

#endif
