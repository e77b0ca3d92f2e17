---@meta simagent

-- What `require "simagent"` gives a scenario, for the Lua language server: completion, types and help in an editor.
-- The program never reads this file.  `simagent init` writes a copy and the .luarc.json that points to it; an installed
-- one stands in share/simagent/types below the prefix.
--
-- Sizes are whole numbers in the scenario's unit.  A key that is not listed is an error, which names the key, the
-- place and the nearest good one.

------------------------------------------------------------------------------------------------------------------------
-- Objects of simagent: opaque, without fields other than those listed, and never changed by a script.

---What `sim.scenario` returns, and what a scenario file must return.
---@class simagent.built_scenario

---A tool made by `sim.tool`.
---@class simagent.tool

---A model made by `sim.coroutine` or `sim.models.scan`.
---@class simagent.built_model

---A tool's result that the model sees as an error, made by `sim.failure`.
---@class simagent.failure

---A tool's result that has a size and no content, made by `sim.sized`.
---@class simagent.sized

---JSON's null, where a Lua table would only have a hole.
---@class simagent.null

---A table marked by `sim.array` to be a JSON array even when it is empty.
---@class simagent.array: table

---The files that agents work on.  Paths are relative, with `/`; the real directory is never changed.
---@class simagent.workspace
local workspace = {}

---The paths in byte order.
---@param limit? integer at most this many, at least 0; 0 = all (default)
---@return string[] paths
function workspace:paths(limit) end

---The body of a file; nil when there is none of that path.
---@param path string
---@return string? body
function workspace:read(path) end

---The size of a file in bytes, whatever the scenario's unit; nil when there is none of that path.
---@param path string
---@return integer? bytes
function workspace:size(path) end

------------------------------------------------------------------------------------------------------------------------
-- Options.

---One option of the scenario, a flag of the command line.  It takes its type from `type`, else from its default.
---An option without a default is nil until it is given.
---@class simagent.option
---Its name: lower-case letters, digits and `_`, at most 64. `--max-files` on the command line is `max_files` here. A
---name of simagent's own flags is an error.
---@field [1] string
---`size` reads `200k` as 204,800 (k, M, G); `dir` is a directory that the scenario may then read.
---@field type? "string"|"integer"|"number"|"boolean"|"enum"|"size"|"dir"
---@field help? string One line for `simagent help SCENARIO`.
---@field default? string|number|boolean
---@field min? number The least value, itself allowed; for `integer`, `number` and `size`.
---@field max? number The largest value, itself allowed.
---@field values? string[] What an `enum` may be; needed by it, an error elsewhere.

------------------------------------------------------------------------------------------------------------------------
-- Turns and models.

---A call of a tool. `sim.call` makes one.
---@class simagent.tool_call
---@field name string A tool of the agent. Any other name gives the result `ERROR: unknown tool NAME`.
---@field arguments? table Named, plain data; `{}` by default.

---What a model answers.
---@class simagent.turn
---@field text? string Empty by default. With `stop` it is the run's final text.
---@field tool_calls? simagent.tool_call[] In one turn they run side by side; their results come in this order.
---@field stop? boolean Ends the run; its tool calls are recorded, never run.
---@field result? table With `stop`, for an agent with `returns`: the fields of its schema.

---The result of one call of the last turn.
---@class simagent.result
---@field name string The tool that was called.
---@field content string What it returned; empty for `sim.sized`.
---@field is_error boolean Whether it was a failure.

---One entry of a transcript.
---@class simagent.entry
---@field role "system"|"user"|"assistant"|"tool_call"|"tool_result"
---@field name string? Of the tool, for its calls and results; `tools` for the list of tools.
---@field content string
---@field size integer In the scenario's unit.
---@field entry integer Its number in the report: its position less 1.

---A run's transcript, to read: `#view`, `view[1]`.  Looking at an entry makes a new table; keep what you need.
---It is good while its run lives.
---@class simagent.transcript
---@field [integer] simagent.entry
---@operator len: integer

---What a model is asked.  It is good until the model returns; copy what you need later.
---@class simagent.request
---@field run string The run's id, such as `delegated/1`.
---@field turn integer From 1.
---@field prompt string The task of a variant, or the prompt that a subagent was given.
---@field results simagent.result[] Of the last turn's calls, in order; empty in the first turn.
---@field transcript simagent.transcript All that the model would read.

---The agent as its coroutine sees it.  Its methods yield, so they work in that coroutine only, not in one inside it.
---@class simagent.coroutine_agent
---@field run string The run's id, such as `delegated/1`.
---@field prompt string The task of a variant, or the prompt that a subagent was given.
---@field transcript simagent.transcript All that the model would read.
local coroutine_agent = {}

---Takes a turn with one tool call and waits for its result.
---
---    local body, failed = agent:call("read_file", { path = "README.md" }, "Reading.")
---@param name string
---@param arguments? table
---@param text? string the turn's text
---@return string content
---@return boolean is_error
function coroutine_agent:call(name, arguments, text) end

---Takes a whole turn and waits for the results of its calls, which come in order.
---@param turn simagent.turn
---@return simagent.result[] results
function coroutine_agent:turn(turn) end

---Ends the run with this final text. The function returning a string does the same; returning nothing ends it as
---`script_exhausted`.
---@param text string
function coroutine_agent:finish(text) end

---Who speaks for an agent: a list of turns, a function that answers each request, or a ready-made model.
---
---A function may return a turn, a string (the final text, which ends the run) or nil (the script is exhausted).  A list
---that runs out of turns ends the run as `script_exhausted`; it never starts again.
---@alias simagent.model simagent.turn[]|(fun(request: simagent.request): simagent.turn|string|nil)|simagent.built_model

------------------------------------------------------------------------------------------------------------------------
-- Tools.

---What a tool's function is told besides the arguments.  It is good until the function returns.
---@class simagent.context
---@field run string The id of the run that called: `variant`, `variant/1`, `variant/1/2`.
---@field agent string The name of the variant or the subagent.
---@field depth integer 0 for a variant, 1 for its subagents.
---@field turn integer From 1.
---@field workspace simagent.workspace? The agent's; nil when it has none.

---A tool made by the scenario.
---
---`run` returns a string, a `sim.sized`, or a failure, which the model sees and goes on: `sim.failure("text")`, or
---`nil, "text"`.  A Lua error is a bug of the scenario and stops everything with its place.
---@class simagent.tool_options
---@field name string Not empty, and given to one tool of an agent only.
---@field description? string
---@field input_schema? table A JSON Schema; `{"type":"object"}` by default. It is counted, never enforced.
---@field latency_ms? number How long a call lasts, also one that fails; the agent's `tool_ms` by default.
---@field requires_complete? string A subagent whose last run must be complete, or the call fails.
---@field run fun(arguments: table, context: simagent.context): string|simagent.failure|simagent.sized|nil, string?

------------------------------------------------------------------------------------------------------------------------
-- Agents.

---Called afresh for every invocation of a subagent, so that it keeps nothing of an earlier one.
---@alias simagent.factory fun(prompt: string): simagent.agent

---A subagent with more to say than its factory.
---@class simagent.subagent
---@field agent simagent.factory
---@field description? string
---@field tool? string Offers it as a tool of this name, which takes `prompt`, instead of through `task`.
---@field returns? simagent.returns What it must hand back, where its agent says nothing of its own.
---@field budget? integer|simagent.budget Where its agent says nothing of its own; a number means tokens.

---What a subagent's factory returns.
---@class simagent.agent
---@field model simagent.model
---Names of built-in tools (`read_file`) and tools of `sim.tool`. None by default.
---@field tools? (string|simagent.tool)[]
---By name. They bring the tool `task`, with `subagent` and `prompt`.
---@field subagents? table<string, simagent.factory|simagent.subagent>
---@field system? string The system prompt, an entry of the transcript.
---@field max_turns? integer At least 0; 20 by default. The run then ends as `max_turns`.
---The files: by default those of the agent above it. A table maps paths to bodies.
---@field workspace? simagent.workspace|table<string, string>
---@field price? string|simagent.price By default that of the agent above it, or the scenario's.
---@field cache? simagent.cache By default that of the agent above it, or the scenario's.
---@field latency? simagent.latency By default that of the agent above it, or the scenario's.
---@field budget? integer|simagent.budget Without it the agent draws on the one above it; a number means tokens.
---@field returns? simagent.returns What it must hand back.
---@field hooks? simagent.hooks Beside those of the scenario and of its ancestors.

---One way to do the task; the report compares them.
---@class simagent.variant
---@field name string Unique, without `.` and `/`.
---@field task? string By default the scenario's.
---@field model simagent.model
---Names of built-in tools (`read_file`) and tools of `sim.tool`. None by default.
---@field tools? (string|simagent.tool)[]
---By name. They bring the tool `task`, with `subagent` and `prompt`.
---@field subagents? table<string, simagent.factory|simagent.subagent>
---@field system? string The system prompt, an entry of the transcript.
---@field max_turns? integer At least 0; 20 by default. The run then ends as `max_turns`.
---The files: by default the scenario's. A table maps paths to bodies.
---@field workspace? simagent.workspace|table<string, string>
---@field price? string|simagent.price By default the scenario's.
---@field cache? simagent.cache By default the scenario's.
---@field latency? simagent.latency By default the scenario's.
---@field budget? integer|simagent.budget By default the scenario's; a number means tokens.
---@field returns? simagent.returns What it must hand back.
---@field hooks? simagent.hooks Beside those of the scenario and of its ancestors.

------------------------------------------------------------------------------------------------------------------------
-- What things cost and how long they last.

---@class simagent.tokens
---@field bytes_per_token? number Above 0, with at most 6 decimals; 3 by default.

---Prices in USD per million tokens, from 0 to 1,000,000 with at most 6 decimals. One that the run would need and that
---is missing is an error when the scenario loads.
---@class simagent.price
---@field input? number
---@field output? number
---@field cache_read? number
---@field cache_write_5m? number
---@field cache_write_1h? number
---@field above? simagent.price_above Other prices for a whole request beyond some context.

---@class simagent.price_above
---@field tokens integer The largest context that costs the base price.
---@field input? number
---@field output? number
---@field cache_read? number
---@field cache_write_5m? number
---@field cache_write_1h? number

---@class simagent.cache
---@field ttl? "none"|"5m"|"1h" How long after its last use a prefix is warm; `5m` by default, `none` is no cache.
---Shorter prefixes are not cached. By default that of the named model of `price`, else 1,024.
---@field min_tokens? integer
---@field share? "run"|"scenario" Who shares a cache: one agent's run (default) or all agents of a variant.
---A prefix that ends more than so many entries before the end of a request is lost; off by default.
---@field lookback? integer

---Durations of whole microseconds, those per token of whole nanoseconds; all 0 by default.
---@class simagent.latency
---@field base_ms? number Of each model call.
---@field per_input_token_us? number Of each token that was not read from the cache.
---@field per_cached_token_us? number Of each token that was.
---@field per_output_token_us? number
---@field tool_ms? number Of each tool call whose tool has no `latency_ms`.
---@field parallel? integer How many calls of a turn run side by side; 8 by default, 1 = one after the other.

---What an agent and its subagents may use together. Over it, the run ends as `budget_exhausted`; exactly it is fine.
---@class simagent.budget
---@field tokens? integer Input and output, at least 0.
---@field usd? number From 0 to 9,000,000.
---@field turns? integer At least 0.
---@field ms? number Of virtual time, whole microseconds.

---What a subagent must hand back: its stop turn carries `result = { … }`.
---
---    returns = { schema = { type = "object", properties = { summary = { type = "string", maxLength = 400 } } } }
---@class simagent.returns
---A JSON Schema of an object. Every string in it needs `maxLength`, every list `maxItems`.
---@field schema table
---`reject` (default) hands back nothing of it, `truncate` cuts it to the bounds, `retry` tells the subagent.
---@field on_violation? "reject"|"truncate"|"retry"
---@field max_retries? integer For `retry`; 1 by default.
---@field coverage? simagent.coverage How much of what was asked for was read.

---@class simagent.coverage
---@field requested integer How many successful calls are complete, at least 0.
---@field tool string The tool whose calls are counted.

------------------------------------------------------------------------------------------------------------------------
-- The scenario.

---From where on delegating is advised: each floor must be met, equality suffices.
---@class simagent.thresholds
---@field min_cumulative? number All that was read, in the unit; 2,000 by default.
---@field min_reread_multiplier? number Read in all / largest context; 1.5 by default.
---@field min_boundary_savings_ratio? number What the boundary saves, of all that was read; 0.3 by default.
---@field min_tool_calls? number Of the profile `checklist`: calls that ran; 4 by default. It or the next is enough.
---@field min_result_tokens? number Of `checklist`: tokens of tool results; 3,000 by default.
---@field min_overhead_multiple? number Of `overhead`: tokens of tool results / `spawn_overhead`; 5 by default.
---@field min_overhead_calls? number Of `overhead`: calls that ran; 5 by default. Both are needed.
---Of `overhead`: what a subagent costs before it does anything, in tokens. By default the mean of the openings of the
---variant's subagents; 2,250 where it has none.
---@field spawn_overhead? number

---@class simagent.scenario_options
---@field name? string The file's stem by default.
---@field description? string
---@field task? string What the agents are asked: the first user entry.
---`chars` by default: Unicode code points. `tokens` are estimated from bytes.
---@field unit? "chars"|"bytes"|"tokens"
---@field tokens? simagent.tokens For the unit `tokens`.
---@field workspace? simagent.workspace|table<string, string> The agents' files. A table maps paths to bodies.
---@field variants simagent.variant[] At least one.
---@field baseline? string The variant that the others are compared with; the first by default.
---`["VARIANT.METRIC"] = ">= 0.5"`, with ==, !=, <, <=, >, >= or a plain value. One that is not met makes the exit
---code 1.
---@field expect? table<string, string|number|boolean>
---From 0 to 10: agents this deep and deeper have no `task`. 1 by default: only variants spawn.
---@field max_depth? integer
---@field count_schemas? boolean Whether the list of tools counts, as the first entry; by default in tokens alone.
---@field target_savings_ratio? number From 0 to 1, what the boundary is to save of all that was read; 0.5 by default.
---@field thresholds? simagent.thresholds
---Which profile of thresholds is the recommendation; `footprint` by default, the others need the unit `tokens`.
---@field verdict? "footprint"|"checklist"|"overhead"
---What tokens cost, for all agents: a model of the price table, or USD. Needs the unit `tokens`.
---@field price? string|simagent.price
---@field price_date? string Which day's list prices a named model has: `"2026-01-31"`.
---@field cache? simagent.cache The prompt cache of all agents. Needs the unit `tokens`.
---@field latency? simagent.latency How long things last for all agents; nothing takes time by default.
---@field budget? integer|simagent.budget Of each variant; a number means tokens. Needs the unit `tokens`.
---@field hooks? simagent.hooks Watch and guard what all agents do.
---What the tool `bash` answers: outputs by the exact command, or a function; `"real"` runs commands in a box, if the
---user allows it with `--allow-exec`. Without it every command is an error.
---@field bash? "real"|table<string, string>|simagent.bash_function
---@field cases? simagent.case[] Other options that `simagent test` runs the scenario with, beside the defaults.

---The scenario under other options, which `simagent test` compares with a golden of its own: `golden/STEM.NAME.json`.
---@class simagent.case
---@field name string Letters, digits, `_` and `-`; unique.
---By name. A `dir` counts from the scenario's directory and must lie below it.
---@field options? table<string, string|number|boolean>

---@alias simagent.bash_answer string|simagent.failure|simagent.sized|nil
---@alias simagent.bash_function fun(command: string, context: simagent.context): simagent.bash_answer, string?

---What a hook is told; `tool`, `arguments`, `result` and `prompt` where they apply.
---@class simagent.hook_event
---@field hook "UserPromptSubmit"|"PreToolUse"|"PostToolUse"|"Stop"|"SubagentStop"
---@field run string The run's id.
---@field agent string Its name.
---@field depth integer 0 for a variant's own agent.
---@field turn integer
---@field tool? string
---@field arguments? table
---@field result? string Of the call, or the final text.
---@field prompt? string Of UserPromptSubmit.

---What a hook may return: nil; of PreToolUse `{ block = "reason" }`, a reason that is not empty, or
---`{ replace = arguments }`; of Stop `{ continue = "text" }`, which the agent reads as a further user entry.
---@alias simagent.hook simagent.command|(fun(event: simagent.hook_event): nil|string|table)

---A program that speaks the hook JSON of Claude Code on stdin and stdout, made by `sim.command`.
---@class simagent.command

---Hooks run in order, the scenario's before an agent's; children run under their ancestors' hooks too.
---@class simagent.hooks
---@field UserPromptSubmit? simagent.hook|simagent.hook[] A variant is about to read its task.
---@field PreToolUse? simagent.hook|simagent.hook[] A call is about to run; a blocked one reads the reason instead.
---@field PostToolUse? simagent.hook|simagent.hook[] A call has run; not after a block.
---@field Stop? simagent.hook|simagent.hook[] A variant has given its final answer.
---@field SubagentStop? simagent.hook|simagent.hook[] A subagent has ended, for whatever reason.

---@class simagent.dir_options
---Globs: only what one of them matches. `*.lua` matches in every directory, `src/**` all below one.
---@field include? string|string[]
---@field exclude? string|string[] Globs: not what one of them matches.
---@field max_file_bytes? integer From 1 to 1,073,741,824; larger files are skipped and counted. 1,048,576 by default.

------------------------------------------------------------------------------------------------------------------------
-- Functions.

---@class simagent
---@field null simagent.null
---@field version string Of simagent: `"0.1.0"`.
---@field models simagent.models
---@field workspace simagent.workspaces
local simagent = {}

---Ready-made models.
---@class simagent.models
simagent.models = {}

---Makers of workspaces.
---@class simagent.workspaces
simagent.workspace = {}

---Marks a list to be a JSON array even when it is empty, and returns it.
---
---    sim.call("tag", { names = sim.array {} })
---@param list any[]
---@return simagent.array
function simagent.array(list) end

---A tool call of a turn.
---
---    { text = "Reading.", tool_calls = { sim.call("read_file", { path = "a.txt" }) } }
---@param name string
---@param arguments? table
---@return simagent.tool_call
function simagent.call(name, arguments) end

---A model that is a coroutine, started afresh for each run. Returning a string ends the run with it.
---
---    model = sim.coroutine(function(agent)
---      local body = agent:call("read_file", { path = "a.txt" })
---      return "It has " .. #body .. " bytes."
---    end)
---@param body fun(agent: simagent.coroutine_agent): string?
---@return simagent.built_model
function simagent.coroutine(body) end

---The result of a tool that failed. The model sees exactly this text.
---@param text string
---@return simagent.failure
function simagent.failure(text) end

---The result of a tool with a size and no content, so that huge workloads need no memory. With one in it, a scenario
---cannot be run with another `--unit`.
---@param size integer at least 0, in the scenario's unit
---@return simagent.sized
function simagent.sized(size) end

---Makes a tool.
---
---    sim.tool { name = "add", run = function(arguments) return tostring(arguments.a + arguments.b) end }
---@param options simagent.tool_options
---@return simagent.tool
function simagent.tool(options) end

---@class simagent.faults_options
---@field tool string|simagent.tool The tool that fails now and then.
---@field every? integer Each n-th call of a run fails; this or `rate`.
---@field rate? number The chance of each call to fail, from 0 to 1; this or `every`.
---@field text? string What the model reads then; `ERROR: NAME failed` by default.

---The same tool, but it fails now and then.  Which calls fail hangs on the seed, the run's id and the tool's name
---alone, so that adding a child never changes what happens to a sibling.
---
---    tools = { sim.faults { tool = "read_file", every = 3, text = "ERROR: timed out" } }
---@param options simagent.faults_options
---@return simagent.tool
function simagent.faults(options) end

---A hook that is a program of yours: it reads the event as JSON on its stdin; exit code 2, or a JSON decision on its
---stdout, blocks.  Needs `--allow-exec`; the report then says `"reproducible":false`.
---
---    hooks = { PreToolUse = sim.command { "python3", "hooks/permission.py" } }
---@param argv string[] the program and its arguments
---@return simagent.command
function simagent.command(argv) end

---A stream of chance, keyed by the seed, a run's id and a name.  Asking again for the same goes on with it.
---@class simagent.random_stream
local random_stream = {}

---@return number real in [0, 1)
function random_stream:real() end

---@param low integer
---@param high integer not below `low`
---@return integer integer in [low, high]
function random_stream:integer(low, high) end

---@param rate number from 0 to 1
---@return boolean happens
function random_stream:chance(rate) end

---@generic T
---@param list T[] not empty
---@return T item
function random_stream:pick(list) end

---@param run string a run's id: `request.run`, `context.run` or `agent.run`
---@param name string
---@return simagent.random_stream
function simagent.random(run, name) end

---Declares the scenario's options and returns their values by name; once at most. Asking for one that was not declared
---is an error.
---
---    local opt = sim.options { { "limit", default = 0, min = 0, help = "at most so many files (0 = all)" } }
---@param options simagent.option[]
---@return table<string, any> values
function simagent.options(options) end

---Makes the scenario, which the file returns.
---
---    return sim.scenario {
---      variants = { { name = "one", model = { { text = "Done.", stop = true } } } },
---    }
---@param options simagent.scenario_options
---@return simagent.built_scenario
function simagent.scenario(options) end

---A model that reads the paths one by one, each in a turn with the text `Reading PATH to feed the summary.` and one
---call of `read_file`, and then stops: #paths + 1 turns.
---@param paths string[]
---@param final_text string
---@return simagent.built_model
function simagent.models.scan(paths, final_text) end

---The demo project: six small files, always the same.
---@return simagent.workspace
function simagent.workspace.demo() end

---The regular files below a directory, read when they are asked for. Links are not followed. A scenario may read below
---its own directory, a `dir` option given on the command line, and `--allow-read DIR`; anything else is an error.
---@param path string from the scenario's directory; the value of a `dir` option counts from the current one
---@param options? simagent.dir_options
---@return simagent.workspace
function simagent.workspace.dir(path, options) end

return simagent
