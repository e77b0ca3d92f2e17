#include "cli/input.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json_read.h"
#include "batch/job.h"
#include "cli/locate.h"
#include "cli/opt.h"

#define REPORT_BYTES_MAX ((size_t)1 << 28) /* of a report: 256 MiB, far beyond any that people compare */
#define STDIN_BYTES_FIRST 65536

/* What no comparison looks at, and most of a large report. */
static const struct value_limit kept[] = {
    {"per_turn", 0}, {"candidates", 0}, {"composition", 0}, {"cache_misses", 0}, {"subagents", 0}, {NULL, 0},
};

static bool is_stdin(struct str word)
{
    return str_eq(word, STR("-"));
}

static bool ends_in(struct str word, struct str end)
{
    return word.len >= end.len && str_eq(str_slice(word, word.len - end.len, word.len), end);
}

bool input_is_report(struct str word)
{
    return is_stdin(word) || ends_in(word, STR(".json")) || ends_in(word, STR(".json.new"));
}

static bool read_stdin(struct arena *arena, struct str *bytes, struct err *err)
{
    size_t room = STDIN_BYTES_FIRST;
    char *data = arena_bytes(arena, room);
    size_t len = 0;
    if (isatty(STDIN_FILENO)) {
        return err_set(err, ERR_USAGE, "'-' reads a report from stdin, which is a terminal");
    }
    for (;;) {
        if (len == room) {
            data = arena_grow(arena, data, room, room * 2);
            room *= 2;
        }
        ssize_t got = read(STDIN_FILENO, data + len, room - len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return err_set(err, ERR_IO, "stdin: %s", strerror(errno));
        }
        len += (size_t)got;
        if (len > REPORT_BYTES_MAX) {
            return err_set(err, ERR_IO, "stdin: too large: a report has at most %zu bytes", REPORT_BYTES_MAX);
        }
        if (got == 0) {
            break;
        }
    }
    *bytes = (struct str){.data = data, .len = len};
    return true;
}

static bool read_report(struct arena *arena, struct str word, struct value *report, struct err *err)
{
    struct arena text; /* the value keeps nothing of it */
    struct str bytes;
    arena_init(&text);
    const char *name = is_stdin(word) ? "stdin" : str_z(&text, word);
    bool fine = is_stdin(word) ? read_stdin(&text, &bytes, err)
                               : file_read_whole(&text, name, REPORT_BYTES_MAX, &bytes, err);
    fine = fine && json_read_value(arena, bytes, name, report, err);
    arena_close(&text);
    return fine;
}

static bool run_scenario(struct arena *arena, const struct opt_values *values, struct str word, struct value *report,
                         int *interrupted, struct err *err)
{
    struct job job;
    struct job_end end;
    struct value_builder builder;
    struct str_list words = {.items = &word, .count = 1};
    value_builder_init(&builder, arena, kept);
    if (!locate_job(values, &words, &job, err) || !job_run(&job, &builder.feed, NULL, &end, err)) {
        return false;
    }
    *interrupted = end.interrupted;
    if (end.interrupted == 0) {
        CHECK(builder.complete);
        *report = builder.result;
    }
    return true;
}

bool input_read(struct arena *arena, const struct opt_values *values, struct str word, struct value *report,
                int *interrupted, struct err *err)
{
    *interrupted = 0;
    return input_is_report(word) ? read_report(arena, word, report, err)
                                 : run_scenario(arena, values, word, report, interrupted, err);
}
