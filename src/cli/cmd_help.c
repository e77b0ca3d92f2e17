/* help: the program's own text, what a scenario says about itself, or what a built-in tool takes. */
#include "batch/job.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/help.h"
#include "cli/locate.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "engine/tool.h"
#include "tools/builtin.h"

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    struct job job;
    const struct command *command = words->count == 1 ? command_find(words->items[0]) : NULL;
    if (words->count == 0 || command != NULL) {
        return output_text(command != NULL ? help_command(arena, command) : help_full(arena), exit_code, err);
    }
    const struct tool *tool = words->count == 1 ? builtin_find(words->items[0]) : NULL;
    if (tool != NULL) {
        return output_text(help_tool(arena, tool), exit_code, err);
    }
    if (words->count == 1 && !locate_is_file(words->items[0]) && locate_bundled(words->items[0]) == NULL) {
        return command_fail_unknown(words->items[0], true, err);
    }
    return locate_job(values, words, &job, err) && describe_scenario(arena, values, &job, exit_code, err);
}

const struct command command_help = {
    .name = "help",
    .usage = "[SCENARIO|COMMAND|TOOL]",
    .summary = "this text, or of one",
    .run = run,
};
