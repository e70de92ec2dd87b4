-- What happens when Neovim starts: file types, commands, and the server for files that are its own.

if vim.g.loaded_gantrycd or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_gantrycd = true

-- Neovim takes an empty .tf file for something else, and does not know .tofu
vim.filetype.add({
  extension = { tf = 'terraform', tofu = 'terraform' },
  filename = { ['gantrycd.hcl'] = 'hcl' },
})

require('gantrycd.commands').create()

local server = require('gantrycd.server')
if server.option('autostart') == false then
  return
end
if vim.lsp.config and vim.lsp.enable then
  vim.lsp.enable('gantrycd')
else
  server.start_by_filetype()
end
