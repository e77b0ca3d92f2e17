#include "batch/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/file.h"
#include "base/oom.h"
#include "batch/clock.h"
#include "batch/signals.h"

enum {
    LOWEST_DESCRIPTOR = 16,   /* ours lie above what a child arranges, even if the caller's 0 to 2 are closed */
    GRACE_US = 1000000,       /* for a child that has closed its channel, or has said its last word */
    REAP_INTERVAL_US = 1000,  /* where there is no pidfd */
    READ_SIZE = 16384,
};

#define SECONDS_MAX ((int64_t)1000000000)

/* Everything that is opened for one child. */
struct ends {
    int socket[2]; /* parent, child */
    int output[2]; /* read, write */
    int null;
};

static void close_ends(struct ends *ends)
{
    file_close(&ends->socket[0]);
    file_close(&ends->socket[1]);
    file_close(&ends->output[0]);
    file_close(&ends->output[1]);
    file_close(&ends->null);
}

static bool move_up(int *fd)
{
    if (*fd >= 0 && *fd < LOWEST_DESCRIPTOR) {
        int moved = fcntl(*fd, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
        close(*fd);
        *fd = moved;
    }
    return *fd >= 0;
}

static bool open_ends(struct ends *ends, struct err *err)
{
    *ends = (struct ends){.socket = {-1, -1}, .output = {-1, -1}, .null = -1};
    ends->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool good = move_up(&ends->null) && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->socket) == 0 &&
                pipe2(ends->output, O_CLOEXEC) == 0;
    good = good && move_up(&ends->socket[0]) && move_up(&ends->socket[1]) && move_up(&ends->output[0]) &&
           move_up(&ends->output[1]);
    /* Only our ends must not block: the child's are other open files. */
    good = good && fcntl(ends->socket[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends->output[0], F_SETFL, O_NONBLOCK) == 0;
    if (!good) {
        int error = errno;
        close_ends(ends);
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(error));
    }
    return true;
}

static void set_deadlines(struct worker *worker, int64_t now_us)
{
    worker->soft_us = worker->hard_us = INT64_MAX;
    if (worker->setup.max_seconds > 0) {
        int64_t seconds = worker->setup.max_seconds < SECONDS_MAX ? worker->setup.max_seconds : SECONDS_MAX;
        int64_t three_quarters = seconds * 750000;
        int64_t second_before = (seconds - 1) * 1000000;
        worker->soft_us = now_us + (three_quarters > second_before ? three_quarters : second_before);
        worker->hard_us = now_us + seconds * 1000000;
    }
}

/* Signals are blocked meanwhile: in the child a handler of the parent would run until it has put its own in place. */
static pid_t fork_child(const struct child_setup *setup)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        child_main(setup);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

bool worker_start(struct worker *worker, const struct worker_setup *setup, child_function *run, void *argument,
                  struct err *err)
{
    struct ends ends;
    if (!open_ends(&ends, err)) {
        return false;
    }
    signal(SIGCHLD, SIG_DFL); /* someone may have started us with it ignored; then no child could be waited for */
    struct child_setup child = {
        .socket = ends.socket[1],
        .output = ends.output[1],
        .null = ends.null,
        .parent = getpid(),
        .max_seconds = setup->max_seconds,
        .max_memory = setup->max_memory,
        .require_sandbox = setup->dialog.require_sandbox,
        .on_soft_deadline = setup->on_soft_deadline,
        .run = run,
        .argument = argument,
    };
    pid_t pid = fork_child(&child);
    if (pid < 0) {
        int error = errno;
        close_ends(&ends);
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(error));
    }
    *worker = (struct worker){.setup = *setup, .pid = pid, .socket = ends.socket[0], .output = ends.output[0]};
    ends.socket[0] = ends.output[0] = -1;
    close_ends(&ends);
    worker->process = (int)syscall(SYS_pidfd_open, pid, 0u);
    dialog_init(&worker->dialog, &setup->dialog);
    relay_init(&worker->relay, setup->stderr_fd);
    set_deadlines(worker, clock_now_us());
    worker->dialog.keeper.deadline_us = worker->soft_us;
    return true;
}

static bool reap(struct worker *worker, int flags)
{
    CHECK(!worker->reaped);
    pid_t waited;
    do {
        waited = waitpid(worker->pid, &worker->status, flags);
    } while (waited < 0 && errno == EINTR);
    worker->reaped = worker->reaped || waited != 0;
    return worker->reaped;
}

static void send_kill(struct worker *worker)
{
    if (!worker->reaped) {
        worker->killed = true;
        worker->soft_us = worker->hard_us = INT64_MAX;
        kill(worker->pid, SIGKILL);
    }
}

/* The child cannot be believed any more. */
static void give_up(struct worker *worker)
{
    CHECK(worker->err.kind != ERR_NONE);
    file_close(&worker->socket);
    send_kill(worker);
}

/* Little time is left for a child that has nothing to say any more. */
static void shorten(struct worker *worker, int64_t now_us)
{
    int64_t end = now_us + GRACE_US;
    worker->soft_us = INT64_MAX;
    worker->hard_us = worker->hard_us < end ? worker->hard_us : end;
}

/* One read; false when nothing is there now. */
static bool read_socket(struct worker *worker, int64_t now_us)
{
    size_t space;
    unsigned char *to = dialog_space(&worker->dialog, &space);
    ssize_t got = read(worker->socket, to, space);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return errno == EINTR;
    }
    if (got <= 0) {
        file_close(&worker->socket);
        shorten(worker, now_us);
        return false;
    }
    bool was_over = dialog_is_over(&worker->dialog);
    if (!dialog_take(&worker->dialog, (size_t)got, &worker->err)) {
        give_up(worker);
        return false;
    }
    if (!was_over && dialog_is_over(&worker->dialog)) {
        shorten(worker, now_us);
    }
    return true;
}

/* A child that is gone is noticed when reading. */
static void send_pending(struct worker *worker)
{
    struct str pending = dialog_pending(&worker->dialog);
    if (worker->socket < 0 || pending.len == 0) {
        return;
    }
    ssize_t sent = send(worker->socket, pending.data, pending.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
        dialog_sent(&worker->dialog, (size_t)sent);
    }
}

/* The end of a command, or a part of it. */
static void hear_keeper(struct worker *worker)
{
    if (dialog_poll_keeper(&worker->dialog) >= 0 && !dialog_hear_keeper(&worker->dialog, &worker->err)) {
        give_up(worker);
    }
}

static bool read_output(struct worker *worker)
{
    char bytes[READ_SIZE];
    ssize_t got = read(worker->output, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return errno == EINTR;
    }
    if (got <= 0) {
        file_close(&worker->output);
        return false;
    }
    relay_take(&worker->relay, (struct str){bytes, (size_t)got});
    return true;
}

/* The child is gone: takes what it left in socket and pipe, and closes them.  Both hold little more than 200 KiB, so
 * the count only matters if a descendant of an unconfined child still writes. */
static void drain(struct worker *worker, int64_t now_us)
{
    worker->dialog.setup.allow_exec = false; /* nobody waits for the end of a command any more */
    for (unsigned i = 0; i < 1000 && worker->socket >= 0 && read_socket(worker, now_us); i++) {
    }
    for (unsigned i = 0; i < 1000 && worker->output >= 0 && read_output(worker); i++) {
    }
    relay_finish(&worker->relay);
    file_close(&worker->socket);
    file_close(&worker->output);
    file_close(&worker->process);
}

static void check_deadlines(struct worker *worker, int64_t now_us)
{
    if (now_us >= worker->hard_us) {
        worker->timed_out = worker->socket >= 0 && !dialog_is_over(&worker->dialog);
        send_kill(worker);
    } else if (now_us >= worker->soft_us) {
        worker->soft_us = INT64_MAX;
        kill(worker->pid, SIGALRM);
    }
}

void worker_poll(const struct worker *worker, struct pollfd polls[WORKER_POLLS])
{
    short writing = dialog_pending(&worker->dialog).len > 0 ? POLLOUT : 0;
    polls[WORKER_SOCKET] = (struct pollfd){.fd = worker->socket, .events = (short)(POLLIN | writing)};
    polls[WORKER_OUTPUT] = (struct pollfd){.fd = worker->output, .events = POLLIN};
    polls[WORKER_PROCESS] = (struct pollfd){.fd = worker->process, .events = POLLIN};
    polls[WORKER_KEEPER] = (struct pollfd){.fd = dialog_poll_keeper(&worker->dialog), .events = POLLIN};
}

int64_t worker_next_deadline(const struct worker *worker)
{
    int64_t next = worker->soft_us < worker->hard_us ? worker->soft_us : worker->hard_us;
    if (worker->process < 0 && (worker->socket < 0 || worker->killed)) {
        int64_t look_again = clock_now_us() + REAP_INTERVAL_US;
        next = next < look_again ? next : look_again;
    }
    return next;
}

void worker_handle(struct worker *worker, const struct pollfd polls[WORKER_POLLS], int64_t now_us)
{
    if (worker->reaped) {
        return;
    }
    if (polls[WORKER_OUTPUT].revents != 0) {
        (void)read_output(worker);
    }
    if (worker->socket >= 0 && (polls[WORKER_SOCKET].revents & (POLLIN | POLLHUP | POLLERR))) {
        (void)read_socket(worker, now_us);
    }
    if (polls[WORKER_KEEPER].revents != 0 && !worker->killed) {
        hear_keeper(worker);
    }
    send_pending(worker); /* mostly an answer fits at once */
    check_deadlines(worker, now_us);
    bool may_be_gone = worker->process >= 0 ? polls[WORKER_PROCESS].revents != 0 : worker->socket < 0 || worker->killed;
    if (may_be_gone && reap(worker, WNOHANG)) {
        drain(worker, now_us);
    }
}

bool worker_is_over(const struct worker *worker)
{
    return worker->reaped;
}

void worker_kill(struct worker *worker)
{
    if (!worker->reaped) {
        send_kill(worker);
        (void)reap(worker, 0);
        drain(worker, clock_now_us());
    }
}

static bool judge_limit_of_time(const struct worker *worker, struct err *err)
{
    return err_set(err, ERR_LIMIT,
                   "the script used up --max-seconds %lld and could not be stopped because it was stuck inside a C "
                   "function (pattern matching, sorting, concatenation, ...): raise it with --max-seconds N",
                   (long long)worker->setup.max_seconds);
}

/* The child died by a signal that was not ours. */
static bool judge_signal(const struct worker *worker, int number, struct err *err)
{
    switch (number) {
    case SIGSYS:
        return err_set(err, ERR_SCENARIO, "the scenario's process tried a forbidden system call and was stopped: the "
                       "script has broken out of Lua; nothing was written");
    case SIGXCPU: return judge_limit_of_time(worker, err);
    case SIGKILL:
        return err_set(err, ERR_LIMIT, "the scenario's process was killed from outside, probably because the machine "
                       "ran out of memory: lower --max-memory SIZE, or make the scenario smaller");
    default:
        return err_set(err, ERR_SCENARIO, "the Lua VM crashed on this scenario (signal SIG%s): this is a fault of the "
                       "Lua library that the scenario has hit; nothing was written",
                       sigabbrev_np(number) ? sigabbrev_np(number) : "?");
    }
}

static bool judge_exit(const struct worker *worker, int code, struct err *err)
{
    if (code == 70) {
        return err_set(err, ERR_INTERNAL, "the scenario's process stopped because of an internal error; it says why "
                       "above");
    }
    if (code == OOM_OF_SCENARIO) {
        return err_set(err, ERR_LIMIT, "what this scenario keeps (transcripts, every version of its files) needs more "
                       "memory than its process may take: make it smaller");
    }
    if (code == CHECK_TOO_LARGE) {
        return err_set(err, ERR_SCENARIO, "the numbers of this scenario are too large: see the line above");
    }
    if (code != 0 || !worker->dialog.done) {
        return err_set(err, ERR_INTERNAL, "the scenario's process ended without a result (exit code %d)", code);
    }
    return true;
}

/* What the child says names file and line; of a child that could not speak the file is all that is known. */
static bool name_script(const struct worker *worker, struct err *err)
{
    struct str name = worker->setup.name;
    return name.len > 0 && err_wrap(err, "%.*s", STR_ARG(name));
}

/* In order: what we saw, what the child said, how it ended. */
static bool judge(const struct worker *worker, struct err *err)
{
    const struct err *said = &worker->dialog.failure;
    if (worker->err.kind != ERR_NONE) {
        return err_set(err, worker->err.kind, "%s", worker->err.message);
    }
    if (worker->timed_out && !dialog_is_over(&worker->dialog)) {
        return judge_limit_of_time(worker, err) || name_script(worker, err);
    }
    if (said->kind != ERR_NONE) {
        return err_set(err, said->kind, "%s", said->message);
    }
    if (WIFSIGNALED(worker->status) && !worker->killed) {
        return judge_signal(worker, WTERMSIG(worker->status), err) || name_script(worker, err);
    }
    if (WIFSIGNALED(worker->status)) { /* too slow in leaving */
        return worker->dialog.done || err_set(err, ERR_INTERNAL, "the scenario's process was stopped without a result");
    }
    return judge_exit(worker, WEXITSTATUS(worker->status), err);
}

bool worker_end(struct worker *worker, struct err *err)
{
    worker_kill(worker);
    bool good = judge(worker, err);
    dialog_close(&worker->dialog);
    return good;
}

/* One round of the loop: waits for any worker, a signal, or the next deadline. */
static void wait_for_any(struct worker *const *workers, size_t count, const struct signals *signals,
                         struct pollfd *polls)
{
    int64_t deadline = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        worker_poll(workers[i], &polls[i * WORKER_POLLS]);
        if (!worker_is_over(workers[i])) {
            int64_t next = worker_next_deadline(workers[i]);
            deadline = next < deadline ? next : deadline;
        }
    }
    polls[count * WORKER_POLLS] = (struct pollfd){.fd = signals ? signals->wake : -1, .events = POLLIN};
    int64_t left_ms = deadline == INT64_MAX ? -1 : (deadline - clock_now_us() + 999) / 1000;
    int timeout = left_ms < 0 && deadline != INT64_MAX ? 0 : left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
    if (poll(polls, (nfds_t)(count * WORKER_POLLS + 1), timeout) <= 0) {
        for (size_t i = 0; i < count * WORKER_POLLS; i++) {
            polls[i].revents = 0;
        }
    }
}

void worker_round(struct worker *const *workers, size_t count, const struct signals *signals, struct pollfd *polls)
{
    wait_for_any(workers, count, signals, polls);
    for (size_t i = 0; i < count; i++) {
        worker_handle(workers[i], &polls[i * WORKER_POLLS], clock_now_us());
    }
}

int worker_run_all(struct worker *const *workers, size_t count, const struct signals *signals)
{
    struct arena arena;
    arena_init(&arena);
    struct pollfd *polls = arena_array(&arena, struct pollfd, count * WORKER_POLLS + 1);
    size_t running = count;
    while (running > 0 && !(signals && signals_caught())) {
        worker_round(workers, count, signals, polls);
        running = 0;
        for (size_t i = 0; i < count; i++) {
            running += worker_is_over(workers[i]) ? 0 : 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        worker_kill(workers[i]);
    }
    arena_close(&arena);
    return running > 0 ? signals_caught() : 0;
}
