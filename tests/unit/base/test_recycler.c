/* Recycler: blocks keep their bytes, do not overlap, and what is given back comes again, up to a limit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/check.h"
#include "base/recycler.h"
#include "base/rng.h"
#include "base/str.h"

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

static struct piece take(struct recycler *recycler, struct rng *rng)
{
    struct piece piece = {.size = (size_t)rng_between(rng, 1, (int64_t)RECYCLER_BLOCK_MAX),
                          .fill = (unsigned char)rng_between(rng, 1, 255)};
    piece.data = recycler_take(recycler, piece.size);
    assert_non_null(piece.data);
    assert_int_equal((uintptr_t)piece.data % RECYCLER_GRAIN, 0);
    memset(piece.data, piece.fill, piece.size);
    return piece;
}

static void give(struct recycler *recycler, struct piece *pieces, size_t *count, size_t index)
{
    assert_filled(&pieces[index]);
    recycler_give(recycler, pieces[index].data, pieces[index].size);
    pieces[index] = pieces[--*count];
}

/* Law: what was written into a block stays until it is given back, whatever the order; so no two share a byte. */
static void blocks_keep_their_bytes(void **state)
{
    (void)state;
    static struct piece pieces[LIVE_MAX];
    struct recycler recycler = {0};
    struct rng rng;
    size_t count = 0;
    rng_init(&rng, 7, STR("recycler"));
    for (int step = 0; step < 120000; step++) {
        int growing = step / 20000 % 2 == 0;
        if (count < LIVE_MAX && (count == 0 || rng_between(&rng, 0, 9) < (growing ? 8 : 2)))
            pieces[count++] = take(&recycler, &rng);
        else
            give(&recycler, pieces, &count, (size_t)rng_between(&rng, 0, (int64_t)count - 1));
    }
    while (count > 0)
        give(&recycler, pieces, &count, count - 1);
    recycler_empty(&recycler);
}

static void the_last_block_given_back_comes_first(void **state)
{
    (void)state;
    struct recycler recycler = {0};
    void *a = recycler_take(&recycler, 40);
    void *b = recycler_take(&recycler, 48);
    recycler_give(&recycler, a, 48); /* 33 to 48 are one class */
    recycler_give(&recycler, b, 33);
    assert_ptr_equal(recycler_take(&recycler, 48), b);
    assert_ptr_equal(recycler_take(&recycler, 33), a);
    recycler_give(&recycler, a, 40);
    void *other = recycler_take(&recycler, 49);
    assert_ptr_not_equal(other, a);
    free(other);
    free(b);
    recycler_empty(&recycler);
    assert_true(recycler_same(33, 48) && !recycler_same(48, 49) && !recycler_same(32, 33));
    assert_true(recycler_same(497, 512) && !recycler_same(512, 513) && !recycler_same(513, 514));
}

/* I2 */
static void what_is_kept_is_bounded(void **state)
{
    (void)state;
    static void *blocks[20000];
    struct recycler recycler = {0};
    size_t class = recycler_class(100);
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        blocks[i] = recycler_take(&recycler, 100);
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        recycler_give(&recycler, blocks[i], 100);
    size_t kept = 0;
    for (const struct recycled *block = recycler.freed[class]; kept < ARRAY_LEN(blocks) && block;) {
        SHOW(block, sizeof *block);
        const struct recycled *next = block->next;
        HIDE(block, sizeof *block);
        block = next;
        kept++;
    }
    assert_int_equal(kept * 112, recycler.kept[class]);
    assert_in_range(recycler.kept[class], RECYCLER_KEEPS, RECYCLER_KEEPS + 111);
    recycler_empty(&recycler);
    assert_null(recycler.freed[class]);
    assert_int_equal(recycler.kept[class], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes),
        cmocka_unit_test(the_last_block_given_back_comes_first),
        cmocka_unit_test(what_is_kept_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
