/* One small seeded generator with named sub-streams.
 *
 * A stream is keyed by (seed, name), so that drawing from one never disturbs another.  The generator is xoshiro256**
 * seeded through splitmix64 (Blackman and Vigna), integers only, the same on every machine.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

#include "base/str.h"

struct rng {
    uint64_t state[4];
};

void rng_init(struct rng *rng, uint64_t seed, struct str stream);
uint64_t rng_next(struct rng *rng);
double rng_real(struct rng *rng);                                  /* in [0, 1), 53 bits */
int64_t rng_between(struct rng *rng, int64_t low, int64_t high);   /* uniform, both ends included, low <= high */

#endif
