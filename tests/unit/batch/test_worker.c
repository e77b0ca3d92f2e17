/* Worker: children that behave, hang, crash and flood, and the verdict on each of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "batch/clock.h"
#include "batch/access.h"
#include "batch/signals.h"
#include "unit/batch/outcome.h"

static void say(const char *text)
{
    if (write(2, text, strlen(text)) < 0) {
        _exit(99);
    }
}

/* Children that behave */

static int child_reports(struct channel *channel, void *argument)
{
    struct feed *options = channel_options(channel);
    feed_begin_array(options);
    feed_begin_object(options);
    feed_put_str(options, STR("name"), STR("limit"));
    feed_end(options);
    feed_end(options);
    struct feed *report = channel_report(channel);
    feed_begin_object(report);
    feed_put_int(report, STR("answer"), *(int *)argument);
    feed_open_array(report, STR("many"));
    for (int64_t i = 0; i < 300000; i++) {
        feed_int(report, i);
    }
    feed_end(report);
    feed_end(report);
    for (int i = 0; i < 5; i++) {
        feed_begin_object(channel_trace(channel));
        feed_end(channel_trace(channel));
    }
    say("hello\n");
    return finish(channel);
}

static void test_report(void **state)
{
    (void)state;
    struct outcome o;
    int answer = 42;
    run_special(&o, child_reports, &(struct special){.argument = &answer});
    assert_string_equal(o.err.message, "");
    assert_true(o.good && o.report.complete && o.options.complete);
    assert_int_equal(value_int_at(&o.report.result, "answer", 0), 42);
    assert_int_equal(value_int_at(&o.report.result, "many.300000", 0), 299999);
    assert_true(str_eq(value_str_at(&o.options.result, "1.name", STR("")), STR("limit")));
    assert_int_equal(o.trace_lines, 5);
    assert_true(str_eq(o.said, STR("hello\n")));
    forget(&o);
}

static int child_only_ends(struct channel *channel, void *argument)
{
    (void)argument;
    return finish(channel);
}

static void test_no_report(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_only_ends);
    assert_true(o.good);
    assert_false(o.report.complete);
    forget(&o);
}

static int child_fails(struct channel *channel, void *argument)
{
    struct err err = {.kind = ERR_NONE};
    (void)argument;
    (void)err_set(&err, ERR_SCENARIO, "x.lua:3: attempt to \x1b[31mcall a nil value");
    feed_begin_object(channel_report(channel));
    channel_fail(channel, &err);
    return 0;
}

static void test_failure_is_told(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_fails);
    assert_false(o.good);
    assert_int_equal(o.err.kind, ERR_SCENARIO);
    assert_string_equal(o.err.message, "x.lua:3: attempt to \x1b[31mcall a nil value");
    forget(&o);
}

static int child_says_too_long(struct channel *channel, void *argument)
{
    struct err err = {.kind = ERR_NONE};
    struct feed *report = channel_report(channel);
    (void)argument;
    for (int i = 0; i < 70; i++) {
        feed_begin_array(report);
    }
    if (channel_done(channel, &err)) {
        return 1;
    }
    channel_fail(channel, &err);
    return 0;
}

static void test_what_the_wire_cannot_carry(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_says_too_long);
    assert_int_equal(o.err.kind, ERR_LIMIT);
    assert_string_equal(o.err.message, "the report holds values nested deeper than 64 levels");
    forget(&o);
}

/* Children that do not come to an end */

static int child_hangs(struct channel *channel, void *argument)
{
    (void)channel;
    (void)argument;
    for (volatile unsigned turn = 0; turn < 2; turn = 1 - turn) {
    }
    return 0;
}

static int child_waits(struct channel *channel, void *argument)
{
    char byte;
    (void)argument;
    while (read(channel->socket, &byte, 1) != 0) {
    }
    return 0;
}

static int child_closes_and_hangs(struct channel *channel, void *argument)
{
    close(channel->socket);
    return child_hangs(channel, argument);
}

static int child_ends_and_hangs(struct channel *channel, void *argument)
{
    (void)finish(channel);
    return child_hangs(channel, argument);
}

static void test_hang_is_killed(void **state)
{
    static child_function *const children[] = {child_hangs, child_waits};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        struct outcome o;
        run_special(&o, children[i], &(struct special){.max_seconds = 1});
        assert_false(o.good);
        assert_int_equal(o.err.kind, ERR_LIMIT);
        assert_string_equal(o.err.message,
                            "the script used up --max-seconds 1 and could not be stopped because it was stuck inside "
                            "a C function (pattern matching, sorting, concatenation, ...): raise it with "
                            "--max-seconds N");
        assert_true(o.took_us >= 1000000 && o.took_us < 1500000); /* honoured within half a second */
        forget(&o);
    }
}

/* Without any limit of time: whoever has nothing to say any more is not waited for. */
static void test_lingering(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_closes_and_hangs);
    assert_int_equal(o.err.kind, ERR_INTERNAL);
    assert_true(o.took_us < 2000000);
    forget(&o);
    run(&o, child_ends_and_hangs);
    assert_true(o.good);
    assert_true(o.took_us < 2000000);
    forget(&o);
}

static volatile sig_atomic_t asked_to_stop;

static void ask_to_stop(int number)
{
    asked_to_stop = number;
}

static int child_stops_when_asked(struct channel *channel, void *argument)
{
    struct err err = {.kind = ERR_NONE};
    (void)argument;
    while (!asked_to_stop) {
    }
    (void)err_set(&err, ERR_LIMIT, "stopped at x.lua:7");
    channel_fail(channel, &err);
    return 0;
}

/* The script is asked to stop before it is killed. */
static void test_soft_deadline(void **state)
{
    (void)state;
    struct outcome o;
    run_special(&o, child_stops_when_asked, &(struct special){.max_seconds = 1, .on_soft_deadline = ask_to_stop});
    assert_int_equal(o.err.kind, ERR_LIMIT);
    assert_string_equal(o.err.message, "stopped at x.lua:7");
    assert_true(o.took_us >= 750000 && o.took_us < 1000000); /* three quarters of a second */
    forget(&o);
}

static void test_deadlines(void **state)
{
    static const struct {
        int64_t max_seconds;
        int64_t soft_us; /* before the hard one */
    } rows[] = {{1, 250000}, {2, 500000}, {4, 1000000}, {60, 1000000}, {3600, 1000000}, {INT64_MAX, 1000000}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o = {.good = false};
        struct worker worker;
        struct worker_setup setup = ordinary_setup(&o, -1);
        setup.max_seconds = rows[i].max_seconds;
        assert_true(worker_start(&worker, &setup, child_only_ends, NULL, &o.err));
        assert_int_equal(worker.hard_us - worker.soft_us, rows[i].soft_us);
        worker_kill(&worker);
        bool ended_well = worker_end(&worker, &o.err);
        assert_true(ended_well || o.err.kind == ERR_INTERNAL); /* it may have been faster */
        forget(&o);
    }
}

/* Children that die */

static int child_raises(struct channel *channel, void *argument)
{
    (void)channel;
    int number = *(int *)argument;
    signal(number, SIG_DFL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    return 9;
}

static int child_writes_to_null(struct channel *channel, void *argument)
{
    (void)channel;
    (void)argument;
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 9;
}

static void test_death_by_signal(void **state)
{
    static const struct {
        int number;
        enum err_kind kind;
        const char *message;
    } rows[] = {
        {SIGSEGV, ERR_SCENARIO, "the Lua VM crashed on this scenario (signal SIGSEGV)"},
        {SIGABRT, ERR_SCENARIO, "(signal SIGABRT)"},
        {SIGBUS, ERR_SCENARIO, "(signal SIGBUS)"},
        {SIGILL, ERR_SCENARIO, "(signal SIGILL)"},
        {SIGFPE, ERR_SCENARIO, "(signal SIGFPE)"},
        {SIGSYS, ERR_SCENARIO, "tried a forbidden system call"},
        {SIGKILL, ERR_LIMIT, "ran out of memory"},
        {SIGXCPU, ERR_LIMIT, "used up --max-seconds 20"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o;
        int number = rows[i].number;
        run_special(&o, child_raises, &(struct special){.argument = &number});
        if (o.good || o.err.kind != rows[i].kind || !strstr(o.err.message, rows[i].message)) {
            fail_msg("signal %d: %s", number, o.err.message);
        }
        forget(&o);
    }
    struct outcome o;
    run(&o, child_writes_to_null);
    assert_non_null(strstr(o.err.message, "nothing was written"));
    forget(&o);
}

static int child_exits(struct channel *channel, void *argument)
{
    (void)channel;
    return *(int *)argument;
}

static void test_exit_without_end(void **state)
{
    static const int codes[] = {0, 1, 5, 70};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        struct outcome o;
        int code = codes[i];
        run_special(&o, child_exits, &(struct special){.argument = &code});
        assert_false(o.good);
        assert_int_equal(o.err.kind, ERR_INTERNAL);
        assert_non_null(strstr(o.err.message, code == 70 ? "internal error" : "without a result"));
        forget(&o);
    }
}

/* SIGINT and SIGTERM are the parent's business. */
static int child_is_signalled(struct channel *channel, void *argument)
{
    (void)argument;
    raise(SIGINT);
    raise(SIGTERM);
    raise(SIGALRM);
    return finish(channel);
}

static void test_ignored_signals(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_is_signalled);
    assert_true(o.good);
    forget(&o);
}

/* What a script prints */

static int child_floods(struct channel *channel, void *argument)
{
    (void)argument;
    for (int i = 0; i < 20000; i++) {
        say("a line that is printed again and again\n");
    }
    return finish(channel);
}

static void test_flood(void **state)
{
    static const char tail[] = "(further output of the script is left out)\n";
    (void)state;
    struct outcome o;
    run(&o, child_floods);
    assert_true(o.good);
    assert_true(o.said.len > RELAY_TOTAL_MAX - 100 && o.said.len <= RELAY_TOTAL_MAX + sizeof tail);
    struct str end = str_slice(o.said, o.said.len - (sizeof tail - 1), o.said.len);
    assert_true(str_eq(end, STR(tail)));
    assert_int_equal(o.said.data[o.said.len - sizeof tail], '\n');
    forget(&o);
}

static int child_prints_escapes(struct channel *channel, void *argument)
{
    (void)argument;
    say("\x1b]0;title\x07 \x1b[2J tab\there \xc2\x9b \xe2\x80\xae \xff\xfe cr\rover\n");
    say("cut \xe2");
    say("\x82");
    say("\xac in three, no line feed");
    return finish(channel);
}

static void test_escapes(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_prints_escapes);
    assert_true(o.good);
    for (size_t i = 0; i < o.said.len; i++) {
        unsigned char byte = (unsigned char)o.said.data[i];
        assert_true(byte >= 0x20 || byte == '\t' || byte == '\n');
    }
    assert_non_null(memmem(o.said.data, o.said.len, "cut \xe2\x82\xac in three, no line feed\n", 30));
    assert_non_null(memmem(o.said.data, o.said.len, "tab\there", 8));
    assert_null(memmem(o.said.data, o.said.len, "\xe2\x80\xae", 3));
    forget(&o);
}

/* Reading files through the channel */

struct folder {
    char name[64];
    char scenario[96];
};

static int child_reads(struct channel *channel, void *argument)
{
    struct arena arena;
    struct err err = {.kind = ERR_NONE};
    struct channel_module module;
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    struct str body;
    uint64_t handle;
    int64_t wanted = *(int64_t *)argument;
    arena_init(&arena);
    bool good = channel_module(channel, STR("util"), &arena, &module, &err) && str_eq(module.source, STR("return 1")) &&
                channel_list(channel, STR("data"), &options, &arena, &handle, &listing, &err) &&
                (int64_t)listing.count == wanted;
    for (size_t i = 0; good && i < listing.count; i += 997) {
        good = channel_body(channel, handle, listing.files[i].path, listing.files[i].bytes, &arena, &body, &err) &&
               str_eq(body, STR("body"));
    }
    if (!good) {
        (void)err_set(&err, ERR_INTERNAL, "it read something else");
        channel_fail(channel, &err);
        return 0;
    }
    bool refused = !channel_list(channel, STR("../.."), &options, &arena, &handle, &listing, &err) &&
                   err.kind == ERR_SCENARIO && strstr(err.message, "may not read ../..");
    feed_bool(channel_report(channel), refused);
    return finish(channel);
}

static void make_files(struct folder *folder, int64_t count)
{
    char path[160];
    strcpy(folder->name, "/tmp/simagent_worker_XXXXXX");
    assert_non_null(mkdtemp(folder->name));
    snprintf(folder->scenario, sizeof folder->scenario, "%s/x.lua", folder->name);
    snprintf(path, sizeof path, "%s/util.lua", folder->name);
    FILE *file = fopen(path, "w");
    fputs("return 1", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/data", folder->name);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int64_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/data/a_file_with_a_name_of_usual_length_%07lld.txt", folder->name,
                 (long long)i);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        assert_int_equal(write(fd, "body", 4), 4);
        close(fd);
    }
}

static void test_reads_files(void **state)
{
    static const int64_t counts[] = {0, 3, 20000}; /* the last answer does not fit the socket */
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        struct folder folder;
        struct outcome o;
        struct access access;
        char command[128];
        int64_t count = counts[i];
        make_files(&folder, count);
        access_init(&access, &(struct access_setup){.scenario = str_of(folder.scenario)});
        run_special(&o, child_reads, &(struct special){.argument = &count, .access = &access});
        assert_string_equal(o.err.message, "");
        assert_true(o.good && o.report.complete && o.report.result.boolean);
        access_close(&access);
        forget(&o);
        snprintf(command, sizeof command, "rm -rf %s", folder.name);
        assert_int_equal(system(command), 0);
    }
}

static int child_asks_in_vain(struct channel *channel, void *argument)
{
    struct arena arena;
    struct channel_module module;
    struct err err = {.kind = ERR_NONE};
    (void)argument;
    arena_init(&arena);
    if (channel_module(channel, STR("util"), &arena, &module, &err)) {
        return 9;
    }
    channel_fail(channel, &err);
    return 0;
}

static void test_without_access(void **state)
{
    (void)state;
    struct outcome o;
    run(&o, child_asks_in_vain);
    assert_int_equal(o.err.kind, ERR_SCENARIO);
    assert_string_equal(o.err.message, "may not read any file");
    forget(&o);
}

/* Many at once, and signals to the parent */

static int child_is_one_of_many(struct channel *channel, void *argument)
{
    int64_t number = *(int64_t *)argument;
    feed_int(channel_report(channel), number * number);
    return number % 10 == 3 ? 5 : finish(channel);
}

enum { MANY = 40 };

static void test_many_at_once(void **state)
{
    static struct worker workers[MANY];
    static struct outcome outcomes[MANY];
    struct worker *all[MANY];
    (void)state;
    for (int64_t i = 0; i < MANY; i++) {
        outcomes[i].err.kind = ERR_NONE;
        struct worker_setup setup = ordinary_setup(&outcomes[i], -1);
        int64_t number = i;
        assert_true(worker_start(&workers[i], &setup, child_is_one_of_many, &number, &outcomes[i].err));
        all[i] = &workers[i];
    }
    assert_int_equal(worker_run_all(all, MANY, NULL), 0);
    for (int64_t i = 0; i < MANY; i++) {
        assert_int_equal(worker_end(all[i], &outcomes[i].err), i % 10 != 3);
        if (i % 10 != 3) {
            assert_int_equal(outcomes[i].report.result.integer, i * i);
        }
        forget(&outcomes[i]);
    }
    no_child_is_left();
}

static void test_parent_is_interrupted(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        struct outcome o = {.good = false};
        struct signals signals;
        struct worker worker;
        struct worker *workers[] = {&worker};
        struct worker_setup setup = ordinary_setup(&o, -1);
        assert_true(signals_open(&signals, &o.err));
        assert_int_equal(signals_caught(), 0);
        assert_true(worker_start(&worker, &setup, child_hangs, NULL, &o.err));
        raise(numbers[i]);
        int64_t start = clock_now_us();
        assert_int_equal(worker_run_all(workers, 1, &signals), numbers[i]);
        assert_true(clock_now_us() - start < 500000);
        no_child_is_left();
        assert_false(worker_end(&worker, &o.err));
        signals_close(&signals);
        forget(&o);
    }
}

/* It works also for a caller whose standard descriptors are closed, and who ignores his children. */
static void test_odd_callers(void **state)
{
    (void)state;
    int answer = 1;
    int kept = fcntl(0, F_DUPFD_CLOEXEC, 100);
    struct outcome o;
    close(0);
    signal(SIGCHLD, SIG_IGN);
    run_special(&o, child_reports, &(struct special){.argument = &answer});
    assert_true(o.good);
    if (kept >= 0) {
        dup2(kept, 0);
        close(kept);
    }
    forget(&o);
    int number = SIGSEGV; /* how it died must be known all the same */
    signal(SIGCHLD, SIG_IGN);
    run_special(&o, child_raises, &(struct special){.argument = &number});
    assert_non_null(strstr(o.err.message, "signal SIGSEGV"));
    forget(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),          cmocka_unit_test(test_no_report),
        cmocka_unit_test(test_failure_is_told), cmocka_unit_test(test_what_the_wire_cannot_carry),
        cmocka_unit_test(test_hang_is_killed),  cmocka_unit_test(test_lingering),
        cmocka_unit_test(test_soft_deadline),   cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_death_by_signal), cmocka_unit_test(test_exit_without_end),
        cmocka_unit_test(test_ignored_signals),
        cmocka_unit_test(test_flood),           cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_reads_files),
        cmocka_unit_test(test_without_access),  cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_parent_is_interrupted), cmocka_unit_test(test_odd_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
