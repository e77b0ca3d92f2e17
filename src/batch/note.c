#include "batch/note.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "batch/expect.h"
#include "reduce/measure.h"

#define NOTES_MAX 10 /* runs that are named when they did not complete */
#define LINE_CEILING 65536
#define ESCAPED_MAX 8 /* bytes of one escaped code point, at most */
#define NAME_CODE_POINTS 400
#define VALUE_CODE_POINTS 80

/* One line that is being put together; its arena is gone with it. */
struct line {
    struct arena arena;
    struct strbuf text;
};

static void line_begin(struct line *line, const char *kind)
{
    arena_init(&line->arena);
    strbuf_init(&line->text, &line->arena, LINE_CEILING);
    strbuf_addf(&line->text, "%s: ", kind);
}

static void line_add_foreign(struct line *line, struct str raw, size_t code_points)
{
    struct str start = utf8_prefix(raw, code_points);
    struct strbuf safe;
    strbuf_init(&safe, &line->arena, start.len * ESCAPED_MAX + 1);
    utf8_escape(&safe, start, true);
    strbuf_add(&line->text, strbuf_str(&safe));
    if (start.len < raw.len)
        strbuf_add(&line->text, STR("…"));
}

/* One write, so that nothing of others stands inside. */
static void line_end(struct line *line)
{
    strbuf_addc(&line->text, '\n');
    fwrite(line->text.data, 1, line->text.len, stderr);
    arena_close(&line->arena);
}

/* "1 MiB" where it is a whole number of them. */
static void add_size(struct strbuf *out, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < ARRAY_LEN(units)) {
        bytes /= 1024;
        unit++;
    }
    strbuf_addf(out, "%" PRId64 " %s", bytes, units[unit]);
}

void note_skipped(struct str path, const struct workspace_skipped *skipped, int64_t max_file_bytes)
{
    enum { TOO_LARGE = 2, UNREADABLE };
    struct {
        int64_t count;
        const char *what;
    } const rows[] = {
        {skipped->link, "link"},
        {skipped->special, "special file"},
        {skipped->too_large, "file"},
        {skipped->unreadable, "unreadable"},
    };
    const char *before = "";
    struct line line;
    if (!skipped->link && !skipped->special && !skipped->too_large && !skipped->unreadable)
        return;
    line_begin(&line, "note");
    line_add_foreign(&line, path, NAME_CODE_POINTS);
    strbuf_add(&line.text, STR(": skipped "));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].count == 0)
            continue;
        bool plural = rows[i].count != 1 && i < UNREADABLE;
        strbuf_addf(&line.text, "%s%" PRId64 " %s%s", before, rows[i].count, rows[i].what, plural ? "s" : "");
        if (i == TOO_LARGE) {
            strbuf_add(&line.text, STR(" over "));
            add_size(&line.text, max_file_bytes);
            strbuf_add(&line.text, STR(" (max_file_bytes)"));
        }
        before = ", ";
    }
    line_end(&line);
}

/* `variant.subagents.1`: where the report has a run. */
static void add_place(struct strbuf *out, const struct record *record)
{
    if (!record->parent) {
        strbuf_add(out, record->name);
        return;
    }
    add_place(out, record->parent); /* as deep as agents may nest: MAX_DEPTH_LARGEST */
    uint32_t position = 1;
    for (const struct record *child = record->parent->first_child; child != record; child = child->next)
        position++;
    strbuf_addf(out, ".subagents.%" PRIu32, position);
}

/* True if the scenario names the stop reason that a run has. */
static bool is_expected(const struct scenario *scenario, const struct record *record)
{
    struct arena scratch;
    struct strbuf metric;
    bool expected = false;
    if (record->stop_reason == STOP_REASON_STOP || scenario->expectation_count == 0)
        return false;
    arena_init(&scratch);
    strbuf_init(&metric, &scratch, LINE_CEILING);
    add_place(&metric, record);
    strbuf_add(&metric, STR(".stop_reason"));
    for (uint32_t i = 0; i < scenario->expectation_count && !expected; i++) {
        const struct expectation *expectation = &scenario->expectations[i];
        expected = expectation->op == EXPECT_EQ && expectation->want.kind == VALUE_STRING &&
                   str_eq(expectation->metric, strbuf_str(&metric)) &&
                   str_eq(expectation->want.string, str_of(stop_reason_name(record->stop_reason)));
    }
    arena_close(&scratch);
    return expected;
}

static void add_stop(struct strbuf *out, const struct record *record)
{
    uint32_t turns = transcript_turns(&record->transcript);
    switch (record->stop_reason) {
    case STOP_REASON_STOP:
        strbuf_addf(out, "stopped by itself with %" PRId64 " of %" PRId64 " read", record->coverage.read,
                    record->coverage.requested);
        return;
    case STOP_REASON_MAX_TURNS:
        strbuf_addf(out, "exceeded max_turns=%" PRIu32 ": raise max_turns of its agent to let it go on",
                    record->max_turns);
        return;
    default:
        break;
    }
    strbuf_addf(out, "stopped: %s after %" PRIu32 " turn%s", stop_reason_name(record->stop_reason), turns,
                turns == 1 ? "" : "s");
    if (record->stop_reason == STOP_REASON_SCRIPT_EXHAUSTED)
        strbuf_add(out, turns == 0 ? STR(": its model has no turn at all")
                                   : STR(": its model has no further turn, and the last one did not stop"));
}

static void say_incomplete(const struct record *record, const char *kind)
{
    struct line line;
    line_begin(&line, kind);
    line_add_foreign(&line, record->run, NAME_CODE_POINTS);
    strbuf_add(&line.text, STR(": "));
    add_stop(&line.text, record);
    line_end(&line);
}

static void say_more(const struct record *root)
{
    struct line line;
    line_begin(&line, "note");
    line_add_foreign(&line, root->run, NAME_CODE_POINTS);
    strbuf_add(&line.text, STR(": more runs did not complete"));
    line_end(&line);
}

void note_incomplete(const struct scenario *scenario, struct record *root, struct note_manner manner)
{
    int notes = 0;
    for (struct record *record = root; record; record = record_next(root, record)) {
        bool blamed = record == root && manner.blame && !expect_names_stop_reason(scenario, root->name);
        if (record_status(record) == STATUS_COMPLETE || (!blamed && manner.quiet) || is_expected(scenario, record))
            continue;
        if (++notes > NOTES_MAX) {
            say_more(root);
            return;
        }
        say_incomplete(record, blamed ? "simagent" : "note");
    }
}

void note_failed_calls(struct record *root)
{
    int64_t failed = measure_failed_calls(root);
    if (failed == 0)
        return;
    struct line line;
    line_begin(&line, "note");
    line_add_foreign(&line, root->run, NAME_CODE_POINTS);
    strbuf_addf(&line.text, ": %" PRId64 " tool call%s failed (--log shows each)", failed, failed == 1 ? "" : "s");
    line_end(&line);
}

static void add_value(struct line *line, const struct value *value)
{
    struct value shown = *value;
    struct strbuf json;
    if (value->kind == VALUE_STRING)
        shown.string = utf8_prefix(value->string, VALUE_CODE_POINTS); /* it may be a whole answer */
    strbuf_init(&json, &line->arena, LINE_CEILING);
    value_canonical(&shown, &json);
    line_add_foreign(line, strbuf_str(&json), SIZE_MAX);
    if (value->kind == VALUE_STRING && shown.string.len < value->string.len)
        strbuf_add(&line->text, STR("…"));
}

void note_unmet(const struct expectation *expectation, const struct value *got)
{
    struct line line;
    line_begin(&line, "simagent");
    line_add_foreign(&line, expectation->metric, NAME_CODE_POINTS);
    strbuf_addf(&line.text, ": expected %s ", expect_op_text(expectation->op));
    add_value(&line, &expectation->want);
    strbuf_add(&line.text, STR(", got "));
    add_value(&line, got);
    line_end(&line);
}
