/* Session: one scenario file in one Lua state: opened, loaded, its models and tools called, closed.
 *
 * What the script may read comes through a reader that the owner of the session fills; the session itself opens
 * nothing.
 */
#ifndef SCRIPT_SESSION_H
#define SCRIPT_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/table.h"
#include "script/option.h"
#include "script/scenario.h"
#include "script/state.h"

struct folder_filter;
struct view;
struct workspace;

struct program {
    const struct str *argv;
    size_t argc;
    struct str input; /* its stdin */
};

struct program_end {
    int exit_code; /* 128 + N after signal N */
    bool timed_out;
    struct str out;
    bool out_cut; /* there was more of it */
    struct str err;
};

/* The port to the outside.  Each returns false with err: ERR_SCENARIO when the scenario may not read that, ERR_IO when
 * reading failed. */
struct script_reader {
    /* The source of a module and the name to show for it.  A module that is nowhere is ERR_SCENARIO. */
    bool (*module)(void *self, struct str name, struct arena *arena, struct str *shown, struct str *source,
                   struct err *err);
    /* Adds the files of a folder to the workspace, and sets where their bodies come from and what was skipped. */
    bool (*folder)(void *self, struct str path, const struct folder_filter *filter, struct workspace *workspace,
                   struct err *err);
    /* Runs a program of the user's; ERR_SCENARIO when that is not allowed. */
    bool (*program)(void *self, const struct program *program, struct arena *arena, struct program_end *end,
                    struct err *err);
    /* Told once, when the script has declared its options and before anything is read. */
    bool (*declared)(void *self, const struct option_set *options, struct err *err);
    void *self;
};

struct folder_filter {
    const struct str *include;
    const struct str *exclude;
    uint32_t include_count;
    uint32_t exclude_count;
    int64_t max_file_bytes;
};

#define FOLDER_MAX_FILE_BYTES (INT64_C(1) << 20)

/* An option of the command line, as given: `value.data` is NULL when the flag stood alone. */
struct given_option {
    struct str name;
    struct str value;
};

struct session_setup {
    struct str file;   /* the scenario's name as shown in messages */
    struct str stem;   /* its default name */
    struct str source; /* Lua text */
    const struct given_option *given;
    size_t given_count;
    const struct str *reserved; /* names of common flags, which no option may have */
    size_t reserved_count;
    struct str unit; /* of --unit, or empty */
    bool silent; /* what the script prints is dropped */
    int64_t seed;
    struct script_limits limits;
    struct script_reader reader;
};

struct session {
    struct script_state state;
    struct session_setup setup;
    struct arena keep; /* everything of the scenario and its runs */
    struct table names; /* of tools, for the entries of all runs */
    struct table scan_paths;  /* distinct paths of all sim.models.scan … */
    struct chunks scan_rows;  /* … and their struct scan_path *, by the table's index */
    struct table streams;        /* of sim.random: run and name … */
    struct chunks stream_states; /* … and their struct rng, by the table's index */
    struct view *context; /* of the tool that runs now; its handle is `context_handle` in the registry */
    int context_handle;
    struct option_set options;
    struct scenario scenario; /* good after session_load */
    bool built;               /* sim.scenario was called */
    bool unit_changed;        /* --unit asked for another one than the scenario's own */
};

/* Opens the state.  Call session_close also after a failure. */
MUST_USE bool session_open(struct session *session, const struct session_setup *setup, struct err *err);

/* Runs the file and reads the scenario it returns. */
MUST_USE bool session_load(struct session *session, struct err *err);

void session_close(struct session *session);

/* The option of the scenario or the flag of the program that may have been meant by `name`, or empty. */
struct str session_suggest_option(const struct session *session, struct str name);

/* The release of Lua that runs, and whether it has one of the known wrong-result faults of older releases. */
struct str session_lua_release(void);
bool session_lua_is_faulty(struct err *err);

#endif
