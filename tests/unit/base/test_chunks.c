#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/chunks.h"
#include "base/rng.h"

#define MANY 30000u

static int open_arena(void **state)
{
    struct arena *arena = malloc(sizeof *arena);
    assert_non_null(arena);
    arena_init(arena);
    *state = arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_close(*state);
    free(*state);
    return 0;
}

static struct chunks filled(struct arena *arena, uint32_t count)
{
    struct chunks chunks;
    chunks_init(&chunks, arena, sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *item = chunks_add(&chunks);
        assert_true(*item == 0); /* new items are zeroed */
        *item = (uint64_t)i * i + 1;
    }
    return chunks;
}

static void items_keep_their_values_and_places(void **state)
{
    struct chunks chunks = filled(*state, 10);
    const void *places[10];
    for (uint32_t i = 0; i < 10; i++)
        places[i] = chunks_at(&chunks, i);
    for (uint32_t i = 10; i < MANY; i++)
        *(uint64_t *)chunks_add(&chunks) = (uint64_t)i * i + 1;
    assert_int_equal(chunks.count, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(*(uint64_t *)chunks_at(&chunks, i) == (uint64_t)i * i + 1);
    for (uint32_t i = 0; i < 10; i++)
        assert_ptr_equal(places[i], chunks_at(&chunks, i));
}

/* The chunk an index stands in, found by laying chunks side by side. */
static void places_are_as_if_chunks_were_counted_off(void **state)
{
    (void)state;
    uint32_t chunk = 0;
    uint32_t within = 0;
    uint32_t size = 16;
    for (uint32_t index = 0; index < MANY; index++) {
        uint32_t got;
        assert_int_equal(chunk_of(index, &got), chunk);
        assert_int_equal(got, within);
        if (++within == size) {
            within = 0;
            chunk++;
            size = size < 4096 ? size * 2 : 4096;
        }
    }
    uint32_t last;
    assert_int_equal(chunk_of(UINT32_MAX, &last), 8 + ((UINT32_MAX - 4080u) >> 12));
    assert_true(last < 4096);
}

static void runs_cover_every_item_once(void **state)
{
    static const uint32_t counts[] = {0, 1, 15, 16, 17, 48, 4079, 4080, 4081, 8176, 8177, MANY};
    for (size_t c = 0; c < ARRAY_LEN(counts); c++) {
        struct chunks chunks = filled(*state, counts[c]);
        uint32_t here;
        uint32_t index = 0;
        for (; index < counts[c]; index += here) {
            const uint64_t *items = chunks_run(&chunks, index, &here);
            assert_true(here > 0);
            for (uint32_t i = 0; i < here; i++)
                assert_ptr_equal(&items[i], chunks_at(&chunks, index + i));
        }
        assert_int_equal(index, counts[c]);
        assert_null(chunks_run(&chunks, counts[c], &here));
        assert_int_equal(here, 0);
    }
}

static void a_run_may_start_anywhere(void **state)
{
    struct chunks chunks = filled(*state, 9000);
    struct rng rng;
    rng_init(&rng, 1, STR("runs"));
    for (int round = 0; round < 2000; round++) {
        uint32_t index = (uint32_t)rng_between(&rng, 0, 8999);
        uint32_t here;
        const uint64_t *items = chunks_run(&chunks, index, &here);
        assert_true(here > 0 && index + here <= 9000);
        assert_ptr_equal(items, chunks_at(&chunks, index));
        assert_ptr_equal(&items[here - 1], chunks_at(&chunks, index + here - 1));
    }
}

/* A random walk of adding and dropping against a plain array. */
static void dropping_takes_back_the_newest(void **state)
{
    uint64_t *want = arena_array(*state, uint64_t, MANY);
    struct chunks chunks;
    chunks_init(&chunks, *state, sizeof(uint64_t));
    struct rng rng;
    rng_init(&rng, 2, STR("drops"));
    uint32_t count = 0;
    for (uint32_t step = 0; step < MANY; step++) {
        if (count > 0 && rng_between(&rng, 0, 2) == 0) {
            chunks_drop_last(&chunks);
            count--;
        } else {
            uint64_t *item = chunks_add(&chunks);
            assert_true(*item == 0); /* also where another one stood before */
            want[count++] = *item = rng_next(&rng);
        }
        assert_int_equal(chunks.count, count);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(*(uint64_t *)chunks_at(&chunks, i) == want[i]);
}

static void adding_and_dropping_over_and_over_takes_no_memory(void **state)
{
    struct arena *arena = *state;
    struct chunks chunks = filled(arena, 100);
    size_t before = arena->reserved;
    for (uint32_t i = 0; i < MANY; i++) {
        chunks_add(&chunks);
        chunks_drop_last(&chunks);
    }
    assert_int_equal(arena->reserved, before);
}

static void items_may_have_any_size(void **state)
{
    struct chunks chunks;
    chunks_init(&chunks, *state, 3);
    for (uint32_t i = 0; i < 5000; i++) {
        unsigned char *item = chunks_add(&chunks);
        item[0] = (unsigned char)i;
        item[2] = (unsigned char)(i >> 8);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        const unsigned char *item = chunks_at(&chunks, i);
        assert_int_equal(item[0] | item[1] << 4 | item[2] << 8, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(items_keep_their_values_and_places, open_arena, close_arena),
        cmocka_unit_test(places_are_as_if_chunks_were_counted_off),
        cmocka_unit_test_setup_teardown(runs_cover_every_item_once, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(a_run_may_start_anywhere, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(dropping_takes_back_the_newest, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(adding_and_dropping_over_and_over_takes_no_memory, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(items_may_have_any_size, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
