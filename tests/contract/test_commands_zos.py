"""Every verb once more on a queue manager of z/OS, in this process and through pymqi or ibmmq.

There commands go to SYSTEM.COMMAND.INPUT, MQSC as text, and the replies come back in EBCDIC, in
code pages 500 and 1047. Before a release every command line of `test_commands` runs here.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from mqtriage.backends import clock
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.core.file.home import qmgr_path
from mqtriage.emulator.open import open_manager
from tests.contract.conftest import CLIENTS, load
from tests.contract.test_commands import (
    CHANGES,
    READS,
    Estate,
    as_emulator,
    both,
    filled_estate,
    in_turns,
    ran,
    state,
)
from tests.contract.test_commands import connected as connected
from tests.contract.test_commands import reading as reading
from tests.contract.test_commands import served as served
from tests.mqi.conftest import Served
from tests.support.scale import amount


def of_each_verb(lines: list[str]) -> list[str]:
    """The first command line of each verb; before a release all of them."""
    verbs = {tuple(shlex.split(line)[:2]): line for line in reversed(lines)}
    return [line for line in lines if amount(0, all=1) or line in verbs.values()]


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Estate:
    filled = filled_estate(tmp_path_factory, "--platform", "zos")
    backend = EmulatedBackend(open_manager(qmgr_path(filled.home, "QM1")))
    backend.alter("QMGR", "", {"CCSID": 1047})
    backend.disconnect()
    return filled


@pytest.mark.parametrize(("line", "library"), in_turns(of_each_verb(READS.strip().splitlines())))
@pytest.mark.slow
def test_a_command_that_reads(
    connected: Served, estate: Estate, tmp_path: Path, line: str, library: str
) -> None:
    expected, actual = both(line, estate, connected, tmp_path, library)
    assert as_emulator(actual.out) == as_emulator(expected.out)
    assert actual == expected._replace(out=actual.out)


@pytest.mark.parametrize("line", of_each_verb(CHANGES))
@pytest.mark.slow
def test_a_command_that_writes(
    request: pytest.FixtureRequest,
    estate: Estate,
    served: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
) -> None:
    library = CLIENTS[CHANGES.index(line) % len(CLIENTS)]
    monkeypatch.setattr(clock, "here_us", open_manager(served.path).look)
    load(request, library)
    home = tmp_path / "emulator"
    shutil.copytree(estate.home, home)
    expected = ran(home, line, estate, tmp_path / "a")
    actual = ran(
        served.home, line, estate, tmp_path / "b", "--backend", "mq", "--set", f"library={library}"
    )
    assert as_emulator(actual.out) == as_emulator(expected.out)
    assert (actual.code, actual.errors) == (expected.code, expected.errors)
    assert state(served.path, estate) == state(qmgr_path(home, "QM1"), estate)
