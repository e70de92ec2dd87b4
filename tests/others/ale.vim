" Vim with ALE, set up as docs/editors.md says: what is found, what is told, and a fix.
set nocompatible hidden
let g:ale_disable_lsp = 0
let g:ale_hover_to_preview = 1
let g:ale_lint_delay = 50
let g:ale_linters_explicit = 1
let g:ale_linters = {'terraform': ['gantrycd']}
let g:ale_virtualtext_cursor = 0
packadd ale
execute 'source' $GANTRYCD_CONFIGURATION

function! Check(ok, what) abort
  if !a:ok
    call writefile(['not so: ' . a:what], '/dev/stderr', 'a')
    cquit!
  endif
endfunction

function! WaitFor(expression) abort
  for _ in range(1200)
    if eval(a:expression)
      return 1
    endif
    sleep 50m
  endfor
  return 0
endfunction

function! Found() abort
  return ale#engine#GetLoclist(bufnr(''))
endfunction

function! Previews() abort
  return filter(range(1, winnr('$')), {_, it -> getwinvar(it, '&previewwindow')})
endfunction

execute 'edit' $GANTRYCD_EXAMPLE . '/emulators/bob/providers.tf'
set filetype=terraform
ALELint
call Check(WaitFor('len(Found()) == 1'), 'one thing is found: ' . string(Found()))
let s:found = Found()[0]
call Check(s:found.lnum == 22 && s:found.col == 45, string(s:found))
call Check(s:found.text =~# 'realm', string(s:found))

call cursor(22, 45)
ALEHover
call Check(WaitFor('len(Previews()) > 0'), 'a hover is shown')
let s:told = join(getbufline(winbufnr(Previews()[0]), 1, '$'))
call Check(s:told =~# 'is malformed', s:told)
pclose

call cursor(22, 45)
" it asks for a number, even of one fix
runtime autoload/ale/util.vim
function! ale#util#Input(message, value, ...) abort
  return '1'
endfunction
ALECodeAction
call Check(WaitFor('getline(22) =~# "\"localstack-bob\""'), getline(22))
" no autocommand tells it while a script runs
ALELint
call Check(WaitFor('len(Found()) == 0'), 'nothing is found any more: ' . string(Found()))
ALEStopAllLSPs
qall!
