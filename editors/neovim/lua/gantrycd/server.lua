-- Which files the server is for, what their root is, and how it is started.
--
-- `vim.g.gantrycd` may hold, each with its default:
--   cmd       = { 'gantrycd-ls' }  the server and its arguments
--   settings  = {}                 as docs/settings.md has them
--   autostart = true               whether the server starts by itself
--   code_lens = true               whether lenses are asked for and shown

local M = {}

M.NAME = 'gantrycd'

M.FILETYPES = { 'terraform', 'terraform-vars', 'opentofu', 'opentofu-vars', 'hcl', 'json' }

--- What the server said last of the workspace, in a few numbers; nil before it said anything.
M.numbers = nil

local ENDINGS = { '.tf', '.tofu', '.tf.json', '.tofu.json', '.tfvars', '.tfvars.json' }

--- What the user wants of something.
function M.option(name)
  return (vim.g.gantrycd or {})[name]
end

function M.command()
  return M.option('cmd') or { 'gantrycd-ls' }
end

--- Whether a file of this name is one that the server reads. HCL and JSON are others' too.
function M.is_ours(path)
  if vim.fs.basename(path) == 'gantrycd.hcl' then
    return true
  end
  return vim.iter(ENDINGS):any(function(ending) return vim.endswith(path, ending) end)
end

--- The root of the workspace that a file belongs to: the directory of the nearest `gantrycd.hcl`,
--- else the repository's, else its own.
function M.root(path)
  local marked = vim.fs.root(path, { 'gantrycd.hcl' }) or vim.fs.root(path, { '.git' })
  return marked or vim.fs.dirname(vim.fs.normalize(path))
end

--- The root for a buffer, unless the server has nothing to do with it.
local function root_of_buffer(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local is_file = vim.bo[buffer].buftype == '' and path ~= '' and not path:match('^%a[%w+.-]+://')
  if is_file and M.is_ours(path) then
    return M.root(path)
  end
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  all.experimental = { gantrycd = { status = true } }
  return all
end

--- Shows places that a code lens counts: the only one at once, several as a list.
local function show_references(command, context)
  local _, _, places = unpack(command.arguments)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client or not places or #places == 0 then
    return
  end
  if #places == 1 then
    vim.lsp.util.show_document(places[1], client.offset_encoding, { focus = true })
    return
  end
  local items = vim.lsp.util.locations_to_items(places, client.offset_encoding)
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  vim.cmd('botright copen')
end

--- Keeps the lenses of a buffer up to date, where the server has any.
local function show_lenses(client, buffer)
  local has_lenses = client.server_capabilities.codeLensProvider
  if not has_lenses or M.option('code_lens') == false then
    return
  end
  local group = vim.api.nvim_create_augroup('gantrycd.lenses.' .. buffer, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = buffer,
    callback = function() vim.lsp.codelens.refresh({ bufnr = buffer }) end,
  })
  vim.lsp.codelens.refresh({ bufnr = buffer })
end

--- The server as Neovim is to start it.
function M.config()
  vim.lsp.commands['gantrycd.showReferences'] = show_references
  return {
    name = M.NAME,
    cmd = M.command(),
    filetypes = M.FILETYPES,
    root_dir = function(buffer, start)
      local root = root_of_buffer(buffer)
      if root then
        start(root)
      end
    end,
    settings = { gantrycd = M.option('settings') or vim.empty_dict() },
    capabilities = capabilities(),
    handlers = {
      ['gantrycd/status'] = function(_, numbers)
        M.numbers = numbers
        vim.api.nvim_exec_autocmds('User', { pattern = 'GantrycdStatus', modeline = false })
        vim.cmd.redrawstatus()
      end,
    },
    on_attach = show_lenses,
    on_exit = function() M.numbers = nil end,
  }
end

--- The running server, of this buffer first.
function M.client()
  local here = vim.lsp.get_clients({ name = M.NAME, bufnr = 0 })[1]
  return here or vim.lsp.get_clients({ name = M.NAME })[1]
end

--- Sends a request: the way to changed with Neovim 0.11.
function M.request(client, method, params, handler, buffer)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, buffer)
  end
  return client.request(method, params, handler, buffer)
end

--- Ends a server, politely or at once.
function M.stop(client, at_once)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:stop(at_once)
  end
  return client.stop(at_once)
end

--- Starts the server for a buffer, unless there is one.
function M.start(buffer)
  local root = root_of_buffer(buffer)
  if root then
    local config = M.config()
    config.root_dir = root
    vim.lsp.start(config, { bufnr = buffer })
  end
end

--- Starts the server as files are opened, for a Neovim that does not do that itself.
function M.start_by_filetype()
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('gantrycd.start', {}),
    pattern = M.FILETYPES,
    callback = function(event) M.start(event.buf) end,
  })
end

return M
