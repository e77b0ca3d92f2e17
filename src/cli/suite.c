#include "cli/suite.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/outfile.h"
#include "base/suggest.h"
#include "cli/opt.h"
#include "cli/save.h"
#include "cli/suite_own.h"
#include "report/outcome.h"

/* Most CI servers set CI, and some people set it to "false". */
static bool is_ci(void)
{
    const char *ci = getenv("CI");
    return ci != NULL && ci[0] != '\0' && strcmp(ci, "false") != 0;
}

/* Whether goldens may be accepted as the flags say. */
static bool check_acceptance(const struct opt_values *values, struct err *err)
{
    if (is_ci() && (values->update.given || values->review)) {
        return err_set(err, ERR_USAGE, "--%s: with CI set no golden is written; accept on your own machine",
                       values->update.given ? "update" : "review");
    }
    if (values->review && (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))) {
        return err_set(err, ERR_USAGE, "--review asks on a terminal, and there is none; --update[=NAME] does not ask");
    }
    if (values->update.given && values->review) {
        return err_set(err, ERR_USAGE, "--update accepts without asking, --review asks: give one of them");
    }
    return true;
}

/* What has a meaning for one report alone would change every golden. */
static bool check_flags(const struct opt_values *values, struct err *err)
{
    const struct {
        bool given;
        const char *flag;
    } rows[] = {
        {values->seed != 0, "seed"},
        {values->unit.len > 0, "unit"},
        {values->trace.data != NULL, "trace"},
        {!str_eq(values->format, STR("text")), "format"},
        {values->log, "log"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].given) {
            return err_set(err, ERR_USAGE, "test takes no --%s%s", rows[i].flag,
                           str_eq(str_of(rows[i].flag), STR("format"))
                               ? ": other programs read --report junit=FILE or tap=FILE" : "");
        }
    }
    if (values->option_count > 0) {
        struct str name = values->options[0].name;
        struct str best = opt_suggest(values, name);
        bool near = best.len > 0;
        return err_set(err, ERR_USAGE, "test takes no --%.*s%s%.*s%s; a scenario's options belong into its cases",
                       STR_ARG(name), near ? " (did you mean --" : "", STR_ARG(best), near ? "?)" : "");
    }
    return true;
}

static bool read_rules(struct suite *suite, struct err *err)
{
    const struct opt_values *values = suite->values;
    struct drift *drift = &suite->drift;
    size_t most = values->tolerances.count + values->ratchets.count;
    drift->rules = arena_array(suite->arena, struct drift_rule, most + 1);
    for (size_t i = 0; i < values->tolerances.count; i++) {
        if (!drift_parse_tolerance(values->tolerances.items[i], &drift->rules[drift->count++], err)) {
            return false;
        }
    }
    for (size_t i = 0; i < values->ratchets.count; i++) {
        if (!drift_parse_ratchet(values->ratchets.items[i], &drift->rules[drift->count++], err)) {
            return false;
        }
    }
    return true;
}

/* "junit=FILE" */
static const struct outcome_format *format_of(struct str text, struct str *path, struct err *err)
{
    const char *equals = memchr(text.data, '=', text.len);
    size_t length = equals != NULL ? (size_t)(equals - text.data) : text.len;
    struct str name = str_slice(text, 0, length);
    const struct outcome_format *format = outcome_format_find(name);
    *path = str_slice(text, equals != NULL ? length + 1 : length, text.len);
    if (format != NULL && path->len > 0) {
        return format;
    }
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; outcome_formats[i] != NULL; i++) {
        suggest_offer(&suggest, str_of(outcome_formats[i]->name));
    }
    bool near = format == NULL && suggest.best.len > 0;
    (void)err_set(err, ERR_USAGE, "--report: '%.*s' is not junit=FILE or tap=FILE%s%.*s%s", STR_ARG(text),
                  near ? " (did you mean " : "", near ? (int)suggest.best.len : 0, suggest.best.data, near ? "?)" : "");
    return NULL;
}

static bool check_reports(const struct opt_values *values, struct err *err)
{
    for (size_t i = 0; i < values->reports.count; i++) {
        struct str path;
        if (format_of(values->reports.items[i], &path, err) == NULL) {
            return false;
        }
    }
    return true;
}

bool suite_init(struct suite *suite, struct arena *arena, const struct opt_values *values, struct err *err)
{
    *suite = (struct suite){.arena = arena, .values = values, .may_write = !is_ci()};
    progress_init(&suite->progress, values->quiet);
    return check_flags(values, err) && check_acceptance(values, err) && check_reports(values, err) &&
           read_rules(suite, err);
}

static enum outcome_kind kind_of(enum suite_status status)
{
    if (status == SUITE_PASSED || status == SUITE_ACCEPTED) {
        return OUTCOME_PASSED;
    }
    return status == SUITE_FAULT || status == SUITE_BROKEN ? OUTCOME_ERROR : OUTCOME_FAILED;
}

static bool send_report(const struct suite *suite, const struct outcome *items, struct str text, struct err *err)
{
    struct outfile file;
    struct str path;
    const struct outcome_format *format = format_of(text, &path, err);
    const char *z = str_z(suite->arena, path);
    const char *folder = str_z(suite->arena, save_folder_of(path));
    const char *slash = strrchr(z, '/');
    outfile_clean(folder, slash != NULL ? slash + 1 : z);
    if (format == NULL || (!file_is_folder(folder) && !file_make_folder(folder, err)) ||
        !outfile_open(&file, z, err)) {
        return false;
    }
    format->write(suite->arena, &file.sink, items, suite->test_count);
    return outfile_commit(&file, err);
}

bool suite_send_reports(const struct suite *suite, struct err *err)
{
    struct outcome *items = arena_array(suite->arena, struct outcome, suite->test_count + 1);
    for (size_t i = 0; i < suite->test_count; i++) {
        const struct suite_test *test = &suite->tests[i];
        items[i] = (struct outcome){
            .kind = kind_of(test->status),
            .group = test->file->path,
            .name = suite_title(suite->arena, test),
            .message = test->message,
            .details = test->details,
            .notes = test->notes,
        };
    }
    for (size_t i = 0; i < suite->values->reports.count; i++) {
        if (!send_report(suite, items, suite->values->reports.items[i], err)) {
            return false;
        }
    }
    return true;
}
