"""Findings for other programs: their edits, and what these take."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtriage.definitions.estates import ScriptFile, ScriptSet
from mqtriage.definitions.lint.config import config_from
from mqtriage.definitions.lint.report import report_listing
from mqtriage.definitions.lint.run import lint_all
from mqtriage.mq.mqsc.parse import parse
from tests.support.timing import times_as_long


@pytest.mark.slow
def test_the_edits_of_a_finding_do_not_take_longer_the_longer_the_script_is() -> None:
    queues = "".join(f"DEFINE QLOCAL(Q{number}) BOTHRESH(3)\n" for number in range(1000))

    def edited(text: str) -> int:
        script = ScriptFile(Path("a.mqsc"), b"", parse(text, file="a.mqsc"))
        run = lint_all([ScriptSet("", (script,))], config_from({"select": ["BKO001"]}))
        return sum(bool(record["edits"]) for record in report_listing(run).items)

    longer = f"{queues}* {'x' * 2_000_000}\n"
    assert edited(queues) == 1000
    assert times_as_long(lambda: edited(longer), lambda: edited(queues), 4) < 4
