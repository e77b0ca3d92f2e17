/* run: the command that runs a scenario, also when no command is named. */
#include "base/arena.h"
#include "batch/confine.h"
#include "batch/job.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/help.h"
#include "cli/locate.h"
#include "cli/message.h"
#include "cli/next.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/reproduce.h"
#include "cli/screen.h"
#include "report/lines.h"
#include "report/render.h"

#define SIGNAL_BASE 128 /* a shell's exit code of a process that a signal ended */

/* Runs the job with the report going through the renderer into the spool. */
static bool run_into(struct arena *arena, const struct opt_values *values, const struct job *job,
                     struct output *output, struct job_end *end, struct err *err)
{
    const struct renderer *renderer = render_find(values->format);
    CHECK(renderer != NULL);
    struct render_style style = screen_style(output->report_path == NULL, values->no_color);
    style.reproduce = reproduce_command(arena, values, job->scenario);
    struct rendering *rendering = renderer->begin(arena, spool_sink(&output->report), &style);
    struct lines lines;
    lines_init(&lines, spool_sink(&output->trace));
    struct feed *trace = output->trace_path != NULL ? &lines.feed : NULL;
    return job_run(job, rendering->listen, trace, end, err) &&
           (end->interrupted != 0 || rendering->finish(rendering, err));
}

/* An interrupted run is neither good nor bad: whoever sent the signal knows, so nothing is said. */
static bool run_job(struct arena *arena, const struct opt_values *values, const struct job *job, int *exit_code,
                    struct err *err)
{
    struct output output;
    struct job_end end = {0};
    if (!output_open(&output, arena, values, err)) {
        return false;
    }
    bool is_file = job->bundled_source.data == NULL;
    bool fine = (!is_file || output_spares(&output, arena, job->scenario, err)) &&
                run_into(arena, values, job, &output, &end, err);
    if (end.missing != 0 && !values->quiet) {
        struct str parts = confine_describe(arena, end.missing);
        message_print(arena, str_printf(arena, "warning: this system lacks %.*s: the scenario was less confined\n",
                                        STR_ARG(parts)));
    }
    if (end.interrupted != 0) {
        *exit_code = SIGNAL_BASE + end.interrupted;
        fine = true;
    } else if (fine) {
        *exit_code = end.ok ? 0 : 1;
        fine = output_send(&output, exit_code, err);
        if (fine && *exit_code <= 1) {
            next_print(arena, values, job->scenario, end.ok);
        }
    }
    output_close(&output);
    return fine;
}

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    struct job job;
    if (values->help && words->count == 0) {
        return output_text(help_command(arena, &command_run), exit_code, err);
    }
    if (!locate_job(values, words, &job, err)) {
        return false;
    }
    if (values->help) {
        return describe_scenario(arena, values, &job, exit_code, err);
    }
    bool text = str_eq(values->format, STR("text"));
    job.for_people = text || str_eq(values->format, STR("md"));
    job.say_incomplete = true;
    job.say_unmet = !text || (values->output.data != NULL && !str_eq(values->output, STR("-")));
    return run_job(arena, values, &job, exit_code, err);
}

const struct command command_run = {
    .name = "run",
    .usage = "SCENARIO [--OPTION VALUE]...",
    .summary = "simulate, measure and report",
    .run = run,
    .help =
        "SCENARIO is a file if it ends in .lua or holds a /, else a bundled scenario. The word run may be\n"
        "left out. Flags that are not listed here are options of the scenario, which 'simagent help SCENARIO'\n"
        "lists: --limit 5, --limit=5 or --set limit=5. A flag without a value, --fast, sets it to true.\n",
};
