/* Arena: alignment, zeroes, marks and growth, over random sequences of use. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/rng.h"
#include "unit/base/dies.h"

struct piece {
    unsigned char *data;
    size_t size;
    unsigned char fill;
};

struct level {
    struct arena_mark mark;
    size_t pieces;
};

static struct rng seeded(uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, STR("test"));
    return rng;
}

/* Mostly small, some around the sizes of blocks, a few larger than any block. */
static size_t draw_size(struct rng *rng)
{
    int64_t kind = rng_between(rng, 0, 99);
    return (size_t)(kind < 80 ? rng_between(rng, 0, 200) : kind < 98 ? rng_between(rng, 0, 9000)
                                                                     : rng_between(rng, 0, 1500000));
}

static void assert_filled(const struct piece *piece, unsigned char with)
{
    for (size_t i = 0; i < piece->size; i++) {
        if (piece->data[i] != with) {
            fail_msg("byte %zu of a piece of %zu is %d, not %d", i, piece->size, piece->data[i], with);
        }
    }
}

static struct piece take_piece(struct arena *arena, struct rng *rng)
{
    struct piece piece = {.size = draw_size(rng), .fill = (unsigned char)rng_between(rng, 1, 255)};
    if (rng_between(rng, 0, 1) == 0) {
        piece.data = arena_alloc(arena, piece.size);
        assert_int_equal((uintptr_t)piece.data % 16, 0);
        assert_filled(&piece, 0);
    } else {
        piece.data = (unsigned char *)arena_bytes(arena, piece.size);
    }
    memset(piece.data, piece.fill, piece.size);
    return piece;
}

/* Law: what was written into a piece stays until a mark before it is released; so no two pieces share a byte. */
static void test_pieces_keep_their_bytes(void **state)
{
    (void)state;
    static struct piece pieces[4096];
    struct level levels[64];
    struct rng rng = seeded(1);
    for (int round = 0; round < 8; round++) {
        struct arena arena;
        arena_init(&arena);
        size_t count = 0, depth = 0;
        for (int step = 0; step < 600; step++) {
            int64_t what = rng_between(&rng, 0, 19);
            if (what == 0 && depth < ARRAY_LEN(levels)) {
                levels[depth++] = (struct level){arena_mark(&arena), count};
            } else if (what == 1 && depth > 0) {
                depth = (size_t)rng_between(&rng, 0, (int64_t)depth - 1);
                arena_release(&arena, levels[depth].mark);
                count = levels[depth].pieces;
            } else {
                pieces[count++] = take_piece(&arena, &rng);
            }
        }
        for (size_t i = 0; i < count; i++) {
            assert_filled(&pieces[i], pieces[i].fill);
        }
        if (depth > 0) {
            arena_release(&arena, levels[0].mark);
        }
        arena_close(&arena);
        assert_int_equal(arena.reserved, 0);
    }
}

/* A release gives large blocks back to the system, also one that stands behind a small one. */
static void test_release_gives_back(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    arena_alloc(&arena, 10);
    arena_alloc(&arena, 3000000);
    struct arena_mark mark = arena_mark(&arena);
    size_t before = arena.reserved;
    for (int i = 0; i < 5; i++) {
        arena_alloc(&arena, 2000000);
        arena_alloc(&arena, 10);
    }
    assert_true(arena.reserved >= before + 10000000);
    arena_release(&arena, mark);
    assert_int_equal(arena.reserved, before);
    struct arena_mark empty = {.block = NULL};
    arena_release(&arena, empty);
    assert_int_equal(arena.reserved, 0);
    arena_close(&arena);
}

static void test_blocks_double(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    size_t steps[12], count = 0, last = 0;
    while (count < ARRAY_LEN(steps)) {
        arena_bytes(&arena, 1000);
        if (arena.reserved != last) {
            steps[count++] = arena.reserved - last;
            last = arena.reserved;
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t expected = (size_t)4096 << (i < 8 ? i : 8);
        assert_int_equal(steps[i], expected);
    }
    /* Small ones between large ones do not open a block each. */
    size_t before = arena.reserved;
    for (int i = 0; i < 10; i++) {
        arena_bytes(&arena, 2000000);
        arena_bytes(&arena, 100);
    }
    assert_true(arena.reserved - before < 10 * 2000000 + 3 * 1024 * 1024);
    arena_reset(&arena);
    assert_true(arena.reserved > 0 && arena.reserved <= 1024 * 1024);
    arena_close(&arena);
}

static void test_grow(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char *text = arena_bytes(&arena, 3);
    memcpy(text, "abc", 3);
    assert_ptr_equal(arena_grow(&arena, text, 3, 100), text); /* the last one grows in place */
    char *other = arena_bytes(&arena, 1);
    *other = 'x';
    char *moved = arena_grow(&arena, text, 100, 200); /* no longer the last */
    assert_ptr_not_equal(moved, text);
    assert_memory_equal(moved, "abc", 3);
    char *far = arena_grow(&arena, moved, 200, 100000); /* the last, but too large for its block */
    assert_ptr_not_equal(far, moved);
    assert_memory_equal(far, "abc", 3);
    assert_int_equal((uintptr_t)far % 16, 0);
    assert_int_equal(*other, 'x');
    assert_non_null(arena_grow(&arena, NULL, 0, 5));
    arena_close(&arena);
}

static void test_shrink(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char *text = arena_grow(&arena, NULL, 0, 100);
    memcpy(text, "abc", 3);
    arena_shrink(&arena, text, 100, 3);
    char *next = arena_bytes(&arena, 10);
    assert_ptr_equal(next, text + 3); /* the rest was given back */
    memset(next, 'x', 10);
    assert_memory_equal(text, "abc", 3);
    arena_shrink(&arena, text, 3, 1); /* no longer the last: nothing happens */
    assert_ptr_equal(arena_bytes(&arena, 1), next + 10);
    arena_close(&arena);
}

static void test_reset_zeroes_again(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (int round = 0; round < 3; round++) {
        struct piece piece = {.data = arena_alloc(&arena, 2000), .size = 2000};
        assert_filled(&piece, 0);
        memset(piece.data, 0xFF, 2000);
        arena_reset(&arena);
        assert_int_equal(arena.reserved, 4096);
    }
    int *numbers = arena_array(&arena, int, 10);
    assert_int_equal(numbers[9], 0);
    arena_close(&arena);
}

static void ask_for_all(void *argument)
{
    struct arena arena;
    arena_init(&arena);
    memset(arena_alloc_array(&arena, *(size_t *)argument, SIZE_MAX / 2), 1, 1);
}

static void test_impossible_sizes_stop(void **state)
{
    (void)state;
    size_t sizes[] = {1, 2, 3};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        assert_int_equal(exit_code_of(ask_for_all, &sizes[i]), 70);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_keep_their_bytes), cmocka_unit_test(test_release_gives_back),
        cmocka_unit_test(test_blocks_double),           cmocka_unit_test(test_grow),
        cmocka_unit_test(test_reset_zeroes_again),      cmocka_unit_test(test_impossible_sizes_stop),
        cmocka_unit_test(test_shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
