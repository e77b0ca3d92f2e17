#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/demo.h"

/* Step 5: comparison and the recommendation. */

static struct comparison compare_demo(struct demo *demo, uint32_t children)
{
    struct footprint baseline = compare_footprint(demo_monolith(demo, DEMO_FILES));
    return compare_footprints(baseline, compare_footprint(demo_delegated(demo, children)));
}

/* A run that reads one file of a few bytes. */
static struct record *tiny_run(struct demo *demo)
{
    struct fixture *f = demo->fixture;
    struct workspace *w = fixture_workspace(f);
    workspace_add(w, STR("note.txt"), STR("short\n"));
    workspace_seal(w);
    struct script *script = script_say(script_new(&f->arena), STR("Reading note.txt to feed the summary."));
    script_call(script, STR("read_file"), one_argument(&f->arena, STR("path"), STR("note.txt")));
    struct agent_spec *spec = demo_reader(demo, STR("tiny"), script_model(script_stop(script, STR("Done."))));
    spec->workspace = w;
    return run_fine(f, &demo->options, spec, STR(DEMO_TASK));
}

static void property_37_subagent_result_now_exposes_seen_transcripts(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *child = demo_delegated(demo, 1)->first_child;
    const struct seen *seen = ledger_find(&demo->ledger, child);
    assert_int_equal(transcript_turns(&child->transcript), seen->count);
    for (uint32_t turn = 1; turn <= seen->count; turn++)
        assert_int_equal(transcript_context(&child->transcript, turn), snapshot_size(&seen->snapshots[turn - 1]));
}

static void property_38_subagent_seen_transcripts_grow_monotonically(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *child = demo_delegated(demo, 1)->first_child;
    for (uint32_t turn = 2; turn <= transcript_turns(&child->transcript); turn++)
        assert_true(transcript_context(&child->transcript, turn) > transcript_context(&child->transcript, turn - 1));
}

static void property_39_compare_footprints_returns_delegation_comparison(void **state)
{
    struct demo *demo = demo_open(*state);
    struct footprint monolith = compare_footprint(demo_monolith(demo, DEMO_FILES));
    struct footprint delegated = compare_footprint(demo_delegated(demo, 1));
    assert_int_equal(monolith.own.cumulative, 19741);
    assert_int_equal(monolith.isolated.cumulative, 0);
    assert_int_equal(delegated.isolated.peak, 6174);
    assert_int_equal(delegated.isolated.cumulative, 19951);
    assert_int_equal(delegated.isolated.turn_count, 7);
    assert_true(compare_total(delegated) == delegated.own.cumulative + 19951);
}

static void property_40_compare_footprints_shows_parent_cumulative_savings(void **state)
{
    assert_true(compare_demo(demo_open(*state), 1).parent_cumulative_savings_ratio > 0.5);
}

static void property_41_compare_footprints_shows_parent_peak_savings(void **state)
{
    assert_true(compare_demo(demo_open(*state), 1).parent_peak_savings_ratio > 0.5);
}

static void property_42_compare_footprints_isolated_carries_the_offloaded_cost(void **state)
{
    assert_true(compare_demo(demo_open(*state), 1).isolated_share_of_total > 0.5);
}

static void property_43_compare_footprints_handles_empty_subagent_list(void **state)
{
    struct demo *demo = demo_open(*state);
    struct footprint alone = compare_footprint(demo_monolith(demo, DEMO_FILES));
    struct comparison c = compare_footprints(alone, alone);
    assert_true(alone.isolated.peak == 0 && alone.isolated.cumulative == 0 && alone.isolated.turn_count == 0);
    assert_true(measure_multiplier(alone.isolated) == 0.0);
    assert_true(c.isolated_share_of_total == 0.0 && c.total_ratio == 1.0);
}

static void property_44_should_delegate_returns_true_for_full_repo_scan(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    assert_true(recommend(v.measurement, NULL, &thresholds_default).delegate);
    assert_true(recommend(v.measurement, &v.boundary, &thresholds_default).delegate);
}

static void property_45_should_delegate_reason_string_lists_triggered_rules(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    struct str reason = recommend_reason(&demo->fixture->arena, &v.recommendation);
    assert_int_equal(v.recommendation.gate_count, 3);
    for (uint32_t i = 0; i < v.recommendation.gate_count; i++)
        assert_true(str_holds(reason, str_of(v.recommendation.gates[i].row->rule)));
    assert_true(str_starts(reason, STR("delegate: min_cumulative (19741 >= 2000), min_reread_multiplier (3.21")));
}

static void property_46_should_delegate_returns_false_for_tiny_single_file_run(void **state)
{
    struct demo *demo = demo_open(*state);
    struct recommendation r =
        recommend(measure_transcript(&tiny_run(demo)->transcript), NULL, &thresholds_default);
    assert_false(r.delegate);
    assert_true(str_starts(recommend_reason(&demo->fixture->arena, &r), STR("keep monolithic: min_cumulative (")));
}

static void property_47_should_delegate_respects_supplied_boundary_savings_floor(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    struct thresholds thresholds = thresholds_default;
    thresholds.min_boundary_savings_ratio = v.boundary.ratio; /* met at equality */
    assert_true(recommend(v.measurement, &v.boundary, &thresholds).delegate);
    thresholds.min_boundary_savings_ratio = 0.6;
    assert_false(recommend(v.measurement, &v.boundary, &thresholds).delegate);
    assert_true(recommend(v.measurement, NULL, &thresholds).delegate); /* without a boundary there is no third gate */
}

static void property_48_should_delegate_thresholds_are_caller_tunable(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    struct thresholds thresholds = thresholds_default;
    thresholds.min_cumulative = 19742; /* above the run's cost */
    assert_false(recommend(v.measurement, &v.boundary, &thresholds).delegate);
    thresholds = thresholds_default;
    thresholds.min_reread_multiplier = 3.3;
    assert_false(recommend(v.measurement, &v.boundary, &thresholds).delegate);
}

static void property_49_should_delegate_uses_documented_default_thresholds(void **state)
{
    (void)state;
    assert_true(thresholds_default.min_cumulative == 2000.0);
    assert_true(thresholds_default.min_reread_multiplier == 1.5);
    assert_true(thresholds_default.min_boundary_savings_ratio == 0.3);
    assert_true(BOUNDARY_TARGET_DEFAULT == 0.5);
}

static void property_50_should_delegate_handles_zero_measurement(void **state)
{
    struct fixture *f = *state;
    struct recommendation r = recommend((struct measurement){0}, NULL, &thresholds_default);
    assert_false(r.delegate);
    assert_true(str_starts(recommend_reason(&f->arena, &r), STR("keep monolithic: ")));
}

static void property_51_recommend_for_run_recommends_delegation_for_full_repo_scan(void **state)
{
    struct demo *demo = demo_open(*state);
    assert_true(verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5).recommendation.delegate);
}

static void property_52_recommend_for_run_rejects_tiny_run(void **state)
{
    struct demo *demo = demo_open(*state);
    assert_false(verdict_of(&demo->fixture->arena, tiny_run(demo), 0.5).recommendation.delegate);
}

static void property_53_recommend_for_run_zero_target_vetos_via_boundary_gate(void **state)
{
    struct demo *demo = demo_open(*state);
    struct recommendation r =
        verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.0).recommendation;
    assert_true(r.gates[0].passed && r.gates[1].passed);
    assert_false(r.gates[2].passed);
    assert_false(r.delegate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(property_37_subagent_result_now_exposes_seen_transcripts),
        TEST(property_38_subagent_seen_transcripts_grow_monotonically),
        TEST(property_39_compare_footprints_returns_delegation_comparison),
        TEST(property_40_compare_footprints_shows_parent_cumulative_savings),
        TEST(property_41_compare_footprints_shows_parent_peak_savings),
        TEST(property_42_compare_footprints_isolated_carries_the_offloaded_cost),
        TEST(property_43_compare_footprints_handles_empty_subagent_list),
        TEST(property_44_should_delegate_returns_true_for_full_repo_scan),
        TEST(property_45_should_delegate_reason_string_lists_triggered_rules),
        TEST(property_46_should_delegate_returns_false_for_tiny_single_file_run),
        TEST(property_47_should_delegate_respects_supplied_boundary_savings_floor),
        TEST(property_48_should_delegate_thresholds_are_caller_tunable),
        TEST(property_49_should_delegate_uses_documented_default_thresholds),
        TEST(property_50_should_delegate_handles_zero_measurement),
        TEST(property_51_recommend_for_run_recommends_delegation_for_full_repo_scan),
        TEST(property_52_recommend_for_run_rejects_tiny_run),
        TEST(property_53_recommend_for_run_zero_target_vetos_via_boundary_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
