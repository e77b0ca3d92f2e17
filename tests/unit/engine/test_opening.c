#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/doubles.h"

#define ANY_SCHEMA "\"input_schema\":{\"type\":\"object\"}"
#define PROMPT "\"prompt\":{\"description\":\"The subagent's whole task.\",\"type\":\"string\"}"
#define OWN_SCHEMA "\"input_schema\":{\"properties\":{" PROMPT "},\"required\":[\"prompt\"],\"type\":\"object\"}"
#define TASK_SCHEMA                                                                                                    \
    "\"input_schema\":{\"properties\":{" PROMPT                                                                        \
    ",\"subagent\":{\"description\":\"Which subagent.\",\"type\":\"string\"}},\"required\":[\"prompt\"],"              \
    "\"type\":\"object\"}"
#define TASK_DESCRIPTION                                                                                               \
    "\"description\":\"Give a task to a subagent that starts with an empty context and returns only its answer."

static struct agent_spec *stopping_spec(struct arena *arena)
{
    return spec_of(arena, script_stop(script_new(arena), STR("done")));
}

static struct record *open_with_schemas(struct fixture *f, struct agent_spec *spec)
{
    struct run_options options = options_of(f);
    options.count_schemas = true;
    return run_fine(f, &options, spec, STR("go"));
}

static void system_comes_before_the_user_and_schemas_before_both(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    const struct tool *tools[] = {&echo->tool};
    struct agent_spec *spec = stopping_spec(&f->arena);
    spec->has_system = true;
    spec->system = STR("Be brief.");
    spec->tools = tools;
    spec->tool_count = 1;
    struct record *record = open_with_schemas(f, spec);
    assert_int_equal(role_at(record, 0), ROLE_SYSTEM);
    assert_int_equal(transcript_entry(&record->transcript, 0)->name, table_find(&f->names, STR("tools")));
    assert_str(content_at(record, 0), STR("{\"description\":\"Gives back.\"," ANY_SCHEMA ",\"name\":\"echo\"}"));
    assert_int_equal(role_at(record, 1), ROLE_SYSTEM);
    assert_int_equal(transcript_entry(&record->transcript, 1)->name, NAME_NONE);
    assert_str(content_at(record, 1), STR("Be brief."));
    assert_int_equal(role_at(record, 2), ROLE_USER);
    struct run_options options = options_of(f); /* schemas do not count */
    record = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(record, 0), STR("Be brief."));
    assert_int_equal(role_at(record, 1), ROLE_USER);
}

static void an_empty_system_is_still_an_entry(void **state)
{
    struct fixture *f = *state;
    struct agent_spec *spec = stopping_spec(&f->arena);
    spec->has_system = true;
    struct record *record = open_with_schemas(f, spec);
    assert_int_equal(role_at(record, 0), ROLE_SYSTEM);
    assert_int_equal(content_at(record, 0).len, 0);
    assert_int_equal(role_at(record, 1), ROLE_USER);
}

static void without_tools_there_is_no_schema_entry(void **state)
{
    struct fixture *f = *state;
    struct record *record = open_with_schemas(f, stopping_spec(&f->arena));
    assert_int_equal(role_at(record, 0), ROLE_USER);
}

static void lines_stand_tools_subagents_task(void **state)
{
    struct fixture *f = *state;
    static const struct member schema_members[] = {{{"type", 4}, {.kind = VALUE_STRING, .string = {"object", 6}}},
                                                   {{"a", 1}, {.kind = VALUE_REAL, .real = 0.5}}};
    static const struct value schema = {.kind = VALUE_OBJECT, .count = 2, .members = schema_members};
    struct echo *echo = echo_new(&f->arena, STR("zeta"));
    struct tool alpha = {.name = STR("alpha"), .description = STR("A\n\"q\""), .input_schema = &schema};
    const struct tool *tools[] = {&echo->tool, &alpha}; /* as listed, not sorted */
    struct spec_factory factory = {.spec = stopping_spec(&f->arena)};
    struct subagent subagents[] = {subagent_of(STR("one"), &factory), subagent_of(STR("own"), &factory),
                                   subagent_of(STR("two"), &factory)};
    subagents[0].description = STR("first");
    subagents[1].tool = STR("investigate");
    subagents[1].description = STR("Looks.");
    struct agent_spec *spec = stopping_spec(&f->arena);
    spec->tools = tools;
    spec->tool_count = 2;
    spec->subagents = subagents;
    spec->subagent_count = 3;
    assert_str(content_at(open_with_schemas(f, spec), 0),
               STR("{\"description\":\"Gives back.\"," ANY_SCHEMA ",\"name\":\"zeta\"}\n"
                   "{\"description\":\"A\\n\\\"q\\\"\",\"input_schema\":{\"a\":0.5,\"type\":\"object\"},"
                   "\"name\":\"alpha\"}\n"
                   "{\"description\":\"Looks.\"," OWN_SCHEMA ",\"name\":\"investigate\"}\n"
                   "{" TASK_DESCRIPTION "\\n- one: first\\n- two\"," TASK_SCHEMA ",\"name\":\"task\"}"));
}

static void task_is_offered_only_where_it_works(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = stopping_spec(&f->arena)};
    struct subagent own = subagent_of(STR("own"), &factory);
    own.tool = STR("investigate");
    struct agent_spec *spec = stopping_spec(&f->arena);
    spec->subagents = &own;
    spec->subagent_count = 1;
    assert_str(content_at(open_with_schemas(f, spec), 0),
               STR("{\"description\":\"\"," OWN_SCHEMA ",\"name\":\"investigate\"}"));
    struct run_options options = options_of(f);
    options.count_schemas = true;
    options.max_depth = 0;
    assert_int_equal(role_at(run_fine(f, &options, spec, STR("go")), 0), ROLE_USER); /* deep agents have neither */
}

/* What is offered is what a call reaches: a listed tool that a spawning one hides is not offered. */
static void a_hidden_tool_is_not_offered(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *listed, *own_tool;
        bool hidden;
    } rows[] = {
        {"task", "", true},                    /* `task` is the spawning one */
        {"task", "investigate", false},        /* there is no other `task` */
        {"investigate", "investigate", true},
        {"investigate", "", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct echo *echo = echo_new(&f->arena, str_of(rows[i].listed));
        const struct tool *tools[] = {&echo->tool};
        struct spec_factory factory = {.spec = stopping_spec(&f->arena)};
        struct subagent subagent = subagent_of(STR("s"), &factory);
        subagent.tool = str_of(rows[i].own_tool);
        struct script *script = script_call(script_say(script_new(&f->arena), STR("")), str_of(rows[i].listed), NULL);
        struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("")));
        spec->tools = tools;
        spec->tool_count = 1;
        spec->subagents = &subagent;
        spec->subagent_count = 1;
        struct str offered = content_at(open_with_schemas(f, spec), 0);
        assert_int_equal(str_holds(offered, STR("Gives back.")), !rows[i].hidden);
        assert_int_equal(echo->count, rows[i].hidden ? 0 : 1);
    }
}

static void a_child_is_offered_its_own_tools(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    const struct tool *tools[] = {&echo->tool};
    struct spec_factory factory = {.spec = stopping_spec(&f->arena)};
    factory.spec->tools = tools;
    factory.spec->tool_count = 1;
    const struct subagent subagents[] = {subagent_of(STR("s"), &factory)};
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("task"), NULL);
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("")));
    spec->subagents = subagents;
    spec->subagent_count = 1;
    struct record *parent = open_with_schemas(f, spec);
    assert_str(content_at(parent->first_child, 0),
               STR("{\"description\":\"Gives back.\"," ANY_SCHEMA ",\"name\":\"echo\"}"));
    assert_false(str_holds(content_at(parent, 0), STR("Gives back.")));
    assert_true(transcript_context(&parent->first_child->transcript, 1) ==
                (int64_t)content_at(parent->first_child, 0).len); /* paid at every turn; the prompt is empty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(system_comes_before_the_user_and_schemas_before_both),
        TEST(an_empty_system_is_still_an_entry),
        TEST(without_tools_there_is_no_schema_entry),
        TEST(lines_stand_tools_subagents_task),
        TEST(task_is_offered_only_where_it_works),
        TEST(a_hidden_tool_is_not_offered),
        TEST(a_child_is_offered_its_own_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
