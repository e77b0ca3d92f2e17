/* Pattern: a regular expression of PCRE2 that searches lines and always comes to an end.
 *
 * A line is searched as UTF-8: `.` takes a code point, and a byte that belongs to no valid sequence is matched by
 * nothing but does no harm to the rest of its line.  `\w`, `\d`, `\s` and `\b` know ASCII alone, unless the pattern
 * begins with `(*UCP)`.  A line is given without its line feed, so `^` and `$` are its ends; a carriage return is like
 * any byte.
 *
 * PCRE2's own limit on matching counts what happens from one starting point, and some patterns are slow by starting
 * often.  So every item of a pattern reports when it is reached, which is counted together with the way it went, and a
 * pattern that needs more steps than fit the text gives up.  Nothing is compiled to machine code: the steps would
 * differ, and memory that can be executed is forbidden where scenarios run.
 *
 *  I1  All searches together take at most PATTERN_STEPS_FREE steps, and PATTERN_STEPS_PER_BYTE more for each byte.
 *  I2  Where a search gives up follows from pattern and text alone, never from the clock.
 */
#ifndef TOOLS_PATTERN_H
#define TOOLS_PATTERN_H

#include "base/str.h"

struct arena;
struct pattern;

#define PATTERN_BYTES_MAX 1024
#define PATTERN_STEPS_PER_BYTE 1000
#define PATTERN_STEPS_FREE 200000000 /* a fraction of a second */

enum pattern_outcome {
    PATTERN_ABSENT,
    PATTERN_PRESENT,
    PATTERN_GIVEN_UP,
};

/* NULL for a pattern that is none; then the problem is PCRE2's message and offset, in the arena. */
struct pattern *pattern_open(struct str text, struct arena *arena, struct str *problem);
void pattern_close(struct pattern *pattern);

/* Whether the pattern matches somewhere in a line. */
enum pattern_outcome pattern_search(struct pattern *pattern, struct str line);

#endif
