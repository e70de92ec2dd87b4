-- The plugin as it is installed: nothing is configured.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local DATA = 'live/web/data.tf'
local OWNER = 'live/account/dns.tf'
local WORKERS = 'emulators/alice/workers.tf'

local here = editor.here

local function lenses()
  return vim.tbl_map(function(it)
    return it.command and it.command.title or 'unresolved'
  end, vim.lsp.codelens.get(0))
end

--- What is said to the user from now on.
local function messages()
  local said = {}
  vim.notify = function(text) table.insert(said, text) end
  return said
end

editor.run(function()
  local said = messages()
  local gantrycd = require('gantrycd')
  editor.equal(gantrycd.status(), '', 'the status before anything runs')
  vim.cmd.GantrycdExplain()
  editor.equal(#said, 1, 'that no server runs is said')

  local client = editor.open(DATA)
  editor.equal(client.config.root_dir, editor.root, 'the root')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')
  editor.becomes(function()
    local age = vim.o.verbose == 0 and gantrycd.status():gsub(', oldest state.*', '') or nil
    return age
  end, '6 stacks, 2 duplicates', 'the status')

  -- lenses come by themselves, and lead on
  editor.becomes(function() return #lenses() end, 2, 'the lenses')
  editor.go(1, 0)
  editor.becomes(lenses, {
    'owned by live/account → aws_acm_certificate.wildcard',
    'owned by live/account → aws_route53_zone.public',
  }, 'the lenses')
  vim.lsp.codelens.run()
  editor.becomes(here, OWNER .. ' 6:0', 'where the owner is')

  -- everything about a resource, in a window of its own
  vim.cmd.GantrycdExplain('aws_sqs_queue.orders')
  editor.becomes(function() return vim.bo.buftype end, 'nofile', 'the kind of the window')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  editor.equal(text:find('aws_sqs_queue.orders', 1, true) ~= nil, true, 'what is explained')
  editor.equal(vim.bo.modifiable, false, 'whether the text can be changed')
  editor.type('q')
  editor.becomes(here, OWNER .. ' 6:0', 'where one was before')
  vim.cmd.GantrycdExplain('aws_sqs_queue.nowhere')
  editor.becomes(function() return #said end, 2, 'that there is nothing to explain is said')

  -- the graph is a file that the browser is asked to show
  local shown
  vim.ui.open = function(path) shown = path end
  vim.cmd.GantrycdGraph()
  editor.becomes(function() return said[3] and said[3]:match('the graph is in .+%.html$') ~= nil end, true, 'the graph')
  editor.becomes(function() return shown ~= nil end, true, 'whether the graph is shown')

  -- what default_tags do not reach is ignored, all of it
  editor.open(WORKERS)
  local unreached = function()
    return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.INFO })
  end
  editor.becomes(unreached, 1, 'what is not reached')
  vim.cmd.GantrycdIgnoreAll()
  editor.becomes(unreached, 0, 'what is not reached once it is ignored')
  local lines = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  editor.equal(lines:find('# gantrycd:resource-identity: ignore=true', 1, true) ~= nil, true, 'the comment')
  vim.cmd.GantrycdIgnoreAll()
  editor.becomes(function() return #said end, 4, 'that nothing is left is said')

  -- a server that was killed can be started again
  local first = editor.processes()[1]
  vim.uv.kill(first, 'sigkill')
  editor.becomes(function() return #vim.lsp.get_clients({ name = 'gantrycd' }) end, 0, 'the killed server')
  editor.equal(gantrycd.status(), '', 'the status without a server')
  vim.cmd.GantrycdRestart()
  editor.becomes(function()
    local now = vim.lsp.get_clients({ name = 'gantrycd', bufnr = 0 })
    return #now == 1 and editor.processes()[1] ~= first
  end, true, 'the server after it was started anew')
  editor.becomes(function() return #gantrycd.status() > 0 end, true, 'the status')

  -- what is not its business
  vim.cmd.edit(editor.root .. '/other.hcl')
  vim.bo.filetype = 'hcl'
  editor.equal(#vim.lsp.get_clients({ bufnr = 0 }), 0, 'servers of some other HCL')

  vim.cmd.checkhealth('gantrycd')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  editor.equal(health:find('gantrycd%-ls %d+%.%d+%.%d+: /') ~= nil, true, health)
  editor.equal(health:find('ERROR', 1, true), nil, health)
  -- every name that the help file gives is found
  for _, name in ipairs({ 'gantrycd', ':GantrycdRefresh', ':GantrycdIgnoreAll', 'gantrycd-status' }) do
    vim.cmd.help(name)
  end
end)
