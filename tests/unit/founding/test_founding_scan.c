#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/demo.h"

/* Step 2: the scan of a repository. */

static void property_06_demo_repo_has_enough_files_to_be_realistic(void **state)
{
    struct demo *demo = demo_open(*state);
    assert_true(demo->files->count >= 5);
    assert_int_equal(demo->files->count, DEMO_FILES);
    for (uint32_t i = 0; i < demo->files->count; i++)
        assert_true(demo->files->files[i].bytes > 300); /* chunky, not filler */
    assert_int_equal(demo->files->bytes, 5640);
}

static void property_07_every_file_lands_in_the_main_transcript(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    for (uint32_t i = 0; i < DEMO_FILES; i++) {
        assert_int_equal(role_at(record, 3 + 3 * i), ROLE_TOOL_RESULT);
        assert_str(content_at(record, 3 + 3 * i), demo->files->files[i].body);
    }
}

static void property_08_context_tokens_scales_with_repo_size(void **state)
{
    struct demo *demo = demo_open(*state);
    int64_t last = 0;
    int64_t read = 0;
    for (uint32_t files = 0; files <= DEMO_FILES; files++) {
        int64_t size = measure_final_context(&demo_monolith(demo, files)->transcript);
        assert_true(size > last && size >= read);
        last = size;
        read += files < DEMO_FILES ? demo->files->files[files].bytes : 0;
    }
    assert_int_equal(last, 6161);
}

static void property_09_final_synthesis_turn_re_reads_every_prior_tool_result(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    const struct seen *seen = ledger_find(&demo->ledger, record);
    const struct snapshot *last = &seen->snapshots[seen->count - 1];
    uint32_t found = 0;
    for (uint32_t i = 0; i < last->count; i++)
        found += last->entries[i].role == ROLE_TOOL_RESULT;
    assert_int_equal(found, DEMO_FILES);
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        if (role_at(record, i) == ROLE_TOOL_RESULT)
            assert_true(span_has(transcript_entry(&record->transcript, i)->span, DEMO_FILES + 1));
    }
}

static void property_10_cumulative_read_cost_grows_super_linearly(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    assert_true(measure_transcript(&record->transcript).cumulative > 2 * demo->files->bytes);
    int64_t half = measure_transcript(&demo_monolith(demo, DEMO_FILES / 2)->transcript).cumulative;
    assert_true(measure_transcript(&record->transcript).cumulative > 2 * half);
}

static void property_11_transcript_size_per_turn_is_monotonic_non_decreasing(void **state)
{
    struct demo *demo = demo_open(*state);
    struct record *record = demo_monolith(demo, DEMO_FILES);
    static const int64_t want[] = {26, 828, 1289, 2393, 4002, 5059, 6144};
    assert_int_equal(transcript_turns(&record->transcript), ARRAY_LEN(want));
    for (uint32_t turn = 1; turn <= ARRAY_LEN(want); turn++) {
        assert_int_equal(transcript_context(&record->transcript, turn), want[turn - 1]);
        assert_true(turn == 1 || want[turn - 1] >= want[turn - 2]);
    }
}

static void property_12_turn_count_matches_files_plus_one_synthesis(void **state)
{
    struct demo *demo = demo_open(*state);
    for (uint32_t files = 0; files <= DEMO_FILES; files++)
        assert_int_equal(measure_transcript(&demo_monolith(demo, files)->transcript).turn_count, files + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(property_06_demo_repo_has_enough_files_to_be_realistic),
        TEST(property_07_every_file_lands_in_the_main_transcript),
        TEST(property_08_context_tokens_scales_with_repo_size),
        TEST(property_09_final_synthesis_turn_re_reads_every_prior_tool_result),
        TEST(property_10_cumulative_read_cost_grows_super_linearly),
        TEST(property_11_transcript_size_per_turn_is_monotonic_non_decreasing),
        TEST(property_12_turn_count_matches_files_plus_one_synthesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
