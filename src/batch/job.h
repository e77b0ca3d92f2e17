/* One unit of work: scenario, options, seed in; a report, told as a feed, out.
 *
 * The whole life of a run.  The scenario's text is read here, in the parent; everything that runs Lua happens in a
 * child process (batch/worker.h) that holds nothing else; the report arrives as events from a process that is not
 * trusted.  job_run says nothing itself: notes and `print` of the scenario come through the child's stderr, escaped and
 * capped.
 */
#ifndef BATCH_JOB_H
#define BATCH_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/str.h"

struct worker;

/* `--NAME VALUE`, `--NAME=VALUE`, `--set NAME=VALUE`, `--NAME` alone (then value.data is NULL), in the order given. */
struct job_option {
    struct str name; /* without dashes in front; `-` and `_` are the same */
    struct str value;
    bool from_scenario; /* of a case: a `dir` that no user typed gives no right to read it */
};

enum job_mode {
    JOB_RUN,
    JOB_DESCRIBE /* load only: tells the declared options and the variants, runs nothing */
};

struct job {
    struct str scenario;       /* as given: a path, or the name of a bundled scenario */
    struct str bundled_source; /* the text of a bundled scenario; data is NULL for a file */
    const struct job_option *options;
    size_t option_count;
    const struct str *reserved; /* names of the common flags, without dashes: no option may be called so */
    size_t reserved_count;
    const struct str *allow_read; /* folders of --allow-read */
    size_t allow_read_count;
    const char *search_path; /* SIMAGENT_PATH, colon-separated, or NULL */
    enum job_mode mode;
    int64_t seed;
    struct str unit; /* of --unit; empty = the scenario's */
    int64_t max_seconds;
    int64_t max_memory;
    int64_t max_steps; /* 0 = no limit */
    bool allow_exec; /* real commands and programs may be run */
    bool require_sandbox;
    bool for_people; /* the report has more for the eye: each change a "diff", the first candidates what was "asked" */
    bool quiet; /* no notes on stderr */
    bool say_incomplete; /* errors on stderr, also when quiet: the variants that make the report not ok, … */
    bool say_unmet;      /* … and the expectations */
    bool log;   /* what agents do, on stderr, while it happens */
    bool log_colour;
};

struct job_end {
    bool ok;         /* the report's own verdict */
    int interrupted; /* the signal that ended the parent's wait, or 0 */
    unsigned missing; /* parts of the sandbox that this system does not have (batch/confine.h) */
};

/* Runs the job.  `report` gets one document; its schema is simagent.report/1, or in JOB_DESCRIBE
 * {"name":…,"description":…,"options":[{"name":,"type":,"help":,"default":,"min":,"max":,"values":[]}…],
 * "variants":["…"],"cases":[{"name":,"options":{}}…]}.  `trace` (may be NULL) gets one document for each transcript
 * entry.  False with err when there is no complete report. */
MUST_USE bool job_run(const struct job *job, struct feed *report, struct feed *trace, struct job_end *end,
                      struct err *err);

/* The same as one of many jobs in one loop (batch/crew.h): start, drive `worker` until it is over, finish. */
struct job_ears {
    struct feed *report;
    struct feed *trace; /* may be NULL */
    int stderr_fd;      /* gets the notes and what the scenario printed; -1 = nobody */
};

struct job_files;

struct job_run {
    struct arena arena;
    struct job_files *files;
    struct worker *worker; /* good between start and finish */
};

/* False with err: nothing was started, and nothing needs to be finished. */
MUST_USE bool job_start(struct job_run *run, const struct job *job, const struct job_ears *ears, struct err *err);

/* As job_run returns; a child that is not over is killed.  `end->interrupted` is the caller's. */
MUST_USE bool job_finish(struct job_run *run, struct job_end *end, struct err *err);

#endif
