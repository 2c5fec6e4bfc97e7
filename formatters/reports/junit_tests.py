"""JUnit report of tests that were run: a suite, a test case a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape

from mqtriage.formatters.reports.junit import attribute, clean
from mqtriage.model.result import Record

_FAILED: Final = "failed"


def junit_tests(name: str, records: Iterable[Record]) -> Iterator[str]:
    """The document.

    Args:
        name: of the suite.
        records: each with `test`, `msg_id`, `result` ("passed", "failed") and `why`.
    """
    tests = list(records)
    failures = sum(record["result"] == _FAILED for record in tests)
    counts = f'tests="{len(tests)}" failures="{failures}" errors="0"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites name={attribute(name)} {counts}>\n"
    yield f"<testsuite name={attribute(name)} {counts}>\n"
    yield from map(_case, tests)
    yield "</testsuite>\n</testsuites>\n"


def _case(record: Record) -> str:
    test, why = str(record["test"]), clean(str(record["why"]))
    named = str(record["msg_id"] or "as a whole")
    case = f"<testcase classname={attribute(test)} name={attribute(named)}"
    if record["result"] != _FAILED:
        return f"{case}><system-out>{escape(why)}</system-out></testcase>\n"
    return f"{case}><failure message={attribute(why)}>{escape(why)}</failure></testcase>\n"
