# What a program can say about the text of the others. Runs in a second, needs no build but --help.
LINT_TESTS = tests/lint/lint_includes.test tests/lint/lint_man.test tests/lint/lint_style.test
TESTS += $(LINT_TESTS)
EXTRA_DIST += $(LINT_TESTS) tests/lint/includes.awk tests/lint/includes.tab tests/lint/man.awk tests/lint/style.awk
