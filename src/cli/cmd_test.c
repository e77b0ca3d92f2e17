/* test: runs scenarios and compares their reports with the accepted ones. */
#include "base/arena.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "cli/suite.h"
#include "report/page.h"

#define SIGNAL_BASE 128

static bool print_results(struct suite *suite, struct output *output, int *exit_code, struct err *err)
{
    struct render_style style = screen_style(output->report_path == NULL, suite->values->no_color);
    struct page page = {
        .sink = spool_sink(&output->report),
        .arena = suite->arena,
        .columns = style.columns,
        .colour = style.colour,
    };
    suite_print(suite, &page);
    return output_send(output, exit_code, err);
}

static bool run_suite(struct suite *suite, const struct str_list *words, struct output *output, int *exit_code,
                      struct err *err)
{
    bool fine = suite_find(suite, words, err) && suite_plan(suite, err);
    fine = fine && (suite->interrupted != 0 || suite_run(suite, err));
    if (fine && suite->interrupted != 0) {
        *exit_code = SIGNAL_BASE + suite->interrupted;
        return true;
    }
    fine = fine && (!suite->values->review || suite_review(suite, err)) && suite_send_reports(suite, err);
    *exit_code = fine ? suite_exit_code(suite) : 0;
    return fine && print_results(suite, output, exit_code, err);
}

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    struct suite suite;
    struct output output;
    if (values->help) {
        return output_text(help_command(arena, &command_test), exit_code, err);
    }
    if (!suite_init(&suite, arena, values, err) || !output_open(&output, arena, values, err)) {
        return false;
    }
    bool fine = run_suite(&suite, words, &output, exit_code, err);
    output_close(&output);
    return fine;
}

const struct command command_test = {
    .name = "test",
    .usage = "[PATH]...",
    .summary = "compare reports with goldens",
    .run = run,
    .help =
        "Runs every scenario below PATH (scenarios/ by default) and compares its JSON report with\n"
        "golden/NAME.json beside it: NAME is the file's stem, or STEM.CASE for one of its `cases`.\n"
        "Where they differ the changed metrics are shown and NAME.json.new is written; --update accepts.\n"
        "Files and folders whose names begin with . or _ are left out below a folder.\n"
        "\n"
        "Examples:\n"
        "  simagent test                                all of scenarios/\n"
        "  simagent test --update=repo_scan             accept what became of one test\n"
        "  simagent test --tolerance peak=1%            let every peak move by one percent\n"
        "  simagent test --ratchet total_cumulative     fail only where the total has grown\n"
        "  simagent test --report junit=results.xml     for a CI server\n"
        "\n"
        "A metric is named by the end of its path: peak, measurement.peak, delegated.measurement.peak;\n"
        "* stands for one part. With CI set (and not to \"false\") no golden and no .new file is written.\n"
        "\n"
        "Exit codes: 0 all passed, 1 a test failed or has no golden, 3 a scenario is at fault (all others\n"
        "still run), 4 reading or writing failed, 2 usage.\n",
};
