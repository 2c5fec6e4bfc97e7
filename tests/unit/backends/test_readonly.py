"""A connection that only reads changes nothing, not by MQSC either; other wrappers let it be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.forwarding import Reading
from mqtriage.backends.no_browse import NoBrowseBackend
from mqtriage.backends.port import Backend
from mqtriage.backends.readonly import ReadOnlyBackend
from mqtriage.backends.registry import readonly
from mqtriage.backends.tracing import TracedBackend
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import Refused
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.reply import CommandEnding, Reply


@pytest.fixture
def backend(tmp_path: Path) -> EmulatedBackend:
    return EmulatedBackend(open_manager(create(tmp_path, "QM1")))


def run(backend: Backend, text: str) -> Reply:
    script = parse(text)
    return backend.run_mqsc(script, script.commands[0])


def silent(_: str) -> None:
    return None


WRAPPERS: list[Callable[[Backend], Backend]] = [
    lambda inner: TracedBackend(inner, silent),
    lambda inner: NoBrowseBackend(inner, {"PAY.*": "context prod"}),
    lambda inner: NoBrowseBackend(TracedBackend(inner, silent), {"PAY.*": "context prod"}),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_what_tells_or_shuts_out_is_no_hindrance(
    backend: EmulatedBackend, wrap: Callable[[Backend], Backend]
) -> None:
    assert run(wrap(backend), "DEFINE QLOCAL(A)").ending is CommandEnding.DONE
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
    assert run(readonly(backend), text).ending is CommandEnding.DONE


_WRITES: list[Callable[[Backend], object]] = [
    lambda backend: backend.open("SYSTEM.DEFAULT.LOCAL.QUEUE", cmqc.MQOO_OUTPUT),
    lambda backend: backend.put1("Q", MQMD(), b""),
    lambda backend: backend.put_delayed("Q", MQMD(), b"", 1000),
    lambda backend: backend.commit(),
    lambda backend: backend.backout(),
    lambda backend: backend.define("QLOCAL", "A", {}),
    lambda backend: backend.alter("QMGR", "", {}),
    lambda backend: backend.delete("QLOCAL", "A"),
]


@pytest.mark.parametrize("write", _WRITES)
def test_every_write_is_refused(backend: EmulatedBackend, write: Callable[[Backend], None]) -> None:
    with pytest.raises(Refused, match="this connection only reads"):
        write(readonly(backend))


def test_whatever_the_port_has_and_is_no_look_is_refused_here_itself() -> None:
    """A call that the port gets later is no look until it is one of `Reading`: mypy says so."""
    calls = {name for name in vars(Backend) if not name.startswith("_")}
    assert calls - set(vars(Reading)) <= set(vars(ReadOnlyBackend))
    assert not calls & set(vars(Reading)) & set(vars(ReadOnlyBackend))
