#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "reduce/rank.h"
#include "support/fixture.h"

static uint32_t result_of(struct transcript *t, int64_t size)
{
    return transcript_append_sized(t, ROLE_TOOL_RESULT, 0, (struct str){0}, size);
}

static void only_results_that_a_turn_read_are_candidates(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    assert_int_equal(rank_results(&f->arena, &t).count, 0);
    transcript_append(&t, ROLE_SYSTEM, NAME_NONE, STR("system"));
    transcript_append(&t, ROLE_USER, NAME_NONE, STR("user"));
    transcript_begin_turn(&t);
    transcript_append(&t, ROLE_ASSISTANT, NAME_NONE, STR("text"));
    transcript_append(&t, ROLE_TOOL_CALL, 0, STR("call"));
    uint32_t read = result_of(&t, 10);
    uint32_t retired = result_of(&t, 11);
    transcript_retire(&t, retired); /* gone before any turn saw it */
    transcript_begin_turn(&t);
    result_of(&t, 12); /* no turn follows */
    struct ranking ranking = rank_results(&f->arena, &t);
    assert_int_equal(ranking.count, 1);
    assert_int_equal(ranking.candidates[0].entry, read);
    assert_int_equal(ranking.candidates[0].appearances, 1);
    assert_int_equal(ranking.candidates[0].waste, 0);
}

static void waste_is_size_times_rereads_and_ties_keep_their_order(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t size;
        int64_t waste;     /* after five turns, one after each result */
        uint32_t entry;    /* in the order wanted */
    } rows[] = {{30, 120, 2}, {40, 120, 0}, {100, 200, 1}, {20, 20, 3}, {9000, 0, 4}};
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(result_of(&t, rows[i].size), i);
        transcript_begin_turn(&t);
    }
    struct ranking ranking = rank_results(&f->arena, &t);
    assert_int_equal(ranking.count, ARRAY_LEN(rows));
    for (uint32_t place = 0; place < ranking.count; place++) {
        const struct candidate *candidate = &ranking.candidates[place];
        assert_int_equal(candidate->entry, rows[place].entry);
        assert_int_equal(candidate->waste, rows[candidate->entry].waste);
        assert_int_equal(candidate->appearances, 5 - candidate->entry);
    }
}

static void a_result_belongs_to_the_call_in_its_place(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    assert_int_equal(result_of(&t, 1), 0); /* without any call */
    transcript_append(&t, ROLE_ASSISTANT, NAME_NONE, STR("text"));
    transcript_append(&t, ROLE_TOOL_CALL, 0, STR("a({\"path\":\"f(x)\"})"));
    transcript_append(&t, ROLE_TOOL_CALL, 0, STR("b(c({})"));
    uint32_t first = result_of(&t, 1);
    uint32_t second = result_of(&t, 2);
    transcript_append(&t, ROLE_TOOL_CALL, 0, STR("c({\"n\":1})")); /* the next turn, which said nothing */
    uint32_t third = result_of(&t, 3);
    assert_true(str_eq(rank_arguments(&t, first, STR("a")), STR("{\"path\":\"f(x)\"}")));
    assert_true(str_eq(rank_arguments(&t, second, STR("b(c")), STR("{}")));
    assert_true(str_eq(rank_arguments(&t, third, STR("c")), STR("{\"n\":1}")));
    assert_int_equal(rank_arguments(&t, 0, STR("a")).len, 0);
    transcript_append(&t, ROLE_TOOL_CALL, 0, (struct str){0});
    assert_int_equal(rank_arguments(&t, result_of(&t, 4), STR("a")).len, 0);
}

/* Against an insertion sort, which is stable by nature, for every count around the powers of two. */
static void any_number_of_results_is_sorted_stably(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 5, STR("rank"));
    for (uint32_t count = 0; count <= 140; count++) {
        fixture_renew(f);
        struct transcript t;
        transcript_init(&t, &f->arena, &f->sizing);
        for (uint32_t i = 0; i < count; i++)
            result_of(&t, rng_between(&rng, 0, 5)); /* many ties */
        transcript_begin_turn(&t);
        transcript_begin_turn(&t);
        uint32_t want[140];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t place = i;
            for (; place > 0 && transcript_entry(&t, want[place - 1])->size < transcript_entry(&t, i)->size; place--)
                want[place] = want[place - 1];
            want[place] = i;
        }
        struct ranking ranking = rank_results(&f->arena, &t);
        assert_int_equal(ranking.count, count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(ranking.candidates[i].entry, want[i]);
    }
}

static void many_results_are_found_across_chunks(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    for (uint32_t i = 0; i < 9000; i++) {
        transcript_append(&t, ROLE_ASSISTANT, NAME_NONE, STR("x"));
        result_of(&t, i); /* ascending: the sort has all to do */
    }
    transcript_begin_turn(&t);
    transcript_begin_turn(&t);
    struct ranking ranking = rank_results(&f->arena, &t);
    assert_int_equal(ranking.count, 9000);
    for (uint32_t i = 0; i < 9000; i++) {
        assert_int_equal(ranking.candidates[i].waste, 8999 - i);
        assert_int_equal(ranking.candidates[i].entry, 2 * (8999 - i) + 1);
    }
}

static void a_label_is_the_first_line_cut_to_forty_code_points(void **state)
{
    (void)state;
#define FORTY "\xC3\xA9" "234567890123456789012345678901234567890"
    static const struct {
        struct str content, label;
    } rows[] = {
        {{"", 0}, {"", 0}},
        {{"one\ntwo", 7}, {"one", 3}},
        {{"\nsecond", 7}, {"", 0}},                       /* the first line is empty */
        {{"carriage\r\nreturn", 16}, {"carriage\r", 9}},  /* only a line feed ends a line */
        {{FORTY, 41}, {FORTY, 41}},
        {{FORTY "1", 42}, {FORTY, 41}},
        {{FORTY "\xE2\x82\xAC", 44}, {FORTY, 41}},        /* never splits a sequence */
        {{FORTY "\n1", 43}, {FORTY, 41}},
        {{"a\0b\nc", 5}, {"a\0b", 3}},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct entry entry = {.bytes = rows[i].content.data, .length = (uint32_t)rows[i].content.len};
        assert_str(rank_label(&entry), rows[i].label);
    }
    assert_int_equal(rank_label(&(struct entry){0}).len, 0); /* a sized result has no bytes at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_results_that_a_turn_read_are_candidates),
        TEST(waste_is_size_times_rereads_and_ties_keep_their_order),
        TEST(a_result_belongs_to_the_call_in_its_place),
        TEST(any_number_of_results_is_sorted_stably),
        TEST(many_results_are_found_across_chunks),
        TEST(a_label_is_the_first_line_cut_to_forty_code_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
