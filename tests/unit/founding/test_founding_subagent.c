#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/demo.h"
#include "support/doubles.h"

/* Step 4: the subagent. */

static void property_26_run_with_delegation_returns_delegating_agent_result(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 1);
    assert_str(parent->run, STR("delegated")); /* the parent's result … */
    assert_str(parent->final_text, STR("Summary complete."));
    assert_int_equal(parent->child_count, 1); /* … and those of the subagents */
    assert_str(parent->first_child->run, STR("delegated/1"));
    assert_ptr_equal(parent->first_child->parent, parent);
}

static void property_27_parent_only_sees_subagent_summary_as_tool_result(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 1);
    uint32_t results = 0;
    for (uint32_t i = 0; i < transcript_entries(&parent->transcript); i++) {
        if (role_at(parent, i) != ROLE_TOOL_RESULT)
            continue;
        results++;
        assert_str(content_at(parent, i), STR("Repo summarised."));
    }
    assert_int_equal(results, 1);
}

static void property_28_parent_transcript_does_not_contain_any_file_body(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 1);
    struct strbuf whole; /* also not across the borders of entries */
    strbuf_init(&whole, &demo->fixture->arena, 1 << 20);
    for (uint32_t i = 0; i < transcript_entries(&parent->transcript); i++)
        strbuf_add(&whole, content_at(parent, i));
    for (uint32_t i = 0; i < DEMO_FILES; i++)
        assert_false(str_holds(strbuf_str(&whole), demo->files->files[i].body));
}

static void property_29_subagent_transcript_carries_every_file_body(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *child = demo_delegated(demo, 1)->first_child;
    for (uint32_t i = 0; i < DEMO_FILES; i++)
        assert_true(holds_body(child, demo->files->files[i].body));
}

static void property_30_subagent_records_its_own_name_and_turn_count(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *child = demo_delegated(demo, 1)->first_child;
    assert_str(child->name, STR("repo_scanner"));
    assert_int_equal(transcript_turns(&child->transcript), DEMO_FILES + 1);
    assert_int_equal(child->max_turns, 20);
}

static void property_31_delegation_shrinks_parent_context_versus_monolithic(void **state)
{
    struct demo *demo = demo_open(*state);
    int64_t monolith = measure_final_context(&demo_monolith(demo, DEMO_FILES)->transcript);
    int64_t parent = measure_final_context(&demo_delegated(demo, 1)->transcript);
    assert_true(parent * 4 < monolith);
}

static void property_32_isolated_context_absorbs_the_file_reading_cost(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 1);
    int64_t isolated = measure_final_context(&parent->first_child->transcript);
    assert_true(isolated >= demo->files->bytes);
    assert_int_equal(isolated, 6190);
    assert_int_equal(measure_isolated(parent).cumulative, 19951);
}

static void property_33_make_task_tool_returns_error_string_for_unknown_subagent(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = spec_of(&f->arena, script_new(&f->arena))};
    const struct subagent subagents[] = {subagent_of(STR("known"), &factory)};
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("task"), task_arguments(&f->arena, STR("ghost"), STR("p")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("went on")));
    spec->subagents = subagents;
    spec->subagent_count = 1;
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(parent, 2), STR("ERROR: unknown subagent ghost"));
    assert_null(parent->first_child); /* nothing is logged */
    assert_int_equal(factory.made, 0);
}

static void property_34_subagent_factory_yields_fresh_instance_each_call(void **state)
{
    struct fixture *f = *state;
    struct script *inner = script_stop(script_new(&f->arena), STR("only turn"));
    struct counted *counted = counted_new(&f->arena, inner);
    struct spec_factory factory = {.spec = spec_of(&f->arena, inner)};
    factory.spec->model = counted_model(counted);
    const struct subagent subagents[] = {subagent_of(STR("s"), &factory)};
    struct script *script = script_new(&f->arena);
    for (int i = 0; i < 3; i++)
        script_call(script_say(script, STR("")), STR("task"), NULL);
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("")));
    spec->subagents = subagents;
    spec->subagent_count = 1;
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, spec, STR("go"));
    assert_int_equal(factory.made, 3);
    assert_int_equal(counted->begun, 3);
    for (struct record *child = parent->first_child; child; child = child->next)
        assert_str(child->final_text, STR("only turn")); /* a shared cursor would have run out */
}

static void property_35_task_tool_logs_every_subagent_invocation_in_order(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 3);
    static const char *const names[] = {"part0", "part1", "part2"};
    uint32_t number = 0;
    for (struct record *child = parent->first_child; child; child = child->next, number++) {
        assert_str(child->name, str_of(names[number]));
        assert_str(child->run, str_printf(&demo->fixture->arena, "delegated/%u", number + 1));
    }
    assert_int_equal(number, 3);
}

static void property_36_parent_tool_call_argument_is_the_only_subagent_signal_in_parent(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *parent = demo_delegated(demo, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < transcript_entries(&parent->transcript); i++) {
        if (!str_holds(content_at(parent, i), STR("repo_scanner")))
            continue;
        found++;
        assert_int_equal(role_at(parent, i), ROLE_TOOL_CALL);
    }
    assert_int_equal(found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(property_26_run_with_delegation_returns_delegating_agent_result),
        TEST(property_27_parent_only_sees_subagent_summary_as_tool_result),
        TEST(property_28_parent_transcript_does_not_contain_any_file_body),
        TEST(property_29_subagent_transcript_carries_every_file_body),
        TEST(property_30_subagent_records_its_own_name_and_turn_count),
        TEST(property_31_delegation_shrinks_parent_context_versus_monolithic),
        TEST(property_32_isolated_context_absorbs_the_file_reading_cost),
        TEST(property_33_make_task_tool_returns_error_string_for_unknown_subagent),
        TEST(property_34_subagent_factory_yields_fresh_instance_each_call),
        TEST(property_35_task_tool_logs_every_subagent_invocation_in_order),
        TEST(property_36_parent_tool_call_argument_is_the_only_subagent_signal_in_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
