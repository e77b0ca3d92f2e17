/* Sparkline: a series of numbers as one row of block characters.
 *
 * Heights are shares of a maximum that the caller chooses, so that several rows can be compared.  A series longer than
 * the row is downsampled by maximum: a peak never disappears.
 */
#ifndef REPORT_SPARKLINE_H
#define REPORT_SPARKLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct value;

/* The number at a place of an array; what is no integer counts 0. */
int64_t sparkline_item(const struct value *series, size_t index);

/* The largest number of an array, at least `floor`. */
int64_t sparkline_max(const struct value *series, int64_t floor);

/* At most `columns` characters; the lowest stands for everything up to an eighth of `max`.  O(items). */
void sparkline_draw(struct strbuf *out, const struct value *series, int64_t max, size_t columns);

#endif
