/* One report against its golden, and what is written of it. */
#include "cli/suite_own.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/json_read.h"
#include "batch/golden.h"
#include "cli/opt.h"
#include "cli/save.h"
#include "report/cells.h"

#define TEXT_CEILING ((size_t)1 << 20)
#define UNMET_MAX 10
#define NAME_COLUMNS 60

struct str suite_title(struct arena *arena, const struct suite_test *test)
{
    struct str path = cells_name(arena, test->file->path, 1000);
    return test->case_name.len == 0 ? path
                                    : str_printf(arena, "%.*s (%.*s)", STR_ARG(path), STR_ARG(test->case_name));
}

void suite_fail(struct suite_test *test, struct arena *arena, const struct err *err)
{
    bool fault = err->kind == ERR_SCENARIO || err->kind == ERR_LIMIT || err->kind == ERR_USAGE;
    struct str message = str_copy(arena, str_of(err->message));
    const char *line_end = message.len > 0 ? memchr(message.data, '\n', message.len) : NULL;
    test->status = fault ? SUITE_FAULT : SUITE_BROKEN;
    test->exit_code = fault ? err_exit_code(ERR_SCENARIO) : err_exit_code(err->kind);
    test->message = message;
    if (line_end != NULL) {
        size_t length = (size_t)(line_end - message.data);
        test->message = str_slice(message, 0, length);
        test->details = str_slice(message, length + 1, message.len);
    }
}

static void drop_pending(const struct suite *suite, struct suite_test *test)
{
    struct err ignored = {0};
    const char *pending = str_z(suite->arena, str_printf(suite->arena, "%s.new", test->golden));
    if (suite->may_write && !file_remove(pending, &ignored)) {
        return; /* it is only out of date */
    }
    test->pending = false;
}

bool suite_accept(struct suite *suite, struct suite_test *test, struct str report, struct err *err)
{
    if (!save_file_unlinked(suite->arena, test->golden, report, err)) {
        return false;
    }
    drop_pending(suite, test);
    test->status = SUITE_ACCEPTED;
    test->exit_code = 0;
    return true;
}

static bool is_to_be_accepted(const struct suite *suite, const struct suite_test *test)
{
    const struct opt_choice *update = &suite->values->update;
    bool accepted = update->given && update->names.count == 0;
    for (size_t i = 0; i < update->names.count; i++) {
        accepted = accepted || str_eq(update->names.items[i], test->name);
    }
    return accepted;
}

/* Keeps the report beside the golden.  Where that fails, the test has failed all the same, and says why. */
static void keep_pending(struct suite *suite, struct suite_test *test, struct str report)
{
    struct err err = {0};
    const char *pending = str_z(suite->arena, str_printf(suite->arena, "%s.new", test->golden));
    test->exit_code = 1;
    if (!suite->may_write) {
        return;
    }
    test->pending = save_file_unlinked(suite->arena, pending, report, &err);
    if (!test->pending) {
        struct str why = cells_text(suite->arena, str_of(err.message), 1000);
        test->details = str_printf(suite->arena, "%.*s(the new report could not be kept: %.*s)\n",
                                   STR_ARG(test->details), STR_ARG(why));
    }
}

static void settle(struct suite *suite, struct suite_test *test, struct str report, enum suite_status status)
{
    struct err err = {0};
    test->status = status;
    if (!is_to_be_accepted(suite, test)) {
        keep_pending(suite, test, report);
    } else if (!suite_accept(suite, test, report, &err)) {
        suite_fail(test, suite->arena, &err);
    }
}

static struct str difference_message(struct arena *arena, const struct suite_test *test, const struct golden_diff *diff)
{
    struct str metrics = cells_count(arena, (int64_t)diff->metric_total, "metric");
    struct str others = cells_count(arena, (int64_t)diff->path_total, "other place");
    if (diff->path_total == 0) {
        return str_printf(arena, "%.*s changed against %s", STR_ARG(metrics), test->golden);
    }
    if (diff->metric_total == 0) {
        return str_printf(arena, "%.*s changed against %s", STR_ARG(others), test->golden);
    }
    return str_printf(arena, "%.*s and %.*s changed against %s", STR_ARG(metrics), STR_ARG(others), test->golden);
}

static void compare_with(struct suite *suite, struct suite_test *test, struct str golden, struct str report)
{
    struct arena arena;
    struct golden_diff diff;
    arena_init(&arena);
    golden_compare(&arena, golden, report, &suite->drift, &diff);
    test->compared = true;
    test->details = suite_diff_text(suite->arena, &diff);
    bool same_bytes = str_eq(golden, report);
    if (diff.verdict == GOLDEN_DIFFERENT) {
        test->message = difference_message(suite->arena, test, &diff);
        settle(suite, test, report, SUITE_DIFFERENT);
    } else if (!same_bytes && is_to_be_accepted(suite, test)) {
        settle(suite, test, report, SUITE_PASSED);
    } else {
        test->status = SUITE_PASSED;
        drop_pending(suite, test);
    }
    arena_close(&arena);
}

static void add_unmet(struct strbuf *out, struct arena *arena, const struct value *expectation)
{
    const struct value *want = value_find(expectation, STR("want"));
    const struct value *got = value_find(expectation, STR("got"));
    struct str metric = cells_name(arena, value_str_at(expectation, "metric", STR("")), NAME_COLUMNS);
    struct strbuf wanted;
    struct strbuf found;
    strbuf_init(&wanted, arena, TEXT_CEILING);
    strbuf_init(&found, arena, TEXT_CEILING);
    if (want != NULL && got != NULL) {
        value_canonical(want, &wanted);
        value_canonical(got, &found);
    }
    struct str op = cells_text(arena, value_str_at(expectation, "op", STR("")), 4);
    struct str want_text = cells_text(arena, strbuf_str(&wanted), NAME_COLUMNS);
    struct str got_text = cells_text(arena, strbuf_str(&found), NAME_COLUMNS);
    strbuf_addf(out, "expected %.*s %.*s %.*s, got %.*s\n", STR_ARG(metric), STR_ARG(op), STR_ARG(want_text),
                STR_ARG(got_text));
}

static void add_incomplete(struct strbuf *out, struct arena *arena, const struct value *variant)
{
    struct str status = value_str_at(variant, "status", STR(""));
    if (status.len > 0 && !str_eq(status, STR("complete"))) {
        struct str name = cells_name(arena, value_str_at(variant, "name", STR("")), NAME_COLUMNS);
        struct str reason = cells_text(arena, value_str_at(variant, "stop_reason", STR("")), NAME_COLUMNS);
        strbuf_addf(out, "%.*s did not complete: %.*s\n", STR_ARG(name), STR_ARG(reason));
    }
}

/* What the report itself finds wrong. */
static struct str unmet_text(struct arena *keep, struct str report)
{
    struct arena arena;
    struct value value;
    struct err ignored = {0};
    struct strbuf out;
    arena_init(&arena);
    strbuf_init(&out, &arena, TEXT_CEILING);
    bool readable = json_read_value(&arena, report, "report", &value, &ignored);
    const struct value *expectations = readable ? value_find(&value, STR("expectations")) : NULL;
    const struct value *variants = readable ? value_find(&value, STR("variants")) : NULL;
    size_t unmet = 0;
    for (size_t i = 0; expectations != NULL && expectations->kind == VALUE_ARRAY && i < expectations->count; i++) {
        if (!value_bool_at(&expectations->items[i], "ok", true) && unmet++ < UNMET_MAX) {
            add_unmet(&out, &arena, &expectations->items[i]);
        }
    }
    for (size_t i = 0; variants != NULL && variants->kind == VALUE_ARRAY && i < variants->count && i < UNMET_MAX; i++) {
        add_incomplete(&out, &arena, &variants->items[i]);
    }
    struct str text = str_copy(keep, strbuf_str(&out));
    arena_close(&arena);
    return text;
}

/* A golden can record a report that says no; the test fails all the same. */
static void mark_unmet(struct suite *suite, struct suite_test *test, struct str report)
{
    struct str unmet = unmet_text(suite->arena, report);
    test->details = str_printf(suite->arena, "%.*s%.*s", STR_ARG(unmet), STR_ARG(test->details));
    if (test->status == SUITE_FAULT || test->status == SUITE_BROKEN) {
        return;
    }
    const char *more = test->status == SUITE_DIFFERENT  ? "; the report also differs from its golden"
                       : test->status == SUITE_ACCEPTED ? "; its golden was written all the same"
                                                        : "";
    test->message = str_printf(suite->arena, "an expectation is not met, or a variant did not complete%s", more);
    test->status = SUITE_UNMET;
    test->exit_code = 1;
}

void suite_judge(struct suite *suite, struct suite_test *test, struct str report, bool ok)
{
    struct arena arena;
    struct str golden;
    struct err err = {0};
    arena_init(&arena);
    if (!file_exists(test->golden)) {
        test->message = str_printf(suite->arena, "there is no golden yet: %s", test->golden);
        settle(suite, test, report, SUITE_MISSING);
    } else if (file_read_whole(&arena, test->golden, SUITE_BYTES_MAX, &golden, &err)) {
        compare_with(suite, test, golden, report);
    } else {
        suite_fail(test, suite->arena, &err);
    }
    if (!ok) {
        mark_unmet(suite, test, report);
    }
    arena_close(&arena);
}
