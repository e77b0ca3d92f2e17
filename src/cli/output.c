#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/outfile.h"
#include "cli/opt.h"

/* One destination with a name, and the bytes that belong there. */
struct parcel {
    struct spool *from;
    const char *path;
    struct outfile file;
    bool open;
};

/* True where a file is written aside and renamed; false for pipes and devices, which are written directly. */
static bool is_replaced(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

static void hold_signals(sigset_t *old)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, old);
}

static void release_signals(const sigset_t *old)
{
    sigprocmask(SIG_SETMASK, old, NULL);
}

/* Better to hear of a folder that does not exist now than after a minute.  Pipes are left alone: their readers would
 * take the probe for the end. */
static bool probe(const char *path, struct err *err)
{
    if (path == NULL || !is_replaced(path)) {
        return true;
    }
    sigset_t old;
    struct outfile file;
    hold_signals(&old);
    bool opened = outfile_open(&file, path, err);
    if (opened) {
        outfile_abandon(&file);
    }
    release_signals(&old);
    return opened;
}

/* NULL for stdout. */
static const char *path_of(struct arena *arena, struct str path)
{
    return path.data == NULL || str_eq(path, STR("-")) ? NULL : str_z(arena, path);
}

bool output_open(struct output *output, struct arena *arena, const struct opt_values *values, struct err *err)
{
    *output = (struct output){
        .report_path = path_of(arena, values->output),
        .trace_path = path_of(arena, values->trace),
    };
    if (output->report_path && output->trace_path && file_is_same(arena, output->report_path, output->trace_path)) {
        return err_set(err, ERR_USAGE, "-o and --trace name the same file, %s", output->report_path);
    }
    if (!probe(output->report_path, err) || !probe(output->trace_path, err)) {
        return false;
    }
    if (!spool_open(&output->report, err)) {
        return false;
    }
    if (!spool_open(&output->trace, err)) {
        spool_close(&output->report);
        return false;
    }
    return true;
}

bool output_spares(const struct output *output, struct arena *arena, struct str source, struct err *err)
{
    const char *path = str_z(arena, source);
    const char *hit = NULL;
    if (output->report_path && file_is_same(arena, output->report_path, path)) {
        hit = "-o";
    } else if (output->trace_path && file_is_same(arena, output->trace_path, path)) {
        hit = "--trace";
    }
    return !hit || err_set(err, ERR_USAGE, "%s would replace the scenario itself, %s", hit, path);
}

void output_close(struct output *output)
{
    spool_close(&output->report);
    spool_close(&output->trace);
}

static bool fail_stdout(int error, int *exit_code, struct err *err)
{
    if (error == EPIPE) {
        *exit_code = OUTPUT_PIPE_CLOSED;
        return true;
    }
    return err_set(err, ERR_IO, "cannot write to stdout: %s", strerror(error));
}

static bool copy_to(struct spool *from, int fd, const char *name, int *exit_code, struct err *err)
{
    int error = 0;
    switch (spool_copy_to(from, fd, &error)) {
    case SPOOL_COPIED: return true;
    case SPOOL_PIPE_CLOSED: error = EPIPE; break;
    case SPOOL_REFUSED: break;
    case SPOOL_LOST: return err_set(err, ERR_IO, "the temporary file failed: %s", strerror(error));
    }
    if (name == NULL) {
        return fail_stdout(error, exit_code, err);
    }
    return err_set(err, ERR_IO, "%s: cannot be written: %s", name, strerror(error));
}

static bool write_parcel(struct parcel *parcel, struct err *err)
{
    if (!outfile_open(&parcel->file, parcel->path, err)) {
        return false;
    }
    parcel->open = true;
    return copy_to(parcel->from, parcel->file.fd, parcel->path, NULL, err);
}

static bool commit_parcel(struct parcel *parcel, struct err *err)
{
    parcel->open = false;
    return outfile_commit(&parcel->file, err);
}

/* I2: all are written before the first gets its name. */
static bool send_parcels(struct parcel *parcels, size_t count, struct err *err)
{
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        fine = write_parcel(&parcels[i], err);
    }
    for (size_t i = 0; fine && i < count; i++) {
        fine = commit_parcel(&parcels[i], err);
    }
    for (size_t i = 0; i < count; i++) {
        if (parcels[i].open) {
            outfile_abandon(&parcels[i].file);
        }
    }
    return fine;
}

/* I3 holds signals back only while files on disk are written: a pipe may block for ever. */
static bool send_replaced(struct parcel *parcels, size_t count, struct err *err)
{
    sigset_t old;
    hold_signals(&old);
    bool fine = send_parcels(parcels, count, err);
    release_signals(&old);
    return fine;
}

/* The named destinations of one sort, and how many there are. */
static size_t collect_named(struct output *output, bool replaced, struct parcel parcels[2])
{
    const struct parcel all[] = {
        {.from = &output->trace, .path = output->trace_path},
        {.from = &output->report, .path = output->report_path},
    };
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (all[i].path != NULL && is_replaced(all[i].path) == replaced) {
            parcels[count++] = all[i];
        }
    }
    return count;
}

/* Pipes and devices first, since they may fail at once or keep us waiting; then stdout, which cannot be taken back;
 * files last, so that none is left of a run whose report was lost. */
bool output_send(struct output *output, int *exit_code, struct err *err)
{
    struct parcel direct[2];
    struct parcel replaced[2];
    size_t direct_count = collect_named(output, false, direct);
    size_t replaced_count = collect_named(output, true, replaced);
    int before = *exit_code;
    if (!send_parcels(direct, direct_count, err) ||
        (output->report_path == NULL && !copy_to(&output->report, STDOUT_FILENO, NULL, exit_code, err))) {
        return false;
    }
    if (*exit_code != before) return true; /* the reader left: nothing of this run is wanted any more */
    return send_replaced(replaced, replaced_count, err);
}

bool output_text(struct str text, int *exit_code, struct err *err)
{
    struct sink sink;
    *exit_code = 0;
    sink_open(&sink, STDOUT_FILENO);
    sink_write(&sink, text);
    return sink_close(&sink) || fail_stdout(sink.first_errno, exit_code, err);
}
