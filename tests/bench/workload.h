/* Workload: the scan that both bench programs do, as one Lua text, and how a measurement is told.
 *
 * An agent reads N files of 2,000 characters, 1,000 distinct ones, one a turn.  The engine (scan.c) and the bare program
 * (floor.c) run the same Lua text, so that what differs is what the engine adds.  A Lua tool returns a size without a
 * text: a million texts of 2,000 characters would measure copying.
 *
 * One measurement is one process: what an earlier one left in malloc would spare the next its page faults.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILES 1000
#define FILE_SIZE 2000

struct row {
    const char *name;
    const char *model; /* list, function, coroutine */
    const char *tool;  /* read_file, or a Lua tool of the name `look` */
};

static const struct row rows[] = {
    {"list", "list", "read_file"},
    {"function", "function", "read_file"},
    {"coroutine", "coroutine", "read_file"},
    {"list+tool", "list", "look"},
    {"function+tool", "function", "look"},
    {"coroutine+tool", "coroutine", "look"},
};

#define ROWS (sizeof rows / sizeof *rows)

/* What a run of either program says. */
struct figures {
    double load_us;      /* CPU time a turn: running the file, reading what it returns */
    double run_us;       /* CPU time a turn: the simulation, measured and ranked */
    double bytes;        /* memory a turn beyond the texts */
    int64_t turns;
    int64_t cumulative;
};

/* `model`, `paths`, `look` are what the endings below work with; `sized` is a global of the bare program. */
static const char workload_text[] =
    "local sized = sized or require('simagent').sized\n"
    "local paths, known = {}, {}\n"
    "for i = 1, FILES do\n"
    "  paths[i] = ('src/part_%02d/file_%03d.c'):format((i - 1) // 50, i - 1)\n"
    "  known[paths[i]] = true\n"
    "end\n"
    "local function text_of(path) return 'Reading ' .. path .. ' to feed the summary.' end\n"
    "local function path_of(turn) return paths[(turn - 1) % FILES + 1] end\n"
    "local function turn_of(turn)\n"
    "  local path = path_of(turn)\n"
    "  return { text = text_of(path), tool_calls = { { name = TOOL, arguments = { path = path } } } }\n"
    "end\n"
    "local function look(arguments) return known[arguments.path] and sized(FILE_SIZE) end\n"
    "local models = {}\n"
    "function models.list()\n"
    "  local list = {}\n"
    "  for turn = 1, N do list[turn] = turn_of(turn) end\n"
    "  list[N + 1] = { text = 'Done.', stop = true }\n"
    "  return list\n"
    "end\n"
    "models['function'] = function()\n"
    "  local turn = 0\n"
    "  return function() turn = turn + 1; return turn > N and 'Done.' or turn_of(turn) end\n"
    "end\n"
    "function models.coroutine()\n"
    "  return function(agent)\n"
    "    for turn = 1, N do\n"
    "      local path = path_of(turn)\n"
    "      agent:call(TOOL, { path = path }, text_of(path))\n"
    "    end\n"
    "    return 'Done.'\n"
    "  end\n"
    "end\n"
    "local model = models[MODEL]()\n";

/* The whole text for one row; to be freed. */
static inline char *workload_source(const struct row *row, int64_t turns, const char *ending)
{
    char *source = malloc(sizeof workload_text + strlen(ending) + 256);
    if (!source)
        abort();
    sprintf(source, "local N, FILES, FILE_SIZE, TOOL, MODEL = %" PRId64 ", %d, %d, '%s', '%s'\n%s%s", turns, FILES,
            FILE_SIZE, row->tool, row->model, workload_text, ending);
    return source;
}

static inline const struct row *row_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

/* CPU time of this process so far. */
static inline double cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static inline void figures_print(const struct figures *figures)
{
    printf("%.17g %.17g %.17g %" PRId64 " %" PRId64 "\n", figures->load_us, figures->run_us, figures->bytes,
           figures->turns, figures->cumulative);
}

static inline bool figures_read(FILE *from, struct figures *figures)
{
    return fscanf(from, "%lf %lf %lf %" SCNd64 " %" SCNd64, &figures->load_us, &figures->run_us, &figures->bytes,
                  &figures->turns, &figures->cumulative) == 5;
}

#endif
