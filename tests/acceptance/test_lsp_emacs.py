"""`mqtriage lsp` in Emacs, with Eglot and with lsp-mode: their commands, and what buffers hold.

`emacs.el` has the steps. Emacs has a terminal, since clients wait for what only a user does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.acceptance.test_lsp_names import OTHERS, QUEUES
from tests.acceptance.test_lsp_neovim import OWN_RULE, POISON
from tests.support.terminal import OnTerminal

pytestmark = pytest.mark.long
STEPS = Path(__file__).with_name("emacs.el")
LONGEST_S = 600
BLOCKS = {"eglot": "init.el", "lsp-mode": "lsp-mode.el"}
"""A client's name, and the block of docs/editors.md that configures it."""


class Session(NamedTuple):
    """What one client reported, by step."""

    client: str
    steps: dict[str, Any]


def configuration(block: str) -> str:
    """What docs/editors.md has users write."""
    page = (Path(__file__).parents[2] / "docs/editors.md").read_text("utf-8")
    return page.partition(f"```elisp file={block} run=emacs\n")[2].partition("```")[0]


def is_installed(client: str) -> bool:
    if shutil.which("emacs") is None:
        return False
    words = ["--batch", "-f", "package-initialize", "--eval", f"(require '{client})"]
    return subprocess.run(["emacs", *words], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", params=BLOCKS)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A run of Emacs, with an init file and a home of its own."""
    client = request.param
    if not is_installed(client):
        pytest.skip(f"Emacs with {client} is not installed")
    home = tmp_path_factory.mktemp(client)
    (home / ".emacs.d").mkdir()
    (home / ".emacs.d" / "init.el").write_text(configuration(BLOCKS[client]))
    folder = home / "QM1"
    folder.mkdir()
    (folder / "queues.mqsc").write_text(QUEUES + POISON)
    (folder / "others.mqsc").write_text(OTHERS)
    (folder / ".mqtriage.toml").write_text(OWN_RULE)
    reports = home / "reports"
    environ = {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "MQSC_CLIENT": client,
        "MQSC_REPORTS": str(reports),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    words = ("-nw", str(folder / "queues.mqsc"), "-l", str(STEPS))
    with OnTerminal(*words, environ=environ, program=("emacs",)) as terminal:
        if client == "lsp-mode":
            terminal.until("Do nothing: ask again", LONGEST_S)
            terminal.press("i")
        terminal.ended(LONGEST_S)
    lines = map(json.loads, reports.read_text("utf-8").splitlines())
    return Session(client, {line["step"]: line["value"] for line in lines})


def test_emacs_came_to_its_end(session: Session) -> None:
    assert "problem" not in session.steps, (session.steps["problem"], session.steps["messages"])
    assert "formatted" in session.steps


def test_findings_are_where_emacs_counts_characters(session: Session) -> None:
    places = [line.partition(" ")[0] for line in session.steps["diagnostics"]]
    assert sorted(places) == ["8:BOTHRESH", "8:DEFINE"]
    assert any("but BOQNAME is blank" in line for line in session.steps["diagnostics"])
    assert any("at most 200 messages" in line for line in session.steps["diagnostics"])


def test_symbols_are_the_objects(session: Session) -> None:
    names = [line.partition(" ")[0] for line in session.steps["symbols"]]
    assert names == ["ORDERS.IN", "ORDERS.BO", "orders", "ALL.QUEUES", "OUT", "POISON"]


def test_a_definition_is_gone_to(session: Session) -> None:
    assert session.steps["definition"] == {"line": "DEFINE QLOCAL(ORDERS.BO)", "column": 14}
    elsewhere = {"line": OTHERS.splitlines()[0], "file": "others.mqsc"}
    assert session.steps["definition in another file"] == elsewhere


def test_references_are_listed(session: Session) -> None:
    places = [line.partition(" ")[0] for line in session.steps["references"]]
    expected = ["others.mqsc:4", "others.mqsc:7", "others.mqsc:8", "queues.mqsc:5", "queues.mqsc:6"]
    if session.client == "eglot":  # it asks for the definition too
        expected.insert(3, "queues.mqsc:2")
    assert sorted(places) == expected


def test_hover_shows_the_attribute_and_the_definition(session: Session) -> None:
    about = session.steps["hover"].replace("*", "").splitlines()
    assert about[0] == "BOTHRESH of QLOCAL: 0 to 999999999 rollbacks"
    assert "DEFINE QLOCAL(ORDERS.BO)" in session.steps["hover on a name"]
    assert "queues.mqsc, line 4" in session.steps["hover on a name"]


def test_what_was_begun_is_completed_in_its_case(session: Session) -> None:
    behind = "(" if session.client == "eglot" else ""
    whole = f"DEFINE QLOCAL(NEW) BOQNAME(ORDERS.BO) bothresh{behind}"
    assert session.steps["completed"] == whole


def test_each_word_has_the_colour_of_its_kind(session: Session) -> None:
    if session.client == "eglot":
        assert "colours" not in session.steps, "Eglot 1.9 has no semantic tokens"
        return
    colours = dict(line.rsplit(" ", 1) for line in session.steps["colours"])
    kinds = {
        "queues": "comment",
        "DEFINE": "keyword",
        "QLOCAL": "class",
        "ORDERS.IN": "variable",
        "BOQNAME": "property",
        "😀": "string",
    }
    assert {word: colours[word] for word in kinds} == {
        word: f"lsp-face-semhl-{kind}" for word, kind in kinds.items()
    }


def test_a_rename_changes_both_files_and_nothing_else(session: Session) -> None:
    own = (QUEUES + POISON).replace("ORDERS.IN", "ORDERS.NEW")
    own = own.replace("RNAME(ORDERS.NEW)", "RNAME(ORDERS.IN)")
    assert session.steps["renamed"] == own.splitlines()
    others = OTHERS.replace("QLOCAL(ORDERS.IN)", "QLOCAL(ORDERS.NEW)")
    others = others.replace("DEST(ORDERS.IN)\n", "DEST(ORDERS.NEW)\n")
    assert session.steps["renamed in another file"] == others.splitlines()


def test_the_fix_of_a_rule_of_ones_own_is_offered_and_made(session: Session) -> None:
    assert [title.partition(" ")[0] for title in session.steps["actions"]].count("BNK001:") == 1
    assert "MAXDEPTH(200)" in session.steps["fixed"][7]


def test_a_document_is_formatted(session: Session) -> None:
    assert session.steps["formatted"] == ["DEFINE QLOCAL(A) MAXDEPTH(5)"]
