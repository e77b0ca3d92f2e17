/* Limits: each ends every script promptly, with the same words, whatever the script does against it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/time.h>

#include "snippet.h"

#define MEBIBYTE ((size_t)1 << 20)
#define STEPS_TEXT "the script used up --max-steps 100000 (raise it with --max-steps N)"
#define SECONDS_TEXT "the script used up --max-seconds 60 (raise it with --max-seconds N)"
#define MEMORY_TEXT "the script ran out of memory: --max-memory 8M is reached (raise it with --max-memory SIZE)"

static const struct script_limits unlimited = {.max_seconds = 60};
static const struct script_limits few_steps = {.max_memory = 256 * MEBIBYTE, .max_steps = 100000, .max_seconds = 60};
static const struct script_limits little_memory = {.max_memory = 8 * MEBIBYTE, .max_seconds = 60};

/* None of these ever ends by itself; all run VM instructions. */
static const char *const endless[] = {
    "while true do end",
    "::again:: goto again",
    "local function loop() while true do end end while true do pcall(loop) end",                 /* caught */
    "while true do xpcall(error, function() while true do end end, 'x') end",                    /* handler loops */
    /* handlers in handlers */
    "local function f() while true do end end xpcall(f, function() xpcall(f, f) f() end)",
    /* short coroutines */
    "while true do coroutine.wrap(function() local x = 0 for i = 1, 50 do x = x + i end end)() end",
    "local c = coroutine.wrap(function() while true do end end) c()",                            /* in a coroutine */
    "local c = coroutine.create(function() while true do coroutine.yield() end end)"
    " while true do coroutine.resume(c) end",                                                    /* one that lives on */
    /* coroutines in each other */
    "local function nest() return pcall(coroutine.wrap(nest)) end while true do nest() end",
    "local evil = setmetatable({}, {__close = function() while true do end end})"
    " while true do pcall(function() local x <close> = evil error('x') end) end",                /* __close loops */
    "local evil = setmetatable({}, {__close = function() while true do end end})"
    " while true do pcall(coroutine.wrap(function() local x <close> = evil while true do end end)) end",
    "local evil = setmetatable({}, {__close = function() while true do end end})"
    " while true do local c = coroutine.create(function() local x <close> = evil while true do end end)"
    " coroutine.resume(c) pcall(coroutine.close, c) end",                                        /* closed by hand */
    "return setmetatable({}, {__tostring = function() while true do end end})",                  /* while shown */
    "error(setmetatable({}, {__tostring = function() while true do end end}))",                  /* while reported */
    "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
    "table.sort({1, 2, 3}, function() while true do end end)",
    "string.gsub('x', 'x', function() while true do end end)",
    "while true do load('return 1', '@x.lua')() end",
    "while true do for _ in pairs({a = 1, b = 2}) do end end",
};

static void assert_stopped(const struct snippet *snippet, const char *text)
{
    if (snippet->ok || snippet->err.kind != ERR_LIMIT || strstr(snippet->err.message, text) == NULL ||
        strncmp(snippet->err.message, "x.lua:", 6) != 0)
        fail_msg("%s\n  gave: %s", snippet->source, snippet->ok ? snippet->result : snippet->err.message);
}

static void test_steps_end_every_loop(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(endless); i++) {
        snippet_run(&few_steps, &snippet, endless[i]);
        assert_stopped(&snippet, STEPS_TEXT);
    }
}

static void test_steps_give_the_same_verdict_each_time(void **unused)
{
    static struct snippet first;
    static struct snippet again;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(endless); i++) {
        snippet_run(&few_steps, &first, endless[i]);
        snippet_run(&few_steps, &again, endless[i]);
        assert_string_equal(first.err.message, again.err.message);
    }
}

static void set_timer(int milliseconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = 0, .tv_usec = milliseconds * 1000}};
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* A wrong implementation hangs here; the test runner's time limit ends it then. */
static void test_a_signal_ends_every_loop(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(endless); i++) {
        signal(SIGALRM, state_interrupt);
        set_timer(20);
        snippet_run(&unlimited, &snippet, endless[i]);
        assert_stopped(&snippet, SECONDS_TEXT);
    }
    signal(SIGALRM, SIG_DFL);
}

static void test_a_signal_at_any_moment_is_not_lost(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (int microseconds = 1; microseconds < 6000; microseconds += 97) {
        struct itimerval timer = {.it_value = {.tv_sec = 0, .tv_usec = 3000 + microseconds}};
        signal(SIGALRM, state_interrupt);
        assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
        snippet_run(&unlimited, &snippet,
                    "local t = {} while true do coroutine.wrap(function() local a = {} coroutine.yield(a) end)() end");
        assert_stopped(&snippet, SECONDS_TEXT);
    }
    signal(SIGALRM, SIG_DFL);
}

/* Steps that a script is allowed, so that it ends by itself. */
static const struct {
    const char *source;
    int64_t max_steps;
    bool ok;
} step_rows[] = {
    {"for i = 1, 10000 do end", 12000, true},   /* one instruction for each turn */
    {"for i = 1, 10000 do end", 9000, false},
    {"for i = 1, 50 do end", 100, true},        /* below one quantum */
    {"for i = 1, 500 do end", 100, false},
    {"for i = 1, 20 do coroutine.wrap(function() end)() end", 25000, true}, /* a quantum for each resume */
    {"for i = 1, 20 do coroutine.wrap(function() end)() end", 15000, false},
};

static void test_steps_are_counted(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(step_rows); i++) {
        struct script_limits limits = {.max_steps = step_rows[i].max_steps};
        snippet_run(&limits, &snippet, step_rows[i].source);
        if (snippet.ok != step_rows[i].ok)
            fail_msg("%s with %lld steps: %s", step_rows[i].source, (long long)step_rows[i].max_steps,
             snippet.err.message);
    }
}

/* Scripts that use up memory in small pieces: the message has a place. */
static const char *const hungry[] = {
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) t = {} end",
    "local t = {} while true do t[#t + 1] = coroutine.wrap(function() while true do t[#t + 1] = {} end end) "
     "pcall(t[#t]) end",
    "local t = {} xpcall(function() while true do t[#t + 1] = {} end end, function() t = {} while true do end end)",
    "local t = {} local function f() t[#t + 1] = function() return f end return f() end f()",
};

static void test_memory_ends_scripts_that_keep_it(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(hungry); i++) {
        snippet_run(&little_memory, &snippet, hungry[i]);
        assert_stopped(&snippet, MEMORY_TEXT);
    }
}

/* One request beyond the ceiling fails where it is made; the script may catch that, for its heap is small still. */
static void test_one_request_that_is_too_large(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    snippet_run(&little_memory, &snippet, "\nreturn ('x'):rep(1 << 30)");
    assert_false(snippet.ok);
    assert_int_equal(snippet.err.kind, ERR_LIMIT);
    assert_string_equal(snippet.err.message, "x.lua:2: " MEMORY_TEXT);
    snippet_run(&little_memory, &snippet, "local s = ('x'):rep(1 << 22)\nlocal t = {s, s, s, s, s, s}\n\nreturn "
     "table.concat(t, s)"
                                          " .. s .. s .. s .. s .. s .. s .. s .. s .. s");
    assert_stopped(&snippet, "x.lua:4: " MEMORY_TEXT);
    snippet_run(&little_memory, &snippet, "return pcall(string.rep, 'x', 1 << 30)");
    assert_true(snippet.ok);
    assert_string_equal(snippet.result, "false");
}

static void test_garbage_is_collected_before_the_ceiling_counts(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    snippet_run(&little_memory, &snippet, "for i = 1, 300 do local s = ('x'):rep(1 << 20) .. i end return 'done'");
    assert_true(snippet.ok);
    assert_string_equal(snippet.result, "done");
}

static void test_a_failure_stays(void **unused)
{
    static struct snippet snippet;
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    (void)unused;
    assert_true(state_open(&state, &few_steps, 7, &err));
    snippet_call(&state, &snippet, "while true do end");
    assert_stopped(&snippet, STEPS_TEXT);
    snippet_call(&state, &snippet, "return 1");
    assert_stopped(&snippet, STEPS_TEXT);
    state_close(&state);
}

static int body_fail(lua_State *L)
{
    state_fail(L, ERR_INTERNAL, "the %s is gone", "thing");
}

static int body_catch(lua_State *L)
{
    sandbox_compile(L, STR("local fail = ... \n pcall(fail) \n while true do pcall(fail) end"), "@y.lua");
    lua_pushcfunction(L, body_fail);
    lua_call(L, 1, 0);
    return 0;
}

static void test_a_failure_of_the_program_cannot_be_caught(void **unused)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    (void)unused;
    assert_true(state_open(&state, &unlimited, 7, &err));
    assert_false(call_body(&state, body_catch, NULL, &err));
    assert_int_equal(err.kind, ERR_INTERNAL);
    assert_string_equal(err.message, "y.lua:2: the thing is gone");
    state_close(&state);
}

static void test_used_is_zero_after_close(void **unused)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    static struct snippet snippet;
    (void)unused;
    assert_true(state_open(&state, &unlimited, 7, &err));
    size_t before = state.used;
    assert_true(before > 0);
    snippet_call(&state, &snippet, "kept = {} for i = 1, 1000 do kept[i] = coroutine.wrap(function() end) end");
    assert_true(state.used > before + 1000 * 100);
    state_close(&state);
    assert_int_equal(state.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_end_every_loop),
        cmocka_unit_test(test_steps_give_the_same_verdict_each_time),
        cmocka_unit_test(test_a_signal_ends_every_loop),
        cmocka_unit_test(test_a_signal_at_any_moment_is_not_lost),
        cmocka_unit_test(test_steps_are_counted),
        cmocka_unit_test(test_memory_ends_scripts_that_keep_it),
        cmocka_unit_test(test_one_request_that_is_too_large),
        cmocka_unit_test(test_garbage_is_collected_before_the_ceiling_counts),
        cmocka_unit_test(test_a_failure_stays),
        cmocka_unit_test(test_a_failure_of_the_program_cannot_be_caught),
        cmocka_unit_test(test_used_is_zero_after_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
