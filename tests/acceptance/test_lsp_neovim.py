"""`mqtriage lsp` in Neovim: its own client, its commands, and what is in its buffers afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_lsp_names import OTHERS, QUEUES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim (nvim) is not installed"),
]
STEPS = Path(__file__).with_name("neovim.lua")
POISON = "DEFINE QLOCAL(POISON) DESCR('😀') BOTHRESH(3)\n"
OWN_RULE = """\
[[rule]]
id = "BNK001"
severity = "warning"
message = "at most 200 messages"
objects = { type = "QLOCAL", name = "POISON" }
condition = "maxdepth <= 200"
fix = { maxdepth = 200 }
"""


def configuration() -> str:
    """What docs/editors.md has users of older versions write."""
    page = (Path(__file__).parents[2] / "docs/editors.md").read_text("utf-8")
    return page.partition("```lua file=older.lua run=neovim\n")[2].partition("```")[0]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Neovim reported, by step; it has settings, data and logs in a folder of its own."""
    home = tmp_path_factory.mktemp("neovim")
    folder = home / "QM1"
    folder.mkdir()
    (folder / "queues.mqsc").write_text(QUEUES + POISON)
    (folder / "others.mqsc").write_text(OTHERS)
    (folder / ".mqtriage.toml").write_text(OWN_RULE)
    own = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    environ = {
        **os.environ,
        **dict.fromkeys(own, str(home)),
        "NVIM_LOG_FILE": str(home / "log"),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    (home / "older.lua").write_text(configuration())
    read = [word for file in (home / "older.lua", STEPS) for word in ("-c", f"luafile {file}")]
    argv = ["nvim", "--headless", "--clean", "-n", "-i", "NONE", *read]
    ran = subprocess.run(
        argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=600, check=True
    )
    reports = [json.loads(line) for line in ran.stdout.splitlines() if line.strip()]
    return {one["step"]: one["value"] for one in reports}


def test_neovim_came_to_its_end(steps: dict[str, Any]) -> None:
    assert "problem" not in steps, steps.get("problem")
    assert steps["stopped"] is True


def test_findings_are_where_neovim_counts_bytes(steps: dict[str, Any]) -> None:
    column = POISON[: POISON.index("BOTHRESH")].encode()
    assert sorted(steps["diagnostics"]) == ["8:1 BNK001", f"8:{len(column) + 1} BKO001"]


def test_symbols_are_the_objects(steps: dict[str, Any]) -> None:
    names = [line.rpartition(" ")[2] for line in steps["symbols"]]
    assert names == ["ORDERS.IN", "ORDERS.BO", "orders", "ALL.QUEUES", "OUT", "POISON"]


def test_a_definition_is_gone_to(steps: dict[str, Any]) -> None:
    assert steps["definition"] == "QLOCAL(ORDERS.BO)"
    assert steps["definition in another file"] == OTHERS.splitlines()[0]


def test_references_are_listed(steps: dict[str, Any]) -> None:
    places = [line.partition(" ")[0] for line in steps["references"]]
    assert places == [
        "others.mqsc:4:14",
        "others.mqsc:7:21",
        "others.mqsc:8:34",
        "queues.mqsc:2:15",
        "queues.mqsc:5:32",
        "queues.mqsc:6:46",
    ]


def test_hover_shows_the_attribute_and_the_definition(steps: dict[str, Any]) -> None:
    assert steps["hover"][0] == "**BOTHRESH** of QLOCAL: 0 to 999999999 rollbacks"
    assert "DEFINE QLOCAL(ORDERS.BO)" in steps["hover on a name"]
    assert "queues.mqsc, line 4" in steps["hover on a name"]


def test_what_may_stand_there_is_offered(steps: dict[str, Any]) -> None:
    assert steps["completion"] == ["DEFPSIST("]


def test_every_word_of_the_document_has_a_token(steps: dict[str, Any]) -> None:
    assert steps["semantic tokens"] % 5 == 0
    assert steps["semantic tokens"] > 5 * 4 * len(QUEUES.splitlines())


def test_a_rename_changes_both_files_and_nothing_else(steps: dict[str, Any]) -> None:
    own = (QUEUES + POISON).replace("ORDERS.IN", "ORDERS.NEW")
    assert steps["renamed"] == own.replace("RNAME(ORDERS.NEW)", "RNAME(ORDERS.IN)").splitlines()
    others = OTHERS.replace("QLOCAL(ORDERS.IN)", "QLOCAL(ORDERS.NEW)")
    others = others.replace("DEST(ORDERS.IN)\n", "DEST(ORDERS.NEW)\n")
    assert steps["renamed in another file"] == others.splitlines()


def test_the_fix_of_a_rule_of_ones_own_is_offered_and_made(steps: dict[str, Any]) -> None:
    assert [title.partition(" ")[0] for title in steps["actions"]].count("BNK001:") == 1
    assert "MAXDEPTH(200)" in steps["fixed"][7]


def test_a_document_is_formatted(steps: dict[str, Any]) -> None:
    assert steps["formatted"] == ["DEFINE QLOCAL(A) MAXDEPTH(5)"]
