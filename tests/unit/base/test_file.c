/* What base/file reads, and what it must refuse: each row says why. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

struct fixture {
    struct arena arena;
    char root[64];
    int folder;
};

static void put(int folder, const char *path, const char *body, size_t len)
{
    int fd = openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, body, len), len);
    assert_int_equal(close(fd), 0);
}

static void put_text(int folder, const char *path, const char *body)
{
    put(folder, path, body, strlen(body));
}

static void make_socket(int folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(socket_fd >= 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
    assert_int_equal(bind(socket_fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(socket_fd);
}

static void make_tree(int at)
{
    assert_int_equal(mkdirat(at, "in", 0755), 0);
    put_text(at, "secret", "secret");
    int in = openat(at, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(in >= 0);
    assert_int_equal(mkdirat(in, "d", 0755), 0);
    put_text(in, "a.txt", "alpha");
    put_text(in, "d/b.txt", "beta");
    put_text(in, "empty", "");
    put_text(in, "..hidden", "dots");
    put_text(in, "new\nline", "newline");
    put_text(in, "bad\xff\xc3", "invalid");
    put(in, "nul", "a\0b", 3);
    assert_int_equal(symlinkat("a.txt", in, "link"), 0);
    assert_int_equal(symlinkat("../secret", in, "out"), 0);
    assert_int_equal(symlinkat("..", in, "up"), 0);
    assert_int_equal(symlinkat("d", in, "dlink"), 0);
    assert_int_equal(symlinkat("loop", in, "loop"), 0);
    assert_int_equal(mkfifoat(in, "fifo", 0644), 0);
    make_socket(in, "sock");
    close(in);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    arena_init(&f->arena);
    strcpy(f->root, "/tmp/test_file.XXXXXX");
    assert_non_null(mkdtemp(f->root));
    int at = open(f->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(at >= 0);
    make_tree(at);
    close(at);
    struct err err = {.kind = ERR_NONE};
    f->folder = file_open_folder(str_printf(&f->arena, "%s/in%c", f->root, '\0').data, &err);
    assert_true(f->folder >= 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[96];
    close(f->folder);
    (void)snprintf(command, sizeof command, "rm -rf %s", f->root);
    int ignored = system(command);
    (void)ignored;
    arena_close(&f->arena);
    free(f);
    return 0;
}

#define BYTES(literal) {(literal), sizeof(literal) - 1}

static const struct {
    struct str path;
    struct str body; /* data NULL: must be refused */
} beneath_rows[] = {
    {BYTES("a.txt"), BYTES("alpha")},       /* plain */
    {BYTES("d/b.txt"), BYTES("beta")},      /* a folder on the way */
    {BYTES("empty"), BYTES("")},            /* nothing in it is no failure */
    {BYTES("..hidden"), BYTES("dots")},     /* two dots only begin the name */
    {BYTES("new\nline"), BYTES("newline")}, /* names are bytes */
    {BYTES("bad\xff\xc3"), BYTES("invalid")}, /* also not UTF-8 */
    {BYTES("nul"), BYTES("a\0b")},          /* bodies hold NUL */
    {BYTES("none"), {NULL, 0}},             /* missing */
    {BYTES(""), {NULL, 0}},                 /* the folder itself */
    {BYTES("d"), {NULL, 0}},                /* a folder */
    {BYTES("link"), {NULL, 0}},             /* a link, though it stays inside */
    {BYTES("out"), {NULL, 0}},              /* a link that leaves */
    {BYTES("up/secret"), {NULL, 0}},        /* a folder link that leaves */
    {BYTES("dlink/b.txt"), {NULL, 0}},      /* a folder link that stays inside */
    {BYTES("loop"), {NULL, 0}},             /* a link to itself */
    {BYTES("fifo"), {NULL, 0}},             /* would block */
    {BYTES("sock"), {NULL, 0}},
    {BYTES("../secret"), {NULL, 0}},
    {BYTES("d/../a.txt"), {NULL, 0}},       /* inside, but not plain */
    {BYTES("d/.."), {NULL, 0}},
    {BYTES("./a.txt"), {NULL, 0}},
    {BYTES("d/./b.txt"), {NULL, 0}},
    {BYTES("d//b.txt"), {NULL, 0}},
    {BYTES("a.txt/"), {NULL, 0}},
    {BYTES("/a.txt"), {NULL, 0}},
    {BYTES("/etc/passwd"), {NULL, 0}},
    {BYTES("a.txt\0x"), {NULL, 0}},         /* the kernel would read only up to the NUL */
    {BYTES("a.txt/b"), {NULL, 0}},          /* a file as a folder */
};

/* The number of rows that go wrong; without assertions, to be run in a child too. */
static int count_wrong_rows(struct fixture *f)
{
    int wrong = 0;
    for (size_t i = 0; i < ARRAY_LEN(beneath_rows); i++) {
        struct err err = {.kind = ERR_NONE};
        struct str body = {NULL, 0};
        struct str wanted = beneath_rows[i].body;
        bool done = file_read_beneath(&f->arena, f->folder, beneath_rows[i].path, -1, 100, &body, &err);
        bool right = wanted.data != NULL ? done && str_eq(body, wanted) : !done && err.kind == ERR_IO;
        if (!right) {
            (void)fprintf(stderr, "row %zu: %s\n", i, err.message);
            wrong++;
        }
    }
    return wrong;
}

static void test_beneath(void **state)
{
    assert_int_equal(count_wrong_rows(*state), 0);
}

/* From now on openat2 answers with `error` in this process. */
static bool forbid_openat2(unsigned error)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_LEN(steps), .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Old kernels say ENOSYS, some sandboxes EPERM: the rows must come out the same. */
static void test_beneath_without_openat2(void **state)
{
    static const unsigned errors[] = {ENOSYS, EPERM};
    for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            bool ready = forbid_openat2(errors[i]) && syscall(SYS_openat2, -1, "", NULL, 0) == -1 &&
                         errno == (int)errors[i];
            _exit(ready ? count_wrong_rows(*state) : 99);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* Longer than the kernel takes in one call: twenty folders with names of 250 bytes. */
static void test_beneath_long_path(void **state)
{
    struct fixture *f = *state;
    char name[252];
    memset(name, 'n', sizeof name);
    name[250] = '/';
    name[251] = '\0';
    struct strbuf path;
    strbuf_init(&path, &f->arena, 8192);
    int at = openat(f->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(mkdirat(at, name, 0755), 0);
        int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
        strbuf_add(&path, str_of(name));
    }
    put_text(at, "file", "deep");
    assert_int_equal(symlinkat("file", at, "link"), 0);
    close(at);
    size_t len = path.len;
    struct err err = {.kind = ERR_NONE};
    struct str body;
    strbuf_add(&path, STR("file"));
    assert_true(file_read_beneath(&f->arena, f->folder, strbuf_str(&path), 4, 100, &body, &err));
    assert_true(str_eq(body, STR("deep")));
    path.len = len;
    strbuf_add(&path, STR("link"));
    assert_false(file_read_beneath(&f->arena, f->folder, strbuf_str(&path), -1, 100, &body, &err));
}

static const struct {
    int64_t expected;
    int64_t limit;
    const char *message; /* NULL: fine; of a.txt, which has 5 bytes */
} size_rows[] = {
    {-1, 5, NULL},        /* exactly the limit */
    {5, 5, NULL},
    {5, INT64_MAX, NULL}, /* no overflow */
    {-1, INT64_MAX, NULL},
    {-1, 4, "a.txt: too large: 5 bytes, the limit is 4"},
    {5, 4, "a.txt: too large: 5 bytes, the limit is 4"},
    {-1, 0, "a.txt: too large: 5 bytes, the limit is 0"},
    {4, 9, "a.txt changed while it was being read (4 bytes when listed, 5 now): run again, or leave it out"},
    {0, 9, "a.txt changed while it was being read (0 bytes when listed, 5 now): run again, or leave it out"},
    {6, 9, "a.txt changed while it was being read (6 bytes when listed, 5 now): run again, or leave it out"},
    /* The cause, not the limit. */
    {3, 4, "a.txt changed while it was being read (3 bytes when listed, 5 now): run again, or leave it out"},
    {INT64_MAX, 9, "a.txt changed while it was being read (9223372036854775807 bytes when listed, 5 now): "
                   "run again, or leave it out"},
};

static void test_sizes(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(size_rows); i++) {
        struct err err = {.kind = ERR_NONE};
        struct str body;
        bool done = file_read_beneath(&f->arena, f->folder, STR("a.txt"), size_rows[i].expected, size_rows[i].limit,
                                      &body, &err);
        assert_string_equal(err.message, size_rows[i].message != NULL ? size_rows[i].message : "");
        assert_true(done == (size_rows[i].message == NULL));
        assert_true(!done || str_eq(body, STR("alpha")));
    }
}

static bool read_whole(struct fixture *f, const char *name, size_t limit, struct str *body, struct err *err)
{
    char path[PATH_MAX];
    *err = (struct err){.kind = ERR_NONE};
    (void)snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : f->root, name[0] == '/' ? "" : "/", name);
    return file_read_whole(&f->arena, path, limit, body, err);
}

static const struct {
    const char *path;
    const char *body;   /* NULL: refused */
    const char *reason; /* part of the message */
} whole_rows[] = {
    {"in/a.txt", "alpha", ""},
    {"in/link", "alpha", ""},    /* links are followed: the user named this path */
    {"in/up/secret", "secret", ""},
    {"in/empty", "", ""},
    {"in/d", NULL, "is a folder"},
    {"in/fifo", NULL, "is a pipe"},
    {"in/sock", NULL, "is a socket"},
    {"in/loop", NULL, "Too many levels of symbolic links"},
    {"in/none", NULL, "/in/none: No such file or directory"},
    {"/dev/zero", NULL, "/dev/zero: is a device"}, /* endless */
    {"/", NULL, "is a folder"},
};

static void test_whole(void **state)
{
    struct err err;
    struct str body;
    for (size_t i = 0; i < ARRAY_LEN(whole_rows); i++) {
        bool done = read_whole(*state, whole_rows[i].path, 100, &body, &err);
        assert_true(done == (whole_rows[i].body != NULL));
        assert_true(!done || str_eq(body, str_of(whole_rows[i].body)));
        assert_non_null(strstr(err.message, whole_rows[i].reason));
        assert_int_equal(err.kind, done ? ERR_NONE : ERR_IO);
    }
    assert_true(read_whole(*state, "in/a.txt", SIZE_MAX, &body, &err));
    assert_false(read_whole(*state, "in/a.txt", 4, &body, &err));
    assert_non_null(strstr(err.message, "in/a.txt: too large: 5 bytes, the limit is 4"));
}

/* Files of /proc say that they are empty; the body must come whole all the same, and the limit must hold. */
static void test_whole_of_unknown_size(void **state)
{
    struct err err;
    struct str body;
    assert_true(read_whole(*state, "/proc/self/smaps", 1u << 30, &body, &err));
    assert_true(body.len > 10000);
    assert_int_equal(body.data[body.len - 1], '\n');
    assert_false(read_whole(*state, "/proc/self/smaps", 9000, &body, &err));
    assert_non_null(strstr(err.message, "the limit is 9000"));
}

static size_t arena_use(const struct arena *arena)
{
    return arena_mark(arena).used;
}

/* I3 */
static void test_failure_keeps_arena(void **state)
{
    struct fixture *f = *state;
    struct err err;
    struct str body;
    (void)arena_bytes(&f->arena, 10);
    size_t before = arena_use(&f->arena);
    assert_false(read_whole(f, "/proc/self/maps", 10, &body, &err));
    assert_int_equal(arena_use(&f->arena), before);
}

static void test_paths(void **state)
{
    struct fixture *f = *state;
    struct err err = {.kind = ERR_NONE};
    char path[128];
    char real[PATH_MAX];
    struct str found;
    (void)snprintf(path, sizeof path, "%s/in/up/in/./link", f->root);
    assert_true(file_exists(path));
    assert_true(file_real_path(&f->arena, path, &found, &err));
    assert_non_null(realpath(f->root, real));
    strcat(real, "/in/a.txt");
    assert_true(str_eq(found, str_of(real)));
    (void)snprintf(path, sizeof path, "%s/in/loop", f->root);
    assert_false(file_exists(path));
    assert_false(file_real_path(&f->arena, path, &found, &err));
    assert_non_null(strstr(err.message, path));
    (void)snprintf(path, sizeof path, "%s/in/a.txt", f->root);
    struct err folder_err = {.kind = ERR_NONE};
    assert_int_equal(file_open_folder(path, &folder_err), -1);
    assert_non_null(strstr(folder_err.message, "/in/a.txt: is not a folder"));
}

/* Links and folders change places with files while they are read: what is read is inside, or nothing is. */
static void test_swapping(void **state)
{
    struct fixture *f = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int at = openat(f->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (;;) {
            (void)renameat2(at, "d", at, "up", RENAME_EXCHANGE);
            (void)renameat2(at, "a.txt", at, "out", RENAME_EXCHANGE);
        }
    }
    int wrong = 0;
    int read = 0;
    for (int i = 0; i < 3000 || read == 0; i++) { /* on a busy machine the child may hold still while they are apart */
        struct arena_mark mark = arena_mark(&f->arena);
        struct err err = {.kind = ERR_NONE};
        struct str body;
        struct str path = i % 2 == 0 ? STR("d/secret") : STR("a.txt");
        if (file_read_beneath(&f->arena, f->folder, path, -1, 100, &body, &err)) {
            wrong += str_eq(body, STR("secret")) ? 1 : 0;
            read++;
        }
        arena_release(&f->arena, mark);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_beneath, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_beneath_without_openat2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_beneath_long_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_whole_of_unknown_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failure_keeps_arena, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_swapping, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
