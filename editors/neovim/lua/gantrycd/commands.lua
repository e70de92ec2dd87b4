-- The commands: what a person can ask the server for.

local server = require('gantrycd.server')

local M = {}

local function say(text, level)
  vim.notify('gantrycd: ' .. text, level or vim.log.levels.INFO)
end

--- The server if it can do something, or nil once that was said.
local function able(command)
  local client = server.client()
  if not client then
    say('no server is running; :checkhealth gantrycd says why', vim.log.levels.WARN)
    return nil
  end
  local provider = client.server_capabilities.executeCommandProvider or {}
  if not vim.tbl_contains(provider.commands or {}, command) then
    say('this version of gantrycd-ls cannot do that', vim.log.levels.WARN)
    return nil
  end
  return client
end

--- Has the server carry out a command, and hands over what it answers.
local function execute(command, argument, answered)
  local client = able(command)
  if not client then
    return
  end
  local params = { command = command, arguments = { argument } }
  local function handler(failed, answer)
    if failed then
      say(failed.message, vim.log.levels.ERROR)
    elseif answered then
      answered(answer)
    end
  end
  server.request(client, 'workspace/executeCommand', params, handler)
end

--- Shows a text in a window of its own, which `q` closes.
local function show(title, text, root)
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  pcall(vim.api.nvim_buf_set_name, buffer, 'gantrycd://' .. title)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(text), '\n'))
  vim.bo[buffer].modifiable = false
  if root then
    -- `gf` follows the paths in the text
    vim.bo[buffer].path = vim.uri_to_fname(root)
  end
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer })
end

--- Tells everything about a subject, or about the resource at the cursor.
function M.explain(subject)
  local asked = { subject = subject }
  if not subject or subject == '' then
    local client = able('gantrycd.explain')
    if not client then
      return
    end
    local at = vim.lsp.util.make_position_params(0, client.offset_encoding)
    asked = { uri = at.textDocument.uri, position = at.position }
  end
  execute('gantrycd.explain', asked, function(answer)
    if answer.text then
      show(answer.title, answer.text, answer.root)
    else
      say(answer.why)
    end
  end)
end

--- Shows in a browser which stacks read from which.
function M.graph(stack)
  local asked = { format = 'html', open = true, stack = stack ~= '' and stack or nil }
  execute('gantrycd.showGraph', asked, function(answer) say('the graph is in ' .. answer.path) end)
end

--- Fetches the states of some stacks, of `all` or of `changed` ones.
function M.refresh(stacks)
  local which = #stacks == 0 and 'changed' or stacks
  if #stacks == 1 and (stacks[1] == 'all' or stacks[1] == 'changed') then
    which = stacks[1]
  end
  -- the server says itself how it went
  execute('gantrycd.refresh', { stacks = which })
end

local function is_unreached(diagnostic)
  return diagnostic.code == 'declaration-does-not-reach'
end

--- The fix that ignores everything in the buffer that the stack's declaration does not reach, out of
--- what is offered at one of them.
local function fix_of_all(actions)
  for _, start in ipairs({ 'Ignore all ', 'Ignore ' }) do
    for _, action in ipairs(actions or {}) do
      if vim.startswith(action.title, start) then
        return action
      end
    end
  end
end

--- Ignores every resource of the buffer that the stack's default_tags do not reach.
function M.ignore_all()
  local client = server.client()
  local unreached = vim.tbl_filter(is_unreached, vim.diagnostic.get(0))
  if not client or #unreached == 0 then
    say('every resource of this file is reached by what default_tags declare')
    return
  end
  local buffer, first = vim.api.nvim_get_current_buf(), unreached[1]
  local at = { line = first.lnum, character = 0 }
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = { start = at, ['end'] = at },
    context = { only = { 'quickfix' }, diagnostics = {} },
  }
  local function apply(action)
    vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
  end
  server.request(client, 'textDocument/codeAction', params, function(failed, actions)
    local fix = fix_of_all(actions)
    if failed or not fix then
      say(failed and failed.message or 'nothing is offered', vim.log.levels.WARN)
    elseif fix.edit then
      apply(fix)
    else
      server.request(client, 'codeAction/resolve', fix, function(why, resolved)
        if why then
          say(why.message, vim.log.levels.WARN)
        else
          apply(resolved)
        end
      end, buffer)
    end
  end, buffer)
end

--- Ends the server and starts it again for all of its buffers.
function M.restart()
  local clients = vim.lsp.get_clients({ name = server.NAME })
  local buffers = {}
  for _, client in ipairs(clients) do
    vim.list_extend(buffers, vim.lsp.get_buffers_by_client_id(client.id))
    server.stop(client)
  end
  local gone = function() return #vim.lsp.get_clients({ name = server.NAME }) == 0 end
  if not vim.wait(5000, gone, 20) then
    for _, client in ipairs(clients) do
      server.stop(client, true)
    end
    vim.wait(1000, gone, 20)
  end
  if #buffers == 0 then
    buffers = { vim.api.nvim_get_current_buf() }
  end
  vim.iter(buffers):each(server.start)
end

function M.create()
  local command = vim.api.nvim_create_user_command
  local function stacks() return { 'all', 'changed' } end
  command('GantrycdRefresh', function(it) M.refresh(it.fargs) end, {
    nargs = '*',
    complete = stacks,
    desc = 'Fetch the states of stacks from wherever they live',
  })
  command('GantrycdGraph', function(it) M.graph(it.args) end, {
    nargs = '?',
    desc = 'Show which stacks read from which',
  })
  command('GantrycdExplain', function(it) M.explain(it.args) end, {
    nargs = '?',
    desc = 'Tell everything about the resource at the cursor, an address or an ARN',
  })
  command('GantrycdIgnoreAll', M.ignore_all, {
    desc = 'Ignore every resource of this file that default_tags do not reach',
  })
  command('GantrycdRestart', M.restart, { desc = 'Start the server anew' })
  command('GantrycdLog', function() vim.cmd.tabedit(vim.lsp.get_log_path()) end, {
    desc = 'Open the log of language servers',
  })
end

return M
