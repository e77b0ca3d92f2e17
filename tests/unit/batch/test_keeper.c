/* Keeper: real commands and programs that a confined child asks for, and their end whatever happens meanwhile. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "batch/clock.h"
#include "batch/box.h"
#include "batch/program.h"
#include "batch/shell.h"
#include "batch/signals.h"
#include "core/record.h"
#include "core/worktree.h"
#include "engine/tool.h"
#include "unit/batch/outcome.h"

enum { CHANNEL = 3, SECOND_US = 1000000 };

/* Boxes are made in a folder of the test's own, which must be empty after each test. */
struct ground {
    char folder[64];
    const char *why_not; /* shell commands cannot run here */
    struct err err;
};

static const char *reason_against_commands(struct err *err)
{
    struct box box;
    struct arena arena;
    struct program_end end;
    struct box_command nothing = {.text = STR(":"), .timeout_ms = 20000, .deadline_us = INT64_MAX, .lifeline = -1};
    if (!box_probe(err) || !box_open(&box, err)) {
        return err->message;
    }
    arena_init(&arena);
    bool good = box_run(&box, &nothing, &arena, &end, err);
    arena_close(&arena);
    box_close(&box);
    return good ? NULL : err->message;
}

static int set_up(void **state)
{
    struct ground *ground = calloc(1, sizeof *ground);
    *state = ground;
    (void)snprintf(ground->folder, sizeof ground->folder, "/tmp/simagent_keeper_XXXXXX");
    if (!mkdtemp(ground->folder) || chmod(ground->folder, 0755) != 0 || setenv("TMPDIR", ground->folder, 1) != 0) {
        return -1;
    }
    ground->why_not = reason_against_commands(&ground->err);
    return 0;
}

static int tear_down(void **state)
{
    struct ground *ground = *state;
    int left = rmdir(ground->folder);
    free(ground);
    return left;
}

static void need_commands(void **state)
{
    const struct ground *ground = *state;
    if (ground->why_not) {
        print_message("skipped: %s\n", ground->why_not);
        skip();
    }
}

/* Marks where a child found something wrong: its exit code is the line. */
#define CHILD_CHECK(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d\n", __LINE__);                                                                    \
            return 9;                                                                                                  \
        }                                                                                                              \
    } while (0)

static void expect_good(const struct outcome *o)
{
    if (!o->good) {
        fail_msg("%s: %.*s", o->err.message, STR_ARG(o->said));
    }
}

/* Programs */

static bool ask_program(struct channel *channel, const char *const *words, struct str input, struct arena *arena,
                        struct channel_end *end, struct err *err)
{
    struct str argv[8];
    struct channel_program program = {.argv = argv, .input = input};
    for (; words[program.argc]; program.argc++) {
        argv[program.argc] = str_of(words[program.argc]);
    }
    return channel_program(channel, &program, arena, end, err);
}

static int child_programs(struct channel *channel, void *argument)
{
    static char large[300000];
    struct arena arena;
    struct channel_end end;
    struct err err = {.kind = ERR_NONE};
    (void)argument;
    arena_init(&arena);
    memset(large, 'x', sizeof large);
    struct str input = {large, sizeof large};
    CHILD_CHECK(channel_may_run(channel, FRAME_RUN_PROGRAM, &arena, &err));
    CHILD_CHECK(ask_program(channel, (const char *[]){"cat", NULL}, input, &arena, &end, &err));
    CHILD_CHECK(end.exit_code == 0 && str_eq(end.out, input) && end.err.len == 0 && !end.out_cut);
    CHILD_CHECK(ask_program(channel, (const char *[]){"cat", NULL}, STR(""), &arena, &end, &err));
    CHILD_CHECK(end.exit_code == 0 && end.out.len == 0); /* the input is gone with its program */
    CHILD_CHECK(ask_program(channel, (const char *[]){"true", NULL}, input, &arena, &end, &err)); /* does not read it */
    CHILD_CHECK(end.exit_code == 0);
    CHILD_CHECK(ask_program(channel, (const char *[]){"sh", "-c", "echo \"$1\" >&2; exit 2", "sh", "a b", NULL},
                            STR("{}"), &arena, &end, &err));
    CHILD_CHECK(end.exit_code == 2 && end.out.len == 0 && str_eq(end.err, STR("a b\n")));
    CHILD_CHECK(ask_program(channel, (const char *[]){"sh", "-c", "kill -TERM $$", NULL}, STR(""), &arena, &end, &err));
    CHILD_CHECK(end.exit_code == 128 + SIGTERM);
    CHILD_CHECK(ask_program(channel, (const char *[]){"head", "-c", "5000000", "/dev/zero", NULL}, STR(""), &arena,
                            &end, &err));
    CHILD_CHECK(end.out.len == KEEPER_PROGRAM_OUTPUT && end.out_cut && end.exit_code == 0);
    CHILD_CHECK(!ask_program(channel, (const char *[]){"no_such_program", NULL}, STR(""), &arena, &end, &err));
    CHILD_CHECK(err.kind == ERR_SCENARIO && strstr(err.message, "cannot run no_such_program: "));
    return finish(channel);
}

static void test_programs(void **state)
{
    struct outcome o;
    (void)state;
    run_special(&o, child_programs, &(struct special){.allow_exec = true});
    expect_good(&o);
    forget(&o);
}

/* Without --allow-exec everything is refused, the script may go on, and nothing is started. */
static int child_refused(struct channel *channel, void *argument)
{
    struct arena arena;
    struct channel_end end;
    struct err errs[4] = {{.kind = ERR_NONE}};
    struct channel_file file = {.path = STR("a"), .exists = true, .body = STR("x")};
    struct channel_command command = {.text = STR("echo"), .timeout_ms = 1000};
    (void)argument;
    arena_init(&arena);
    CHILD_CHECK(channel_file(channel, &file, &errs[0]));
    CHILD_CHECK(!channel_may_run(channel, FRAME_RUN_PROGRAM, &arena, &errs[0]));
    CHILD_CHECK(!channel_may_run(channel, FRAME_RUN_SHELL, &arena, &errs[1]));
    CHILD_CHECK(!ask_program(channel, (const char *[]){"true", NULL}, STR("x"), &arena, &end, &errs[2]));
    CHILD_CHECK(!channel_shell(channel, &command, &arena, &end, &errs[3]));
    for (size_t i = 0; i < ARRAY_LEN(errs); i++) {
        CHILD_CHECK(errs[i].kind == ERR_SCENARIO && strstr(errs[i].message, "allow it with --allow-exec"));
        CHILD_CHECK(strncmp(errs[i].message, i % 2 ? "bash = \"real\"" : "sim.command", 11) == 0);
    }
    return finish(channel);
}

static void test_refused(void **state)
{
    struct outcome o;
    (void)state;
    run(&o, child_refused);
    expect_good(&o);
    forget(&o);
}

static int child_lacks_bubblewrap(struct channel *channel, void *argument)
{
    struct arena arena;
    struct err err = {.kind = ERR_NONE};
    (void)argument;
    arena_init(&arena);
    CHILD_CHECK(!channel_may_run(channel, FRAME_RUN_SHELL, &arena, &err));
    CHILD_CHECK(strstr(err.message, "needs bubblewrap (Debian: bubblewrap)"));
    return finish(channel);
}

static void test_no_bubblewrap(void **state)
{
    struct outcome o;
    char *before = strdup(getenv("PATH"));
    (void)state;
    setenv("PATH", "/nowhere", 1);
    run_special(&o, child_lacks_bubblewrap, &(struct special){.allow_exec = true});
    setenv("PATH", before, 1);
    free(before);
    expect_good(&o);
    forget(&o);
}

/* The real shell */

struct desk {
    struct arena arena;
    struct worktree *tree;
    struct record record;
    struct tool_invocation call;
    struct tool_result result;
    struct err err;
};

static void open_desk(struct desk *desk)
{
    memset(desk, 0, sizeof *desk);
    arena_init(&desk->arena);
    struct workspace *workspace = workspace_new(&desk->arena);
    workspace_add(workspace, STR("a.txt"), STR("one\n"));
    workspace_add(workspace, STR("src/b.txt"), STR("two\n"));
    workspace_seal(workspace);
    desk->tree = worktree_new(&desk->arena, workspace);
    desk->call = (struct tool_invocation){
        .record = &desk->record, .tree = desk->tree, .keep = &desk->arena, .scratch = &desk->arena};
}

static bool bash(struct desk *desk, const struct real_shell *real, const char *text, const char *expected)
{
    struct shell_command command = {.text = str_of(text), .timeout_ms = 20000};
    bool good = real->shell.run(real->shell.self, &command, &desk->call, &desk->result, &desk->err);
    if (good && str_eq(desk->result.content, str_of(expected))) {
        return true;
    }
    fprintf(stderr, "%s: %s%.*s\n", text, desk->err.message, STR_ARG(desk->result.content));
    return false;
}

static bool has(struct desk *desk, const char *path, const char *body)
{
    struct version version;
    bool failed;
    bool there = worktree_read(desk->tree, str_of(path), NULL, &version, &failed, &desk->err);
    return body ? there && str_eq(version.body, str_of(body)) : !there;
}

static int child_shell(struct channel *channel, void *argument)
{
    static char large[100000];
    struct desk desk;
    struct desk other;
    struct real_shell real;
    (void)argument;
    open_desk(&desk);
    open_desk(&other);
    shell_init(&real, channel, &desk.arena, false);
    CHILD_CHECK(real.shell.real && channel_may_run(channel, FRAME_RUN_SHELL, &desk.arena, &desk.err));
    CHILD_CHECK(bash(&desk, &real, "cat a.txt src/b.txt", "one\ntwo\n"));
    CHILD_CHECK(desk.tree->step == 0); /* nothing was changed */
    CHILD_CHECK(bash(&desk, &real, "printf three > c; rm a.txt", "(no output)"));
    CHILD_CHECK(has(&desk, "c", "three") && has(&desk, "a.txt", NULL) && has(&desk, "src/b.txt", "two\n"));
    CHILD_CHECK(desk.tree->step == 2 && bash(&desk, &real, "ls", "c\nsrc\n") && desk.tree->step == 2);
    worktree_write(desk.tree, STR("c"), STR("four"), NULL);
    memset(large, 'y', sizeof large);
    worktree_write(desk.tree, STR("large"), (struct str){large, sizeof large}, NULL);
    worktree_remove(desk.tree, STR("src/b.txt"), NULL);
    CHILD_CHECK(bash(&desk, &real, "cat c; ls src; tr -d y <large; wc -c <large", "four100000\n"));
    CHILD_CHECK(bash(&other, &real, "ls; cat a.txt", "a.txt\nsrc\none\n")); /* a box of its own */
    CHILD_CHECK(bash(&desk, &real, "printf x; echo y >&2; exit 4", "x\ny\n(exit 4)"));
    CHILD_CHECK(bash(&desk, &real, "exit 4", "(no output)\n(exit 4)"));
    CHILD_CHECK(bash(&desk, &real, "ln -s / link", "(no output)"));
    struct shell_command slow = {.text = STR("echo begun; sleep 60"), .timeout_ms = 300};
    CHILD_CHECK(real.shell.run(real.shell.self, &slow, &desk.call, &desk.result, &desk.err));
    CHILD_CHECK(str_eq(desk.result.content, STR("begun\n(timed out after 300 ms)")));
    struct shell_command flood = {.text = STR("yes ä | tr -d '\\n' | head -c 200000"), .timeout_ms = 20000};
    CHILD_CHECK(real.shell.run(real.shell.self, &flood, &desk.call, &desk.result, &desk.err));
    CHILD_CHECK(desk.result.content.len == SHELL_OUTPUT_MAX + strlen("\n(output cut at 50000 bytes)"));
    uint32_t count;
    struct change *changes = worktree_changes(desk.tree, &desk.record, &desk.arena, &count);
    CHILD_CHECK(count == 2 && str_eq(changes[0].path, STR("a.txt")) && changes[0].bytes_after == -1);
    CHILD_CHECK(str_eq(changes[1].path, STR("c")) && changes[1].versions == 1);
    return finish(channel);
}

static void test_shell(void **state)
{
    struct outcome o;
    need_commands(state);
    run_special(&o, child_shell, &(struct special){.allow_exec = true});
    expect_good(&o);
    assert_string_equal(str_z(&o.arena, o.said), "note: bash: 1 links, special or large files were not taken back\n");
    forget(&o);
}

/* Ends of runs while a command goes on */

static int child_sleeps(struct channel *channel, void *argument)
{
    struct arena arena;
    struct channel_end end;
    struct err err = {.kind = ERR_NONE};
    struct channel_command command = {.text = STR("sleep 876543210"), .timeout_ms = 1000 * *(int *)argument};
    arena_init(&arena);
    CHILD_CHECK(channel_shell(channel, &command, &arena, &end, &err) && end.timed_out);
    return finish(channel);
}

static int child_asks_and_dies(struct channel *channel, void *argument)
{
    struct strbuf request;
    struct arena arena;
    (void)argument;
    arena_init(&arena);
    strbuf_init(&request, &arena, 1000);
    frame_put_u64(&request, 0);
    frame_put_str(&request, STR("sleep 876543210"));
    frame_put_u64(&request, 60000);
    unsigned char head[FRAME_HEAD_SIZE];
    frame_pack_head(head, FRAME_SHELL, request.len);
    CHILD_CHECK(write(channel->socket, head, sizeof head) == (ssize_t)sizeof head);
    CHILD_CHECK(write(channel->socket, request.data, request.len) == (ssize_t)request.len);
    if (argument) { /* out of turn */
        CHILD_CHECK(write(channel->socket, head, sizeof head) == (ssize_t)sizeof head);
        CHILD_CHECK(write(channel->socket, request.data, request.len) == (ssize_t)request.len);
        char byte;
        CHILD_CHECK(read(channel->socket, &byte, 1) <= 0); /* it is stopped */
    }
    for (int64_t end_us = clock_now_us() + 300000; clock_now_us() < end_us;) { /* it may not even sleep */
    }
    return 5;
}

static void test_max_seconds(void **state)
{
    int seconds = 60;
    struct outcome o;
    need_commands(state);
    run_special(&o, child_sleeps, &(struct special){.allow_exec = true, .max_seconds = 1, .argument = &seconds});
    expect_good(&o); /* the command was stopped when the child would have been told to stop */
    assert_true(o.took_us < 3 * SECOND_US);
    forget(&o);
}

static void test_dying_child(void **state)
{
    struct outcome o;
    need_commands(state);
    run_special(&o, child_asks_and_dies, &(struct special){.allow_exec = true});
    assert_false(o.good);
    assert_true(o.took_us < 5 * SECOND_US);
    forget(&o);
    run_special(&o, child_asks_and_dies, &(struct special){.allow_exec = true, .argument = &o});
    assert_false(o.good);
    assert_non_null(strstr(o.err.message, "it spoke out of turn"));
    assert_true(o.took_us < 5 * SECOND_US);
    forget(&o);
}

static void start_sleeper(struct worker *worker, struct outcome *o, int *seconds)
{
    memset(o, 0, sizeof *o);
    struct worker_setup setup = ordinary_setup(o, -1);
    setup.dialog.allow_exec = true;
    assert_true(worker_start(worker, &setup, child_sleeps, seconds, &o->err));
}

static void test_interrupt(void **state)
{
    int seconds = 60;
    struct outcome o;
    struct worker worker;
    struct worker *workers[] = {&worker};
    struct signals signals;
    need_commands(state);
    assert_true(signals_open(&signals, &o.err));
    start_sleeper(&worker, &o, &seconds);
    pid_t killer = fork();
    if (killer == 0) {
        usleep(400000);
        kill(getppid(), SIGINT);
        _exit(0);
    }
    int64_t start = clock_now_us();
    assert_int_equal(worker_run_all(workers, 1, &signals), SIGINT);
    (void)!worker_end(&worker, &o.err);
    assert_true(clock_now_us() - start < 5 * SECOND_US);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    signals_close(&signals);
    no_child_is_left();
    forget(&o);
}

static bool is_empty(const char *folder)
{
    int entries = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir)) {
        entries++;
    }
    closedir(dir);
    return entries == 2; /* the folder itself, and the one above */
}

/* Whoever kills the program without asking leaves neither commands nor files behind. */
static void test_killed_parent(void **state)
{
    const struct ground *ground = *state;
    int seconds = 60;
    int64_t start = clock_now_us();
    need_commands(state);
    pid_t parent = fork();
    if (parent == 0) {
        struct outcome o;
        struct worker worker;
        struct worker *workers[] = {&worker};
        start_sleeper(&worker, &o, &seconds);
        (void)worker_run_all(workers, 1, NULL);
        _exit(0);
    }
    while (is_empty(ground->folder) && clock_now_us() - start < 10 * SECOND_US) {
        usleep(10000);
    }
    assert_false(is_empty(ground->folder));
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    while (!is_empty(ground->folder) && clock_now_us() - start < 20 * SECOND_US) {
        usleep(10000);
    }
    assert_true(is_empty(ground->folder));
}

/* Commands of several children run at the same time. */
static void test_side_by_side(void **state)
{
    int seconds = 2;
    struct outcome o[3];
    struct worker worker[3];
    struct worker *workers[] = {&worker[0], &worker[1], &worker[2]};
    need_commands(state);
    int64_t start = clock_now_us();
    for (size_t i = 0; i < ARRAY_LEN(o); i++) {
        start_sleeper(&worker[i], &o[i], &seconds);
    }
    assert_int_equal(worker_run_all(workers, ARRAY_LEN(o), NULL), 0);
    assert_true(clock_now_us() - start < 5 * SECOND_US); /* one after the other it would be six */
    for (size_t i = 0; i < ARRAY_LEN(o); i++) {
        assert_true(worker_end(&worker[i], &o[i].err));
        forget(&o[i]);
    }
    no_child_is_left();
}

/* Children that lie */

struct lie {
    unsigned kind;
    const char *payload;
    size_t length;
};

static int child_lies(struct channel *channel, void *argument)
{
    const struct lie *lie = argument;
    struct arena arena;
    struct err err = {.kind = ERR_NONE};
    unsigned char head[FRAME_HEAD_SIZE];
    frame_pack_head(head, (enum frame_kind)lie->kind, lie->length);
    CHILD_CHECK(write(channel->socket, head, sizeof head) == (ssize_t)sizeof head);
    CHILD_CHECK(write(channel->socket, lie->payload, lie->length) == (ssize_t)lie->length);
    arena_init(&arena);
    if (lie->kind == FRAME_FILE || lie->kind == FRAME_INPUT) { /* without an answer: noticed with the next request */
        CHILD_CHECK(!channel_may_run(channel, FRAME_RUN_PROGRAM, &arena, &err));
    }
    char byte;
    CHILD_CHECK(read(channel->socket, &byte, 1) <= 0); /* it is stopped */
    return finish(channel);
}

static void test_lies(void **state)
{
#define LIE(kind, payload) {(kind), (payload), sizeof(payload) - 1}
    static struct lie rows[] = {
        LIE(FRAME_MAY_RUN, ""),
        LIE(FRAME_MAY_RUN, "\x02"),
        LIE(FRAME_FILE, "\x01"),
        LIE(FRAME_FILE, "\0\0\0\0\0\0\0\0\x05\x01\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0"), /* first and gone */
        LIE(FRAME_FILE, "\0\0\0\0\0\0\0\0\x00\x01\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0"), /* goes on with nothing */
        LIE(FRAME_SHELL, "\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0"),     /* no time at all */
        LIE(FRAME_SHELL, "\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a\xff\xff\xff\xff\xff\xff\xff\xff"),
        LIE(FRAME_SHELL, "\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0"), /* a NUL */
        LIE(FRAME_INPUT, "\xff"),
        LIE(FRAME_PROGRAM, "\0\0\0\0\0\0\0\0"),
        LIE(FRAME_PROGRAM, "\xff\xff\xff\xff\xff\xff\xff\xff"),
        LIE(FRAME_PROGRAM, "\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0"), /* a NUL */
    };
#undef LIE
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o;
        run_special(&o, child_lies, &(struct special){.allow_exec = true, .argument = &rows[i]});
        if (o.good || o.err.kind != ERR_INTERNAL ||
            (!strstr(o.err.message, "(bad request)") && !strstr(o.err.message, "ended too early"))) {
            fail_msg("row %zu: %s", i, o.err.message);
        }
        forget(&o);
    }
}

/* A path that leaves the box is told with the next command, and nothing was written. */
static int child_writes_outside(struct channel *channel, void *argument)
{
    struct arena arena;
    struct channel_end end;
    struct err err = {.kind = ERR_NONE};
    struct channel_file file = {.path = STR("../../simagent_outside"), .exists = true, .body = STR("x")};
    struct channel_command command = {.text = STR(":"), .timeout_ms = 20000};
    (void)argument;
    arena_init(&arena);
    CHILD_CHECK(channel_file(channel, &file, &err));
    CHILD_CHECK(!channel_shell(channel, &command, &arena, &end, &err) && strstr(err.message, "bad path"));
    return finish(channel);
}

static void test_writing_outside(void **state)
{
    struct outcome o;
    (void)state;
    run_special(&o, child_writes_outside, &(struct special){.allow_exec = true});
    expect_good(&o);
    assert_int_equal(access("/tmp/simagent_outside", F_OK), -1);
    forget(&o);
}

int main(void)
{
#define GROUNDED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        GROUNDED(test_programs),  GROUNDED(test_refused),     GROUNDED(test_no_bubblewrap),
        GROUNDED(test_shell),     GROUNDED(test_max_seconds), GROUNDED(test_dying_child),
        GROUNDED(test_interrupt), GROUNDED(test_killed_parent), GROUNDED(test_side_by_side),
        GROUNDED(test_lies),      GROUNDED(test_writing_outside),
    };
#undef GROUNDED
    return cmocka_run_group_tests(tests, NULL, NULL);
}
