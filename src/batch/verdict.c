#include "batch/verdict.h"

static struct verdict *of(struct feed *feed)
{
    return (struct verdict *)feed;
}

static void on_begin_object(struct feed *feed)
{
    of(feed)->depth++;
    feed_begin_object(of(feed)->next);
}

static void on_begin_array(struct feed *feed)
{
    of(feed)->depth++;
    feed_begin_array(of(feed)->next);
}

static void on_end(struct feed *feed)
{
    of(feed)->depth--;
    feed_end(of(feed)->next);
}

static void on_key(struct feed *feed, struct str key)
{
    struct verdict *verdict = of(feed);
    verdict->key = VERDICT_OTHER;
    if (verdict->depth == 1 && str_eq(key, STR("schema")))
        verdict->key = VERDICT_SCHEMA;
    else if (verdict->depth == 1 && str_eq(key, STR("ok")))
        verdict->key = VERDICT_OK;
    feed_key(verdict->next, key);
}

static void on_null(struct feed *feed)
{
    feed_null(of(feed)->next);
}

static void on_bool(struct feed *feed, bool value)
{
    struct verdict *verdict = of(feed);
    if (verdict->depth == 1 && verdict->key == VERDICT_OK) {
        verdict->ok = value;
        verdict->said = verdict->right_schema;
    }
    feed_bool(verdict->next, value);
}

static void on_int(struct feed *feed, int64_t value)
{
    feed_int(of(feed)->next, value);
}

static void on_ints(struct feed *feed, const int64_t *values, size_t count)
{
    feed_ints(of(feed)->next, values, count);
}

static void on_real(struct feed *feed, double value)
{
    feed_real(of(feed)->next, value);
}

static void on_str(struct feed *feed, struct str value)
{
    struct verdict *verdict = of(feed);
    if (verdict->depth == 1 && verdict->key == VERDICT_SCHEMA)
        verdict->right_schema = str_eq(value, STR("simagent.report/1"));
    feed_str(verdict->next, value);
}

static const struct feed_ops verdict_ops = {
    .begin_object = on_begin_object,
    .begin_array = on_begin_array,
    .end = on_end,
    .key = on_key,
    .null = on_null,
    .boolean = on_bool,
    .integer = on_int,
    .integers = on_ints,
    .real = on_real,
    .string = on_str,
};

void verdict_init(struct verdict *verdict, struct feed *next)
{
    *verdict = (struct verdict){.feed.ops = &verdict_ops, .next = next};
}
