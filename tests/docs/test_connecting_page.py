"""docs/connecting.md: its example runs through ibmmq, and its table has every setting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from mqtriage.cli.frame.options import ConnectionOptions
from mqtriage.model.client_settings import FIELDS
from mqtriage.model.context_keys import KEYS
from mqtriage.model.options import OPT
from tests.support.tools import is_required, tool

TEXT = (Path(__file__).parent.parent.parent / "docs" / "connecting.md").read_text("utf-8")
TABLE = TEXT.partition("## Connection settings")[2].partition("\nThe options stand")[0]


def test_the_example_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    tool("cc")
    if not is_required("ibmmq"):
        pytest.importorskip("importlib.metadata").distribution("ibmmq")
    script = re.findall(r"```sh file=try.sh\n(.*?)```", TEXT, re.DOTALL)[0]
    shown = re.findall(r"```text output=try.sh\n(.*?)```", TEXT, re.DOTALL)[0]
    environment = dict(os.environ) | {
        "MQTRIAGE_HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    environment.pop("MQTRIAGE_QMGR", None)
    ran = subprocess.run(
        ["sh", "-euc", script],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, shown), ran.stderr


@pytest.mark.parametrize("key", [*FIELDS, "password_file", "password_prompt", "password_keyring"])
def test_every_key_of_a_context_is_in_the_table(key: str) -> None:
    assert f"`{key}`" in TABLE or key == "library"
    assert key in KEYS


def test_every_option_of_a_connection_is_on_the_page() -> None:
    for field in fields(ConnectionOptions):
        opt = field.metadata[OPT]
        if opt.advanced:
            assert opt.words(field.name)[-1] in TEXT
