"""Random histories over two processes, held against an independent model after every step.

Shown: no message is lost or doubled except where a statement says so, no delayed message is seen
early, and depth always equals what the statements count.
"""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError, NoMessageAvailable
from tests.property.queue_model import DEAD, STAGING, Model
from tests.support.scale import amount

QUEUES = ("Q1", "Q2")
HISTORIES = amount(10, all=2000)
STEPS = 100
AT_LEAST = 40 * HISTORIES
"""Of 100 steps each, some are cut short."""
_ALL = cmqc.MQOO_BROWSE | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT


class Program:
    """One connection to the queue manager, and what a test asks of it."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._connected = False
        self.connect()

    def connect(self) -> None:
        if self._connected:
            self.mq.disconnect()
        self._connected = True
        self.mq: EmulatedBackend = EmulatedBackend(
            open_manager(self.path), user="tester", application="history"
        )
        self.handles = {name: self.mq.open(name, _ALL) for name in (*QUEUES, DEAD)}

    def put(
        self, queue: str, body: bytes, priority: int, persistent: bool, expiry: int, sync: bool
    ) -> int:
        md = MQMD(priority=priority, persistence=int(persistent), expiry_tenths=expiry)
        return _reason(
            lambda: self.handles[queue].put(md, body, cmqc.MQPMO_SYNCPOINT if sync else 0)
        )

    def send(
        self, queue: str, body: bytes, delay_ms: int, persistent: bool, expiry: int, sync: bool
    ) -> int:
        md = MQMD(priority=0, persistence=int(persistent), expiry_tenths=expiry)
        options = cmqc.MQPMO_SYNCPOINT if sync else 0
        return _reason(lambda: self.mq.put_delayed(queue, md, body, delay_ms, options))

    def get(self, queue: str, sync: bool) -> tuple[bytes, int] | None:
        try:
            message = self.handles[queue].get(cmqc.MQGMO_SYNCPOINT if sync else 0)
        except NoMessageAvailable:
            return None
        return message.body, message.md.backout_count

    def browse(self, queue: str) -> list[tuple[bytes, int]]:
        return [(m.body, m.md.backout_count) for m in self.handles[queue].browse()]

    def commit(self) -> None:
        self.mq.commit()

    def backout(self) -> None:
        self.mq.backout()

    def leave(self) -> None:
        self.mq.disconnect()


def _reason(call: Any) -> int:
    try:
        call()
    except MQIError as error:
        return error.reason
    return 0


def _serve(path: str, pipe: Pipe) -> None:
    """The second process: does what comes through the pipe."""
    program = Program(path)
    pipe.send("ready")
    while True:
        verb, arguments = pipe.recv()
        result = getattr(program, verb)(*arguments)
        pipe.send(result)
        if verb == "leave":
            return


class Elsewhere:
    """The same program in a process of its own."""

    def __init__(self, path: str) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(path, theirs), daemon=True)
        self.process.start()
        assert self.pipe.recv() == "ready"

    def call(self, verb: str, *arguments: Any) -> Any:
        self.pipe.send((verb, arguments))
        assert self.pipe.poll(120), f"{verb} hangs"
        return self.pipe.recv()

    def end(self) -> None:
        self.call("leave")
        self.process.join(60)
        self.pipe.close()


class Here:
    """The program in this process."""

    def __init__(self, path: str) -> None:
        self.program = Program(path)

    def call(self, verb: str, *arguments: Any) -> Any:
        return getattr(self.program, verb)(*arguments)

    def end(self) -> None:
        self.program.leave()


_who = st.sampled_from((0, 1))
_queue = st.sampled_from(QUEUES)
_expiry = st.sampled_from((-1, -1, -1, 5, 30))
_span = st.integers(1, 80)


class Histories(RuleBasedStateMachine):
    """Two programs, an administrator and the clock."""

    steps = 0
    """Steps of all histories together."""

    def __init__(self) -> None:
        super().__init__()
        self.programs: list[Here | Elsewhere] = []
        self.folder = Path(tempfile.mkdtemp())
        self.bodies = 0

    @initialize()
    def begin(self) -> None:
        path = create(self.folder, "QM1", frozen=True)
        self.admin = EmulatedBackend(open_manager(path))
        lifecycle.switch(self.admin.manager, "expirer_interval_s", "off")
        for name in (*QUEUES, DEAD):
            self.admin.define("QLOCAL", name, {"MAXDEPTH": 1000})
        self.admin.alter("QMGR", "", {"DEADQ": DEAD})
        self.programs = [Here(str(path)), Elsewhere(str(path))]
        self.model = Model(self.admin.now_us())
        for name in (*QUEUES, DEAD, STAGING):
            self.model.max_depth[name] = 1000
            self.model.put_enabled[name] = True

    def teardown(self) -> None:
        for program in self.programs:
            program.end()
        if self.programs:
            self.admin.disconnect()
        shutil.rmtree(self.folder)

    def _body(self) -> bytes:
        self.bodies += 1
        return b"<%d>" % self.bodies

    def _expires(self, expiry: int) -> int | None:
        return None if expiry < 0 else self.model.now_us + expiry * 100_000

    @rule(who=_who, queue=_queue, priority=st.integers(0, 9), persistent=st.booleans(),
          expiry=_expiry, sync=st.booleans())  # fmt: skip
    def put(
        self, who: int, queue: str, priority: int, persistent: bool, expiry: int, sync: bool
    ) -> None:
        body = self._body()
        reason = self.programs[who].call("put", queue, body, priority, persistent, expiry, sync)
        taken = self.model.put(
            who, queue, body, priority, persistent, self._expires(expiry), syncpoint=sync
        )
        assert (reason == 0) is taken, reason

    @rule(who=_who, queue=_queue, delay=_span, persistent=st.booleans(),
          expiry=st.sampled_from((-1, -1, 80, 100)), sync=st.booleans())  # fmt: skip
    def send(
        self, who: int, queue: str, delay: int, persistent: bool, expiry: int, sync: bool
    ) -> None:
        body = self._body()
        reason = self.programs[who].call("send", queue, body, delay * 100, persistent, expiry, sync)
        taken = self.model.send(
            who, queue, body, delay * 100_000, persistent, self._expires(expiry), syncpoint=sync
        )
        assert (reason == 0) is taken, reason

    @rule(who=_who, queue=st.sampled_from((*QUEUES, DEAD)), sync=st.booleans())
    def get(self, who: int, queue: str, sync: bool) -> None:
        received = self.programs[who].call("get", queue, sync)
        expected = self.model.get(who, queue, syncpoint=sync)
        if expected is None:
            assert received is None
            return
        assert received is not None
        assert (_plain(queue, received[0]), received[1]) == (expected.body, expected.backouts)

    @rule(who=_who, queue=st.sampled_from((*QUEUES, DEAD)))
    def browse(self, who: int, queue: str) -> None:
        browsed = self.programs[who].call("browse", queue)
        expected = self.model.browse(who, queue)
        assert [(_plain(queue, b), n) for b, n in browsed] == [
            (e.body, e.backouts) for e in expected
        ]

    @rule(who=_who)
    def commit(self, who: int) -> None:
        self.programs[who].call("commit")
        self.model.commit(who)

    @rule(who=_who)
    def backout(self, who: int) -> None:
        self.programs[who].call("backout")
        self.model.back_out(who)

    @rule(span=_span)
    def advance(self, span: int) -> None:
        lifecycle.advance(self.admin.manager, span * 100_000)
        self.model.advance(span * 100_000)

    @rule(queue=st.sampled_from((*QUEUES, DEAD)), depth=st.sampled_from((0, 3, 1000)))
    def alter_maxdepth(self, queue: str, depth: int) -> None:
        self.admin.alter("QLOCAL", queue, {"MAXDEPTH": depth})
        self.model.max_depth[queue] = depth

    @rule(queue=_queue, enabled=st.booleans())
    def alter_put(self, queue: str, enabled: bool) -> None:
        self.admin.alter("QLOCAL", queue, {"PUT": "ENABLED" if enabled else "DISABLED"})
        self.model.put_enabled[queue] = enabled

    @rule(enabled=st.booleans())
    def alter_processor(self, enabled: bool) -> None:
        self.admin.alter("QLOCAL", STAGING, {"GET": "ENABLED" if enabled else "DISABLED"})
        self.model.processor_on = enabled
        self.model.resumed_us = self.model.now_us
        self.model.run_processor()

    @rule()
    def restart(self) -> None:
        lifecycle.stop(self.admin.manager)
        lifecycle.start(self.admin.manager)
        self.admin.disconnect()
        self.admin = EmulatedBackend(open_manager(self.admin.manager.path))
        for program in self.programs:
            program.call("connect")
        self.model.restart()

    @invariant()
    def depths_agree(self) -> None:
        if self.programs:
            Histories.steps += 1
            for name in (*QUEUES, DEAD, STAGING):
                assert self.admin.status(name).curdepth == self.model.depth(name), name

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        """What the file holds is what the model holds: every body once, in the same place."""
        if not self.programs:
            return
        names = {queue.id: name for name, queue in self.admin.manager.queues.items()}
        rows = self.admin.manager.store.execute("SELECT position >> 44, data FROM body").fetchall()
        held = sorted((names[queue], _ends(data)) for queue, data in rows)
        assert held == sorted((e.where, e.body) for e in self.model.messages)


def _plain(queue: str, body: bytes) -> bytes:
    """The message data as it was sent: without the dead-letter header."""
    return body[cmqc.MQDLH_CURRENT_LENGTH :] if queue == DEAD else body


def _ends(data: bytes) -> bytes:
    """The body as it was sent, whatever header stands in front of it."""
    return data[data.rindex(b"<") :]


@pytest.mark.slow
def test_histories_agree_with_the_model() -> None:
    Histories.steps = 0
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Histories.steps >= AT_LEAST
