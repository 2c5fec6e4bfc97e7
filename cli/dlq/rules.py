"""`mqtriage dlq rules`: files of rules, without a queue manager."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.inputs import read_text
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, arguments, text
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.operations.rules.toml import is_toml, read_rules

if TYPE_CHECKING:
    from mqtriage.commands.dlq.rules_test import Test

_FORMER_VERBS: Final = {"lint": "", "test": "", "convert": " --format toml"}
"""What `dlq rules` was followed by before it took the file, and what does the same."""


@takes(Output)
def rules(
    app: AppContext,
    file: str = argument(
        help="Rules table for runmqdlq, TOML rules, or a z/OS job; - is standard input.",
        completes="file",
    ),
    messages: tuple[str, ...] = arguments(
        "MESSAGES...", help="Test the rules on these archives, listings, or dmpmqmsg dumps."
    ),
    tests: str | None = text(
        help="TOML file with [[test]]. Default: the rules file.", completes="file"
    ),
    qmgr: str = text(
        "--as", help="Queue manager that the rules would run on.", default="", completes="qmgr"
    ),
    report: str | None = text(
        "--format",
        help="Write a JUnit report of the tests, or convert the rules to TOML or a table.",
        choices=("junit", "toml", "table"),
    ),
) -> None:
    """Check rules, test them on saved messages, or convert them.

    With only FILE, it reports anything that IBM's handler would reject or ignore, with line and
    column. It also reports rules that can never match because an earlier rule always matches first.
    In a z/OS job that runs CSQUDLQH, the rules are the data after SYSIN DD *.

    Tests ([[test]] in the TOML rules, or --tests) define the expected action, rule and target of
    messages. Without tests, each message must match a rule. A message without an MQDLH is treated
    as a poison message from the queue that its JMS header names. Exits 4 if it finds a problem, or
    if a test fails.

    --format toml and --format table convert the rules. Comments are dropped. The command rejects a
    rule that a table cannot express (conditions, rates, max_retries), and names its line. A list of
    values becomes one rule per value.

    Examples:
        mqtriage dlq rules dlq.rules
        mqtriage dlq rules dlq.rules saved.ndjson
        mqtriage dlq rules poison.toml --format junit > rules.xml
        mqtriage dlq rules dlq.rules --tests dlq-tests.toml
        mqtriage dlq rules dlq.rules --format toml > dlq.toml
    """
    from mqtriage.commands.dlq.rules_test import has_tests, problem_listing, tests_of
    from mqtriage.operations.rules.plan import runnable

    if file in _FORMER_VERBS and messages and not Path(file).exists():
        words = " ".join(map(shell_word, messages))
        raise UsageError(
            f"mqtriage dlq rules: no such verb: {file!r}",
            hint=f"without {file}: mqtriage dlq rules {words}{_FORMER_VERBS[file]}",
        )
    text = read_text(app, file)
    table = read_rules(text)
    if report in ("toml", "table"):
        if messages or tests:
            raise UsageError(f"--format {report} converts the rules; --format junit tests them")
        _convert(app, file, runnable(table, file), report)
        return
    own = is_toml(text) and not table.errors and has_tests(text)
    if not (messages or tests or report or own):
        app.output.emit(problem_listing(table, file), empty="")
        if not table.problems:
            app.run.say(f"{file}: {count_text(len(table.rules), 'rule')}, no problems")
        app.run.note_findings(table.problems)
        return
    table = runnable(table, file)
    for problem in table.problems:
        app.run.warn(f"{file}: {problem}")
    if tests is not None:
        cases = tests_of(read_text(app, tests), Path(tests).parent, messages)
    else:
        cases = tests_of(text if is_toml(text) else "", Path(file).parent, messages)
    _test(app, file, table, cases, qmgr, as_junit=report == "junit")


def _test(
    app: AppContext, file: str, table: RulesTable, cases: list[Test], qmgr: str, *, as_junit: bool
) -> None:
    """Run the tests, and print what came of each."""
    from mqtriage.cli.frame.inputs import opened
    from mqtriage.commands.dlq.rules_test import run_tests
    from mqtriage.operations.rules.judge import Judge
    from mqtriage.operations.rules.origin import destination_of

    qmgr = qmgr or table.control.inputqm
    now_us = time.time_ns() // 1_000
    judge = Judge(table, qmgr, origin=destination_of, now_us=now_us, any_manager=not qmgr)
    listing = run_tests(cases, judge, lambda name: opened(app, name), now_us)
    if as_junit:
        from mqtriage.formatters.reports.junit import junit_tests

        app.output.stdout.writelines(junit_tests(file, listing.items))
    else:
        app.output.emit(listing, empty="")
    counts = listing.summary
    app.run.say(f"{counts['passed']} passed, {counts['failed']} failed")
    app.run.note_findings(counts["failed"] or table.problems)


def _convert(app: AppContext, file: str, table: RulesTable, form: str) -> None:
    from mqtriage.operations.rules.toml import to_table, to_toml

    if form == "toml":
        app.output.emit_text("RuleTable", {"form": form}, "rules", to_toml(table))
        return
    text_of_table, problems = to_table(table)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Refused(f"{file}: {problems[0]}{more}", hint="mqtriage dlq run reads TOML directly")
    app.output.emit_text("RuleTable", {"form": form}, "rules", text_of_table)
