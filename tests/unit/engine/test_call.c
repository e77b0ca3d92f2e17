/* Calls on the clock: slots, what each kind of call lasts, and how elapsed time, work and critical path relate. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/economy.h"

static struct latency clock_of(uint32_t slots)
{
    return (struct latency){.base_us = 100, .tool_us = 7, .parallel_calls = slots};
}

static void assert_times(const struct record *record, int64_t elapsed, int64_t work, int64_t critical)
{
    const struct account *account = &record->account;
    if (account->end_us - account->begin_us != elapsed || account->work_us != work || account->critical_us != critical)
        print_error("elapsed %ld, work %ld, critical %ld\n", (long)(account->end_us - account->begin_us),
                    (long)account->work_us, (long)account->critical_us);
    assert_true(account->end_us - account->begin_us == elapsed);
    assert_true(account->work_us == work);
    assert_true(account->critical_us == critical);
}

/* Calls of 10, 20, 30, 5 and 1 microseconds, in this order. */
static const int64_t durations[] = {10, 20, 30, 5, 1};

static const struct {
    uint32_t slots;
    int64_t makespan;
} slot_rows[] = {
    {1, 66}, /* one after the other */
    {2, 40}, /* 10 then 30; 20 then 5, then 1 */
    {3, 30}, /* 10, 5, 1; 20; 30 */
    {4, 30}, {5, 30}, {8, 30},
};

static struct agent_spec *five_calls(struct fixture *f)
{
    struct script *script = script_say(script_new(&f->arena), STR(""));
    struct agent_spec *spec = spec_of(&f->arena, script);
    for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
        struct str name = str_printf(&f->arena, "t%d", (int)i);
        script_call(script, name, one_argument(&f->arena, STR("text"), name));
        give_tool(&f->arena, spec, &timed_echo(&f->arena, name, durations[i])->tool);
    }
    script_stop(script, STR("end"));
    return spec;
}

static void calls_share_their_slots(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(slot_rows); i++) {
        struct run_options options = token_options(f);
        struct latency latency = clock_of(slot_rows[i].slots);
        options.economy.latency = &latency;
        struct record *record = run_fine(f, &options, five_calls(f), STR("go"));
        assert_times(record, 200 + slot_rows[i].makespan, 200 + 66, 200 + 30);
        for (uint32_t k = 0; k < ARRAY_LEN(durations); k++) /* results keep call order whatever ended first */
            assert_str(content_at(record, 6 + k), str_printf(&f->arena, "t%u", k));
    }
}

/* What one call lasts, between two model calls of 100. */
static const struct {
    const char *tool;
    const char *result;
    int64_t lasts;
} call_rows[] = {
    {"plain", "", 7},                        /* as long as tools take */
    {"slow", "", 5000},                      /* its own latency */
    {"instant", "", 0},                      /* which may be nothing */
    {"no_such_tool", "ERROR: unknown tool no_such_tool", 7}, /* failed ones last too */
    {"demanding", "ERROR: demanding needs a complete x, which has not run", 300},
    {"task", "done", 100},                   /* the child's run */
};

static struct agent_spec *one_call(struct fixture *f, struct str tool, const struct value *arguments)
{
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), tool, arguments);
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    give_tool(&f->arena, spec, &timed_echo(&f->arena, STR("plain"), -1)->tool);
    give_tool(&f->arena, spec, &timed_echo(&f->arena, STR("slow"), 5000)->tool);
    give_tool(&f->arena, spec, &timed_echo(&f->arena, STR("instant"), 0)->tool);
    struct echo *demanding = timed_echo(&f->arena, STR("demanding"), 300);
    demanding->tool.requires_complete = STR("x");
    give_tool(&f->arena, spec, &demanding->tool);
    give_subagent(&f->arena, spec, STR("x"), spec_of(&f->arena, script_stop(script_new(&f->arena), STR("done"))));
    return spec;
}

static void every_kind_of_call_has_its_length(void **state)
{
    struct fixture *f = *state;
    struct latency latency = clock_of(1);
    for (size_t i = 0; i < ARRAY_LEN(call_rows); i++) {
        struct run_options options = token_options(f);
        options.economy.latency = &latency;
        struct record *record = run_fine(f, &options, one_call(f, str_of(call_rows[i].tool), NULL), STR("go"));
        assert_str(content_at(record, 2), str_of(call_rows[i].result));
        bool spawned = record->child_count > 0; /* a child's work is in its own account */
        int64_t whole = 200 + call_rows[i].lasts;
        assert_times(record, whole, spawned ? 200 : whole, whole);
        if (spawned)
            assert_times(record->first_child, 100, 100, 100);
    }
}

/* A task call that starts nothing lasts nothing. */
static void a_refused_task_takes_no_time(void **state)
{
    struct fixture *f = *state;
    struct latency latency = clock_of(1);
    static const struct member number[] = {{{"subagent", 8}, {.kind = VALUE_INT, .integer = 7}}};
    const struct value wrong = {.kind = VALUE_OBJECT, .count = 1, .members = number};
    const struct value *const arguments[] = {task_arguments(&f->arena, STR("nobody"), STR("p")), &wrong, NULL};
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
        struct run_options options = token_options(f);
        struct agent_spec *spec = one_call(f, STR("task"), arguments[i]);
        options.economy.latency = &latency;
        if (!arguments[i]) { /* refused for its budget */
            spec->budget = budget_of(&f->arena, RESOURCE_TURNS, 2);
            ((struct subagent *)(uintptr_t)spec->subagents)->budget = budget_of(&f->arena, RESOURCE_TURNS, 2);
        }
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(record->child_count, 0);
        assert_int_equal(transcript_entry(&record->transcript, 2)->flags, ENTRY_FAILED);
        assert_times(record, 200, 200, 200);
    }
}

/* Three children of 300, 200 and 100 microseconds side by side, on so many slots. */
static void children_run_side_by_side(void **state)
{
    struct fixture *f = *state;
    static const int64_t elapsed[] = {800, 500, 500, 500};
    for (uint32_t slots = 1; slots <= 4; slots++) {
        struct run_options options = token_options(f);
        struct latency latency = clock_of(slots);
        struct script *script = script_say(script_new(&f->arena), STR(""));
        struct agent_spec *spec = spec_of(&f->arena, script);
        options.economy.latency = &latency;
        for (int i = 0; i < 3; i++) {
            struct script *inner = script_new(&f->arena);
            for (int turn = 2; turn > i; turn--)
                script_say(inner, STR("t"));
            struct str name = str_printf(&f->arena, "c%d", i);
            script_stop(inner, name);
            give_subagent(&f->arena, spec, name, spec_of(&f->arena, inner));
            script_call(script, STR("task"), task_arguments(&f->arena, name, STR("p")));
        }
        script_stop(script, STR("end"));
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_times(record, elapsed[slots - 1], 200, 500);
        struct record *last = record->last_child;
        assert_true(last->account.begin_us == (slots == 1 ? 600 : slots == 2 ? 300 : 100));
        int64_t work = 0;
        for (struct record *child = record; child; child = record_next(record, child))
            work += child->account.work_us;
        assert_true(work == 800);
    }
}

/* A child whose own calls had to wait: the critical path sees through to the slots it did not get. */
static void the_critical_path_sees_through_children(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct latency latency = clock_of(1);
    options.economy.latency = &latency;
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("task"), NULL);
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    give_subagent(&f->arena, spec, STR("x"), five_calls(f));
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_times(record->first_child, 266, 266, 230);
    assert_times(record, 466, 200, 430);
}

/* A turn's length by its tokens: 2 fresh, then the context of the second turn partly from the cache. */
static void tokens_take_the_time_of_their_bucket(void **state)
{
    struct fixture *f = *state;
    static const struct cache_rule rule = {.ttl = CACHE_5M};
    static const struct latency latency = {
        .base_us = 1, .per_input_ns = 1000000, .per_cached_ns = 10000, .per_output_ns = 1000, .parallel_calls = 1};
    struct run_options options = token_options(f);
    struct script *script = script_stop(script_say(script_new(&f->arena), STR("aaa")), STR("bbbb"));
    options.economy = (struct economy){.cache = &rule, .latency = &latency};
    struct record *record = run_fine(f, &options, spec_of(&f->arena, script), STR("go"));
    int64_t first = 1 + 2000 + 3;
    int64_t second = 1 + 3000 + 2 * 10 + 4;
    assert_times(record, first + second, first + second, first + second);
    const struct turn_figures *figures = chunks_at(&record->account.turns, 1);
    assert_true(figures->begin_us == first && figures->read == 2 && figures->output == 4);
}

/* Turns without calls follow each other at once, and a run of no turn lasts nothing. */
static void a_run_lasts_as_long_as_its_turns(void **state)
{
    struct fixture *f = *state;
    struct latency latency = clock_of(8);
    for (uint32_t max_turns = 0; max_turns <= 4; max_turns++) {
        struct run_options options = token_options(f);
        struct script *script = script_new(&f->arena);
        for (int i = 0; i < 3; i++)
            script_say(script, STR("t"));
        struct agent_spec *spec = spec_of(&f->arena, script);
        spec->max_turns = max_turns;
        options.economy.latency = &latency;
        struct record *record = run_fine(f, &options, spec, STR("go"));
        int64_t turns = max_turns < 3 ? max_turns : 3; /* an unanswered turn takes no time */
        assert_times(record, turns * 100, turns * 100, turns * 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(calls_share_their_slots),
        TEST(every_kind_of_call_has_its_length),
        TEST(a_refused_task_takes_no_time),
        TEST(children_run_side_by_side),
        TEST(the_critical_path_sees_through_children),
        TEST(tokens_take_the_time_of_their_bucket),
        TEST(a_run_lasts_as_long_as_its_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
