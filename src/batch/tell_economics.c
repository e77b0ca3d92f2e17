#include "batch/tell_economics.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/value.h"
#include "reduce/composition.h"
#include "reduce/total.h"

#define PICODOLLARS INT64_C(1000000000000)

static void tell_tokens(const struct usage *usage, struct feed *feed)
{
    feed_open_object(feed, STR("tokens"));
    feed_put_int(feed, STR("fresh"), usage->fresh);
    feed_put_int(feed, STR("read"), usage->read);
    feed_put_int(feed, STR("write_5m"), usage->write_5m);
    feed_put_int(feed, STR("write_1h"), usage->write_1h);
    feed_put_int(feed, STR("output"), usage->output);
    feed_end(feed);
}

/* In full, with all twelve decimals: a picodollar is never rounded away. */
static void tell_cost(int64_t cost, int64_t uncached, struct feed *feed)
{
    char usd[48];
    int length =
        snprintf(usd, sizeof usd, "%" PRId64 ".%012" PRId64, cost / PICODOLLARS, cost % PICODOLLARS);
    feed_open_object(feed, STR("cost"));
    feed_put_int(feed, STR("picodollars"), cost);
    feed_put_int(feed, STR("uncached_picodollars"), uncached);
    feed_put_str(feed, STR("usd"), (struct str){usd, (size_t)length});
    feed_end(feed);
}

static void tell_misses(const struct account *account, struct feed *feed)
{
    feed_open_array(feed, STR("cache_misses"));
    for (uint32_t i = 0; i < account->misses.count; i++) {
        const struct miss *miss = chunks_at(&account->misses, i);
        feed_begin_object(feed);
        feed_put_int(feed, STR("turn"), miss->turn);
        feed_put_str(feed, STR("cause"), str_of(miss_cause_name(miss->cause)));
        feed_put_int(feed, STR("size"), miss->size);
        feed_put_int(feed, STR("picodollars"), miss->picodollars);
        feed_end(feed);
    }
    feed_end(feed);
}

static void tell_time(const struct record *record, struct feed *feed)
{
    const struct account *account = &record->account;
    struct total total = total_of((struct record *)record);
    feed_open_object(feed, STR("time"));
    feed_put_int(feed, STR("elapsed_us"), account->end_us - account->begin_us);
    feed_put_int(feed, STR("work_us"), total.work_us);
    feed_put_int(feed, STR("critical_path_us"), account->critical_us);
    feed_end(feed);
}

static void tell_composition(const struct record *record, const struct table *names, struct feed *feed)
{
    struct arena scratch;
    arena_init(&scratch);
    struct composition composition = composition_of(&scratch, &record->transcript, names);
    feed_open_array(feed, STR("composition"));
    for (uint32_t i = 0; i < composition.count; i++) {
        const struct content_row *row = &composition.rows[i];
        feed_begin_object(feed);
        feed_put_str(feed, STR("kind"), str_of(content_kind_name(row->kind)));
        if (row->tool == NAME_NONE)
            feed_put_null(feed, STR("tool"));
        else
            feed_put_str(feed, STR("tool"), table_key(names, row->tool));
        feed_put_int(feed, STR("size"), row->size);
        feed_put_real(feed, STR("share"), (double)row->size / (double)composition.context);
        feed_put_int(feed, STR("cumulative"), row->cumulative);
        feed_end(feed);
    }
    feed_end(feed);
    arena_close(&scratch);
}

/* Tokens and turns are whole; money and time are told in the unit that budgets are written in. */
static void tell_amount(struct feed *feed, struct str key, enum resource resource, int64_t amount)
{
    if (resource == RESOURCE_MONEY)
        feed_put_real(feed, key, (double)amount / 1e12);
    else if (resource == RESOURCE_TIME)
        feed_put_real(feed, key, (double)amount / 1e3);
    else
        feed_put_int(feed, key, amount);
}

static bool is_limited(const struct account *account)
{
    for (int i = 0; i < RESOURCES; i++) {
        if (account->limited[i])
            return true;
    }
    return false;
}

static void tell_budget(const struct account *account, struct feed *feed)
{
    feed_open_object(feed, STR("budget"));
    for (int i = 0; i < RESOURCES; i++) {
        const struct pool *pool = &account->pools[i];
        enum resource resource = (enum resource)i;
        if (!account->limited[i])
            continue;
        feed_open_object(feed, str_of(resource_name(resource)));
        tell_amount(feed, STR("limit"), resource, pool->limit);
        tell_amount(feed, STR("used"), resource, pool->spent);
        tell_amount(feed, STR("overshoot"), resource, pool_overshoot(pool));
        feed_end(feed);
    }
    feed_end(feed);
}

static void tell_coverage(const struct coverage *coverage, struct feed *feed)
{
    if (!coverage->asked) {
        feed_put_null(feed, STR("coverage"));
        return;
    }
    feed_open_object(feed, STR("coverage"));
    feed_put_int(feed, STR("requested"), coverage->requested);
    feed_put_int(feed, STR("read"), coverage->read);
    feed_end(feed);
}

/* The counts, and what crossed to the parent beside them. */
static void tell_contract(const struct record *record, struct feed *feed)
{
    const struct contract_counts *counts = &record->account.contract;
    feed_open_object(feed, STR("contract"));
    feed_put_int(feed, STR("violations"), counts->violations);
    feed_put_int(feed, STR("retries"), counts->retries);
    feed_put_int(feed, STR("truncated"), counts->truncated);
    tell_coverage(&record->coverage, feed);
    feed_put_int(feed, STR("tokens_read"), record->account.results_size);
    feed_key(feed, STR("result"));
    if (record->result)
        value_tell(record->result, feed);
    else
        feed_null(feed);
    feed_end(feed);
}

void tell_economics(const struct record *record, const struct table *names, struct feed *feed)
{
    const struct account *account = &record->account;
    if (account->counted)
        tell_tokens(&account->usage, feed);
    if (account->priced)
        tell_cost(account->cost, account->uncached, feed);
    if (account->cached)
        tell_misses(account, feed);
    if (account->timed)
        tell_time(record, feed);
    if (account->counted)
        tell_composition(record, names, feed);
    if (is_limited(account))
        tell_budget(account, feed);
    if (account->has_contract)
        tell_contract(record, feed);
}

void tell_total(const struct record *record, struct feed *feed)
{
    struct total total = total_of((struct record *)record);
    feed_open_object(feed, STR("total"));
    tell_tokens(&total.usage, feed);
    if (total.priced)
        tell_cost(total.cost, total.uncached, feed);
    feed_put_int(feed, STR("requests"), total.requests);
    feed_end(feed);
}
