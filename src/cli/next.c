#include "cli/next.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/locate.h"
#include "cli/message.h"
#include "cli/opt.h"
#include "cli/reproduce.h"
#include "cli/save.h"

/* The golden that `simagent test` would compare with. */
static bool has_golden(struct arena *arena, struct str scenario)
{
    struct str folder = save_folder_of(scenario);
    struct str file = str_slice(scenario, str_eq(folder, STR(".")) ? 0 : folder.len, scenario.len);
    size_t suffix = file.len > 4 && str_eq(str_slice(file, file.len - 4, file.len), STR(".lua")) ? 4 : 0;
    const char *between = file.len > 0 && file.data[0] == '/' ? "" : "/";
    struct str golden = str_printf(arena, "%.*s/golden%s%.*s.json", STR_ARG(folder), between,
                                   STR_ARG(str_slice(file, 0, file.len - suffix)));
    return file_exists(str_z(arena, golden));
}

/* A golden is of the scenario as it stands: `simagent test` runs it with its own options, its own unit and seed 0. */
static bool is_as_it_stands(const struct opt_values *values)
{
    return values->option_count == 0 && values->unit.len == 0 && values->seed == 0;
}

struct str next_command(struct arena *arena, const struct opt_values *values, struct str scenario, bool ok)
{
    struct strbuf quoted;
    bool as_it_stands = is_as_it_stands(values);
    if (!locate_is_file(scenario)) {
        return STR("simagent init my_scenario.lua    begins a scenario of your own");
    }
    strbuf_init(&quoted, arena, scenario.len * 5 + 16);
    reproduce_quote(&quoted, scenario);
    struct str word = strbuf_str(&quoted);
    if (!ok) {
        struct str command = as_it_stands ? str_printf(arena, "simagent %.*s", STR_ARG(word))
                                          : reproduce_command(arena, values, scenario);
        return str_printf(arena, "%.*s --log    shows what the agents do", STR_ARG(command));
    }
    if (!as_it_stands) {
        return STR("");
    }
    return has_golden(arena, scenario)
               ? str_printf(arena, "simagent test %.*s    compares this report with the accepted one", STR_ARG(word))
               : str_printf(arena, "simagent test %.*s --update    keeps this report as a regression test",
                            STR_ARG(word));
}

void next_print(struct arena *arena, const struct opt_values *values, struct str scenario, bool ok)
{
    bool for_people = !values->quiet && str_eq(values->format, STR("text")) && values->output.data == NULL;
    if (for_people && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
        struct str command = next_command(arena, values, scenario, ok);
        if (command.len > 0) {
            message_print(arena, str_printf(arena, "\nNext: %.*s\n", STR_ARG(command)));
        }
    }
}
