#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/doubles.h"

/* Step 1: the agent with one transcript. */

static struct record *run_with_echo(struct fixture *f, struct script *script, uint32_t max_turns)
{
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    const struct tool **tools = arena_new(&f->arena, const struct tool *);
    *tools = &echo->tool;
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->tools = tools;
    spec->tool_count = 1;
    spec->max_turns = max_turns;
    struct run_options options = options_of(f);
    return run_fine(f, &options, spec, STR("task"));
}

static struct script *echoing(struct arena *arena, struct str text)
{
    struct script *script = script_call(script_say(script_new(arena), STR("asking")), STR("echo"),
                                        one_argument(arena, STR("text"), text));
    return script_stop(script, STR("The final synthesis."));
}

static void property_01_final_synthesis_is_returned(void **state)
{
    struct fixture *f = *state;
    struct record *record = run_with_echo(f, echoing(&f->arena, STR("x")), 20);
    assert_str(record->final_text, STR("The final synthesis."));
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
    assert_int_equal(transcript_turns(&record->transcript), 2);
}

static void property_02_tool_result_lands_in_the_main_transcript(void **state)
{
    struct fixture *f = *state;
    struct record *record = run_with_echo(f, echoing(&f->arena, STR("the whole result, untouched\n")), 20);
    assert_int_equal(role_at(record, 3), ROLE_TOOL_RESULT);
    assert_str(content_at(record, 3), STR("the whole result, untouched\n"));
}

static void property_03_context_grows_with_tool_results(void **state)
{
    struct fixture *f = *state;
    struct str large = {memset(arena_bytes(&f->arena, 5000), 'x', 5000), 5000};
    int64_t before = run_with_echo(f, echoing(&f->arena, STR("")), 20)->transcript.live;
    int64_t after = run_with_echo(f, echoing(&f->arena, large), 20)->transcript.live;
    assert_true(after - before >= 5000);
}

static void property_04_unknown_tool_becomes_an_error_string(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("missing"), NULL);
    struct record *record = run_with_echo(f, script_stop(script, STR("went on")), 20);
    assert_str(content_at(record, 2), STR("ERROR: unknown tool missing"));
    assert_str(record->final_text, STR("went on"));
}

static void property_05_max_turns_raises_a_clear_error(void **state)
{
    struct fixture *f = *state;
    for (uint32_t limit = 0; limit <= 3; limit++) {
        struct script *script = script_new(&f->arena);
        for (int i = 0; i < 5; i++)
            script_call(script_say(script, STR("")), STR("echo"), NULL);
        struct record *record = run_with_echo(f, script, limit);
        assert_string_equal(stop_reason_name(record->stop_reason), "max_turns");
        assert_int_equal(record->max_turns, limit); /* what the message on stderr names */
        assert_int_equal(transcript_turns(&record->transcript), limit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(property_01_final_synthesis_is_returned),
        TEST(property_02_tool_result_lands_in_the_main_transcript),
        TEST(property_03_context_grows_with_tool_results),
        TEST(property_04_unknown_tool_becomes_an_error_string),
        TEST(property_05_max_turns_raises_a_clear_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
