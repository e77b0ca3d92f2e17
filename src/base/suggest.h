/* Did you mean: the name nearest to a wrong one.
 *
 * Distance is Damerau-Levenshtein over bytes, case and `-`/`_` ignored; a name is offered when at most a third of it
 * (rounded up) has to change, so that nonsense suggests nothing.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/str.h"

struct suggest {
    struct str wanted;
    struct str best; /* empty while nothing is near */
    size_t best_distance;
};

void suggest_init(struct suggest *suggest, struct str wanted);
void suggest_offer(struct suggest *suggest, struct str name); /* ties keep the first; names over 64 bytes are skipped */

#endif
