#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/doubles.h"

/* A fault of the scenario at any place ends the whole run with its message; the sanitizer sees what is left over. */

static void run_at_fault(struct fixture *f, struct agent_spec *spec, uint32_t slots, const char *message)
{
    struct run_options options = options_of(f);
    options.economy.latency = slots_of(&f->arena, slots);
    f->err = (struct err){0};
    assert_null(run_root(&options, spec, STR("go"), &f->err));
    assert_int_equal(f->err.kind, ERR_SCENARIO);
    assert_string_equal(f->err.message, message);
}

static void a_root_model_may_fail_at_any_turn(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    for (int i = 0; i < 4; i++)
        script_call(script_say(script, STR("t")), STR("unknown"), NULL);
    struct counted *counted = counted_new(&f->arena, script);
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->model = counted_model(counted);
    for (counted->fail_at = 1; counted->fail_at <= 5; counted->fail_at++)
        run_at_fault(f, spec, 8, "the model is broken");
    assert_int_equal(counted->begun, 5);
    assert_int_equal(counted->ended, 5);
}

static void a_model_may_fail_to_begin(void **state)
{
    struct fixture *f = *state;
    struct counted counted = {.fail_to_begin = true};
    struct agent_spec *spec = spec_of(&f->arena, script_new(&f->arena));
    spec->model = counted_model(&counted);
    run_at_fault(f, spec, 8, "the model does not begin");
    assert_int_equal(counted.ended, 0); /* what never began is not ended */
}

static void a_tool_may_be_at_fault_after_others_ran(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    struct tool broken = {.name = STR("broken"), .run = broken_run};
    const struct tool *tools[] = {&echo->tool, &broken};
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("echo"), NULL);
    script_call(script, STR("broken"), NULL);
    script_call(script, STR("echo"), NULL);
    struct counted *counted = counted_new(&f->arena, script);
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->model = counted_model(counted);
    spec->tools = tools;
    spec->tool_count = ARRAY_LEN(tools);
    run_at_fault(f, spec, 1, "the tool is broken");
    assert_int_equal(echo->count, 1); /* nothing runs after the fault */
    run_at_fault(f, spec, 8, "the tool is broken");
    assert_int_equal(echo->count, 2);
    assert_int_equal(counted->begun, counted->ended);
}

/* A spec that counts how often it was told that its run has ended. */
struct ending_spec {
    struct agent_spec spec; /* first, so that a spec is its ending_spec */
    uint32_t ended;
};

static void count_end(struct agent_spec *spec)
{
    ((struct ending_spec *)spec)->ended++;
}

static struct ending_spec *ending_spec(struct arena *arena, const struct script *script)
{
    struct ending_spec *ending = arena_new(arena, struct ending_spec);
    ending->spec = *spec_of(arena, script);
    ending->spec.end = count_end;
    return ending;
}

static void each_spec_is_told_once_that_its_run_has_ended(void **state)
{
    struct fixture *f = *state;
    for (uint32_t fail_at = 0; fail_at <= 2; fail_at++) {
        struct ending_spec *child = ending_spec(&f->arena, script_stop(script_new(&f->arena), STR("x")));
        struct spec_factory factory = {.spec = &child->spec};
        const struct subagent subagents[] = {subagent_of(STR("c"), &factory)};
        struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("task"), NULL);
        struct counted *counted = counted_new(&f->arena, script_stop(script, STR("done")));
        struct ending_spec *parent = ending_spec(&f->arena, script);
        counted->fail_at = fail_at;
        parent->spec.model = counted_model(counted);
        parent->spec.subagents = subagents;
        parent->spec.subagent_count = 1;
        struct run_options options = options_of(f);
        f->err = (struct err){0};
        assert_int_equal(run_root(&options, &parent->spec, STR("go"), &f->err) != NULL, fail_at == 0);
        assert_int_equal(parent->ended, 1);
        assert_int_equal(child->ended, fail_at == 1 ? 0 : 1); /* at turn 1 there is no child yet */
    }
}

/* A parent of three children of which the second is at fault, while the others are in the middle of their work. */
struct family {
    struct counted *models[3];
    struct spec_factory factories[3];
    struct subagent subagents[3];
    struct counted *parent;
    struct agent_spec *spec;
};

static struct family *make_family(struct arena *arena)
{
    static const char *const names[] = {"a", "b", "c"};
    struct family *family = arena_new(arena, struct family);
    struct script *script = script_say(script_new(arena), STR(""));
    for (uint32_t i = 0; i < 3; i++) {
        struct script *inner = script_new(arena);
        for (int turn = 0; turn < 6; turn++)
            script_call(script_say(inner, STR("t")), STR("unknown"), NULL);
        family->models[i] = counted_new(arena, inner);
        family->factories[i].spec = spec_of(arena, inner);
        family->factories[i].spec->model = counted_model(family->models[i]);
        family->subagents[i] = subagent_of(str_of(names[i]), &family->factories[i]);
        script_call(script, STR("task"), task_arguments(arena, str_of(names[i]), STR("p")));
    }
    family->parent = counted_new(arena, script);
    family->spec = spec_of(arena, script);
    family->spec->model = counted_model(family->parent);
    family->spec->subagents = family->subagents;
    family->spec->subagent_count = 3;
    return family;
}

static void all_that_began_is_ended(const struct family *family)
{
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(family->models[i]->begun, family->models[i]->ended);
    assert_int_equal(family->parent->begun, 1);
    assert_int_equal(family->parent->ended, 1);
}

static void a_childs_model_may_fail_while_its_siblings_work(void **state)
{
    struct fixture *f = *state;
    for (uint32_t slots = 1; slots <= 3; slots++) {
        for (uint32_t turn = 1; turn <= 6; turn++) {
            struct family *family = make_family(&f->arena);
            family->models[1]->fail_at = turn;
            run_at_fault(f, family->spec, slots, "the model is broken");
            all_that_began_is_ended(family);
            assert_int_equal(family->models[1]->asked, turn);
        }
    }
}

static void a_childs_model_may_fail_to_begin(void **state)
{
    struct fixture *f = *state;
    struct family *family = make_family(&f->arena);
    family->models[1]->fail_to_begin = true;
    run_at_fault(f, family->spec, 8, "the model does not begin");
    all_that_began_is_ended(family);
    assert_int_equal(family->models[0]->begun, 1);
    assert_int_equal(family->models[2]->begun, 0);
}

static void a_factory_may_be_at_fault(void **state)
{
    struct fixture *f = *state;
    struct family *family = make_family(&f->arena);
    family->subagents[2].factory = (struct agent_factory){broken_make, NULL};
    run_at_fault(f, family->spec, 8, "the factory is broken");
    all_that_began_is_ended(family);
    assert_int_equal(family->factories[0].made, 1);
    assert_int_equal(family->factories[1].made, 1);
}

static void names_outlive_a_run_at_fault(void **state)
{
    struct fixture *f = *state;
    struct family *family = make_family(&f->arena);
    family->models[0]->fail_at = 2;
    run_at_fault(f, family->spec, 8, "the model is broken");
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("task"), NULL);
    script_stop(script, STR("done"));
    struct run_options options = options_of(f);
    f->err = (struct err){0};
    struct record *record = run_fine(f, &options, spec_of(&f->arena, script), STR("again"));
    assert_int_equal(transcript_entry(&record->transcript, 1)->name, table_find(&f->names, STR("task")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_root_model_may_fail_at_any_turn),
        TEST(a_model_may_fail_to_begin),
        TEST(a_tool_may_be_at_fault_after_others_ran),
        TEST(a_childs_model_may_fail_while_its_siblings_work),
        TEST(a_childs_model_may_fail_to_begin),
        TEST(a_factory_may_be_at_fault),
        TEST(each_spec_is_told_once_that_its_run_has_ended),
        TEST(names_outlive_a_run_at_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
