"""`dlq rules`: what is wrong with rules; what they would do, against what they should.

A test tries them on saved messages. Without tests every message must be taken by a rule.
Tests stand in the TOML file of the rules, or in one of their own:

    [[test]]
    name = "a full queue is tried again"
    messages = "full.ndjson"         # a path from this file on; else those of the command line
    where = "reason = MQRC_Q_FULL"   # which of them; else all
    action = "retry"                 # retry, fwd, discard, ignore, or stay: no rule takes them
    rule = "full"                    # its name, or its number
    target = "ORDERS.IN"
    count = 3                        # how many there must be; else at least one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

from mqtriage.files.failures import content_errors
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.where import parse_where
from mqtriage.messages.stored_messages import Numbered
from mqtriage.model.ids import format_id
from mqtriage.model.result import Field, Listing, Show, column, columns_of, keys_of
from mqtriage.model.tables import (
    COUNT,
    TEXT,
    WORDS,
    key,
    list_of,
    one_of,
    record_form,
    toml_table,
)
from mqtriage.model.units import count_text
from mqtriage.mq.errors import UsageError
from mqtriage.mq.message import Message
from mqtriage.mq.rules_table.parser import RulesTable
from mqtriage.operations.archive.content import message_test
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.load.plan import undamaged
from mqtriage.operations.rules.judge import Fate, Judge
from mqtriage.operations.rules.toml import WORD
from mqtriage.records import dataclass

PROBLEM_FIELDS: Final = (
    Field("file", "FILE", width=24),
    Field("line", "LINE", Show.NUMBER, 4),
    Field("column", "COLUMN", Show.NUMBER, 6),
    Field("severity", "SEVERITY", width=8),
    Field("text", "TEXT", width=40),
    Field("expected", "EXPECTED", width=24),
)
PASSED: Final = "passed"
FAILED: Final = "failed"
STAY: Final = "stay"

Opened = Callable[[str], AbstractContextManager[IO[bytes]]]
"""From a file's name to the file, seekable and unpacked: an archive, a listing or a dump."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTestRecord:
    """What became of a message in a test, or of the test where it is about no single message."""

    test: str = column("TEST", Show.TEXT, 24)
    file: str | None = column("FILE", Show.TEXT, 20, default=None)
    msg_id: str | None = column("MSGID", Show.ID, 48, yields=1, default=None)
    rule: int | None = column("RULE", Show.NUMBER, 4, default=None)
    action: str | None = column("ACTION", Show.TEXT, 7, default=None)
    target: str | None = column("TARGET", Show.NAME, 20, default=None)
    result: str = column("RESULT", Show.TEXT, 6)
    why: str = column("WHY", Show.TEXT, 40)


def problem_listing(table: RulesTable, file: str) -> Listing:
    """One record a problem, in the order of the file."""
    summary = {
        "file": file,
        "rules": len(table.rules),
        "errors": len(table.errors),
        "warnings": len(table.problems) - len(table.errors),
    }
    items = ({"file": file, **problem._asdict()} for problem in table.problems)
    return Listing("RulesProblemList", PROBLEM_FIELDS, items, summary, id_key="line")


@dataclass(frozen=True, slots=True)
class Test:
    """One expectation, as [[test]] has it; None where nothing is expected of it."""

    name: str = key(WORD, "")
    files: tuple[str, ...] = key(WORDS, (), word="messages")
    where: str = key(TEXT, "")
    action: str | None = key(one_of("retry", "fwd", "discard", "ignore", STAY), None)
    rule: str | None = key(WORD, None)
    target: str | None = key(TEXT, None)
    count: int | None = key(COUNT, None)


def has_tests(text: str) -> bool:
    """Whether there is a test in a TOML file of rules."""
    with content_errors("tests"):
        return bool(toml_table(text).get("test"))


def tests_of(text: str, folder: Path, files: Sequence[str]) -> list[Test]:
    """The tests in a TOML file; one for all messages where there are none.

    Args:
        folder: that paths in it start from.
        files: of the command line, for tests that name none.
    """
    with content_errors("tests"):
        tables = toml_table(text).get("test", [])
        tests = list_of(record_form(Test)).read(tables, "test")
    if not tests:
        if not files:
            raise UsageError("no messages to test the rules on", hint="name saved messages")
        return [Test("every message is handled by a rule", tuple(files))]
    return [_with_files(number, test, folder, files) for number, test in enumerate(tests, 1)]


def _with_files(number: int, test: Test, folder: Path, files: Sequence[str]) -> Test:
    name = test.name or f"test {number}"
    paths = tuple(str(folder / file) for file in test.files) or tuple(files)
    if not paths:
        raise UsageError(f"{name}: no messages", hint='messages = "saved.ndjson"')
    return replace(test, name=name, files=paths)


def run_tests(tests: Sequence[Test], judge: Judge, opened: Opened, now_us: int) -> Listing:
    """One record a message and test, and one a test whose count is not what it should be.

    Raises:
        StorageError: A file is damaged.
        UsageError: A condition cannot be read.
    """
    chosen = [_chosen(test, now_us) for test in tests]
    summary = {"tests": len(tests), "passed": 0, "failed": 0}
    listing = Listing("RuleTestList", columns_of(RuleTestRecord), (), summary)

    def records() -> Iterator[RuleTestRecord]:
        for test, choose in zip(tests, chosen, strict=True):
            for record in _records(test, choose, judge, opened, listing.warnings):
                listing.summary[record.result] += 1
                yield record

    listing.items = map(keys_of, records())
    return listing


def _chosen(test: Test, now_us: int) -> Callable[[Message], bool]:
    if not test.where:
        return lambda _: True
    tree = parse_where(test.where, what=f"{test.name}: where")
    return message_test(Selection(tree), now_us) or (lambda _: True)


def _records(
    test: Test,
    choose: Callable[[Message], bool],
    judge: Judge,
    opened: Opened,
    warnings: list[str],
) -> Iterator[RuleTestRecord]:
    met = 0
    for file in test.files:
        for message in _messages(file, opened, warnings):
            if not choose(message):
                continue
            met += 1
            fate = judge.fate(message)
            wrong = _wrong(test, fate)
            yield RuleTestRecord(
                test=test.name,
                file=Path(file).name,
                msg_id=format_id(fate.msg_id),
                rule=fate.rule.number if fate.rule else None,
                action=action_of(fate),
                target=fate.target,
                result=FAILED if wrong else PASSED,
                why=wrong or fate.why,
            )
    expected = test.count
    if met != expected if expected is not None else not met:
        why = f"{count_text(met)}, expected: {expected}" if expected is not None else "no message"
        yield RuleTestRecord(test=test.name, result=FAILED, why=why)


def _messages(name: str, opened: Opened, warnings: list[str]) -> Iterator[Message]:
    with opened(name) as file:
        for stored in undamaged(name, file, warnings):
            if isinstance(stored, Numbered):
                yield message_of(stored)


def action_of(fate: Fate) -> str:
    """What happens to the message, as tests say it."""
    if fate.action is not None:
        return str(fate.action).lower()
    ignored = fate.rule is not None and str(fate.rule.action) == "IGNORE"
    return "ignore" if ignored else STAY


def _wrong(test: Test, fate: Fate) -> str:
    """What is not as expected, "" for nothing."""
    action = action_of(fate)
    wrong = []
    if test.action is not None and action != test.action:
        wrong.append(f"action is {action}, {test.action} is expected")
    rule = fate.rule
    if test.rule is not None and (rule is None or test.rule not in (rule.name, str(rule.number))):
        title = rule.title if rule is not None else "no rule"
        wrong.append(f"{title} takes it, rule {test.rule!r} is expected")
    if test.target is not None and fate.target != test.target:
        wrong.append(f"it goes to {fate.target or 'no queue'}, {test.target} is expected")
    if test.action is None and test.rule is None and test.target is None and action == STAY:
        wrong.append(fate.why)
    return f"{'; '.join(wrong)} ({fate.why})" if wrong and fate.why not in wrong else "".join(wrong)
