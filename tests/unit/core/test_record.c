#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/record.h"
#include "support/fixture.h"

static struct record *child_of(struct fixture *f, struct record *parent)
{
    return record_new(&f->arena, parent, STR("child"), &f->sizing);
}

static void run_ids_number_children_in_order(void **state)
{
    struct fixture *f = *state;
    struct record *root = record_new(&f->arena, NULL, STR("delegated"), &f->sizing);
    struct record *first = child_of(f, root);
    struct record *second = child_of(f, root);
    struct record *grandchild = child_of(f, second);
    assert_str(root->run, STR("delegated"));
    assert_str(first->run, STR("delegated/1"));
    assert_str(second->run, STR("delegated/2"));
    assert_str(grandchild->run, STR("delegated/2/1"));
    for (int i = 3; i <= 12; i++)
        first = child_of(f, root);
    assert_str(first->run, STR("delegated/12"));
    assert_int_equal(root->child_count, 12);
    struct record *odd = record_new(&f->arena, NULL, (struct str){"a\0%s", 4}, &f->sizing);
    assert_str(child_of(f, odd)->run, ((struct str){"a\0%s/1", 6}));
}

static void parents_and_depths_follow_the_tree(void **state)
{
    struct fixture *f = *state;
    struct record *root = record_new(&f->arena, NULL, STR("v"), &f->sizing);
    struct record *child = child_of(f, root);
    struct record *grandchild = child_of(f, child);
    assert_null(root->parent);
    assert_ptr_equal(child->parent, root);
    assert_int_equal(root->depth, 0);
    assert_int_equal(child->depth, 1);
    assert_int_equal(grandchild->depth, 2);
    assert_int_equal(transcript_entries(&grandchild->transcript), 0);
    assert_str(child->name, STR("child"));
}

static void a_walk_of_a_lone_record_ends_at_once(void **state)
{
    struct fixture *f = *state;
    struct record *root = record_new(&f->arena, NULL, STR("v"), &f->sizing);
    assert_null(record_next(root, root));
}

/* The reference for the order: parents first, then children as they were numbered, by recursion. */
static void collect(struct record *record, struct record **into, uint32_t *count)
{
    into[(*count)++] = record;
    for (struct record *child = record->first_child; child; child = child->next)
        collect(child, into, count);
}

static void a_walk_meets_a_subtree_once_in_order_and_stays_in_it(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 3, STR("record"));
    for (int round = 0; round < 200; round++) {
        fixture_renew(f);
        struct record *all[40];
        uint32_t made = (uint32_t)rng_between(&rng, 1, 40);
        all[0] = record_new(&f->arena, NULL, STR("v"), &f->sizing);
        for (uint32_t i = 1; i < made; i++)
            all[i] = child_of(f, all[rng_between(&rng, 0, i - 1)]);
        struct record *top = all[rng_between(&rng, 0, made - 1)];
        struct record *want[40];
        uint32_t count = 0;
        collect(top, want, &count);
        uint32_t met = 0;
        for (struct record *record = top; record; record = record_next(top, record)) {
            assert_true(met < count);
            assert_ptr_equal(record, want[met++]);
        }
        assert_int_equal(met, count);
    }
}

static void a_status_follows_from_the_reason(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum stop_reason reason;
        const char *name, *status;
    } rows[] = {
        {STOP_REASON_STOP, "stop", "complete"},
        {STOP_REASON_MAX_TURNS, "max_turns", "partial"},
        {STOP_REASON_SCRIPT_EXHAUSTED, "script_exhausted", "partial"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct record *record = record_new(&f->arena, NULL, STR("v"), &f->sizing);
        record->stop_reason = rows[i].reason;
        assert_string_equal(stop_reason_name(rows[i].reason), rows[i].name);
        assert_string_equal(status_name(record_status(record)), rows[i].status);
    }
    assert_string_equal(status_name(STATUS_ABORTED), "aborted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(run_ids_number_children_in_order),
        TEST(parents_and_depths_follow_the_tree),
        TEST(a_walk_of_a_lone_record_ends_at_once),
        TEST(a_walk_meets_a_subtree_once_in_order_and_stays_in_it),
        TEST(a_status_follows_from_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
