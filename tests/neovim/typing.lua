-- A line that is being typed costs no other block its findings.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

editor.run(function()
  editor.open('emulators/alice/main.tf')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')

  local moved = editor.example_but('alice/main.tf', {
    'emulators/alice/main.tf 6:0-6:30 error duplicate-identity',
    'emulators/alice/main.tf 6:0-6:30 information declaration-does-not-reach',
  })
  local function split()
    local others, syntax = {}, {}
    for _, it in ipairs(editor.diagnostics()) do
      table.insert(it:match('hint syntax$') and syntax or others, it)
    end
    return others, syntax
  end
  for broken, place in pairs({
    ['description = "no end'] = '1:16-1:23',
    ['tags = {'] = '1:9-1:10',
    ['= ]'] = '1:2-1:5',
    ['policy = jsonencode(['] = '1:21-1:22',
  }) do
    editor.go(0, 0)
    editor.type('o' .. broken .. '<Esc>')
    editor.becomes(function() return (split()) end, moved, 'the diagnostics beside ' .. broken)
    local _, syntax = split()
    editor.equal(syntax, { 'emulators/alice/main.tf ' .. place .. ' hint syntax' }, 'what is told of ' .. broken)
    editor.type('u')
    editor.becomes(editor.diagnostics, editor.example, 'the diagnostics without ' .. broken)
  end

  -- other scripts before a place move it by bytes here, whatever the protocol counts
  editor.open('emulators/bob/providers.tf')
  editor.go(21, 6)
  editor.type('i/* é😀 */ <Esc>')
  local behind = editor.example_but('malformed', {
    'emulators/bob/providers.tf 21:57-21:71 error malformed-realm',
  })
  editor.becomes(editor.diagnostics, behind, 'the diagnostics behind other scripts')
  editor.type('f/;;r-')
  editor.equal(vim.api.nvim_get_current_line(), [[      /* é😀 */ "gantrycd:resource-identity-realm" = "localstack-bob"]], 'the text')
  editor.becomes(editor.diagnostics, editor.example_but('malformed', {
    'emulators/bob/main.tf 5:0-5:30 information declaration-does-not-reach',
    'emulators/bob/workers.tf 6:0-6:42 information declaration-does-not-reach',
  }), 'the diagnostics of a realm that was mended')
  vim.cmd('bdelete!')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics of the disk')
end)
