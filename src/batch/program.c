#include "batch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/file.h"
#include "batch/clock.h"
#include "batch/confine.h"

enum {
    LOWEST_DESCRIPTOR = 16, /* ours lie above what the program is given */
    FIRST_INHERITED = 3,
    INHERITED = 2,
    READ_SIZE = 65536,
    PIPE_SIZE = 1 << 20, /* fewer turns of the loop while a flood of output is dropped */
    DRAIN_ROUNDS = 64,   /* of what a program left in its pipes; more only comes if someone still writes */
    LAST_PLAIN_SIGNAL = 31,
    LOOK_AGAIN_MS = 2, /* where there is no pidfd */
};

void program_pipe_close(struct program_pipe *pipe)
{
    file_close(&pipe->ours);
    file_close(&pipe->theirs);
}

static bool move_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    close(*fd);
    *fd = moved;
    return moved >= 0;
}

bool program_pipe_open(struct program_pipe *pipe, bool we_write)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *pipe = (struct program_pipe){.ours = ends[we_write ? 1 : 0], .theirs = ends[we_write ? 0 : 1]};
    bool moved = move_up(&pipe->ours);
    return move_up(&pipe->theirs) && moved && fcntl(pipe->ours, F_SETFL, O_NONBLOCK) == 0;
}

/* One stream of output while it is read. */
struct stream {
    struct program_pipe pipe;
    struct strbuf kept;
    bool cut;
};

struct running {
    const struct program_plan *plan;
    struct program_pipe input;
    struct program_pipe failure; /* tells the errno of an exec that failed; closed by one that did not */
    struct stream out;
    struct stream err;
    struct str unsent; /* input */
    pid_t pid;
    int process; /* a pidfd, or -1 */
    int watch;   /* the warden's */
    bool killed;
    bool timed_out;
    bool abandoned;
    bool gone;
};

static void close_all(struct running *running)
{
    program_pipe_close(&running->input);
    program_pipe_close(&running->failure);
    program_pipe_close(&running->out.pipe);
    program_pipe_close(&running->err.pipe);
    file_close(&running->process);
}

/* Without input it is /dev/null and no empty pipe: some programs take a pipe for what they are to look at. */
static bool open_input(struct running *running)
{
    if (running->unsent.len > 0) {
        return program_pipe_open(&running->input, true);
    }
    running->input.theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return running->input.theirs >= 0 && move_up(&running->input.theirs);
}

static bool open_all(struct running *running, struct err *err)
{
    bool good = open_input(running) && program_pipe_open(&running->failure, false) &&
                program_pipe_open(&running->out.pipe, false) && program_pipe_open(&running->err.pipe, false);
    if (!good) {
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
    }
    /* It is only faster so. */
    (void)fcntl(running->out.pipe.ours, F_SETPIPE_SZ, PIPE_SIZE);
    return true;
}

/* A program expects the signals as they are by default, whatever we ignore. */
static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    for (int number = 1; number <= LAST_PLAIN_SIGNAL; number++) {
        if (number != SIGKILL && number != SIGSTOP) {
            (void)sigaction(number, &action, NULL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool give_descriptors(const struct running *running)
{
    const struct program_warden *warden = running->plan->warden;
    bool good = dup2(running->input.theirs, 0) >= 0 && dup2(running->out.pipe.theirs, 1) >= 0 &&
                dup2(running->err.pipe.theirs, 2) >= 0;
    for (int i = 0; warden && i < INHERITED; i++) {
        good = good && dup2(warden->inherited[i], FIRST_INHERITED + i) >= 0;
    }
    /* I3: nothing of ours is without O_CLOEXEC; this is for what others may have left open. */
    unsigned first = FIRST_INHERITED + (warden ? INHERITED : 0);
    (void)syscall(SYS_close_range, first, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
    return good;
}

static bool change_user(uid_t user)
{
    return user == 0 ||
           (setgroups(0, NULL) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0);
}

/* Between fork and exec. */
static _Noreturn void become_program(const struct running *running)
{
    const struct program_plan *plan = running->plan;
    struct rlimit no_core = {0, 0};
    (void)setpgid(0, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    reset_signals();
    if (give_descriptors(running) && change_user(plan->become)) {
        char *const *environment = plan->environment ? (char *const *)plan->environment : environ;
        (void)execvpe(plan->argv[0], (char *const *)plan->argv, environment);
    }
    int error = errno;
    ssize_t ignored = write(running->failure.theirs, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

static bool fork_program(struct running *running, struct err *err)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    running->pid = fork();
    if (running->pid == 0) {
        become_program(running);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (running->pid < 0) {
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(error));
    }
    (void)setpgid(running->pid, running->pid); /* whoever is first */
    file_close(&running->input.theirs);
    file_close(&running->failure.theirs);
    file_close(&running->out.pipe.theirs);
    file_close(&running->err.pipe.theirs);
    return true;
}

/* Waits for exec; false when it failed. */
static bool await_exec(struct running *running, struct err *err)
{
    struct pollfd ready = {.fd = running->failure.ours, .events = POLLIN};
    int error = 0;
    while (poll(&ready, 1, -1) < 0 && errno == EINTR) {
    }
    ssize_t got = read(running->failure.ours, &error, sizeof error);
    file_close(&running->failure.ours);
    if (got != (ssize_t)sizeof error) {
        return true;
    }
    while (waitpid(running->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return err_set(err, ERR_SCENARIO, "cannot run %s: %s", running->plan->argv[0], strerror(error));
}

static void kill_program(struct running *running)
{
    const struct program_warden *warden = running->plan->warden;
    running->killed = true;
    if (!warden || !warden->kill || !warden->kill(warden->self)) {
        kill(-running->pid, SIGKILL);
    }
}

/* One read; false when nothing is there now. */
static bool read_stream(struct stream *stream)
{
    char bytes[READ_SIZE];
    ssize_t got = stream->pipe.ours < 0 ? 0 : read(stream->pipe.ours, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return errno == EINTR;
    }
    if (got <= 0) {
        file_close(&stream->pipe.ours);
        return false;
    }
    size_t room = stream->kept.ceiling - stream->kept.len;
    size_t kept = (size_t)got < room ? (size_t)got : room;
    strbuf_add(&stream->kept, (struct str){bytes, kept});
    stream->cut = stream->cut || kept < (size_t)got;
    return true;
}

/* A program that does not want its input is no failure. */
static void send_input(struct running *running)
{
    while (running->input.ours >= 0 && running->unsent.len > 0) {
        ssize_t sent = write(running->input.ours, running->unsent.data, running->unsent.len);
        if (sent < 0 && errno == EAGAIN) {
            return;
        }
        if (sent < 0 && errno != EINTR) {
            break;
        }
        running->unsent = str_slice(running->unsent, sent > 0 ? (size_t)sent : 0, running->unsent.len);
    }
    file_close(&running->input.ours);
}

enum program_poll { AT_OUT, AT_ERR, AT_INPUT, AT_PROCESS, AT_LIFELINE, AT_WATCH, AT_PLACES };

/* How long poll may wait. */
static int patience_ms(const struct running *running)
{
    if (running->process < 0) {
        return LOOK_AGAIN_MS;
    }
    if (running->killed || running->plan->deadline_us == INT64_MAX) {
        return -1;
    }
    int64_t left_us = running->plan->deadline_us - clock_now_us();
    int64_t left_ms = left_us <= 0 ? 0 : (left_us + 999) / 1000;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

static void check_deadline(struct running *running, bool lifeline_cut)
{
    if (running->killed || running->gone) {
        return;
    }
    running->abandoned = lifeline_cut;
    running->timed_out = !lifeline_cut && clock_now_us() >= running->plan->deadline_us;
    if (running->abandoned || running->timed_out) {
        kill_program(running);
    }
}

/* Looks whether the program has ended, and leaves it to be waited for: its number cannot be given away until then. */
static bool has_ended(const struct running *running)
{
    siginfo_t what = {.si_pid = 0};
    return waitid(P_PID, (id_t)running->pid, &what, WEXITED | WNOHANG | WNOWAIT) == 0 && what.si_pid != 0;
}

static void one_round(struct running *running)
{
    const struct program_plan *plan = running->plan;
    struct pollfd polls[AT_PLACES] = {
        [AT_OUT] = {.fd = running->out.pipe.ours, .events = POLLIN},
        [AT_ERR] = {.fd = running->err.pipe.ours, .events = POLLIN},
        [AT_INPUT] = {.fd = running->input.ours, .events = POLLOUT},
        [AT_PROCESS] = {.fd = running->process, .events = POLLIN},
        [AT_LIFELINE] = {.fd = running->killed ? -1 : plan->lifeline, .events = POLLRDHUP},
        [AT_WATCH] = {.fd = running->watch, .events = POLLIN},
    };
    if (poll(polls, AT_PLACES, patience_ms(running)) < 0) {
        memset(polls, 0, sizeof polls);
    }
    if (polls[AT_OUT].revents) {
        (void)read_stream(&running->out);
    }
    if (polls[AT_ERR].revents) {
        (void)read_stream(&running->err);
    }
    if (polls[AT_INPUT].revents) {
        send_input(running);
    }
    if (polls[AT_WATCH].revents && !plan->warden->heard(plan->warden->self)) {
        running->watch = -1;
    }
    check_deadline(running, polls[AT_LIFELINE].revents != 0);
    running->gone = has_ended(running);
}

/* I1: ends everything that is left, and takes what lies in the pipes. */
static int clean_up(struct running *running)
{
    const struct program_warden *warden = running->plan->warden;
    int status = 0;
    if (warden && warden->ended) {
        warden->ended(warden->self);
    }
    kill(-running->pid, SIGKILL);
    while (waitpid(running->pid, &status, 0) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < DRAIN_ROUNDS && read_stream(&running->out); i++) {
    }
    for (int i = 0; i < DRAIN_ROUNDS && read_stream(&running->err); i++) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool program_is_there(const char *name)
{
    const char *path = getenv("PATH");
    char candidate[4096];
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        int written = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, at, name);
        if (length > 0 && written > 0 && (size_t)written < sizeof candidate && access(candidate, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

bool program_run(const struct program_plan *plan, struct arena *arena, struct program_end *end, struct err *err)
{
    struct program_pipe none = {-1, -1};
    struct running running = {
        .plan = plan,
        .input = none,
        .failure = none,
        .out.pipe = none,
        .err.pipe = none,
        .unsent = plan->input,
        .process = -1,
        .watch = plan->warden ? plan->warden->watch : -1,
    };
    strbuf_init(&running.out.kept, arena, plan->output_max);
    strbuf_init(&running.err.kept, arena, plan->output_max);
    if (!open_all(&running, err) || !fork_program(&running, err) || !await_exec(&running, err)) {
        close_all(&running);
        return false;
    }
    running.process = (int)syscall(SYS_pidfd_open, running.pid, 0u);
    send_input(&running);
    while (!running.gone) {
        one_round(&running);
    }
    *end = (struct program_end){.exit_code = clean_up(&running)};
    end->out = strbuf_str(&running.out.kept);
    end->err = strbuf_str(&running.err.kept);
    end->out_cut = running.out.cut;
    end->err_cut = running.err.cut;
    end->timed_out = running.timed_out;
    end->abandoned = running.abandoned;
    close_all(&running);
    return true;
}
