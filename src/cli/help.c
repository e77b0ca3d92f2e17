#include "cli/help.h"

#include "base/arena.h"
#include "cli/bundled.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/opt.h"
#include "script/session.h"

#define HELP_CEILING 65536
#define USAGE_COLUMNS 31 /* of a command and what follows it */

static const char short_text[] =
    "simagent simulates LLM agents and measures what their context costs.\n"
    "\n"
    "usage: simagent SCENARIO [--OPTION VALUE]...\n"
    "\n"
    "  simagent repo_scan                 run a bundled scenario\n"
    "  simagent my.lua --limit 5 --json   run your own, with an option of it, as JSON\n"
    "\n"
    "'simagent help SCENARIO' lists a scenario's options,\n"
    "'simagent --help' all of the program's.\n";

static const char head_text[] =
    "simagent simulates LLM agents and measures what their context costs.\n"
    "\n"
    "Examples:\n"
    "  simagent repo_scan                    run a bundled scenario\n"
    "  simagent my.lua --limit 5             run your own, with one of its options\n"
    "  simagent my.lua --json -o out.json    write the whole report as JSON\n"
    "  simagent my.lua --trace out.jsonl     keep every transcript entry\n"
    "  simagent help my.lua                  what a scenario does and takes\n"
    "\n"
    "Usage:\n"
    "  simagent SCENARIO [--OPTION VALUE]...      the same as 'simagent run SCENARIO'\n";

static const char scenario_text[] =
    "\n"
    "SCENARIO is a file if it ends in .lua or holds a /, else a bundled scenario.\n"
    "Flags that are not listed below are options of the scenario: --limit 5,\n"
    "--limit=5 or --set limit=5. A flag without a value, --fast, sets it to true.\n";

static const char tail_text[] =
    "\n"
    "Environment:\n"
    "  NO_COLOR        no colours, if not empty\n"
    "  SIMAGENT_PATH   folders, separated by colons, where require looks for modules\n"
    "\n"
    "Exit codes:\n"
    "  0    done\n"
    "  1    the answer is no: an expectation or a comparison failed, a variant did\n"
    "       not complete\n"
    "  2    wrong use of the command line\n"
    "  3    the scenario is at fault, or reached a limit\n"
    "  4    input or output failed\n"
    "  70   a bug in simagent, or out of memory\n"
    "  130, 143   ended by SIGINT, SIGTERM\n";

static void add_commands(struct strbuf *out)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        struct str name = str_of(commands[i]->name);
        struct str usage = str_of(commands[i]->usage);
        int pad = name.len + usage.len < USAGE_COLUMNS ? (int)(USAGE_COLUMNS - name.len - usage.len) : 0;
        strbuf_addf(out, "  simagent %.*s %.*s%*s  %s\n", STR_ARG(name), STR_ARG(usage), pad, "", commands[i]->summary);
    }
}

static void add_bundled(struct strbuf *out)
{
    if (bundled_scenarios[0].name == NULL) {
        return;
    }
    strbuf_add(out, STR("\nBundled scenarios:\n"));
    for (const struct bundled *row = bundled_scenarios; row->name != NULL; row++) {
        strbuf_addf(out, "  %s\n", row->name);
    }
}

struct str help_full(struct arena *arena)
{
    struct strbuf out;
    strbuf_init(&out, arena, HELP_CEILING);
    strbuf_add(&out, str_of(head_text));
    add_commands(&out);
    strbuf_add(&out, str_of(scenario_text));
    strbuf_add(&out, STR("\nOptions:\n"));
    opt_help(&out);
    add_bundled(&out);
    strbuf_add(&out, str_of(tail_text));
    return strbuf_str(&out);
}

struct str help_command(struct arena *arena, const struct command *command)
{
    struct strbuf out;
    if (command->help == NULL) {
        return help_full(arena);
    }
    strbuf_init(&out, arena, HELP_CEILING);
    strbuf_addf(&out, "simagent %s: %s\n\nUsage:\n  simagent %s %s\n\n%s", command->name, command->summary,
                command->name, command->usage, command->help);
    size_t before = out.len;
    strbuf_add(&out, STR("\nOptions of this command:\n"));
    size_t heading = out.len;
    opt_help_command(&out, str_of(command->name));
    if (out.len == heading) {
        out.len = before;
    }
    strbuf_add(&out, STR("\n'simagent --help' has the options of all commands.\n"));
    return strbuf_str(&out);
}

struct str help_version(struct arena *arena)
{
    struct err err = {0};
    struct str lua = session_lua_release();
    bool faulty = session_lua_is_faulty(&err);
    return str_printf(arena, "simagent %s\n%.*s%s\n", SIMAGENT_VERSION, STR_ARG(lua),
                      faulty ? " (compiles some constants wrongly, as releases before 5.4.5 do; scenarios run confined)"
                             : "");
}

void help_print_short(struct arena *arena)
{
    message_print(arena, str_of(short_text));
}
