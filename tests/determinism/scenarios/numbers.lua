-- Random numbers and floating point: functions that C libraries compute differently on different processors.
local sim = require "simagent"

local lines = {}
local function add(...) lines[#lines + 1] = ("%.17g "):rep(select("#", ...)):format(...) end
for i = 1, 200 do
  local x = math.random() * 40 - 20
  add(x, math.sin(x), math.cos(x), math.tan(x), math.exp(x), math.log(math.abs(x)), math.log(math.abs(x), 10),
      math.log(math.abs(x), 2), math.atan(x), math.atan(x, 3), math.sqrt(math.abs(x)), x ^ 3, math.abs(x) ^ 0.3, 1.1 ^ x)
  lines[#lines + 1] = math.random(1000) .. " " .. math.random(-5, 5) .. " " .. math.random(0)
end
add(2 ^ 0.5, 10 ^ -3, 0.1 + 0.2, 1e308 * 10, 5e-324, 7 // 0.3, 7 % -0.3, 2 ^ 1023, 3 ^ 40.5)

return sim.scenario {
  variants = { { name = "numbers", model = { { text = table.concat(lines, "\n"), stop = true } } } },
}
