"""Time: any split of an advance gives the same dump, and nothing delayed is seen early."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import dump, lifecycle
from mqtriage.emulator.core.create import create
from mqtriage.emulator.core.tables import subscriptions as subscription_table
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.pubsub import publications
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.mq.errors import MQIError
from tests.support.scale import amount

STAGING = "SYSTEM.DDELAY.LOCAL.QUEUE"
QUEUES = ("Q1", "Q2", "DLQ", "REPLIES")
LONGEST_S = 900

_SENDS = st.tuples(
    st.just("send"),
    st.sampled_from(("Q1", "Q2", "A1")),
    st.integers(1, 200_000),
    st.one_of(st.just(-1), st.integers(1, 3000)),
    st.sampled_from(
        (0, cmqc.MQRO_EXCEPTION, cmqc.MQRO_EXCEPTION | cmqc.MQRO_DISCARD_MSG, cmqc.MQRO_EXPIRATION)
    ),
    st.sampled_from((0, 1)),
)
_ALTERS = st.one_of(
    st.tuples(
        st.just("alter"), st.sampled_from(QUEUES), st.just("MAXDEPTH"), st.sampled_from((0, 1, 99))
    ),
    st.tuples(
        st.just("alter"),
        st.sampled_from((*QUEUES, STAGING)),
        st.sampled_from(("PUT", "GET")),
        st.sampled_from(("ENABLED", "DISABLED")),
    ),
)
_PUBLICATIONS = st.one_of(
    st.tuples(
        st.just("subscribe"), st.sampled_from(("", "Q1", "Q2")), st.integers(1, LONGEST_S * 10)
    ),
    st.tuples(
        st.just("publish"), st.integers(1, 200_000), st.sampled_from((0, cmqc.MQRO_EXCEPTION))
    ),
)
_WAITS = st.tuples(st.just("wait"), st.integers(0, LONGEST_S * 1000))
HISTORIES = st.lists(st.one_of(_SENDS, _SENDS, _ALTERS, _PUBLICATIONS, _WAITS), max_size=12)


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    """The file of a fresh queue manager: copied, so that both runs have the same names and ids."""
    with tempfile.TemporaryDirectory() as folder:
        path = create(Path(folder), "QM1", frozen=True)
        mq = EmulatedBackend(open_manager(path), user="tester")
        for name in QUEUES:
            mq.define("QLOCAL", name, {})
        mq.define("QALIAS", "A1", {"TARGET": "Q2"})
        mq.alter("QMGR", "", {"DEADQ": "DLQ"})
        mq.define("TOPIC", "T", {"TOPICSTR": "t", "PMSGDLV": "ALLAVAIL"})
        mq.disconnect()
        yield path


def run(
    template: Path, history: list[tuple[Any, ...]], splits: Iterator[int]
) -> tuple[list[str], EmulatedBackend]:
    """Play a history, cutting each wait where *splits* says; what the queue manager then holds."""
    path = Path(tempfile.mkdtemp()) / template.name
    shutil.copy(template, path)
    try:
        mq = EmulatedBackend(open_manager(path), user="tester")
        for kind, *rest in (*history, ("wait", LONGEST_S * 1000)):
            if kind == "wait":
                wait(mq, rest[0] * 1000, splits)
                continue
            try:
                act(mq, kind, rest)
            except MQIError:
                continue
        held = [json.dumps(record, sort_keys=True) for record in dump.records(mq.manager)]
        mq.disconnect()
    finally:
        shutil.rmtree(path.parent)
    return held, mq


def act(mq: EmulatedBackend, kind: str, rest: list[Any]) -> None:
    if kind == "alter":
        name, keyword, value = rest
        mq.alter("QLOCAL", name, {keyword: value})
        return
    if kind == "subscribe":
        queue, expiry = rest
        own = {"DEST": queue} if queue else {"DESTCLAS": "MANAGED"}
        name = f"S{len(subscription_table.every(mq.manager.store))}"
        mq.define("SUB", name, {"TOPICSTR": "t", "EXPIRY": expiry, **own})
        return
    if kind == "publish":
        delay_ms, report = rest
        md = MQMD(format="MQSTR", persistence=1, report=report, reply_to_q="REPLIES")
        publications.send(mq.connection, "t", md, b"body", delay_ms=delay_ms)
        return
    queue, delay_ms, expiry, report, persistence = rest
    md = MQMD(
        format="MQSTR", report=report, expiry_tenths=expiry, reply_to_q="REPLIES",
        persistence=persistence,
    )  # fmt: skip
    mq.put_delayed(queue, md, b"body", delay_ms)


def wait(mq: EmulatedBackend, span_us: int, splits: Iterator[int]) -> None:
    remaining_us = span_us
    while remaining_us > 0:
        step = min(remaining_us, next(splits))
        lifecycle.advance(mq.manager, step)
        remaining_us -= step


@settings(max_examples=amount(12), suppress_health_check=list(HealthCheck))
@given(
    history=HISTORIES,
    steps=st.lists(st.integers(1_000_000, LONGEST_S * 1_000_000), min_size=1, max_size=6),
)
@example(  # one ends with the first delay, one before the retry of the second
    history=[
        ("alter", "Q1", "MAXDEPTH", 0),
        ("alter", "DLQ", "MAXDEPTH", 0),
        ("subscribe", "Q1", 10),
        ("subscribe", "Q1", 700),
        ("subscribe", "", 5),
        ("send", "Q1", 1000, -1, 0, 1),
        ("publish", 1000, cmqc.MQRO_EXCEPTION),
        ("publish", 20_000, 0),
    ],
    steps=[1_000_000, 70_000_000],
)
@example(
    history=[
        ("send", "Q1", 1000, -1, cmqc.MQRO_EXCEPTION, 1),
        ("send", "Q2", 130_000, -1, 0, 1),
        ("alter", "Q1", "MAXDEPTH", 0),
        ("alter", "DLQ", "MAXDEPTH", 0),
        ("wait", 200_000),
        ("alter", "Q1", "MAXDEPTH", 99),
    ],
    steps=[70_000_000],
)
@pytest.mark.slow
def test_any_split_of_an_advance_gives_the_same_dump(
    template: Path, history: list[tuple[Any, ...]], steps: list[int]
) -> None:
    whole, _ = run(template, history, itertools.repeat(2**62))
    cut, _ = run(template, history, itertools.cycle(steps))
    assert whole == cut


@pytest.mark.seed("DD-07", "DD-01")
@settings(max_examples=amount(12), suppress_health_check=list(HealthCheck))
@given(
    delays=st.lists(st.integers(1, 20_000), min_size=1, max_size=6),
    steps=st.lists(st.integers(1, 6000), min_size=1, max_size=10),
)
def test_no_get_returns_a_delayed_message_before_its_time(
    template: Path, delays: list[int], steps: list[int]
) -> None:
    path = Path(tempfile.mkdtemp()) / template.name
    shutil.copy(template, path)
    mq = EmulatedBackend(open_manager(path), user="tester")
    due: dict[bytes, int] = {}
    for delay_ms in delays:
        sent = mq.put_delayed("Q1", MQMD(format="MQSTR"), b"", delay_ms)
        due[sent.msg_id] = mq.now_us() + delay_ms * 1000
    queue = mq.open("Q1", 2)
    for step_ms in (*steps, 20_000):
        lifecycle.advance(mq.manager, step_ms * 1000)
        now = mq.now_us()
        while mq.status("Q1").curdepth:
            assert due.pop(queue.get().md.msg_id) <= now
        assert all(moment > now for moment in due.values())
    assert due == {}
    mq.disconnect()
    shutil.rmtree(path.parent)
