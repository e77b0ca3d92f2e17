/* Box: what real commands may do and what not, that they end, and that what they change comes back.
 *
 * Without bubblewrap, or where it cannot make its sandbox, the tests that run commands are skipped, with the reason.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "batch/clock.h"
#include "batch/box.h"
#include "batch/program.h"
#include "unit/batch/outcome.h"

enum { SECOND_US = 1000000 };

/* A box, and what the last command in it came to. */
struct bench {
    struct arena arena;
    struct box box;
    struct program_end end;
    struct box_changes changes;
    struct err err;
    const char *why_not; /* commands cannot run here */
    char path[4096];
};

static bool run_within(struct bench *bench, const char *command, int64_t timeout_ms)
{
    struct box_command asked = {
        .text = str_of(command), .timeout_ms = timeout_ms, .deadline_us = INT64_MAX, .lifeline = -1};
    bench->err.kind = ERR_NONE;
    return box_run(&bench->box, &asked, &bench->arena, &bench->end, &bench->err);
}

static void sh(struct bench *bench, const char *command)
{
    if (!run_within(bench, command, 20000)) {
        fail_msg("%s", bench->err.message);
    }
    assert_false(bench->end.timed_out);
}

static bool said(const struct bench *bench, const char *text)
{
    struct str out = bench->end.out;
    return out.len > 0 && memmem(out.data, out.len, text, strlen(text)) != NULL;
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    *state = bench;
    arena_init(&bench->arena);
    if (!box_open(&bench->box, &bench->err)) {
        return -1;
    }
    (void)snprintf(bench->path, sizeof bench->path, "%.*s", STR_ARG(bench->box.path));
    if (!box_probe(&bench->err) || !run_within(bench, ":", 20000)) {
        bench->why_not = bench->err.message;
    }
    return 0;
}

/* Whatever a test did, nothing is left. */
static int tear_down(void **state)
{
    struct bench *bench = *state;
    box_close(&bench->box);
    arena_close(&bench->arena);
    bool left = access(bench->path, F_OK) == 0;
    free(bench);
    return left ? -1 : 0;
}

static struct bench *need_commands(void **state)
{
    struct bench *bench = *state;
    if (bench->why_not) {
        print_message("skipped: %s\n", bench->why_not);
        skip();
    }
    return bench;
}

static void put(struct bench *bench, const char *path, const char *body)
{
    if (!box_write(&bench->box, str_of(path), str_of(body), &bench->err)) {
        fail_msg("%s", bench->err.message);
    }
}

static void look(struct bench *bench)
{
    if (!box_changes(&bench->box, &bench->arena, &bench->changes, &bench->err)) {
        fail_msg("%s", bench->err.message);
    }
}

/* "a=1 b/c=2 -d": the changes in their order. */
static void expect_changes(struct bench *bench, const char *expected)
{
    struct strbuf text;
    look(bench);
    strbuf_init(&text, &bench->arena, 4096);
    for (size_t i = 0; i < bench->changes.count; i++) {
        const struct box_change *change = &bench->changes.changes[i];
        strbuf_addf(&text, "%s%s%.*s", i > 0 ? " " : "", change->exists ? "" : "-", STR_ARG(change->path));
        if (change->exists) {
            strbuf_addf(&text, "=%.*s", STR_ARG(change->body));
        }
    }
    assert_string_equal(str_z(&bench->arena, strbuf_str(&text)), expected);
}

/* Processes of this machine whose command line holds the text. */
static int count_processes(const char *text)
{
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc)) {
        char path[300];
        char line[4096];
        (void)snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        int fd = isdigit((unsigned char)entry->d_name[0]) ? open(path, O_RDONLY) : -1;
        ssize_t got = fd >= 0 ? read(fd, line, sizeof line) : 0;
        count += got > 0 && memmem(line, (size_t)got, text, strlen(text)) ? 1 : 0;
        if (fd >= 0) {
            close(fd);
        }
    }
    closedir(proc);
    return count;
}

/* What a command can see and do */

/* A process that was killed may be seen until its parent has been told: it has two seconds. */
static bool are_gone(const char *text)
{
    for (int tries = 0; tries < 200; tries++) {
        if (count_processes(text) == 0)
            return true;
        usleep(10000);
    }
    return false;
}

static void test_results(void **state)
{
    static const struct {
        const char *command;
        const char *out;
        const char *err;
        int exit_code;
    } rows[] = {
        {"echo hello", "hello\n", "", 0},
        {"echo oops >&2; exit 3", "", "oops\n", 3},
        {"kill -9 $$", "", "", 137},
        {"no_such_command 2>/dev/null", "", "", 127},
        {"cat", "", "", 0},                                    /* stdin is empty */
        {"pwd; echo $HOME; echo $LANG", "/workspace\n/tmp\nC.UTF-8\n", "", 0},
        {"hostname; id -u", "simagent\n65534\n", "", 0},
        {"env | grep -c SECRET", "0\n", "", 1},                /* nothing of our environment */
        {"ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 ", "", 0}, /* 3 is the listing itself */
        {"awk 'BEGIN { print 6 * 7 }'", "42\n", "", 0},        /* a link through /etc/alternatives */
    };
    struct bench *bench = need_commands(state);
    setenv("SECRET", "x", 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        sh(bench, rows[i].command);
        assert_string_equal(str_z(&bench->arena, bench->end.out), rows[i].out);
        if (i > 0 && rows[i].err[0]) {
            assert_string_equal(str_z(&bench->arena, bench->end.err), rows[i].err);
        }
        assert_int_equal(bench->end.exit_code, rows[i].exit_code);
    }
}

/* Each of these fails in the box, and would not outside. */
static void test_walls(void **state)
{
    static const char *const rows[] = {
        "ls /root",
        "cat /etc/shadow",
        "cat /etc/passwd",
        "ls /home",
        "touch /file",
        "touch /usr/file",
        "touch /dev/file",
        "touch /workspace/../file",
        "unshare -U true",                                  /* a user namespace of its own */
        "unshare -m true",
        "mount -t tmpfs none /tmp",
        "chroot / true",
        "bash -c 'echo > /dev/tcp/127.0.0.1/22'",
        "tail -n +2 /proc/net/route | grep .",              /* any way out */
        "kill -9 1 && sleep 0.2 && ! true",                 /* the namespace's first process does not listen */
        "ls -d /proc/[0-9]* | grep -v -E '^/proc/([0-9]|1[0-9])$'", /* processes of others */
        "test -w /proc/sys/kernel/pid_max && echo 9 > /proc/sys/kernel/pid_max",
        "head -c 100M /dev/zero > /tmp/file",               /* the limit of one file, and of /tmp */
        "head -c 100M /dev/zero > file",
        "test \"$(ulimit -v)\" = unlimited",
    };
    struct bench *bench = need_commands(state);
    char canary[] = "/tmp/simagent_canary_XXXXXX";
    int fd = mkstemp(canary);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        sh(bench, rows[i]);
        if (bench->end.exit_code == 0) {
            fail_msg("%s: went well: %.*s", rows[i], STR_ARG(bench->end.out));
        }
    }
    sh(bench, "ls -a /tmp; rm -rf /tmp/* /usr/bin/env; id -G");
    assert_false(said(bench, "canary"));
    assert_true(said(bench, "65534"));
    assert_int_equal(access(canary, F_OK), 0);
    assert_int_equal(access("/usr/bin/env", F_OK), 0);
    assert_int_equal(access("/file", F_OK), -1);
    unlink(canary);
}

/* That it ends */

static void test_sleeper(void **state)
{
    struct bench *bench = need_commands(state);
    int64_t start = clock_now_us();
    assert_true(run_within(bench, "echo begun; trap '' TERM INT HUP; sleep 987654321", 300));
    assert_true(clock_now_us() - start < 5 * SECOND_US);
    assert_true(bench->end.timed_out);
    assert_true(said(bench, "begun"));
    assert_true(are_gone("987654321"));
}

/* The deadline of the whole run counts when it is the earlier one, also when it is over already. */
static void test_deadline_of_the_run(void **state)
{
    struct bench *bench = need_commands(state);
    for (int64_t left_us = 200000; left_us >= -200000; left_us -= 200000) {
        struct box_command asked = {.text = STR("sleep 987654322"),
                                    .timeout_ms = 60000,
                                    .deadline_us = clock_now_us() + left_us,
                                    .lifeline = -1};
        assert_true(box_run(&bench->box, &asked, &bench->arena, &bench->end, &bench->err));
        assert_true(bench->end.timed_out);
        assert_true(are_gone("987654322"));
    }
}

static void test_cut_lifeline(void **state)
{
    struct bench *bench = need_commands(state);
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    struct box_command asked = {
        .text = STR("sleep 987654323"), .timeout_ms = 60000, .deadline_us = INT64_MAX, .lifeline = ends[0]};
    pid_t cutter = fork();
    if (cutter == 0) {
        close(ends[0]);
        usleep(300000);
        _exit(0); /* closes the other end */
    }
    close(ends[1]);
    int64_t start = clock_now_us();
    assert_true(box_run(&bench->box, &asked, &bench->arena, &bench->end, &bench->err));
    assert_true(bench->end.abandoned);
    assert_true(clock_now_us() - start < 5 * SECOND_US);
    assert_true(are_gone("987654323"));
    assert_int_equal(waitpid(cutter, NULL, 0), cutter);
    close(ends[0]);
}

static void test_daemon(void **state)
{
    struct bench *bench = need_commands(state);
    sh(bench, "setsid sh -c 'trap \"\" TERM HUP; sleep 987654324' >/dev/null 2>&1 & "
              "(setsid sleep 987654324 &) ; sleep 0.2; echo left");
    assert_true(said(bench, "left"));
    assert_true(are_gone("987654324"));
    /* One that holds the output does not keep us. */
    int64_t start = clock_now_us();
    sh(bench, "setsid sleep 987654324 & echo left");
    assert_true(said(bench, "left"));
    assert_true(clock_now_us() - start < 5 * SECOND_US);
    assert_true(are_gone("987654324"));
}

static void test_fork_bomb(void **state)
{
    struct bench *bench = need_commands(state);
    int64_t start = clock_now_us();
    assert_true(run_within(bench, "f() { f 987654325 | f 987654325 & }; f; sleep 987654325", 1500));
    assert_true(clock_now_us() - start < 15 * SECOND_US);
    assert_true(are_gone("987654325"));
    /* It is the number of processes that is bounded, not only the time. */
    assert_true(run_within(bench, "for i in $(seq 400); do sleep 987654325 & done; echo all", 2000));
    assert_true(bench->end.err.len > 0);
    assert_false(said(bench, "all"));
    assert_true(are_gone("987654325"));
    sh(bench, "for i in $(seq 100); do sleep 987654325 & done; echo all");
    assert_true(said(bench, "all"));
}

static void test_flood(void **state)
{
    struct bench *bench = need_commands(state);
    assert_true(run_within(bench, "head -c 10G /dev/zero; head -c 100K /dev/zero >&2; echo", 20000));
    assert_int_equal(bench->end.out.len, BOX_OUTPUT_MAX);
    assert_true(bench->end.out_cut);
    if (!bench->end.timed_out) { /* a slow machine does not come so far */
        assert_int_equal(bench->end.err.len, BOX_OUTPUT_MAX);
        assert_true(bench->end.err_cut);
        assert_int_equal(bench->end.exit_code, 0);
    }
}

/* Files in and out */

static void test_changes(void **state)
{
    struct bench *bench = need_commands(state);
    put(bench, "a.txt", "one\n");
    put(bench, "src/deep/b.txt", "two\n");
    put(bench, "empty", "");
    expect_changes(bench, "");
    sh(bench, "cat a.txt src/deep/b.txt empty; ls -A");
    assert_true(said(bench, "one\ntwo\n"));
    expect_changes(bench, "");
    sh(bench, "touch a.txt; printf 1 > a.txt; mkdir new; printf 2 > new/c; rm src/deep/b.txt");
    expect_changes(bench, "a.txt=1 new/c=2 -src/deep/b.txt");
    expect_changes(bench, ""); /* counts as synced */
    sh(bench, "cp a.txt b; printf 3 > a.txt; printf 1 > a.txt; mv new old");
    expect_changes(bench, "b=1 -new/c old/c=2"); /* the same content is no change */
    put(bench, "old/c", "4");
    assert_true(box_remove(&bench->box, STR("b"), &bench->err));
    assert_true(box_remove(&bench->box, STR("b"), &bench->err)); /* gone is gone */
    sh(bench, "cat old/c; cat b 2>/dev/null || echo none");
    assert_string_equal(str_z(&bench->arena, bench->end.out), "4none\n");
    expect_changes(bench, "");
}

/* Everything that a hostile command can put in the place of a file. */
static void test_planted(void **state)
{
    struct bench *bench = need_commands(state);
    char victim[] = "/tmp/simagent_victim_XXXXXX";
    int fd = mkstemp(victim);
    assert_true(fd >= 0 && write(fd, "secret", 6) == 6);
    close(fd);
    put(bench, "a", "1");
    put(bench, "b", "2");
    put(bench, "d/e", "3");
    char command[500];
    (void)snprintf(command, sizeof command,
                   "rm -rf a b d; ln -s %s a; ln -s /etc d; ln -s / root; mkfifo b; ln -s ../../ up; ln -s a a2; "
                   "printf x > 'back\\slash'; head -c 2M /dev/zero > large; printf ok > plain", victim);
    sh(bench, command);
    expect_changes(bench, "-a -b -d/e plain=ok");
    assert_int_equal(bench->changes.skipped, 8);
    put(bench, "a", "over the link");
    put(bench, "b", "over the pipe");
    put(bench, "d/e", "over a linked folder");
    put(bench, "root/tmp/x", "over a linked folder");
    expect_changes(bench, "");
    sh(bench, "cat a b d/e root/tmp/x; rm -rf root up; ln -s / root; ln -s ../.. up; chmod 000 a");
    assert_true(said(bench, "over the linkover the pipeover a linked folderover a linked folder"));
    expect_changes(bench, "-root/tmp/x");
    char body[16] = "";
    fd = open(victim, O_RDONLY);
    assert_int_equal(read(fd, body, sizeof body), 6);
    close(fd);
    assert_memory_equal(body, "secret", 6);
    assert_int_equal(access("/tmp/x", F_OK), -1);
    unlink(victim);
}

/* Folders that nobody may enter, and very deep ones: read, written to, and removed by the teardown. */
static void test_stubborn_folders(void **state)
{
    struct bench *bench = need_commands(state);
    put(bench, "shut/in/x", "1");
    sh(bench, "printf 2 > shut/in/y; chmod 000 shut/in/x shut/in shut; chmod 555 .");
    expect_changes(bench, "shut/in/y=2");
    sh(bench, "chmod 500 shut; chmod 000 .");
    put(bench, "shut/in/z", "3");
    assert_true(box_remove(&bench->box, STR("shut/in/x"), &bench->err));
    sh(bench, "cat shut/in/*; chmod 000 shut .");
    assert_string_equal(str_z(&bench->arena, bench->end.out), "23");
    sh(bench, "chmod 755 .; i=0; d=$(printf 'dddddddddd/%.0s' $(seq 20)); while [ $i -lt 35 ]; do mkdir -p $d; cd $d; "
              "i=$((i+1)); done; pwd | wc -c; echo > x");
    assert_true(said(bench, "7711\n")); /* too long for one call of the system */
    assert_false(box_changes(&bench->box, &bench->arena, &bench->changes, &bench->err));
    assert_int_equal(bench->err.kind, ERR_LIMIT);
}

static void test_too_much(void **state)
{
    struct bench *bench = need_commands(state);
    sh(bench, "i=0; while [ $i -lt 65 ]; do head -c 1M /dev/zero > f$i; i=$((i+1)); done; echo > g");
    assert_false(box_changes(&bench->box, &bench->arena, &bench->changes, &bench->err));
    assert_int_equal(bench->err.kind, ERR_LIMIT);
    bench->err.kind = ERR_NONE;
    sh(bench, "rm f*; seq 10001 | xargs touch");
    assert_false(box_changes(&bench->box, &bench->arena, &bench->changes, &bench->err));
    assert_int_equal(bench->err.kind, ERR_LIMIT);
}

/* Needs no bubblewrap. */
static void test_bad_paths(void **state)
{
    static const char *const rows[] = {"", "/a", "..", "../a", "a/../../b", "a//b", "a/", "./a", "a/.", "a\\b", "."};
    struct bench *bench = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bench->err.kind = ERR_NONE;
        assert_false(box_write(&bench->box, str_of(rows[i]), STR("x"), &bench->err));
        assert_int_equal(bench->err.kind, ERR_INTERNAL);
    }
    bench->err.kind = ERR_NONE;
    put(bench, "file", "x");
    assert_false(box_write(&bench->box, STR("file/below"), STR("x"), &bench->err));
    assert_int_equal(bench->err.kind, ERR_SCENARIO);
    bench->err.kind = ERR_NONE;
    put(bench, "folder/below", "x");
    assert_false(box_write(&bench->box, STR("folder"), STR("x"), &bench->err));
    assert_int_equal(bench->err.kind, ERR_SCENARIO);
}

static void test_private(void **state)
{
    struct bench *bench = *state;
    struct stat status;
    assert_int_equal(stat(bench->path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
}

static void test_no_bubblewrap(void **state)
{
    struct bench *bench = *state;
    const char *path = getenv("PATH");
    char *before = strdup(path ? path : "");
    bench->err.kind = ERR_NONE;
    setenv("PATH", "/nowhere", 1);
    bool there = box_probe(&bench->err);
    setenv("PATH", before, 1);
    free(before);
    assert_false(there);
    assert_int_equal(bench->err.kind, ERR_SCENARIO);
    assert_string_equal(bench->err.message, "bash = \"real\" needs bubblewrap (Debian: bubblewrap)");
}

int main(void)
{
#define BOXED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        BOXED(test_results), BOXED(test_walls), BOXED(test_sleeper), BOXED(test_deadline_of_the_run),
        BOXED(test_cut_lifeline), BOXED(test_daemon), BOXED(test_fork_bomb), BOXED(test_flood), BOXED(test_changes),
        BOXED(test_planted), BOXED(test_stubborn_folders), BOXED(test_too_much), BOXED(test_bad_paths),
        BOXED(test_private), BOXED(test_no_bubblewrap),
    };
#undef BOXED
    return cmocka_run_group_tests(tests, NULL, NULL);
}
