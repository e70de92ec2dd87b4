;; Emacs with eglot, set up as docs/editors.md says: what is found, what is told, and a fix.
;;
;; `terraform-mode' is of an archive that tests do not reach: one that only has its name is enough.
(define-derived-mode terraform-mode prog-mode "Terraform")
(add-to-list 'auto-mode-alist '("\\.tf\\'" . terraform-mode))
(require 'package)
(package-initialize)
(load (getenv "GANTRYCD_CONFIGURATION"))
(require 'eglot)
(require 'flymake)

(defun check (ok what)
  (unless ok
    (princ (format "not so: %s\n" what) #'external-debugging-output)
    (kill-emacs 1)))

(defun wait-for (is-so)
  (let ((end (+ (float-time) 60)) found)
    (while (and (not (setq found (funcall is-so))) (< (float-time) end))
      (accept-process-output nil 0.05))
    found))

(defun found ()
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(setq eglot-sync-connect 30
      eglot-autoshutdown t
      eglot-send-changes-idle-time 0.05
      eglot-confirm-server-initiated-edits nil)
(find-file (concat (getenv "GANTRYCD_EXAMPLE") "/emulators/bob/providers.tf"))
(check (eq major-mode 'terraform-mode) "the mode is terraform-mode")
;; what the hook does once Emacs is idle, which it never is here
(apply #'eglot (eglot--guess-contact))
(check (wait-for #'eglot-current-server) "a server runs")
(unless eglot--managed-mode (eglot--maybe-activate-editing-mode))
(check (wait-for (lambda () (= 1 (length (found))))) "one thing is found")

(let* ((diagnostic (car (flymake-diagnostics)))
       (start (flymake-diagnostic-beg diagnostic))
       (end (flymake-diagnostic-end diagnostic))
       (text (flymake-diagnostic-text diagnostic)))
  (check (string-match-p "realm" text) text)
  (check (string= (buffer-substring start end) "localstack/bob") (buffer-substring start end))
  (goto-char start)
  (let* ((asked (eglot--TextDocumentPositionParams))
         (hover (jsonrpc-request (eglot-current-server) :textDocument/hover asked))
         (told (plist-get (plist-get hover :contents) :value)))
    (check (string-match-p "is malformed" told) told))
  (let ((actions (eglot-code-actions start end "quickfix")))
    (check (= 1 (length actions)) (format "one fix: %S" actions)))
  (eglot-code-actions start end "quickfix" t)
  (check (wait-for (lambda () (string-match-p "\"localstack-bob\"" (buffer-string))))
         (buffer-string))
  (check (wait-for (lambda ()
                     (eglot--signal-textDocument/didChange)
                     (not (found))))
         "nothing is found any more"))

;; from one stack to another
(find-file (concat (getenv "GANTRYCD_EXAMPLE") "/live/web/data.tf"))
(unless eglot--managed-mode (eglot--maybe-activate-editing-mode))
(goto-char (point-min))
(search-forward "data \"aws_acm_certificate\"")
(let ((place (car (xref-backend-definitions 'eglot "LSP identifier at point."))))
  (check place "there is a definition")
  (let ((group (xref-location-group (xref-item-location place))))
    (check (string-suffix-p "live/account/dns.tf" group) group)))

(dolist (buffer (buffer-list))
  (with-current-buffer buffer (set-buffer-modified-p nil)))
(eglot-shutdown (eglot-current-server))
(kill-emacs 0)
