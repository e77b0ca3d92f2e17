#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/demo.h"

/* Figures that are known from elsewhere. */

static void splitting_the_work_is_what_makes_it_cheaper(void **state)
{
    struct demo *demo = demo_open(*state);
    static const struct {
        uint32_t children;
        int64_t parent, isolated; /* cumulative */
        int64_t per_cent;         /* of the one context's cumulative, rounded */
    } rows[] = {
        {1, 199, 19951, 102}, /* one child: the cost moves, and rises */
        {2, 480, 12906, 68},
        {3, 908, 9585, 53},
        {6, 2996, 6790, 50},  /* one file each */
    };
    struct footprint monolith = compare_footprint(demo_monolith(demo, DEMO_FILES));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct footprint delegated = compare_footprint(demo_delegated(demo, rows[i].children));
        assert_int_equal(delegated.own.cumulative, rows[i].parent);
        assert_int_equal(delegated.isolated.cumulative, rows[i].isolated);
        struct comparison c = compare_footprints(monolith, delegated);
        assert_int_equal((int64_t)(100.0 * c.total_ratio + 0.5), rows[i].per_cent);
    }
}

/* The third gate compares what was chosen, so a small target refuses a run that wastes nearly everything. */
static void a_small_target_refuses_a_wasteful_run(void **state)
{
    struct fixture *f = *state;
    struct record *record = record_new(&f->arena, NULL, STR("r"), &f->sizing);
    for (int i = 0; i < 19; i++) {
        transcript_append_sized(&record->transcript, ROLE_TOOL_RESULT, 0, (struct str){0}, 2000);
        transcript_begin_turn(&record->transcript);
    }
    struct verdict small = verdict_of(&f->arena, record, 0.1);
    assert_false(small.recommendation.delegate);
    assert_true(small.boundary.ratio > 0.1 && small.boundary.ratio < 0.3);
    struct verdict whole = verdict_of(&f->arena, record, 1.0);
    assert_true(whole.recommendation.delegate);
    assert_true(whole.boundary.ratio == 0.9); /* (19 - 1) / (19 + 1) */
}

/* A child with the usual limit of 20 turns cannot read 20 files: the 20th result is read by nobody. */
static void a_usual_scanner_reads_nineteen_files_at_most(void **state)
{
    struct fixture *f = *state;
    for (uint32_t files = 19; files <= 20; files++) {
        struct scan_path path = {.path = STR("x")};
        struct scan_path *paths[20];
        for (uint32_t i = 0; i < files; i++)
            paths[i] = &path;
        struct scan scan = {paths, files, STR("Repo summarised.")};
        struct agent_spec child = {.model = {&model_scan, &scan}, .max_turns = MAX_TURNS_DEFAULT};
        struct spec_factory factory = {.spec = &child};
        const struct subagent subagents[] = {subagent_of(STR("s"), &factory)};
        struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("task"), NULL);
        struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("done")));
        spec->subagents = subagents;
        spec->subagent_count = 1;
        struct run_options options = options_of(f);
        struct record *parent = run_fine(f, &options, spec, STR("go"));
        assert_str(content_at(parent, 2), files == 19 ? STR("Repo summarised.")
                                                      : STR("ERROR: subagent s stopped: max_turns (20) reached"));
        assert_int_equal(transcript_turns(&parent->first_child->transcript), 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(splitting_the_work_is_what_makes_it_cheaper),
        TEST(a_small_target_refuses_a_wasteful_run),
        TEST(a_usual_scanner_reads_nineteen_files_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
