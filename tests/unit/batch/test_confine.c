/* Confine: what a confined process can still do, and that everything else ends it. */
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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "batch/confine.h"

enum { REFUSED_CODE = 42, DONE_CODE = 43, MISSING_CODE = 44 };

static const struct confine_limits ordinary = {.max_seconds = 5, .max_memory = (size_t)64 << 20, .descriptors = 4};

/* Forks, confines, runs the body; the status of wait. */
static int run_confined(const struct confine_limits *given, void (*body)(void))
{
    struct confine_limits limits = *given;
    int status = 0;
    limits.parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        if (confine_process(&limits) != 0) {
            _exit(MISSING_CODE);
        }
        body();
        _exit(DONE_CODE);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Every part is there on a kernel that these tests make sense on. */
static void nothing(void)
{
}

static void test_all_parts(void **state)
{
    (void)state;
    int status = run_confined(&ordinary, nothing);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == MISSING_CODE) {
        print_message("this kernel lacks a part of the sandbox\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), DONE_CODE);
}

/* One system call with up to four arguments; text arguments are addresses. */
#define TEXT(text) ((long)(intptr_t)(text))
static const struct call_row {
    const char *name;
    long number;
    long arguments[4];
} forbidden_rows[] = {
    {"open a file", SYS_openat, {AT_FDCWD, 0 /* "/etc/passwd", below */, O_RDONLY, 0}},
    {"make a file", SYS_openat, {AT_FDCWD, 0, O_WRONLY | O_CREAT, 0600}},
    {"stat", SYS_newfstatat, {AT_FDCWD, 0, 0, 0}},
    {"look for a file", SYS_faccessat, {AT_FDCWD, 0, F_OK, 0}},
    {"remove a file", SYS_unlinkat, {AT_FDCWD, 0, 0, 0}},
    {"make a folder", SYS_mkdirat, {AT_FDCWD, 0, 0700, 0}},
    {"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0, 0}},
    {"local socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0, 0}},
    {"socketpair", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}},
    {"sendmsg", SYS_sendmsg, {3, 0, 0, 0}}, /* descriptors could be passed */
    {"recvmsg", SYS_recvmsg, {3, 0, 0, 0}},
    {"execve", SYS_execve, {0, 0, 0, 0}},
    {"clone", SYS_clone, {SIGCHLD, 0, 0, 0}}, /* fork */
    {"clone3", SYS_clone3, {0, 0, 0, 0}},
    {"kill init", SYS_kill, {1, 0, 0, 0}},
    {"kill all", SYS_kill, {-1, 0, 0, 0}},
    {"tgkill another", SYS_tgkill, {1, 1, 0, 0}},
    {"ptrace", SYS_ptrace, {PTRACE_TRACEME, 0, 0, 0}},
    {"pipe2", SYS_pipe2, {0, 0, 0, 0}},
    {"dup", SYS_dup, {2, 0, 0, 0}},
    {"prctl", SYS_prctl, {4 /* PR_SET_DUMPABLE */, 1, 0, 0}},
    {"prlimit", SYS_prlimit64, {0, 0, 0, 0}},
    {"setuid", SYS_setuid, {0, 0, 0, 0}},
    {"mount", SYS_mount, {0, 0, 0, 0}},
    {"bpf", SYS_bpf, {0, 0, 0, 0}},
    {"io_uring", SYS_io_uring_setup, {1, 0, 0, 0}},
    {"userfaultfd", SYS_userfaultfd, {0, 0, 0, 0}},
    {"keyctl", SYS_keyctl, {0, 0, 0, 0}},
    {"setitimer", SYS_setitimer, {0, 0, 0, 0}},
    {"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS}},
#ifndef SIMAGENT_SANITIZE
    {"mprotect", SYS_mprotect, {0, 4096, PROT_READ | PROT_EXEC, 0}}, /* the sanitizers need it */
    {"ioctl", SYS_ioctl, {2, 0x5412 /* TIOCSTI */, 0, 0}},
#endif
};

static const struct call_row *tried;

static void try_call(void)
{
    const long *a = tried->arguments;
    long path = a[0] == AT_FDCWD || tried->number == SYS_execve ? TEXT("/bin/true") : a[1];
    long first = tried->number == SYS_execve ? path : a[0];
    long result = syscall(tried->number, first, tried->number == SYS_execve ? 0 : path, a[2], a[3], -1L, 0L);
    _exit(result == -1 && errno == EPERM ? REFUSED_CODE : DONE_CODE);
}

/* Ends the process; in builds with sanitizers the call fails and does nothing. */
static bool was_refused(int status)
{
#ifdef SIMAGENT_SANITIZE
    return WIFEXITED(status) && WEXITSTATUS(status) == REFUSED_CODE;
#else
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
#endif
}

static void test_forbidden_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(forbidden_rows); i++) {
        tried = &forbidden_rows[i];
        int status = run_confined(&ordinary, try_call);
        if (!was_refused(status)) {
            fail_msg("%s: status %x", tried->name, (unsigned)status);
        }
    }
}

/* The second layer holds without the third: nothing can be opened, though every call is allowed. */
static void test_landlock_alone(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !confine_by_landlock()) {
            _exit(MISSING_CODE);
        }
        bool refused = open("/etc/passwd", O_RDONLY) == -1 && errno == EACCES;
        refused = refused && open("/tmp/simagent_landlock", O_WRONLY | O_CREAT, 0600) == -1 && errno == EACCES;
        refused = refused && open("/tmp", O_RDONLY | O_DIRECTORY) == -1 && errno == EACCES;
        refused = refused && execl("/bin/true", "true", (char *)NULL) == -1 && errno == EACCES;
        _exit(refused ? REFUSED_CODE : DONE_CODE);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == MISSING_CODE) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), REFUSED_CODE);
}

static void use_what_is_left(void)
{
    struct timespec now;
    for (size_t size = 16; size < ((size_t)32 << 20); size *= 2) { /* brk, mmap, munmap, mremap */
        char *block = malloc(size);
        if (!block) {
            _exit(1);
        }
        memset(block, 1, size);
        block = realloc(block, size * 2);
        if (!block || block[size - 1] != 1) {
            _exit(2);
        }
        free(block);
    }
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || write(1, "", 0) != 0 || getpid() <= 0) {
        _exit(3);
    }
}

static void test_allowed_calls(void **state)
{
    (void)state;
    int status = run_confined(&ordinary, use_what_is_left);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), DONE_CODE);
}

/* A crash must show as itself and not as a forbidden call. */
static void crash_by_abort(void)
{
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void test_abort(void **state)
{
    (void)state;
    int status = run_confined(&ordinary, crash_by_abort);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void use_closed_descriptor(void)
{
    _exit(write(7, "x", 1) == -1 && errno == EBADF ? REFUSED_CODE : DONE_CODE);
}

static void test_descriptors_are_closed(void **state)
{
    (void)state;
    assert_int_equal(dup2(2, 7), 7);
    int status = run_confined(&ordinary, use_closed_descriptor);
    close(7);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), REFUSED_CODE);
}

#ifndef SIMAGENT_SANITIZE
static void take_too_much(void)
{
    void *within = mmap(NULL, (size_t)4 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *beyond = mmap(NULL, (size_t)5 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    _exit(within != MAP_FAILED && beyond == MAP_FAILED ? REFUSED_CODE : DONE_CODE);
}

static void test_address_space(void **state)
{
    (void)state;
    int status = run_confined(&ordinary, take_too_much);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), REFUSED_CODE);
}
#endif

/* The confined process dies with its parent: the last writer of the pipe is gone. */
static void test_dies_with_parent(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t middle = fork();
    if (middle == 0) {
        struct confine_limits limits = {.descriptors = 4, .parent = getpid()};
        if (fork() == 0) {
            int held = fcntl(ends[1], F_DUPFD, 16); /* the pipe may be 3 itself */
            int unread[2];
            if (pipe(unread) != 0 || dup2(unread[0], 0) != 0 || dup2(unread[1], 1) != 1 || dup2(held, 3) != 3) {
                _exit(1);
            }
            (void)confine_process(&limits);
            ssize_t told = write(3, "c", 1); /* confined */
            ssize_t got = read(0, &byte, 1); /* never comes: we hold the other end */
            _exit(told == 1 && got == 1);
        }
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    int status = 0;
    assert_int_equal(waitpid(middle, &status, 0), middle);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* A parent that is gone already: the caller ends before it does anything. */
static void test_parent_is_gone(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct confine_limits limits = {.descriptors = 4, .parent = 1};
        limits.parent = getppid() + 1;
        (void)confine_process(&limits);
        _exit(DONE_CODE);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_describe(void **state)
{
    static const struct {
        unsigned missing;
        const char *text;
    } rows[] = {
        {CONFINE_LIMITS, "resource limits"},
        {CONFINE_LANDLOCK, "Landlock"},
        {CONFINE_LANDLOCK | CONFINE_SECCOMP, "Landlock and the system-call filter"},
        {CONFINE_LIMITS | CONFINE_SECCOMP, "resource limits and the system-call filter"},
        {CONFINE_LIMITS | CONFINE_LANDLOCK | CONFINE_SECCOMP, "resource limits, Landlock and the system-call filter"},
        {0, ""},
    };
    (void)state;
    struct arena arena;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str text = confine_describe(&arena, rows[i].missing);
        if (!str_eq(text, str_of(rows[i].text))) {
            fail_msg("%u: '%.*s'", rows[i].missing, STR_ARG(text));
        }
    }
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts),
        cmocka_unit_test(test_forbidden_calls),
        cmocka_unit_test(test_landlock_alone),
        cmocka_unit_test(test_allowed_calls),
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_descriptors_are_closed),
#ifndef SIMAGENT_SANITIZE
        cmocka_unit_test(test_address_space),
#endif
        cmocka_unit_test(test_dies_with_parent),
        cmocka_unit_test(test_parent_is_gone),
        cmocka_unit_test(test_describe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
