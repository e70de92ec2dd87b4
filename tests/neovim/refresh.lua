-- States that are kept elsewhere: refreshed by command, they count at once.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

editor.run(function()
  local client = editor.open('remote/a/main.tf')
  editor.becomes(editor.diagnostics, editor.example, 'diagnostics')
  editor.go(8, 12)
  local hover = editor.hover(client)
  editor.equal(hover, 'No identity yet: stack `remote/a` has no cached state.', 'the hover before')

  local done
  client:exec_cmd({
    title = 'Refresh',
    command = 'gantrycd.refresh',
    arguments = { { stacks = { 'remote/*' } } },
  }, nil, function(err, result) done = err or result end)
  editor.becomes(function() return done and done.summary end, '2 of 2 stacks refreshed', 'the answer')

  local duplicates = {
    'remote/a/main.tf 8:0-8:28 error duplicate-identity',
    'remote/b/main.tf 8:0-8:28 error duplicate-identity',
  }
  editor.becomes(editor.diagnostics, editor.example_but('^$', duplicates), 'diagnostics')
  hover = editor.hover(client)
  for _, part in ipairs({
    'Identity `arn:aws:s3:::shared`',
    'Also claimed by [`aws_s3_bucket.b` of `remote/b`]',
    'Recorded in the state of stack `remote/a`, serial 1, cached less than a minute ago',
  }) do
    if not hover:find(part, 1, true) then
      error(('%s\nis not in\n%s'):format(part, hover))
    end
  end
end)
