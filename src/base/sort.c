#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

struct sorting {
    size_t size;
    int (*compare)(const void *, const void *);
};

static bool is_sorted(const struct sorting *how, const char *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (how->compare(items + (i - 1) * how->size, items + i * how->size) > 0)
            return false;
    }
    return true;
}

/* Merges [left, middle) and [middle, right); the left one wins ties, which keeps the sort stable. */
static void merge(const struct sorting *how, const char *from, char *to, size_t left, size_t middle, size_t right)
{
    size_t size = how->size;
    size_t a = left;
    size_t b = middle;
    for (size_t out = left; out < right; out++) {
        bool take_left = b >= right || (a < middle && how->compare(from + a * size, from + b * size) <= 0);
        size_t taken = take_left ? a++ : b++;
        memcpy(to + out * size, from + taken * size, size);
    }
}

void sort_stable(struct arena *arena, void *items, size_t count, size_t size,
                 int (*compare)(const void *a, const void *b))
{
    struct sorting how = {size, compare};
    if (count < 2 || is_sorted(&how, items, count))
        return;
    struct arena_mark mark = arena_mark(arena);
    char *from = items;
    char *to = arena_alloc_array(arena, size, count);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t left = 0; left < count; left += 2 * width) {
            size_t middle = left + width < count ? left + width : count;
            size_t right = left + 2 * width < count ? left + 2 * width : count;
            merge(&how, from, to, left, middle, right);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, count * size);
    arena_release(arena, mark);
}
