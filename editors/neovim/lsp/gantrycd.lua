-- For `vim.lsp.enable('gantrycd')`, from Neovim 0.11 on.
return require('gantrycd.server').config()
