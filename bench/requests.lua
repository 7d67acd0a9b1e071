-- What wrk sends: a target drawn at random, with the next number written for %n in the body, and for %t what stands after
-- a tab in the line of the target; and what it then reports.
-- Arguments: method, file of targets, file of header lines, body.
local method, head, body
local targets = {}
local number = 0

function init(args)
  method = args[1]
  for line in io.lines(args[2]) do targets[#targets + 1] = line end
  local file = io.open(args[3], 'rb')
  head = ' HTTP/1.1\r\n' .. file:read('*a')
  file:close()
  body = args[4] ~= '' and args[4] or nil
  math.randomseed(7)
end

function request()
  local target = targets[math.random(#targets)]
  local path, subject = target:match('^(.-)\t(.*)$')
  local start = method .. ' ' .. (path or target) .. head
  if not body then return start .. '\r\n' end
  number = number + 1
  local text = body:gsub('%%n', number)
  if subject then text = text:gsub('%%t', subject) end
  return start .. 'Content-Length: ' .. #text .. '\r\n\r\n' .. text
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"requests":%d,"seconds":%f,"bytes":%d,"failed":%d,"p50Ms":%f,"p99Ms":%f}', summary.requests,
    summary.duration / 1e6, summary.bytes, failed, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
