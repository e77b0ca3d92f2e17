-- Orders and names that depend on addresses or hashes in a plain Lua: pairs, sort with ties, tostring, keys of options.
local sim = require "simagent"

local words = {}
for i = 1, 400 do words["key" .. (i * 7919) % 1009] = i % 7 end
local order = {}
for key, value in pairs(words) do order[#order + 1] = key .. "=" .. value end

-- Many ties, and more than a hundred of them: a sort that picks its pivot by the clock would show.
local records = {}
for i = 1, 1500 do records[i] = { rank = (i * 31) % 17, number = i } end
table.sort(records, function(a, b) return a.rank < b.rank end)
local numbers = {}
for i, record in ipairs(records) do numbers[i] = record.number end

local names = { tostring({}), tostring(print), tostring(coroutine.create(print)), tostring(sim), tostring(1e15),
                tostring(0.1 + 0.2), tostring(-0.0), tostring(1 / 0), tostring(1 << 62), ("%g %a"):format(1 / 3, 1 / 3) }

local files = {}
for key, value in pairs(words) do files["dir/" .. key] = ("x"):rep(value) end

local function echo(arguments)
  local seen = {}
  for key, value in pairs(arguments) do seen[#seen + 1] = key .. ":" .. tostring(value) end
  return table.concat(seen, ",")
end

return sim.scenario {
  task = table.concat(names, " "), workspace = files,
  variants = {
    { name = "order", tools = { sim.tool { name = "echo", run = echo } }, model = {
      { text = table.concat(order, " "), tool_calls = { sim.call("echo", { b = 1, a = 2.5, ["é"] = true, Z = "x", [""] = 0 }) } },
      { text = table.concat(numbers, " "), stop = true } } },
    { name = "paths", tools = { "read_file" }, max_turns = 1000,
      model = sim.models.scan(sim.workspace.demo():paths(), "done") },
  },
}
