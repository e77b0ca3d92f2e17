-- An agent written as an ordinary program: loops and decisions instead of a list of turns.
--
-- What it shows: with sim.coroutine a model calls tools like functions and sees their results at once, so its course
-- can depend on what it finds.  It follows the mentions from file to file; `careful` looks at each file's size first
-- and leaves the large one out: two calls a file instead of one, yet a smaller context.
-- Try next: change a file's mentions and see how the turns follow, or let the agent stop at the first hit.
local sim = require "simagent"

local files = {
  ["README.md"]     = "Start at src/main.c.\n" .. ("Long introduction. "):rep(20) .. "\n",
  ["src/main.c"]    = "#include \"parse.h\" // see src/parse.c and src/log.c\n" .. ("int line; "):rep(80) .. "\n",
  ["src/parse.c"]   = "// errors go to src/log.c\n" .. ("parse(); "):rep(300) .. "\n",
  ["src/log.c"]     = "// the end of the trail\n" .. ("log(); "):rep(40) .. "\n",
  ["src/unused.c"]  = ("never mentioned "):rep(500),
}

local size = sim.tool {
  name = "file_size",
  description = "The size of a file in bytes.",
  run = function(arguments, context)
    local bytes = context.workspace:size(arguments.path or "")
    if not bytes then return nil, "ERROR: no such file " .. tostring(arguments.path) end
    return tostring(bytes)
  end,
}

-- Reads what is mentioned, each file once, until nothing new comes up.
local function follow(agent, may_read)
  local seen, queue = { ["README.md"] = true }, { "README.md" }
  local read = 0
  while queue[1] do
    local path = table.remove(queue, 1)
    if may_read(agent, path) then
      local body, failed = agent:call("read_file", { path = path }, "Following " .. path .. ".")
      if not failed then
        read = read + 1
        for mention in body:gmatch("[%w/]+%.%a+") do
          if not seen[mention] and mention:find("/", 1, true) then
            seen[mention] = true
            queue[#queue + 1] = mention
          end
        end
      end
    end
  end
  return ("Read %d files, %d entries of context."):format(read, #agent.transcript)
end

return sim.scenario {
  name        = "coroutine_agent",
  description = "A model as a coroutine: it decides by what it reads.",
  task        = "Follow the code from the README.",
  workspace   = files,
  variants    = {
    { name = "eager", tools = { "read_file" },
      model = sim.coroutine(function(agent)
        return follow(agent, function() return true end)
      end) },
    { name = "careful", tools = { "read_file", size },
      model = sim.coroutine(function(agent)
        agent:finish(follow(agent, function(self, path)
          local bytes = self:call("file_size", { path = path })
          return tonumber(bytes) < 1000
        end))
      end) },
  },
  expect = {
    ["eager.final_text"] = "Read 4 files, 13 entries of context.",
    ["careful.final_text"] = "Read 3 files, 18 entries of context.",
    ["careful.total_ratio"] = "< 1",
  },
}
