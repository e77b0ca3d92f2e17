/* A comparison as JSON, schema simagent.compare/1 (report/delta.h shows it). */
#include "base/arena.h"
#include "base/json_write.h"
#include "report/delta_own.h"
#include "report/fail_on.h"
#include "report/page.h"

#define SCHEMA "simagent.compare/1"

static void put_number(struct feed *feed, struct str key, const struct value *number)
{
    feed_key(feed, key);
    if (number == NULL) {
        feed_null(feed);
    } else {
        value_tell(number, feed);
    }
}

static void tell_row(struct feed *feed, const struct delta_row *row)
{
    struct value percent = {.kind = VALUE_REAL, .real = row->percent};
    feed_begin_object(feed);
    feed_put_str(feed, STR("metric"), row->metric);
    put_number(feed, STR("old"), row->old);
    put_number(feed, STR("new"), row->now);
    put_number(feed, STR("difference"), &row->difference);
    put_number(feed, STR("percent"), row->has_percent ? &percent : NULL);
    feed_end(feed);
}

static void tell_variant(struct feed *feed, const struct delta_variant *variant)
{
    static const char *const sides[] = {
        [DELTA_BOTH] = "both", [DELTA_OLD_ONLY] = "reference", [DELTA_NEW_ONLY] = "input"};
    feed_begin_object(feed);
    feed_put_str(feed, STR("name"), variant->name);
    feed_put_str(feed, STR("in"), str_of(sides[variant->side]));
    feed_open_array(feed, STR("notes"));
    for (size_t i = 0; i < variant->note_count; i++) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("what"), str_of(variant->notes[i].what));
        feed_put_str(feed, STR("old"), variant->notes[i].old);
        feed_put_str(feed, STR("new"), variant->notes[i].now);
        feed_end(feed);
    }
    feed_end(feed);
    feed_open_array(feed, STR("metrics"));
    for (size_t i = 0; i < variant->count; i++) {
        tell_row(feed, &variant->rows[i]);
    }
    feed_end(feed);
    feed_end(feed);
}

static void tell_delta(struct feed *feed, const struct delta *delta)
{
    feed_begin_object(feed);
    feed_put_str(feed, STR("input"), delta->now->name);
    feed_open_array(feed, STR("unlike"));
    for (size_t i = 0; i < delta->unlike_count; i++) {
        feed_str(feed, delta->unlike[i]);
    }
    feed_end(feed);
    feed_put_int(feed, STR("changed"), (int64_t)delta->changed);
    feed_put_int(feed, STR("unchanged"), (int64_t)delta->unchanged);
    feed_open_array(feed, STR("variants"));
    for (size_t i = 0; i < delta->count; i++) {
        tell_variant(feed, &delta->variants[i]);
    }
    feed_end(feed);
    feed_end(feed);
}

static void tell_finding(struct feed *feed, const struct fail_on_finding *finding)
{
    feed_begin_object(feed);
    feed_put_str(feed, STR("rule"), finding->rule->text);
    feed_put_str(feed, STR("input"), finding->delta->now->name);
    feed_put_str(feed, STR("variant"), finding->variant);
    feed_put_str(feed, STR("metric"), finding->metric);
    feed_put_bool(feed, STR("failed"), finding->failed);
    if (finding->reason == NULL) {
        feed_put_null(feed, STR("reason"));
    } else {
        feed_put_str(feed, STR("reason"), str_of(finding->reason));
    }
    feed_end(feed);
}

static void print(struct page *page, const struct delta_summary *summary)
{
    struct json_writer writer;
    struct feed *feed = &writer.feed;
    json_writer_init(&writer, page->sink);
    feed_begin_object(feed);
    feed_put_str(feed, STR("schema"), STR(SCHEMA));
    feed_put_str(feed, STR("reference"), summary->reference->name);
    feed_put_str(feed, STR("unit"), value_str_at(&summary->reference->report, "scenario.unit", STR("")));
    feed_open_array(feed, STR("comparisons"));
    for (size_t i = 0; i < summary->count; i++) {
        tell_delta(feed, &summary->deltas[i]);
    }
    feed_end(feed);
    feed_open_array(feed, STR("fail_on"));
    for (size_t i = 0; i < summary->finding_count; i++) {
        tell_finding(feed, &summary->findings[i]);
    }
    feed_end(feed);
    feed_put_bool(feed, STR("ok"), summary->ok);
    feed_end(feed);
    sink_putc(page->sink, '\n');
}

const struct delta_format delta_format_json = {.name = "json", .print = print};
