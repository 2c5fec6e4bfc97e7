"""The same command lines over the REST API: the same, or refused with nothing changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.backends import clock
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from tests.contract.test_commands import (
    CHANGES,
    READS,
    Estate,
    Ran,
    as_emulator,
    filled_estate,
    ran,
    records,
    state,
)
from tests.support.web_server import WebServer

ROLES = ("admin=MQWebAdmin", "admin=MQWebUser")
WHY = "IBM MQ's REST API"


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    return filled_estate(tmp_path_factory)


@pytest.fixture(scope="module")
def reading(estate: Estate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    yield from served(estate, tmp_path_factory.mktemp("reading"))


@pytest.fixture
def writing(estate: Estate, tmp_path: Path) -> Iterator[WebServer]:
    yield from served(estate, tmp_path)


def served(estate: Estate, folder: Path) -> Iterator[WebServer]:
    """A copy of the queue manager with its web server."""
    home = folder / "client"
    shutil.copytree(estate.home, home)
    web = WebServer(home, web_roles=ROLES)
    yield web
    web.close()


def over_rest(web: WebServer, line: str, estate: Estate, out: Path) -> Ran:
    password = web.home / "password"
    password.write_text("passw0rd")
    password.chmod(0o600)
    more = ("--backend", "rest", "--url", web.url, "--set", "user=admin",
            "--password-file", str(password))  # fmt: skip
    return ran(web.home, line, estate, out, *more)


def is_refused(outcome: Ran) -> bool:
    return outcome.code in (3, 8) and WHY in outcome.errors + outcome.out


REFUSED_READS = """
msg browse ORDERS.IN --backout '>=1' --columns format,backout_count
msg browse ORDERS.IN --body-contains order -o ids
msg browse ORDERS.IN --selector "Root.MQMD.Format = 'MQSTR'" -o ids
msg browse ORDERS.BO --selector "Root.MQMD.BackoutCount > 0 OR JMSPriority = 4" -o json
msg count ORDERS.BO --selector "Root.MQMD.PutApplName LIKE 'legacy%'"
msg browse ORDERS.BO --set properties_as=handle --prop region=APAC -o ids
msg count ORDERS.BO --set properties_as=handle --where "prop.region = 'APAC' AND format = 'MQSTR'"
watch ORDERS.BO --existing --limit 2 --set properties_as=handle -o ndjson
msg diff ORDERS.IN ORDERS.BO
backout pending
backout browse ORDERS.BO
backout browse ORDERS.BO -o json
backout causes ORDERS.BO --against ORDERS.IN
backout browse ORDERS.BO --group origin
dlq browse
dlq browse -o json
dlq causes
top dlq --count 1
expiry status --scan
expiry browse PAYMENTS.REPLY
expiry reports PAYMENTS.REPLY
delay cancel --dry-run --correlid {staged}
watch ORDERS.IN --existing --limit 2
backout pending ORDERS.IN --interval 2s --existing --limit 1 --for 5s
msg move ORDERS.IN --to OPS.PARKED --md-format MQSTR -n
msg purge ORDERS.IN --expect 3 --confirm ORDERS.IN
msg purge PAYMENTS.IN
msg move ORDERS.BO --to NO.SUCH --yes
msg move ORDERS.IN --to ORDERS --yes
backout requeue ORDERS.BO --to ORDERS.IN -n
backout requeue ORDERS.BO --to origin -n
"""
"""Reads that judge messages, and plans of what takes them: the list only gets shorter."""

LESS = """
queue status ORDERS.IN
msg browse ORDERS.IN
msg browse ORDERS.IN -o json
msg browse ORDERS.IN --where "format = 'MQSTR'" -o csv
msg count ORDERS.IN
msg count ORDERS.IN --md-format MQSTR
msg browse ORDERS.BO --set properties_as=rfh2 -o json
msg browse ORDERS.BO --set properties_as=handle -o json
msg browse ORDERS.BO --set properties_as=queue -o json
msg browse ORDERS.BO --set properties_as=handle --columns msg_id,format,length_bytes
msg show ORDERS.BO 414D51* --nth 1 --set properties_as=handle
msg show ORDERS.BO 414D51* --nth 1 --set properties_as=handle --no-decode -o json
msg show ORDERS.IN {first}
msg show ORDERS.IN {first} -o json
msg show ORDERS.IN 414D51* --nth 2
delay browse --columns msg_id,original_msg_id,target,state
"""
"""What the API does not tell is null, the rest as `properties_as=handle` has it."""

TAKES = (
    "msg copy", "msg move", "msg purge", "msg archive", "msg load", "archive restore",
    "backout requeue", "backout purge", "backout move", "dlq run", "dlq requeue", "dlq purge",
    "expiry extend", "expiry purge", "expiry sweep", "expiry revive", "delay cancel",
    "delay release", "{to_in}",
)  # fmt: skip
"""What takes messages, or makes new ones of them: refused, and nothing has changed."""

LEAVES_LESS = ("msg put PAYMENTS.IN", "snapshot take")
"""The put has the context and the properties that the API gives it, a snapshot no messages."""


@pytest.fixture(autouse=True)
def clock_of_the_emulator(reading: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "here_us", open_manager(qmgr_path(reading.home, "QM1")).look)


def as_rest(text: str) -> str:
    text = re.sub(r"( MQRC\w+ \(\d+\)): AMQ.*", r"\1", text)
    return as_emulator(re.sub(r'(backend"?:? *)"?rest\b"?', r"\1emulator", text))


def lines_of(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("line", lines_of(READS))
@pytest.mark.slow
def test_a_command_that_reads(
    reading: WebServer, estate: Estate, tmp_path: Path, line: str
) -> None:
    if line in lines_of(LESS):
        assert_less(reading, estate, tmp_path, line)
        return
    actual = over_rest(reading, line, estate, tmp_path / "a")
    assert is_refused(actual) == (line in lines_of(REFUSED_READS)), actual
    if not is_refused(actual):
        expected = ran(estate.home, line, estate, tmp_path / "a")
        assert as_rest(actual.out) == as_rest(expected.out)
        assert actual == expected._replace(out=actual.out)


def assert_less(web: WebServer, estate: Estate, folder: Path, line: str) -> None:
    """Each key of each record is the emulator's or null."""
    line = re.sub(r" --columns \S+| --set properties_as=\S+| -o \S+", "", line) + " -o json"
    expected = ran(estate.home, f"{line} --set properties_as=handle", estate, folder / "a")
    actual = over_rest(web, line, estate, folder / "a")
    assert actual.code == expected.code
    here, there = records(expected.out), records(actual.out)
    assert len(here) == len(there) > 0
    filled = 0
    for mine, theirs in zip(here, there, strict=True):
        assert mine.keys() == theirs.keys()
        for key, value in theirs.items():
            if key == "properties" and value:
                assert all(one in mine[key] for one in value)  # those of users
                continue
            is_own = (key, value) in OF_THE_API
            assert is_own or value in (None, mine[key]), (key, value, mine[key])
            filled += value is not None
    assert filled


OF_THE_API = [("ccsid", 1208), ("encoding", 546), ("format", "MQHRF2"), ("state", "unknown")]
"""Texts come in UTF-8, others by the name of their first header; no due time, no state."""


@pytest.mark.parametrize("line", CHANGES)
@pytest.mark.slow
def test_a_command_that_writes(
    writing: WebServer, estate: Estate, tmp_path: Path, line: str
) -> None:
    before = state(qmgr_path(writing.home, "QM1"), estate)
    first = line.split(" && ")[0]
    if first.startswith(TAKES):
        actual = over_rest(writing, first, estate, tmp_path / "b")
        assert is_refused(actual), actual
        assert state(qmgr_path(writing.home, "QM1"), estate) == before
        return
    home = tmp_path / "emulator"
    shutil.copytree(estate.home, home)
    expected = ran(home, line, estate, tmp_path / "a")
    actual = over_rest(writing, line, estate, tmp_path / "b")
    assert (actual.code, actual.errors) == (expected.code, expected.errors), (
        "a verb that takes messages belongs in TAKES"
    )
    if line.startswith(LEAVES_LESS):
        return
    assert as_rest(actual.out) == as_rest(expected.out)
    there, here = (state(qmgr_path(one, "QM1"), estate) for one in (writing.home, home))
    assert there == here
