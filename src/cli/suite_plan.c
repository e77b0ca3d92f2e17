/* What is tested: every scenario is asked for its cases, in processes of their own, since asking runs its code. */
#include "cli/suite_own.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/spool.h"
#include "base/table.h"
#include "cli/opt.h"
#include "cli/save.h"

#define MOST_AT_ONCE 256
#define NOTES_MAX ((size_t)1 << 20)

/* One scenario that is being asked. */
struct asking {
    struct value_builder builder;
    struct spool notes;
    bool has_notes;
};

struct plan {
    struct suite *suite;
    struct asking **asking; /* by index of the file, while it is asked */
    size_t done;
};

struct job suite_job(const struct suite *suite, const struct suite_file *file)
{
    const struct opt_values *values = suite->values;
    return (struct job){
        .scenario = file->path,
        .allow_read = values->allow_read.items,
        .allow_read_count = values->allow_read.count,
        .reserved = values->names.items,
        .reserved_count = values->names.count,
        .search_path = getenv("SIMAGENT_PATH"),
        .max_seconds = values->max_seconds,
        .max_memory = values->max_memory,
        .max_steps = values->max_steps,
        .allow_exec = values->allow_exec,
        .require_sandbox = values->require_sandbox,
    };
}

size_t suite_most(const struct suite *suite, size_t jobs)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = suite->values->jobs > 0 ? (size_t)suite->values->jobs : cpus > 0 ? (size_t)cpus : 1;
    most = most < MOST_AT_ONCE ? most : MOST_AT_ONCE;
    return most < jobs ? most : jobs > 0 ? jobs : 1;
}

static bool begin_asking(void *self, size_t index, struct crew_seat *seat, struct err *err)
{
    struct plan *plan = self;
    struct asking *asking = arena_new(plan->suite->arena, struct asking);
    plan->asking[index] = asking;
    asking->has_notes = spool_open(&asking->notes, err);
    if (!asking->has_notes) {
        return false;
    }
    value_builder_init(&asking->builder, plan->suite->arena, NULL);
    seat->job = suite_job(plan->suite, &plan->suite->files[index]);
    seat->job.mode = JOB_DESCRIBE;
    seat->ears = (struct job_ears){.report = &asking->builder.feed, .stderr_fd = asking->notes.fd};
    return true;
}

static void keep_failure(struct suite *suite, struct suite_file *file, struct asking *asking, const struct err *err)
{
    struct err ignored = {0};
    file->err = arena_new(suite->arena, struct err);
    *file->err = *err;
    if (asking->has_notes && !spool_read(&asking->notes, suite->arena, NOTES_MAX, &file->notes, &ignored)) {
        file->notes = (struct str){0};
    }
}

static void asked(void *self, size_t index, const struct job_end *end, const struct err *err)
{
    struct plan *plan = self;
    struct asking *asking = plan->asking[index];
    struct suite_file *file = &plan->suite->files[index];
    struct err incomplete = {0};
    if (err == NULL && !asking->builder.complete && end->interrupted == 0) {
        (void)err_set(&incomplete, ERR_INTERNAL, "the description ended in its middle");
        err = &incomplete;
    }
    if (err != NULL) {
        keep_failure(plan->suite, file, asking, err);
    } else if (asking->builder.complete) {
        file->described = true;
        file->description = asking->builder.result;
    }
    if (asking->has_notes) {
        spool_close(&asking->notes);
    }
    progress_show(&plan->suite->progress, ++plan->done, plan->suite->file_count, file->path);
}

/* As it would stand on the command line. */
static struct str option_text(struct arena *arena, const struct value *value)
{
    char number[32];
    switch (value->kind) {
    case VALUE_STRING: return value->string;
    case VALUE_BOOL: return value->boolean ? STR("true") : STR("false");
    case VALUE_INT: return str_copy(arena, (struct str){number, json_format_int(number, value->integer)});
    case VALUE_REAL: return str_copy(arena, (struct str){number, json_format_real(number, value->real)});
    default: return STR("");
    }
}

static void take_options(struct arena *arena, struct suite_test *test, const struct value *options)
{
    test->option_count = options != NULL && options->kind == VALUE_OBJECT ? options->count : 0;
    test->options = arena_array(arena, struct job_option, test->option_count + 1);
    for (size_t i = 0; i < test->option_count; i++) {
        test->options[i] = (struct job_option){
            .name = options->members[i].key,
            .value = option_text(arena, &options->members[i].value),
            .from_scenario = true,
        };
    }
}

/* The description came from a process that is not trusted, and the name becomes a part of a path. */
static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '-') {
            return false;
        }
    }
    return name.len > 0 && name.len <= 64;
}

static struct suite_test *add_test(struct suite *suite, const struct suite_file *file, struct str case_name)
{
    struct suite_test *test = &suite->tests[suite->test_count++];
    struct str folder = save_folder_of(file->path);
    const char *dot = case_name.len > 0 ? "." : "";
    struct str name = str_printf(suite->arena, "%.*s%s%.*s", STR_ARG(file->stem), dot, STR_ARG(case_name));
    struct str golden = str_eq(folder, STR("."))
                            ? str_printf(suite->arena, "golden/%.*s.json", STR_ARG(name))
                            : str_printf(suite->arena, "%.*s/golden/%.*s.json", STR_ARG(folder), STR_ARG(name));
    *test = (struct suite_test){
        .file = file,
        .name = name,
        .case_name = case_name,
        .golden = str_z(suite->arena, golden),
        .notes = file->notes,
    };
    if (file->err != NULL) {
        suite_fail(test, suite->arena, file->err);
    }
    return test;
}

static const struct value *cases_of(const struct suite_file *file)
{
    static const struct value none = {.kind = VALUE_ARRAY};
    const struct value *cases = file->described ? value_find(&file->description, STR("cases")) : NULL;
    return cases != NULL && cases->kind == VALUE_ARRAY ? cases : &none;
}

static void add_tests_of(struct suite *suite, const struct suite_file *file)
{
    const struct value *cases = cases_of(file);
    (void)add_test(suite, file, (struct str){0});
    for (size_t i = 0; i < cases->count; i++) {
        struct str name = value_str_at(&cases->items[i], "name", STR(""));
        if (!is_plain(name)) {
            continue;
        }
        take_options(suite->arena, add_test(suite, file, name), value_find(&cases->items[i], STR("options")));
    }
}

/* `a.b.lua` and the case b of `a.lua` would share a golden. */
static void refuse_shared_goldens(struct suite *suite)
{
    struct table goldens;
    table_init(&goldens, suite->arena);
    for (size_t i = 0; i < suite->test_count; i++) {
        struct suite_test *test = &suite->tests[i];
        uint32_t before = goldens.count;
        if (table_add(&goldens, str_of(test->golden)) != before && test->status == SUITE_WAITING) {
            struct err err = {0};
            (void)err_set(&err, ERR_SCENARIO, "another test has the golden %s: rename the case or the file",
                          test->golden);
            suite_fail(test, suite->arena, &err);
        }
    }
}

bool suite_plan(struct suite *suite, struct err *err)
{
    struct plan plan = {.suite = suite, .asking = arena_array(suite->arena, struct asking *, suite->file_count)};
    struct crew_plan crew = {
        .count = suite->file_count,
        .most = suite_most(suite, suite->file_count),
        .self = &plan,
        .begin = begin_asking,
        .ended = asked,
    };
    bool fine = crew_run(&crew, &suite->interrupted, err);
    progress_clear(&suite->progress);
    if (!fine || suite->interrupted != 0) {
        return fine;
    }
    size_t count = suite->file_count;
    for (size_t i = 0; i < suite->file_count; i++) {
        count += cases_of(&suite->files[i])->count;
    }
    suite->tests = arena_array(suite->arena, struct suite_test, count);
    for (size_t i = 0; i < suite->file_count; i++) {
        add_tests_of(suite, &suite->files[i]);
    }
    refuse_shared_goldens(suite);
    suite_find_stale(suite);
    return true;
}
