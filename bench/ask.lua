-- For wrk: sends the requests of a file, one JSON body a line, one after the other.
--   wrk ... -s ask.lua URL -- BODIES
local bodies, at = {}, 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    bodies[#bodies + 1] = wrk.format("POST", nil, {["Content-Type"] = "application/json"}, line)
  end
end

function request()
  at = at % #bodies + 1
  return bodies[at]
end
