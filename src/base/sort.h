/* Sort: a stable merge sort; the only sort in the program.
 *
 * The C library's qsort is not used: whether it keeps the order of equal items depends on how much memory the machine
 * has, and to find that out it makes a system call that a confined process may not make.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

struct arena;

/* Sorts in place; equal items keep their order.  O(n log n), O(n) when the items are sorted already.  The arena lends
 * as many bytes as the items take and has them back at the end. */
void sort_stable(struct arena *arena, void *items, size_t count, size_t size,
                 int (*compare)(const void *a, const void *b));

#endif
