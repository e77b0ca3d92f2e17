-- Checks that includes point downward only: lua5.4 tests/lint/layers.lua ROOT
--
-- The table below is the one list of arrows.  A new arrow is a change to it, and src/README.md shows the same table, so
-- that it is seen in a review.

local here = arg[0]:match("^(.*)/") or "."
package.path = here .. "/lib/?.lua;" .. package.path
local lint = require "lint"

-- One row per folder of src/, lowest first.  `sees`: what its files may include, a whole folder or one header.
-- `own`: when given, the only headers of its own folder.  `lua`: whether Lua's headers may be included.  `unaware`:
-- what its files must not know about, for people.
local layers = {
  { name = "base",   sees = {}, unaware = "agents, Lua, turns" },
  { name = "core",   sees = { "base" }, unaware = "models, tools, files on disk" },
  { name = "engine", sees = { "base", "core" }, unaware = "Lua, measurement, output" },
  { name = "tools",  sees = { "base", "core", "engine/tool.h", "engine/shell.h" },
    own = { "tools/builtin.h", "tools/argument.h", "tools/lookup.h", "tools/pattern.h", "tools/texts.h" },
    unaware = "other tools' files, the agent loop" },
  { name = "report", sees = { "base" }, unaware = "what the numbers mean to a scenario" },
  { name = "reduce", sees = { "base", "core" }, unaware = "the engine, formats" },
  { name = "script", sees = { "base", "core", "engine", "tools/builtin.h", "reduce" }, lua = true,
    unaware = "the command line, processes, formats" },
  { name = "batch",  sees = { "base", "core", "engine", "reduce", "report", "script" },
    unaware = "Lua's headers, how options are parsed" },
  { name = "cli",    sees = { "base", "core", "engine", "tools", "report", "reduce", "script", "batch" },
    unaware = "Lua's headers" },
}

local lua_headers = { ["lua.h"] = true, ["lauxlib.h"] = true, ["lualib.h"] = true, ["luaconf.h"] = true }

-- Headers of libraries that have a home: everybody else asks the module there.
local homes = {
  ["mpfr.h"] = { "src/script/exact_math.c" },
  ["pcre2.h"] = { "src/tools/pattern.c" },
  ["seccomp.h"] = { "src/batch/confine.c" },
  ["simdjson.h"] = { "src/base/json_scan.cc" },
  ["utf8proc.h"] = { "src/base/utf8.c" },
  ["uthash.h"] = { "src/base/table.c", "src/core/cache.c" }, -- a table's keys are strings, the cache's are numbers
}

-- Headers that only some files of their own folder may include.  LAYER/MODULE_own.h is one without a row here: it is
-- for the files LAYER/MODULE*.
local private = {
  ["engine/agent_state.h"] = "src/engine/",
  ["report/sections.h"] = "src/report/",
}

local by_name = {}
for _, layer in ipairs(layers) do by_name[layer.name] = layer end

local function contains(list, item)
  for _, one in ipairs(list) do
    if one == item then return true end
  end
  return false
end

-- Whether a header includes Lua's headers, itself or through others.  `read` gives the text of a path.
local known_to_use_lua = {}
local function uses_lua(header, read)
  if known_to_use_lua[header] == nil then
    known_to_use_lua[header] = false -- headers that include each other end here
    local found = false
    for line in (read("src/" .. header) .. "\n"):gmatch("(.-)\n") do
      local system, own = line:match('^%s*#%s*include%s*<([^>]+)>'), line:match('^%s*#%s*include%s*"([^"]+)"')
      found = found or lua_headers[system] or (own and own:find("^script/") and uses_lua(own, read)) or false
    end
    known_to_use_lua[header] = found
  end
  return known_to_use_lua[header]
end

local read, exists = lint.read, lint.exists

local function judge_system(path, number, layer, header)
  if lua_headers[header] and not layer.lua then
    lint.complain(path, number, "lua-header", "<%s> belongs to src/script", header)
  elseif homes[header] and not contains(homes[header], path) then
    lint.complain(path, number, "library-home", "<%s> belongs to %s", header, table.concat(homes[header], ", "))
  end
end

local function judge_own(path, number, layer, header)
  local target = header:match("^([%w_]+)/[%w_]+%.h$")
  if not target or not by_name[target] then
    lint.complain(path, number, "path", '"%s" is not written from src/ as LAYER/MODULE.h', header)
    return
  end
  if not exists("src/" .. header) then
    lint.complain(path, number, "missing", '"%s" is no file of src/', header)
    return
  end
  if target == layer.name and layer.own and not contains(layer.own, header) then
    lint.complain(path, number, "own", '%s is not for the other files of its folder', header)
  elseif target ~= layer.name and not contains(layer.sees, target) and not contains(layer.sees, header) then
    lint.complain(path, number, "arrow", "%s may not include %s", layer.name, header)
  elseif target == "script" and not layer.lua and uses_lua(header, read) then
    lint.complain(path, number, "lua-header", "%s includes Lua's headers, which belong to src/script", header)
  end
  local module = header:match("^(.*)_own%.h$")
  local home = private[header] or (module and "src/" .. module)
  if home and path:sub(1, #home) ~= home then
    lint.complain(path, number, "private", "%s is private to %s*", header, home)
  end
end

local function judge(path, text)
  local folder = path:match("^src/([^/]+)/[%w_]+%.[ch]$") or path:match("^src/([^/]+)/[%w_]+%.cc$")
  local layer = by_name[folder or ""]
  if not layer then
    lint.complain(path, 0, "layer", "is not src/LAYER/MODULE.c or .h of a layer in the table")
    return
  end
  if path:find("%.cc$") and not contains(homes["simdjson.h"], path) then
    lint.complain(path, 0, "language", "is C++; only what a library demands is")
  end
  local number = 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local what = line:match("^%s*#%s*include(.*)")
    if what then
      local system, own = what:match("^%s*<([^>]+)>"), what:match('^%s*"([^"]+)"')
      if system then
        judge_system(path, number, layer, system)
      elseif own then
        judge_own(path, number, layer, own)
      else
        lint.complain(path, number, "form", "an include must name its header")
      end
    end
  end
end

-- The row of the map for a layer: `| folder | may include | must not know |`.
local function map_row(layer)
  local sees = {}
  for _, name in ipairs(layer.sees) do sees[#sees + 1] = name:find("/") and "`" .. name .. "`" or name end
  if #sees == 0 then sees[1] = "the C library" end
  if layer.lua then sees[#sees + 1] = "Lua" end
  return string.format("| %s | %s | %s |", layer.name, table.concat(sees, ", "), layer.unaware)
end

local function judge_map(path, text)
  local number, seen = 0, {}
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local name = line:match("^| ([%w_]+) | [^|]* | [^|]* |$")
    if name and by_name[name] then
      seen[name] = true
      if line ~= map_row(by_name[name]) then
        lint.complain(path, number, "map", "the row must read: %s", map_row(by_name[name]))
      end
    end
  end
  for _, layer in ipairs(layers) do
    if not seen[layer.name] then lint.complain(path, 0, "map", "has no row: %s", map_row(layer)) end
  end
end

-- Every layer is built by CMakeLists.txt, and linked with nothing it may not include.
local function judge_cmake(path, text)
  for _, layer in ipairs(layers) do
    local links = text:match("\nsimagent_layer%(" .. layer.name .. "([^%)]*)%)")
    if not links and layer.name ~= "cli" then
      lint.complain(path, 0, "build", "does not build the layer %s", layer.name)
    end
    for target in (links or ""):gmatch("simagent_([%w_]+)") do
      local allowed = contains(layer.sees, target) or (target == "lua" and layer.lua)
      for _, seen in ipairs(layer.sees) do allowed = allowed or seen:find("^" .. target .. "/") ~= nil end
      if not allowed then lint.complain(path, 0, "build", "links %s with %s", layer.name, target) end
    end
  end
end

local function good_map()
  local rows = {}
  for i, layer in ipairs(layers) do rows[i] = map_row(layer) end
  return table.concat(rows, "\n")
end

-- A small tree for the self-test.
local tree = {
  ["src/base/arena.h"] = "", ["src/core/record.h"] = "", ["src/engine/run.h"] = "", ["src/engine/tool.h"] = "",
  ["src/engine/agent_state.h"] = "", ["src/tools/builtin.h"] = "", ["src/tools/grep.h"] = "",
  ["src/reduce/rank.h"] = "", ["src/report/page.h"] = "", ["src/report/sections.h"] = "", ["src/cli/opt.h"] = "",
  ["src/script/shape.h"] = "#include <lua.h>\n", ["src/script/api.h"] = '#include "script/shape.h"\n',
  ["src/script/option.h"] = '#include "base/arena.h"\n', ["src/batch/job.h"] = "",
  ["src/script/sandbox_own.h"] = "",
}
read, exists = function(path) return tree[path] or "" end, function(path) return tree[path] ~= nil end

lint.prove({
  { path = "src/core/a.c", text = '#include "base/arena.h"\n#include <stdio.h>\n' },
  { path = "src/script/a.c", text = '#include <lua.h>\n#include "script/api.h"\n#include "tools/builtin.h"\n' },
  { path = "src/batch/a.c", text = '#include "script/option.h"\n#include "reduce/rank.h"\n' },
  { path = "src/base/a.c", text = '#include "core/record.h"\n', rule = "arrow" },
  { path = "src/core/a.h", text = ' # include "engine/run.h"\n', rule = "arrow" },
  { path = "src/engine/a.c", text = '#include "reduce/rank.h"\n', rule = "arrow" },
  { path = "src/reduce/a.c", text = '#include "report/page.h"\n', rule = "arrow" },
  { path = "src/report/a.c", text = '#include "core/record.h"\n', rule = "arrow" },
  { path = "src/tools/a.c", text = '#include "engine/run.h"\n', rule = "arrow" },
  { path = "src/script/a.c", text = '#include "batch/job.h"\n', rule = "arrow" },
  { path = "src/batch/a.c", text = '#include "cli/opt.h"\n', rule = "arrow" },
  { path = "src/tools/a.c", text = '#include "tools/grep.h"\n', rule = "own" },
  { path = "src/batch/a.c", text = '#include "script/shape.h"\n', rule = "lua-header" },
  { path = "src/cli/a.c", text = '#include "script/api.h"\n', rule = "lua-header" },
  { path = "src/engine/a.c", text = "#include <lauxlib.h>\n", rule = "lua-header" },
  { path = "src/core/a.c", text = "#include <uthash.h>\n", rule = "library-home" },
  { path = "src/base/table.c", text = "#include <uthash.h>\n" },
  { path = "src/core/a.c", text = '#include "arena.h"\n', rule = "path" },
  { path = "src/core/a.c", text = '#include "../base/arena.h"\n', rule = "path" },
  { path = "src/core/a.c", text = '#include "base/gone.h"\n', rule = "missing" },
  { path = "src/core/a.c", text = "#include HEADER\n", rule = "form" },
  { path = "src/script/view.c", text = '#include "engine/agent_state.h"\n', rule = "private" },
  { path = "src/engine/task.c", text = '#include "engine/agent_state.h"\n' },
  { path = "src/script/sandbox_text.c", text = '#include "script/sandbox_own.h"\n' },
  { path = "src/script/view.c", text = '#include "script/sandbox_own.h"\n', rule = "private" },
  { path = "src/base/json_scan.cc", text = "#include <simdjson.h>\n" },
  { path = "src/base/a.cc", text = "", rule = "language" },
  { path = "src/base/a.c", text = "#include <simdjson.h>\n", rule = "library-home" },
  { path = "src/util/a.c", text = "", rule = "layer" },
  { path = "src/core/deep/a.c", text = "", rule = "layer" },
}, judge)
lint.prove({
  { path = "map", text = good_map() },
  { path = "map", text = (good_map():gsub("| base, core |", "| base, core, cli |", 1)), rule = "map" },
  { path = "map", text = (good_map():gsub("[^\n]*\n", "", 1)), rule = "map" },
}, judge_map)


local function good_cmake()
  local calls = {}
  for i, layer in ipairs(layers) do
    local below = layer.sees[#layer.sees]
    calls[i] = string.format("\nsimagent_layer(%s%s m)", layer.name,
                             below and " simagent_" .. below:match("^%w+") or "")
  end
  return table.concat(calls)
end

lint.prove({
  { path = "cmake", text = good_cmake() },
  { path = "cmake", text = (good_cmake():gsub("\nsimagent_layer%(core[^\n]*", "")), rule = "build" },
  { path = "cmake", text = (good_cmake():gsub("simagent_layer%(base", "%0 simagent_core")), rule = "build" },
  { path = "cmake", text = (good_cmake():gsub("simagent_layer%(engine", "%0 simagent_lua")), rule = "build" },
}, judge_cmake)

known_to_use_lua = {}
read, exists = lint.read, lint.exists
lint.start(arg[1])
for _, path in ipairs(lint.files("src")) do
  if path:find("%.[ch]c?$") then judge(path, lint.read(path)) end
end
judge_map("src/README.md", lint.read("src/README.md"))

judge_cmake("CMakeLists.txt", lint.read("CMakeLists.txt"))
lint.finish()
