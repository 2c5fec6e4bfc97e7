"""Inputs of the field with the scripts that came with them, run in the words of these."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parents[3] / "shared" / "corpus" / "field-cases"


@pytest.mark.skipif(not CASES.is_dir(), reason="../shared/corpus is not there")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("01-", ("handle 3 (3 would fail) of 3 messages on DLQ", "0 skipped, 3 failed")),
        ("07-", (" 26  MQRC_UNKNOWN_OBJECT_NAME  AMQ.* ", "DESTQ('AMQ.*') ACTION(IGNORE)")),
    ],
)
@pytest.mark.slow
def test_scripts_with_former_spellings_run_as_they_stand(name: str, shown: tuple[str, ...]) -> None:
    (folder,) = CASES.glob(f"{name}*")
    program = Path(sys.executable).with_name("mqtriage")
    ran = subprocess.run(
        ["sh", str(folder / "run.sh")],
        env=dict(os.environ) | {"MQTRIAGE": str(program)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "no such verb" not in ran.stderr
    for text in shown:
        assert text in ran.stdout, ran.stderr
