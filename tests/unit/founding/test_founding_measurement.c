#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "support/demo.h"

/* Step 3: measurement. */

static void property_13_measure_context_returns_zeroed_struct_when_no_turns_recorded(void **state)
{
    struct fixture *f = *state;
    struct transcript empty;
    transcript_init(&empty, &f->arena, &f->sizing);
    struct measurement m = measure_transcript(&empty);
    assert_true(m.peak == 0 && m.cumulative == 0 && m.turn_count == 0 && measure_multiplier(m) == 0.0);
}

static void property_14_measure_context_reports_peak_cumulative_multiplier_and_turn_count(void **state)
{
    struct demo *demo = demo_open(*state);
    struct measurement m = measure_transcript(&demo_monolith(demo, DEMO_FILES)->transcript);
    assert_int_equal(m.peak, 6144);
    assert_int_equal(m.cumulative, 19741);
    assert_int_equal(m.turn_count, 7);
    assert_true(measure_multiplier(m) == 19741.0 / 6144.0);
}

static void property_15_reread_multiplier_grows_with_scan_size(void **state)
{
    struct demo *demo = demo_open(*state);
    double last = 0.0;
    for (uint32_t files = 1; files <= DEMO_FILES; files++) {
        double multiplier = measure_multiplier(measure_transcript(&demo_monolith(demo, files)->transcript));
        assert_true(multiplier >= 1.0 && multiplier > last);
        last = multiplier;
    }
}

static void property_16_rank_delegation_candidates_lists_one_per_tool_result(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct ranking ranking = rank_results(&demo->fixture->arena, &record->transcript);
    assert_int_equal(ranking.count, DEMO_FILES);
    bool listed[64] = {false};
    for (uint32_t i = 0; i < ranking.count; i++) {
        uint32_t entry = ranking.candidates[i].entry;
        assert_int_equal(role_at(record, entry), ROLE_TOOL_RESULT);
        assert_false(listed[entry]);
        listed[entry] = true;
    }
}

static void property_17_rank_delegation_candidates_sorted_by_waste_descending(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct ranking ranking = rank_results(&demo->fixture->arena, &record->transcript);
    static const uint32_t want[] = {3, 9, 12, 6, 15, 18};
    for (uint32_t i = 0; i < ranking.count; i++) {
        assert_int_equal(ranking.candidates[i].entry, want[i]);
        assert_true(i == 0 || ranking.candidates[i - 1].waste >= ranking.candidates[i].waste);
    }
}

static void property_18_candidate_waste_equals_payload_times_later_rereads(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct ranking ranking = rank_results(&demo->fixture->arena, &record->transcript);
    const struct seen *seen = ledger_find(&demo->ledger, record);
    for (uint32_t i = 0; i < ranking.count; i++) {
        const struct candidate *c = &ranking.candidates[i];
        int64_t size = (int64_t)content_at(record, c->entry).len; /* ASCII */
        assert_int_equal(c->appearances, seen_appearances(seen, c->entry));
        assert_int_equal(c->waste, size * (c->appearances - 1));
    }
}

static void property_19_earliest_tool_result_has_the_most_rereads(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct ranking ranking = rank_results(&demo->fixture->arena, &record->transcript);
    for (uint32_t i = 0; i < ranking.count; i++) {
        assert_int_equal(ranking.candidates[i].appearances, DEMO_FILES - (ranking.candidates[i].entry / 3 - 1));
        if (ranking.candidates[i].entry == 18)
            assert_int_equal(ranking.candidates[i].appearances, 1); /* the last one read is never read again */
    }
}

static void property_20_top_candidate_label_matches_first_line_of_payload(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct ranking ranking = rank_results(&demo->fixture->arena, &record->transcript);
    assert_str(rank_label(transcript_entry(&record->transcript, ranking.candidates[0].entry)), STR("# delegate-demo"));
    assert_str(rank_label(transcript_entry(&record->transcript, ranking.candidates[1].entry)),
               STR("\"\"\"Read raw order files and split them i"));
}

static void property_21_identify_delegation_boundary_meets_the_savings_target(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    assert_true(v.boundary.ratio >= 0.5);
    assert_int_equal(v.boundary.saved, 11338);
    assert_true(v.boundary.ratio == 11338.0 / 19741.0);
}

static void property_22_identify_delegation_boundary_returns_smallest_sufficient_prefix(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.5);
    assert_int_equal(v.boundary.taken, 4);
    int64_t without_last = v.boundary.saved - v.ranking.candidates[v.boundary.taken - 1].waste;
    assert_true((double)without_last < 0.5 * (double)v.measurement.cumulative);
}

static void property_23_identify_delegation_boundary_zero_target_returns_no_candidates(void **state)
{
    struct demo *demo = demo_open(*state);
    struct verdict v = verdict_of(&demo->fixture->arena, demo_monolith(demo, DEMO_FILES), 0.0);
    assert_int_equal(v.boundary.taken, 0);
    assert_int_equal(v.boundary.saved, 0);
}

static void property_24_identify_delegation_boundary_rejects_out_of_range_ratio(void **state)
{
    struct fixture *f = *state;
    const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        f->err = (struct err){0};
        assert_false(boundary_check_target(wrong[i], &f->err));
        assert_true(str_starts(str_of(f->err.message), STR("target_savings_ratio must be in [0.0, 1.0], got ")));
    }
    assert_true(boundary_check_target(0.0, &f->err) && boundary_check_target(1.0, &f->err));
}

static void property_25_measurement_uses_step2_helpers_consistently(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    struct measurement m = measure_transcript(&record->transcript);
    const struct seen *seen = ledger_find(&demo->ledger, record);
    assert_int_equal(m.peak, seen_peak(seen));
    assert_int_equal(m.cumulative, seen_cumulative(seen));
    assert_int_equal(m.turn_count, seen->count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(property_13_measure_context_returns_zeroed_struct_when_no_turns_recorded),
        TEST(property_14_measure_context_reports_peak_cumulative_multiplier_and_turn_count),
        TEST(property_15_reread_multiplier_grows_with_scan_size),
        TEST(property_16_rank_delegation_candidates_lists_one_per_tool_result),
        TEST(property_17_rank_delegation_candidates_sorted_by_waste_descending),
        TEST(property_18_candidate_waste_equals_payload_times_later_rereads),
        TEST(property_19_earliest_tool_result_has_the_most_rereads),
        TEST(property_20_top_candidate_label_matches_first_line_of_payload),
        TEST(property_21_identify_delegation_boundary_meets_the_savings_target),
        TEST(property_22_identify_delegation_boundary_returns_smallest_sufficient_prefix),
        TEST(property_23_identify_delegation_boundary_zero_target_returns_no_candidates),
        TEST(property_24_identify_delegation_boundary_rejects_out_of_range_ratio),
        TEST(property_25_measurement_uses_step2_helpers_consistently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
