/* One small seeded generator with named sub-streams. */
#include "base/rng.h"

#include "base/check.h"

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* FNV-1a, 64 bits: enough to tell the few stream names of one program apart. */
static uint64_t name_hash(struct str name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void rng_init(struct rng *rng, uint64_t seed, struct str stream)
{
    /* The seed is mixed before the name joins, so that neighbouring seeds and names do not meet. */
    uint64_t state = splitmix_next(&seed) ^ name_hash(stream);
    for (size_t i = 0; i < ARRAY_LEN(rng->state); i++) {
        rng->state[i] = splitmix_next(&state);
    }
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double rng_real(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
    CHECK(low <= high);
    uint64_t count = (uint64_t)high - (uint64_t)low + 1;
    if (count == 0) {
        return (int64_t)rng_next(rng); /* the whole range */
    }
    /* The last, incomplete run of `count` numbers is drawn again, or its numbers would come too often. */
    uint64_t incomplete = (UINT64_MAX % count + 1) % count;
    uint64_t drawn;
    do {
        drawn = rng_next(rng);
    } while (drawn > UINT64_MAX - incomplete);
    return (int64_t)((uint64_t)low + drawn % count);
}
