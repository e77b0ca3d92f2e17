-- Checks the style that matters, file by file: lua5.4 tests/lint/style.lua ROOT
--
-- Every rule is proved on small bad snippets before the tree is looked at (the end of this file), and every exception
-- is listed with its reason.  An exception that is no longer needed is a complaint too.

local here = arg[0]:match("^(.*)/") or "."
package.path = here .. "/lib/?.lua;" .. package.path
local lint = require "lint"
local c_source = require "c_source"

local columns_max = 120
local source_lines_max, source_lines_refused, header_lines_max = 500, 800, 250
local function_lines_aim, function_lines_max, parameters_max, header_function_lines_max = 60, 80, 7, 8

-- Functions that no file of src/ may call, and what is wrong with each.
local banned = {
  alloca = "its size has no ceiling and a failure no message; use an arena",
  asctime = "it reads the zone and keeps its text in static storage",
  atof = "it cannot say that its text is no number; use strtod and look at the end",
  atoi = "it cannot say that its text is no number; use strtol and look at the end",
  atol = "it cannot say that its text is no number; use strtol and look at the end",
  atoll = "it cannot say that its text is no number; use strtoll and look at the end",
  clock = "results must not depend on the machine's speed; limits use clock_gettime",
  ctime = "it reads the zone and keeps its text in static storage",
  gets = "it has no bound",
  gmtime = "it keeps its result in static storage",
  localtime = "it reads the zone and keeps its result in static storage",
  longjmp = "only Lua jumps, and only inside script/call.c's protected calls",
  popen = "the program starts no other program",
  qsort = "it keeps the order of equal items on some machines only; use sort_stable",
  qsort_r = "it keeps the order of equal items on some machines only; use sort_stable",
  rand = "it is not the same on every machine; use base/rng",
  random = "it is not the same on every machine; use base/rng",
  setjmp = "only Lua jumps, and only inside script/call.c's protected calls",
  setlocale = "numbers would be read and written by the user's locale",
  signal = "what it does in a handler differs between systems; use sigaction",
  sprintf = "it has no bound; use snprintf or a strbuf",
  srand = "it is not the same on every machine; use base/rng",
  srandom = "it is not the same on every machine; use base/rng",
  strcat = "it has no bound; use a strbuf",
  strcpy = "it has no bound; use snprintf or a strbuf",
  strncat = "its bound is not the one that is meant; use a strbuf",
  strncpy = "it may leave no terminator; use snprintf",
  strtok = "it keeps its place in static storage and writes into its text",
  system = "the program starts no other program",
  time = "results must not depend on the clock; limits use clock_gettime",
  tmpnam = "somebody else may take the name first; use O_TMPFILE or mkostemp",
  vsprintf = "it has no bound; use vsnprintf",
}

-- PATH:RULE:NAME = why this one is right.  NAME is a function, a variable, or empty for the file itself.
local exceptions = {
  ["src/base/oom.c:mutable:exit_code"] = "memory may run out anywhere, where nobody can pass on whose fault it is",
  ["src/batch/signals.c:mutable:caught_signal"] = "a signal handler has no argument of its own",
  ["src/batch/signals.c:mutable:wake_descriptor"] = "a signal handler has no argument of its own",
  ["src/script/state.c:mutable:running"] = "Lua's hook must be armed from a signal handler, which has no argument",
  ["src/base/sink.h:header-function:sink_putc"] = "inlined into every writer of single bytes",
  ["src/base/chunks.h:header-function:chunk_of"] = "inlined into every loop over entries",
  ["src/base/chunks.h:header-function:chunks_add_unset"] = "inlined where entries are appended",
  ["src/base/arena.h:header-function:arena_take"] = "inlined into every allocation",
  ["src/base/recycler.h:header-function:recycler_take"] = "inlined into Lua's allocator, some ten times a turn",
  ["src/base/recycler.h:header-function:recycler_give"] = "inlined into Lua's allocator, some ten times a turn",
  ["src/engine/sched.h:header-function:sched_add"] = "inlined: the way of a lone agent, four times a turn",
  ["src/engine/sched.h:header-function:sched_take"] = "inlined: the way of a lone agent, four times a turn",
  ["src/base/chunks.h:header-function:chunks_run"] = "inlined into every loop over entries",
  ["src/cli/main.c:banned:signal"] = "SIG_IGN installs no handler, so nothing can differ",
  ["src/batch/worker.c:banned:signal"] = "SIG_DFL installs no handler, so nothing can differ",
  ["tests/unit/report/test_text.c:columns:"] = "holds lines of a page of 200 columns",
}
local used = {}

local function excepted(path, rule, name)
  local key = path .. ":" .. rule .. ":" .. (name or "")
  if exceptions[key] then used[key] = true end
  return exceptions[key] ~= nil
end

-- The one file that has to spell the words it forbids.
local word_list_file = "tests/lint/style.lua"
local unfinished = { "TODO", "FIXME", "XXX", "HACK", "stub", "Stub", "stubs", "placeholder", "Placeholder" }
local outside = {
  { "%.%./shared", "a path outside the repository" },
  { "%f[%w/]/work%f[^%w_]", "a path of one machine" },
  { "%f[%w]house%.md", "a document outside the repository" },
  { "%f[%w]contract%.md", "a document outside the repository" },
  { "%f[%w]requirements%.md", "a document outside the repository" },
  { "%f[%w]reliability%.md", "a document outside the repository" },
  { "%f[%w][Ii]ssues?%f[^%w]", "a tracker; say what is true instead" },
  { "%f[%w]pull request", "a tracker; say what is true instead" },
  { "%f[%w]this session", "how the code came about" },
  { "%f[%w]sub%-?task", "how the code came about" },
  { "%f[%w]ChatGPT", "a tool of its making" },
  { "%f[%w]as requested", "how the code came about" },
  { "%f[%w]the brief%f[^%w]", "how the code came about" },
}

-- Where the functions of a .c file without its own header are declared.  A file MODULE_PART.c beside a MODULE_own.h or
-- a MODULE.h needs no row: it belongs to that module.
local declared_in = {
  { "^src/engine/", "engine/agent_state.h" },
  { "^src/tools/", "tools/builtin.h" },
  { "^src/report/section_", "report/sections.h" },
  { "^src/cli/cmd_", "cli/command.h" },
  { "^src/cli/main%.c$", "cli/command.h" },
}

-- The whole text, line by line.
local function each_line(text)
  local number, at = 0, 1
  return function()
    if at > #text then return nil end
    local stop = text:find("\n", at, true) or #text + 1
    local line = text:sub(at, stop - 1)
    at, number = stop + 1, number + 1
    return number, line
  end
end

local function judge_words(path, number, line)
  if path == word_list_file then return end
  for _, word in ipairs(unfinished) do
    if line:find("%f[%w_]" .. word .. "%f[^%w_]") then
      lint.complain(path, number, "unfinished", "says %s; finish it or say what is true", word)
    end
  end
  for _, row in ipairs(outside) do
    local story = path:find("^scenarios/") and not row[2]:find("^a path") -- agents speak of tasks
    if not story and line:find(row[1]) then
      lint.complain(path, number, "outside", "speaks of %s: %s", row[2], line:match(row[1]))
    end
  end
end

local function judge_text(path, text)
  for number, line in each_line(text) do
    local width = utf8.len(line)
    if not width then lint.complain(path, number, "encoding", "is not UTF-8") end
    if (width or 0) > columns_max and not excepted(path, "columns") then
      lint.complain(path, number, "columns", "has %d columns", width)
    end
    if line:find("\t", 1, true) then lint.complain(path, number, "tab", "holds a tab") end
    if line:find("%s$") then lint.complain(path, number, "blanks", "ends with blanks") end
    judge_words(path, number, line)
  end
  if text:sub(-1) ~= "\n" or text:sub(-2) == "\n\n" then
    lint.complain(path, 0, "end", "must end with exactly one line feed")
  end
end

local function judge_size(path, text)
  local _, lines = text:gsub("\n", "")
  if path:find("%.h$") then
    if lines > header_lines_max then
      lint.complain(path, 0, "size", "has %d lines, %d at most", lines, header_lines_max)
    end
  elseif lines > source_lines_refused then
    lint.complain(path, 0, "size", "has %d lines, %d at most", lines, source_lines_refused)
  elseif lines > source_lines_max and not excepted(path, "size") then
    lint.complain(path, 0, "size", "has %d lines; above %d it is split or listed with a reason", lines,
                  source_lines_max)
  end
end

local function judge_calls(path, code)
  for number, line in each_line(code) do
    for name in line:gmatch("%f[%w_]([%a_][%w_]*)%s*%(") do
      if banned[name] and not excepted(path, "banned", name) then
        lint.complain(path, number, "banned", "calls %s: %s", name, banned[name])
      end
    end
    local definition = line:match("^%s*typedef%s+(.*)")
    if definition and (definition:find("^struct%f[%W]") or definition:find("^union%f[%W]") or
       definition:find("^enum%f[%W]")) then
      lint.complain(path, number, "typedef", "a type is called by its kind: struct NAME")
    end
    local posix = line:find("typedef.*_t%s*;") or line:find("typedef.*%f[%w_][%w_]+_t%s*%(")
    for _, kind in ipairs { "struct", "union", "enum" } do
      posix = posix or line:find("%f[%w_]" .. kind .. "%s+[%w_]+_t%s*{")
    end
    if posix then
      lint.complain(path, number, "posix-name", "names that end in _t belong to POSIX")
    end
  end
end

local function count_parameters(head)
  local list = head:match("%b()%s*$") or "()"
  local flat = list:sub(2, -2):gsub("%b()", "")
  if flat:match("^%s*$") or flat:match("^%s*void%s*$") then return 0 end
  return select(2, flat:gsub(",", "")) + 1
end

local function judge_function(path, unit)
  local name, lines = c_source.name(unit.head), unit.last_line - unit.line + 1
  if lines > function_lines_max then
    lint.complain(path, unit.line, "function", "%s has %d lines, %d at most", name, lines, function_lines_max)
  elseif lines > function_lines_aim and not excepted(path, "function", name) then
    lint.complain(path, unit.line, "function", "%s has %d lines; above %d it is split or listed with a reason", name,
                  lines, function_lines_aim)
  end
  if path:find("%.h$") and lines > header_function_lines_max and not excepted(path, "header-function", name) then
    lint.complain(path, unit.line, "header-function", "%s has %d lines; its home is a .c file", name, lines)
  end
  if count_parameters(unit.head) > parameters_max and not excepted(path, "parameters", name) then
    lint.complain(path, unit.line, "parameters", "%s has more than %d parameters; use a struct", name, parameters_max)
  end
  local labels = {}
  for label in unit.body:gmatch("%f[%w_]goto%s+([%w_]+)") do labels[label] = true end
  local first = next(labels)
  if first and next(labels, first) then
    lint.complain(path, unit.line, "goto", "%s jumps to more than one label", name)
  end
  for declaration in unit.body:gmatch("%f[%w_]static%s+[^;]*;") do
    local variable = c_source.name(declaration)
    if c_source.is_mutable_object(declaration) and not excepted(path, "mutable", variable) then
      lint.complain(path, unit.line, "mutable", "%s keeps state between calls in %s", name, variable)
    end
  end
end

-- Functions that call each other need one prototype among them: whether a function reaches itself through another one,
-- or through a table of functions.
local function calls_itself_through_another(name, units)
  local bodies, reached, waiting = {}, {}, { name }
  for _, unit in ipairs(units) do
    local has_body = unit.kind == "function" or unit.head:find("=", 1, true)
    if has_body then bodies[c_source.name(unit.head)] = unit.body end
  end
  while #waiting > 0 do
    local current = table.remove(waiting)
    for callee in (bodies[current] or ""):gmatch("[%a_][%w_]*") do
      if callee == name and current ~= name then return true end
      if bodies[callee] and callee ~= name and not reached[callee] then
        reached[callee] = true
        waiting[#waiting + 1] = callee
      end
    end
  end
  return false
end

local function judge_units(path, text)
  local units = c_source.units(text)
  for _, unit in ipairs(units) do
    local name = c_source.name(unit.head)
    if unit.kind == "function" then
      judge_function(path, unit)
    elseif c_source.is_mutable_object(unit.head) then
      if not excepted(path, "mutable", name) then
        lint.complain(path, unit.line, "mutable", "%s can change and belongs to no one", name)
      end
    elseif path:find("%.c$") and unit.head:find("%f[%w_]static%f[^%w_]") and unit.head:find("%)%s*;$") and
           not unit.head:find("=", 1, true) and not calls_itself_through_another(name, units) then
      lint.complain(path, unit.line, "prototype", "%s is declared before it is defined; move it up", name)
    end
  end
end

-- The house's header: one sentence that says what the module is, then the reasons, then the guard named by the path.
local function judge_header(path, text)
  local first = text:match("^([^\n]*)")
  local sentence = first:match("^/%* (.*)$")
  if not sentence or not (sentence:find("^%u") or sentence:find("^sim%.")) or
     not (sentence:find("%.$") or sentence:find("%. %*/$")) then
    lint.complain(path, 1, "opening", "the first line must be /* and one whole sentence that says what the module is")
  end
  if not first:find("%*/$") and not text:find("^[^\n]*\n %*\n") then
    lint.complain(path, 2, "opening", "a blank comment line must follow the opening sentence")
  end
  local guard = path:gsub("^src/", ""):gsub("[^%w]", "_"):upper()
  local after = text:match("^/%*.-%*/\n(.*)$") or ""
  if not after:find("^#ifndef " .. guard .. "\n#define " .. guard .. "\n\n") or not text:find("\n\n#endif\n$") then
    lint.complain(path, 0, "guard", "the guard %s must follow the opening comment and close the file", guard)
  end
end

local exists = lint.exists

-- The headers of which one declares what a .c file without its own header defines; none if nobody says so.
local function shared_headers(path, own)
  for _, row in ipairs(declared_in) do
    if path:find(row[1]) then return { row[2] } end
  end
  local headers, module = {}, own:match("^(.*)_")
  while module do
    for _, header in ipairs { module .. "_own.h", module .. ".h" } do
      if exists("src/" .. header) then headers[#headers + 1] = header end
    end
    module = module:match("^(.*)_")
  end
  return headers
end

local function judge_source_includes(path, text)
  local own = path:gsub("^src/", ""):gsub("%.c$", ".h")
  local first = text:match('#include ([<"][^>"]+[>"])')
  if exists("src/" .. own) then
    if first ~= '"' .. own .. '"' then
      lint.complain(path, 0, "own-header", 'must include "%s" first, which shows that the header stands alone', own)
    end
    return
  end
  local shared, included = shared_headers(path, own), false
  if #shared == 0 then
    lint.complain(path, 0, "own-header", "has no header and is not in the list of files without one")
    return
  end
  for _, header in ipairs(shared) do
    included = included or text:find('#include "' .. header .. '"', 1, true) ~= nil
  end
  if not included then
    lint.complain(path, 0, "own-header", 'must include "%s", where its functions are declared', shared[1])
  end
  local opening = text:match("^/%* ([^\n]*)")
  if not opening or not opening:find("%.") then
    lint.complain(path, 1, "opening", "a file without its own header starts with a sentence that says what it is")
  end
end

local function judge_c(path, text)
  judge_text(path, text)
  judge_size(path, text)
  judge_calls(path, c_source.code(text))
  judge_units(path, text)
  if path:find("%.h$") then judge_header(path, text) else judge_source_includes(path, text) end
end

-- Tests: the same text rules; the C rules that do not hinder a test.
local function judge_test(path, text)
  judge_text(path, text)
  if path:find("%.c$") then
    local _, lines = text:gsub("\n", "")
    if lines > source_lines_refused then
      lint.complain(path, 0, "size", "has %d lines, %d at most", lines, source_lines_refused)
    end
    if not text:find("#include <stdarg%.h>\n#include <stddef%.h>\n#include <setjmp%.h>\n#include <stdint%.h>\n") then
      lint.complain(path, 0, "cmocka", "cmocka.h needs stdarg, stddef, setjmp and stdint before it, in this order")
    end
  end
end

-- tests/unit/FOLDER/test_MODULE.c is what tests/CMakeLists.txt picks up, for the folders it names.
local picked_folders = {}

local function read_picked_folders(cmake)
  picked_folders = {}
  for name in (cmake:match("foreach%(layer ([^%)]*)%)") or ""):gmatch("%S+") do picked_folders[name] = true end
  for name in cmake:gmatch("/unit/([%w_]+)/test_%*%.c") do picked_folders[name] = true end
end

local function judge_pick_up(path, text)
  local folder, file = path:match("^tests/unit/([^/]+)/([^/]+%.c)$")
  if not path:find("%.c$") then return end
  if not folder or not picked_folders[folder] or not file:find("^test_[%w_]+%.c$") then
    lint.complain(path, 0, "pick-up", "is built by no rule of tests/CMakeLists.txt")
  elseif not text:find("cmocka_run_group_tests", 1, true) then
    lint.complain(path, 0, "pick-up", "runs no group of tests")
  end
end

------------------------------------------------------------------------------------------------------------------------
-- Proof that each rule can fail.

local function lines(count, line)
  return (line .. "\n"):rep(count)
end

local proof_exists = { ["src/core/own.h"] = true }
exists = function(path) return proof_exists[path] or false end

local head = '#include "core/own.h"\n'
local function c_case(text, rule) -- in a .c file of which all else is right
  return { path = "src/core/own.c", text = head .. text, rule = rule }
end

local guard_h = "#ifndef CORE_OWN_H\n#define CORE_OWN_H\n\nint own_get(void);\n\n#endif\n"
local function h_case(text, rule)
  return { path = "src/core/own.h", text = text, rule = rule }
end

lint.prove({
  -- good
  c_case("static const char *const names[] = {\"a\", \"qsort(\"};\nint own_get(void)\n{\n    return 1;\n}\n"),
  c_case("/* strcpy( is not used */\nstatic const struct pair rows[] = {{1, 2}};\n"),
  c_case("enum { A, B };\nstruct pair {\n    int a;\n};\n"),
  c_case("struct pair;\nextern const int known;\nint own_get(int (*ask)(void *self));\n_Static_assert(1, \"\");\n"),
  c_case("static int (*const ask)(void) = NULL;\ntypedef int own_function(void);\n"),
  c_case("bool own_read(void)\n{\n    goto end;\nend:\n    return true;\n}\n"),
  h_case("/* Own: a thing.\n *\n * Why.\n */\n" .. guard_h),
  h_case("/* Own: a thing. */\n" .. guard_h),
  -- calls
  c_case("void f(void)\n{\n    qsort(a, 1, 1, g);\n}\n", "banned"),
  c_case("void f(void)\n{\n    setlocale(0, \"\");\n}\n", "banned"),
  c_case("void f(void)\n{\n    strcpy (a, b);\n}\n", "banned"),
  c_case("void f(void)\n{\n    int n = sprintf(a, \"%d\", 1);\n}\n", "banned"),
  c_case("void f(void)\n{\n    x = strtok(a, b) + rand();\n}\n", "banned"),
  c_case("void f(void)\n{\n    x = time(NULL);\n}\n", "banned"),
  c_case("void f(void)\n{\n    char *x = alloca(9);\n}\n", "banned"),
  -- types
  c_case("typedef struct pair {\n    int a;\n} pair;\n", "typedef"),
  c_case("typedef enum kind kind;\n", "typedef"),
  c_case("typedef int own_t;\n", "posix-name"),
  c_case("struct own_t {\n    int a;\n};\n", "posix-name"),
  -- state
  c_case("static int count;\n", "mutable"),
  c_case("int count = 1;\n", "mutable"),
  c_case("static const char *name;\n", "mutable"),
  c_case("static char buffer[10];\n", "mutable"),
  c_case("static struct pair one = {1, 2};\n", "mutable"),
  c_case("static struct {\n    int a;\n} one;\n", "mutable"),
  c_case("static _Thread_local int depth;\n", "mutable"),
  c_case("static int (*ask)(void);\n", "mutable"),
  c_case("static const char *names[] = {\"a\"};\n", "mutable"),
  c_case("int f(void)\n{\n    static int count;\n    return count++;\n}\n", "mutable"),
  -- order
  c_case("static int later(void);\n", "prototype"),
  c_case("static int f(void);\nint g(void)\n{\n    return f();\n}\nstatic int f(void)\n{\n    return f();\n}\n",
         "prototype"),
  c_case("static int f(void);\nint g(void)\n{\n    return f();\n}\nstatic int f(void)\n{\n    return g();\n}\n"),
  c_case("static int f(void);\nstatic const struct row rows[] = {{f}};\nstatic int f(void)\n{\n    rows[0].f();\n}\n"),
  c_case("void f(void)\n{\n    goto a;\na:\n    goto b;\nb:\n    return;\n}\n", "goto"),
  -- size
  c_case(lines(500, "int x(void);"), "size"),
  c_case(lines(801, "int x(void);"), "size"),
  c_case("void f(void)\n{\n" .. lines(58, "    g();") .. "}\n", "function"),
  c_case("void f(void)\n{\n" .. lines(80, "    g();") .. "}\n", "function"),
  c_case("void f(void)\n{\n" .. lines(57, "    g();") .. "}\n"),
  c_case("void f(int a, int b, int c, int d, int e, int g, int h, int i)\n{\n}\n", "parameters"),
  c_case("void f(int a, int b, int (*c)(int, int), int d, int e, int g, int h)\n{\n}\n"),
  h_case("/* Own: a thing. */\n" .. (guard_h:gsub("int own_get%(void%);\n", lines(250, "int own_get(void);"))), "size"),
  h_case("/* Own: a thing. */\n" .. (guard_h:gsub("%(void%);\n", "(void)\n{\n" .. lines(9, "    f();") .. "}\n")),
         "header-function"),
  -- text
  c_case("/* " .. ("x"):rep(115) .. " */\n", "columns"),
  c_case("/* " .. ("…"):rep(114) .. " */\n"),
  c_case("int f(void);\t/* tab */\n", "tab"),
  c_case("int f(void); \n", "blanks"),
  c_case("int f(void);\r\n", "blanks"),
  c_case("int f(void);", "end"),
  c_case("int f(void);\n\n", "end"),
  c_case("/* \xff */\n", "encoding"),
  c_case("/* TODO: later */\n", "unfinished"),
  c_case("/* FIXME */\n", "unfinished"),
  c_case("/* XXX */\n", "unfinished"),
  c_case("/* a HACK */\n", "unfinished"),
  c_case("/* only a stub */\n", "unfinished"),
  c_case("/* a placeholder */\n", "unfinished"),
  c_case("/* as .." .. "/shared/x says */\n", "outside"),
  c_case("/* see /" .. "work/main */\n", "outside"),
  c_case("/* core/workspace.h, batch/worker.h */\n"),
  c_case("/* fixes issue 3 */\n", "outside"),
  c_case("/* found in this session */\n", "outside"),
  c_case("/* as house.md says */\n", "outside"),
  -- headers
  h_case(guard_h, "guard, opening"),
  h_case("/* own: a thing. */\n" .. guard_h, "opening"),
  h_case("/* Own: a thing that\n * goes on.\n */\n" .. guard_h, "opening"),
  h_case("/* Own: a thing.\n * Why.\n */\n" .. guard_h, "opening"),
  h_case("/* Own: a thing. */\n#pragma once\n", "guard"),
  h_case("/* Own: a thing. */\n" .. (guard_h:gsub("CORE_OWN_H", "OWN_H")), "guard"),
  -- includes
  { path = "src/core/own.c", text = '#include <stdio.h>\n#include "core/own.h"\n', rule = "own-header" },
  { path = "src/core/other.c", text = "#include <stdio.h>\n", rule = "own-header" },
  { path = "src/core/own_part.c", text = '/* A part. */\n#include "base/str.h"\n', rule = "own-header" },
  { path = "src/core/own_part.c", text = '/* A part. */\n#include "core/own.h"\n' },
  { path = "src/tools/x.c", text = '#include "tools/builtin.h"\n', rule = "opening" },
  { path = "src/tools/x.c", text = '/* x: a tool. */\n#include "base/str.h"\n', rule = "own-header" },
  { path = "src/tools/x.c", text = '/* x: a tool. */\n#include "tools/builtin.h"\n' },
}, judge_c)

read_picked_folders('foreach(layer base core)\n"${X}/unit/founding/test_*.c"')
local run_group = "    return cmocka_run_group_tests(tests, NULL, NULL);\n"
lint.prove({
  { path = "tests/unit/core/test_a.c", text = run_group },
  { path = "tests/unit/founding/test_a.c", text = run_group },
  { path = "tests/unit/core/tests.h", text = "" },
  { path = "tests/unit/core/test_a.c", text = "", rule = "pick-up" },
  { path = "tests/unit/core/a_test.c", text = run_group, rule = "pick-up" },
  { path = "tests/unit/core/deep/test_a.c", text = run_group, rule = "pick-up" },
  { path = "tests/unit/test_a.c", text = run_group, rule = "pick-up" },
  { path = "tests/unit/gone/test_a.c", text = run_group, rule = "pick-up" },
}, judge_pick_up)

lint.prove({
  { path = "tests/unit/core/test_a.c", text = "#include <cmocka.h>\n", rule = "cmocka" },
  { path = "tests/unit/core/test_a.c", text = "#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n" ..
    "#include <stdint.h>\n" .. lines(800, "int x;"), rule = "size" },
  { path = "tests/support/a.h", text = "/* \t */\n", rule = "tab" },
}, judge_test)

------------------------------------------------------------------------------------------------------------------------
-- The tree.

exists, used = lint.exists, {}
lint.start(arg[1])
for _, path in ipairs(lint.files("src")) do
  if path:find("%.[ch]$") then judge_c(path, lint.read(path)) end
  if path:find("%.cc$") then
    judge_text(path, lint.read(path))
    judge_size(path, lint.read(path))
  end
end
read_picked_folders(lint.read("tests/CMakeLists.txt"))
for _, folder in ipairs { "tests/unit", "tests/support", "tests/lint", "scenarios", "lua", "cmake" } do
  for _, path in ipairs(lint.files(folder)) do
    local text = path:find("%.[ch]$") or path:find("%.lua$") or path:find("%.cmake$")
    if text then judge_test(path, lint.read(path)) end
    if folder == "tests/unit" then judge_pick_up(path, lint.read(path)) end
  end
end
judge_text("CMakeLists.txt", lint.read("CMakeLists.txt"))
judge_text("tests/CMakeLists.txt", lint.read("tests/CMakeLists.txt"))
for key in pairs(exceptions) do
  if not used[key] then lint.complain(word_list_file, 0, "exception", "the exception %s is not needed", key) end
end
lint.finish()
