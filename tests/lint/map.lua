-- Checks that src/README.md tells of every file what the file says of itself: lua5.4 tests/lint/map.lua ROOT [--write]
--
-- Below each heading `### LAYER` stands one line for each module: its name and its header's opening sentence (of a .c
-- file without a header: its own).  With --write the lines are put right instead.  Every file that is named anywhere in
-- the two maps must exist.

local here = arg[0]:match("^(.*)/") or "."
package.path = here .. "/lib/?.lua;" .. package.path
local lint = require "lint"

local map_path = "src/README.md"

-- The opening sentence: `/* Arena: memory that only grows. */` of module arena reads `Memory that only grows.`
local function sentence_of(module, text)
  local first = text:match("^/%* ([^\n]*)") or ""
  first = first:gsub("%s*%*/$", ""):gsub("%.  .*$", ".")
  local name, rest = first:match("^([%w_ ]+): (.*)$")
  if name and name:lower():gsub(" ", "_") == module then
    return (rest:gsub("^%l", string.upper))
  end
  return first
end

-- layer -> its lines, by name.  `files` are paths from the root, in byte order.
local function expected_lines(files, read)
  local modules = {}
  for _, path in ipairs(files) do
    local layer, module, ending = path:match("^src/([%w_]+)/([%w_]+)%.([ch])c?$")
    if layer then
      modules[layer] = modules[layer] or {}
      modules[layer][module] = modules[layer][module] or {}
      modules[layer][module][ending] = path
    end
  end
  local lines = {}
  for layer, names in pairs(modules) do
    lines[layer] = {}
    local sorted = {}
    for module in pairs(names) do sorted[#sorted + 1] = module end
    table.sort(sorted)
    for _, module in ipairs(sorted) do
      local paths = names[module]
      local both = paths.c and paths.h
      local shown = both and module or (paths.h and module .. ".h" or module .. ".c")
      table.insert(lines[layer], string.format("- `%s`: %s", shown, sentence_of(module, read(paths.h or paths.c))))
    end
  end
  return lines
end

local expected = {}

-- The map as it should be, and the layers that it has a heading for.
local function put_right(text)
  local out, seen, layer = {}, {}, nil
  for line in text:gmatch("(.-)\n") do
    local heading = line:match("^#+ (.*)$")
    if heading then
      layer = line:match("^### ([%w_]+)")
      layer = expected[layer or ""] and layer
    end
    if not (layer and line:find("^%- `")) then
      out[#out + 1] = line
    end
    if heading and layer then
      seen[layer] = true
      out[#out + 1] = "\0" .. layer -- where its lines go: after what introduces them
    end
  end
  local result = {}
  local waiting
  for _, line in ipairs(out) do
    if line:sub(1, 1) == "\0" then
      waiting = line:sub(2)
    else
      if waiting and line:find("^#") then
        while result[#result] == "" do result[#result] = nil end
        result[#result + 1] = ""
        for _, module in ipairs(expected[waiting]) do result[#result + 1] = module end
        result[#result + 1] = ""
        waiting = nil
      end
      result[#result + 1] = line
    end
  end
  if waiting then
    while result[#result] == "" do result[#result] = nil end
    result[#result + 1] = ""
    for _, module in ipairs(expected[waiting]) do result[#result + 1] = module end
  end
  return table.concat(result, "\n") .. "\n", seen
end

local function judge_lines(path, text)
  local right, seen = put_right(text)
  for layer in pairs(expected) do
    if not seen[layer] then lint.complain(path, 0, "heading", "has no heading ### %s", layer) end
  end
  local want, number = right:gmatch("(.-)\n"), 0
  for line in text:gmatch("(.-)\n") do
    number = number + 1
    local other = want()
    if line ~= other then
      lint.complain(path, number, "line", "must read: %s (map.lua ROOT --write puts it right)", other or "nothing")
      return
    end
  end
  local missing = want()
  if missing then lint.complain(path, number, "line", "lacks: %s", missing) end
end

local exists = lint.exists

-- `core/record.h`, `tests/unit/core/test_span.c` and the like are files; a name with x or X in it stands for any.
local function judge_names(path, text)
  local number = 0
  for line in text:gmatch("(.-)\n") do
    number = number + 1
    for name in line:gmatch("`([%w_/]+%.%w+)`") do
      local any = name:find("%f[%w]x%f[^%w]") or name:find("_x%f[^%w]") or name:find("%u%u")
      local found = exists(name) or exists("src/" .. name) or exists("tests/" .. name)
      if name:find("/") and not any and not found then
        lint.complain(path, number, "name", "there is no file %s", name)
      end
    end
  end
end

-- Proof.
local proof = {
  ["src/base/arena.h"] = "/* Arena: memory that only grows.\n *\n", ["src/base/arena.c"] = '#include "base/arena.h"\n',
  ["src/base/feed.h"] = "/* A sequence of events.  More. */\n", ["src/core/part.c"] = "/* part: of a whole. */\n",
}
expected = expected_lines({ "src/base/arena.c", "src/base/arena.h", "src/base/feed.h", "src/core/part.c" },
                          function(path) return proof[path] end)
exists = function(path) return proof[path] ~= nil end
local good = "# Map\n\n### base\n\nText.\n\n- `arena`: Memory that only grows.\n" ..
             "- `feed.h`: A sequence of events.\n\n### core\n\n- `part.c`: Of a whole.\n\n" ..
             "## More\n\n- `other`: a list of something else\n"
lint.prove({
  { path = "map", text = good },
  { path = "map", text = (good:gsub("Memory that only grows", "Memory")), rule = "line" },
  { path = "map", text = (good:gsub("%- `feed[^\n]*\n", "")), rule = "line" },
  { path = "map", text = (good:gsub("%- `feed", "- `gone`: x\n%0")), rule = "line" },
  { path = "map", text = (good:gsub("### core", "### gone")), rule = "heading" },
}, judge_lines)
lint.prove({
  { path = "map", text = "`base/arena.h` and `src/base/feed.h`, `tools/x.c`, `cli/cmd_x.c`\n" },
  { path = "map", text = "`tests/unit/LAYER/test_MODULE.c`\n" },
  { path = "map", text = "`base/gone.h`\n", rule = "name" },
}, judge_names)

-- The tree.
exists = lint.exists
lint.start(arg[1])
expected = expected_lines(lint.files("src"), lint.read)
local text = lint.read(map_path)
if arg[2] == "--write" then
  local file = assert(io.open((arg[1] or ".") .. "/" .. map_path, "wb"))
  file:write((put_right(text)))
  file:close()
  text = lint.read(map_path)
end
judge_lines(map_path, text)
judge_names(map_path, text)
judge_names("tests/README.md", lint.read("tests/README.md"))
lint.finish()
