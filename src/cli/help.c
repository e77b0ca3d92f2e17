#include "cli/help.h"

#include "base/arena.h"
#include "cli/bundled.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/opt.h"
#include "engine/tool.h"
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
    strbuf_add(out, STR("\nBundled scenarios ('simagent list scenarios' says what each shows):\n"));
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
    if (command == &command_run) { /* what all commands share was made for it */
        strbuf_add(&out, STR("\nOptions:\n"));
        opt_help(&out);
        strbuf_add(&out, STR("\n'simagent --help' has the other commands.\n"));
        return strbuf_str(&out);
    }
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

static bool is_required(const struct value *schema, struct str name)
{
    const struct value *required = value_find(schema, STR("required"));
    for (size_t i = 0; required != NULL && i < required->count; i++) {
        if (str_eq(required->items[i].string, name)) {
            return true;
        }
    }
    return false;
}

static void add_choices(struct strbuf *out, const struct value *choices)
{
    for (size_t i = 0; choices != NULL && i < choices->count; i++) {
        strbuf_addf(out, "%s%.*s", i > 0 ? ", " : " One of: ", STR_ARG(choices->items[i].string));
    }
}

struct str help_tool(struct arena *arena, const struct tool *tool)
{
    struct strbuf out;
    const struct value *fields = value_find(tool->input_schema, STR("properties"));
    strbuf_init(&out, arena, HELP_CEILING);
    strbuf_addf(&out, "The built-in tool %.*s: %.*s\n\nArguments:\n", STR_ARG(tool->name), STR_ARG(tool->description));
    for (size_t i = 0; fields != NULL && i < fields->count; i++) {
        const struct member *field = &fields->members[i];
        struct str type = value_str_at(&field->value, "type", STR("string"));
        struct str text = value_str_at(&field->value, "description", STR(""));
        bool required = is_required(tool->input_schema, field->key);
        strbuf_addf(&out, "  %-12.*s  %.*s%-*s  %.*s", STR_ARG(field->key), STR_ARG(type), (int)(8 - type.len),
                    required ? "" : "?", STR_ARG(text));
        add_choices(&out, value_find(&field->value, STR("enum")));
        strbuf_add(&out, STR("\n"));
    }
    strbuf_add(&out, STR("\nWhat is marked ? may be left out.\n"));
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
