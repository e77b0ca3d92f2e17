/* compare: the command that says what changed between reports, and fails on what must not. */
#include "base/arena.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/screen.h"
#include "report/delta.h"
#include "report/fail_on.h"
#include "report/page.h"

#define SIGNAL_BASE 128 /* a shell's exit code of a process that a signal ended */
#define UNLIKE_CEILING 2048

static const char help_text[] =
    "Each is a report (a file that ends in .json or .json.new, or - for stdin) or a scenario, which is\n"
    "run. The first one is what the others are compared with, variant by variant.\n"
    "\n"
    "  simagent repo_scan --json -o before.json\n"
    "  simagent compare before.json repo_scan --fail-on \"*.total_cumulative > +5%\"\n"
    "\n"
    "A rule of --fail-on is VARIANT.METRIC, one of > >= < <=, and a limit:\n"
    "  20000          the new value itself\n"
    "  +100, -100     the change\n"
    "  +5%, -5%       the change in percent of the old value\n"
    "VARIANT may be *. One that holds, or whose number has gone missing, ends with exit\n"
    "code 1. --format is text, md (for a comment), csv or json.\n";

struct comparing {
    struct arena *arena;
    const struct opt_values *values;
    struct err *err;
    const struct delta_format *format;
    struct fail_on *rules;
    struct delta_input *inputs;
    size_t count; /* of inputs */
    struct delta *deltas; /* one fewer */
    int interrupted;
};

static bool check_options(const struct opt_values *values, const struct str_list *words, struct err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        if (!input_is_report(words->items[i])) {
            return true; /* options are for the scenario to judge */
        }
    }
    if (values->option_count == 0) {
        return true;
    }
    struct str name = values->options[0].name;
    struct str meant = opt_suggest(values, name);
    if (meant.len > 0) {
        return err_set(err, ERR_USAGE, "unknown flag --%.*s (did you mean --%.*s?)", STR_ARG(name), STR_ARG(meant));
    }
    return err_set(err, ERR_USAGE, "--%.*s is an option of a scenario, but only reports are compared", STR_ARG(name));
}

static bool check_words(const struct opt_values *values, const struct str_list *words, struct err *err)
{
    size_t from_stdin = 0;
    for (size_t i = 0; i < words->count; i++) {
        from_stdin += str_eq(words->items[i], STR("-"));
    }
    if (words->count < 2) {
        return err_set(err, ERR_USAGE, "compare needs at least two reports (*.json, - for stdin) or scenarios");
    }
    if (from_stdin > 1) {
        return err_set(err, ERR_USAGE, "stdin can be read once: '-' stands twice");
    }
    if (values->trace.data != NULL) {
        return err_set(err, ERR_USAGE, "compare writes no trace: --trace belongs to run");
    }
    return check_options(values, words, err);
}

static bool prepare(struct comparing *comparing, const struct str_list *words)
{
    const struct opt_values *values = comparing->values;
    if (!check_words(values, words, comparing->err)) {
        return false;
    }
    comparing->format = delta_format_find(values->format);
    if (comparing->format == NULL) {
        return err_set(comparing->err, ERR_USAGE, "--format %.*s: compare writes text, md, csv or json",
                       STR_ARG(values->format));
    }
    comparing->rules = arena_array(comparing->arena, struct fail_on, values->fail_on.count);
    for (size_t i = 0; i < values->fail_on.count; i++) {
        if (!fail_on_parse(values->fail_on.items[i], &comparing->rules[i], comparing->err)) {
            return false;
        }
    }
    return true;
}

static bool read_inputs(struct comparing *comparing, const struct str_list *words)
{
    comparing->inputs = arena_array(comparing->arena, struct delta_input, words->count);
    for (size_t i = 0; i < words->count; i++) {
        struct delta_input *input = &comparing->inputs[comparing->count++];
        input->name = str_eq(words->items[i], STR("-")) ? STR("stdin") : words->items[i];
        if (!input_read(comparing->arena, comparing->values, words->items[i], &input->report, &comparing->interrupted,
                        comparing->err)) {
            return false;
        }
        if (comparing->interrupted != 0) {
            return true;
        }
        if (!delta_check_report(input, comparing->err)) {
            return false;
        }
    }
    return true;
}

static bool refuse_unlike(const struct comparing *comparing, const struct delta *delta)
{
    struct strbuf reasons;
    strbuf_init(&reasons, comparing->arena, UNLIKE_CEILING);
    for (size_t i = 0; i < delta->unlike_count; i++) {
        strbuf_add(&reasons, i > 0 ? STR("; ") : STR(""));
        strbuf_add(&reasons, delta->unlike[i]);
    }
    struct str text = strbuf_str(&reasons);
    return err_set(comparing->err, ERR_USAGE, "%.*s and %.*s are not alike (%.*s); --force compares them all the same",
                   STR_ARG(delta->old->name), STR_ARG(delta->now->name), STR_ARG(text));
}

static bool compare(struct comparing *comparing)
{
    comparing->deltas = arena_array(comparing->arena, struct delta, comparing->count - 1);
    for (size_t i = 1; i < comparing->count; i++) {
        struct delta *delta = &comparing->deltas[i - 1];
        delta_init(delta, comparing->arena, &comparing->inputs[0], &comparing->inputs[i]);
        if (delta->unlike_count > 0 && !comparing->values->force) {
            return refuse_unlike(comparing, delta);
        }
    }
    return true;
}

/* An exit code of 1 is explained where a person looks: in the report they read, else here. */
static void tell_failed(const struct comparing *comparing, const struct fail_on_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct fail_on_finding *finding = &findings->items[i];
        if (finding->failed) {
            struct str input = finding->delta->now->name;
            message_print_line(comparing->arena,
                               str_printf(comparing->arena, "simagent: --fail-on \"%.*s\" failed: %.*s in %.*s",
                                          STR_ARG(finding->rule->text), STR_ARG(finding->variant), STR_ARG(input)));
        }
    }
}

static bool print_and_send(struct comparing *comparing, struct output *output, int *exit_code)
{
    struct fail_on_findings findings;
    const struct opt_values *values = comparing->values;
    if (!fail_on_judge(comparing->arena, comparing->rules, values->fail_on.count, comparing->deltas,
                       comparing->count - 1, &findings, comparing->err)) {
        return false;
    }
    struct render_style style = screen_style(output->report_path == NULL, values->no_color);
    struct page page = {.sink = spool_sink(&output->report),
                        .arena = comparing->arena,
                        .columns = style.columns,
                        .colour = style.colour};
    struct delta_summary summary = {.reference = &comparing->inputs[0],
                                    .deltas = comparing->deltas,
                                    .count = comparing->count - 1,
                                    .findings = findings.items,
                                    .finding_count = findings.count,
                                    .ok = findings.ok};
    comparing->format->print(&page, &summary);
    bool read_here = output->report_path == NULL && comparing->format == &delta_format_text;
    if (!read_here) {
        tell_failed(comparing, &findings);
    }
    *exit_code = findings.ok ? 0 : 1;
    return output_send(output, exit_code, comparing->err);
}

/* The destination is looked at before a minute is spent on scenarios. */
static bool run_between(struct comparing *comparing, const struct str_list *words, int *exit_code)
{
    struct output output;
    if (!prepare(comparing, words) ||
        !output_open(&output, comparing->arena, comparing->values, comparing->err)) {
        return false;
    }
    bool fine = read_inputs(comparing, words);
    if (fine && comparing->interrupted != 0) {
        *exit_code = SIGNAL_BASE + comparing->interrupted;
    } else {
        fine = fine && compare(comparing) && print_and_send(comparing, &output, exit_code);
    }
    output_close(&output);
    return fine;
}

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    struct comparing comparing = {.arena = arena, .values = values, .err = err};
    if (values->help) {
        return output_text(help_command(arena, &command_compare), exit_code, err);
    }
    return run_between(&comparing, words, exit_code);
}

const struct command command_compare = {
    .name = "compare",
    .usage = "REFERENCE OTHER...",
    .summary = "what changed from one report to others",
    .help = help_text,
    .run = run,
};
