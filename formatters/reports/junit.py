"""`--format junit`: a test case a finding, in a suite a file; what --fail-on lets pass, passes.

Of tests that were run (`junit_tests`): a suite, a test case a record.

Source: the XML that Jenkins and GitLab read (testsuites, testsuite, testcase, failure).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from mqtriage.definitions.rules.finding import Severity
from mqtriage.formatters.cells import visible
from mqtriage.formatters.reports.finding_place import file_of, where
from mqtriage.model.result import Record

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FAILED: Final = "failed"


def junit(records: Iterable[Record], fail_on: str) -> Iterator[str]:
    """The document; without findings one case that passes, so that a reader sees the run.

    Args:
        fail_on: severity from which on a finding is a failure; "never" for none.
    """

    def fails(record: Record) -> bool:
        if fail_on == "never":
            return False
        return Severity(record["severity"]).rank <= Severity(fail_on).rank

    suites: dict[str, list[Record]] = {}
    for record in records:
        name = file_of(record)
        suites.setdefault(name, []).append(record)
    every = [record for members in suites.values() for record in members]
    failures = sum(fails(record) for record in every)
    yield _HEAD
    yield (
        f'<testsuites name="mqtriage lint" tests="{len(every) or 1}" failures="{failures}"'
        ' errors="0">\n'
    )
    if not every:
        yield '<testsuite name="mqtriage lint" tests="1" failures="0" errors="0">\n'
        yield '<testcase classname="mqtriage lint" name="no findings"/>\n</testsuite>\n'
    for name, members in suites.items():
        failed = sum(fails(record) for record in members)
        head = f"<testsuite name={attribute(name)} tests="
        yield f'{head}"{len(members)}" failures="{failed}" errors="0">\n'
        yield from (_case(record, fails=fails(record)) for record in members)
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _case(record: Record, *, fails: bool) -> str:
    name = f"{record['code']} {record['object'] or ''}".rstrip() + f" ({where(record)})"
    message = str(record["message"])
    text = visible(f"{where(record)}: {message}")  # no line of a log begins as a file name says
    text += f"\n{record['fix']}" if record["fix"] else ""
    kind = attribute(str(record["severity"]))
    failure = f"type={kind} message={attribute(message)}" if fails else ""
    return _test_case(str(record["code"]), name, text, failure)


def _test_case(classname: str, name: str, text: str, failure: str) -> str:
    """A case with its text; *failure* has the attributes of one that fails, "" passes."""
    element = f"failure {failure}" if failure else "system-out"
    inner = f"<{element}>{escape(clean(text))}</{element.split()[0]}>"
    return f"<testcase classname={attribute(classname)} name={attribute(name)}>{inner}</testcase>\n"


def junit_tests(name: str, records: Iterable[Record]) -> Iterator[str]:
    """The document.

    Args:
        name: of the suite.
        records: each with `test`, `msg_id`, `result` ("passed", "failed") and `why`.
    """
    tests = list(records)
    failures = sum(record["result"] == _FAILED for record in tests)
    counts = f'tests="{len(tests)}" failures="{failures}" errors="0"'
    yield _HEAD
    yield f"<testsuites name={attribute(name)} {counts}>\n"
    yield f"<testsuite name={attribute(name)} {counts}>\n"
    for record in tests:
        why = str(record["why"])
        failure = f"message={attribute(why)}" if record["result"] == _FAILED else ""
        about = str(record["msg_id"] or "as a whole")
        yield _test_case(str(record["test"]), about, visible(why), failure)
    yield "</testsuite>\n</testsuites>\n"


def clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def attribute(text: str) -> str:
    """The text as the value of an attribute, with its quotes."""
    return quoteattr(clean(text))
