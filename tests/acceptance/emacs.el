;;; What two clients of Emacs make of `mqtriage lsp`; test_lsp_emacs.py runs it and reads its lines.
;; MQSC_CLIENT is eglot or lsp-mode. The init file is what docs/editors.md prints, and Emacs has
;; opened queues.mqsc. Each step uses the command that a user has keys for, and looks at buffers.

(require 'cl-lib)
(require 'flymake)
(require 'imenu)
(require 'json)
(require 'xref)

(defconst patience-s 60)
(defconst client (getenv "MQSC_CLIENT"))
(defconst commands
  (if (equal client "eglot")
      '(:rename eglot-rename :actions eglot-code-actions :format eglot-format-buffer)
    '(:rename lsp-rename :actions lsp-execute-code-action :format lsp-format-buffer)))

(defun report (step value)
  (let ((line (concat (json-encode `((step . ,step) (value . ,value))) "\n"))
        (coding-system-for-write 'utf-8-unix))
    (write-region line nil (getenv "MQSC_REPORTS") t 'quiet)))

(defun wait (what condition)
  (let ((end (+ (float-time) patience-s)))
    (while (not (funcall condition))
      (when (> (float-time) end) (error "nothing came: %s" what))
      (sit-for 0.05 t))))

(defun lines () (vconcat (split-string (buffer-string) "\n" t)))

(defun at (line column)
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char column))

(defun this-line ()
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

;; as its key does
(defun run (command)
  (let ((this-command command) (last-nonmenu-event t))
    (call-interactively command)))

(defun open (name)
  (switch-to-buffer (find-file-noselect name))
  (run-hooks 'post-command-hook))

(defun findings ()
  (mapcar (lambda (one)
            (save-excursion
              (goto-char (flymake-diagnostic-beg one))
              (format "%d:%s %s" (line-number-at-pos) (thing-at-point 'symbol t)
                      (flymake-diagnostic-text one))))
          (flymake-diagnostics)))

(defun flat (index)
  (cl-loop for (name . place) in index
           append (if (consp place) (flat place) (list (cons (substring-no-properties name) place)))))

(defun found-by (xrefs)
  (vconcat
   (mapcar (lambda (one)
             (let ((place (xref-item-location one)))
               (format "%s:%d %s" (file-name-nondirectory (xref-location-group place))
                       (xref-location-line place) (substring-no-properties (xref-item-summary one)))))
           xrefs)))

(defun hover (line column)
  (at line column)
  (if (equal client "eglot")
      (let (text)
        (run-hook-with-args-until-success
         'eldoc-documentation-functions
         (lambda (documentation &rest _) (when documentation (setq text documentation))))
        (wait "hover" (lambda () text))
        (substring-no-properties text))
    (lsp-describe-thing-at-point)
    (prog1 (with-current-buffer "*lsp-help*" (buffer-substring-no-properties (point-min) (point-max)))
      (delete-other-windows))))

(defun colours ()
  (font-lock-ensure)
  (let (faces)
    (goto-char (point-min))
    (while (re-search-forward "[^ ()'\n]+" nil t)
      (let ((face (get-text-property (match-beginning 0) 'face)))
        (push (format "%s %s" (match-string-no-properties 0) (or face "")) faces)))
    (vconcat (nreverse faces))))

(defun main ()
  (switch-to-buffer "queues.mqsc")
  (report "diagnostics" (vconcat (findings)))

  (report "symbols"
          (vconcat (mapcar #'car (sort (flat (funcall imenu-create-index-function))
                                       (lambda (a b) (< (cdr a) (cdr b)))))))

  (at 3 20)
  (run #'xref-find-definitions)
  (report "definition" (list :line (this-line) :column (current-column)))
  (at 7 58)
  (run #'xref-find-definitions)
  (report "definition in another file"
          (list :line (this-line) :file (file-name-nondirectory buffer-file-name)))
  (open "queues.mqsc")

  (at 2 16)
  (report "references"
          (found-by (xref-backend-references (xref-find-backend)
                                             (xref-backend-identifier-at-point (xref-find-backend)))))

  (report "hover" (hover 2 26))
  (report "hover on a name" (hover 3 20))

  (unless (equal client "eglot")
    (wait "colours" (lambda () (at 2 0) (get-text-property (point) 'face)))
    (report "colours" (colours)))

  (goto-char (point-max))
  (insert "DEFINE QLOCAL(NEW) BOQNA")
  (run #'completion-at-point)
  (unless (eq (char-before) ?\() (insert "(")) ; lsp-mode completes words alone
  (insert "ORDERS.B")
  (run #'completion-at-point)
  (insert ") bothre")
  (run #'completion-at-point)
  (report "completed" (this-line))
  (delete-region (line-beginning-position) (point-max))

  (at 2 16)
  (funcall (plist-get commands :rename) "ORDERS.NEW")
  (report "renamed" (lines))
  (save-some-buffers t)
  (open "others.mqsc")
  (report "renamed in another file" (lines))
  (open "queues.mqsc")

  (let (offered)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt collection &rest _)
                 (setq offered (all-completions "" collection))
                 (cl-find-if (lambda (one) (string-prefix-p "BNK001: " one)) offered))))
      (at 8 0)
      (let ((before (buffer-string)))
        (run (plist-get commands :actions))
        (wait "the fix" (lambda () (not (equal before (buffer-string)))))))
    (report "actions" (vconcat offered))
    (report "fixed" (lines)))

  (erase-buffer)
  (insert "def ql(a) maxdepth(5)\n")
  (funcall (plist-get commands :format))
  (report "formatted" (lines)))

(defun run-steps ()
  (condition-case problem (main)
    ((error quit) (report "problem" (format "%S" problem))))
  (report "messages" (with-current-buffer "*Messages*" (buffer-string)))
  (let ((kill-emacs-query-functions nil) (confirm-kill-processes nil))
    (cl-letf (((symbol-function 'save-some-buffers) #'ignore)
              ((symbol-function 'yes-or-no-p) (lambda (&rest _) t)))
      (kill-emacs))))

;; Steps begin when the findings are there: until then Emacs is free to ask, and to connect.
(defvar begun-at (float-time))
(defun begin ()
  (if (or (with-current-buffer "queues.mqsc" (flymake-diagnostics))
          (> (- (float-time) begun-at) patience-s))
      (run-steps)
    (run-with-timer 0.2 nil #'begin)))
(run-with-timer 0.2 nil #'begin)
