/* Sink: bytes arrive in order through short writes and signals; the first failure is kept. */
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
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/sink.h"

/* Writes pieces of random sizes, many around the size of the buffer, and keeps what should arrive. */
static size_t write_pieces(struct sink *sink, struct rng *rng, char *expected, size_t room)
{
    size_t len = 0;
    for (;;) {
        int64_t kind = rng_between(rng, 0, 9);
        size_t n = (size_t)(kind < 8 ? rng_between(rng, 0, 300) : rng_between(rng, 65000, 200000));
        if (len + n + 1 > room) {
            return len;
        }
        for (size_t i = 0; i < n; i++) {
            expected[len + i] = (char)rng_next(rng);
        }
        sink_write(sink, (struct str){expected + len, n});
        len += n;
        expected[len++] = 'c';
        sink_putc(sink, 'c');
    }
}

static void test_file_holds_all(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 5, STR("test"));
    char path[] = "/tmp/simagent-sink-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    size_t room = 3000000;
    char *expected = malloc(room), *found = malloc(room);
    struct sink sink;
    sink_open(&sink, fd);
    size_t len = write_pieces(&sink, &rng, expected, room);
    assert_true(sink.written == (int64_t)len);
    assert_true(sink_close(&sink));
    assert_true(pread(fd, found, room, 0) == (ssize_t)len);
    assert_memory_equal(found, expected, len);
    assert_int_equal(close(fd), 0); /* the sink left it open */
    free(expected);
    free(found);
}

static void on_alarm(int number)
{
    (void)number;
}

/* A slow reader at the end of a small pipe, and a signal every 2 ms: writes come back short or interrupted. */
static void test_pipe_with_signals(void **state)
{
    (void)state;
    int ends[2], sums[2];
    assert_true(pipe(ends) == 0 && pipe(sums) == 0);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        uint64_t sum = 0, n = 0;
        unsigned char block[3000];
        for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0; usleep(100)) {
            for (ssize_t i = 0; i < got; i++) {
                sum += block[i] * ++n;
            }
        }
        _exit(write(sums[1], &sum, sizeof sum) == sizeof sum ? 0 : 1);
    }
    close(ends[0]);
    struct sigaction action = {.sa_handler = on_alarm}, before; /* without SA_RESTART */
    sigaction(SIGALRM, &action, &before);
    struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    struct rng rng;
    rng_init(&rng, 6, STR("test"));
    char *expected = malloc(600000);
    struct sink sink;
    sink_open(&sink, ends[1]);
    size_t len = write_pieces(&sink, &rng, expected, 600000);
    bool whole = sink_close(&sink);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(ends[1]);
    uint64_t sum = 0, found = 0;
    for (size_t i = 0; i < len; i++) {
        sum += (unsigned char)expected[i] * (uint64_t)(i + 1);
    }
    assert_true(whole);
    assert_true(read(sums[0], &found, sizeof found) == sizeof found);
    assert_true(found == sum);
    waitpid(child, NULL, 0);
    close(sums[0]);
    close(sums[1]);
    free(expected);
}

static void test_first_failure_is_kept(void **state)
{
    (void)state;
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    struct sink sink;
    sink_open(&sink, full);
    sink_write(&sink, STR("kept in the buffer"));
    assert_int_equal(sink.first_errno, 0);
    assert_false(sink_close(&sink)); /* a failure at the last flush counts */
    assert_int_equal(sink.first_errno, ENOSPC);
    close(full);

    sink_open(&sink, full); /* closed now */
    char *large = calloc(1, 100000);
    sink_write(&sink, (struct str){large, 100000});
    assert_int_equal(sink.first_errno, EBADF);
    int64_t written = sink.written;
    sink_write(&sink, (struct str){large, 100000});
    assert_true(sink.written == written);
    assert_false(sink_close(&sink));
    assert_int_equal(sink.first_errno, EBADF);
    free(large);
}

static void test_counting(void **state)
{
    (void)state;
    struct sink sink;
    sink_open(&sink, -1);
    sink_write(&sink, STR("abc"));
    sink_putc(&sink, 'd');
    sink_write(&sink, (struct str){NULL, 0});
    assert_true(sink.written == 4);
    assert_true(sink_close(&sink));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_holds_all),
        cmocka_unit_test(test_pipe_with_signals),
        cmocka_unit_test(test_first_failure_is_kept),
        cmocka_unit_test(test_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
