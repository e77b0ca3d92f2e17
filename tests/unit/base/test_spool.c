/* All that was written comes out, once asked for, or the result says otherwise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/spool.h"

static char pattern_at(int64_t position)
{
    return (char)((position * 131 + position / 977) & 0xff);
}

/* Writes `size` bytes in pieces of changing length. */
static void fill(struct spool *spool, int64_t size)
{
    char piece[1000];
    for (int64_t done = 0; done < size;) {
        size_t len = (size_t)(done % 997) + 1;
        len = (int64_t)len > size - done ? (size_t)(size - done) : len;
        for (size_t i = 0; i < len; i++) {
            piece[i] = pattern_at(done + (int64_t)i);
        }
        sink_write(spool_sink(spool), (struct str){piece, len});
        done += (int64_t)len;
    }
}

/* Reads to the end and compares; the number of bytes, or -1 if one was wrong. */
static int64_t check_all(int fd, useconds_t pause)
{
    char piece[4096];
    int64_t done = 0;
    for (;;) {
        ssize_t got = read(fd, piece, sizeof piece);
        if (got <= 0) {
            return got < 0 ? -1 : done;
        }
        for (ssize_t i = 0; i < got; i++) {
            if (piece[i] != pattern_at(done++)) {
                return -1;
            }
        }
        usleep(pause);
    }
}

static void open_spool(struct spool *spool)
{
    struct err err = {.kind = ERR_NONE};
    assert_true(spool_open(spool, &err));
}

/* Nothing, less and more than a buffer of the sink, 5 MiB, more than 8 MiB; each copied twice. */
static void test_sizes(void **state)
{
    static const int64_t sizes[] = {0, 1, 65535, 65536, 65537, 5 << 20, (9 << 20) + 7};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct spool spool;
        struct stat status;
        int error = -1;
        char path[] = "/tmp/test_spool.XXXXXX";
        int fd = mkstemp(path);
        unlink(path);
        open_spool(&spool);
        fill(&spool, sizes[i]);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(ftruncate(fd, 0), 0);
            assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
            assert_int_equal(spool_copy_to(&spool, fd, &error), SPOOL_COPIED);
            assert_int_equal(error, 0);
            assert_int_equal(fstat(fd, &status), 0);
            assert_int_equal(status.st_size, sizes[i]);
            assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
            assert_int_equal(check_all(fd, 0), sizes[i]);
        }
        spool_close(&spool);
        spool_close(&spool);
        close(fd);
    }
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
}

/* A slow reader behind a pipe that does not block, and signals in between: short writes, EAGAIN and EINTR. */
static void check_pipe(int flags)
{
    int ends[2];
    assert_int_equal(pipe2(ends, 0), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[1]);
        _exit(check_all(ends[0], 100) == 1500000 ? 0 : 1);
    }
    close(ends[0]);
    assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
    sigaction(SIGALRM, &action, NULL);
    ualarm(1000, 1000);
    struct spool spool;
    int error;
    open_spool(&spool);
    fill(&spool, 1500000);
    enum spool_result result = spool_copy_to(&spool, ends[1], &error);
    ualarm(0, 0);
    spool_close(&spool);
    close(ends[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(result, SPOOL_COPIED);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_pipes(void **state)
{
    (void)state;
    check_pipe(0);
    check_pipe(O_NONBLOCK);
}

static void test_failures(void **state)
{
    struct spool spool;
    int error = 0;
    int ends[2];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    open_spool(&spool);
    fill(&spool, 100);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    assert_int_equal(spool_copy_to(&spool, ends[1], &error), SPOOL_PIPE_CLOSED);
    assert_int_equal(error, EPIPE);
    close(ends[1]);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(spool_copy_to(&spool, full, &error), SPOOL_REFUSED);
    assert_int_equal(error, ENOSPC);
    close(full);
    assert_int_equal(spool_copy_to(&spool, -1, &error), SPOOL_REFUSED);
    assert_int_equal(error, EBADF);
    assert_int_equal(ftruncate(spool.fd, 50), 0);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(spool_copy_to(&spool, null, &error), SPOOL_LOST);
    assert_int_equal(error, EIO);
    close(null);
    spool_close(&spool);
}

/* Closing without a copy drops what the buffer holds. */
static void test_drop(void **state)
{
    struct spool spool;
    (void)state;
    open_spool(&spool);
    fill(&spool, 70000);
    spool_close(&spool);
    assert_int_equal(spool.fd, -1);
}

static int wait_for(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int overfill(void)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct err err = {.kind = ERR_NONE};
    struct spool spool;
    int error = 0;
    int ends[2];
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !spool_open(&spool, &err) || pipe2(ends, O_NONBLOCK) != 0) {
        return 1;
    }
    fill(&spool, 200000);
    bool lost = spool_copy_to(&spool, ends[1], &error) == SPOOL_LOST && error == EFBIG;
    char byte;
    lost = lost && read(ends[0], &byte, 1) == -1; /* and nothing of it came out */
    lost = lost && spool_copy_to(&spool, ends[1], &error) == SPOOL_LOST; /* it stays so */
    spool_close(&spool);
    return lost ? 0 : 2;
}

/* A full disk under the spool, played by a limit on the size of files. */
static void test_lost(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(overfill());
    }
    assert_int_equal(wait_for(child), 0);
}

static int copy_small(void)
{
    struct err err = {.kind = ERR_NONE};
    struct spool spool;
    int error;
    int ends[2];
    if (!spool_open(&spool, &err) || pipe2(ends, 0) != 0) {
        return 1;
    }
    fill(&spool, 3000);
    bool right = spool_copy_to(&spool, ends[1], &error) == SPOOL_COPIED;
    spool_close(&spool);
    close(ends[1]);
    return right && check_all(ends[0], 0) == 3000 ? 0 : 2;
}

/* $TMPDIR names nothing, takes no files, is empty; and no folder at all. */
static void test_places(void **state)
{
    static const char *const places[] = {"/nonexistent", "/proc", "", NULL};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)setenv("TMPDIR", places[i] != NULL ? places[i] : "/none", 1);
            /* Where it may, the last row really has no folder: a root below /sys has no /tmp. */
            int changed = places[i] == NULL ? chroot("/sys/kernel") : 0;
            (void)changed;
            _exit(copy_small());
        }
        assert_int_equal(wait_for(child), 0);
    }
}

/* Back into memory: what went through the sink, and what somebody else wrote to the descriptor. */
static void test_read(void **state)
{
    (void)state;
    struct arena arena;
    struct spool spool;
    struct err err = {.kind = ERR_NONE};
    struct str text;
    arena_init(&arena);
    assert_true(spool_open(&spool, &err));
    sink_write(spool_sink(&spool), STR("one\0two"));
    assert_true(spool_read(&spool, &arena, 7, &text, &err));
    assert_true(str_eq(text, STR("one\0two")));
    assert_int_equal(write(spool.fd, "!", 1), 1);
    assert_true(spool_read(&spool, &arena, 8, &text, &err));
    assert_true(str_eq(text, STR("one\0two!")));
    assert_false(spool_read(&spool, &arena, 7, &text, &err));
    assert_int_equal(err.kind, ERR_IO);
    spool_close(&spool);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_pipes), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_drop),  cmocka_unit_test(test_lost),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
