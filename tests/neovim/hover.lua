-- A hover tells what a resource is to gantrycd, and why it is nothing else.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local function has(text, parts)
  for _, part in ipairs(parts) do
    if not text or not text:find(part, 1, true) then
      error(('%s\nis not in\n%s'):format(part, text), 2)
    end
  end
end

editor.run(function()
  local client = editor.open('live/account/dns.tf')
  editor.go(6, 12)
  has(editor.hover(client), {
    'arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504',
    'no realm',
    'Read by [`data.aws_acm_certificate.wildcard` of `live/web`]',
    'stack `live/account`',
  })
  editor.go(7, 12)
  editor.equal(editor.hover(client), nil, 'the hover on an argument of no interest')

  client = editor.open('emulators/alice/main.tf')
  editor.go(5, 12)
  has(editor.hover(client), {
    'arn:aws:kms:eu-west-1:000000000000:alias/app',
    'realm localstack-alice of default_tags',
    'does not reach it: `aws_kms_alias` takes no tags',
    'Also claimed by [`aws_kms_alias.app` of `emulators/bob`]',
  })

  client = editor.open('emulators/bob/providers.tf')
  editor.go(21, 50)
  has(editor.hover(client), { 'The realm `localstack/bob` is malformed: it has the character `/`' })

  client = editor.open('live/legacy/main.tf')
  editor.go(20, 10)
  has(editor.hover(client), { 'gantrycd gives `aws_cloudwatch_log_group.audit` no identity' })
end)
