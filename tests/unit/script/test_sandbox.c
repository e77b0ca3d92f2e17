/* The sandbox: what a script finds, what it does not find, and that what was replaced behaves like stock Lua but gives
 * the same answer in every run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include <lualib.h>

#include "snippet.h"

static const struct script_limits limits = {.max_memory = (size_t)256 << 20, .max_seconds = 60};

/* A piece of Lua and the text of what it returns.  A result that starts with "!" is an error that has the rest
 * in it. */
struct row {
    const char *source;
    const char *result;
};

static void check_rows(const struct row *rows, size_t count)
{
    static struct snippet snippet;
    for (size_t i = 0; i < count; i++) {
        const char *wanted = rows[i].result;
        snippet_run(&limits, &snippet, rows[i].source);
        if (*wanted == '!' ? !snippet.ok && strstr(snippet.err.message, wanted + 1) != NULL
                           : snippet.ok && strcmp(snippet.result, wanted) == 0)
            continue;
        fail_msg("%s\n  gave:   %s\n  wanted: %s", rows[i].source, snippet.ok ? snippet.result : snippet.err.message,
                 wanted);
    }
}

#define CHECK_ROWS(...)                                                                                                \
    do {                                                                                                               \
        static const struct row rows[] = {__VA_ARGS__};                                                                \
        check_rows(rows, ARRAY_LEN(rows));                                                                             \
    } while (0)

static void test_globals_are_the_list(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"local names = {} for name in pairs(_G) do names[#names + 1] = name end return table.concat(names, ' ')",
         "_G _VERSION assert coroutine error getmetatable ipairs load math next os pairs pcall print rawequal "
         "rawget rawlen "
         "rawset select setmetatable string table tonumber tostring type utf8 xpcall"},
        {"local n = 0 for _, name in ipairs{'string', 'table', 'math', 'utf8', 'coroutine', 'os'} do"
         " for _ in pairs(_G[name]) do n = n + 1 end end return n", "67"},
        {"local names = {} for name in pairs(os) do names[#names + 1] = name end return table.concat(names, ' ')",
         "clock difftime time"},
        {"return _G._G == _G and _VERSION", "Lua 5.4"},
        {"return string.dump == nil and ('').dump == nil", "true"});
}

static void test_reasons(void **unused)
{
    (void)unused;
    assert_non_null(sandbox_reason("io"));
    assert_non_null(sandbox_reason("os.getenv"));
    assert_null(sandbox_reason("getenv"));
    assert_null(sandbox_reason("print"));
    assert_non_null(sandbox_reason_of_part("getenv", false));
    assert_null(sandbox_reason_of_part("getenv", true));
    assert_null(sandbox_reason_of_part("io", false));
}

static void test_pairs_goes_by_key(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"local t, o = {b = 1, a = 1, B = 1, [''] = 1, ab = 1, [3] = 1, [-1] = 1, [2.5] = 1, [true] = 1, [false] = 1,"
         " [math.huge] = 1, [-math.huge] = 1, [1 << 62] = 1, [2^70] = 1, [10] = 1}, {}"
         " for k in pairs(t) do o[#o + 1] = tostring(k) end return table.concat(o, ' ')",
         "-inf -1 2.5 3 10 4611686018427387904 1.1805916207174e+21 inf  B a ab b false true"},
        {"local o = {} for k, v in pairs({10, 20, 30}) do o[#o + 1] = k .. '=' .. v end return table.concat(o, ' ')",
         "1=10 2=20 3=30"},
        {"local o = {} for k in pairs({[math.mininteger] = 1, [math.maxinteger] = 1, [-0.5] = 1, [0] = 1, [0.5] = 1,"
         " [-2^63 - 4096] = 1, [2^63] = 1}) do o[#o + 1] = tostring(k) end return table.concat(o, ' ')",
         "-9.2233720368548e+18 -9223372036854775808 -0.5 0 0.5 9223372036854775807 9.2233720368548e+18"},
        {"for _ in pairs({}) do return 'some' end return 'none'", "none"},
        /* removing while walking, and changing what is there */
        {"local t, n = {a = 1, b = 2, c = 3, d = 4}, 0 for k in pairs(t) do t[k] = nil t.c = nil n = n + 1 end "
        "return n .. '/' .. tostring(next(t))",
         "3/nil"},
        {"local t, n = {1, 2, 3, 4}, 0 for k, v in pairs(t) do t[k] = nil t[3] = nil n = n + v end return n", "7"},
        {"local t = {a = 1, b = 2} for k, v in pairs(t) do t[k] = v * 2 end return t.a + t.b", "6"},
        {"local t = {1, 2, nil, 4, x = 5} local n = 0 for _, v in pairs(t) do n = n * 10 + v end return n", "1245"},
        {"local f, t, k = pairs({a = 1}) return tostring(k) .. f(t) .. tostring(f(t))", "nila" "nil"},
        /* metamethods */
        {"local t = setmetatable({}, {__pairs = function(s) return function(_, k) return not k and 1 or nil end, s, "
        "nil end})"
         " local n = 0 for k in pairs(t) do n = n + k end return n", "1"},
        {"local c = coroutine.wrap(function() return pairs(setmetatable({}, {__pairs = function() coroutine.yield(1)"
         " return 'made' end})) end) c() return c()", "made"},
        {"local t = setmetatable({a = 1}, {__index = {b = 2}}) local n = 0 for _ in pairs(t) do n = n + 1 end "
        "return n", "1"},
        /* what has no order */
        {"for _ in pairs({[{}] = 1}) do end", "!pairs: a table whose keys are not all numbers"},
        {"for _ in pairs({[print] = 1, 2}) do end", "!pairs: a table whose keys are not all numbers"},
        {"pairs(nil)", "!bad argument #1 to 'pairs' (table expected, got nil)"},
        {"pairs()", "!bad argument #1 to 'pairs'"});
}

static void test_next_is_the_first_pair(void **unused)
{
    (void)unused;
    CHECK_ROWS({"local k, v = next({b = 1, a = 2}) return k .. v", "a2"}, {"return next({})", "nil"},
               {"return next({a = 1}, nil)", "a"}, {"return next({[true] = 1, [false] = 2})", "false"},
               {"return next({a = 1}, 'a')", "!next(t, k) is not available"},
               {"return next({[{}] = 1})", "!next: a table whose keys are not all numbers"},
               {"return next(1)", "!bad argument #1 to 'next' (table expected, got number)"});
}

static void test_sort(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"local t = {3, 1, 2} table.sort(t) return table.concat(t, ' ')", "1 2 3"},
        {"local t = {'b', 'a', 'C'} table.sort(t, function(a, b) return a > b end) return table.concat(t, ' ')", "b "
        "a C"},
        {"local t = {} table.sort(t) return #t", "0"},
        {"local t = {} for i = 1, 1000 do t[i] = {key = i * 7919 % 10, at = i} end"
         " table.sort(t, function(a, b) return a.key < b.key end)"
         " for i = 2, 1000 do local a, b = t[i - 1], t[i] assert(a.key < b.key or a.key == b.key and a.at < b.at) end"
         " return 'stable'", "stable"},
        {"for n = 0, 70 do local t, sum = {}, 0 for i = 1, n do t[i] = (i * 37 + n) % 23 sum = sum + t[i] end "
        "table.sort(t)"
         " for i = 2, n do assert(t[i - 1] <= t[i]) end for i = 1, n do sum = sum - t[i] end assert(sum == 0 and #t "
         "== n) end"
         " return 'all lengths'", "all lengths"},
        /* comparators that contradict themselves end, and keep the values */
        {"local t = {} for i = 1, 500 do t[i] = i end table.sort(t, function() return true end)"
         " local sum = 0 for _, v in ipairs(t) do sum = sum + v end return sum", "125250"},
        {"local t = {} for i = 1, 500 do t[i] = i end table.sort(t, function() return math.random(2) == 1 end)"
         " local sum = 0 for _, v in ipairs(t) do sum = sum + v end return sum", "125250"},
        {"local t = {0/0, 3, 0/0, 1} table.sort(t) return #t", "4"},
        {"local t = {3, 2, 1} pcall(table.sort, t, function() error('no') end) return table.concat(t, ' ')", "3 2 1"},
        {"table.sort({3, 2}, function() error('no', 0) end)", "!no"},
        {"local m = {__lt = function(a, b) return a.v < b.v end} local t = {setmetatable({v = 2}, m), "
        "setmetatable({v = 1}, m)}"
         " table.sort(t) return t[1].v", "1"},
        {"local real = {3, 1, 2} local t = setmetatable({}, {__len = function() return 3 end, __index = real,"
         " __newindex = function(_, k, v) real[k] = v end}) table.sort(t) return table.concat(real, ' ')", "1 2 3"},
        {"table.sort({1, 'a'})", "!attempt to compare"}, {"table.sort({1, 2}, 3)", "!bad argument #2 to 'sort'"},
        {"table.sort(3)", "!bad argument #1 to 'sort'"},
        {"table.sort(setmetatable({}, {__len = function() return math.maxinteger end}))", "!array too big"},
        {"coroutine.wrap(function() table.sort({2, 1}, coroutine.yield) end)()", "!attempt to yield across a C-call"});
}

static void test_text_has_no_addresses(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"return tostring({}) .. tostring(print) .. tostring(function() end) .. tostring(coroutine.create(print))",
         "tablefunctionfunctionthread"},
        {"return tostring(nil) .. tostring(true) .. tostring(1) .. tostring(1.5) .. tostring('x') .. tostring(2^53)",
         "niltrue11.5x9.007199254741e+15"},
        {"return tostring(0/0) .. tostring(-(0/0)) .. tostring(1/0) .. tostring(-1/0)", "nannaninf-inf"},
        {"return string.format('%f %g %s %5.1f %q', 0/0, -(0/0), 0/0, -(0/0), 0/0)", "nan nan nan   nan (0/0)"},
        {"return tostring(setmetatable({}, {__name = 'thing'}))", "thing"},
        {"return tostring(setmetatable({}, {__name = 3}))", "table"},
        {"return tostring(setmetatable({}, {__tostring = function() return 'own' end}))", "own"},
        {"return tostring(setmetatable({}, {__tostring = function() return {} end}))", "!'__tostring' must return a "
        "string"},
        {"tostring()", "!bad argument #1 to 'tostring' (value expected)"},
        {"return string.format('%s %10s %-6s| %.2s', {}, print, nil, setmetatable({}, {__tostring = function() "
        "return 'abc' end}))",
         "table   function nil   | ab"},
        {"return ('%d %5.2f %x %c %q %% %i %a'):format(3, 2.5, 255, 65, 'a\\n', 4, 1)", "3  2.50 ff A \"a\\\n\" % 4 "
        "0x1p+0"},
        {"return string.format('%p', {})", "!'%p' is not available"}, {"return string.format('%5p', {})", "!'%p' is "
        "not"},
        {"return string.format('%s')", "!bad argument #2 to 'format' (no value)"},
        {"return string.format('%y', 1)", "!invalid conversion '%y' to 'format'"},
        {"return string.format('%d', 1.5)", "!bad argument #2 to 'format' (number has no integer representation)"},
        {"return string.format('%', 1)", "!invalid conversion '%' to 'format'"},
        {"return string.format('%%%s%%', 1)", "%1%"});
}

static void test_metatables(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"return getmetatable('')", "string"},
        {"string.upper = function() return 'evil' end return ('a'):upper()", "A"},
        {"setmetatable('', {})", "!bad argument #1 to 'setmetatable' (table expected"},
        {"return '10' + 1", "11"}, {"return ('x'):rep(3):len()", "3"},
        {"setmetatable({}, {__gc = print})", "!setmetatable refuses __gc: weak tables and finalizers"},
        {"setmetatable({}, {__gc = false})", "!setmetatable refuses __gc"},
        {"setmetatable({}, {__mode = 'k'})", "!setmetatable refuses __mode"},
        {"local m = {} local t = setmetatable({}, m) m.__gc = function() ran = true end t = nil"
         " for i = 1, 200000 do local x = {} end return ran", "nil"},
        {"setmetatable(setmetatable({}, {__metatable = 1}), {})", "!cannot change a protected metatable"},
        {"setmetatable({})", "!bad argument #2 to 'setmetatable' (nil or table expected"},
        {"return getmetatable(setmetatable({}, nil))", "nil"});
}

static void test_load(void **unused)
{
    (void)unused;
    CHECK_ROWS({"return load('return 1 + 1')()", "2"}, {"return load('x = 5', 'n', 't', {})() == nil and x", "nil"},
               {"local e = {y = 3} return load('return y', 'n', 't', e)()", "3"},
               {"x = 4 return load('return x')()", "4"},
               {"return select(2, load('x ='))", "[string \"x =\"]:1: unexpected symbol near <eof>"},
               {"return select(2, load('x =', '@name.lua'))", "name.lua:1: unexpected symbol near <eof>"},
               {"return select(2, pcall(load('error(1, 1)', '=where')))", "1"},
               {"load(function() end)", "!load takes a string here"},
               {"return select(2, load('\\27Lua'))", "load takes text only, never bytecode"},
               {"return select(2, load('return 1', 'n', 'b'))", "load takes text only, never bytecode"},
               {"return select(2, load((' '):rep(1 << 21)))", "load takes at most 1 MiB of source"},
               {"return select(2, pcall(load('return x', 'n', 't', nil)))",
                "[string \"n\"]:1: attempt to index a nil value (upvalue '_ENV')"});
}

static void test_source(void **unused)
{
    static struct snippet snippet;
    static char large[SANDBOX_SOURCE_MAX + 2];
    (void)unused;
    CHECK_ROWS({"#!/usr/bin/env simagent\nreturn 1", "1"}, {"\xEF\xBB\xBF# x\nerror('here')", "!x.lua:2: here"},
               {"#", "nil"}, {"", "nil"}, {"\x1BLua", "!x.lua: this is bytecode, and only text is loaded"},
               {"# x\n\x1BLua", "!x.lua:2: unexpected symbol near '<\\27>'"});
    memset(large, ' ', sizeof large - 1);
    snippet_run(&limits, &snippet, large);
    assert_non_null(strstr(snippet.err.message, "x.lua: the source is longer than 1 MiB"));
    large[SANDBOX_SOURCE_MAX] = '\0';
    snippet_run(&limits, &snippet, large);
    assert_true(snippet.ok);
}

static void test_math_and_time(void **unused)
{
    (void)unused;
    CHECK_ROWS(
        {"for i = 1, 1000 do local r = math.random() assert(r >= 0 and r < 1) r = math.random(6) assert(r >= 1 and "
        "r <= 6)"
         " r = math.random(-3, 3) assert(r >= -3 and r <= 3 and math.type(r) == 'integer') end return 'in range'",
          "in range"},
        {"return math.type(math.random(0))", "integer"},
        {"return math.type(math.random(math.mininteger, math.maxinteger))", "integer"},
        {"math.random(2, 1)", "!bad argument #2 to 'random' (interval is empty)"},
        {"math.random(-1)", "!bad argument #1 to 'random' (interval is empty)"},
        {"math.random(1, 2, 3)", "!wrong number of arguments"}, {"math.random(1.5)", "!number has no integer "
        "representation"},
        {"math.randomseed(1)", "!set the seed with --seed"},
        {"return math.exp(0) .. ' ' .. math.log(8, 2) .. ' ' .. math.log(1000, 10) .. ' ' .. math.log(27, 3)", "1.0 "
        "3.0 3.0 3.0"},
        {"return math.sin(0) .. ' ' .. math.cos(0) .. ' ' .. math.atan(1) * 4 .. ' ' .. math.atan(1, -1)",
         "0.0 1.0 3.1415926535898 2.3561944901923"},
        {"return string.format('%.17g %.17g %.17g', 1.1^10.5, math.log(3), math.acos(0.3))",
         "2.7203400420274986 1.0986122886681098 1.2661036727794992"},
        {"math.sin('x')", "!bad argument #1 to 'sin' (number expected, got string)"},
        {"return math.sqrt(2) > 1.41 and math.floor(2.7) + math.pi // 1", "5.0"},
        {"return os.time() .. ' ' .. os.clock() .. ' ' .. os.difftime(5, 2)", "0 0.0 3.0"},
        {"os.time({year = 2020})", "!os.time takes no table"});
}

static void test_clock_is_virtual(void **unused)
{
    static struct snippet snippet;
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    (void)unused;
    assert_true(state_open(&state, &limits, 1, &err));
    state.clock_us = 3500000;
    snippet_call(&state, &snippet, "return os.time() .. ' ' .. os.clock()");
    assert_string_equal(snippet.result, "3 3.5");
    state_close(&state);
}

static void test_seed_decides_random(void **unused)
{
    static struct snippet first;
    static struct snippet again;
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    static const char source[] = "return math.random(1 << 40) .. ' ' .. math.random()";
    (void)unused;
    snippet_run(&limits, &first, source);
    snippet_run(&limits, &again, source);
    assert_string_equal(first.result, again.result);
    assert_true(state_open(&state, &limits, 8, &err));
    snippet_call(&state, &again, source);
    assert_string_not_equal(first.result, again.result);
    state_close(&state);
}

/* Each must give in the sandbox what it gives in stock Lua: the reference is the library itself. */
static const char *const like_stock[] = {
    "local c = coroutine.create(function(a, ...) local b = coroutine.yield(a, ...) error('e' .. b) end)"
    " local o = {coroutine.resume(c, 1, 2, 3)} o[#o + 1] = coroutine.status(c)"
    " local ok, m = coroutine.resume(c, 'x') o[#o + 1] = tostring(ok) .. m .. coroutine.status(c)"
    " for i, v in ipairs(o) do o[i] = tostring(v) end return table.concat(o, ' ')",
    "local c = coroutine.wrap(function() error('inner') end) return select(2, pcall(c))",
    "local c = coroutine.wrap(function() error({}) end) return type(select(2, pcall(c)))",
    "local c = coroutine.wrap(function() return 1, 2 end) c() return select(2, pcall(c))",
    "local c c = coroutine.wrap(function() return pcall(c) end) return select(2, c())",
    "local c = coroutine.create(print) return tostring(coroutine.close(c)) .. coroutine.status(c)",
    "local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() "
     "error('closing', 0) end})"
    " coroutine.yield() end) coroutine.resume(c) local ok, m = coroutine.close(c) return tostring(ok) .. m",
    "local log = {} local c = coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function(_, e)"
    " log[1] = e error('second', 0) end}) error('first', 0) end) local _, m = pcall(c) return log[1] .. m",
    "return select(2, pcall(coroutine.close, coroutine.running()))",
    "local c c = coroutine.create(function() return coroutine.status(c) .. select(2, pcall(coroutine.close, c)) end)"
    " return select(2, coroutine.resume(c))",
    "local outer outer = coroutine.create(function() return coroutine.wrap(function() return "
     "coroutine.status(outer) end)() end)"
    " return select(2, coroutine.resume(outer))",
    "return tostring(coroutine.isyieldable()) .. tostring(coroutine.wrap(function() return coroutine.isyieldable() "
     "end)())",
    "return tostring(select(2, coroutine.running()))",
    "return select(2, pcall(function() coroutine.resume(1) end))",
    "return select(2, pcall(function() coroutine.create(1) end))",
    "return select(2, pcall(function() coroutine.wrap() end))",
    "local c = coroutine.wrap(function() return pcall(function() coroutine.yield(1) error('x', 0) end) end)"
    " c() return select(2, c())",
    "return select(2, xpcall(error, function(m) return m .. '!' end, 'a'))",
    "return select(2, xpcall(function(...) return select('#', ...) end, print, 1, nil, nil))",
    "return tostring(xpcall(error, function() error('in handler') end))",
    "return select(2, pcall(function() xpcall(print) end))",
    "local c = coroutine.wrap(function() return xpcall(function() return coroutine.yield(1) end, print) end)"
    " c() return select(2, c('back'))",
    "local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end"
    " local s = 0 for i in gen(100) do s = s + i end return s",
    "local c = coroutine.create(function(...) return select('#', ...) end)"
    " return tostring(select(2, coroutine.resume(c, table.unpack({}, 1, 200))))",
    "return table.concat({table.unpack({1, 2, 3})}, ',') .. #table.pack(1, nil, 3) .. select(-1, 1, 2)",
    "return ('hello world'):gsub('o', '0') .. utf8.char(233, 8364) .. utf8.len('é€')",
};

static void test_replacements_are_like_stock(void **unused)
{
    static struct snippet snippet;
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(like_stock); i++) {
        lua_State *stock = luaL_newstate();
        luaL_openlibs(stock);
        assert_int_equal(luaL_loadbuffer(stock, like_stock[i], strlen(like_stock[i]), "@x.lua"), LUA_OK);
        assert_int_equal(lua_pcall(stock, 0, 1, 0), LUA_OK);
        snippet_run(&limits, &snippet, like_stock[i]);
        if (!snippet.ok || strcmp(snippet.result, luaL_tolstring(stock, -1, NULL)) != 0)
            fail_msg("%s\n  gave:  %s\n  stock: %s", like_stock[i], snippet.ok ? snippet.result : snippet.err.message,
                     lua_tostring(stock, -1));
        lua_close(stock);
    }
}

static void test_closes_inside_one_another_are_bounded(void **unused)
{
    (void)unused;
    CHECK_ROWS({"local function nest(n) local c = coroutine.create(function() local x <close> = setmetatable({}, "
     "{__close ="
                " function() nest(n + 1) end}) coroutine.yield() end) coroutine.resume(c) "
                "assert(coroutine.close(c)) end"
                " nest(1)", "!too many coroutines close one another"});
}

/* Runs with stderr going to a pipe; returns what was written there. */
static size_t printed_by(const char *source, char *text, size_t size)
{
    static struct snippet snippet;
    char path[] = "/tmp/simagent_print_XXXXXX";
    int file = mkstemp(path);
    int saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    dup2(file, STDERR_FILENO);
    snippet_run(&limits, &snippet, source);
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t length = pread(file, text, size - 1, 0);
    close(file);
    unlink(path);
    assert_true(snippet.ok && length >= 0);
    text[length] = '\0';
    return (size_t)length;
}

static void test_print(void **unused)
{
    static char text[200000];
    static const char note[] = "print: more than 64 KiB, the rest is left out\n";
    (void)unused;
    printed_by("print(1, 'a', nil, {}, setmetatable({}, {__tostring = function() return 'own' end})) print()", text,
     sizeof text);
    assert_string_equal(text, "1\ta\tnil\ttable\town\n\n");
    /* 64 lines of 1024 bytes fit exactly */
    assert_int_equal(printed_by("for i = 1, 64 do print(('x'):rep(1023)) end", text, sizeof text), 65536);
    assert_null(strstr(text, note));
    assert_int_equal(printed_by("for i = 1, 1000 do print(('x'):rep(1023)) end", text, sizeof text),
     65536 + sizeof note - 1);
    assert_string_equal(text + 65536, note);
    assert_int_equal(printed_by("for i = 1, 1000 do print(('x'):rep(999)) end", text, sizeof text),
     65536 + sizeof note);
    assert_int_equal(text[65536], '\n');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_globals_are_the_list),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_pairs_goes_by_key),
        cmocka_unit_test(test_next_is_the_first_pair),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_text_has_no_addresses),
        cmocka_unit_test(test_metatables),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_math_and_time),
        cmocka_unit_test(test_clock_is_virtual),
        cmocka_unit_test(test_seed_decides_random),
        cmocka_unit_test(test_replacements_are_like_stock),
        cmocka_unit_test(test_closes_inside_one_another_are_bounded),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
