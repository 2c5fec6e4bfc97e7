"""`emulator lab simulate`: a month of an estate in minutes, as snapshots, and what happened.

Each queue manager is a real emulated one that lives through its plan under a frozen clock, in a
file that is thrown away afterwards; several run at once, in processes of their own. The same seed
gives the same rows.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from mqtriage import __version__
from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.commands.snapshot.take import Snapshot, TakeRequest, new_stamp
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.simulation.plan import DAY_US, SimulationPlan, plans
from mqtriage.emulator.simulation.run import Run
from mqtriage.files.durable import replace_file
from mqtriage.files.failures import storage_errors
from mqtriage.files.private import open_private, private_folder
from mqtriage.model.result import Document
from mqtriage.model.units import count_text
from mqtriage.mq.errors import MQIError, MQTriageError, Refused, UsageError
from mqtriage.mq.times import rfc3339
from mqtriage.pipeline.snapshots import known
from mqtriage.pipeline.snapshots.files import FileForm, PartitionFiles, day_of
from mqtriage.records import dataclass

SCHEMA: Final = "mqtriage-truth/1"
TRUTH: Final = "truth.json"
_WORK: Final = ".emulators"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateRequest:
    """What to simulate.

    Attributes:
        days: how long.
        rate: messages a queue manager and day.
        every_us: between two snapshots.
        start_us: when it begins, by the clock of the queue managers.
        out: a folder that is not there yet, or is empty.
        processes: queue managers that are simulated at once.
    """

    days: float
    queue_managers: int
    seed: int
    rate: int
    every_us: int
    start_us: int
    out: Path
    form: FileForm
    incremental: bool = True
    processes: int = 1


def simulate(request: SimulateRequest, say: Say) -> Document:
    """Simulate, write the snapshots and the truth beside them; returns a summary.

    Args:
        say: told of each queue manager that is done.

    Raises:
        Refused: The folder is not empty.
        StorageError: A file cannot be written.
    """
    _check_empty(request.out)
    private_folder(request.out)
    messages = max(1, round(request.rate * request.days))
    todo = plans(request.seed, request.queue_managers, request.days, messages)
    records = []
    try:
        for record in _all(request, todo):
            snapshots = count_text(record["snapshots"], "snapshot")
            say(f"{record['queue_manager']}: {count_text(record['messages'])}, {snapshots}")
            records.append(record)
    finally:
        shutil.rmtree(request.out / _WORK, ignore_errors=True)
    records.sort(key=lambda record: record["queue_manager"])
    truth = _truth(request, records)
    path = request.out / TRUTH
    with storage_errors(path):
        replace_file(path, [json.dumps(truth, indent=1).encode(), b"\n"])
    return Document(
        "Simulation",
        {
            "folder": str(request.out),
            "truth": str(request.out / TRUTH),
            "format": request.form,
            "seed": request.seed,
            "from_time": truth["from_time"],
            "to_time": truth["to_time"],
            "messages": truth["messages"],
            "snapshots": truth["snapshots"],
            "queue_managers": len(records),
            "planted": truth["planted"],
        },
    )


def _check_empty(out: Path) -> None:
    with storage_errors(f"--out {out}"), suppress(FileNotFoundError):
        if not any(out.iterdir()):
            return
        raise Refused(f"--out {out}: the folder is not empty", hint="name a new one")


def _all(request: SimulateRequest, todo: list[SimulationPlan]) -> Iterator[dict[str, Any]]:
    if request.processes == 1 or len(todo) == 1:
        for plan in todo:
            yield one(request, plan)
        return
    from functools import partial
    from multiprocessing import get_context

    # the incidents make some take longer: those are begun first
    todo = sorted(todo, key=lambda plan: plan.incidents.stuck is None)
    context = get_context("spawn")  # a fork would copy what other libraries run in threads
    # leaving the block, for whatever reason, ends the processes
    with context.Pool(min(request.processes, len(todo)), _leave_signals_to_parent) as pool:
        yield from pool.imap_unordered(partial(_one_elsewhere, request), todo)


def _leave_signals_to_parent() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one_elsewhere(request: SimulateRequest, plan: SimulationPlan) -> dict[str, Any]:
    """`one` in a process of its own; an error of the MQI does not travel as it is."""
    try:
        return one(request, plan)
    except MQIError as error:
        raise MQTriageError(f"{plan.queue_manager}: {error.text}", hint=error.hint) from None


def one(request: SimulateRequest, plan: SimulationPlan) -> dict[str, Any]:
    """Let one queue manager live through its plan; its part of the truth."""
    home = request.out / _WORK / plan.queue_manager
    path = create(home, plan.queue_manager, frozen=True, at_us=request.start_us)
    manager = open_manager(path)
    manager.store.use_as_scratch()
    try:
        with closing(_Writer(request, plan, manager)) as writer:
            run = Run(manager, plan, request.start_us)
            truth = run.live(lambda: writer.take(run.take_events()), request.every_us)
            writer.end()
    finally:
        manager.close()
        shutil.rmtree(home, ignore_errors=True)
    return truth.record()


class _Writer:
    """Takes the snapshots of one queue manager; those of a day share their files."""

    def __init__(self, request: SimulateRequest, plan: SimulationPlan, manager: Any) -> None:
        self._backend = EmulatedBackend(manager)
        self._events = request.out / f"events-{plan.queue_manager}.json"
        self._name = plan.queue_manager
        self._out = request.out
        self._request = TakeRequest(
            folder=request.out, form=request.form, incremental=request.incremental
        )
        self._before = known.nothing()
        self._files: PartitionFiles | None = None
        self._day = ""

    def take(self, events: list[dict[str, Any]]) -> None:
        """Take one snapshot, and write down what events there were since the last one."""
        if events:  # a line each, as amqsevt -o json_compact writes them
            with storage_errors(self._events):
                descriptor = open_private(self._events, os.O_WRONLY | os.O_APPEND)
                with open(descriptor, "a", encoding="utf-8") as file:
                    file.writelines(f"{json.dumps(event)}\n" for event in events)
        now_us = self._backend.now_us()
        day = day_of(now_us)
        if self._files is None or day != self._day:
            self.end()
            self._day = day
            self._files = PartitionFiles(
                self._out, self._name, day, "simulated", self._request.form, durable=False
            )
        stamp = new_stamp(now_us, self._name)
        with closing(known.Remembering()) as remembering:
            snapshot = Snapshot(
                self._backend, self._request, stamp, self._files, self._before, remembering
            )
            snapshot.write(now_us)
            self._before = remembering.recalled(snapshot.head())

    def end(self) -> None:
        """Put the files of the day in place."""
        if self._files is not None:
            self._files.publish()
            self._files = None

    def close(self) -> None:
        """Throw away what is not in place."""
        if self._files is not None:
            self._files.close()


def _truth(request: SimulateRequest, records: list[dict[str, Any]]) -> dict[str, Any]:
    planted = {
        name: next((r["queue_manager"] for r in records if r[name] is not None), None)
        for name in ("poison", "stuck_consumer", "small_staging", "wrong_delay")
    }
    return {
        "schema": SCHEMA,
        "mqtriage": __version__,
        "seed": request.seed,
        "days": request.days,
        "rate_per_day": request.rate,
        "snapshot_every_ms": request.every_us // 1000,
        "from_time": rfc3339(request.start_us),
        "to_time": rfc3339(request.start_us + int(request.days * DAY_US)),
        "messages": sum(record["messages"] for record in records),
        "snapshots": sum(record["snapshots"] for record in records),
        "planted": planted,
        "queue_managers": records,
    }


def check(request: SimulateRequest) -> None:
    """Refuse what makes no sense."""
    for name, value, least, most in (
        ("--days", request.days, 0.01, 3660),
        ("--qmgrs", request.queue_managers, 1, 99),
        ("--rate", request.rate, 1, 10_000_000),
        ("--jobs", request.processes, 1, 256),
    ):
        if not least <= value <= most:
            raise UsageError(f"{name} {value}: expected {least} to {most}")
    if request.every_us < 1_000_000:
        raise UsageError("--interval: expected 1s or more")
