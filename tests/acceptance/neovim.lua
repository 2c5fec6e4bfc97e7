-- What Neovim's own client makes of `mqtriage lsp`; test_lsp_neovim.py runs it and reads its lines.
-- It has read the configuration of docs/editors.md before. Each step uses the commands that a user
-- has keys for, and looks at buffers, lists and windows.

local PATIENCE_MS = 60000

local function report(step, value)
  io.stdout:write(vim.fn.json_encode({ step = step, value = value }) .. "\n")
end

local function wait(what, condition)
  if not vim.wait(PATIENCE_MS, condition, 20) then
    error("nothing came: " .. what)
  end
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
end

local function listed()
  local shown = {}
  for _, one in ipairs(vim.fn.getqflist()) do
    local name = vim.fn.fnamemodify(vim.fn.bufname(one.bufnr), ":t")
    table.insert(shown, name .. ":" .. one.lnum .. ":" .. one.col .. " " .. one.text)
  end
  return shown
end

local function list_of(ask)
  vim.fn.setqflist({}, "r")
  ask()
  wait("a list", function()
    return #vim.fn.getqflist() > 0
  end)
  local shown = listed()
  vim.cmd("cclose")
  return shown
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

local function hover(line, column)
  at(line, column)
  vim.lsp.buf.hover()
  wait("hover", floating)
  local window = floating()
  local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)
  return text
end

local function ask(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, PATIENCE_MS)
  assert(answers, problem)
  local _, answer = next(answers)
  assert(not answer.error, vim.inspect(answer.error))
  return answer.result
end

local function main()
  vim.cmd("edit queues.mqsc")
  local client = MQSC_CLIENT
  wait("diagnostics", function()
    return #vim.diagnostic.get(0) > 0
  end)
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, one.lnum + 1 .. ":" .. one.col + 1 .. " " .. one.code)
  end
  report("diagnostics", found)

  report("symbols", list_of(vim.lsp.buf.document_symbol))

  at(3, 20)
  vim.lsp.buf.definition()
  wait("the definition", function()
    return vim.api.nvim_win_get_cursor(0)[1] == 4
  end)
  report("definition", vim.fn.expand("<cWORD>"))
  at(7, 58)
  vim.lsp.buf.definition()
  wait("the other file", function()
    return vim.fn.expand("%:t") == "others.mqsc"
  end)
  report("definition in another file", vim.api.nvim_get_current_line())
  vim.cmd("edit queues.mqsc")

  at(2, 16)
  report("references", list_of(vim.lsp.buf.references))

  report("hover", hover(2, 28))
  report("hover on a name", hover(3, 20))

  vim.api.nvim_buf_set_lines(0, 8, 8, false, { "DEFINE QLOCAL(NEW) DEFPS" })
  at(9, 24)
  local items = ask("textDocument/completion", vim.lsp.util.make_position_params())
  local offered = vim.lsp.util.text_document_completion_list_to_complete_items(items, "DEFPS")
  report("completion", vim.tbl_map(function(one)
    return one.word
  end, offered))
  vim.api.nvim_buf_set_lines(0, 8, 9, false, {})

  local tokens = ask("textDocument/semanticTokens/full", {
    textDocument = vim.lsp.util.make_text_document_params(),
  })
  report("semantic tokens", #tokens.data)

  at(2, 16)
  vim.lsp.buf.rename("ORDERS.NEW")
  wait("the rename", function()
    return lines()[2]:find("ORDERS.NEW", 1, true) ~= nil
  end)
  report("renamed", lines())
  vim.cmd("silent wall")
  vim.cmd("edit others.mqsc")
  report("renamed in another file", lines())
  vim.cmd("silent wall")
  vim.cmd("edit queues.mqsc")

  local chosen = {}
  vim.ui.select = function(actions, options, choose)
    for _, one in ipairs(actions) do
      table.insert(chosen, (options.format_item(one)))
    end
    for number, one in ipairs(actions) do
      if chosen[number]:find("^BNK001: ") then
        return choose(one)
      end
    end
  end
  at(8, 0)
  local before = table.concat(lines(), "\n")
  vim.lsp.buf.code_action()
  wait("the fix", function()
    return table.concat(lines(), "\n") ~= before
  end)
  report("actions", chosen)
  report("fixed", lines())

  vim.api.nvim_buf_set_lines(0, 0, -1, false, { "def ql(a) maxdepth(5)" })
  if vim.lsp.buf.format then -- from 0.8 on
    vim.lsp.buf.format({ timeout_ms = PATIENCE_MS })
  else
    vim.lsp.buf.formatting_sync(nil, PATIENCE_MS)
  end
  report("formatted", lines())

  vim.lsp.stop_client(client)
  wait("its end", function()
    return vim.lsp.get_client_by_id(client) == nil or vim.lsp.client_is_stopped(client)
  end)
  report("stopped", true)
end

local worked, problem = xpcall(main, debug.traceback)
if not worked then
  report("problem", problem)
end
vim.cmd("qall!")
