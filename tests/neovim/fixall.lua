-- All safe fixes of a file are made at once, and a severity follows the workspace file while it is
-- typed.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local FILE = 'live/legacy/slips.tf'

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function here()
  local function of(it) return ('%d %s %s'):format(it.lnum, it.code, it.severity) end
  local found = vim.tbl_map(of, vim.diagnostic.get(0))
  table.sort(found)
  return found
end

editor.run(function()
  local to = assert(io.open(editor.root .. '/' .. FILE, 'wb'))
  to:write(table.concat({
    '# gantrycd.resource-identity: ignore=true',
    'resource "aws_sqs_queue" "one" {}',
    'resource "aws_sqs_queue" "two" {',
    '  tags = {',
    '    Name                         = "é"',
    '    "gantrycd:resource-identity" = null',
    '  }',
    '}',
    'resource "aws_sqs_queue" "three" {',
    '  tags = { "gantrycd:resource-identity-relam" = "two words" }',
    '}',
    'resource "aws_sqs_queue" "four" {',
    '  tags = { "gantrycd:resource-identity-realm" = "two words" }',
    '}',
  }, '\r\n') .. '\r\n')
  to:close()
  editor.open(FILE)
  local E, W, H = vim.diagnostic.severity.ERROR, vim.diagnostic.severity.WARN, vim.diagnostic.severity.HINT
  local slips = {
    '0 malformed-ignore ' .. W,
    '12 malformed-realm ' .. E,
    '5 bare-null ' .. W,
    '9 unknown-gantrycd-tag ' .. W,
  }
  editor.becomes(here, slips, 'the diagnostics')

  vim.lsp.buf.code_action({ apply = true, context = { only = { 'source.fixAll.gantrycd' } } })
  editor.becomes(lines, {
    '# gantrycd:resource-identity: ignore=true',
    'resource "aws_sqs_queue" "one" {}',
    'resource "aws_sqs_queue" "two" {',
    '  tags = {',
    '    Name                         = "é"',
    '    "gantrycd:resource-identity" = "null"',
    '  }',
    '}',
    'resource "aws_sqs_queue" "three" {',
    '  tags = { "gantrycd:resource-identity-realm" = "two words" }',
    '}',
    'resource "aws_sqs_queue" "four" {',
    '  tags = { "gantrycd:resource-identity-realm" = "two words" }',
    '}',
  }, 'the text with all safe fixes')
  local left = { '12 malformed-realm ' .. E, '9 malformed-realm ' .. E }
  editor.becomes(here, left, 'the diagnostics after the fixes')
  vim.cmd('write')
  local written = editor.read(FILE)
  editor.equal(select(2, written:gsub('\r\n', '')), 14, 'line ends of Windows in the file')

  -- nothing is written of the workspace file
  local slips_file = vim.api.nvim_get_current_buf()
  vim.cmd.edit(editor.root .. '/gantrycd.hcl')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'checks {', '  malformed-realm = "hint"', '}' })
  vim.api.nvim_set_current_buf(slips_file)
  left = { '12 malformed-realm ' .. H, '9 malformed-realm ' .. H }
  editor.becomes(here, left, 'the diagnostics as the workspace file has them')
end)
