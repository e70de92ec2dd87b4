-- A realm in use is completed in a local value that is merged into tags, and nothing where it is not.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

--- Asks as a person does, waits for the menu, and takes its first line.
local COMPLETE = '<C-x><C-o><Cmd>lua MenuIsShown()<CR><C-y>'

editor.run(function()
  local client = editor.open('live/orders/queues.tf')
  editor.becomes(editor.diagnostics, editor.example, 'the diagnostics')
  vim.bo.autoindent, vim.bo.indentexpr = false, ''
  vim.o.completeopt = 'menuone,noinsert'
  vim.lsp.completion.enable(true, client.id, 0)
  function MenuIsShown()
    editor.becomes(vim.fn.pumvisible, 1, 'the menu')
  end
  local function line()
    return vim.api.nvim_get_current_line()
  end

  editor.go(0, 0)
  editor.type('Olocals {<CR>common = {<CR>}<CR>}<Esc>')
  editor.go(4, 0)
  editor.type('otags = merge(local.common, { Name = "orders" })<Esc>')
  editor.go(1, 0)
  editor.type('o"gan' .. COMPLETE .. '<Esc>')
  editor.becomes(line, '"gantrycd:resource-identity-realm" = ""', 'the key')
  editor.go(2, #line() - 1)
  editor.type('iloc' .. COMPLETE .. '<Esc>')
  editor.becomes(line, '"gantrycd:resource-identity-realm" = "localstack-alice"', 'the realm')

  -- the same map, once nothing merges it
  local params = function() return vim.lsp.util.make_position_params(0, client.offset_encoding) end
  editor.go(2, #line() - 1)
  local function offered()
    local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion', params(), 30000)
    local list = answers[client.id].result
    return list and #list.items or 0
  end
  editor.equal(offered(), 1, 'the realms')
  vim.cmd('%s/merge(local.common, /merge({}, /')
  editor.go(2, #line() - 1)
  editor.equal(offered(), 0, 'what is offered where no tags are reached')
end)
