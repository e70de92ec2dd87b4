-- Another server for the same files: both are heard, and neither hides the other's.
local editor = dofile(vim.env.GANTRYCD_SCENARIOS .. '/editor.lua')

local FILE = 'emulators/bob/providers.tf'

--- A server in this very process, which finds fault with the first line of every file, mends it, and
--- answers every hover.
local function other(dispatchers)
  local closing = false
  local function publish(uri)
    local first = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 8 } }
    dispatchers.notification('textDocument/publishDiagnostics', {
      uri = uri,
      diagnostics = { { range = first, severity = 2, source = 'other', message = 'other' } },
    })
  end
  local answers = {
    initialize = function()
      return {
        capabilities = { hoverProvider = true, codeActionProvider = true, textDocumentSync = 1 },
      }
    end,
    ['textDocument/hover'] = function() return { contents = 'what the other says' } end,
    ['textDocument/codeAction'] = function() return { { title = 'the fix of the other' } } end,
  }
  return {
    request = function(method, params, callback)
      local answer = answers[method]
      callback(nil, answer and answer(params) or vim.NIL)
      return true, 1
    end,
    notify = function(method, params)
      if method == 'textDocument/didOpen' then
        publish(params.textDocument.uri)
      end
      return true
    end,
    is_closing = function() return closing end,
    terminate = function() closing = true end,
  }
end

local function told()
  local lines = vim.tbl_map(function(it)
    return ('%d %s'):format(it.lnum, it.source)
  end, vim.diagnostic.get(0))
  table.sort(lines)
  return lines
end

editor.run(function()
  vim.api.nvim_create_autocmd('FileType', {
    pattern = 'terraform',
    callback = function(event)
      vim.lsp.start({ name = 'other', cmd = other, root_dir = editor.root }, { bufnr = event.buf })
    end,
  })
  local client = editor.open(FILE)
  editor.becomes(told, { '0 other', '21 gantrycd' }, 'what both find')

  editor.go(21, 46)
  local function titles()
    local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
    params.context = { diagnostics = {} }
    local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 10000) or {}
    local all = {}
    for id, answer in pairs(answers) do
      for _, it in ipairs(answer.result or {}) do
        table.insert(all, vim.lsp.get_client_by_id(id).name .. ': ' .. it.title)
      end
    end
    table.sort(all)
    return all
  end
  local all = titles()
  editor.equal(all[#all], 'other: the fix of the other', 'the fix of the other')
  editor.equal(#all > 1 and vim.startswith(all[1], 'gantrycd: '), true, vim.inspect(all))
  editor.equal(#vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/hover' }), 2, 'who hovers')

  -- an edit that ends the one leaves the other
  vim.api.nvim_buf_set_lines(0, 21, 22, true, { '      "gantrycd:resource-identity-realm" = "bob"' })
  editor.becomes(told, { '0 other' }, 'what the other finds')
end)
