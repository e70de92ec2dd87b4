-- From one stack to another and back, at a glance, and by an ARN that was copied from somewhere.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local DATA = 'live/web/data.tf'
local OWNER = 'live/account/dns.tf'
local ARN = 'arn:aws:acm:eu-west-1:111122223333:certificate/06298432-e806-4b29-a222-3bcc23aa9504'

local here = editor.here

--- The items that a request for a list comes to, in order.
local function listed(request)
  local items
  request(function(list) items = list.items end)
  editor.becomes(function() return items ~= nil end, true, 'whether there is a list')
  return vim.tbl_map(function(it)
    return ('%s %d:%d'):format(it.filename:sub(#editor.root + 2), it.lnum - 1, it.col - 1)
  end, items)
end

local function lenses()
  vim.lsp.codelens.refresh({ bufnr = 0 })
  local told = vim.tbl_map(function(it)
    return ('%d %s'):format(it.range.start.line, it.command and it.command.title or 'unresolved')
  end, vim.lsp.codelens.get(0))
  table.sort(told)
  return told
end

editor.run(function()
  local client = editor.open(DATA)
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')

  -- a definition in another stack's file
  editor.go(1, 10)
  vim.lsp.buf.definition()
  editor.becomes(here, OWNER .. ' 6:0', 'the definition')

  -- and back by its references
  local references = listed(function(on_list)
    vim.lsp.buf.references({ includeDeclaration = false }, { on_list = on_list })
  end)
  editor.equal(references, { DATA .. ' 1:0' }, 'the references')

  -- lenses, and what running one does
  editor.becomes(lenses, { '0 read by 1 stack', '6 read by 1 stack' }, 'the lenses of the owner')
  vim.lsp.codelens.run()
  editor.becomes(here, DATA .. ' 1:0', 'where the reader is')
  editor.becomes(lenses, {
    '1 owned by live/account → aws_acm_certificate.wildcard',
    '7 owned by live/account → aws_route53_zone.public',
  }, 'the lenses of the reader')

  -- a pasted ARN
  local symbols = listed(function(on_list)
    vim.lsp.buf.workspace_symbol(ARN, { on_list = on_list })
  end)
  editor.equal(symbols, { OWNER .. ' 6:0', DATA .. ' 1:0' }, 'the symbols')

  -- the stacks that read from this one
  editor.open(OWNER)
  editor.go(6, 0)
  vim.lsp.buf.incoming_calls()
  local callers = function()
    return vim.tbl_map(function(it)
      local name = vim.api.nvim_buf_get_name(it.bufnr):sub(#editor.root + 2)
      return ('%s %s %d'):format(it.text, name, it.lnum - 1)
    end, vim.fn.getqflist())
  end
  editor.becomes(callers, {
    'live/web live/web/artifacts.tf 0',
    'live/web live/web/data.tf 1',
    'live/web live/web/data.tf 7',
  }, 'the incoming calls')
  vim.cmd.cclose()

  -- identities behind headers, once they are asked for
  local hints = function()
    return vim.tbl_map(function(it)
      local at = it.inlay_hint.position
      return ('%d:%d %s'):format(at.line, at.character, it.inlay_hint.label)
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
  end
  vim.lsp.inlay_hint.enable()
  client:notify('workspace/didChangeConfiguration', {
    settings = { gantrycd = { inlayHints = { enable = true } } },
  })
  editor.becomes(hints, {
    '0:36 route53:…:hostedzone/Z08423091KQXN5R7V2M4T',
    '6:41 acm:…:certificate/06298432-e806-4b29-a222-3bcc23aa9504',
  }, 'the hints')
end)
