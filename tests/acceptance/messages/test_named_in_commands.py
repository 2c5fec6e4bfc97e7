"""With `-m`, each command line that is printed names the queue manager: it can be pasted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from mqtriage.cli.frame.console import NO_TERMINALS
from mqtriage.cli.frame.options import ConnectionOptions, Connections
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.cli.frame.verb import verb_function, with_words
from mqtriage.emulator.core.create import create
from tests.acceptance.conftest import Bench
from tests.acceptance.messages.estate import TERMINAL, Estate
from tests.acceptance.messages.test_selection_by_kind import dead
from tests.acceptance.test_every_command import PATHS, prepared, with_files

NAMED = "-m QM1"
NOT_WALKED = {"analyze", "top", "emulator"}
"""They start Java or a terminal, or take no option of a connection."""


def unnamed(text: str) -> list[str]:
    """The lines with a command that takes the queue manager, and does not name it."""
    return [line for line in text.splitlines() if with_words(line, NAMED) != line]


def takes_a_connection(path: str) -> bool:
    noun, *rest = path.split()
    verb = rest[0] if noun in GROUPS else noun
    target, _ = (GROUPS[noun].verbs if noun in GROUPS else COMMANDS)[verb]
    groups = verb_function(target).verb.groups
    return any(issubclass(group, (ConnectionOptions, Connections)) for group in groups)


WALKED = [path for path in PATHS if path.split()[0] not in NOT_WALKED and takes_a_connection(path)]


@pytest.mark.slow
@pytest.mark.parametrize("path", WALKED)
def test_every_verb_names_the_queue_manager_in_the_commands_it_prints(
    filled_copy: Bench, path: str
) -> None:
    words = prepared(with_files(filled_copy), path)
    verb = 2 if path.split()[0] in GROUPS else 1
    line = [*words[:verb], *shlex.split(NAMED), *words[verb:]]
    for form in ("json", "table"):
        ran = filled_copy.run(*line, "-o", form)
        assert unnamed(ran.out + ran.err) == [], shlex.join(line)


@pytest.fixture
def troubled(estate: Estate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    """Dead letters for queues that are full, closed or missing, where a pasted command without the
    queue manager would act on another one."""
    monkeypatch.chdir(tmp_path)
    estate.queue("DL")
    estate.queue("FULL", MAXDEPTH=1)
    estate.queue("SHUT", PUT="DISABLED")
    estate.alter("QM1", DEADQ="DL")
    with estate.connected() as backend:
        backend.define("QALIAS", "OTHER", {"TARGET": "IN"})
    for dest in ("IN", "FULL", "FULL", "SHUT", "GONE", "ALSO.GONE"):
        estate.put("DL", dead(2051, dest, "amqrmppa", "MQSTR", 9, b"1"), format="MQDEAD")
    create(estate.folder, "QM2")
    estate.environ["MQTRIAGE_QMGR"] = "QM2"
    return estate


LINES = (
    "dlq requeue -n",
    "dlq requeue --dest GONE --dest IN -n",
    "dlq requeue --dest GONE --dest IN --yes",
    "dlq requeue --dest GONE --yes",
    "dlq requeue --dest GONE --dest IN --plan saved.plan",
    "dlq requeue --dest FULL -n",
    "dlq requeue --dest SHUT --yes",
    "dlq causes",
    "dlq browse",
    "queue delete DL --yes",
    "queue define IN MAXDEPTH=7 --yes",
    "queue set OTHER MAXDEPTH=7 --yes",
    "queue show GONE",
    "msg move DL --to SHUT --yes",
    "msg move DL --to FULL -n",
    "msg put IN x --delay 5m --yes",
    "backout requeue DL --yes",
    "backout move IN --yes",
    "expiry sweep IN --expect 0 -n",
    "incident DL --out record",
)
"""What fails or is advised there."""


@pytest.mark.parametrize("line", LINES)
@pytest.mark.slow
def test_what_is_advised_on_a_troubled_queue_manager_names_it(troubled: Estate, line: str) -> None:
    words = shlex.split(line)
    verb = 2 if words[0] in GROUPS else 1
    for form in ("json", "table"):
        for terminals in (TERMINAL, NO_TERMINALS):
            given = (*words[:verb], *shlex.split(NAMED), *words[verb:], "-o", form)
            ran = troubled.run(*given, terminals=terminals)
            assert unnamed(ran.out + ran.err) == [], (form, ran)
    for file in (*Path("record").glob("*.json"), *Path("record").glob("*.md")):
        assert unnamed(file.read_text("utf-8")) == [], file


def test_rows_of_several_queue_managers_name_their_own(troubled: Estate) -> None:
    items = troubled.run("dlq", "causes", "-m", "QM1,QM2", "-o", "json").json["items"]
    named = [item for item in items if "mqtriage queue" in item["hint"]]
    assert named
    assert all(f"-m {item['queue_manager']} " in item["hint"] for item in named)


def test_the_hint_at_one_of_several_queue_managers_names_that_one(troubled: Estate) -> None:
    assert troubled.run("emulator", "create", "QM3", "--platform", "zos").code == 0
    ran = troubled.run("delay", "status", "-m", "QM1,QM3", "-o", "json")
    assert (ran.code, '"hint":"mqtriage delay define -m QM3"' in ran.err) == (3, True), ran


def test_a_command_in_the_data_of_a_message_stays_as_it_is(troubled: Estate) -> None:
    body = b'{"hint": "mqtriage queue ls"}'
    troubled.put("IN", body)
    shown = troubled.run("msg", "show", "IN", "--nth", "1", "-m", "QM1", "-o", "json").out
    browsed = troubled.run("msg", "browse", "IN", "-m", "QM1", "-o", "ndjson", "--body", "text").out
    assert "mqtriage queue ls" in shown
    assert "-m QM1" not in shown + browsed
