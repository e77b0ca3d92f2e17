#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/doubles.h"

static void a_transcript_starts_with_the_task_alone(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_stop(script_new(&f->arena), STR("done"));
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, spec_of(&f->arena, script), STR("the task"));
    assert_int_equal(transcript_entries(&record->transcript), 2);
    assert_int_equal(role_at(record, 0), ROLE_USER);
    assert_str(content_at(record, 0), STR("the task"));
    assert_int_equal(transcript_entry(&record->transcript, 0)->span.birth, 1);
    assert_int_equal(transcript_entry(&record->transcript, 0)->name, NAME_NONE);
    assert_int_equal(role_at(record, 1), ROLE_ASSISTANT);
    assert_int_equal(transcript_context(&record->transcript, 1), 8); /* the last context lacks the final answer */
    assert_str(record->final_text, STR("done"));
    assert_str(record->run, STR("root"));
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
}

static void a_turn_appends_text_then_calls_then_results(void **state)
{
    struct fixture *f = *state;
    struct echo *echo = echo_new(&f->arena, STR("echo"));
    struct script *script = script_new(&f->arena);
    script_say(script, STR("thinking"));
    script_call(script, STR("echo"), one_argument(&f->arena, STR("text"), STR("A")));
    script_call(script, STR("echo"), one_argument(&f->arena, STR("text"), STR("B")));
    script_say(script, STR("")); /* no text: no assistant entry */
    script_call(script, STR("echo"), one_argument(&f->arena, STR("text"), STR("C")));
    script_stop(script, STR("end"));
    static const struct {
        enum role role;
        struct str content;
        uint32_t birth;
    } want[] = {
        {ROLE_USER, {"go", 2}, 1},
        {ROLE_ASSISTANT, {"thinking", 8}, 2},
        {ROLE_TOOL_CALL, {"echo({\"text\":\"A\"})", 18}, 2},
        {ROLE_TOOL_CALL, {"echo({\"text\":\"B\"})", 18}, 2},
        {ROLE_TOOL_RESULT, {"A", 1}, 2},
        {ROLE_TOOL_RESULT, {"B", 1}, 2},
        {ROLE_TOOL_CALL, {"echo({\"text\":\"C\"})", 18}, 3},
        {ROLE_TOOL_RESULT, {"C", 1}, 3},
        {ROLE_ASSISTANT, {"end", 3}, 4},
    };
    struct agent_spec *spec = spec_of(&f->arena, script);
    const struct tool *tools[] = {&echo->tool};
    spec->tools = tools;
    spec->tool_count = 1;
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_int_equal(transcript_entries(&record->transcript), ARRAY_LEN(want));
    uint32_t name = table_find(&f->names, STR("echo"));
    for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        bool of_tool = entry->role == ROLE_TOOL_CALL || entry->role == ROLE_TOOL_RESULT;
        assert_int_equal(entry->role, want[i].role);
        assert_str(entry_content(entry), want[i].content);
        assert_int_equal(entry->span.birth, want[i].birth);
        assert_int_equal(entry->name, of_tool ? name : NAME_NONE);
        assert_int_equal(entry->flags, 0);
    }
    assert_int_equal(echo->last.turn, 2);
    assert_ptr_equal(echo->last.record, record);
}

static struct record *run_turns(struct fixture *f, uint32_t turns, bool stops, uint32_t max_turns, struct echo *echo)
{
    struct script *script = script_new(&f->arena);
    for (uint32_t i = 0; i < turns; i++) {
        script_say(script, STR("t"));
        script_call(script, STR("echo"), one_argument(&f->arena, STR("text"), STR("r")));
    }
    script->turns[turns - 1].stop = stops;
    struct agent_spec *spec = spec_of(&f->arena, script);
    const struct tool **tools = arena_new(&f->arena, const struct tool *);
    *tools = &echo->tool;
    spec->tools = tools;
    spec->tool_count = 1;
    spec->max_turns = max_turns;
    struct run_options options = options_of(f);
    return run_fine(f, &options, spec, STR("go"));
}

static void limits_end_a_run_as_the_contract_says(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t script, max_turns;
        bool stops;
        enum stop_reason reason;
        uint32_t turns, calls_run;
    } rows[] = {
        {3, 3, true, STOP_REASON_STOP, 3, 2},              /* the N-th turn stops: complete; its call never runs */
        {3, 4, true, STOP_REASON_STOP, 3, 2},
        {3, 3, false, STOP_REASON_MAX_TURNS, 3, 3},        /* wins over script_exhausted; the last call still runs */
        {3, 4, false, STOP_REASON_SCRIPT_EXHAUSTED, 3, 3}, /* the turn without an answer is not counted */
        {3, 2, true, STOP_REASON_MAX_TURNS, 2, 2},
        {3, 0, true, STOP_REASON_MAX_TURNS, 0, 0},         /* the model is not asked at all */
        {1, 1, true, STOP_REASON_STOP, 1, 0},
        {1, MAX_TURNS_LARGEST, false, STOP_REASON_SCRIPT_EXHAUSTED, 1, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct echo *echo = echo_new(&f->arena, STR("echo"));
        struct record *record = run_turns(f, rows[i].script, rows[i].stops, rows[i].max_turns, echo);
        assert_int_equal(record->stop_reason, rows[i].reason);
        assert_int_equal(transcript_turns(&record->transcript), rows[i].turns);
        assert_int_equal(echo->count, rows[i].calls_run);
        assert_int_equal(record->max_turns, rows[i].max_turns);
        assert_str(record->final_text, rows[i].reason == STOP_REASON_STOP ? STR("t") : STR(""));
        /* user, then text and call of each turn, then a result for each call that ran */
        assert_int_equal(transcript_entries(&record->transcript), 1 + 2 * rows[i].turns + rows[i].calls_run);
    }
}

static void a_model_is_not_asked_beyond_the_limit(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    for (int i = 0; i < 5; i++)
        script_say(script, STR("t"));
    struct counted *counted = counted_new(&f->arena, script);
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->model = counted_model(counted);
    struct run_options options = options_of(f);
    for (uint32_t limit = 0; limit <= 5; limit++) {
        counted->asked = 0;
        spec->max_turns = limit;
        run_fine(f, &options, spec, STR("go"));
        assert_int_equal(counted->asked, limit);
    }
    spec->max_turns = 9;
    counted->asked = 0;
    run_fine(f, &options, spec, STR("go"));
    assert_int_equal(counted->asked, 6); /* the sixth has no answer */
    assert_int_equal(counted->begun, counted->ended);
}

static void the_request_tells_of_the_last_results(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    script_say(script, STR("a"));
    script_call(script, STR("x"), NULL);
    script_call(script, STR("y"), NULL);
    script_say(script, STR("no calls"));
    script_say(script, STR("last"));
    struct counted *counted = counted_new(&f->arena, script);
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->model = counted_model(counted);
    struct run_options options = options_of(f);
    static const struct {
        uint32_t turn, first, count;
    } rows[] = {{1, 0, 0}, {2, 4, 2}, {3, 0, 0}}; /* first: user, text, two calls before it */
    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++) {
        spec->max_turns = i + 1;
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(counted->last.turn, rows[i].turn);
        assert_int_equal(counted->last.result_count, rows[i].count);
        assert_ptr_equal(counted->last.record, record);
        assert_str(counted->last.prompt, STR("go"));
        if (rows[i].count)
            assert_int_equal(counted->last.first_result, rows[i].first);
    }
}

static void unknown_tools_are_answered_and_the_run_goes_on(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    script_say(script, STR(""));
    script_call(script, STR("fly"), NULL);
    script_call(script, STR(""), NULL);
    script_call(script, STR("task"), NULL); /* without subagents `task` is not there either */
    script_stop(script, STR("done"));
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, spec_of(&f->arena, script), STR("go"));
    static const char *const want[] = {"ERROR: unknown tool fly", "ERROR: unknown tool ", "ERROR: unknown tool task"};
    for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_str(content_at(record, 4 + i), str_of(want[i]));
        assert_int_equal(transcript_entry(&record->transcript, 4 + i)->flags, ENTRY_FAILED);
    }
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
}

static void arguments_left_out_read_as_the_empty_string(void **state)
{
    struct fixture *f = *state;
    static const struct member null_text[] = {{{"text", 4}, {.kind = VALUE_NULL}}};
    static const struct member number_text[] = {{{"text", 4}, {.kind = VALUE_INT, .integer = 3}}};
    static const struct value with_null = {.kind = VALUE_OBJECT, .count = 1, .members = null_text};
    static const struct value with_number = {.kind = VALUE_OBJECT, .count = 1, .members = number_text};
    struct str out = STR("before");
    assert_true(tool_string_argument(NULL, STR("text"), &out));
    assert_int_equal(out.len, 0);
    assert_true(tool_string_argument(&with_null, STR("text"), &out));
    assert_int_equal(out.len, 0);
    assert_false(tool_string_argument(&with_number, STR("text"), &out));
    assert_true(tool_string_argument(&with_number, STR("other"), &out));
    assert_true(tool_string_argument(one_argument(&f->arena, STR("text"), STR("x")), STR("text"), &out));
    assert_str(out, STR("x"));
}

static void more_calls_than_slots_all_run_in_order(void **state)
{
    struct fixture *f = *state;
    static const uint32_t slots[] = {1, 2, 7, 8, 30, 31, 1000};
    for (size_t s = 0; s < ARRAY_LEN(slots); s++) {
        struct echo *echo = echo_new(&f->arena, STR("echo"));
        struct script *script = script_say(script_new(&f->arena), STR(""));
        for (int i = 0; i < 30; i++)
            script_call(script, STR("echo"),
                        one_argument(&f->arena, STR("text"), str_printf(&f->arena, "result %d", i)));
        script_stop(script, STR("done"));
        struct agent_spec *spec = spec_of(&f->arena, script);
        const struct tool *tools[] = {&echo->tool};
        spec->tools = tools;
        spec->tool_count = 1;
        struct run_options options = options_of(f);
        options.economy.latency = slots_of(&f->arena, slots[s]);
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(echo->count, 30);
        for (uint32_t i = 0; i < 30; i++) {
            assert_str(content_at(record, 31 + i), str_printf(&f->arena, "result %d", (int)i));
            assert_str(echo->heard[i], content_at(record, 31 + i));
        }
        assert_str(record->final_text, STR("done"));
    }
}

static void a_sized_result_counts_without_content(void **state)
{
    struct fixture *f = *state;
    static const int64_t size = INT64_C(7000000000);
    struct tool tool = {.name = STR("big"), .run = sized_run, .self = &size};
    const struct tool *tools[] = {&tool};
    struct script *script = script_call(script_say(script_new(&f->arena), STR("")), STR("big"), NULL);
    script_stop(script, STR(""));
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->tools = tools;
    spec->tool_count = 1;
    struct run_options options = options_of(f);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_true(transcript_context(&record->transcript, 2) == size + 2 + 7); /* the task and `big({})` */
    assert_int_equal(content_at(record, 2).len, 0);
}

/* Names what happens, for the observer's test. */
struct log {
    struct strbuf text;
};

static void log_spawned(void *self, const struct record *record)
{
    strbuf_addf(&((struct log *)self)->text, "spawned %.*s\n", STR_ARG(record->run));
}

static void log_called(void *self, const struct record *record, struct str content, const struct tool_result *result)
{
    strbuf_addf(&((struct log *)self)->text, "%.*s: %.*s%s\n", STR_ARG(record->run), STR_ARG(content),
                result->failed ? " failed" : "");
}

static void log_done(void *self, const struct record *record)
{
    strbuf_addf(&((struct log *)self)->text, "done %.*s\n", STR_ARG(record->run));
}

static void an_observer_hears_of_all_that_happens(void **state)
{
    struct fixture *f = *state;
    struct spec_factory factory = {.spec = spec_of(&f->arena, script_stop(script_new(&f->arena), STR("x")))};
    struct subagent subagents[] = {subagent_of(STR("s"), &factory)};
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("fly"), NULL);
    script_call(script, STR("task"), NULL);
    script_stop(script, STR("done"));
    struct agent_spec *spec = spec_of(&f->arena, script);
    spec->subagents = subagents;
    spec->subagent_count = 1;
    struct log log;
    strbuf_init(&log.text, &f->arena, 4096);
    const struct run_observer observer = {log_spawned, log_called, log_done, &log};
    struct run_options options = options_of(f);
    options.observer = &observer;
    run_fine(f, &options, spec, STR("go"));
    assert_str(strbuf_str(&log.text), STR("root: fly({}) failed\n"
                                          "spawned root/1\n"
                                          "done root/1\n"
                                          "root: task({})\n"
                                          "done root\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_transcript_starts_with_the_task_alone),
        TEST(a_turn_appends_text_then_calls_then_results),
        TEST(limits_end_a_run_as_the_contract_says),
        TEST(a_model_is_not_asked_beyond_the_limit),
        TEST(the_request_tells_of_the_last_results),
        TEST(unknown_tools_are_answered_and_the_run_goes_on),
        TEST(arguments_left_out_read_as_the_empty_string),
        TEST(more_calls_than_slots_all_run_in_order),
        TEST(a_sized_result_counts_without_content),
        TEST(an_observer_hears_of_all_that_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
