-- What happens to a state on the disk is seen by the editor.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local STATE = 'live/legacy/terraform.tfstate'

editor.run(function()
  local client = editor.open('live/legacy/main.tf')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')
  local state = editor.read(STATE)

  editor.replace(STATE, (state:gsub('example%-shop%-uploads', 'another-bucket')))
  local without = editor.example_but('live/')
  editor.becomes(editor.diagnostics, without, 'the diagnostics of another bucket')

  editor.replace(STATE, state)
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics of the old state')

  editor.replace(STATE, state:sub(1, #state / 2))
  local told = { 'live/legacy/alerts.tf 0:0-0:35 warning unreadable-state' }
  local with = editor.example_but('nothing', told)
  editor.becomes(editor.diagnostics, with, 'the diagnostics of a truncated state')
  editor.go(3, 0)
  local hover = editor.hover(client)
  if not hover:find('Identity `arn:aws:s3:::example-shop-uploads-eu-west-1`', 1, true) then
    error(hover)
  end

  editor.replace(STATE, state)
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics of the whole state')

  -- the server goes when it is not wanted any more
  vim.lsp.enable('gantrycd', false)
  editor.becomes(function() return #vim.lsp.get_clients() end, 0, 'servers')
  editor.becomes(editor.processes, {}, 'processes')
  editor.becomes(editor.diagnostics, {}, 'the diagnostics without a server')
end)
