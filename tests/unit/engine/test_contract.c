/* Contracts: what an answer must be, what becomes of one that is not, and the envelope that crosses to the parent. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/economy.h"

#define SCHEMA                                                                                                         \
    "{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\",\"maxLength\":5},"                           \
    "\"facts\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\",\"maxLength\":3}}},"                  \
    "\"required\":[\"answer\"]}"

/* A parent that asks the child `x` once. */
static struct agent_spec *parent_of(struct fixture *f, struct agent_spec *child, const struct contract *contract)
{
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("task"), one_argument(&f->arena, STR("prompt"), STR("p")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    give_subagent(&f->arena, spec, STR("x"), child)->contract = contract;
    return spec;
}

/* Runs a child that stops with each of the results in turn. */
static struct record *run_results(struct fixture *f, const struct contract *contract, const char *const *results,
                                  size_t count)
{
    struct run_options options = token_options(f);
    struct script *inner = script_new(&f->arena);
    for (size_t i = 0; i < count; i++)
        script_return(inner, STR("I am done."), results[i]);
    return run_fine(f, &options, parent_of(f, spec_of(&f->arena, inner), contract), STR("go"));
}

static void assert_counts(const struct record *record, int64_t violations, int64_t retries, int64_t truncated)
{
    const struct contract_counts *counts = &record->account.contract;
    assert_true(record->account.has_contract);
    assert_true(counts->violations == violations);
    assert_true(counts->retries == retries);
    assert_true(counts->truncated == truncated);
}

#define COMPLETE "{\"task\":\"x\",\"status\":\"complete\",\"coverage\":null,\"stop_reason\":\"stop\","
#define BROKEN                                                                                                         \
    "{\"task\":\"x\",\"status\":\"aborted\",\"coverage\":null,\"stop_reason\":\"contract_violation\",\"tokens_read\":0}"

/* One answer of a child, under `reject` and under `truncate`. */
static const struct {
    const char *result;
    const char *rejected;
    const char *truncated;
    int64_t violations;
    int64_t cuts;
} answers[] = {
    {"{\"answer\":\"yes\"}", COMPLETE "\"answer\":\"yes\",\"tokens_read\":0}",
     COMPLETE "\"answer\":\"yes\",\"tokens_read\":0}", 0, 0},
    {"{\"answer\":\"12345\",\"facts\":[\"abc\",\"de\"]}", /* exactly the bounds */
     COMPLETE "\"answer\":\"12345\",\"facts\":[\"abc\",\"de\"],\"tokens_read\":0}",
     COMPLETE "\"answer\":\"12345\",\"facts\":[\"abc\",\"de\"],\"tokens_read\":0}", 0, 0},
    {"{\"answer\":\"123456\"}", BROKEN, COMPLETE "\"answer\":\"12345\",\"tokens_read\":0}", 1, 1},
    {"{\"answer\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\"}", /* code points, not bytes */
     COMPLETE "\"answer\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\",\"tokens_read\":0}",
     COMPLETE "\"answer\":\"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\",\"tokens_read\":0}", 0, 0},
    {"{\"answer\":\"a\",\"facts\":[\"1\",\"2\",\"3\"]}", BROKEN,
     COMPLETE "\"answer\":\"a\",\"facts\":[\"1\",\"2\"],\"tokens_read\":0}", 1, 1},
    {"{\"answer\":\"toolong\",\"facts\":[\"1234\"]}", BROKEN,
     COMPLETE "\"answer\":\"toolo\",\"facts\":[\"123\"],\"tokens_read\":0}", 2, 2},
    {"{\"answer\":\"a\",\"more\":1}", BROKEN, COMPLETE "\"answer\":\"a\",\"tokens_read\":0}", 1, 1},
    {"{\"facts\":[]}", BROKEN, BROKEN, 1, 0}, /* no cutting mends what is missing or of another type */
    {"{\"answer\":7}", BROKEN, BROKEN, 1, 0},
    {"[]", BROKEN, BROKEN, 1, 0},
    {NULL, BROKEN, BROKEN, 1, 0}, /* a stop without a result */
};

static void an_answer_is_met_rejected_or_cut(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(answers); i++) {
        size_t row = i / 2;
        bool cut = i % 2;
        struct contract *contract = contract_of(f, SCHEMA, cut ? ON_VIOLATION_TRUNCATE : ON_VIOLATION_REJECT, 1);
        struct record *record = run_results(f, contract, &answers[row].result, 1);
        struct record *child = record->first_child;
        const char *want = cut ? answers[row].truncated : answers[row].rejected;
        bool broken = strcmp(want, BROKEN) == 0;
        assert_str(content_at(record, 2), str_of(want));
        assert_int_equal(transcript_entry(&record->transcript, 2)->flags, broken ? ENTRY_FAILED : 0);
        assert_counts(child, answers[row].violations, 0, cut ? answers[row].cuts : 0);
        assert_int_equal(child->stop_reason, broken ? STOP_REASON_CONTRACT_VIOLATION : STOP_REASON_STOP);
        assert_str(child->final_text, broken ? STR("") : STR("I am done."));
        assert_int_equal(transcript_turns(&child->transcript), 1);
        assert_int_equal(record->stop_reason, STOP_REASON_STOP); /* the parent goes on */
    }
}

/* How many good answers come after how many bad ones, and how many tries there are. */
static void violations_go_back_to_the_child(void **state)
{
    struct fixture *f = *state;
    static const char *const results[] = {"{\"answer\":\"123456\"}", "{\"facts\":[\"1234\"]}", "{\"answer\":\"ok\"}"};
    for (int64_t max_retries = 0; max_retries <= 3; max_retries++) {
        struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_RETRY, max_retries);
        struct record *record = run_results(f, contract, results, 3);
        struct record *child = record->first_child;
        int64_t retries = max_retries < 2 ? max_retries : 2;
        int64_t violations = max_retries == 0 ? 1 : 3; /* the second answer has two */
        assert_counts(child, violations, retries, 0);
        assert_true(transcript_turns(&child->transcript) == 1 + retries);
        assert_str(content_at(record, 2),
                   max_retries >= 2 ? STR(COMPLETE "\"answer\":\"ok\",\"tokens_read\":0}") : STR(BROKEN));
        if (max_retries < 2)
            continue;
        assert_int_equal(role_at(child, 2), ROLE_USER);
        assert_str(content_at(child, 2), STR("The result breaks its contract:\n"
                                             "- answer is 6 code points long, at most 5 are allowed"));
        assert_int_equal(role_at(child, 4), ROLE_USER);
        assert_str(content_at(child, 4), STR("The result breaks its contract:\n"
                                             "- answer is missing\n"
                                             "- facts[1] is 4 code points long, at most 3 are allowed"));
    }
}

/* A try is a turn like any: the limit of turns ends it. */
static void retries_are_turns(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct script *inner = script_new(&f->arena);
    for (int i = 0; i < 5; i++)
        script_return(inner, STR(""), NULL);
    struct agent_spec *child = spec_of(&f->arena, inner);
    child->max_turns = 3;
    struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_RETRY, 100);
    struct record *record = run_fine(f, &options, parent_of(f, child, contract), STR("go"));
    assert_int_equal(record->first_child->stop_reason, STOP_REASON_MAX_TURNS);
    assert_counts(record->first_child, 3, 3, 0);
    assert_str(content_at(record->first_child, 1),
               STR("The result breaks its contract:\n- result is missing: stop with a result"));
}

/* Calls of a stop turn never run, neither does a try's. */
static void calls_of_a_broken_answer_never_run(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct echo *echo = timed_echo(&f->arena, STR("echo"), -1);
    struct script *inner = script_return(script_new(&f->arena), STR(""), NULL);
    script_call(inner, STR("echo"), NULL);
    struct agent_spec *child = spec_of(&f->arena, script_return(inner, STR(""), "{\"answer\":\"ok\"}"));
    give_tool(&f->arena, child, &echo->tool);
    struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_RETRY, 1);
    struct record *record = run_fine(f, &options, parent_of(f, child, contract), STR("go"));
    assert_int_equal(echo->count, 0);
    assert_int_equal(role_at(record->first_child, 1), ROLE_TOOL_CALL);
    assert_int_equal(role_at(record->first_child, 2), ROLE_USER);
    assert_int_equal(record->first_child->stop_reason, STOP_REASON_STOP);
}

static void the_engines_fields_are_the_engines(void **state)
{
    struct fixture *f = *state;
    static const char *const fields[] = {"task", "status", "coverage", "stop_reason", "tokens_read"};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        struct str result = str_printf(&f->arena, "{\"answer\":\"yes\",\"%s\":\"complete\"}", fields[i]);
        const char *results[] = {result.data, "{\"answer\":\"ok\"}"};
        struct record *record = run_results(f, contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 1), results, 1);
        assert_str(content_at(record, 2), STR(BROKEN));
        record = run_results(f, contract_of(f, SCHEMA, ON_VIOLATION_RETRY, 1), results, 2);
        assert_str(content_at(record->first_child, 2),
                   str_printf(&f->arena, "The result breaks its contract:\n- %s is filled by the engine", fields[i]));
        record = run_results(f, contract_of(f, SCHEMA, ON_VIOLATION_TRUNCATE, 1), results, 1); /* overridden */
        assert_str(content_at(record, 2), STR(COMPLETE "\"answer\":\"yes\",\"tokens_read\":0}"));
        struct str schema = str_printf(
            &f->arena, "{\"type\":\"object\",\"properties\":{\"%s\":{\"type\":\"integer\"}}}", fields[i]);
        struct err err = {0};
        const struct schema *compiled = schema_compile(&f->arena, json_of(&f->arena, schema.data), &err);
        assert_false(contract_check_schema(compiled, &err));
        assert_str(str_of(err.message), str_printf(&f->arena, "properties.%s: the engine fills this field; choose "
                                                              "another name", fields[i]));
    }
}

/* One try is enough to hear of everything: the engine's fields in its order, then what the schema says of the rest. */
static void all_violations_go_back_at_once(void **state)
{
    struct fixture *f = *state;
    const char *results[] = {"{\"answer\":\"123456\",\"tokens_read\":1,\"more\":2,\"status\":\"complete\"}",
                             "{\"answer\":\"ok\"}"};
    struct record *record = run_results(f, contract_of(f, SCHEMA, ON_VIOLATION_RETRY, 1), results, 2);
    struct record *child = record->first_child;
    assert_counts(child, 4, 1, 0);
    assert_int_equal(child->stop_reason, STOP_REASON_STOP);
    assert_str(content_at(child, 2), STR("The result breaks its contract:\n"
                                         "- status is filled by the engine\n"
                                         "- tokens_read is filled by the engine\n"
                                         "- answer is 6 code points long, at most 5 are allowed\n"
                                         "- more is not a known field"));
}

/* A child that makes so many good and bad calls of the counted tool, and one of another. */
static struct record *run_coverage(struct fixture *f, int64_t requested, int good, int bad, const char *result)
{
    static const struct member wrong[] = {{{"text", 4}, {.kind = VALUE_INT, .integer = 1}}};
    const struct value *numbers = arena_new(&f->arena, struct value);
    *(struct value *)(uintptr_t)numbers = (struct value){.kind = VALUE_OBJECT, .count = 1, .members = wrong};
    struct run_options options = token_options(f);
    struct script *inner = script_say(script_new(&f->arena), STR(""));
    for (int i = 0; i < good; i++)
        script_call(inner, STR("get"), one_argument(&f->arena, STR("text"), STR("123")));
    for (int i = 0; i < bad; i++)
        script_call(inner, STR("get"), numbers);
    script_call(inner, STR("other"), one_argument(&f->arena, STR("text"), STR("1234567")));
    struct agent_spec *child = spec_of(&f->arena, script_return(inner, STR(""), result));
    give_tool(&f->arena, child, &timed_echo(&f->arena, STR("get"), -1)->tool);
    give_tool(&f->arena, child, &timed_echo(&f->arena, STR("other"), -1)->tool);
    struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0);
    contract->wants_coverage = true;
    contract->requested = requested;
    contract->coverage_tool = STR("get");
    return run_fine(f, &options, parent_of(f, child, contract), STR("go"));
}

static const struct {
    int64_t requested;
    int good, bad;
    const char *result;
    enum status status;
} coverages[] = {
    {2, 2, 0, "{\"answer\":\"a\"}", STATUS_COMPLETE}, {2, 3, 1, "{\"answer\":\"a\"}", STATUS_COMPLETE},
    {2, 1, 5, "{\"answer\":\"a\"}", STATUS_PARTIAL},  {2, 0, 5, "{\"answer\":\"a\"}", STATUS_ABORTED},
    {2, 0, 0, "{\"answer\":\"a\"}", STATUS_ABORTED},  {0, 0, 0, "{\"answer\":\"a\"}", STATUS_COMPLETE},
    {2, 2, 0, NULL, STATUS_ABORTED},                  {2, 1, 0, NULL, STATUS_ABORTED}, /* no answer is no part of one */
};

static void coverage_decides_the_status(void **state)
{
    struct fixture *f = *state;
    const int64_t error_size = (int64_t)strlen("ERROR: text must be a string");
    for (size_t i = 0; i < ARRAY_LEN(coverages); i++) {
        int good = coverages[i].good, bad = coverages[i].bad;
        struct record *record = run_coverage(f, coverages[i].requested, good, bad, coverages[i].result);
        assert_int_equal(record_status(record->first_child), coverages[i].status);
        const char *rest = coverages[i].result ? "\"stop_reason\":\"stop\",\"answer\":\"a\","
                                               : "\"stop_reason\":\"contract_violation\",";
        struct str want = str_printf(&f->arena,
                                     "{\"task\":\"x\",\"status\":\"%s\",\"coverage\":{\"requested\":%d,\"read\":%d},"
                                     "%s\"tokens_read\":%d}",
                                     status_name(coverages[i].status), (int)coverages[i].requested, good, rest,
                                     (int)(3 * good + error_size * bad + 7));
        assert_str(content_at(record, 2), want);
        bool aborted = coverages[i].status == STATUS_ABORTED;
        assert_int_equal(transcript_entry(&record->transcript, 2)->flags, aborted ? ENTRY_FAILED : 0);
    }
}

/* A limit is no error to read but an envelope that says so. */
static void a_childs_limit_gives_a_partial_envelope(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t max_turns;
        int64_t budget;
        const char *reason;
    } rows[] = {
        {2, POOL_UNLIMITED, "max_turns"}, {20, POOL_UNLIMITED, "script_exhausted"}, {20, 5, "budget_exhausted"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run_options options = token_options(f);
        struct script *inner = script_say(script_say(script_new(&f->arena), STR("a")), STR("bb"));
        struct agent_spec *child = spec_of(&f->arena, inner);
        child->max_turns = rows[i].max_turns;
        child->budget = budget_of(&f->arena, RESOURCE_TOKENS, rows[i].budget);
        struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0);
        struct record *record = run_fine(f, &options, parent_of(f, child, contract), STR("go"));
        assert_str(content_at(record, 2),
                   str_printf(&f->arena,
                              "{\"task\":\"x\",\"status\":\"partial\",\"coverage\":null,\"stop_reason\":\"%s\","
                              "\"tokens_read\":0}",
                              rows[i].reason));
        assert_int_equal(transcript_entry(&record->transcript, 2)->flags, 0);
    }
}

/* An answer that crosses the budget is not judged, however good. */
static void an_answer_beyond_the_budget_is_not_used(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct script *inner = script_return(script_new(&f->arena), STR("done"), "{\"answer\":\"ok\"}");
    struct agent_spec *child = spec_of(&f->arena, inner);
    child->budget = budget_of(&f->arena, RESOURCE_TOKENS, 4);
    struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0);
    struct record *record = run_fine(f, &options, parent_of(f, child, contract), STR("go"));
    assert_false(str_holds(content_at(record, 2), STR("answer")));
    assert_true(str_holds(content_at(record, 2), STR("\"stop_reason\":\"budget_exhausted\"")));
    assert_counts(record->first_child, 0, 0, 0);
}

/* A root has nobody to hand an envelope to; its status and counts say how it fared. */
static void a_root_may_have_a_contract(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    for (int good = 0; good < 2; good++) {
        struct script *script =
            script_return(script_new(&f->arena), STR("done"), good ? "{\"answer\":\"ok\"}" : "{\"answer\":1}");
        struct agent_spec *spec = spec_of(&f->arena, script);
        spec->contract = contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0);
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(record->stop_reason, good ? STOP_REASON_STOP : STOP_REASON_CONTRACT_VIOLATION);
        assert_int_equal(record_status(record), good ? STATUS_COMPLETE : STATUS_ABORTED);
        assert_str(record->final_text, good ? STR("done") : STR(""));
        assert_counts(record, !good, 0, 0);
    }
}

/* The agent's own contract goes before the one its parent set; without either, the text crosses. */
static void an_agents_own_contract_goes_first(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct script *inner = script_return(script_new(&f->arena), STR("done"), "{\"n\":1}");
    struct agent_spec *child = spec_of(&f->arena, inner);
    struct record *record = run_fine(f, &options, parent_of(f, child, NULL), STR("go"));
    assert_str(content_at(record, 2), STR("done"));
    assert_false(record->first_child->account.has_contract);
    child->contract = contract_of(f, "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}",
                                  ON_VIOLATION_REJECT, 0);
    record = run_fine(f, &options, parent_of(f, child, contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0)), STR("go"));
    assert_str(content_at(record, 2), STR(COMPLETE "\"n\":1,\"tokens_read\":0}"));
}

/* A decision that needs complete evidence: before, while and after the subagent `x` ran with so many turns. */
static struct str decide(struct fixture *f, uint32_t runs, uint32_t max_turns, bool at_once, int64_t requested)
{
    struct run_options options = token_options(f);
    options.economy.latency = slots_of(&f->arena, 2);
    struct script *inner = script_say(script_new(&f->arena), STR("t"));
    script_call(inner, STR("get"), NULL);
    struct agent_spec *child = spec_of(&f->arena, script_return(inner, STR(""), "{\"answer\":\"a\"}"));
    child->max_turns = max_turns;
    struct contract *contract = contract_of(f, SCHEMA, ON_VIOLATION_REJECT, 0);
    contract->wants_coverage = requested >= 0;
    contract->requested = requested;
    contract->coverage_tool = STR("get");
    give_tool(&f->arena, child, &timed_echo(&f->arena, STR("get"), -1)->tool);
    struct echo *tool = timed_echo(&f->arena, STR("decide"), -1);
    tool->tool.requires_complete = STR("x");
    struct script *script = script_say(script_new(&f->arena), STR(""));
    for (uint32_t i = 0; i < runs; i++)
        script_call(script, STR("task"), NULL);
    if (!at_once)
        script_say(script, STR(""));
    script_call(script, STR("decide"), one_argument(&f->arena, STR("text"), STR("decided")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    give_tool(&f->arena, spec, &tool->tool);
    give_subagent(&f->arena, spec, STR("x"), child)->contract = contract;
    struct record *record = run_fine(f, &options, spec, STR("go"));
    return content_at(record, transcript_entries(&record->transcript) - 2);
}

static void a_tool_may_demand_complete_evidence(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t runs, max_turns;
        bool at_once;
        int64_t requested; /* -1: no coverage asked */
        const char *result;
    } rows[] = {
        {0, 9, false, -1, "ERROR: decide needs a complete x, which has not run"},
        {1, 9, true, -1, "ERROR: decide needs a complete x, which is still running"},
        {1, 1, false, -1, "ERROR: decide needs a complete x, which is partial: max_turns"},
        {1, 9, false, 2, "ERROR: decide needs a complete x, which is partial: 1 of 2 read"},
        {2, 9, false, 1, "decided"},
        {1, 9, false, -1, "decided"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str got = decide(f, rows[i].runs, rows[i].max_turns, rows[i].at_once, rows[i].requested);
        assert_str(got, str_of(rows[i].result));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_is_met_rejected_or_cut),
        TEST(violations_go_back_to_the_child),
        TEST(retries_are_turns),
        TEST(calls_of_a_broken_answer_never_run),
        TEST(the_engines_fields_are_the_engines),
        TEST(all_violations_go_back_at_once),
        TEST(coverage_decides_the_status),
        TEST(a_childs_limit_gives_a_partial_envelope),
        TEST(an_answer_beyond_the_budget_is_not_used),
        TEST(a_root_may_have_a_contract),
        TEST(an_agents_own_contract_goes_first),
        TEST(a_tool_may_demand_complete_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
