#include "batch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "batch/confine.h"
#include "batch/keeper_own.h"

enum {
    OWN_SOCKET = 3,
    END_PATIENCE_MS = 10000, /* to kill a command and to remove its files */
};

void keeper_init(struct keeper *keeper)
{
    *keeper = (struct keeper){.socket = -1, .deadline_us = INT64_MAX};
}

bool keeper_takes(uint8_t kind)
{
    return kind == FRAME_MAY_RUN || kind == FRAME_FILE || kind == FRAME_SHELL || kind == FRAME_INPUT ||
           kind == FRAME_PROGRAM;
}

static bool has_answer(uint8_t kind)
{
    return kind == FRAME_MAY_RUN || kind == FRAME_SHELL || kind == FRAME_PROGRAM;
}

/* I3.  What the parent's handlers would do is of no use here. */
static void arrange_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP};
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++) {
        (void)sigaction(ignored[i], &action, NULL);
    }
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves stderr, for the case that it must say why it stops; everything else of the parent's is closed. */
static _Noreturn void become_keeper(int socket, int64_t deadline_us)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    arrange_signals();
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || fcntl(socket, F_SETFD, 0) != 0) {
        _exit(70);
    }
    if (socket != OWN_SOCKET && dup2(socket, OWN_SOCKET) < 0) {
        _exit(70);
    }
    confine_close_from(OWN_SOCKET + 1);
    (void)fcntl(OWN_SOCKET, F_SETFD, FD_CLOEXEC);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* what commands leave behind is waited for */
    keeper_serve(OWN_SOCKET, deadline_us);
}

static bool start(struct keeper *keeper, struct err *err)
{
    int ends[2];
    sigset_t all;
    sigset_t before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    keeper->pid = fork();
    if (keeper->pid == 0) {
        become_keeper(ends[1], keeper->deadline_us);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (keeper->pid < 0) {
        keeper->pid = 0;
        close(ends[0]);
        return err_set(err, ERR_IO, "cannot start a process: %s", strerror(error));
    }
    keeper->socket = ends[0];
    return true;
}

static bool is_gone(struct err *err)
{
    return err_set(err, ERR_INTERNAL, "the process that runs commands has ended too early");
}

static bool send_all(struct keeper *keeper, const void *data, size_t size, struct err *err)
{
    const char *at = data;
    while (size > 0) {
        ssize_t sent = send(keeper->socket, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return is_gone(err);
        }
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool keeper_send(struct keeper *keeper, uint8_t kind, struct str payload, struct err *err)
{
    unsigned char head[FRAME_HEAD_SIZE];
    CHECK(keeper_takes(kind) && !keeper->busy); /* I2 */
    if (keeper->pid == 0 && !start(keeper, err)) {
        return false;
    }
    frame_pack_head(head, (enum frame_kind)kind, payload.len);
    keeper->busy = has_answer(kind);
    keeper->got = 0;
    return send_all(keeper, head, sizeof head, err) && send_all(keeper, payload.data, payload.len, err);
}

int keeper_poll(const struct keeper *keeper)
{
    return keeper->busy ? keeper->socket : -1;
}

/* Once the head is there, the frame has its place. */
static bool take_head(struct keeper *keeper, struct arena *arena, struct err *err)
{
    struct frame_head head;
    if (!frame_unpack_head(keeper->head, &head) || head.length > FRAME_ANSWER_MAX) {
        return is_gone(err);
    }
    if (head.kind != FRAME_ANSWER) {
        return err_set(err, ERR_INTERNAL, "the scenario's process broke the protocol (bad request)");
    }
    keeper->size = FRAME_HEAD_SIZE + head.length;
    keeper->frame = arena_bytes(arena, keeper->size);
    memcpy(keeper->frame, keeper->head, FRAME_HEAD_SIZE);
    return true;
}

bool keeper_hear(struct keeper *keeper, struct arena *arena, struct str *frame, struct err *err)
{
    bool in_head = keeper->got < FRAME_HEAD_SIZE;
    char *to = in_head ? (char *)keeper->head + keeper->got : keeper->frame + keeper->got;
    size_t wanted = (in_head ? FRAME_HEAD_SIZE : keeper->size) - keeper->got;
    CHECK(keeper->busy);
    *frame = STR("");
    ssize_t got = recv(keeper->socket, to, wanted, MSG_DONTWAIT);
    if (got <= 0) {
        return (got < 0 && (errno == EAGAIN || errno == EINTR)) || is_gone(err);
    }
    keeper->got += (size_t)got;
    if (in_head && keeper->got == FRAME_HEAD_SIZE && !take_head(keeper, arena, err)) {
        return false;
    }
    if (keeper->got > FRAME_HEAD_SIZE && keeper->got == keeper->size) { /* an answer has at least its flag */
        *frame = (struct str){keeper->frame, keeper->size};
        keeper->busy = false;
    }
    return true;
}

void keeper_end(struct keeper *keeper)
{
    if (keeper->pid == 0) {
        return;
    }
    close(keeper->socket);
    struct pollfd gone = {.fd = (int)syscall(SYS_pidfd_open, keeper->pid, 0u), .events = POLLIN};
    if (gone.fd >= 0) {
        int ready;
        do {
            ready = poll(&gone, 1, END_PATIENCE_MS);
        } while (ready < 0 && errno == EINTR);
        if (ready == 0) {
            kill(keeper->pid, SIGKILL);
        }
        close(gone.fd);
    }
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    keeper_init(keeper);
}
