-- Everything wrong with the example arrives, of files that are open and of others.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

editor.run(function()
  local client = editor.open('emulators/alice/main.tf')
  editor.equal(client.offset_encoding, 'utf-8', 'the unit of positions')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')

  -- Neovim forgets those of a file that it reads anew
  vim.cmd('edit!')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics of a file read anew')
  vim.cmd('bdelete')
  editor.open('emulators/alice/main.tf')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics of a file opened again')

  -- a new file counts before it is written, and goes when it is abandoned
  editor.open('emulators/bob/locals.tofu')
  editor.type('i# gantrycd:resource-identity: ignore=true<CR>locals {}<Esc>')
  local with = editor.example_but('nothing', {
    'emulators/bob/locals.tofu 0:2-0:41 warning misplaced-ignore',
  })
  editor.becomes(editor.diagnostics, with, 'the diagnostics of a new file')
  vim.cmd('bdelete!')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics without the new file')
end)
