#include "cli/command.h"

#include "base/arena.h"
#include "base/suggest.h"
#include "cli/bundled.h"
#include "cli/help.h"
#include "cli/locate.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/reproduce.h"
#include "engine/tool.h"
#include "tools/builtin.h"

const struct command *const commands[] = {&command_run, &command_compare, &command_test, &command_init, &command_list,
                                         &command_help, NULL};

const struct command *command_find(struct str name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (str_eq(name, str_of(commands[i]->name))) {
            return commands[i];
        }
    }
    return NULL;
}

bool command_fail_unknown(struct str word, bool tools, struct err *err)
{
    if (locate_fail_beside(word, err)) {
        return false;
    }
    struct suggest suggest;
    suggest_init(&suggest, word);
    for (size_t i = 0; commands[i] != NULL; i++) {
        suggest_offer(&suggest, str_of(commands[i]->name));
    }
    for (size_t i = 0; tools && builtin_tools[i] != NULL; i++) {
        suggest_offer(&suggest, builtin_tools[i]->name);
    }
    locate_offer_bundled(&suggest);
    const char *what = tools ? "no command, tool or bundled scenario" : "no command or bundled scenario";
    if (suggest.best.len > 0) {
        return err_set(err, ERR_USAGE, "%s is called '%.*s' (did you mean '%.*s'?)", what, STR_ARG(word),
                       STR_ARG(suggest.best));
    }
    return err_set(err, ERR_USAGE, "%s is called '%.*s' (a scenario file ends in .lua or holds a /)", what,
                   STR_ARG(word));
}

/* No word at all: help if asked for, else a short reminder, which is an error. */
static bool run_nothing(struct arena *arena, const struct opt_values *values, int *exit_code, struct err *err)
{
    if (values->help) {
        return output_text(help_full(arena), exit_code, err);
    }
    if (values->swallowed.len > 0) {
        return err_set(err, ERR_USAGE,
                       "no scenario given: '%.*s' was read as the value of --%.*s, so put the scenario first",
                       STR_ARG(values->swallowed), STR_ARG(values->swallower));
    }
    if (values->option_count > 0) {
        return err_set(err, ERR_USAGE, "no scenario given, but an option --%.*s", STR_ARG(values->options[0].name));
    }
    help_print_short(arena);
    *exit_code = err_exit_code(ERR_USAGE);
    return true;
}

struct str command_hint(struct arena *arena, const struct opt_values *values)
{
    struct str_list words = values->words;
    const struct command *command = words.count > 0 ? command_find(words.items[0]) : NULL;
    size_t place = command == &command_run || command == &command_help ? 1 : 0;
    bool is_scenario = values->option_count > 0 && words.count == place + 1 &&
                       (locate_is_file(words.items[place]) || locate_bundled(words.items[place]) != NULL);
    if (!is_scenario) {
        return STR("simagent --help");
    }
    struct strbuf quoted;
    strbuf_init(&quoted, arena, words.items[place].len * 5 + 16);
    reproduce_quote(&quoted, words.items[place]);
    return str_printf(arena, "simagent help %.*s", STR_ARG(strbuf_str(&quoted)));
}

bool command_dispatch(struct arena *arena, const struct opt_values *values, int *exit_code, struct err *err)
{
    if (values->version) {
        return output_text(help_version(arena), exit_code, err);
    }
    if (values->words.count == 0) {
        return run_nothing(arena, values, exit_code, err);
    }
    struct str_list words = values->words;
    struct str first = words.items[0];
    const struct command *command = locate_is_file(first) ? NULL : command_find(first);
    if (command != NULL) {
        words = (struct str_list){.items = words.items + 1, .count = words.count - 1};
    } else if (locate_is_file(first) || locate_bundled(first) != NULL) {
        command = &command_run;
    } else {
        return command_fail_unknown(first, false, err);
    }
    return command->run(arena, values, &words, exit_code, err);
}
