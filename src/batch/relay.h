/* Relay: passes on what a script printed, whole lines, made safe for a terminal and cut at a ceiling.
 *
 * What a stranger's script prints may hold escape sequences, and a script that runs wild prints for ever.  Lines are
 * kept together so that several workers can share one stderr, and so that no code point is cut by the end of a read.
 *
 * Memory: one line of RELAY_LINE_MAX in the struct.  The descriptor stays its owner's; failures to write are ignored,
 * since there is nobody left to tell.
 */
#ifndef BATCH_RELAY_H
#define BATCH_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define RELAY_TOTAL_MAX ((size_t)60 << 10)
#define RELAY_LINE_MAX ((size_t)8 << 10) /* longer lines are passed on in parts */

struct relay {
    int fd; /* -1: everything is dropped */
    size_t passed; /* bytes taken from the script that were passed on */
    bool full;     /* the ceiling was reached and said */
    size_t used;
    char line[RELAY_LINE_MAX];
};

void relay_init(struct relay *relay, int fd);
void relay_take(struct relay *relay, struct str bytes);

/* Passes on an unfinished last line, with a line feed. */
void relay_finish(struct relay *relay);

#endif
