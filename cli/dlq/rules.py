"""`mqtriage dlq rules lint|test|convert`: files of rules, without a queue manager."""

from __future__ import annotations

import time
from pathlib import Path

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.inputs import read_text
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, arguments, text
from mqtriage.model.units import count_text
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.operations.rules.toml import is_toml, read_rules

FILE = argument(
    help="Rules table for runmqdlq, or TOML rules; - is standard input.", completes="file"
)


@takes(Output, name="rules lint")
def lint(app: AppContext, file: str = FILE) -> None:
    """Check rules without running them.

    Reports anything that IBM's handler would reject or ignore, with line and column. It also
    reports rules that can never match because an earlier rule always does. Exits 4 if it finds a
    problem.

    Examples:
        mqtriage dlq rules lint dlq.rules
        mqtriage dlq rules lint poison.toml -o json
    """
    from mqtriage.commands.dlq.rules_test import problem_listing

    table = read_rules(read_text(app, file))
    app.output.emit(problem_listing(table, file))
    if not table.problems:
        app.run.say(f"{file}: {count_text(len(table.rules), 'rule')}, no problems")
    app.run.note_findings(table.problems)


@takes(Output, name="rules test")
def test(
    app: AppContext,
    file: str = FILE,
    messages: tuple[str, ...] = arguments(
        "MESSAGES...", help="Archives, listings, or dmpmqmsg dumps."
    ),
    tests: str | None = text(
        help="TOML file with [[test]]. Default: the rules file.", completes="file"
    ),
    qmgr: str = text(
        "--as", help="Queue manager that the rules would run on.", default="", completes="qmgr"
    ),
    report_format: str | None = text(
        "--format", metavar="junit", help="Write a JUnit report for CI."
    ),
) -> None:
    """Test rules on saved messages, for CI.

    Tests ([[test]] in the TOML rules, or --tests) define the expected action, rule and target of
    messages. Without tests, each message must match a rule. A message without an MQDLH is treated
    as a poison message from the queue that its JMS header names. Exits 4 if a test fails.

    Examples:
        mqtriage dlq rules test dlq.rules saved.ndjson
        mqtriage dlq rules test poison.toml --format junit > rules.xml
        mqtriage dlq rules test dlq.rules --tests dlq-tests.toml
    """
    from mqtriage.cli.frame.inputs import opened
    from mqtriage.commands.dlq.rules_test import run_tests, tests_of
    from mqtriage.operations.rules.judge import Judge
    from mqtriage.operations.rules.origin import destination_of
    from mqtriage.operations.rules.plan import runnable

    if report_format not in (None, "junit"):
        raise UsageError(
            f"--format {report_format}: junit is expected", hint="use -o for other formats"
        )
    text = read_text(app, file)
    table = runnable(read_rules(text), file)
    if tests is not None:
        cases = tests_of(read_text(app, tests), Path(tests).parent, messages)
    else:
        cases = tests_of(text if is_toml(text) else "", Path(file).parent, messages)
    now_us = time.time_ns() // 1_000
    judge = Judge(
        table,
        qmgr or table.control.inputqm,
        origin=destination_of,
        now_us=now_us,
        any_manager=not (qmgr or table.control.inputqm),
    )
    listing = run_tests(cases, judge, lambda name: opened(app, name), now_us)
    if report_format == "junit":
        from mqtriage.formatters.reports.junit import junit_tests

        for line in junit_tests(file, listing.items):
            app.output.stdout.write(line)
    else:
        app.output.emit(listing)
    counts = listing.summary
    app.run.say(f"{counts['passed']} passed, {counts['failed']} failed")
    app.run.note(ExitCode.FINDINGS if counts["failed"] else ExitCode.OK)


@takes(Output, name="rules convert")
def convert(
    app: AppContext,
    file: str = FILE,
    to: str | None = text("--format", help="Default: the other format.", choices=("toml", "table")),
) -> None:
    """Convert a table to TOML, or back.

    Comments are dropped. The command refuses a rule that a table cannot express (conditions, rates,
    max_retries), and names its line. A list of values becomes one rule per value.

    Examples:
        mqtriage dlq rules convert dlq.rules > dlq.toml
        mqtriage dlq rules convert dlq.toml --format table
    """
    from mqtriage.operations.rules.plan import runnable
    from mqtriage.operations.rules.toml import to_table, to_toml

    text = read_text(app, file)
    table = runnable(read_rules(text), file)
    if (to or ("table" if is_toml(text) else "toml")) == "toml":
        app.output.emit_text("RuleTable", {"form": "toml"}, "rules", to_toml(table))
        return
    text_of_table, problems = to_table(table)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise Refused(f"{file}: {problems[0]}{more}", hint="mqtriage dlq run reads TOML directly")
    app.output.emit_text("RuleTable", {"form": "table"}, "rules", text_of_table)
