"""MQSC goes to whatever is connected; a connection that only reads changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.mqsc_server import mqsc_server
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import no_browse, readonly, traced
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import Ending, Reply


@pytest.fixture
def backend(tmp_path: Path) -> EmulatedBackend:
    return EmulatedBackend(open_manager(create(tmp_path, "QM1")))


def run(backend: Backend, text: str) -> Reply:
    script = parse(text)
    return mqsc_server(backend).execute(script, script.commands[0])


def silent(_: str) -> None:
    return None


WRAPPERS: list[Callable[[Backend], Backend]] = [
    lambda inner: traced(inner, silent),
    lambda inner: no_browse(inner, ["PAY.*"]),
    lambda inner: no_browse(traced(inner, silent), ["PAY.*"]),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_what_tells_or_shuts_out_is_no_hindrance(
    backend: EmulatedBackend, wrap: Callable[[Backend], Backend]
) -> None:
    assert run(wrap(backend), "DEFINE QLOCAL(A)").ending is Ending.DONE
    assert backend.queue("A").kind == "QLOCAL"


@pytest.mark.parametrize("wrap", [readonly, *(lambda b, w=w: w(readonly(b)) for w in WRAPPERS)])
@pytest.mark.parametrize("text", ["DEFINE QLOCAL(A)", "ALTER QMGR DESCR(' ')", "CLEAR QLOCAL(B)"])
def test_behind_a_connection_that_reads_nothing_is_changed(
    backend: EmulatedBackend, wrap: Callable[[Backend], Backend], text: str
) -> None:
    with pytest.raises(Refused, match="this connection only reads"):
        run(wrap(backend), text)
    assert [queue.name for queue in backend.queues("A")] == []


@pytest.mark.parametrize("text", ["DISPLAY QMGR DEADQ", "PING QMGR"])
def test_behind_it_can_be_looked(backend: EmulatedBackend, text: str) -> None:
    assert run(readonly(backend), text).ending is Ending.DONE
