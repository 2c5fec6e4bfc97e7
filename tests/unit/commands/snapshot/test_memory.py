"""A snapshot's memory does not grow with the messages: what was seen before stays on disk."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.snapshot.take import TakeRequest, take
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.files import scratch
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import MQMD
from mqtriage.pipeline.snapshots import files as snapshot_files
from mqtriage.pipeline.snapshots import known as snapshot_known
from mqtriage.pipeline.snapshots.files import FileForm
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.reader import Index, messages_at, snapshots

FIRST, FEW, MANY = 100, 600, 2_400
BYTES_A_MESSAGE = 200
"""A row that is held takes more than two thousand."""


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Callable[[int], EmulatedBackend]]:
    backends: list[EmulatedBackend] = []

    def fill(count: int) -> EmulatedBackend:
        manager = open_manager(create(tmp_path / str(count), "QM1", frozen=True))
        manager.store.lasting = False
        backend = EmulatedBackend(manager)
        backends.append(backend)
        backend.define("QLOCAL", "Q1", {"MAXDEPTH": 999_999})
        handle = backend.open("Q1", cmqc.MQOO_OUTPUT)
        for number in range(count):
            handle.put(MQMD(format="MQSTR"), b"x" * 100, cmqc.MQPMO_SYNCPOINT)
            if number % 1000 == 999:
                backend.commit()
        backend.commit()
        return backend

    yield fill
    for backend in backends:
        backend.disconnect()


def peak(work: Callable[[], object]) -> int:
    """Greatest memory that Python held during *work*, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_memory_stays_flat(
    tmp_path: Path,
    filled: Callable[[int], EmulatedBackend],
    form: FileForm,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With everything that is held on purpose made small, so that few messages show growth."""
    monkeypatch.setattr(snapshot_files, "ROWS_HELD", 50)
    small = 1 << 16  # of bytes
    rows = partial(scratch.ScratchRows, bytes_held=small)
    monkeypatch.setattr(snapshot_known, "ScratchRows", rows)
    peaks: dict[int, list[int]] = {}
    for count in (FIRST, FEW, MANY):  # the first time pays for what is imported
        backend = filled(count)
        request = TakeRequest(folder=tmp_path / f"{form}{len(peaks)}", form=form)
        first = peak(lambda: take(backend, request, 1))  # noqa: B023
        second = peak(lambda: take(backend, request, 2))  # noqa: B023
        peaks[count] = [first, second]
    for few, many in zip(peaks[FEW], peaks[MANY], strict=True):
        assert (many - few) / (MANY - FEW) < BYTES_A_MESSAGE, peaks


def test_messages_at_a_snapshot_are_all_of_them(
    tmp_path: Path, filled: Callable[[int], EmulatedBackend]
) -> None:
    backend = filled(500)
    request = TakeRequest(folder=tmp_path / "s", form="ndjson", incremental=True)
    take(backend, request, 1)
    backend.put1("Q1", MQMD(format="MQSTR"), b"one more")
    take(backend, request, 2)
    problems = Problems()
    first, last = snapshots(request.folder, problems)
    for info, count in ((first, 500), (last, 501)):
        chain = Index(request.folder, problems).chain_to(info.snapshot_id, problems)
        assert sum(1 for _ in messages_at(request.folder, chain, problems)) == count
    assert len(problems) == 0
