"""Whatever is held back, all calls answer as if each had gone to the file at once."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Match
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.write_behind.buffer import buffer_calls, stop_buffering
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from tests.support.scale import amount
from tests.unit.emulator.conftest import unlock

_QUEUES = ("IN", "FIFO")
_ALL = 2 | 8 | 16  # MQOO_INPUT_SHARED, _BROWSE, _OUTPUT
_START_US = 1_800_000_000_000_000


def _mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """*usual* seven times in eight, so that much is held back before something ends it."""
    return st.integers(0, 7).flatmap(lambda n: st.sampled_from(others if n == 7 else (usual,)))


_queue = _mostly("IN", "FIFO")
_client = _mostly(0, 1)
_md = st.fixed_dictionaries(
    {
        "priority": st.sampled_from((0, 4, 9)),
        "persistence": _mostly(0, 1, 2),
        "expiry_tenths": _mostly(-1, 5, 5000),
        "correl_id": st.sampled_from((bytes(24), b"x" * 24)),
    }
)
_correl_id = st.sampled_from((None, None, bytes(24), b"x" * 24))
_put = st.tuples(st.just("put"), _client, _queue, _md, _mostly(False, True))
_get = st.tuples(st.just("get"), _client, _queue, _correl_id, _mostly(False, True))
_lock = st.tuples(st.just("lock"), _client, _queue, _mostly(False, True))
_take = st.tuples(st.just("take"), _client, _queue, _mostly(True, False))
_another = st.one_of(
    st.tuples(st.just("unlock"), _client, _queue),
    st.tuples(st.just("browse"), _client, _queue),
    st.tuples(st.just("commit"), _client),
    st.tuples(st.just("back out"), _client),
    st.tuples(st.just("status"), _queue),
    st.tuples(st.just("advance"), st.integers(1, 1000)),
    st.tuples(st.just("write down")),
    st.tuples(st.just("shut"), _queue, st.sampled_from(("PUT", "GET"))),
    st.tuples(st.just("open"), _queue),
)
_call = st.integers(0, 19).flatmap(
    lambda n: (
        _put if n < 9 else _get if n < 14 else _lock if n < 16 else _take if n < 18 else _another
    )
)


class _Side:
    """One queue manager with two clients that share a view of it, as those of a server do."""

    def __init__(self, folder: Path, holds: str) -> None:
        path = create(folder, "QM1", frozen=True, at_us=_START_US)
        self.manager = open_manager(path)
        if holds == "as a server does":
            buffer_calls(self.manager, threading.Event())
        elif holds == "nothing":  # without a gate it cannot
            assert self.manager.store.gate is not None
            self.manager.store.gate.close()
            self.manager.store.gate = None
        self.clients = [EmulatedBackend(self.manager.shared(), user="tester") for _ in range(2)]
        self.handles: list[dict[str, Any]] = [{}, {}]
        for name in _QUEUES:
            values: dict[str, int | str] = {"MAXDEPTH": 12}
            if name == "FIFO":
                values["MSGDLVSQ"] = "FIFO"
            self.clients[0].define("QLOCAL", name, values)
        for client, handles in zip(self.clients, self.handles, strict=True):
            handles |= {name: client.open(name, _ALL) for name in _QUEUES}
        self.count = 0

    def close(self) -> None:
        for client in self.clients:
            client.disconnect()
        stop_buffering(self.manager)
        self.manager.close()

    def do(self, call: tuple[Any, ...]) -> object:
        """Make one call; what it answers, or its reason code."""
        try:
            return self._do(*call)
        except MQIError as error:
            return error.reason

    def _do(self, verb: str, *arguments: Any) -> object:
        match verb, arguments:
            case "put", (client, queue, fields, syncpoint):
                self.count += 1
                body = b"%d" % self.count
                options = cmqc.MQPMO_SYNCPOINT if syncpoint else 0
                md = self.handles[client][queue].put(MQMD(**fields), body, options)
                return (md.priority, md.persistence, md.put_time)
            case "get", (client, queue, correl_id, syncpoint):
                options = cmqc.MQGMO_SYNCPOINT if syncpoint else 0
                return _told(self.handles[client][queue].get(options, Match(correl_id=correl_id)))
            case "lock", (client, queue, first):
                step = cmqc.MQGMO_BROWSE_FIRST if first else cmqc.MQGMO_BROWSE_NEXT
                return _told(self.handles[client][queue].get(step | cmqc.MQGMO_LOCK))
            case "take", (client, queue, syncpoint):
                options = cmqc.MQGMO_MSG_UNDER_CURSOR | (cmqc.MQGMO_SYNCPOINT if syncpoint else 0)
                return _told(self.handles[client][queue].get(options))
            case "unlock", (client, queue):
                unlock(self.handles[client][queue])
            case "browse", (client, queue):
                return _told(self.handles[client][queue].get(cmqc.MQGMO_BROWSE_NEXT))
            case "commit", (client,):
                self.clients[client].commit()
            case "back out", (client,):
                self.clients[client].backout()
            case "status", (queue,):
                return self.clients[0].status(queue)
            case "advance", (tenths,):
                lifecycle.advance(self.manager, tenths * 100_000)
            case "write down", ():
                if self.manager.write_behind is not None:
                    self.manager.write_behind.end()
            case "shut", (queue, way):
                self.clients[0].alter("QLOCAL", queue, {way: "DISABLED"})
            case "open", (queue,):
                self.clients[0].alter("QLOCAL", queue, {"PUT": "ENABLED", "GET": "ENABLED"})
        return None

    def remaining(self) -> object:
        """All that the file holds in the end, but for identifiers."""
        self.manager.refresh()
        execute = self.manager.store.execute
        messages = execute(
            "SELECT position, correl_id, put_us, expires_us, backouts, length, persistent, unit,"
            " unit_act, locked_by, data FROM message JOIN body USING (position) ORDER BY position"
        ).fetchall()
        return messages, execute("SELECT * FROM counter ORDER BY queue").fetchall()


def _told(message: Any) -> object:
    md = message.md
    return (
        message.body, message.token, md.priority, md.persistence, md.expiry_tenths, md.correl_id,
        md.backout_count, md.put_time,
    )  # fmt: skip


@contextmanager
def _sides() -> Iterator[list[_Side]]:
    with ExitStack() as stack:
        sides = []
        for holds in ("as a server does", "units of work", "nothing"):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            sides.append(_Side(folder, holds))
            stack.callback(sides[-1].close)
        yield sides


@settings(max_examples=amount(15))
@given(calls=st.lists(_call, min_size=10, max_size=80))
@pytest.mark.slow
def test_holding_back_changes_no_answer_and_nothing_that_stays(
    calls: list[tuple[Any, ...]],
) -> None:
    with _sides() as sides:
        for call in calls:
            server, units, plain = (side.do(call) for side in sides)
            assert server == units == plain, call
        server, units, plain = (side.remaining() for side in sides)
        assert server == units == plain
