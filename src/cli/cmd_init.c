/* init: a first scenario that runs as it is, and what an editor needs to complete its vocabulary. */
#include "base/arena.h"
#include "base/file.h"
#include "cli/bundled.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/reproduce.h"
#include "cli/save.h"
#include "report/cells.h"

#define DEFAULT_FILE "my_scenario.lua"
#define TYPES_FOLDER ".simagent"
#define PATH_COLUMNS 1000

static const char luarc[] =
    "{\n"
    "  \"runtime.version\": \"Lua 5.4\",\n"
    "  \"workspace.library\": [\"" TYPES_FOLDER "\"],\n"
    "  \"workspace.checkThirdParty\": false\n"
    "}\n";

static struct str bundled_text(const char *name)
{
    for (const struct bundled *row = bundled_files; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            return (struct str){row->bytes, row->length};
        }
    }
    UNREACHABLE();
}

static struct str with_extension(struct arena *arena, struct str word)
{
    bool has = word.len > 4 && str_eq(str_slice(word, word.len - 4, word.len), STR(".lua"));
    return has ? word : str_printf(arena, "%.*s.lua", STR_ARG(word));
}

/* Writes the file unless there is one; tells which. */
static bool write_new(struct arena *arena, struct strbuf *told, const char *path, struct str bytes, struct err *err)
{
    struct str shown = cells_text(arena, str_of(path), PATH_COLUMNS);
    if (file_exists(path)) {
        strbuf_addf(told, "kept   %.*s, which was there\n", STR_ARG(shown));
        return true;
    }
    strbuf_addf(told, "wrote  %.*s\n", STR_ARG(shown));
    return save_file(arena, path, bytes, err);
}

/* The annotations are ours: a newer program brings newer ones. */
static bool write_for_editor(struct arena *arena, struct strbuf *told, struct err *err)
{
    const char *types = TYPES_FOLDER "/simagent.lua";
    struct str text = bundled_text("simagent");
    bool fine = write_new(arena, told, ".luarc.json", str_of(luarc), err);
    strbuf_addf(told, "wrote  %s\n", types);
    return fine && save_file(arena, types, text, err);
}

static bool start_scenario(struct arena *arena, struct str path, int *exit_code, struct err *err)
{
    struct strbuf told;
    struct strbuf quoted;
    const char *z = str_z(arena, path);
    strbuf_init(&told, arena, path.len * 64 + 4096);
    strbuf_init(&quoted, arena, path.len * 5 + 18);
    if (file_exists(z)) {
        return err_set(err, ERR_USAGE, "%s is there already, and is not overwritten; name another file", z);
    }
    if (!write_new(arena, &told, z, bundled_text("new_scenario"), err) || !write_for_editor(arena, &told, err)) {
        return false;
    }
    if (path.len > 0 && path.data[0] == '-') {
        strbuf_add(&quoted, STR("./")); /* else it would be taken for a flag */
    }
    reproduce_quote(&quoted, path);
    struct str word = strbuf_str(&quoted);
    strbuf_addf(&told, "\nrun it:        simagent %.*s\nkeep its report as a regression test:\n"
                "               simagent test %.*s --update\n", STR_ARG(word), STR_ARG(word));
    return output_text(strbuf_str(&told), exit_code, err);
}

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    if (values->help) {
        return output_text(help_command(arena, &command_init), exit_code, err);
    }
    if (words->count > 1) {
        return err_set(err, ERR_USAGE, "init makes one file: '%.*s' follows '%.*s'", STR_ARG(words->items[1]),
                       STR_ARG(words->items[0]));
    }
    if (values->option_count > 0) {
        return err_set(err, ERR_USAGE, "init takes no --%.*s", STR_ARG(values->options[0].name));
    }
    struct str word = words->count == 1 ? words->items[0] : STR(DEFAULT_FILE);
    if (word.len == 0 || word.data[word.len - 1] == '/') {
        return err_set(err, ERR_USAGE, "init: '%.*s' names no file", STR_ARG(word));
    }
    return start_scenario(arena, with_extension(arena, word), exit_code, err);
}

const struct command command_init = {
    .name = "init",
    .usage = "[FILE.lua]",
    .summary = "begin a scenario",
    .run = run,
    .help =
        "Writes FILE.lua (" DEFAULT_FILE " by default), a commented scenario that runs as it is, and, so that an\n"
        "editor with the Lua language server completes and checks it, .luarc.json and " TYPES_FOLDER "/simagent.lua\n"
        "in the current folder. A scenario and a .luarc.json that are there are never overwritten.\n",
};
