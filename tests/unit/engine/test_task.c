#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/doubles.h"

/* A parent of one turn with these calls, then a stop. */
static struct script *parent_script(struct arena *arena)
{
    return script_say(script_new(arena), STR(""));
}

static struct agent_spec *child_spec(struct arena *arena, struct str answer)
{
    struct agent_spec *spec = spec_of(arena, script_stop(script_new(arena), answer));
    spec->name = STR("not used: a record carries the subagent's name");
    return spec;
}

static struct agent_spec *parent_spec(struct arena *arena, struct script *script, const struct subagent *subagents,
                                      uint32_t count)
{
    script_stop(script, STR("done"));
    struct agent_spec *spec = spec_of(arena, script);
    spec->subagents = subagents;
    spec->subagent_count = count;
    return spec;
}

static void only_the_answer_crosses(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    const struct tool *tools[] = {&echo->tool};
    struct script *inner = script_say(script_new(&f->arena), STR("inner thoughts"));
    script_call(inner, STR("echo"), one_argument(&f->arena, STR("text"), STR("inner result")));
    script_stop(inner, STR("the answer"));
    struct spec_factory factory = {.spec = spec_of(&f->arena, inner)};
    factory.spec->tools = tools;
    factory.spec->tool_count = 1;
    const struct subagent subagents[] = {subagent_of(STR("helper"), &factory)};
    struct script *script = parent_script(&f->arena);
    script_call(script, STR("task"), task_arguments(&f->arena, STR("helper"), STR("look into it")));
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 1), STR("go"));
    assert_int_equal(transcript_entries(&parent->transcript), 4);
    assert_str(content_at(parent, 1), STR("task({\"prompt\":\"look into it\",\"subagent\":\"helper\"})"));
    assert_str(content_at(parent, 2), STR("the answer"));
    assert_int_equal(role_at(parent, 2), ROLE_TOOL_RESULT);
    assert_int_equal(transcript_entry(&parent->transcript, 2)->flags, 0);
    struct record *child = parent->first_child;
    assert_non_null(child);
    assert_str(child->run, STR("root/1"));
    assert_str(child->name, STR("helper"));
    assert_str(content_at(child, 0), STR("look into it"));
    assert_str(content_at(child, 3), STR("inner result"));
    assert_str(child->final_text, STR("the answer"));
    assert_int_equal(child->stop_reason, STOP_REASON_STOP);
    assert_str(factory.last_prompt, STR("look into it"));
    transcript_check(&child->transcript);
}

static void arguments_are_read_by_the_rules(void **state)
{
    struct fixture *f = *state;
    static const struct member number[] = {{{"subagent", 8}, {.kind = VALUE_INT, .integer = 1}}};
    static const struct member list[] = {{{"prompt", 6}, {.kind = VALUE_ARRAY}}};
    static const struct value number_name = {.kind = VALUE_OBJECT, .count = 1, .members = number};
    static const struct value list_prompt = {.kind = VALUE_OBJECT, .count = 1, .members = list};
    struct arena *arena = &f->arena;
    struct str s = STR("subagent");
    struct str p = STR("prompt");
    struct str d = STR("description");
    const struct {
        const struct value *arguments;
        uint32_t subagents;
        const char *result; /* NULL: the child's answer */
        const char *prompt;
    } rows[] = {
        {NULL, 1, NULL, ""},                                                /* left out: the only one; prompt empty */
        {one_argument(arena, p, STR("P")), 1, NULL, "P"},
        {one_argument(arena, d, STR("D")), 1, NULL, "D"},                   /* another name of the prompt */
        {two_arguments(arena, d, STR("D"), p, STR("P")), 1, NULL, "P"},     /* the prompt goes first */
        {two_arguments(arena, s, STR("a"), d, STR("D")), 2, NULL, "D"},
        {NULL, 2, "ERROR: unknown subagent ", NULL},                        /* left out although there are two */
        {one_argument(arena, s, STR("c")), 2, "ERROR: unknown subagent c", NULL},
        {one_argument(arena, s, STR("c")), 1, "ERROR: unknown subagent c", NULL},
        {one_argument(arena, s, STR("A")), 2, "ERROR: unknown subagent A", NULL},
        {&number_name, 1, "ERROR: task: subagent must be a string", NULL},
        {&list_prompt, 1, "ERROR: task: prompt must be a string", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct spec_factory factory = {.spec = child_spec(arena, STR("answer"))};
        const struct subagent subagents[] = {subagent_of(STR("a"), &factory), subagent_of(STR("b"), &factory)};
        struct script *script = script_call(parent_script(arena), STR("task"), rows[i].arguments);
        struct run_options options = options_of(f);
        struct record *parent =
            run_fine(f, &options, parent_spec(arena, script, subagents, rows[i].subagents), STR("go"));
        assert_str(content_at(parent, 2), rows[i].result ? str_of(rows[i].result) : STR("answer"));
        assert_int_equal(transcript_entry(&parent->transcript, 2)->flags, rows[i].result ? ENTRY_FAILED : 0);
        assert_int_equal(parent->child_count, rows[i].result ? 0 : 1); /* a refused call leaves no record */
        assert_int_equal(factory.made, parent->child_count);
        if (rows[i].prompt)
            assert_str(content_at(parent->first_child, 0), str_of(rows[i].prompt));
    }
}

static void a_child_that_does_not_stop_by_itself_is_an_error_to_read(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t max_turns;
        enum stop_reason reason;
        const char *text;
    } rows[] = {
        {20, STOP_REASON_SCRIPT_EXHAUSTED, "ERROR: subagent x stopped: script_exhausted"},
        {2, STOP_REASON_MAX_TURNS, "ERROR: subagent x stopped: max_turns (2) reached"},
        {0, STOP_REASON_MAX_TURNS, "ERROR: subagent x stopped: max_turns (0) reached"},
        {1, STOP_REASON_MAX_TURNS, "ERROR: subagent x stopped: max_turns (1) reached"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct script *inner = script_say(script_say(script_new(&f->arena), STR("a")), STR("b"));
        struct spec_factory factory = {.spec = spec_of(&f->arena, inner)};
        factory.spec->max_turns = rows[i].max_turns;
        const struct subagent subagents[] = {subagent_of(STR("x"), &factory)};
        struct script *script = script_call(parent_script(&f->arena), STR("task"), NULL);
        struct run_options options = options_of(f);
        struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 1), STR("go"));
        assert_str(content_at(parent, 2), str_of(rows[i].text));
        assert_int_equal(transcript_entry(&parent->transcript, 2)->flags, ENTRY_FAILED);
        assert_int_equal(parent->stop_reason, STOP_REASON_STOP); /* the parent goes on */
        assert_int_equal(parent->first_child->stop_reason, rows[i].reason);
        assert_int_equal(parent->first_child->final_text.len, 0);
    }
}

static void a_factory_is_called_afresh_for_every_invocation(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = child_spec(&f->arena, STR("answer"))};
    struct counted *counted = counted_new(&f->arena, script_stop(script_new(&f->arena), STR("answer")));
    factory.spec->model = counted_model(counted);
    const struct subagent subagents[] = {subagent_of(STR("x"), &factory)};
    struct script *script = parent_script(&f->arena);
    script_call(script, STR("task"), one_argument(&f->arena, STR("prompt"), STR("first")));
    script_call(script, STR("task"), one_argument(&f->arena, STR("prompt"), STR("second")));
    script_say(script, STR(""));
    script_call(script, STR("task"), one_argument(&f->arena, STR("prompt"), STR("third")));
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 1), STR("go"));
    assert_int_equal(factory.made, 3);
    assert_int_equal(counted->begun, 3);
    assert_int_equal(counted->ended, 3);
    static const char *const prompts[] = {"first", "second", "third"};
    uint32_t number = 0;
    for (struct record *child = parent->first_child; child; child = child->next, number++) {
        assert_str(content_at(child, 0), str_of(prompts[number]));
        assert_str(child->run, str_printf(&f->arena, "root/%u", number + 1));
        assert_str(child->final_text, STR("answer")); /* no cursor is shared */
    }
    assert_int_equal(number, 3);
}

/* Children of different length side by side: the short one ends first, results and numbers keep call order. */
static void results_and_numbers_keep_call_order(void **state)
{
    struct fixture *f = *state;
    static const uint32_t lengths[] = {5, 1, 3, 2, 1, 4};
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4", "c5"};
    for (uint32_t slots = 1; slots <= 7; slots++) {
        struct spec_factory factories[6];
        struct subagent subagents[6];
        struct script *script = parent_script(&f->arena);
        for (uint32_t i = 0; i < 6; i++) {
            struct script *inner = script_new(&f->arena);
            for (uint32_t turn = 1; turn < lengths[i]; turn++)
                script_say(inner, STR("t"));
            script_stop(inner, str_of(names[i]));
            factories[i] = (struct spec_factory){.spec = spec_of(&f->arena, inner)};
            subagents[i] = subagent_of(str_of(names[i]), &factories[i]);
            script_call(script, STR("task"), task_arguments(&f->arena, str_of(names[i]), STR("p")));
        }
        struct run_options options = options_of(f);
        options.economy.latency = slots_of(&f->arena, slots);
        struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 6), STR("go"));
        struct record *child = parent->first_child;
        for (uint32_t i = 0; i < 6; i++, child = child->next) {
            assert_str(content_at(parent, 7 + i), str_of(names[i]));
            assert_str(child->name, str_of(names[i]));
            assert_str(child->run, str_printf(&f->arena, "root/%u", i + 1));
            assert_int_equal(transcript_turns(&child->transcript), lengths[i]);
        }
        assert_null(child);
    }
}

/* root -> x -> x -> …, each asking the next to go deeper. */
static struct record *run_nest(struct fixture *f, uint32_t max_depth)
{
    struct script *script = script_call(parent_script(&f->arena), STR("task"), NULL);
    script_call(script, STR("task"), NULL);
    struct spec_factory *factory = arena_new(&f->arena, struct spec_factory);
    struct subagent *subagent = arena_new(&f->arena, struct subagent);
    *subagent = subagent_of(STR("x"), factory);
    struct agent_spec *spec = parent_spec(&f->arena, script, subagent, 1);
    factory->spec = spec;
    struct run_options options = options_of(f);
    options.max_depth = max_depth;
    return run_fine(f, &options, spec, STR("go"));
}

static void only_agents_above_the_depth_may_spawn(void **state)
{
    struct fixture *f = *state;
    for (uint32_t max_depth = 0; max_depth <= 4; max_depth++) {
        struct record *root = run_nest(f, max_depth);
        uint32_t records = 0;
        for (struct record *record = root; record; record = record_next(root, record)) {
            records++;
            bool spawns = record->depth < max_depth;
            assert_true(record->depth <= max_depth);
            assert_int_equal(record->child_count, spawns ? 2 : 0);
            assert_str(content_at(record, 3), spawns ? STR("done") : STR("ERROR: unknown tool task"));
        }
        assert_int_equal(records, (2u << max_depth) - 1); /* a full binary tree */
    }
    struct record *root = run_nest(f, 2);
    assert_str(root->first_child->next->first_child->run, STR("root/2/1"));
    assert_str(root->first_child->last_child->run, STR("root/1/2"));
}

static void a_subagent_may_be_a_tool_of_its_own_name(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = child_spec(&f->arena, STR("found"))};
    struct spec_factory other = {.spec = child_spec(&f->arena, STR("other"))};
    struct subagent subagents[] = {subagent_of(STR("scout"), &factory), subagent_of(STR("z"), &other)};
    subagents[0].tool = STR("investigate");
    struct script *script = parent_script(&f->arena);
    script_call(script, STR("investigate"), one_argument(&f->arena, STR("prompt"), STR("where")));
    script_call(script, STR("investigate"), one_argument(&f->arena, STR("description"), STR("other name")));
    script_call(script, STR("task"), task_arguments(&f->arena, STR("scout"), STR("p"))); /* not through task */
    script_call(script, STR("task"), NULL); /* `z` is the only one that goes through task */
    script_call(script, STR("scout"), NULL);
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 2), STR("go"));
    static const char *const want[] = {"found", "found", "ERROR: unknown subagent scout", "other",
                                       "ERROR: unknown tool scout"};
    for (uint32_t i = 0; i < ARRAY_LEN(want); i++)
        assert_str(content_at(parent, 6 + i), str_of(want[i]));
    assert_str(content_at(parent->first_child, 0), STR("where"));
    assert_str(content_at(parent->first_child->next, 0), STR("other name"));
    assert_str(parent->first_child->name, STR("scout"));
    assert_int_equal(parent->child_count, 3);
}

static void task_is_unknown_when_every_subagent_has_its_own_tool(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = child_spec(&f->arena, STR("found"))};
    struct subagent subagents[] = {subagent_of(STR("scout"), &factory)};
    subagents[0].tool = STR("investigate");
    struct script *script = script_call(parent_script(&f->arena), STR("task"), NULL);
    struct run_options options = options_of(f);
    struct record *parent = run_fine(f, &options, parent_spec(&f->arena, script, subagents, 1), STR("go"));
    assert_str(content_at(parent, 2), STR("ERROR: unknown tool task"));
}

static void task_replaces_a_listed_tool_of_the_name(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("task"));
    const struct tool *tools[] = {&echo->tool};
    struct spec_factory factory = {.spec = child_spec(&f->arena, STR("spawned"))};
    const struct subagent subagents[] = {subagent_of(STR("x"), &factory)};
    struct script *script = script_call(parent_script(&f->arena), STR("task"), NULL);
    struct agent_spec *spec = parent_spec(&f->arena, script, subagents, 1);
    spec->tools = tools;
    spec->tool_count = 1;
    struct run_options options = options_of(f);
    assert_str(content_at(run_fine(f, &options, spec, STR("go")), 2), STR("spawned"));
    options.max_depth = 0; /* without the right to spawn the listed one is there again */
    assert_str(content_at(run_fine(f, &options, spec, STR("go")), 2), STR(""));
    assert_int_equal(echo->count, 1);
}

static void a_child_works_on_its_parents_workspace_unless_it_has_one(void **state)
{
    struct fixture *f = *state;
    struct workspace *shared = fixture_demo(f);
    struct workspace *own = fixture_workspace(f);
    workspace_seal(own);
    struct workspace *const given[] = {NULL, own};
    for (size_t i = 0; i < ARRAY_LEN(given); i++) {
        struct echo *echo = echo_new(&f->arena, STR("echo"));
        const struct tool *tools[] = {&echo->tool};
        struct script *inner = script_call(script_say(script_new(&f->arena), STR("")), STR("echo"), NULL);
        struct spec_factory factory = {.spec = spec_of(&f->arena, script_stop(inner, STR("")))};
        factory.spec->tools = tools;
        factory.spec->tool_count = 1;
        factory.spec->workspace = given[i];
        const struct subagent subagents[] = {subagent_of(STR("x"), &factory)};
        struct script *script = script_call(parent_script(&f->arena), STR("task"), NULL);
        struct agent_spec *spec = parent_spec(&f->arena, script, subagents, 1);
        spec->workspace = shared;
        struct run_options options = options_of(f);
        run_fine(f, &options, spec, STR("go"));
        assert_ptr_equal(echo->last.tree->workspace, given[i] ? given[i] : shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_the_answer_crosses),
        TEST(arguments_are_read_by_the_rules),
        TEST(a_child_that_does_not_stop_by_itself_is_an_error_to_read),
        TEST(a_factory_is_called_afresh_for_every_invocation),
        TEST(results_and_numbers_keep_call_order),
        TEST(only_agents_above_the_depth_may_spawn),
        TEST(a_subagent_may_be_a_tool_of_its_own_name),
        TEST(task_is_unknown_when_every_subagent_has_its_own_tool),
        TEST(task_replaces_a_listed_tool_of_the_name),
        TEST(a_child_works_on_its_parents_workspace_unless_it_has_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
