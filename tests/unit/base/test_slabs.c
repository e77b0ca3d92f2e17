/* Slabs: blocks keep their bytes, do not overlap, and what is given back comes again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/slabs.h"
#include "base/str.h"
#include "unit/base/dies.h"

#define LIVE_MAX 20000

struct piece {
    unsigned char *data;
    size_t size;
    unsigned char fill;
};

static void assert_filled(const struct piece *piece)
{
    for (size_t i = 0; i < piece->size; i++) {
        if (piece->data[i] != piece->fill)
            fail_msg("byte %zu of a block of %zu is %d, not %d", i, piece->size, piece->data[i], piece->fill);
    }
}

static struct piece take(struct slabs *slabs, struct rng *rng)
{
    struct piece piece = {.size = (size_t)rng_between(rng, 1, (int64_t)SLABS_BLOCK_MAX),
                          .fill = (unsigned char)rng_between(rng, 1, 255)};
    piece.data = slabs_take(slabs, piece.size);
    assert_non_null(piece.data);
    assert_int_equal((uintptr_t)piece.data % SLABS_GRAIN, 0);
    memset(piece.data, piece.fill, piece.size);
    return piece;
}

static void give(struct slabs *slabs, struct piece *pieces, size_t *count, size_t index)
{
    assert_filled(&pieces[index]);
    slabs_give(slabs, pieces[index].data, pieces[index].size);
    pieces[index] = pieces[--*count];
}

/* Law: what was written into a block stays until it is given back, whatever the order; so no two share a byte.  Phases
 * of growing and shrinking fill many slabs of each class and empty them again. */
static void blocks_keep_their_bytes(void **state)
{
    (void)state;
    static struct piece pieces[LIVE_MAX];
    struct slabs slabs;
    struct rng rng;
    size_t count = 0;
    slabs_init(&slabs);
    rng_init(&rng, 7, STR("slabs"));
    for (int step = 0; step < 120000; step++) {
        int growing = step / 20000 % 2 == 0;
        if (count < LIVE_MAX && (count == 0 || rng_between(&rng, 0, 9) < (growing ? 8 : 2)))
            pieces[count++] = take(&slabs, &rng);
        else
            give(&slabs, pieces, &count, (size_t)rng_between(&rng, 0, (int64_t)count - 1));
    }
    while (count > 0)
        give(&slabs, pieces, &count, count - 1);
    slabs_close(&slabs);
}

static void the_last_block_given_back_comes_first(void **state)
{
    (void)state;
    struct slabs slabs;
    slabs_init(&slabs);
    char *a = slabs_take(&slabs, 40);
    char *b = slabs_take(&slabs, 48);
    assert_ptr_equal(b - a, 48); /* 40 and 48 are one class, whose blocks stand side by side */
    slabs_give(&slabs, a, 40);
    slabs_give(&slabs, b, 48);
    assert_ptr_equal(slabs_take(&slabs, 33), b);
    assert_ptr_equal(slabs_take(&slabs, 48), a);
    char *other = slabs_take(&slabs, 49);
    assert_ptr_not_equal(other, b + 48); /* another class, another slab */
    slabs_give(&slabs, other, 49);
    slabs_give(&slabs, a, 48);
    slabs_give(&slabs, b, 33);
    slabs_close(&slabs);
}

static void a_block_serves_all_sizes_of_its_class(void **state)
{
    (void)state;
    struct slabs slabs;
    slabs_init(&slabs);
    char *block = slabs_take(&slabs, 33);
    memset(block, 1, 33);
    assert_true(slabs_keep(block, 33, 48));
    memset(block, 2, 48);
    assert_true(slabs_keep(block, 48, 40));
    assert_false(slabs_keep(block, 40, 49));
    assert_false(slabs_keep(block, 40, 32));
    assert_false(slabs_keep(block, 40, SLABS_BLOCK_MAX + 1));
    slabs_give(&slabs, block, 40);
    slabs_close(&slabs);
}

static uint32_t count_listed(const struct slabs *slabs, uint16_t class)
{
    uint32_t found = 0;
    for (const struct slab *slab = slabs->open[class]; slab; slab = slab->next)
        found++;
    return found;
}

/* I3: 4,000 blocks of 512 bytes are 63 slabs or more; given back, one stays open and a few are spare. */
static void empty_slabs_go_back(void **state)
{
    (void)state;
    static void *blocks[4000];
    struct slabs slabs;
    uint16_t class = slabs_class(512);
    slabs_init(&slabs);
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        blocks[i] = slabs_take(&slabs, 512);
    assert_true(count_listed(&slabs, class) <= 1); /* I2: full ones are in no list */
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        slabs_give(&slabs, blocks[i], 512);
    assert_int_equal(count_listed(&slabs, class), 1);
    assert_in_range(slabs.spares, 1, 16);
    slabs_close(&slabs);
    assert_null(slabs.spare);
    assert_null(slabs.open[class]);
}

static void close_with_a_live_block(void *unused)
{
    (void)unused;
    struct slabs slabs;
    slabs_init(&slabs);
    (void)!slabs_take(&slabs, 8);
    slabs_close(&slabs);
}

static void give_with_another_size(void *unused)
{
    (void)unused;
    struct slabs slabs;
    slabs_init(&slabs);
    slabs_give(&slabs, slabs_take(&slabs, 8), 64);
}

static void misuse_stops_the_program(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(close_with_a_live_block, NULL), 70);
    assert_int_equal(exit_code_of(give_with_another_size, NULL), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes),
        cmocka_unit_test(the_last_block_given_back_comes_first),
        cmocka_unit_test(a_block_serves_all_sizes_of_its_class),
        cmocka_unit_test(empty_slabs_go_back),
        cmocka_unit_test(misuse_stops_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
