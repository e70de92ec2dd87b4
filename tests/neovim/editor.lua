-- What the scenarios share. Each is one Neovim on its own copy of the example workspace, set up as
-- the README says, and ends by saying what went wrong or that nothing did.
local M = { root = vim.env.GANTRYCD_EXAMPLE }

local DEADLINE = 30000 -- ms

function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    error(('%s:\n%s\ninstead of\n%s'):format(what, vim.inspect(actual), vim.inspect(expected)), 2)
  end
end

--- Waits until `get` returns `expected`.
function M.becomes(get, expected, what)
  local reached = function() return vim.deep_equal(get(), expected) end
  if not vim.wait(DEADLINE, reached, 10) then
    M.equal(get(), expected, what)
  end
end

--- The processes that Neovim has started and that have not ended.
function M.processes()
  return vim.api.nvim_get_proc_children(vim.fn.getpid())
end

--- Opens a file as `:edit` does, and returns the server's client when it is attached.
function M.open(file)
  vim.cmd.edit(M.root .. '/' .. file)
  M.equal(vim.bo.filetype, 'terraform', 'the filetype of ' .. file)
  local clients = function() return vim.lsp.get_clients({ bufnr = 0, name = 'gantrycd' }) end
  M.becomes(function() return #clients() end, 1, 'servers of ' .. file)
  M.equal(#M.processes(), 1, 'processes')
  return clients()[1]
end

local SEVERITIES = { 'error', 'warning', 'information', 'hint' }

--- All diagnostics as sorted lines. Lines and columns count from 0, columns in bytes.
function M.diagnostics()
  local lines = {}
  for _, it in ipairs(vim.diagnostic.get()) do
    local file = vim.api.nvim_buf_get_name(it.bufnr):sub(#M.root + 2)
    local severity = SEVERITIES[it.severity]
    local at = ('%d:%d-%d:%d'):format(it.lnum, it.col, it.end_lnum, it.end_col)
    M.equal(it.source, 'gantrycd', 'the source of a diagnostic')
    table.insert(lines, table.concat({ file, at, severity, it.code }, ' '))
  end
  table.sort(lines)
  return lines
end

--- What the example has.
M.example = {
  'emulators/alice/main.tf 5:0-5:30 error duplicate-identity',
  'emulators/alice/main.tf 5:0-5:30 information declaration-does-not-reach',
  'emulators/alice/workers.tf 6:0-6:42 information declaration-does-not-reach',
  'emulators/bob/main.tf 5:0-5:30 error duplicate-identity',
  'emulators/bob/providers.tf 21:44-21:58 error malformed-realm',
  'live/account/storage.tf 1:0-1:34 error duplicate-identity',
  'live/legacy/main.tf 3:0-3:43 error duplicate-identity',
}

--- The example's diagnostics without those that match a pattern, and with others.
function M.example_but(without, with)
  local lines = vim.tbl_filter(function(it) return not it:match(without) end, M.example)
  vim.list_extend(lines, with or {})
  table.sort(lines)
  return lines
end

--- Puts the cursor on a line, counted from 0, and a byte of it.
function M.go(line, column)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
end

--- The file and the place of the cursor, its line counted from 0.
function M.here()
  local at = vim.api.nvim_win_get_cursor(0)
  return ('%s %d:%d'):format(vim.api.nvim_buf_get_name(0):sub(#M.root + 2), at[1] - 1, at[2])
end

local function ask(client, method, params)
  local answers, why = vim.lsp.buf_request_sync(0, method, params, DEADLINE)
  if not answers or answers[client.id].err then
    error(('%s: %s'):format(method, why or vim.inspect(answers)), 2)
  end
  return answers[client.id].result
end

--- The Markdown of the hover at the cursor.
function M.hover(client)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local hover = ask(client, 'textDocument/hover', params)
  return hover and hover.contents.value
end

--- The titles of what is offered at the cursor.
function M.offered(client)
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {} }
  local actions = ask(client, 'textDocument/codeAction', params)
  return vim.tbl_map(function(it) return it.title end, actions or {})
end

--- Types keys as a person does.
function M.type(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'tx', false)
end

function M.read(file)
  local from = assert(io.open(M.root .. '/' .. file, 'rb'))
  local text = from:read('*a')
  from:close()
  return text
end

--- Replaces a file as Terraform does its states: a new file takes the name of the old one.
function M.replace(file, text)
  local path = M.root .. '/' .. file
  local new = assert(io.open(path .. '.new', 'wb'))
  new:write(text)
  new:close()
  assert(os.rename(path .. '.new', path))
end

--- Runs a scenario and ends Neovim: with 0 when nothing went wrong.
function M.run(scenario)
  dofile(vim.env.GANTRYCD_CONFIGURATION)
  local ok, why = xpcall(scenario, debug.traceback)
  -- for the test, which looks whether it is gone when Neovim is
  for _, process in ipairs(M.processes()) do
    io.stdout:write(('left %d\n'):format(process))
  end
  if ok then
    vim.cmd('qall!')
  else
    io.stderr:write(tostring(why) .. '\n')
    vim.cmd('cquit 1')
  end
end

return M
