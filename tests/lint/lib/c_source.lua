-- Enough of C's grammar for a lint: comments and literals blanked, a file cut into what stands at its top level.
--
-- It reads the house's dialect (formatted, no K&R definitions, braces balanced in every branch of #if), not all of C.
local c_source = {}

local function blank(text)
  return (text:gsub("[^\n]", " "))
end

-- The text with comments and the insides of literals turned to spaces; every line keeps its number and its length.
function c_source.code(text)
  local out, at = {}, 1
  while at <= #text do
    local from = text:find("[\"'/]", at)
    if not from then break end
    out[#out + 1] = text:sub(at, from - 1)
    local first, two, stop = text:sub(from, from), text:sub(from, from + 1), nil
    if two == "/*" then
      stop = select(2, text:find("*/", from + 2, true)) or #text
      out[#out + 1] = blank(text:sub(from, stop))
    elseif two == "//" then
      stop = (text:find("\n", from, true) or #text + 1) - 1
      out[#out + 1] = blank(text:sub(from, stop))
    elseif first == "/" then
      stop = from
      out[#out + 1] = "/"
    else
      stop = from + 1
      while stop < #text and text:sub(stop, stop) ~= first do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
      out[#out + 1] = first .. blank(text:sub(from + 1, stop - 1)) .. first
    end
    at = stop + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

-- Blanks preprocessor lines, with their continuations.
function c_source.without_directives(code)
  local lines, inside = {}, false
  for line in (code .. "\n"):gmatch("(.-)\n") do
    local directive = inside or line:match("^%s*#")
    inside = directive and line:sub(-1) == "\\"
    lines[#lines + 1] = directive and blank(line) or line
  end
  return table.concat(lines, "\n")
end

function c_source.line_of(text, position)
  local _, count = text:sub(1, position - 1):gsub("\n", "")
  return count + 1
end

-- What stands at the top level, in order: {kind = "function" or "declaration", head = text before any braces (a
-- declaration's whole text without the insides of braces), body = text in a function's braces (a declaration's whole
-- text), line =, last_line =}.
function c_source.units(text)
  local code = c_source.without_directives(c_source.code(text))
  local units, head, depth, start, body_from = {}, {}, 0, nil, nil
  local line, is_function, start_line = 1, false, 1
  for position = 1, #code do
    local c = code:sub(position, position)
    if c == "\n" then line = line + 1 end
    if depth == 0 and not start and c:match("%S") then start, start_line = position, line end
    if c == "{" then
      depth = depth + 1
      if depth == 1 then
        local before = table.concat(head)
        is_function = before:match("%)%s*$") ~= nil and not before:find("=", 1, true)
        body_from = position + 1
      end
    elseif c == "}" then
      depth = depth - 1
      if depth == 0 and is_function then
        units[#units + 1] = { kind = "function", head = table.concat(head), body = code:sub(body_from, position - 1),
                              line = start_line, last_line = line }
        head, start, is_function = {}, nil, false
      elseif depth == 0 then
        head[#head + 1] = "{}"
      end
    elseif depth == 0 then
      head[#head + 1] = start and c or ""
      if c == ";" then
        units[#units + 1] = { kind = "declaration", head = table.concat(head), body = code:sub(start, position),
                              line = start_line, last_line = line }
        head, start = {}, nil
      end
    end
  end
  return units
end

-- The name of what a head declares, or "?".
function c_source.name(head)
  local before = head:match("^(.-)%s*=") or head
  return before:match("%(%s*%*[%s%w]-([%a_][%w_]*)%s*[%)%[]") or before:match("([%a_][%w_]*)%s*%(") or
         before:match("([%a_][%w_]*)%s*%[") or before:match("([%a_][%w_]*)%s*;?%s*$") or "?"
end

-- Whether a declaration makes an object that can change.  The declarator decides: `const char *x` can, `char *const x`
-- cannot.  Types, prototypes and extern declarations make no object.
function c_source.is_mutable_object(head)
  local text = head:gsub("%s+", " "):gsub("^ ", "")
  if text:find("^typedef ") or text:find("^extern ") or text:find("^_?[Ss]tatic_assert") then return false end
  local has_value = text:find("=", 1, true) ~= nil
  local declarator = (text:match("^(.-)=") or text:gsub(";", "")):gsub(" *$", "")
  if declarator:find("^struct ?[%w_]* ?{?}?$") or declarator:find("^union ?[%w_]* ?{?}?$") or
     declarator:find("^enum ?[%w_]* ?{?}?$") then
    return false
  end
  local pointer_to_function = declarator:match("^[^(]*%( ?(%*[^()]*)%)")
  if not has_value and declarator:find("(", 1, true) and not pointer_to_function then return false end
  local after_pointer = pointer_to_function or declarator:match(".*(%*.*)$")
  return not (after_pointer or declarator):find("%f[%w_]const%f[^%w_]")
end

return c_source
