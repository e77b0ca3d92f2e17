/* Economy: budgets end runs and refuse allocations, prices are checked and billed, and what is inherited. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/economy.h"

static const struct price primes = {
    .base = {.input = 2, .output = 3, .cache_read = 5, .cache_write_5m = 7, .cache_write_1h = 11},
    .above_tokens = PRICE_MISSING,
    .cache_min_tokens = PRICE_MISSING,
};

/* Says four tokens and calls (18 tokens) a tool that answers with one; then stops with two.
 * The first call costs 2 + 22 tokens, the second 25 + 2. */
static struct agent_spec *two_turns(struct fixture *f, struct echo *echo)
{
    struct script *script = script_say(script_new(&f->arena), STR("aaaa"));
    script_call(script, STR("echo"), one_argument(&f->arena, STR("text"), STR("x")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("bb")));
    give_tool(&f->arena, spec, &echo->tool);
    return spec;
}

static const struct {
    int64_t limit;
    enum stop_reason reason;
    uint32_t turns;
    uint32_t entries; /* that were recorded */
    uint32_t calls;   /* that ran */
    int64_t used;
    int64_t overshoot;
} token_rows[] = {
    {52, STOP_REASON_STOP, 2, 5, 1, 51, 0},
    {51, STOP_REASON_STOP, 2, 5, 1, 51, 0}, /* exactly the budget passes */
    {50, STOP_REASON_BUDGET_EXHAUSTED, 2, 5, 1, 51, 1},
    {24, STOP_REASON_BUDGET_EXHAUSTED, 2, 5, 1, 51, 27},
    {23, STOP_REASON_BUDGET_EXHAUSTED, 1, 3, 0, 24, 1}, /* its call is recorded, never run */
    {0, STOP_REASON_BUDGET_EXHAUSTED, 1, 3, 0, 24, 24},
};

static void a_budget_is_checked_after_each_model_call(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(token_rows); i++) {
        struct run_options options = token_options(f);
        struct echo *echo = timed_echo(&f->arena, STR("echo"), -1);
        struct agent_spec *spec = two_turns(f, echo);
        spec->budget = budget_of(&f->arena, RESOURCE_TOKENS, token_rows[i].limit);
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(record->stop_reason, token_rows[i].reason);
        assert_int_equal(transcript_turns(&record->transcript), token_rows[i].turns);
        assert_int_equal(transcript_entries(&record->transcript), token_rows[i].entries);
        assert_int_equal(echo->count, token_rows[i].calls);
        assert_pool_at(record, RESOURCE_TOKENS, token_rows[i].used, token_rows[i].overshoot);
        bool stopped = token_rows[i].reason == STOP_REASON_STOP;
        assert_str(record->final_text, stopped ? STR("bb") : STR("")); /* an answer too late is not used */
        assert_int_equal(record_status(record), stopped ? STATUS_COMPLETE : STATUS_PARTIAL);
    }
}

/* The same two turns under the other pools: 58 + 56 picodollars, two turns, and 100 + 7 + 100 microseconds. */
static const struct {
    enum resource resource;
    int64_t limit;
    bool stopped;
    int64_t used;
} resource_rows[] = {
    {RESOURCE_MONEY, 4 + 66 + 50 + 6, true, 126},
    {RESOURCE_MONEY, 125, false, 126},
    {RESOURCE_MONEY, 69, false, 70},
    {RESOURCE_TURNS, 2, true, 2},
    {RESOURCE_TURNS, 1, false, 2},
    {RESOURCE_TURNS, 0, false, 1},
    {RESOURCE_TIME, 207, true, 207}, /* tools take time too */
    {RESOURCE_TIME, 206, false, 207},
    {RESOURCE_TIME, 99, false, 100},
};

static void every_resource_has_its_pool(void **state)
{
    struct fixture *f = *state;
    static const struct latency latency = {.base_us = 100, .tool_us = 7, .parallel_calls = 1};
    for (size_t i = 0; i < ARRAY_LEN(resource_rows); i++) {
        struct run_options options = token_options(f);
        options.economy = (struct economy){.price = &primes, .latency = &latency};
        struct agent_spec *spec = two_turns(f, timed_echo(&f->arena, STR("echo"), -1));
        spec->budget = budget_of(&f->arena, resource_rows[i].resource, resource_rows[i].limit);
        struct record *record = run_fine(f, &options, spec, STR("go"));
        assert_int_equal(record->stop_reason == STOP_REASON_STOP, resource_rows[i].stopped);
        int64_t over = resource_rows[i].used - resource_rows[i].limit;
        assert_pool_at(record, resource_rows[i].resource, resource_rows[i].used, over > 0 ? over : 0);
        for (int r = 0; r < RESOURCES; r++)
            assert_int_equal(record->account.limited[r], r == (int)resource_rows[i].resource);
    }
}

/* A parent that asks once (2 + 20 tokens), and one child that says "done" (1 + 4 tokens). */
static struct agent_spec *parent_and_child(struct fixture *f, struct agent_spec *child, struct subagent **subagent)
{
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("task"), one_argument(&f->arena, STR("prompt"), STR("p")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    *subagent = give_subagent(&f->arena, spec, STR("x"), child);
    return spec;
}

static struct agent_spec *short_child(struct fixture *f)
{
    return spec_of(&f->arena, script_stop(script_new(&f->arena), STR("done")));
}

static const struct {
    enum resource resource;
    int64_t parent, child;
    const char *result;
} refusals[] = {
    {RESOURCE_TOKENS, 100, 78, "done"}, /* 22 are spent when the child is asked for: all that is left fits */
    {RESOURCE_TOKENS, 100, 79, "ERROR: budget: cannot allocate 79 (78 left)"},
    {RESOURCE_TOKENS, 100, INT64_MAX, "ERROR: budget: cannot allocate 9223372036854775807 (78 left)"},
    {RESOURCE_TOKENS, 22, 1, "ERROR: budget: cannot allocate 1 (0 left)"},
    {RESOURCE_TOKENS, POOL_UNLIMITED, 1000, "done"}, /* a parent without a pool has nothing to refuse from */
    {RESOURCE_TURNS, 3, 2, "done"},
    {RESOURCE_TURNS, 3, 3, "ERROR: budget: cannot allocate 3 turns (2 turns left)"},
    {RESOURCE_MONEY, 1000000000064, INT64_C(1500000000000),
     "ERROR: budget: cannot allocate 1.5 usd (1 usd left)"},
    {RESOURCE_TIME, 2500, 3000, "ERROR: budget: cannot allocate 3 ms (2.5 ms left)"},
};

static void an_allocation_that_does_not_fit_is_refused(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct run_options options = token_options(f);
        struct subagent *subagent;
        struct agent_spec *spec = parent_and_child(f, short_child(f), &subagent);
        options.economy.price = &primes;
        spec->budget = budget_of(&f->arena, refusals[i].resource, refusals[i].parent);
        subagent->budget = budget_of(&f->arena, refusals[i].resource, refusals[i].child);
        struct record *record = run_fine(f, &options, spec, STR("go"));
        bool refused = refusals[i].result[0] == 'E';
        assert_str(content_at(record, 2), str_of(refusals[i].result));
        assert_int_equal(transcript_entry(&record->transcript, 2)->flags, refused ? ENTRY_FAILED : 0);
        assert_int_equal(record->child_count, !refused); /* and takes no run number */
        assert_true(record->account.pools[refusals[i].resource].reserved == 0);
    }
}

/* Three children at once: the second asks for too much, and the third gets what the first left. */
static void what_is_promised_to_one_child_is_not_promised_to_another(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct script *script = script_say(script_new(&f->arena), STR(""));
    static const char *const order[] = {"a", "b", "c"};
    static const int64_t allocations[] = {60, 60, 40};
    for (size_t i = 0; i < 3; i++)
        script_call(script, STR("task"), task_arguments(&f->arena, str_of(order[i]), STR("p")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    for (size_t i = 0; i < 3; i++)
        give_subagent(&f->arena, spec, str_of(order[i]), short_child(f))->budget =
            budget_of(&f->arena, RESOURCE_TOKENS, allocations[i]);
    int64_t first_turn = 2 + 3 * (int64_t)strlen("task({\"prompt\":\"p\",\"subagent\":\"a\"})");
    int64_t second_turn = first_turn + 4 + 4 + (int64_t)strlen("ERROR: budget: cannot allocate 60 (40 left)") + 3;
    spec->budget = budget_of(&f->arena, RESOURCE_TOKENS, first_turn + 100);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(record, 4), STR("done"));
    assert_str(content_at(record, 5), STR("ERROR: budget: cannot allocate 60 (40 left)"));
    assert_str(content_at(record, 6), STR("done"));
    assert_int_equal(record->child_count, 2);
    assert_str(record->first_child->name, STR("a"));
    assert_str(record->last_child->name, STR("c"));
    assert_str(record->last_child->run, STR("root/2"));
    /* What they did not use came back, and the children's 2 x (1 + 4) are charged. */
    assert_int_equal(record->account.pools[RESOURCE_TOKENS].reserved, 0);
    assert_true(record->account.pools[RESOURCE_TOKENS].spent == first_turn + second_turn + 10);
}

/* Refused for its turns, a child gives back the tokens that were already set aside. */
static void a_refusal_leaves_nothing_reserved(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct subagent *subagent;
    struct agent_spec *spec = parent_and_child(f, short_child(f), &subagent);
    spec->budget = &(const struct budget){{100, POOL_UNLIMITED, 3, POOL_UNLIMITED}};
    subagent->budget = &(const struct budget){{70, POOL_UNLIMITED, 9, POOL_UNLIMITED}};
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(record, 2), STR("ERROR: budget: cannot allocate 9 turns (2 turns left)"));
    assert_true(record->account.pools[RESOURCE_TOKENS].reserved == 0);
    assert_true(record->account.pools[RESOURCE_TURNS].reserved == 0);
    assert_true(record->account.pools[RESOURCE_TURNS].spent == 2);
}

/* A child that talks for ten turns of one token each. */
static struct agent_spec *long_child(struct fixture *f)
{
    struct script *script = script_new(&f->arena);
    for (int turn = 0; turn < 10; turn++)
        script_say(script, STR("t"));
    return spec_of(&f->arena, script_stop(script, STR("done")));
}

static void a_child_without_a_budget_draws_on_its_parents_pool(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct subagent *subagent;
    struct agent_spec *spec = parent_and_child(f, long_child(f), &subagent);
    spec->budget = budget_of(&f->arena, RESOURCE_TOKENS, 22 + 2 + 3 + 4); /* three turns of the child */
    struct record *record = run_fine(f, &options, spec, STR("go"));
    struct record *child = record->first_child;
    assert_int_equal(child->stop_reason, STOP_REASON_BUDGET_EXHAUSTED);
    assert_int_equal(transcript_turns(&child->transcript), 4); /* the fourth crossed it */
    assert_str(content_at(record, 2), STR("ERROR: subagent x stopped: budget_exhausted"));
    assert_false(child->account.limited[RESOURCE_TOKENS]);
    assert_int_equal(record->stop_reason, STOP_REASON_BUDGET_EXHAUSTED); /* the pool is the parent's too */
    assert_int_equal(transcript_turns(&record->transcript), 2);
    int64_t last = 22 + (int64_t)strlen("ERROR: subagent x stopped: budget_exhausted") + 3;
    assert_pool_at(record, RESOURCE_TOKENS, 22 + 2 + 3 + 4 + 5 + last, 5 + last);
}

static void a_child_with_a_budget_ends_alone(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct subagent *subagent;
    struct agent_spec *spec = parent_and_child(f, long_child(f), &subagent);
    spec->budget = budget_of(&f->arena, RESOURCE_TOKENS, 1000);
    subagent->budget = budget_of(&f->arena, RESOURCE_TOKENS, 8); /* 2 + 3 fit, 4 more do not */
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_pool_at(record->first_child, RESOURCE_TOKENS, 9, 1);
    assert_int_equal(record->first_child->stop_reason, STOP_REASON_BUDGET_EXHAUSTED);
    assert_int_equal(record->stop_reason, STOP_REASON_STOP);
    int64_t last = 22 + (int64_t)strlen("ERROR: subagent x stopped: budget_exhausted") + 3;
    assert_pool_at(record, RESOURCE_TOKENS, 22 + 9 + last, 0); /* charged with what was used, overshoot and all */
}

/* The agent's own budget goes before the one its parent set on the subagent. */
static void an_agents_own_budget_goes_first(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct subagent *subagent;
    struct agent_spec *child = long_child(f);
    child->budget = budget_of(&f->arena, RESOURCE_TURNS, 3);
    struct agent_spec *spec = parent_and_child(f, child, &subagent);
    subagent->budget = budget_of(&f->arena, RESOURCE_TURNS, 1);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_int_equal(transcript_turns(&record->first_child->transcript), 4);
}

/* One slot: the first child brings the shared pool over, so the second finds nothing left, and not less. */
static void what_is_left_is_never_less_than_nothing(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    options.economy.latency = slots_of(&f->arena, 1);
    struct script *script = script_say(script_new(&f->arena), STR(""));
    script_call(script, STR("task"), task_arguments(&f->arena, STR("free"), STR("p")));
    script_call(script, STR("task"), task_arguments(&f->arena, STR("paid"), STR("p")));
    struct agent_spec *spec = spec_of(&f->arena, script_stop(script, STR("end")));
    give_subagent(&f->arena, spec, STR("free"), long_child(f));
    give_subagent(&f->arena, spec, STR("paid"), short_child(f))->budget = budget_of(&f->arena, RESOURCE_TOKENS, 0);
    spec->budget = budget_of(&f->arena, RESOURCE_TOKENS, 90);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    assert_str(content_at(record, 4), STR("ERROR: budget: cannot allocate 0 (0 left)"));
    assert_int_equal(record->child_count, 1);
}

/* What a run needs is known from its ttl: one missing rate a row. */
static void a_price_that_would_be_needed_must_be_there(void **state)
{
    struct fixture *f = *state;
    static const struct {
        size_t missing; /* offset in struct rates */
        const char *name;
        bool needed[3]; /* with CACHE_OFF, CACHE_5M, CACHE_1H */
    } rows[] = {
        {offsetof(struct rates, input), "input", {true, true, true}},
        {offsetof(struct rates, output), "output", {true, true, true}},
        {offsetof(struct rates, cache_read), "cache_read", {false, true, true}},
        {offsetof(struct rates, cache_write_5m), "cache_write_5m", {false, true, false}},
        {offsetof(struct rates, cache_write_1h), "cache_write_1h", {false, false, true}},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (int ttl = CACHE_OFF; ttl <= CACHE_1H; ttl++) {
            struct price price = primes;
            struct cache_rule rule = {.ttl = (enum cache_ttl)ttl};
            *(int64_t *)(void *)((char *)&price.base + rows[i].missing) = PRICE_MISSING;
            struct run_options options = token_options(f);
            options.economy = (struct economy){.price = &price, .cache = &rule};
            f->err = (struct err){0};
            struct record *record = run_root(&options, short_child(f), STR("go"), &f->err);
            assert_int_equal(record == NULL, rows[i].needed[ttl]);
            if (record)
                continue;
            assert_int_equal(f->err.kind, ERR_SCENARIO);
            assert_non_null(strstr(f->err.message, "root"));
            struct str want = str_printf(&f->arena, "the price has no %s,", rows[i].name);
            assert_true(str_holds(str_of(f->err.message), want));
        }
    }
}

static void a_budget_of_money_needs_a_price(void **state)
{
    struct fixture *f = *state;
    struct run_options options = token_options(f);
    struct agent_spec *spec = short_child(f);
    spec->budget = budget_of(&f->arena, RESOURCE_MONEY, 0);
    assert_null(run_root(&options, spec, STR("go"), &f->err));
    assert_non_null(strstr(f->err.message, "a budget in usd needs a price"));
}

/* Contexts 2 and 25: a tier at 24 prices the whole second request anew, a tier at 25 none. */
static void a_tier_prices_a_whole_request(void **state)
{
    struct fixture *f = *state;
    for (int64_t border = 24; border <= 25; border++) {
        struct run_options options = token_options(f);
        struct price price = primes;
        price.above_tokens = border;
        price.above = (struct rates){1000, PRICE_MISSING, PRICE_MISSING, PRICE_MISSING, PRICE_MISSING};
        options.economy.price = &price;
        struct record *record =
            run_fine(f, &options, two_turns(f, timed_echo(&f->arena, STR("echo"), -1)), STR("go"));
        assert_true(record->account.cost == 4 + 66 + (border == 24 ? 25000 : 50) + 6);
        assert_true(record->account.cost == record->account.uncached); /* without a cache they are the same */
    }
}

/* Each of price, cache and latency comes whole from the nearest above that has it; a budget from nobody. */
static void children_inherit_what_they_do_not_have(void **state)
{
    struct fixture *f = *state;
    static const struct price other = {.base = {.input = 100, .output = 1, .cache_read = 1, .cache_write_5m = 1},
                                       .above_tokens = PRICE_MISSING, .cache_min_tokens = PRICE_MISSING};
    static const struct cache_rule rule = {.ttl = CACHE_5M};
    static const struct latency latency = {.base_us = 100, .parallel_calls = 1};
    struct run_options options = token_options(f);
    struct subagent *subagent;
    struct agent_spec *child = short_child(f);
    struct agent_spec *spec = parent_and_child(f, child, &subagent);
    options.economy = (struct economy){.price = &other, .latency = &latency};
    spec->economy.price = &primes;
    spec->economy.cache = &rule;
    spec->budget = budget_of(&f->arena, RESOURCE_TURNS, 9);
    struct record *record = run_fine(f, &options, spec, STR("go"));
    const struct account *account = &record->first_child->account;
    assert_true(account->priced && account->cached && account->timed && account->counted);
    assert_true(account->usage.write_5m == 1); /* the parent's cache … */
    assert_true(account->cost == 7 + 4 * 3);   /* … at the parent's price … */
    assert_true(account->work_us == 100);      /* … at the scenario's pace */
    for (int r = 0; r < RESOURCES; r++)
        assert_false(account->limited[r]);
    child->economy.price = &other;
    child->economy.cache = &cache_off;
    record = run_fine(f, &options, spec, STR("go"));
    assert_true(record->first_child->account.usage.fresh == 1);
    assert_true(record->first_child->account.cost == 100 + 4);
}

/* The smallest prefix a cache keeps: the rule's, else the model's, else 1,024. */
static void the_minimum_is_the_rules_or_the_models(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t rule, model, tokens;
        bool kept;
    } rows[] = {
        {5, 9, 5, true},
        {5, 9, 4, false},
        {CACHE_MIN_UNSET, 9, 9, true},
        {CACHE_MIN_UNSET, 9, 8, false},
        {CACHE_MIN_UNSET, PRICE_MISSING, 1024, true},
        {CACHE_MIN_UNSET, PRICE_MISSING, 1023, false},
        {0, 9, 1, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run_options options = token_options(f);
        struct price price = primes;
        struct cache_rule rule = {.ttl = CACHE_5M, .min_tokens = rows[i].rule};
        price.cache_min_tokens = rows[i].model;
        options.economy = (struct economy){.price = &price, .cache = &rule};
        struct str task = {arena_array(&f->arena, char, 2000), (size_t)rows[i].tokens};
        memset((char *)(uintptr_t)task.data, 'x', task.len);
        struct record *record = run_fine(f, &options, short_child(f), task);
        assert_true(record->account.usage.write_5m == (rows[i].kept ? rows[i].tokens : 0));
        assert_true(record->account.usage.fresh == (rows[i].kept ? 0 : rows[i].tokens));
    }
}

/* Characters cost no tokens, but time passes all the same. */
static void only_tokens_are_counted(void **state)
{
    struct fixture *f = *state;
    static const struct latency latency = {.base_us = 100, .parallel_calls = 1};
    struct run_options options = options_of(f);
    options.economy.latency = &latency;
    struct record *record = run_fine(f, &options, two_turns(f, timed_echo(&f->arena, STR("echo"), 50)), STR("go"));
    assert_false(record->account.counted);
    assert_true(usage_context(&record->account.usage) == 0);
    assert_true(record->account.end_us - record->account.begin_us == 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_budget_is_checked_after_each_model_call),
        TEST(every_resource_has_its_pool),
        TEST(an_allocation_that_does_not_fit_is_refused),
        TEST(what_is_promised_to_one_child_is_not_promised_to_another),
        TEST(a_refusal_leaves_nothing_reserved),
        TEST(a_child_without_a_budget_draws_on_its_parents_pool),
        TEST(a_child_with_a_budget_ends_alone),
        TEST(an_agents_own_budget_goes_first),
        TEST(what_is_left_is_never_less_than_nothing),
        TEST(a_price_that_would_be_needed_must_be_there),
        TEST(a_budget_of_money_needs_a_price),
        TEST(a_tier_prices_a_whole_request),
        TEST(children_inherit_what_they_do_not_have),
        TEST(the_minimum_is_the_rules_or_the_models),
        TEST(only_tokens_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
