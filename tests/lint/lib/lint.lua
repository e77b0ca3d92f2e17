-- What every lint here shares: reading the tree, collecting complaints, and proving that the lint can fail.
local lint = {}

local root = "."
local complaints = {}

-- Called once with the script's argument: the repository's root.
function lint.start(argument)
  root = argument or "."
end

function lint.exists(path)
  local file = io.open(root .. "/" .. path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- The whole file; a file that cannot be read is a complaint.
function lint.read(path)
  local file = io.open(root .. "/" .. path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  if not text then lint.complain(path, 0, "unreadable", "cannot be read") end
  return text or ""
end

-- All regular files below the folder, as paths from the root, in byte order.
function lint.files(folder)
  local quoted = "'" .. (root .. "/" .. folder):gsub("'", "'\\''") .. "'"
  local pipe = assert(io.popen("find " .. quoted .. " -type f", "r"))
  local found = {}
  for path in pipe:lines() do found[#found + 1] = path:sub(#root + 2) end
  pipe:close()
  table.sort(found)
  return found
end

function lint.complain(path, line, rule, ...)
  complaints[#complaints + 1] = { path = path, line = line, rule = rule, text = string.format(...) }
end

-- Runs `judge` on each case {path=, text=, rule=} (no rule: nothing may be found) and demands that exactly this rule is
-- reported.  A lint that misses what it is there for says so instead of passing.
function lint.prove(cases, judge)
  local kept = complaints
  for number, case in ipairs(cases) do
    complaints = {}
    judge(case.path, case.text)
    local rules = {}
    for _, complaint in ipairs(complaints) do rules[complaint.rule] = true end
    local names = {}
    for name in pairs(rules) do names[#names + 1] = name end
    table.sort(names)
    local got, want = table.concat(names, ", "), case.rule or ""
    if got ~= want then
      complaints = kept
      lint.complain(case.path, 0, "self-test", "case %d must report [%s] but reports [%s]", number, want, got)
      kept = complaints
    end
  end
  complaints = kept
end

-- Prints all complaints and ends the program: 0 when there are none.
function lint.finish()
  table.sort(complaints, function(a, b)
    if a.path ~= b.path then return a.path < b.path end
    if a.line ~= b.line then return a.line < b.line end
    return a.text < b.text
  end)
  for _, complaint in ipairs(complaints) do
    local place = complaint.line > 0 and complaint.path .. ":" .. complaint.line or complaint.path
    io.stderr:write(place, ": ", complaint.text, " [", complaint.rule, "]\n")
  end
  os.exit(#complaints == 0)
end

return lint
