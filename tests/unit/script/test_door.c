/* The door: whatever is raised inside comes out as one struct err, and the stack is as high as before. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "snippet.h"

static const struct script_limits limits = {.max_memory = (size_t)256 << 20, .max_seconds = 60};

/* What is raised, and the whole message. */
static const struct {
    const char *source;
    const char *message;
} error_rows[] = {
    {"error('boom')", "x.lua:1: boom\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"\n\nlocal function f() error('deep') end\nf()\n", /* the place and the road to it */
     "x.lua:3: deep\nstack traceback:\n\tx.lua:3: in local 'f'\n\tx.lua:4: in main chunk"},
    {"pcall(error)\nstring.rep()", /* frames of C functions are left out */
     "x.lua:2: bad argument #1 to 'rep' (string expected, got no value)\nstack traceback:\n\tx.lua:2: in main chunk"},
    {"error('no place', 0)", "no place\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error()", "error object is nil\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error({})", "(error object is a table value)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(print)", "(error object is a function value)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(true)", "(error object is a boolean value)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(42)", "42\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(setmetatable({}, {__tostring = function() return 'told' end}))",
     "told\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(setmetatable({}, {__tostring = function() error('again') end}))", /* its own error does not replace it */
     "(error object is a table value)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(setmetatable({}, {__tostring = function() return 1 end}))",
     "1\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error(setmetatable({}, {__tostring = function() return {} end}))",
     "(error object is a table value)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"error('a\\0b', 0)", "a\\0b\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"coroutine.yield(1)", "attempt to yield from outside a coroutine\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"x = = 1", "x.lua:1: unexpected symbol near '='"},
    {"coroutine.wrap(function() error('in') end)()", "x.lua:1: x.lua:1: in\nstack traceback:\n\tx.lua:1: in main "
     "chunk"},
    {"load(('('):rep(1000) .. ')')\nerror('later')", /* an error that was caught is not told */
     "x.lua:2: later\nstack traceback:\n\tx.lua:2: in main chunk"},
    {"io.open('x')", "x.lua:1: attempt to index a nil value (global 'io') (io is not available: a scenario has no "
     "access "
                     "to files; its own are in the agents' workspace)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"os.exit()", "x.lua:1: attempt to call a nil value (field 'exit') (os.exit is not available: return from the "
                  "scenario, or call error)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"return ('x'):dump()", "x.lua:1: attempt to call a nil value (method 'dump') (string.dump is not available: "
                            "bytecode is never loaded)\nstack traceback:\n\tx.lua:1: in main chunk"},
    {"local t = {} t.io.open()", /* a field of the script's own is not the library */
     "x.lua:1: attempt to index a nil value (field 'io')\nstack traceback:\n\tx.lua:1: in main chunk"},
};

static void test_errors_have_place_and_traceback(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(error_rows); i++) {
        snippet_run(&limits, &snippet, error_rows[i].source);
        assert_false(snippet.ok);
        assert_string_equal(snippet.err.message, error_rows[i].message);
        assert_int_equal(snippet.err.kind, ERR_SCENARIO);
    }
}

static void test_long_messages_are_cut_at_a_code_point(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    snippet_run(&limits, &snippet, "error('x' .. ('é'):rep(5000), 0)");
    const char *end = strstr(snippet.err.message, "…\nstack traceback:");
    assert_non_null(end);
    assert_in_range((uintptr_t)(end - snippet.err.message), 2040, 2048);
    assert_int_equal((unsigned char)end[-1], 0xA9);
}

static void test_tracebacks_are_cut(void **unused)
{
    static struct snippet snippet;
    int lines = 0;
    (void)unused;
    snippet_run(&limits, &snippet, "local function f(n) if n == 0 then error('e') end f(n - 1) return 1 end f(100)");
    for (const char *at = snippet.err.message; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + 12 + 1);
    assert_non_null(strstr(snippet.err.message, "\n\t..."));
}

/* Errors that leave no room to handle them: each ends with a message that says what it was about. */
static const struct {
    const char *source;
    const char *part;
} hard_rows[] = {
    {"local function f() return 1 + f() end f()", "x.lua:1: stack overflow"},
    {"local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x", "C stack "
     "overflow"},
    {"local t = setmetatable({}, {__tostring = function(s) return tostring(s) end}) error(t)", "error object is a "
     "table"},
    {"local function f() return pcall(f) end return select('#', f()) > 0 or error('none')", NULL},
    {"local function f() return coroutine.wrap(f)() end f()", "C stack overflow"},
    {"local function f() return 1 + f() end local _, m = xpcall(f, function() return f() end) error(m, 0)", "stack"},
    {"return load(('('):rep(300))() ", "attempt to call a nil value"},
};

static void test_overflows_leave_a_message(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(hard_rows); i++) {
        snippet_run(&limits, &snippet, hard_rows[i].source);
        assert_int_equal(snippet.ok, hard_rows[i].part == NULL);
        if (hard_rows[i].part != NULL && strstr(snippet.err.message, hard_rows[i].part) == NULL)
            fail_msg("%s\n  gave: %s", hard_rows[i].source, snippet.err.message);
    }
}

static void test_compile_errors_name_the_chunk(void **unused)
{
    static struct snippet snippet;
    static char source[2000];
    (void)unused;
    memset(source, '(', sizeof source - 1);
    snippet_run(&limits, &snippet, source);
    assert_int_equal(strncmp(snippet.err.message, "x.lua: C stack overflow", 23), 0);
}

static int add(lua_State *L)
{
    lua_pushinteger(L, luaL_checkinteger(L, 1) + luaL_checkinteger(L, 2));
    lua_pushliteral(L, "dropped");
    return 2;
}

static void test_functions_leave_exactly_their_results(void **unused)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    (void)unused;
    assert_true(state_open(&state, &limits, 1, &err));
    lua_State *L = state.L;
    lua_pushliteral(L, "below");
    for (int results = 0; results < 4; results++) {
        lua_pushcfunction(L, add);
        lua_pushinteger(L, 40);
        lua_pushinteger(L, 2);
        assert_true(call_function(&state, 2, results, &err));
        assert_int_equal(lua_gettop(L), 1 + results);
        if (results > 0)
            assert_int_equal(lua_tointeger(L, 2), 42);
        lua_settop(L, 1);
    }
    lua_pushcfunction(L, add);
    lua_pushinteger(L, 40);
    assert_false(call_function(&state, 1, 1, &err));
    assert_int_equal(lua_gettop(L), 1);
    assert_non_null(strstr(err.message, "number expected, got no value"));
    state_close(&state);
}

static int body_thread(lua_State *L)
{
    const char *source = lua_touserdata(L, 1);
    lua_State *thread = lua_newthread(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, source);
    sandbox_compile(L, str_of(source), "@t.lua");
    lua_xmove(L, thread, 1);
    return 0;
}

/* A coroutine made of `source`, kept in the registry under its address. */
static lua_State *thread_of(struct script_state *state, const char *source)
{
    struct err err = {.kind = ERR_NONE};
    assert_true(call_body(state, body_thread, (void *)(uintptr_t)source, &err));
    lua_rawgetp(state->L, LUA_REGISTRYINDEX, source);
    lua_State *thread = lua_tothread(state->L, -1);
    lua_pop(state->L, 1);
    return thread;
}

static void test_resume_yields_and_returns(void **unused)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    int results = -1;
    (void)unused;
    assert_true(state_open(&state, &limits, 1, &err));
    lua_State *thread = thread_of(&state, "local a = ... local b = coroutine.yield(a, a + 1) return b");
    lua_pushinteger(thread, 5);
    assert_int_equal(call_resume(&state, thread, 1, &results, &err), CALL_YIELDED);
    assert_int_equal(results, 2);
    assert_int_equal(lua_tointeger(thread, -1), 6);
    lua_pop(thread, 2);
    lua_pushinteger(thread, 9);
    assert_int_equal(call_resume(&state, thread, 1, &results, &err), CALL_RETURNED);
    assert_int_equal(results, 1);
    assert_int_equal(lua_tointeger(thread, -1), 9);
    lua_pop(thread, 1);
    assert_int_equal(call_resume(&state, thread, 0, &results, &err), CALL_FAILED);
    assert_non_null(strstr(err.message, "dead coroutine"));
    state_close(&state);
}

static void test_resume_fails_with_the_coroutines_place(void **unused)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    int results = -1;
    (void)unused;
    assert_true(state_open(&state, &limits, 1, &err));
    lua_State *thread = thread_of(&state, "local x <close> = setmetatable({}, {__close = function() closed = true "
     "end})\n"
                                          "local function f() error('lost') end\nf()");
    assert_int_equal(call_resume(&state, thread, 0, &results, &err), CALL_FAILED);
    assert_int_equal(results, 0);
    assert_string_equal(err.message,
                        "t.lua:2: lost\nstack traceback:\n\tt.lua:2: in local 'f'\n\tt.lua:3: in main chunk");
    static struct snippet snippet;
    snippet_call(&state, &snippet, "return closed");
    assert_string_equal(snippet.result, "true");
    state_close(&state);
}

static void test_resume_is_limited(void **unused)
{
    static const struct script_limits steps = {.max_steps = 50000};
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    int results = -1;
    (void)unused;
    assert_true(state_open(&state, &steps, 1, &err));
    lua_State *thread = thread_of(&state, "local x <close> = setmetatable({}, {__close = function() while true do "
     "end end})"
                                          " while true do end");
    assert_int_equal(call_resume(&state, thread, 0, &results, &err), CALL_FAILED);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_non_null(strstr(err.message, "t.lua:1: the script used up --max-steps 50000"));
    state_close(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_have_place_and_traceback),
        cmocka_unit_test(test_long_messages_are_cut_at_a_code_point),
        cmocka_unit_test(test_tracebacks_are_cut),
        cmocka_unit_test(test_overflows_leave_a_message),
        cmocka_unit_test(test_compile_errors_name_the_chunk),
        cmocka_unit_test(test_functions_leave_exactly_their_results),
        cmocka_unit_test(test_resume_yields_and_returns),
        cmocka_unit_test(test_resume_fails_with_the_coroutines_place),
        cmocka_unit_test(test_resume_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
