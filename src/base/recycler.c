#include "base/recycler.h"

void recycler_empty(struct recycler *recycler)
{
    for (size_t class = 0; class < RECYCLER_CLASSES; class++) {
        while (recycler->freed[class]) {
            struct recycled *block = recycler->freed[class];
            SHOW(block, (class + 1) * RECYCLER_GRAIN);
            recycler->freed[class] = block->next;
            free(block);
        }
        recycler->kept[class] = 0;
    }
}
