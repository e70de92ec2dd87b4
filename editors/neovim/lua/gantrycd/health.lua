-- :checkhealth gantrycd

local server = require('gantrycd.server')

local M = {}

-- Older servers do not know what this plugin asks for.
local LEAST = '0.1.0'

local health = vim.health

local function check_neovim()
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or later is needed')
  end
end

--- Whether there is a server that can be run.
local function check_server()
  local command = server.command()
  if vim.fn.executable(command[1]) == 0 then
    health.error(('`%s` cannot be run'):format(command[1]), {
      'Install it: cargo install gantrycd-ls, or a binary of a release.',
      "Say where it is: vim.g.gantrycd = { cmd = { '/path/to/gantrycd-ls' } }",
    })
    return
  end
  local ran = vim.system({ command[1], '--version' }, { text = true }):wait(5000)
  local version = vim.trim(ran.stdout or ''):match('^gantrycd%-ls (%S+)')
  if ran.code ~= 0 or not version then
    local why = vim.trim(ran.stderr or '')
    health.error(('`%s --version` says nothing that is known: %s'):format(command[1], why))
  elseif vim.version.lt(version, LEAST) then
    health.error(('gantrycd-ls %s is too old: this plugin needs %s'):format(version, LEAST))
  else
    health.ok(('gantrycd-ls %s: %s'):format(version, vim.fn.exepath(command[1])))
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = server.NAME })
  if #clients == 0 then
    health.info('No server is running: it starts with the first .tf or .tofu file.')
  end
  for _, client in ipairs(clients) do
    local buffers = #vim.lsp.get_buffers_by_client_id(client.id)
    local root = client.config.root_dir or 'no root'
    health.ok(('Runs for %s, with %d open buffers'):format(root, buffers))
  end
  if server.numbers then
    health.info(require('gantrycd').status())
  end
end

--- What fetches states. Only `:GantrycdRefresh` needs it.
local function check_tools()
  for _, tool in ipairs({ 'tofu', 'terraform' }) do
    if vim.fn.executable(tool) == 1 then
      health.ok(('`%s` is there to refresh states with'):format(tool))
      return
    end
  end
  health.info('Neither `tofu` nor `terraform` is there: states cannot be refreshed from here.')
end

function M.check()
  health.start('gantrycd')
  check_neovim()
  check_server()
  check_clients()
  check_tools()
end

return M
