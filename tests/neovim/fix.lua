-- The ignore fix inserts its comment, ends the finding, and is not offered again.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local FILE = 'emulators/alice/main.tf'
local HEADER = 'resource "aws_kms_alias" "app" {'
local COMMENT = '# gantrycd:resource-identity: ignore=true'

local function lines(first, last)
  return vim.api.nvim_buf_get_lines(0, first, last, false)
end

editor.run(function()
  local client = editor.open(FILE)
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')
  local before = editor.read(FILE)

  editor.go(5, 3)
  editor.equal(editor.offered(client), { 'Ignore aws_kms_alias.app in gantrycd' }, 'the fixes')
  vim.lsp.buf.code_action({ apply = true })
  editor.becomes(function() return lines(5, 7) end, { COMMENT, HEADER }, 'the text')
  local without_alias = editor.example_but('main.tf 5:0%-5:30')
  editor.becomes(editor.diagnostics, without_alias, 'the diagnostics after the fix')

  for _, at in ipairs({ { 5, 0 }, { 5, 20 }, { 6, 0 }, { 6, 20 } }) do
    editor.go(at[1], at[2])
    editor.equal(editor.offered(client), {}, 'the fixes after the fix')
  end
  editor.equal(editor.read(FILE), before, 'the file before it is written')
  vim.cmd('write')
  local after = before:gsub(vim.pesc(HEADER), function(it) return COMMENT .. '\n' .. it end)
  editor.equal(editor.read(FILE), after, 'the file after it was written')

  -- it is undone like any edit, and then offered again; this time with the header's indentation
  vim.cmd('undo')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics after the undo')
  editor.go(5, 0)
  editor.type('i    <Esc>')
  local indented = editor.example_but('alice/main.tf', {
    'emulators/alice/main.tf 5:4-5:34 error duplicate-identity',
    'emulators/alice/main.tf 5:4-5:34 information declaration-does-not-reach',
  })
  editor.becomes(editor.diagnostics, indented, 'the diagnostics of the indented block')
  editor.go(5, 33)
  vim.lsp.buf.code_action({ apply = true })
  local expected = { '    ' .. COMMENT, '    ' .. HEADER }
  editor.becomes(function() return lines(5, 7) end, expected, 'the indented text')
  editor.becomes(editor.diagnostics, without_alias, 'the diagnostics after the second fix')

  -- of several that differ, one is chosen by its kind; nothing is wrong with the queue
  editor.go(11, 0)
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'quickfix' } } })
  vim.lsp.buf.code_action({ apply = true, context = { only = { 'refactor.rewrite' } } })
  local queue = 'resource "aws_sqs_queue" "orders" {'
  editor.becomes(function() return lines(11, 13) end, { COMMENT, queue }, 'the refactored text')
end)
