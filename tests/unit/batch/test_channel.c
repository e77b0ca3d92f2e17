/* Channel: the child's calls against a parent that answers slowly, in pieces, wrongly or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "batch/channel.h"

enum { GOOD = 40, BAD = 41 };

static void note(int number)
{
    (void)number;
}

/* Asks for a module; the exit code tells whether the right one came. */
static _Noreturn void ask(int socket)
{
    static struct channel channel;
    struct arena arena;
    struct channel_module module;
    struct err err = {.kind = ERR_NONE};
    struct sigaction action = {.sa_handler = note}; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    arena_init(&arena);
    channel_init(&channel, socket);
    bool good = channel_module(&channel, STR("util"), &arena, &module, &err) && str_eq(module.shown, STR("s")) &&
                str_eq(module.source, STR("12345"));
    bool lost = err.kind == ERR_INTERNAL && strcmp(err.message, "the connection to the main process is lost") == 0;
    _exit(good ? GOOD : lost ? BAD : 1);
}

struct meeting {
    int socket;
    pid_t child;
};

/* The child has asked, and waits. */
static struct meeting meet(void)
{
    int ends[2];
    char request[FRAME_HEAD_SIZE + 12];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct meeting meeting = {.socket = ends[0], .child = fork()};
    if (meeting.child == 0) {
        close(ends[0]);
        ask(ends[1]);
    }
    close(ends[1]);
    assert_int_equal(recv(ends[0], request, sizeof request, MSG_WAITALL), (ssize_t)sizeof request);
    assert_memory_equal(request, "\x03\0\0\0\x0c\0\0\0\x04\0\0\0\0\0\0\0util", sizeof request);
    return meeting;
}

static int part(const struct meeting *meeting)
{
    int status = 0;
    close(meeting->socket);
    assert_int_equal(waitpid(meeting->child, &status, 0), meeting->child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const char good_answer[] = "\x0a\0\0\0\x17\0\0\0"
                                  "\x01\x01\0\0\0\0\0\0\0s\x05\0\0\0\0\0\0\0" "12345";

/* A signal before each byte of the answer: the wait goes on as if nothing had been. */
static void test_signals(void **state)
{
    (void)state;
    struct meeting meeting = meet();
    for (size_t i = 0; i < sizeof good_answer - 1; i++) {
        usleep(500);
        assert_int_equal(kill(meeting.child, SIGALRM), 0);
        usleep(500);
        assert_int_equal(write(meeting.socket, good_answer + i, 1), 1);
    }
    assert_int_equal(part(&meeting), GOOD);
}

/* What a parent never sends, and a parent that goes away at any point. */
static void test_bad_answers(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {
#define ANSWER(bytes) {(bytes), sizeof(bytes) - 1}
        ANSWER("\x09\0\0\0\0\0\0\0"),                       /* another kind */
        ANSWER("\x0a\1\0\0\x01\0\0\0\x01"),                  /* a broken head */
        ANSWER("\x0a\0\0\0\xff\xff\xff\xff\x01"),            /* 4 GiB */
        ANSWER("\x0a\0\0\0\x01\0\0\0\x01"),                  /* nothing in it */
        ANSWER("\x0a\0\0\0\0\0\0\0"),                       /* not even the flag */
        ANSWER("\x0a\0\0\0\x02\0\0\0\x00\x00"),             /* refused without an error */
        ANSWER("\x0a\0\0\0\x0a\0\0\0\x00\x77\0\0\0\0\0\0\0\0"), /* refused by an unknown one */
#undef ANSWER
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct meeting meeting = meet();
        assert_int_equal(write(meeting.socket, rows[i].bytes, rows[i].length), (ssize_t)rows[i].length);
        assert_int_equal(part(&meeting), BAD);
    }
    for (size_t length = 0; length < sizeof good_answer - 1; length++) {
        struct meeting meeting = meet();
        assert_int_equal(write(meeting.socket, good_answer, length), (ssize_t)length);
        assert_int_equal(part(&meeting), BAD);
    }
}

static void test_request_too_long(void **state)
{
    static struct channel channel;
    static char name[FRAME_PAYLOAD_MAX];
    struct arena arena;
    struct channel_module module;
    struct err err = {.kind = ERR_NONE};
    (void)state;
    arena_init(&arena);
    channel_init(&channel, -1); /* nothing is sent */
    assert_false(channel_module(&channel, (struct str){name, sizeof name}, &arena, &module, &err));
    assert_int_equal(err.kind, ERR_SCENARIO);
    assert_false(channel.broken);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_bad_answers),
        cmocka_unit_test(test_request_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
