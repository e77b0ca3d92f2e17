/* All tests in one loop; each is judged as soon as its report is complete. */
#include "cli/suite_own.h"

#include "base/arena.h"
#include "base/outfile.h"
#include "base/spool.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/opt.h"
#include "cli/save.h"
#include "report/json.h"

#define NOTES_MAX ((size_t)1 << 20)

/* One test that is under way. */
struct running {
    struct arena arena;
    struct spool report;
    struct spool notes;
    bool open;
    struct rendering *rendering;
};

struct course {
    struct suite *suite;
    struct suite_test **tests; /* those that can be run */
    struct running *running;   /* by the same index */
    size_t count;
    size_t done;
};

static bool open_spools(struct running *running, struct err *err)
{
    if (!spool_open(&running->report, err)) {
        return false;
    }
    running->open = spool_open(&running->notes, err);
    if (!running->open) {
        spool_close(&running->report);
    }
    return running->open;
}

static bool begin(void *self, size_t index, struct crew_seat *seat, struct err *err)
{
    struct course *course = self;
    struct running *running = &course->running[index];
    const struct suite_test *test = course->tests[index];
    struct render_style style = {0};
    if (!open_spools(running, err)) {
        return false;
    }
    arena_init(&running->arena);
    running->rendering = renderer_json.begin(&running->arena, spool_sink(&running->report), &style);
    seat->job = suite_job(course->suite, test->file);
    seat->job.mode = JOB_RUN;
    seat->job.options = test->options;
    seat->job.option_count = test->option_count;
    seat->ears = (struct job_ears){.report = running->rendering->listen, .stderr_fd = running->notes.fd};
    return true;
}

static void judge(struct suite *suite, struct suite_test *test, struct running *running, bool ok)
{
    struct str report;
    struct err err = {0};
    if (running->rendering->finish(running->rendering, &err) &&
        spool_read(&running->report, &running->arena, SUITE_BYTES_MAX, &report, &err)) {
        suite_judge(suite, test, report, ok);
    } else {
        suite_fail(test, suite->arena, &err);
    }
}

static void end_running(struct suite *suite, struct suite_test *test, struct running *running)
{
    struct err ignored = {0};
    bool wanted = test->status != SUITE_PASSED && test->status != SUITE_ACCEPTED;
    if (wanted && !spool_read(&running->notes, suite->arena, NOTES_MAX, &test->notes, &ignored)) {
        test->notes = (struct str){0};
    }
    spool_close(&running->report);
    spool_close(&running->notes);
    arena_close(&running->arena);
    running->open = false;
}

static void ended(void *self, size_t index, const struct job_end *end, const struct err *err)
{
    struct course *course = self;
    struct running *running = &course->running[index];
    struct suite_test *test = course->tests[index];
    if (end->interrupted == 0 && err != NULL) {
        suite_fail(test, course->suite->arena, err);
    } else if (end->interrupted == 0) {
        judge(course->suite, test, running, end->ok);
    }
    if (running->open) {
        end_running(course->suite, test, running);
    }
    progress_show(&course->suite->progress, ++course->done, course->count,
                  suite_title(course->suite->arena, test));
}

/* What a killed run before this one has left. */
static void clean_folders(const struct suite *suite)
{
    struct table folders;
    table_init(&folders, suite->arena);
    for (size_t i = 0; i < suite->test_count; i++) {
        uint32_t before = folders.count;
        struct str folder = save_folder_of(str_of(suite->tests[i].golden));
        if (table_add(&folders, folder) == before) {
            outfile_clean(str_z(suite->arena, folder), NULL);
        }
    }
}

/* --update=NAME must name a test: a misspelt one would look like success. */
static bool check_names(const struct suite *suite, struct err *err)
{
    const struct str_list *names = &suite->values->update.names;
    for (size_t i = 0; i < names->count; i++) {
        struct suggest suggest;
        bool found = false;
        suggest_init(&suggest, names->items[i]);
        for (size_t k = 0; k < suite->test_count; k++) {
            found = found || str_eq(suite->tests[k].name, names->items[i]);
            suggest_offer(&suggest, suite->tests[k].name);
        }
        if (!found) {
            bool near = suggest.best.len > 0;
            return err_set(err, ERR_USAGE, "--update: no test is called '%.*s'%s%.*s%s", STR_ARG(names->items[i]),
                           near ? " (did you mean '" : "", STR_ARG(suggest.best), near ? "'?)" : "");
        }
    }
    return true;
}

/* A rule that is about nothing would be a silent pass; where some test was not compared, its metrics are unknown. */
static bool check_rules(const struct suite *suite, struct err *err)
{
    for (size_t i = 0; i < suite->test_count; i++) {
        if (!suite->tests[i].compared) {
            return true;
        }
    }
    for (size_t i = 0; i < suite->drift.count; i++) {
        const struct drift_rule *rule = &suite->drift.rules[i];
        if (!rule->matched) {
            return err_set(err, ERR_USAGE, "--%s: no report has a number called '%.*s' (such as 'measurement.peak')",
                           rule->kind == DRIFT_RATCHET ? "ratchet" : "tolerance", STR_ARG(rule->metric));
        }
    }
    return true;
}

bool suite_run(struct suite *suite, struct err *err)
{
    struct course course = {.suite = suite};
    if (!check_names(suite, err)) {
        return false;
    }
    course.tests = arena_array(suite->arena, struct suite_test *, suite->test_count);
    for (size_t i = 0; i < suite->test_count; i++) {
        if (suite->tests[i].status == SUITE_WAITING) {
            course.tests[course.count++] = &suite->tests[i];
        }
    }
    course.running = arena_array(suite->arena, struct running, course.count + 1);
    if (suite->may_write) {
        clean_folders(suite);
    }
    struct crew_plan crew = {
        .count = course.count,
        .most = suite_most(suite, course.count),
        .self = &course,
        .begin = begin,
        .ended = ended,
    };
    bool fine = crew_run(&crew, &suite->interrupted, err);
    progress_clear(&suite->progress);
    return fine && (suite->interrupted != 0 || check_rules(suite, err));
}
