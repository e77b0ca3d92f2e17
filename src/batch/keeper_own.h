/* What the two sides of the keeper share: the entry into its process.
 *
 * The sides are one module, because neither is of use without the other.
 */
#ifndef BATCH_KEEPER_OWN_H
#define BATCH_KEEPER_OWN_H

#include "batch/keeper.h"

/* The life of the process, after its descriptors and signals are in order. */
_Noreturn void keeper_serve(int socket, int64_t deadline_us);

#endif
