/* Laws of the economy, on random markets: every bill is computed a second time, by hand so to speak. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/composition.h"
#include "reduce/total.h"
#include "support/market.h"
#include "support/slow_economy.h"

#define MARKETS 5000

static struct market *open_market(struct fixture *f, uint64_t seed)
{
    fixture_renew(f);
    struct market *market = market_new(f, seed);
    market_fill_terms(market);
    return market;
}

/* The same market again, to be run on other terms.  What the first run left stays in the arena. */
static struct market *same_market(struct fixture *f, const struct market *market, const struct economy *economy)
{
    struct market *again = market_new(f, market->world->seed);
    again->world->options.economy = *economy;
    return again;
}

/* A bill without its misses: the lost tokens read, and so much less paid as what they were paid as. */
static int64_t mended_cost(const struct asked *asked)
{
    struct usage usage = asked->usage;
    usage.read += asked->lost;
    if (usage.write_1h)
        usage.write_1h -= asked->lost;
    else if (usage.write_5m)
        usage.write_5m -= asked->lost;
    else
        usage.fresh -= asked->lost;
    return slow_cost(&usage, asked->terms.price);
}

static void misses_are_those_of_the_second_computation(const struct study *study, const struct record *record)
{
    const struct account *account = &record->account;
    uint32_t found = 0;
    int64_t bills = 0;
    int64_t mended = 0;
    for (uint32_t i = 0; i < study->count; i++) {
        const struct asked *asked = &study->rows[i];
        if (asked->record != record)
            continue;
        mended += asked->lost ? mended_cost(asked) : slow_cost(&asked->usage, asked->terms.price);
        if (asked->lost == 0)
            continue;
        const struct miss *miss = chunks_at(&account->misses, found++);
        assert_int_equal(miss->turn, asked->turn);
        assert_int_equal(miss->cause, asked->cause);
        assert_true(miss->size == asked->lost);
        bills += miss->picodollars;
    }
    assert_int_equal(account->misses.count, found);
    assert_true(mended == account->cost - bills);
}

static void bills_are_those_of_the_second_computation(const struct study *study, const struct record *record)
{
    const struct account *account = &record->account;
    struct usage sum = {0};
    int64_t cost = 0, uncached = 0;
    for (uint32_t i = 0; i < study->count; i++) {
        const struct asked *asked = &study->rows[i];
        if (asked->record != record)
            continue;
        const struct turn_figures *figures = chunks_at(&account->turns, asked->turn - 1);
        assert_true(figures->read == asked->usage.read);
        assert_true(figures->output == asked->usage.output);
        assert_true(usage_context(&asked->usage) == transcript_context(&record->transcript, asked->turn));
        usage_add(&sum, &asked->usage);
        cost += slow_cost(&asked->usage, asked->terms.price);
        struct usage plain = {.fresh = asked->context, .output = asked->usage.output};
        uncached += slow_cost(&plain, asked->terms.price);
    }
    assert_memory_equal(&account->usage, &sum, sizeof sum);
    assert_true(account->cost == cost && account->uncached == uncached);
    assert_int_equal(account->turns.count, transcript_turns(&record->transcript));
}

/* What a run and those that draw on its pool used of a resource. */
static int64_t used_of(const struct record *record, enum resource resource)
{
    const struct account *account = &record->account;
    const int64_t own[RESOURCES] = {usage_context(&account->usage) + account->usage.output, account->cost,
                                    transcript_turns(&record->transcript), account->work_us};
    int64_t used = own[resource];
    for (const struct record *child = record->first_child; child; child = child->next)
        used += used_of(child, resource);
    return used;
}

static void pools_conserve(const struct record *record)
{
    for (int i = 0; i < RESOURCES; i++) {
        const struct pool *pool = &record->account.pools[i];
        assert_true(pool->reserved == 0);
        assert_true(record->account.limited[i] == (pool->limit != POOL_UNLIMITED));
        assert_true(pool->spent == (record->account.limited[i] ? used_of(record, (enum resource)i) : 0));
        if (record->account.limited[i] && record->stop_reason == STOP_REASON_STOP)
            assert_true(pool_overshoot(pool) == 0); /* an answer beyond the budget is not used */
    }
}

static uint32_t calls_of_largest_turn(const struct record *record)
{
    uint32_t most = 0;
    for (uint32_t turn = 1; turn <= transcript_turns(&record->transcript); turn++) {
        uint32_t calls = slow_count(record, turn, ROLE_TOOL_RESULT);
        most = calls > most ? calls : most;
    }
    return most;
}

static void times_are_in_order(struct record *record)
{
    const struct account *account = &record->account;
    int64_t elapsed = account->end_us - account->begin_us;
    int64_t work = total_of(record).work_us;
    assert_true(account->critical_us <= elapsed && elapsed <= work);
    if (record->child_count == 0 && calls_of_largest_turn(record) <= 1)
        assert_true(account->critical_us == elapsed && elapsed == work);
}

static void rows_of_the_composition_add_up(struct fixture *f, const struct record *record)
{
    struct composition composition = composition_of(&f->arena, &record->transcript, &f->names);
    uint32_t turns = transcript_turns(&record->transcript);
    int64_t size = 0, cumulative = 0, contexts = 0;
    for (uint32_t i = 0; i < composition.count; i++) {
        size += composition.rows[i].size;
        cumulative += composition.rows[i].cumulative;
    }
    for (uint32_t turn = 1; turn <= turns; turn++)
        contexts += transcript_context(&record->transcript, turn);
    assert_true(size == (turns ? transcript_context(&record->transcript, turns) : 0));
    assert_true(composition.context == size && cumulative == contexts);
}

static void totals_are_the_sum_of_the_tree(const struct study *study, struct record *top)
{
    struct total total = total_of(top);
    struct usage sum = {0};
    int64_t cost = 0, requests = 0;
    for (uint32_t i = 0; i < study->count; i++) {
        usage_add(&sum, &study->rows[i].usage);
        cost += slow_cost(&study->rows[i].usage, study->rows[i].terms.price);
        requests++;
    }
    assert_memory_equal(&total.usage, &sum, sizeof sum);
    assert_true(total.priced && total.cost == cost && total.requests == requests);
}

static void every_bill_is_what_the_rules_say(void **state)
{
    struct fixture *f = *state;
    uint32_t misses[MISS_TTL + 1] = {0}, reasons[STOP_REASON_CONTRACT_VIOLATION + 1] = {0};
    uint32_t shared_reads = 0, whole_reads = 0, requests = 0;
    for (uint64_t seed = 1; seed <= MARKETS; seed++) {
        struct market *market = open_market(f, seed);
        market->mixed = seed % 3 > 0;
        market->limited = seed % 2;
        struct record *root = market_run(market);
        struct study *study = study_new(market, root);
        totals_are_the_sum_of_the_tree(study, root);
        for (struct record *record = root; record; record = record_next(root, record)) {
            bills_are_those_of_the_second_computation(study, record);
            misses_are_those_of_the_second_computation(study, record);
            pools_conserve(record);
            times_are_in_order(record);
            rows_of_the_composition_add_up(f, record);
            reasons[record->stop_reason]++;
            for (uint32_t i = 0; i < record->account.misses.count; i++)
                misses[((const struct miss *)chunks_at(&record->account.misses, i))->cause]++;
        }
        for (uint32_t i = 0; i < study->count; i++) { /* a first request reads what another run wrote */
            shared_reads += study->rows[i].turn == 1 && study->rows[i].usage.read > 0;
            whole_reads += study->rows[i].turn == 1 && study->rows[i].read_end == study->rows[i].entries;
        }
        requests += study->count;
    }
    /* the markets are worth looking at */
    assert_true(requests > 5 * MARKETS && shared_reads > 100 && whole_reads > 10);
    assert_true(misses[MISS_BELOW_MINIMUM] > 100 && misses[MISS_LOOKBACK] > 100 && misses[MISS_TTL] > 100);
    assert_true(reasons[STOP_REASON_BUDGET_EXHAUSTED] > 100 && reasons[STOP_REASON_STOP] > 100);
}

/* Without gaps and without a lookback nothing is lost but to the minimum: mended to the picodollar. */
static void cost_without_delays_is_cost_less_the_bills_of_delays(void **state)
{
    struct fixture *f = *state;
    uint32_t mended = 0;
    for (uint64_t seed = 1; seed <= MARKETS / 2; seed++) {
        struct market *market = open_market(f, seed);
        struct economy economy = market->world->options.economy;
        ((struct cache_rule *)(uintptr_t)economy.cache)->shared = false;
        struct record *late = market_run(market);
        struct cache_rule rule = *economy.cache;
        rule.lookback = 0;
        economy.cache = &rule;
        economy.latency = &latency_none;
        struct record *top = market_run(same_market(f, market, &economy));
        for (struct record *prompt = top; prompt; prompt = record_next(top, prompt)) {
            int64_t bills = 0;
            for (uint32_t i = 0; i < late->account.misses.count; i++) {
                const struct miss *miss = chunks_at(&late->account.misses, i);
                bills += miss->cause == MISS_BELOW_MINIMUM ? 0 : miss->picodollars;
                mended += miss->cause != MISS_BELOW_MINIMUM;
            }
            assert_true(prompt->account.cost == late->account.cost - bills);
            late = record_next(NULL, late);
        }
    }
    assert_true(mended > 100);
}

static void a_longer_ttl_never_reads_less(void **state)
{
    struct fixture *f = *state;
    int64_t gained = 0;
    for (uint64_t seed = 1; seed <= MARKETS / 2; seed++) {
        struct market *market = open_market(f, seed);
        struct economy economy = market->world->options.economy;
        struct cache_rule rule = {CACHE_5M, economy.cache->min_tokens, false, economy.cache->lookback};
        struct latency latency = *economy.latency;
        latency.per_cached_ns = latency.per_input_ns; /* so that what is read changes no time */
        economy.cache = &rule;
        economy.latency = &latency;
        struct record *brief = market_run(same_market(f, market, &economy));
        rule.ttl = CACHE_1H;
        struct record *top = market_run(same_market(f, market, &economy));
        for (struct record *longer = top; longer; longer = record_next(top, longer), brief = record_next(NULL, brief)) {
            assert_int_equal(longer->account.turns.count, brief->account.turns.count);
            for (uint32_t i = 0; i < longer->account.turns.count; i++) {
                const struct turn_figures *more = chunks_at(&longer->account.turns, i);
                const struct turn_figures *less = chunks_at(&brief->account.turns, i);
                assert_true(more->begin_us == less->begin_us && more->read >= less->read);
                gained += more->read - less->read;
            }
        }
    }
    assert_true(gained > 0);
}

/* Children draw on the root's pool; an allocation of their own could end it earlier, by being granted. */
static void a_larger_budget_never_ends_earlier(void **state)
{
    struct fixture *f = *state;
    static const int64_t steps[RESOURCES] = {97, 20011, 1, CACHE_TTL_5M_US};
    uint32_t later = 0;
    for (uint64_t seed = 1; seed <= MARKETS / 4; seed++) {
        struct market *market = open_market(f, seed);
        struct economy economy = market->world->options.economy;
        int resource = (int)(seed % RESOURCES);
        uint32_t turns = 0;
        for (int64_t step = 0; step < 8; step++) {
            struct budget budget = budget_none;
            budget.limits[resource] = step * step * steps[resource];
            market = same_market(f, market, &economy);
            market->root_budget = &budget;
            struct record *root = market_run(market);
            assert_true(transcript_turns(&root->transcript) >= turns);
            later += step > 0 && transcript_turns(&root->transcript) > turns;
            turns = transcript_turns(&root->transcript);
        }
    }
    assert_true(later > 100);
}

static void assert_times(const struct record *record, const struct record *other, int64_t factor)
{
    const struct account *once = &record->account;
    const struct account *more = &other->account;
    assert_true(more->begin_us == factor * once->begin_us && more->end_us == factor * once->end_us);
    assert_true(more->work_us == factor * once->work_us && more->critical_us == factor * once->critical_us);
    for (uint32_t i = 0; i < once->turns.count; i++) {
        const struct turn_figures *first = chunks_at(&once->turns, i);
        const struct turn_figures *second = chunks_at(&more->turns, i);
        assert_true(second->begin_us == factor * first->begin_us);
    }
}

/* Of whole microseconds a token, so that nothing is rounded; a cache would keep for as long as before. */
static void twice_the_latency_is_twice_the_time(void **state)
{
    struct fixture *f = *state;
    for (uint64_t seed = 1; seed <= MARKETS / 4; seed++) {
        struct market *market = open_market(f, seed);
        struct economy economy = {.price = market->world->options.economy.price};
        struct latency once = *market->world->options.economy.latency;
        once.per_input_ns *= 1000;
        once.per_output_ns *= 1000;
        struct latency twice = {2 * once.base_us, 2 * once.per_input_ns, 2 * once.per_cached_ns, 2 * once.per_output_ns,
                                2 * once.tool_us, once.parallel_calls};
        economy.latency = &once;
        struct record *record = market_run(same_market(f, market, &economy));
        economy.latency = &twice;
        struct record *top = market_run(same_market(f, market, &economy));
        for (struct record *other = top; other; other = record_next(top, other), record = record_next(NULL, record))
            assert_times(record, other, 2);
    }
}

/* More slots save time, never money or work; with enough of them a run takes its critical path. */
static void slots_change_time_alone(void **state)
{
    struct fixture *f = *state;
    uint32_t faster = 0;
    for (uint64_t seed = 1; seed <= MARKETS / 4; seed++) {
        struct market *market = open_market(f, seed);
        struct economy economy = {.price = market->world->options.economy.price};
        struct latency latency = *market->world->options.economy.latency;
        economy.latency = &latency;
        latency.parallel_calls = 1;
        struct record *before = market_run(same_market(f, market, &economy));
        for (uint32_t slots = 2; slots <= 4; slots++) {
            latency.parallel_calls = slots;
            struct record *top = market_run(same_market(f, market, &economy));
            struct record *other = before;
            for (struct record *r = top; r; r = record_next(top, r), other = record_next(NULL, other)) {
                int64_t elapsed = r->account.end_us - r->account.begin_us;
                int64_t elapsed_before = other->account.end_us - other->account.begin_us;
                assert_true(r->account.cost == other->account.cost && r->account.work_us == other->account.work_us);
                assert_true(r->account.critical_us == other->account.critical_us && elapsed <= elapsed_before);
                faster += elapsed < elapsed_before;
                if (slots >= 3) /* no turn of these scripts has more calls */
                    assert_true(elapsed == r->account.critical_us);
            }
            before = top;
        }
    }
    assert_true(faster > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_bill_is_what_the_rules_say),
        TEST(cost_without_delays_is_cost_less_the_bills_of_delays),
        TEST(a_longer_ttl_never_reads_less),
        TEST(a_larger_budget_never_ends_earlier),
        TEST(twice_the_latency_is_twice_the_time),
        TEST(slots_change_time_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
