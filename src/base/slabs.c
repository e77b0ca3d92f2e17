#include "base/slabs.h"

#include <assert.h>
#include <stdlib.h>

enum { SPARES_MAX = 8 };

/* Malloc's own head of the next slab fits behind the usable part, so that aligned slabs stand side by side. */
#define USABLE (SLAB_SIZE - 16)

static_assert(sizeof(struct slab) % SLABS_GRAIN == 0, "blocks start aligned");

void slabs_init(struct slabs *slabs)
{
    *slabs = (struct slabs){.spares = 0};
}

static void list(struct slabs *slabs, struct slab *slab)
{
    struct slab **first = &slabs->open[slab->class];
    slab->next = *first;
    slab->previous = NULL;
    slab->listed = true;
    if (*first)
        (*first)->previous = slab;
    *first = slab;
}

static void unlist(struct slabs *slabs, struct slab *slab)
{
    if (slab->previous)
        slab->previous->next = slab->next;
    else
        slabs->open[slab->class] = slab->next;
    if (slab->next)
        slab->next->previous = slab->previous;
    slab->listed = false;
}

static struct slab *take_spare(struct slabs *slabs)
{
    struct slab *slab = slabs->spare;
    void *memory;
    if (!slab)
        return posix_memalign(&memory, SLAB_SIZE, USABLE) == 0 ? memory : NULL;
    slabs->spare = slab->next;
    slabs->spares--;
    return slab;
}

static struct slab *open_slab(struct slabs *slabs, uint16_t class)
{
    struct slab *slab = take_spare(slabs);
    if (!slab)
        return NULL;
    size_t size = ((size_t)class + 1) * SLABS_GRAIN;
    char *first = (char *)slab + sizeof *slab;
    *slab = (struct slab){.fresh = first, .end = first + (USABLE - sizeof *slab) / size * size, .class = class};
    HIDE(first, USABLE - sizeof *slab);
    list(slabs, slab);
    return slab;
}

/* From the first slab that has room, or from a new one. */
void *slabs_take_fresh(struct slabs *slabs, size_t size)
{
    uint16_t class = slabs_class(size);
    struct slab *slab = slabs->open[class];
    while (slab && !slab->freed && slab->fresh == slab->end) { /* I2 */
        unlist(slabs, slab);
        slab = slabs->open[class];
    }
    if (!slab && !(slab = open_slab(slabs, class)))
        return NULL;
    if (slab->freed)
        return slabs_take(slabs, size);
    char *block = slab->fresh;
    slab->fresh += ((size_t)class + 1) * SLABS_GRAIN;
    slab->live++;
    SHOW(block, size);
    return block;
}

/* A slab that had no room has some now.  One that has no live blocks is not needed, unless it is the last with room:
 * then a class of which one block comes and goes would make a slab each time. */
void slabs_settle(struct slabs *slabs, struct slab *slab)
{
    if (!slab->listed)
        list(slabs, slab);
    if (slab->live > 0 || (!slab->next && !slab->previous))
        return;
    unlist(slabs, slab);
    SHOW(slab, USABLE);
    if (slabs->spares == SPARES_MAX) {
        free(slab);
        return;
    }
    slab->next = slabs->spare;
    slabs->spare = slab;
    slabs->spares++;
}

static void free_list(struct slab *slab)
{
    while (slab) {
        struct slab *next = slab->next;
        CHECK(slab->live == 0);
        SHOW(slab, USABLE);
        free(slab);
        slab = next;
    }
}

void slabs_close(struct slabs *slabs)
{
    for (size_t i = 0; i < SLABS_CLASSES; i++)
        free_list(slabs->open[i]);
    free_list(slabs->spare);
    slabs_init(slabs);
}
