-- Checks that tests/founding_properties.md and the tests agree: lua5.4 tests/lint/founding.lua ROOT
--
-- Each of the 53 properties must have one row, whose test is defined in the file of that row and registered there, and
-- no test may be without its row.

local root = arg[1] or "."
local count = 53
local files = { "agent", "scan", "measurement", "subagent", "comparison" }
local problems = {}

local function complain(...)
  problems[#problems + 1] = string.format(...)
end

local function read(path)
  local file = io.open(root .. "/" .. path, "rb")
  if not file then
    complain("%s: cannot be read", path)
    return ""
  end
  local text = file:read("a")
  file:close()
  return text
end

-- test name -> { file = path, defined = how often, registered = how often }
local tests = {}
for _, step in ipairs(files) do
  local path = "tests/unit/founding/test_founding_" .. step .. ".c"
  local text = read(path)
  for name in text:gmatch("\nstatic void (property_[%w_]+)%(") do
    local test = tests[name] or { file = path, defined = 0, registered = 0 }
    test.defined = test.defined + 1
    tests[name] = test
  end
  for name in text:gmatch("TEST%((property_[%w_]+)%)") do
    if tests[name] then
      tests[name].registered = tests[name].registered + 1
    else
      complain("%s: %s is registered but not defined", path, name)
    end
  end
end

local rows, in_table = {}, {}
local table_path = "tests/founding_properties.md"
for line in read(table_path):gmatch("[^\n]+") do
  local number, property, file, name = line:match("^| (%d+) | ([^|]+) | `([^`]+)` | `([^`]+)` |")
  if number then
    number = math.tointeger(tonumber(number))
    local test = tests[name]
    if rows[number] then complain("%s: property %d has two rows", table_path, number) end
    rows[number], in_table[name] = true, true
    if name ~= string.format("property_%02d_%s", number, property:gsub(" ", "_")) then
      complain("%s: the name %s does not follow from property %d, %s", table_path, name, number, property)
    end
    if not test then
      complain("%s: there is no test %s", table_path, name)
    elseif test.file ~= file then
      complain("%s: %s is in %s, not in %s", table_path, name, test.file, file)
    end
  end
end

for number = 1, count do
  if not rows[number] then complain("%s: property %d has no row", table_path, number) end
end
for number in pairs(rows) do
  if number < 1 or number > count then complain("%s: there is no property %d", table_path, number) end
end
for name, test in pairs(tests) do
  if not in_table[name] then complain("%s: %s has no row in %s", test.file, name, table_path) end
  if test.defined ~= 1 or test.registered ~= 1 then
    complain("%s: %s is defined %d times and registered %d times", test.file, name, test.defined, test.registered)
  end
end

table.sort(problems)
for _, problem in ipairs(problems) do io.stderr:write(problem, "\n") end
os.exit(#problems == 0 and 0 or 1)
