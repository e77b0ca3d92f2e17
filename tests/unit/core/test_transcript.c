#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/transcript.h"
#include "support/fixture.h"

static void contexts_are_what_each_turn_read(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    assert_int_equal(transcript_append(&t, ROLE_USER, NAME_NONE, STR("12345")), 0);
    transcript_begin_turn(&t);
    assert_int_equal(transcript_append(&t, ROLE_ASSISTANT, NAME_NONE, STR("abc")), 1);
    assert_int_equal(transcript_append(&t, ROLE_TOOL_RESULT, 7, STR("d\xC3\xA9")), 2);
    transcript_begin_turn(&t);
    transcript_append(&t, ROLE_ASSISTANT, NAME_NONE, STR("final"));
    assert_int_equal(transcript_turns(&t), 2);
    assert_int_equal(transcript_entries(&t), 4);
    assert_int_equal(transcript_context(&t, 1), 5);
    assert_int_equal(transcript_context(&t, 2), 10);
    assert_int_equal(t.live, 15); /* the last context lacks the final answer */
    transcript_check(&t);
}

static void an_entry_keeps_what_it_was_given(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    transcript_begin_turn(&t);
    struct str content = {"a\0\xFF", 3};
    const struct entry *entry = transcript_entry(&t, transcript_append(&t, ROLE_TOOL_RESULT, 3, content));
    assert_ptr_equal(entry->bytes, content.data); /* referenced, not copied */
    assert_int_equal(entry->length, 3);
    assert_int_equal(entry->size, 3);
    assert_int_equal(entry->role, ROLE_TOOL_RESULT);
    assert_int_equal(entry->name, 3);
    assert_int_equal(entry->flags, 0);
    assert_int_equal(entry->span.birth, 2);
    assert_int_equal(entry->span.death, SPAN_FOREVER);
}

static void a_known_size_is_taken_as_it_is(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    transcript_append_sized(&t, ROLE_TOOL_RESULT, 0, (struct str){0}, INT64_C(5000000000));
    transcript_append_sized(&t, ROLE_TOOL_RESULT, 0, STR("x"), 0);
    transcript_begin_turn(&t);
    assert_true(transcript_context(&t, 1) == INT64_C(5000000000));
    assert_int_equal(entry_content(transcript_entry(&t, 0)).len, 0);
}

static void a_cancelled_turn_was_never_there(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    transcript_append(&t, ROLE_USER, NAME_NONE, STR("task"));
    transcript_begin_turn(&t);
    transcript_cancel_turn(&t);
    assert_int_equal(transcript_turns(&t), 0);
    uint32_t entry = transcript_append(&t, ROLE_USER, NAME_NONE, STR("more"));
    assert_int_equal(transcript_entry(&t, entry)->span.birth, 1);
    transcript_begin_turn(&t);
    assert_int_equal(transcript_context(&t, 1), 8);
    transcript_check(&t);
}

static void retiring_ends_a_life_at_the_next_turn(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    uint32_t first = transcript_append(&t, ROLE_USER, NAME_NONE, STR("1234567890"));
    uint32_t unseen = transcript_append(&t, ROLE_TOOL_RESULT, 0, STR("abc"));
    transcript_retire(&t, unseen); /* before any turn saw it */
    transcript_begin_turn(&t);
    transcript_begin_turn(&t);
    transcript_retire(&t, first);
    transcript_append(&t, ROLE_USER, NAME_NONE, STR("sum"));
    transcript_begin_turn(&t);
    assert_int_equal(transcript_context(&t, 1), 10);
    assert_int_equal(transcript_context(&t, 2), 10); /* the past does not change, I3 */
    assert_int_equal(transcript_context(&t, 3), 3);
    assert_int_equal(span_turns(transcript_entry(&t, first)->span, 3), 2);
    assert_int_equal(span_turns(transcript_entry(&t, unseen)->span, 3), 0);
    transcript_check(&t);
}

/* The reference: lists of live entries copied out at each turn, as a program without spans would do it. */
#define REFERENCE_ENTRIES 200
#define REFERENCE_TURNS 60

struct reference {
    int64_t sizes[REFERENCE_ENTRIES];
    bool alive[REFERENCE_ENTRIES];
    uint32_t entries;
    bool seen[REFERENCE_TURNS][REFERENCE_ENTRIES];
    int64_t contexts[REFERENCE_TURNS];
    uint32_t turns;
};

static void reference_begin_turn(struct reference *r)
{
    for (uint32_t i = 0; i < r->entries; i++) {
        r->seen[r->turns][i] = r->alive[i];
        r->contexts[r->turns] += r->alive[i] ? r->sizes[i] : 0;
    }
    r->turns++;
}

static void random_step(struct rng *rng, struct transcript *t, struct reference *r)
{
    uint32_t victim = r->entries ? (uint32_t)rng_between(rng, 0, r->entries - 1) : 0;
    switch (rng_between(rng, 0, 3)) {
    case 0:
        if (r->turns < REFERENCE_TURNS) {
            transcript_begin_turn(t);
            reference_begin_turn(r);
        }
        break;
    case 1:
        if (r->entries && r->alive[victim]) {
            transcript_retire(t, victim);
            r->alive[victim] = false;
        }
        break;
    default:
        if (r->entries < REFERENCE_ENTRIES) {
            int64_t size = rng_between(rng, 0, 3) == 0 ? 0 : rng_between(rng, 1, INT64_C(1) << 40);
            transcript_append_sized(t, ROLE_TOOL_RESULT, 0, (struct str){0}, size);
            r->sizes[r->entries] = size;
            r->alive[r->entries++] = true;
        }
    }
}

static void compare_with_reference(const struct transcript *t, const struct reference *r)
{
    assert_int_equal(transcript_turns(t), r->turns);
    for (uint32_t turn = 1; turn <= r->turns; turn++) {
        assert_true(transcript_context(t, turn) == r->contexts[turn - 1]);
        for (uint32_t i = 0; i < r->entries; i++)
            assert_int_equal(span_has(transcript_entry(t, i)->span, turn), r->seen[turn - 1][i]);
    }
    for (uint32_t i = 0; i < r->entries; i++) {
        uint32_t appearances = 0;
        for (uint32_t turn = 0; turn < r->turns; turn++)
            appearances += r->seen[turn][i];
        assert_int_equal(span_turns(transcript_entry(t, i)->span, r->turns), appearances);
    }
}

static void spans_say_what_copied_snapshots_say(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 20, STR("transcript"));
    for (int round = 0; round < 400; round++) {
        fixture_renew(f);
        struct transcript t;
        transcript_init(&t, &f->arena, &f->sizing);
        struct reference *r = arena_new(&f->arena, struct reference);
        int64_t steps = rng_between(&rng, 0, 250);
        for (int64_t step = 0; step < steps; step++)
            random_step(&rng, &t, r);
        compare_with_reference(&t, r);
        transcript_check(&t);
    }
}

static void entries_do_not_move_as_a_transcript_grows(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    const struct entry *first = transcript_entry(&t, transcript_append(&t, ROLE_USER, NAME_NONE, STR("x")));
    for (int i = 0; i < 20000; i++)
        transcript_append_sized(&t, ROLE_TOOL_RESULT, 0, (struct str){0}, i);
    assert_ptr_equal(first, transcript_entry(&t, 0));
    for (uint32_t i = 1; i <= 20000; i++)
        assert_int_equal(transcript_entry(&t, i)->size, i - 1);
}

static void roles_have_the_names_of_the_contract(void **state)
{
    (void)state;
    assert_string_equal(role_name(ROLE_SYSTEM), "system");
    assert_string_equal(role_name(ROLE_USER), "user");
    assert_string_equal(role_name(ROLE_ASSISTANT), "assistant");
    assert_string_equal(role_name(ROLE_TOOL_CALL), "tool_call");
    assert_string_equal(role_name(ROLE_TOOL_RESULT), "tool_result");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contexts_are_what_each_turn_read),
        TEST(an_entry_keeps_what_it_was_given),
        TEST(a_known_size_is_taken_as_it_is),
        TEST(a_cancelled_turn_was_never_there),
        TEST(retiring_ends_a_life_at_the_next_turn),
        TEST(spans_say_what_copied_snapshots_say),
        TEST(entries_do_not_move_as_a_transcript_grows),
        TEST(roles_have_the_names_of_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
