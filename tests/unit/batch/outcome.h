/* Outcome: runs one child through a worker and keeps everything that came of it.
 *
 * Include after cmocka.h.  Not everything is used by every test program, hence inline.
 */
#ifndef UNIT_BATCH_OUTCOME_H
#define UNIT_BATCH_OUTCOME_H

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"
#include "batch/clock.h"
#include "batch/channel.h"
#include "batch/worker.h"

/* One child from start to end. */
struct outcome {
    struct arena arena;
    struct value_builder report;
    struct value_builder options;
    int64_t trace_lines;
    bool good;
    struct err err;
    struct str said; /* what arrived on stderr */
    int64_t took_us;
};

static inline void count_line(void *to)
{
    (*(int64_t *)to)++;
}

static inline struct str read_back(struct arena *arena, int fd)
{
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    char *bytes = arena_bytes(arena, (size_t)status.st_size);
    assert_int_equal(pread(fd, bytes, (size_t)status.st_size, 0), status.st_size);
    return (struct str){bytes, (size_t)status.st_size};
}

static inline struct worker_setup ordinary_setup(struct outcome *outcome, int stderr_fd)
{
    arena_init(&outcome->arena);
    value_builder_init(&outcome->report, &outcome->arena, NULL);
    value_builder_init(&outcome->options, &outcome->arena, NULL);
    return (struct worker_setup){
        .dialog = {.options = &outcome->options.feed,
                   .report = &outcome->report.feed,
                   .on_trace_line = count_line,
                   .trace_to = &outcome->trace_lines},
        .max_seconds = 20,
        .max_memory = (size_t)64 << 20,
        .stderr_fd = stderr_fd,
    };
}

static inline void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

struct special {
    int64_t max_seconds;
    struct access *access;
    void (*on_soft_deadline)(int);
    void *argument;
    bool allow_exec;
};

static inline void run_special(struct outcome *outcome, child_function *child, const struct special *special)
{
    struct worker worker;
    struct worker *workers[] = {&worker};
    int said = memfd_create("stderr", MFD_CLOEXEC);
    memset(outcome, 0, sizeof *outcome);
    struct worker_setup setup = ordinary_setup(outcome, said);
    setup.max_seconds = special->max_seconds ? special->max_seconds : setup.max_seconds;
    setup.dialog.access = special->access;
    setup.dialog.allow_exec = special->allow_exec;
    setup.on_soft_deadline = special->on_soft_deadline;
    int64_t start = clock_now_us();
    assert_true(worker_start(&worker, &setup, child, special->argument, &outcome->err));
    assert_int_equal(worker_run_all(workers, 1, NULL), 0);
    outcome->good = worker_end(&worker, &outcome->err);
    outcome->took_us = clock_now_us() - start;
    outcome->said = read_back(&outcome->arena, said);
    close(said);
    no_child_is_left();
}

static inline void run(struct outcome *outcome, child_function *child)
{
    run_special(outcome, child, &(struct special){.max_seconds = 0});
}

static inline void forget(struct outcome *outcome)
{
    arena_close(&outcome->arena);
}

static inline int finish(struct channel *channel)
{
    struct err err = {.kind = ERR_NONE};
    return channel_done(channel, &err) ? 0 : 1;
}

#endif
