"""Whole runs of the program: wall time, CPU time, and the peak memory of its two processes together."""
import os
import statistics
import sys
import tempfile
import time

FILES = r'''
local sim = require "simagent"
local opt = sim.options { { "turns", default = 100, min = 1 } }
local files, distinct, body = {}, {}, ("return x;\n"):rep(200)
for i = 1, math.min(opt.turns, 1000) do
  distinct[i] = ("src/part_%02d/file_%03d.c"):format((i - 1) // 50, i - 1)
  files[distinct[i]] = body
end
local function path_of(turn) return distinct[(turn - 1) % 1000 + 1] end
'''
MODELS = {
    'scan': '''
local paths = {}
for turn = 1, opt.turns do paths[turn] = path_of(turn) end
local model = sim.models.scan(paths, "Done.")
''',
    'function': '''
local turn = 0
local function model()
  turn = turn + 1
  if turn > opt.turns then return "Done." end
  local path = path_of(turn)
  return { text = "Reading " .. path .. " to feed the summary.",
           tool_calls = { { name = "read_file", arguments = { path = path } } } }
end
''',
    'list': '''
local model = {}
for turn = 1, opt.turns do
  local path = path_of(turn)
  model[turn] = { text = "Reading " .. path .. " to feed the summary.",
                  tool_calls = { { name = "read_file", arguments = { path = path } } } }
end
model[#model + 1] = { text = "Done.", stop = true }
''',
}
SCENARIO = '''
return sim.scenario { task = "Summarise.", workspace = files, variants = {
  { name = "scan", max_turns = opt.turns + 1, tools = { "read_file" }, model = model } } }
'''


def peak_kib(pid):
    """The most a process has had in memory so far; 0 when it is gone."""
    try:
        with open(f'/proc/{pid}/status') as status:
            return next((int(line.split()[1]) for line in status if line.startswith('VmHWM')), 0)
    except (OSError, StopIteration):
        return 0


def children(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as names:
            return names.read().split()
    except OSError:
        return []


def run(program, arguments, watch):
    """Wall seconds, CPU seconds, MB.  Peaks only grow, so the last look before the end is the one that counts."""
    start = time.perf_counter()
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(program, [program, *arguments], os.environ, file_actions=nowhere)
    peaks = {}
    while watch:
        for process in [pid, *children(pid)]:
            peaks[process] = max(peaks.get(process, 0), peak_kib(process))
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.005)
    else:
        _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        sys.exit(f'{program} {" ".join(arguments)}: failed')
    return wall, usage.ru_utime + usage.ru_stime, sum(peaks.values()) * 1024 / 1e6


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, model in MODELS.items():
            scenario = os.path.join(folder, f'{name}.lua')
            with open(scenario, 'w') as file:
                file.write(FILES + model + SCENARIO)
            common = [scenario, '--format', 'json']
            few = [run(program, [*common, '--turns', '100'], False)[0] * 1e3 for _ in range(100)]
            print(f'{name:<10}       100 turns  {statistics.median(few):6.1f} ms wall (median of 100; least {min(few):.1f})')
            many = ['-o', os.path.join(folder, 'report.json'), '--turns', '1000000'] + (['--max-memory', '2G'] if name == 'list' else [])
            wall, cpu, memory = min(run(program, [*common, *many], True) for _ in range(3))
            print(f'{name:<10} 1,000,000 turns  {wall:6.2f} s wall  {cpu:6.2f} s CPU  {memory:4.0f} MB', flush=True)


main()
