#include "batch/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "batch/access.h"
#include "batch/channel.h"
#include "batch/log.h"
#include "batch/note.h"
#include "batch/shell.h"
#include "batch/signals.h"
#include "batch/tell.h"
#include "batch/verdict.h"
#include "batch/worker.h"
#include "core/workspace.h"
#include "engine/run.h"
#include "script/session.h"

#define SOURCE_READ_MAX ((size_t)64 << 20) /* of a scenario, so that its size can be told when it is too large */

/* What the child needs, copied into it by fork. */
struct task {
    const struct job *job;
    struct str source;
    const struct given_option *given;
    bool want_trace;
};

/* The reader of a session: everything goes through the channel. */
struct outside {
    struct channel *channel;
    bool quiet;
};

struct listed_folder {
    struct channel *channel;
    uint64_t handle;
};

static bool read_module(void *self, struct str name, struct arena *arena, struct str *shown, struct str *source,
                        struct err *err)
{
    const struct outside *outside = self;
    struct channel_module module;
    if (!channel_module(outside->channel, name, arena, &module, err))
        return false;
    *shown = module.shown;
    *source = module.source;
    return true;
}

static bool read_body(void *self, const struct workspace_file *file, struct arena *arena, struct str *body,
                      struct err *err)
{
    const struct listed_folder *folder = self;
    return channel_body(folder->channel, folder->handle, file->path, file->bytes, arena, body, err);
}

static bool read_folder(void *self, struct str path, const struct folder_filter *filter, struct workspace *workspace,
                        struct err *err)
{
    const struct outside *outside = self;
    struct dirwalk_options options = {
        .include = filter->include,
        .include_count = filter->include_count,
        .exclude = filter->exclude,
        .exclude_count = filter->exclude_count,
        .max_file_bytes = filter->max_file_bytes,
    };
    struct listed_folder *folder = arena_new(workspace->arena, struct listed_folder);
    struct dirwalk_listing listing;
    folder->channel = outside->channel;
    if (!channel_list(outside->channel, path, &options, workspace->arena, &folder->handle, &listing, err))
        return false;
    for (size_t i = 0; i < listing.count; i++)
        workspace_add_listed(workspace, listing.files[i].path, listing.files[i].bytes);
    workspace->skipped = (struct workspace_skipped){
        .link = listing.skipped_link,
        .special = listing.skipped_special,
        .too_large = listing.skipped_too_large,
        .unreadable = listing.skipped_unreadable,
    };
    workspace->source = (struct workspace_source){.read = read_body, .self = folder};
    if (!outside->quiet)
        note_skipped(path, &workspace->skipped, filter->max_file_bytes);
    return true;
}

static bool run_program(void *self, const struct program *program, struct arena *arena, struct program_end *end,
                        struct err *err)
{
    const struct outside *outside = self;
    struct channel_program asked = {.argv = program->argv, .argc = program->argc, .input = program->input};
    struct channel_end ended;
    if (!channel_program(outside->channel, &asked, arena, &ended, err))
        return false;
    *end = (struct program_end){
        .exit_code = ended.exit_code,
        .timed_out = ended.timed_out,
        .out = ended.out,
        .out_cut = ended.out_cut,
        .err = ended.err,
    };
    return true;
}

static bool tell_declared(void *self, const struct option_set *options, struct err *err)
{
    const struct outside *outside = self;
    for (uint32_t i = 0; i < options->count; i++) {
        const struct option *option = &options->options[i];
        if (option->type == OPTION_DIR && option->given && option->value.string.len == 0)
            return err_set(err, ERR_USAGE, "--%.*s must be a folder, got \"\"", STR_ARG(option->name));
    }
    option_tell_declared(options, channel_options(outside->channel));
    return true;
}

/* The file's name without folders and `.lua`. */
static struct str stem_of(struct str path)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.data[i - 1] == '/') {
            path = str_slice(path, i, path.len);
            break;
        }
    }
    if (path.len > 4 && str_eq(str_slice(path, path.len - 4, path.len), STR(".lua")))
        path.len -= 4;
    return path;
}

static struct session_setup session_setup_of(const struct task *task, struct outside *outside)
{
    const struct job *job = task->job;
    return (struct session_setup){
        .file = job->scenario,
        .stem = stem_of(job->scenario),
        .source = task->source,
        .given = task->given,
        .given_count = job->option_count,
        .reserved = job->reserved,
        .reserved_count = job->reserved_count,
        .unit = job->unit,
        .silent = job->quiet || job->mode == JOB_DESCRIBE,
        .seed = job->seed,
        .limits = {.max_memory = (size_t)job->max_memory, .max_steps = job->max_steps, .max_seconds = job->max_seconds},
        .reader = {.module = read_module,
                   .folder = read_folder,
                   .program = run_program,
                   .declared = tell_declared,
                   .self = outside},
    };
}

static void tell_log(void *self, const struct record *record, enum log_event event, struct str text)
{
    struct log_line line = {.depth = record->depth, .event = event, .run = record->run, .text = text};
    channel_log(self, &line);
}

static void log_spawned(void *self, const struct record *record)
{
    tell_log(self, record, LOG_SPAWNED, record->name);
}

static void log_called(void *self, const struct record *record, struct str content, const struct tool_result *result)
{
    enum log_event event = result->blocked ? LOG_BLOCKED : result->failed ? LOG_FAILED : LOG_CALLED;
    tell_log(self, record, event, content);
}

static void log_done(void *self, const struct record *record)
{
    char text[96];
    snprintf(text, sizeof text, "%s after %" PRIu32 " turns", stop_reason_name(record->stop_reason),
             transcript_turns(&record->transcript));
    tell_log(self, record, LOG_DONE, str_of(text));
}

/* What the user has to allow is asked for before anything runs. */
static bool open_world(struct session *session, const struct job *job, struct channel *channel,
                       struct real_shell *real, struct err *err)
{
    struct scenario *scenario = &session->scenario;
    if (scenario->runs_programs && !channel_may_run(channel, FRAME_RUN_PROGRAM, &session->keep, err))
        return false;
    if (!scenario->real_bash)
        return true;
    if (!channel_may_run(channel, FRAME_RUN_SHELL, &session->keep, err))
        return false;
    shell_init(real, channel, &session->keep, job->quiet);
    scenario->shell = &real->shell;
    return true;
}

static bool run_variants(struct session *session, const struct job *job, struct channel *channel,
                         struct record **roots, struct err *err)
{
    const struct scenario *scenario = &session->scenario;
    struct run_observer observer = {.spawned = log_spawned, .called = log_called, .done = log_done, .self = channel};
    struct run_options options = {
        .sizing = scenario->sizing,
        .count_schemas = scenario->count_schemas,
        .max_depth = scenario->max_depth,
        .economy = scenario->economy,
        .hooks = scenario->hooks,
        .shell = scenario->shell,
        .keep = &session->keep,
        .names = &session->names,
        .observer = job->log ? &observer : NULL,
    };
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        roots[i] = run_root(&options, scenario->variants[i].agent, scenario->variants[i].task, err);
        if (!roots[i])
            return false;
        struct note_manner manner = {.quiet = job->quiet, .blame = job->say_incomplete};
        note_incomplete(scenario, roots[i], manner);
        if (!job->quiet)
            note_failed_calls(roots[i]);
    }
    return true;
}

static bool run_and_tell(struct session *session, const struct task *task, struct channel *channel, struct err *err)
{
    const struct scenario *scenario = &session->scenario;
    struct record **roots = arena_array(&session->keep, struct record *, scenario->variant_count);
    struct real_shell *real = arena_new(&session->keep, struct real_shell);
    if (!open_world(session, task->job, channel, real, err))
        return false;
    if (!run_variants(session, task->job, channel, roots, err))
        return false;
    struct finished finished = {
        .scenario = scenario,
        .options = &session->options,
        .seed = task->job->seed,
        .people = task->job->for_people ? channel_report(channel) : NULL,
        .say_unmet = task->job->say_unmet,
        .roots = roots,
        .names = &session->names,
    };
    if (!tell_report(&finished, channel_report(channel), err))
        return false;
    if (task->want_trace)
        tell_trace(&finished, channel_trace(channel));
    return true;
}

/* The whole of what happens in the child, after it was confined.  The process ends right after, so nothing is freed but
 * what tests look at. */
static int child(struct channel *channel, void *argument)
{
    const struct task *task = argument;
    struct outside outside = {.channel = channel, .quiet = task->job->quiet};
    struct session_setup setup = session_setup_of(task, &outside);
    struct session session;
    struct err err = {0};
    bool fine = session_open(&session, &setup, &err) && session_load(&session, &err);
    if (fine && task->job->mode == JOB_DESCRIBE)
        tell_description(&session.scenario, &session.options, channel_report(channel));
    else if (fine)
        fine = run_and_tell(&session, task, channel, &err);
    if (fine)
        fine = channel_done(channel, &err);
    if (!fine)
        channel_fail(channel, &err);
    return 0;
}

static bool read_source(const struct job *job, struct arena *arena, struct str *source, struct err *err)
{
    if (job->bundled_source.data) {
        *source = job->bundled_source;
        return true;
    }
    const char *path = str_z(arena, job->scenario);
    return file_read_whole(arena, path, SOURCE_READ_MAX, source, err) &&
           (source->len <= ACCESS_MODULE_BYTES ||
            err_set(err, ERR_LIMIT, "%s: a scenario of %zu bytes is too large: the limit is %zu (move parts of it into "
                    "modules, or its data into files)", path, source->len, ACCESS_MODULE_BYTES));
}

static struct access_setup access_setup_of(const struct job *job, struct arena *arena)
{
    struct access_given *given = arena_array(arena, struct access_given, job->option_count + 1);
    size_t given_count = 0;
    for (size_t i = 0; i < job->option_count; i++) {
        if (!job->options[i].from_scenario)
            given[given_count++] = (struct access_given){job->options[i].name, job->options[i].value};
    }
    return (struct access_setup){
        .scenario = job->bundled_source.data ? (struct str){0} : job->scenario,
        .search_path = job->search_path ? str_of(job->search_path) : (struct str){0},
        .allow_read = job->allow_read,
        .allow_read_count = job->allow_read_count,
        .given = given,
        .given_count = given_count,
    };
}

static const struct given_option *given_of(const struct job *job, struct arena *arena)
{
    struct given_option *given = arena_array(arena, struct given_option, job->option_count + 1);
    for (size_t i = 0; i < job->option_count; i++)
        given[i] = (struct given_option){job->options[i].name, job->options[i].value};
    return given;
}

/* What a started job needs until it has ended; lives in the job's own arena. */
struct job_files {
    struct task task;
    struct access access;
    struct verdict verdict;
    struct log log;
    struct worker worker;
};

bool job_start(struct job_run *run, const struct job *job, const struct job_ears *ears, struct err *err)
{
    arena_init(&run->arena);
    struct job_files *files = arena_new(&run->arena, struct job_files);
    *run = (struct job_run){.arena = run->arena, .files = files, .worker = &files->worker};
    files->task = (struct task){.job = job, .given = given_of(job, &run->arena), .want_trace = ears->trace != NULL};
    if (!read_source(job, &run->arena, &files->task.source, err)) {
        arena_close(&run->arena);
        return false;
    }
    struct access_setup access_setup = access_setup_of(job, &run->arena);
    access_init(&files->access, &access_setup);
    verdict_init(&files->verdict, ears->report);
    files->log = (struct log){.fd = ears->stderr_fd, .colour = job->log_colour};
    struct worker_setup setup = {
        .dialog = {.access = &files->access,
                   .report = &files->verdict.feed,
                   .trace = ears->trace,
                   .log = &files->log,
                   .allow_exec = job->allow_exec,
                   .require_sandbox = job->require_sandbox},
        .name = job->scenario,
        .max_seconds = job->max_seconds,
        .max_memory = (size_t)job->max_memory,
        .on_soft_deadline = state_interrupt,
        .stderr_fd = ears->stderr_fd,
    };
    if (worker_start(&files->worker, &setup, child, &files->task, err))
        return true;
    access_close(&files->access);
    arena_close(&run->arena);
    return false;
}

bool job_finish(struct job_run *run, struct job_end *end, struct err *err)
{
    struct job_files *files = run->files;
    const struct verdict *verdict = &files->verdict;
    bool run_mode = files->task.job->mode == JOB_RUN;
    end->missing = files->worker.dialog.missing;
    bool fine = worker_end(&files->worker, err);
    end->ok = fine && (!run_mode || verdict->ok);
    if (fine && !end->interrupted && run_mode && !verdict->said)
        fine = err_set(err, ERR_INTERNAL, "the scenario's process sent a report without a verdict");
    access_close(&files->access);
    arena_close(&run->arena);
    return fine;
}

bool job_run(const struct job *job, struct feed *report, struct feed *trace, struct job_end *end, struct err *err)
{
    struct job_ears ears = {.report = report, .trace = trace, .stderr_fd = STDERR_FILENO};
    struct job_run run;
    struct signals signals;
    *end = (struct job_end){0};
    if (!signals_open(&signals, err))
        return false;
    bool fine = job_start(&run, job, &ears, err);
    if (fine) {
        struct worker *const all[] = {run.worker};
        end->interrupted = worker_run_all(all, 1, &signals);
        fine = job_finish(&run, end, err) || end->interrupted != 0;
    }
    signals_close(&signals);
    return fine;
}
