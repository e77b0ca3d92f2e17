/* Progress: one line on a terminal's stderr that says how far the program is, and is gone when it is done. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct progress {
    bool shown; /* false where stderr is no terminal, or nothing was shown yet */
    bool wanted;
    size_t columns;
};

void progress_init(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, size_t done, size_t count, struct str what);
void progress_clear(struct progress *progress);

#endif
