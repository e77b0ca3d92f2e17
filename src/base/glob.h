/* Glob: matches a whole relative path against a pattern.
 *
 * `*` and `?` (one code point) stay within one path part, `**` as a whole part spans any number of parts (also none),
 * `[a-z]` and `[!a-z]` (or `[^a-z]`) are byte classes, `{a,b}` alternatives (nested too), `\` takes the next byte
 * literally.  A pattern without `/` matches the last part at any depth (`*.c`), as in ignore files; so does an
 * alternative without.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* Refuses a pattern that cannot be meant: unclosed [ or {, a trailing backslash, longer than 1,024 bytes, more than 64
 * alternatives. */
MUST_USE bool glob_check(struct str pattern, struct err *err);

/* Pattern must have passed glob_check.  O(pattern x path) for each alternative. */
bool glob_match(struct str pattern, struct str path);

#endif
