/* A destination holds the old body or the whole new one, and nothing is left beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"

static int set_up(void **state)
{
    static const char form[] = "/tmp/test_outfile.XXXXXX";
    char *root = malloc(sizeof form);
    assert_non_null(root);
    memcpy(root, form, sizeof form);
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    umask(022);
    *state = root;
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    assert_int_equal(chdir("/"), 0);
    (void)snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    int ignored = system(command);
    (void)ignored;
    free(*state);
    return 0;
}

static void put(const char *path, const char *body)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(body, file);
    assert_int_equal(fclose(file), 0);
}

/* Up to 99 bytes of a file. */
static const char *body_of(const char *path)
{
    static char body[100];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    body[fread(body, 1, sizeof body - 1, file)] = '\0';
    (void)fclose(file);
    return body;
}

static int entries_of(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = -2; /* `.` and `..` */
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count;
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static bool write_out(const char *path, const char *body, struct err *err)
{
    struct outfile file;
    *err = (struct err){.kind = ERR_NONE};
    if (!outfile_open(&file, path, err)) {
        return false;
    }
    sink_write(&file.sink, str_of(body));
    bool done = outfile_commit(&file, err);
    outfile_abandon(&file); /* harmless */
    return done;
}

static void test_commit(void **state)
{
    (void)state;
    struct err err;
    assert_true(write_out("new", "one", &err));
    assert_string_equal(body_of("new"), "one");
    assert_int_equal(mode_of("new"), 0644);
    assert_true(write_out("./new", "", &err));
    assert_string_equal(body_of("new"), "");
    assert_int_equal(chmod("new", 0600), 0);
    assert_true(write_out("new", "two", &err));
    assert_int_equal(mode_of("new"), 0600); /* what was private stays so */
    assert_int_equal(chmod("new", 0666), 0);
    assert_true(write_out("new", "three", &err));
    assert_int_equal(mode_of("new"), 0666); /* and the umask is for new files */
    umask(077);
    assert_true(write_out("private", "x", &err));
    assert_int_equal(mode_of("private"), 0600);
    assert_int_equal(entries_of("."), 2);
}

static void test_untouched_until_commit(void **state)
{
    (void)state;
    struct err err = {.kind = ERR_NONE};
    struct outfile file;
    char *large = malloc(1000000);
    assert_non_null(large);
    memset(large, 'x', 1000000);
    put("f", "old");
    assert_true(outfile_open(&file, "f", &err));
    sink_write(&file.sink, (struct str){large, 1000000});
    assert_string_equal(body_of("f"), "old");
    assert_int_equal(entries_of("."), 2);
    assert_int_equal(strncmp(file.temporary, ".f.", 3), 0);
    outfile_abandon(&file);
    outfile_abandon(&file);
    assert_string_equal(body_of("f"), "old");
    assert_int_equal(entries_of("."), 1);
    assert_true(outfile_open(&file, "f", &err));
    sink_write(&file.sink, (struct str){large, 1000000});
    assert_true(outfile_commit(&file, &err));
    struct stat status;
    assert_int_equal(stat("f", &status), 0);
    assert_int_equal(status.st_size, 1000000);
    free(large);
}

static void test_links(void **state)
{
    (void)state;
    struct err err;
    struct stat status;
    assert_int_equal(mkdir("d", 0755), 0);
    put("d/real", "old");
    assert_int_equal(symlink("d/hop", "link"), 0);
    assert_int_equal(symlink("real", "d/hop"), 0);
    assert_int_equal(symlink("d/made", "dangling"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_true(write_out("link", "new", &err));
    assert_string_equal(body_of("d/real"), "new");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_true(write_out("dangling", "made", &err));
    assert_string_equal(body_of("d/made"), "made");
    assert_false(write_out("loop", "x", &err));
    assert_non_null(strstr(err.message, "loop: cannot be written: "));
    assert_int_equal(entries_of("."), 4);
    assert_int_equal(entries_of("d"), 3);
}

static void test_refused(void **state)
{
    static const struct {
        const char *path;
        const char *message;
    } rows[] = {
        {"d", "d: cannot be written: Is a directory"},
        {"fresh/", "fresh/: cannot be written: Is a directory"},
        {"", ": cannot be written: No such file or directory"},
        {"none/f", "none/f: cannot be written: No such file or directory"},
        {"f/g", "f/g: cannot be written: Not a directory"},
        {"/dev/fd/999", "/dev/fd/999: cannot be written: Bad file descriptor"},
        {"/dev/full", "/dev/full: cannot be written: No space left on device"}, /* found by the checked flush */
        {"/proc/self/nothing", "/proc/self/nothing: cannot be written: "},
    };
    struct err err;
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    put("f", "old");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_false(write_out(rows[i].path, "x", &err));
        assert_int_equal(err.kind, ERR_IO);
        assert_int_equal(strncmp(err.message, rows[i].message, strlen(rows[i].message)), 0);
    }
    char name[300];
    memset(name, 'n', sizeof name);
    name[256] = '\0';
    assert_false(write_out(name, "x", &err)); /* one byte too long for a name */
    name[255] = '\0';
    assert_true(write_out(name, "x", &err)); /* the temporary name must not be longer still */
    assert_int_equal(entries_of("."), 3);
}

static void test_direct(void **state)
{
    (void)state;
    struct err err = {.kind = ERR_NONE};
    struct stat status;
    assert_true(write_out("/dev/null", "x", &err));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(mkfifo("fifo", 0644), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    char body[8] = {0};
    assert_true(write_out("fifo", "hello", &err));
    assert_int_equal(read(reader, body, sizeof body), 5);
    assert_string_equal(body, "hello");
    struct outfile file;
    assert_true(outfile_open(&file, "fifo", &err));
    assert_null(file.temporary);
    sink_write(&file.sink, STR("half"));
    outfile_abandon(&file);
    assert_int_equal(read(reader, body, sizeof body), 0); /* nothing of it went out */
    close(reader);
    assert_int_equal(entries_of("."), 1);
}

/* A numbered descriptor goes on where it stands: nothing before it is lost. */
static void test_descriptor(void **state)
{
    (void)state;
    struct err err;
    char path[32];
    put("log", "first ");
    int fd = open("log", O_WRONLY | O_APPEND);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_true(write_out(path, "second ", &err));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_true(write_out(path, "third", &err));
    assert_string_equal(body_of("log"), "first second third");
    close(fd);
}

/* Runs `body` in a child, whose limits and user it may change; 0 is right. */
static int in_child(int (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(body());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* A disk that fills up, played by a limit on the size of files. */
static int write_too_much(void)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct outfile file;
    struct err err = {.kind = ERR_NONE};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || !outfile_open(&file, "f", &err)) {
        return 1;
    }
    for (int i = 0; i < 20000; i++) {
        sink_write(&file.sink, STR("0123456789"));
    }
    return outfile_commit(&file, &err) || strcmp(err.message + strlen(err.message) - 14, "File too large") != 0;
}

static void test_disk_full(void **state)
{
    (void)state;
    put("f", "old");
    assert_int_equal(in_child(write_too_much), 0);
    assert_string_equal(body_of("f"), "old");
    assert_int_equal(entries_of("."), 1);
}

/* Folder and file that may not be written: an ordinary user is refused. */
static int write_as_nobody(void)
{
    struct err err;
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return 1;
    }
    bool wrong = write_out("closed/f", "x", &err) || strstr(err.message, "closed/f: ") == NULL ||
                 strstr(err.message, "Permission denied") == NULL;
    wrong = wrong || write_out("open/kept", "x", &err) || strstr(err.message, "Permission denied") == NULL;
    wrong = wrong || !write_out("open/f", "x", &err);
    return wrong;
}

static void test_readonly(void **state)
{
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_int_equal(mkdir("open", 0755), 0);
    put("open/kept", "old");
    assert_int_equal(chmod("open/kept", 0444), 0);
    assert_int_equal(chmod("open", 0777), 0);
    assert_int_equal(in_child(write_as_nobody), 0);
    assert_string_equal(body_of("open/kept"), "old");
    assert_int_equal(entries_of("closed"), 0);
    assert_int_equal(entries_of("open"), 2);
}

/* The destination became a folder meanwhile: the rename fails, and nothing stays behind. */
static void test_rename_fails(void **state)
{
    (void)state;
    struct err err = {.kind = ERR_NONE};
    struct outfile file;
    assert_true(outfile_open(&file, "f", &err));
    assert_int_equal(mkdir("f", 0755), 0);
    assert_false(outfile_commit(&file, &err));
    assert_string_equal(err.message, "f: cannot be written: Is a directory");
    assert_int_equal(entries_of("."), 1);
}

/* A killed writer leaves its file and loses its lock; what is being written has one. */
static void test_clean(void **state)
{
    (void)state;
    static const char *const others[] = {
        ".f.abcdef.tm", ".f.ABCDEF.tmp", "f.abcdef.tmp", ".f.abcde.tmp", ".abcdef.tmp",
    };
    struct err err = {.kind = ERR_NONE};
    struct outfile file;
    assert_true(outfile_open(&file, "f", &err));
    put(".f.abcdef.tmp", "left");
    put(".g.abcde0.tmp", "left");
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        put(others[i], "not ours");
    }
    outfile_clean(".", "f");
    assert_int_equal(entries_of("."), 2 + (int)ARRAY_LEN(others)); /* one was left of f, and the one of g stays */
    outfile_clean(".", NULL);
    assert_int_equal(entries_of("."), 1 + (int)ARRAY_LEN(others)); /* the one that is being written stays */
    assert_true(outfile_commit(&file, &err));
    outfile_clean("nonexistent", NULL);
    assert_int_equal(entries_of("."), 1 + (int)ARRAY_LEN(others));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_untouched_until_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_direct, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_descriptor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_disk_full, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_readonly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rename_fails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clean, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
