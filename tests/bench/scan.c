/* Scan: what a turn costs in time and memory, beside the floor (floor.c), in one table.
 *
 *     scan [N...]   the table, for 1,000 to 1,000,000 turns unless other numbers are given
 *     scan ROW N    one measurement, as the table reads it
 *
 * Ends with 1 if engine and floor disagree about what was simulated; never because of seconds. */
#include "workload.h"

#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "core/workspace.h"
#include "engine/run.h"
#include "reduce/measure.h"
#include "reduce/rank.h"
#include "script/session.h"

#define MEMORY ((size_t)4 << 30)
#define BYTES_FROM 10000 /* turns; fewer use less than what an arena reserves at a time */

static const char ending[] =
    "local sim = require 'simagent'\n"
    "local files, body = {}, ('x'):rep(FILE_SIZE)\n"
    "for _, path in ipairs(paths) do files[path] = body end\n"
    "local tool = TOOL == 'look' and sim.tool { name = 'look', run = look } or TOOL\n"
    "return sim.scenario { task = 'Summarise.', workspace = files, variants = { {\n"
    "  name = 'scan', max_turns = N + 1, tools = { tool },\n"
    "  model = MODEL == 'coroutine' and sim.coroutine(model) or model } } }\n";

/* A reader that has nothing: the scenario brings its files along. */
static bool no_module(void *self, struct str name, struct arena *arena, struct str *shown, struct str *source,
                      struct err *err)
{
    (void)self, (void)arena, (void)shown, (void)source;
    return err_set(err, ERR_SCENARIO, "no module %.*s", STR_ARG(name));
}

static bool no_folder(void *self, struct str path, const struct folder_filter *filter, struct workspace *workspace,
                      struct err *err)
{
    (void)self, (void)filter, (void)workspace;
    return err_set(err, ERR_SCENARIO, "no folder %.*s", STR_ARG(path));
}

static bool take_declared(void *self, const struct option_set *options, struct err *err)
{
    (void)self, (void)options, (void)err;
    return true;
}

static struct record *run(struct session *session, struct err *err)
{
    const struct scenario *scenario = &session->scenario;
    struct run_options options = {
        .sizing = scenario->sizing,
        .count_schemas = scenario->count_schemas,
        .max_depth = scenario->max_depth,
        .keep = &session->keep,
        .names = &session->names,
    };
    return run_root(&options, scenario->variants[0].agent, scenario->variants[0].task, err);
}

/* Bytes of the texts that the run made: what was said and called, if the list had not brought them along. */
static int64_t texts_made(const struct record *record, const struct row *row)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        if (entry->role == ROLE_ASSISTANT || entry->role == ROLE_TOOL_CALL)
            bytes += entry->length;
    }
    return strcmp(row->model, "list") == 0 ? 0 : bytes;
}

static int fail(const struct err *err)
{
    fprintf(stderr, "scan: %s\n", err->message);
    return 1;
}

static int measure_one(const struct row *row, int64_t turns)
{
    struct session session;
    struct err err = {0};
    char *source = workload_source(row, turns, ending);
    struct session_setup setup = {
        .file = STR("bench.lua"),
        .stem = STR("bench"),
        .source = str_of(source),
        .limits = {.max_memory = MEMORY},
        .reader = {.module = no_module, .folder = no_folder, .declared = take_declared},
    };
    double start = cpu_us();
    if (!session_open(&session, &setup, &err) || !session_load(&session, &err))
        return fail(&err);
    double loaded = cpu_us();
    size_t reserved = session.keep.reserved;
    struct record *record = run(&session, &err);
    if (!record)
        return fail(&err);
    size_t grown = session.keep.reserved - reserved;
    struct arena scratch;
    arena_init(&scratch);
    struct measurement measurement = measure_transcript(&record->transcript);
    struct ranking ranking = rank_results(&scratch, &record->transcript);
    double ended = cpu_us();
    if (ranking.count != turns)
        return fprintf(stderr, "scan: %" PRIu32 " results were ranked\n", ranking.count), 1;
    struct figures figures = {
        .load_us = (loaded - start) / (double)turns,
        .run_us = (ended - loaded) / (double)turns,
        .bytes = ((double)grown - (double)texts_made(record, row)) / (double)turns,
        .turns = measurement.turn_count,
        .cumulative = measurement.cumulative,
    };
    figures_print(&figures);
    arena_close(&scratch);
    session_close(&session);
    free(source);
    return 0;
}

/* --- the table --- */

/* The least of several processes: what else the machine does can only add. */
static bool ask(const char *program, const struct row *row, int64_t turns, struct figures *best)
{
    int times = turns <= 10000 ? 9 : turns <= 100000 ? 5 : 2;
    *best = (struct figures){.load_us = 1e9, .run_us = 1e9};
    for (int i = 0; i < times; i++) {
        char command[PATH_MAX + 64];
        struct figures now;
        snprintf(command, sizeof command, "'%s' '%s' %" PRId64, program, row->name, turns);
        FILE *answer = popen(command, "r");
        bool fine = answer && figures_read(answer, &now);
        if (!answer || pclose(answer) != 0 || !fine)
            return false;
        double load_us = best->load_us < now.load_us ? best->load_us : now.load_us;
        double run_us = best->run_us < now.run_us ? best->run_us : now.run_us;
        *best = now;
        best->load_us = load_us;
        best->run_us = run_us;
    }
    return true;
}

static bool print_row(const struct row *row, int64_t turns, const char *self, const char *floor, double *run_us)
{
    struct figures engine, bare;
    if (!ask(self, row, turns, &engine) || !ask(floor, row, turns, &bare)) {
        printf("%-15s %8" PRId64 "   failed\n", row->name, turns);
        return false;
    }
    bool same = engine.turns == bare.turns && engine.cumulative == bare.cumulative;
    printf("%-15s %8" PRId64 " %7.3f %7.3f %5.2fx", row->name, turns, engine.run_us, bare.run_us,
           engine.run_us / bare.run_us);
    if (turns < BYTES_FROM)
        printf(" %7s %7s", "", "");
    else
        printf(" %7.0f %7.0f", engine.bytes, bare.bytes);
    printf("   %7.3f %7.3f%s\n", engine.load_us, bare.load_us, same ? "" : "   THE COUNTS DIFFER");
    fflush(stdout);
    *run_us = engine.run_us;
    return same;
}

static bool print_table(const int64_t *counts, size_t count)
{
    char self[PATH_MAX] = "", folder[PATH_MAX], floor[PATH_MAX + 8];
    bool fine = readlink("/proc/self/exe", self, sizeof self - 1) > 0;
    strcpy(folder, self);
    snprintf(floor, sizeof floor, "%s/floor", dirname(folder));
    printf("%-15s %8s %7s %7s %6s %7s %7s   %7s %7s\n", "", "turns", "us/turn", "floor", "", "B/turn", "floor", "load",
           "floor");
    for (size_t r = 0; r < ROWS; r++) {
        double ten_thousand = 0, million = 0;
        for (size_t i = 0; i < count; i++) {
            double run_us = 0;
            fine = print_row(&rows[r], counts[i], self, floor, &run_us) && fine;
            ten_thousand = counts[i] == 10000 ? run_us : ten_thousand;
            million = counts[i] == 1000000 ? run_us : million;
        }
        if (ten_thousand > 0 && million > 0)
            printf("%-15s growth from 10,000 to 1,000,000 turns: %.2fx\n", rows[r].name, million / ten_thousand);
    }
    return fine;
}

int main(int argc, char **argv)
{
    int64_t counts[16] = {1000, 10000, 100000, 1000000};
    size_t count = argc > 1 ? 0 : 4;
    const struct row *row = argc == 3 ? row_find(argv[1]) : NULL;
    if (row)
        return measure_one(row, atoll(argv[2]));
    for (int i = 1; i < argc && count < 16; i++) {
        counts[count] = atoll(argv[i]);
        if (counts[count++] <= 0) {
            fprintf(stderr, "usage: scan [N...] | scan ROW N\n");
            return 2;
        }
    }
    return print_table(counts, count) ? 0 : 1;
}
