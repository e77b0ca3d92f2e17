/* Diff: what has to be done to one text to make it another, as a unified diff.
 *
 * For people who look at what a run changed, and for goldens.  Texts are bytes: a line ends after its line feed, and a
 * last line without one is another line than the same with one.
 *
 *  I1  The diff, applied to the first text, gives the second one (unless it was cut).
 *  I2  It is as short as a diff can be, unless the texts differ in more than DIFF_EDITS_MAX lines, or finding out takes
 *      more than DIFF_STEPS_MAX steps: then all between the common beginning and the common end is replaced.
 */
#ifndef BASE_DIFF_H
#define BASE_DIFF_H

#include <stddef.h>

#include "base/str.h"

#define DIFF_CONTEXT ((size_t)3)             /* equal lines around a change */
#define DIFF_EDITS_MAX ((size_t)1000)        /* lines removed and added; memory is its square */
#define DIFF_STEPS_MAX ((size_t)20000000)    /* lines compared */

/* Appends the header (whole lines, as given) and the hunks; nothing at all when the texts are equal.  Once the hunks
 * take more than max_bytes, whole lines are left out at the end and `(N more lines)` says how many. */
void diff_unified(struct strbuf *out, struct str before, struct str after, struct str header, size_t max_bytes);

#endif
