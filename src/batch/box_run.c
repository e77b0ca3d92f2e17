/* A command in its box: bubblewrap's words, the limits that hold inside, and the end of everything it started.
 *
 * bubblewrap waits, with everything arranged and nothing of the command running, until it is told to go on.  In between
 * the first process of the new namespace is known and gets its limits, which all others inherit; to kill that process
 * is to kill the namespace.
 *
 * The limit on processes was tried on Linux 6.18 with bubblewrap 0.8: it counts the processes of the box alone, since
 * it is set inside its user namespace, and it stops a fork bomb of any user but root, to whom the kernel applies no
 * such limit.  Root therefore becomes nobody first.  Before Linux 5.14 it counts all processes of the user.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "batch/box_own.h"
#include "batch/clock.h"
#include "batch/program.h"

#define MIB ((rlim_t)1 << 20)

enum {
    PROCESSES_MAX = 256,
    DESCRIPTORS_MAX = 256,
    WORDS_MAX = 128,
    HELP_MAX = 65536,
    LONGEST_STATUS = 4096,
    END_PATIENCE_MS = 5000, /* for the kernel to take down a namespace */
};

/* Watches over one run of bubblewrap. */
struct guard {
    struct program_pipe status; /* where it tells what it does, as JSON */
    struct program_pipe start;  /* a byte lets the command begin */
    int64_t timeout_ms;
    uid_t user;
    pid_t first; /* process of the namespace, as we see it; 0 = not known yet */
    int first_fd;
    int failure; /* errno of a limit that could not be set: the command was not begun */
    size_t used;
    char said[LONGEST_STATUS];
};

static bool limit(pid_t pid, __rlimit_resource_t resource, rlim_t most)
{
    struct rlimit now;
    if (prlimit(pid, resource, NULL, &now) != 0) {
        return false;
    }
    struct rlimit wanted = {.rlim_cur = most < now.rlim_max ? most : now.rlim_max};
    wanted.rlim_max = wanted.rlim_cur;
    return prlimit(pid, resource, &wanted, NULL) == 0;
}

static bool limit_first(const struct guard *guard)
{
    return limit(guard->first, RLIMIT_CPU, (rlim_t)(guard->timeout_ms / 1000) + 1) &&
           limit(guard->first, RLIMIT_AS, 2048 * MIB) && limit(guard->first, RLIMIT_FSIZE, 64 * MIB) &&
           limit(guard->first, RLIMIT_NOFILE, DESCRIPTORS_MAX) && limit(guard->first, RLIMIT_NPROC, PROCESSES_MAX);
}

/* Another process is limited by its own user, or by root with a right that root in a container often lacks: so root is
 * that user for a moment, by its real ids alone. */
static bool limit_as_user(const struct guard *guard)
{
    if (guard->user == 0) {
        return limit_first(guard);
    }
    uid_t uid = getuid();
    gid_t gid = getgid();
    bool good = setregid(guard->user, (gid_t)-1) == 0 && setreuid(guard->user, (uid_t)-1) == 0 && limit_first(guard);
    int error = errno;
    CHECK(setreuid(uid, (uid_t)-1) == 0 && setregid(gid, (gid_t)-1) == 0);
    errno = error;
    return good;
}

/* Without its limits the command is not begun: bubblewrap has already done everything else. */
static void begin_command(struct guard *guard)
{
    if (limit_as_user(guard)) {
        ssize_t ignored = write(guard->start.ours, "", 1);
        (void)ignored;
        return;
    }
    guard->failure = errno;
    kill(guard->first, SIGKILL);
}

/* The number after `"KEY":`, or -1. */
static int64_t find_number(const struct guard *guard, const char *key)
{
    const char *found = strstr(guard->said, key);
    const char *colon = found ? strchr(found, ':') : NULL;
    return colon && strchr(colon, '}') ? strtoll(colon + 1, NULL, 10) : -1;
}

/* Reads what bubblewrap has said; false when there is nothing more. */
static bool read_status(struct guard *guard)
{
    size_t room = sizeof guard->said - 1 - guard->used;
    ssize_t got = read(guard->status.ours, guard->said + guard->used, room);
    if (got > 0) {
        guard->used += (size_t)got;
        guard->said[guard->used] = '\0';
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool heard(void *self)
{
    struct guard *guard = self;
    bool more = read_status(guard);
    int64_t first = guard->first == 0 ? find_number(guard, "\"child-pid\"") : -1;
    if (first > 0) {
        guard->first = (pid_t)first;
        guard->first_fd = (int)syscall(SYS_pidfd_open, guard->first, 0u);
        begin_command(guard);
    }
    return more;
}

/* As long as the first process is not known, or waits, it is still in bubblewrap's process group. */
static bool kill_namespace(void *self)
{
    const struct guard *guard = self;
    return guard->first_fd >= 0 && syscall(SYS_pidfd_send_signal, guard->first_fd, SIGKILL, NULL, 0u) == 0;
}

/* bubblewrap ends with the command and leaves the rest of the namespace to the kernel; I2 of the box waits for it. */
static void end_namespace(void *self)
{
    const struct guard *guard = self;
    struct pollfd gone = {.fd = guard->first_fd, .events = POLLIN};
    if (guard->first_fd < 0) {
        return;
    }
    (void)kill_namespace(self);
    while (poll(&gone, 1, END_PATIENCE_MS) < 0 && errno == EINTR) {
    }
    (void)waitpid(guard->first, NULL, WNOHANG); /* ours if we inherit orphans */
}

/* The words of a command line. */
struct words {
    struct arena *arena;
    const char *word[WORDS_MAX];
    size_t count;
};

static void add_words(struct words *words, const char *const *more)
{
    for (; *more; more++) {
        CHECK(words->count + 1 < WORDS_MAX);
        words->word[words->count++] = *more;
    }
}

#define ADD(words, ...) add_words((words), (const char *const[]){__VA_ARGS__, NULL})

/* /bin, /lib and so on as they are here: mostly links into /usr. */
static void add_system_folders(struct words *words)
{
    static const char *const folders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char target[256];
        ssize_t length = readlink(folders[i], target, sizeof target);
        if (length > 0 && (size_t)length < sizeof target) {
            ADD(words, "--symlink", str_z(words->arena, (struct str){target, (size_t)length}), folders[i]);
        } else if (access(folders[i], F_OK) == 0) {
            ADD(words, "--ro-bind", folders[i], folders[i]);
        }
    }
}

static void add_bubblewrap(struct words *words, const struct box *box)
{
    const char *files = str_z(words->arena, str_printf(words->arena, "%s/files", box->path.data));
    ADD(words, "bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
        "--json-status-fd", "3", "--block-fd", "4", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534",
        "--hostname", "simagent", "--clearenv", "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8", "--ro-bind", "/usr", "/usr");
    add_system_folders(words);
    /* Commands such as awk are links through it, and nothing else is in it. */
    ADD(words, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--proc", "/proc", "--dev", "/dev");
    ADD(words, "--size", "67108864", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--size", "67108864", "--tmpfs",
        "/tmp", "--bind", files, "/workspace", "--remount-ro", "/", "--chdir", "/workspace");
}

static void add_command(struct words *words, struct str text)
{
    const char *shell = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
    ADD(words, "--", shell, "-c", str_z(words->arena, text));
}

static bool needs_newer(struct err *err)
{
    return err_set(err, ERR_SCENARIO, "bash = \"real\" needs bubblewrap 0.8 or newer, for its --disable-userns");
}

static bool probe_version(struct arena *arena, struct err *err)
{
    static const char *const argv[] = {"bwrap", "--help", NULL};
    struct program_plan plan = {
        .argv = argv, .output_max = HELP_MAX, .deadline_us = clock_now_us() + 10000000, .lifeline = -1};
    struct program_end end;
    if (!program_run(&plan, arena, &end, err)) {
        return false;
    }
    bool new_enough = memmem(end.out.data, end.out.len, "--disable-userns", strlen("--disable-userns")) &&
                      memmem(end.out.data, end.out.len, "--json-status-fd", strlen("--json-status-fd"));
    return new_enough || needs_newer(err);
}

bool box_probe(struct err *err)
{
    struct arena arena;
    if (!program_is_there("bwrap")) {
        return err_set(err, ERR_SCENARIO, "bash = \"real\" needs bubblewrap (Debian: bubblewrap)");
    }
    arena_init(&arena);
    bool good = probe_version(&arena, err);
    arena_close(&arena);
    return good;
}

/* bubblewrap tells the exit code only of a command that it has started. */
static bool judge(const struct guard *guard, struct program_end *end, struct err *err)
{
    int64_t code = find_number(guard, "\"exit-code\"");
    if (guard->failure != 0) {
        return err_set(err, ERR_SCENARIO, "bash = \"real\": the limits of commands cannot be set here (%s)",
                       strerror(guard->failure));
    }
    if (code >= 0) {
        end->exit_code = (int)code;
    }
    if (code >= 0 || end->timed_out || end->abandoned) {
        return true;
    }
    const char *line_end = end->err.len > 0 ? memchr(end->err.data, '\n', end->err.len) : NULL;
    struct str said = line_end ? str_slice(end->err, 0, (size_t)(line_end - end->err.data)) : end->err;
    return err_set(err, ERR_SCENARIO, "bash = \"real\": bubblewrap cannot make its sandbox here (%.*s)", STR_ARG(said));
}

static bool run_guarded(struct box *box, const struct box_command *command, struct guard *guard, struct arena *arena,
                        struct program_end *end, struct err *err)
{
    /* The first process in the sandbox is bubblewrap, and what it was given can be read there: so it is given nothing.
     * --clearenv is for the command alone. */
    static const char *const no_environment[] = {NULL};
    struct words words = {.arena = arena};
    struct program_warden warden = {
        .inherited = {guard->status.theirs, guard->start.theirs},
        .watch = guard->status.ours,
        .heard = heard,
        .kill = kill_namespace,
        .ended = end_namespace,
        .self = guard,
    };
    int64_t own_deadline_us = clock_now_us() + command->timeout_ms * 1000;
    struct program_plan plan = {
        .argv = words.word,
        .environment = no_environment,
        .become = box->user,
        .output_max = BOX_OUTPUT_MAX,
        .deadline_us = own_deadline_us < command->deadline_us ? own_deadline_us : command->deadline_us,
        .lifeline = command->lifeline,
        .warden = &warden,
    };
    add_bubblewrap(&words, box);
    add_command(&words, command->text);
    bool good = program_run(&plan, arena, end, err);
    while (guard->used + 1 < sizeof guard->said && read_status(guard) && errno != EAGAIN) {
    }
    return good && judge(guard, end, err);
}

bool box_run(struct box *box, const struct box_command *command, struct arena *arena, struct program_end *end,
             struct err *err)
{
    struct guard guard = {.first_fd = -1, .status = {-1, -1}, .start = {-1, -1}};
    guard.timeout_ms = command->timeout_ms;
    guard.user = box->user;
    (void)fchmod(box->work, 0755); /* the last command may have shut itself out */
    CHECK(command->timeout_ms > 0 && command->timeout_ms <= INT64_MAX / 2000000);
    bool good = (program_pipe_open(&guard.status, false) && program_pipe_open(&guard.start, true)) ||
                err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
    good = good && run_guarded(box, command, &guard, arena, end, err);
    program_pipe_close(&guard.status);
    program_pipe_close(&guard.start);
    if (guard.first_fd >= 0) {
        close(guard.first_fd);
    }
    return good;
}
