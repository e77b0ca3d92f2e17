/* Crew: many jobs at once, in which a bad one costs itself and no other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/value.h"
#include "batch/crew.h"
#include "support/fixture.h"

#define KINDS 6
#define ROUNDS 3
#define JOBS ((size_t)(KINDS * ROUNDS))

/* One source for each way to end; %s of the task tells the jobs apart. */
static const struct {
    const char *source;
    enum err_kind kind;
} kinds[KINDS] = {
    {"return { task = 'one', variants = { { name = 'a', model = { { text = 'x', stop = true } } } } }", ERR_NONE},
    {"while true do end", ERR_LIMIT},                             /* hangs */
    {"local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end", ERR_LIMIT}, /* eats its memory */
    {"error('no')", ERR_SCENARIO},
    {NULL, ERR_IO}, /* a file that is not there: never started */
    {"return { task = 'two', variants = { { name = 'a', model = { { text = 'yy', stop = true } } } } }", ERR_NONE},
};

struct log {
    struct fixture *fixture;
    struct value_builder builders[JOBS];
    enum err_kind kinds[JOBS];
    bool ok[JOBS];
    int ended[JOBS];
    size_t begun;
    size_t alive;
    size_t most_alive;
    int signal_at; /* index whose end sends us SIGINT, or -1 */
};

static bool begin(void *self, size_t index, struct crew_seat *seat, struct err *err)
{
    struct log *log = self;
    const char *source = kinds[index % KINDS].source;
    (void)err;
    assert_int_equal(index, log->begun); /* in order */
    log->begun++;
    log->alive++;
    log->most_alive = log->alive > log->most_alive ? log->alive : log->most_alive;
    value_builder_init(&log->builders[index], &log->fixture->arena, NULL);
    seat->job = (struct job){.scenario = STR("/nonexistent/x.lua"), .max_seconds = 1, .max_memory = 8 << 20};
    if (source) {
        seat->job.scenario = STR("x");
        seat->job.bundled_source = str_of(source);
    }
    seat->ears.report = &log->builders[index].feed;
    return true;
}

static void ended(void *self, size_t index, const struct job_end *end, const struct err *err)
{
    struct log *log = self;
    log->alive--;
    log->ended[index]++;
    log->ok[index] = end->ok;
    log->kinds[index] = err ? err->kind : ERR_NONE;
    if (log->signal_at == (int)index) {
        raise(SIGINT);
    }
}

static struct log *run(struct fixture *f, size_t most, int signal_at, int *interrupted)
{
    struct log *log = arena_new(&f->arena, struct log);
    log->fixture = f;
    log->signal_at = signal_at;
    struct crew_plan plan = {.count = JOBS, .most = most, .self = log, .begin = begin, .ended = ended};
    assert_true(crew_run(&plan, interrupted, &f->err));
    assert_int_equal(log->alive, 0);
    assert_true(log->most_alive <= most);
    return log;
}

static void a_bad_job_costs_itself_alone(void **state)
{
    static const size_t sizes[] = {1, 4, 50};
    struct fixture *f = *state;
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        int interrupted;
        struct log *log = run(f, sizes[s], -1, &interrupted);
        assert_int_equal(interrupted, 0);
        assert_int_equal(log->begun, JOBS);
        for (size_t i = 0; i < JOBS; i++) {
            const char *text = i % KINDS == 0 ? "one" : "two";
            assert_int_equal(log->ended[i], 1);
            assert_int_equal(log->kinds[i], kinds[i % KINDS].kind);
            assert_int_equal(log->ok[i], kinds[i % KINDS].kind == ERR_NONE);
            if (log->ok[i]) {
                assert_true(log->builders[i].complete);
                struct str task = value_str_at(&log->builders[i].result, "scenario.task", STR(""));
                assert_true(str_eq(task, str_of(text)));
            }
        }
    }
}

static void a_signal_ends_all(void **state)
{
    int interrupted;
    struct log *log = run(*state, 2, 0, &interrupted);
    assert_int_equal(interrupted, SIGINT);
    assert_true(log->begun < JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(log->ended[i], i < log->begun ? 1 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bad_job_costs_itself_alone, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(a_signal_ends_all, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
