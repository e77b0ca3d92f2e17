/* Composition: what fills the last request, by kind and tool, in the documented order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "reduce/composition.h"
#include "reduce/measure.h"
#include "support/fixture.h"

static uint32_t add(struct fixture *f, struct transcript *t, enum role role, const char *tool, int64_t size)
{
    uint32_t name = tool ? table_add(&f->names, str_of(tool)) : NAME_NONE;
    return transcript_append_sized(t, role, name, (struct str){0}, size);
}

static void fail_at(struct transcript *t, uint32_t entry)
{
    transcript_entry(t, entry)->flags |= ENTRY_FAILED;
}

static void rows_come_by_kind_then_by_tool(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    /* In an order that is neither that of the kinds nor that of the names. */
    add(f, &t, ROLE_SYSTEM, "tools", 100);
    add(f, &t, ROLE_SYSTEM, NULL, 10);
    add(f, &t, ROLE_USER, NULL, 1);
    transcript_begin_turn(&t);
    add(f, &t, ROLE_ASSISTANT, NULL, 20);
    add(f, &t, ROLE_TOOL_CALL, "zeta", 5);
    add(f, &t, ROLE_TOOL_CALL, "alpha", 6);
    add(f, &t, ROLE_TOOL_RESULT, "zeta", 7);
    fail_at(&t, add(f, &t, ROLE_TOOL_RESULT, "alpha", 8));
    transcript_begin_turn(&t);
    add(f, &t, ROLE_TOOL_CALL, "alpha", 9);
    add(f, &t, ROLE_TOOL_RESULT, "alpha", 30);
    add(f, &t, ROLE_USER, NULL, 2);
    add(f, &t, ROLE_TOOL_RESULT, "empty", 0); /* left out */
    transcript_begin_turn(&t);
    add(f, &t, ROLE_ASSISTANT, NULL, 1000); /* the final answer: no request reads it */
    static const struct {
        enum content_kind kind;
        const char *tool;
        int64_t size, cumulative;
    } want[] = {
        {CONTENT_SYSTEM, NULL, 10, 30},
        {CONTENT_TOOL_SCHEMAS, NULL, 100, 300},
        {CONTENT_USER, NULL, 3, 5},
        {CONTENT_ASSISTANT, NULL, 20, 40},
        {CONTENT_TOOL_CALL, "alpha", 15, 21},
        {CONTENT_TOOL_CALL, "zeta", 5, 10},
        {CONTENT_TOOL_RESULT, "alpha", 30, 30},
        {CONTENT_TOOL_RESULT, "zeta", 7, 14},
        {CONTENT_FAILED_RESULT, "alpha", 8, 16},
    };
    struct composition composition = composition_of(&f->arena, &t, &f->names);
    assert_int_equal(composition.count, ARRAY_LEN(want));
    assert_true(composition.context == 198);
    for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct content_row *row = &composition.rows[i];
        assert_int_equal(row->kind, want[i].kind);
        assert_int_equal(row->tool, want[i].tool ? table_find(&f->names, str_of(want[i].tool)) : NAME_NONE);
        assert_true(row->size == want[i].size && row->cumulative == want[i].cumulative);
    }
}

static void nothing_asked_is_nothing_composed(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    add(f, &t, ROLE_USER, NULL, 5);
    assert_int_equal(composition_of(&f->arena, &t, &f->names).count, 0);
    transcript_begin_turn(&t);
    struct composition composition = composition_of(&f->arena, &t, &f->names);
    assert_int_equal(composition.count, 1);
    assert_true(composition.context == 5);
}

static void kinds_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"system",    "tool_schemas", "user",         "assistant",
                                        "tool_call", "tool_result",  "failed_result"};
    for (int i = 0; i < (int)ARRAY_LEN(names); i++)
        assert_string_equal(content_kind_name((enum content_kind)i), names[i]);
}

/* The founding audit of a large review: 84,000 tokens, and what each part is of them. */
static void the_audit_of_a_review_adds_up(void **state)
{
    struct fixture *f = *state;
    struct transcript t;
    transcript_init(&t, &f->arena, &f->sizing);
    add(f, &t, ROLE_SYSTEM, NULL, 3100);
    add(f, &t, ROLE_USER, NULL, 6800);
    transcript_begin_turn(&t);
    for (int64_t i = 0; i < 11; i++)
        add(f, &t, ROLE_TOOL_RESULT, "grep", 31200 / 11 + (i < 31200 % 11));
    for (int64_t i = 0; i < 7; i++)
        add(f, &t, ROLE_TOOL_RESULT, "read_file", 28400 / 7 + (i < 28400 % 7));
    fail_at(&t, add(f, &t, ROLE_TOOL_RESULT, "grep", 9900));
    add(f, &t, ROLE_TOOL_RESULT, "run_tests", 4600);
    transcript_begin_turn(&t);
    struct composition composition = composition_of(&f->arena, &t, &f->names);
    static const int64_t sizes[] = {3100, 6800, 31200, 28400, 4600, 9900};
    assert_true(composition.context == 84000);
    assert_int_equal(composition.count, ARRAY_LEN(sizes));
    for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++)
        assert_true(composition.rows[i].size == sizes[i]);
}

static struct transcript *random_transcript(struct fixture *f, struct rng *rng)
{
    static const char *const tools[] = {"b", "a", "c"};
    struct transcript *t = arena_new(&f->arena, struct transcript);
    transcript_init(t, &f->arena, &f->sizing);
    for (int64_t steps = rng_between(rng, 1, 40); steps > 0; steps--) {
        enum role role = (enum role)rng_between(rng, ROLE_SYSTEM, ROLE_TOOL_RESULT);
        bool named = role >= ROLE_TOOL_CALL;
        uint32_t entry = add(f, t, role, named ? tools[rng_between(rng, 0, 2)] : NULL, rng_between(rng, 0, 9));
        if (role == ROLE_TOOL_RESULT && rng_between(rng, 0, 2) == 0)
            fail_at(t, entry);
        if (rng_between(rng, 0, 2) == 0)
            transcript_begin_turn(t);
    }
    transcript_begin_turn(t);
    return t;
}

/* All that a row says it counts, found by a walk of its own. */
static int64_t slow_size(const struct transcript *t, const struct content_row *row)
{
    static const enum role roles[] = {ROLE_SYSTEM,    ROLE_SYSTEM,      ROLE_USER,       ROLE_ASSISTANT,
                                      ROLE_TOOL_CALL, ROLE_TOOL_RESULT, ROLE_TOOL_RESULT};
    int64_t size = 0;
    for (uint32_t i = 0; i < transcript_entries(t); i++) {
        const struct entry *entry = transcript_entry(t, i);
        bool failed = entry->flags & ENTRY_FAILED;
        if (entry->role == roles[row->kind] && entry->name == row->tool &&
            failed == (row->kind == CONTENT_FAILED_RESULT))
            size += entry->size;
    }
    return size;
}

/* Random transcripts against a walk over all entries for each row. */
static void rows_are_those_of_a_slow_walk(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 1, STR("composition"));
    for (int world = 0; world < 500; world++) {
        fixture_renew(f);
        struct transcript *t = random_transcript(f, &rng);
        struct composition got = composition_of(&f->arena, t, &f->names);
        int64_t sizes = 0, cumulative = 0;
        for (uint32_t i = 0; i < got.count; i++) {
            const struct content_row *row = &got.rows[i];
            const struct content_row *before = i > 0 ? &got.rows[i - 1] : NULL;
            sizes += row->size;
            cumulative += row->cumulative;
            assert_true(row->size > 0 && row->size == slow_size(t, row));
            if (before && before->kind == row->kind)
                assert_true(str_cmp(table_key(&f->names, before->tool), table_key(&f->names, row->tool)) < 0);
            else
                assert_true(!before || before->kind < row->kind);
        }
        assert_true(sizes == transcript_context(t, transcript_turns(t)) && sizes == got.context);
        assert_true(cumulative == measure_transcript(t).cumulative);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_come_by_kind_then_by_tool),
        TEST(nothing_asked_is_nothing_composed),
        TEST(kinds_have_names),
        TEST(the_audit_of_a_review_adds_up),
        TEST(rows_are_those_of_a_slow_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
