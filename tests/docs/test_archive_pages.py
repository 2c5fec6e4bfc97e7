"""docs/archives.md and docs/rules.md: every command runs, every table and file is read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mqtriage.cli.frame.tree import GROUPS
from mqtriage.mq.headers import dlh
from mqtriage.mq.rules_table.parser import parse
from mqtriage.operations.rules.toml import parse_toml
from tests.acceptance.messages.estate import Estate

DOCS = Path(__file__).parents[2] / "docs"
ARCHIVES = (DOCS / "archives.md").read_text("utf-8")
RULES = (DOCS / "rules.md").read_text("utf-8")


def blocks(page: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    filled = Estate.create(tmp_path / "home")
    for queue in ("IN", "BO", "DLQ", "PARKED"):
        filled.queue(queue)
    filled.alter("QM1", DEADQ="DLQ")
    filled.alter("IN", BOTHRESH=3, BOQNAME="BO")
    body = b'{"order": {"id": %d, "card": "4111", "customer": "alice"}}'
    filled.put("IN", *(body % number for number in range(3)))
    header = dlh.DLH(reason=2053, dest_q_name="IN", dest_q_mgr_name="QM1", format="MQSTR")
    filled.put("DLQ", dlh.encode(header) + b"1", format="MQDEAD")
    monkeypatch.chdir(tmp_path)
    Path("key").write_text("a key that nobody guesses")
    return filled


def run_block(estate: Estate, block: str) -> None:
    for line in block.splitlines():
        command, _, comment = line.partition("#")
        program, *words = shlex.split(command)
        assert program == "mqtriage"
        code = int(comment.removeprefix(" exit ")) if comment else 0
        ran = estate.run(*words)
        assert ran.code == code, (line, ran.err)


def test_the_commands_of_the_archive_page_run_in_their_order(estate: Estate) -> None:
    shell_blocks = blocks(ARCHIVES, "sh")
    assert len(shell_blocks) == 3
    for block in shell_blocks:
        run_block(estate, block)


def test_the_commands_of_the_rules_page_run_in_their_order(estate: Estate) -> None:
    (table,) = blocks(RULES, "rules")
    own, tests = blocks(RULES, "toml")
    Path("dlq.rules").write_text(table)
    Path("poison.toml").write_text(own.replace('inputq = "ORDERS.DLQ"', ""))
    assert estate.run("msg", "archive", "DLQ", "--out", "saved.ndjson").code == 0
    (commands,) = blocks(RULES, "sh")
    run_block(estate, commands)
    both = own + tests.replace("count = 3", "count = 1").replace("ORDERS.IN", "ORDERS.PARKED")
    Path("both.toml").write_text(both)
    ran = estate.run("dlq", "rules", "test", "both.toml")
    assert ran.code == 4  # the saved message goes to the last rule, not to the first
    assert "is expected" in ran.out


def test_the_tables_and_files_of_the_rules_page_are_read_without_a_word(estate: Estate) -> None:
    (table,) = blocks(RULES, "rules")
    assert parse(table).problems == ()
    own, tests = blocks(RULES, "toml")
    for text in (own, own + tests):
        assert parse_toml(text).problems == ()
        assert len(parse_toml(text).rules) == 3


def test_every_verb_of_archive_stands_in_the_table() -> None:
    assert re.findall(r"^\| `archive (\w+)", ARCHIVES, re.MULTILINE) == list(
        GROUPS["archive"].verbs
    )
