-- What users of the plugin call.

local server = require('gantrycd.server')

local M = {}

local UNITS = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'min' } }

--- How long ago a time was, roughly.
local function age(seconds)
  local passed = math.max(0, os.time() - seconds)
  for _, unit in ipairs(UNITS) do
    if passed >= unit[1] then
      return math.floor(passed / unit[1]) .. ' ' .. unit[2]
    end
  end
  return 'now'
end

local function counted(count, one, many)
  return ('%d %s'):format(count, count == 1 and one or many)
end

--- The workspace in a few words, for a status line: `6 stacks, 2 duplicates, oldest state 3 d`. Empty
--- while no server runs.
function M.status()
  local numbers = server.numbers
  -- a server that was killed is gone before anything is told of its end
  if not numbers or not server.client() then
    return ''
  end
  if numbers.loading then
    return 'gantrycd: reading'
  end
  local parts = { counted(numbers.stacks, 'stack', 'stacks') }
  if numbers.duplicates > 0 then
    table.insert(parts, counted(numbers.duplicates, 'duplicate', 'duplicates'))
  end
  if numbers.unreadable > 0 then
    table.insert(parts, counted(numbers.unreadable, 'unreadable state', 'unreadable states'))
  end
  if type(numbers.oldestState) == 'number' then
    table.insert(parts, 'oldest state ' .. age(numbers.oldestState))
  end
  return table.concat(parts, ', ')
end

--- Takes what `vim.g.gantrycd` may hold, for those who rather call a function. Call it before the
--- first file is opened.
function M.setup(options)
  vim.g.gantrycd = vim.tbl_extend('force', vim.g.gantrycd or {}, options or {})
end

return M
