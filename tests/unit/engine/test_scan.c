#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/scan.h"
#include "support/doubles.h"

static struct agent_spec *scan_spec(struct arena *arena, struct scan *scan)
{
    struct agent_spec *spec = arena_new(arena, struct agent_spec);
    *spec = (struct agent_spec){.name = STR("scan"), .model = {&model_scan, scan}, .max_turns = 20};
    return spec;
}

static void each_path_is_announced_and_read_in_the_order_given(void **state)
{
    struct fixture *f = *state;
    struct scan_path b = {.path = STR("b\xC3\xA9.c")};
    struct scan_path a = {.path = STR("a\"q")};
    struct scan_path *paths[] = {&b, &a, &b}; /* repeats are allowed */
    struct scan scan = {paths, 3, STR("Done.")};
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, scan_spec(&f->arena, &scan), STR("go"));
    assert_int_equal(transcript_turns(&record->transcript), 4);
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
    assert_str(record->final_text, STR("Done."));
    assert_str(content_at(record, 1), STR("Reading b\xC3\xA9.c to feed the summary."));
    assert_str(content_at(record, 2), STR("read_file({\"path\":\"b\xC3\xA9.c\"})"));
    assert_str(content_at(record, 3), STR("ERROR: unknown tool read_file")); /* the spec lists none */
    assert_str(content_at(record, 5), STR("read_file({\"path\":\"a\\\"q\"})"));
    assert_str(content_at(record, 8), content_at(record, 2));
    assert_ptr_equal(content_at(record, 8).data, content_at(record, 2).data); /* made once */
    assert_str(content_at(record, 10), STR("Done."));
    assert_int_equal(transcript_entries(&record->transcript), 11);
}

static void a_scan_of_nothing_only_stops(void **state)
{
    struct fixture *f = *state;
    struct scan scan = {NULL, 0, STR("")};
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, scan_spec(&f->arena, &scan), STR("go"));
    assert_int_equal(transcript_turns(&record->transcript), 1);
    assert_int_equal(transcript_entries(&record->transcript), 1); /* an empty final text is no entry */
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
}

static void runs_of_one_scan_share_no_cursor(void **state)
{
    struct fixture *f = *state;
    struct scan_path path = {.path = STR("p")};
    struct scan_path *paths[] = {&path};
    struct scan scan = {paths, 1, STR("Done.")};
    struct run_options options = options_of(f);
    for (int i = 0; i < 2; i++) {
        struct record *record = run_fine(f, &options, scan_spec(&f->arena, &scan), STR("go"));
        assert_int_equal(transcript_turns(&record->transcript), 2);
    }
}

static void a_scan_asked_past_its_end_is_exhausted(void **state)
{
    struct fixture *f = *state;
    struct scan scan = {NULL, 0, STR("x")};
    void *instance = model_scan.begin(&scan, NULL, &f->arena, &f->err);
    struct request request = {0};
    struct turn turn;
    assert_int_equal(model_scan.ask(instance, &request, &turn, &f->err), MODEL_TURN);
    assert_int_equal(model_scan.ask(instance, &request, &turn, &f->err), MODEL_EXHAUSTED);
    assert_int_equal(model_scan.ask(instance, &request, &turn, &f->err), MODEL_EXHAUSTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_path_is_announced_and_read_in_the_order_given),
        TEST(a_scan_of_nothing_only_stops),
        TEST(runs_of_one_scan_share_no_cursor),
        TEST(a_scan_asked_past_its_end_is_exhausted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
