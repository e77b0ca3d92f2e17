#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "reduce/measure.h"
#include "reduce/rank.h"
#include "support/fixture.h"

/* The laws for transcripts from which entries are taken again: who was there is written down turn by turn. */

#define ENTRIES 80
#define TURNS 40

struct diary {
    struct {
        int64_t size;
        enum role role;
        bool alive;
        int64_t appearances;
    } entries[ENTRIES];
    uint32_t count;
    int64_t contexts[TURNS];
    uint32_t turns;
};

static void write_down_turn(struct diary *diary)
{
    for (uint32_t i = 0; i < diary->count; i++) {
        if (!diary->entries[i].alive)
            continue;
        diary->entries[i].appearances++;
        diary->contexts[diary->turns] += diary->entries[i].size;
    }
    diary->turns++;
}

static void random_history(struct rng *rng, struct transcript *t, struct diary *diary)
{
    for (int64_t steps = rng_between(rng, 0, 140); steps > 0; steps--) {
        int64_t what = rng_between(rng, 0, 5);
        if (what == 0 && diary->turns < TURNS) {
            transcript_begin_turn(t);
            write_down_turn(diary);
        } else if (what == 1 && diary->count > 0) {
            uint32_t victim = (uint32_t)rng_between(rng, 0, diary->count - 1);
            if (diary->entries[victim].alive)
                transcript_retire(t, victim);
            diary->entries[victim].alive = false;
        } else if (diary->count < ENTRIES) {
            int64_t size = rng_between(rng, 0, 9);
            enum role role = rng_between(rng, 0, 1) ? ROLE_TOOL_RESULT : ROLE_ASSISTANT;
            transcript_append_sized(t, role, NAME_NONE, (struct str){0}, size);
            diary->entries[diary->count].size = size;
            diary->entries[diary->count].role = role;
            diary->entries[diary->count++].alive = true;
        }
    }
}

static void measures_agree(const struct transcript *t, const struct diary *diary)
{
    int64_t peak = 0;
    int64_t sum_of_turns = 0;
    int64_t sum_of_entries = 0;
    int64_t at_the_end = 0;
    for (uint32_t i = 0; i < diary->turns; i++) {
        sum_of_turns += diary->contexts[i];
        peak = diary->contexts[i] > peak ? diary->contexts[i] : peak;
    }
    for (uint32_t i = 0; i < diary->count; i++) {
        sum_of_entries += diary->entries[i].size * diary->entries[i].appearances;
        at_the_end += diary->entries[i].alive ? diary->entries[i].size : 0;
    }
    struct measurement m = measure_transcript(t);
    assert_int_equal(m.peak, peak);
    assert_int_equal(m.cumulative, sum_of_turns);
    assert_int_equal(m.cumulative, sum_of_entries);
    assert_int_equal(m.turn_count, diary->turns);
    assert_int_equal(measure_final_context(t), at_the_end);
}

static void ranking_agrees(struct arena *arena, const struct transcript *t, const struct diary *diary)
{
    struct candidate want[ENTRIES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < diary->count; i++) {
        if (diary->entries[i].role != ROLE_TOOL_RESULT || diary->entries[i].appearances == 0)
            continue;
        int64_t waste = diary->entries[i].size * (diary->entries[i].appearances - 1);
        uint32_t place = count++;
        for (; place > 0 && want[place - 1].waste < waste; place--)
            want[place] = want[place - 1];
        want[place] = (struct candidate){i, (uint32_t)diary->entries[i].appearances, waste};
    }
    struct ranking ranking = rank_results(arena, t);
    assert_int_equal(ranking.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(ranking.candidates[i].entry, want[i].entry);
        assert_int_equal(ranking.candidates[i].appearances, want[i].appearances);
        assert_int_equal(ranking.candidates[i].waste, want[i].waste);
    }
}

static void laws_hold_where_entries_are_taken_again(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 42, STR("retired"));
    for (int round = 0; round < 3000; round++) {
        fixture_renew(f);
        struct transcript t;
        transcript_init(&t, &f->arena, &f->sizing);
        struct diary *diary = arena_new(&f->arena, struct diary);
        random_history(&rng, &t, diary);
        measures_agree(&t, diary);
        ranking_agrees(&f->arena, &t, diary);
        transcript_check(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(laws_hold_where_entries_are_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
