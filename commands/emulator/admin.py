"""`mqtriage emulator create|ls|start|stop|rm|advance|clock`: files and clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.emulator.admin import lifecycle
from mqtriage.emulator.core import clock
from mqtriage.emulator.core.create import create as create_file
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import counters
from mqtriage.emulator.open import open_manager
from mqtriage.emulator.remove import remove
from mqtriage.model.plan import LOST, Plan
from mqtriage.model.result import Document, Listing, Report, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text, duration_text, parse_duration_ms
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQTriageError, ObjectNotFound
from mqtriage.mq.names import check_queue_manager_name
from mqtriage.mq.times import rfc3339
from mqtriage.records import dataclass

Notice = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorState:
    """A queue manager of `emulator ls`; of one that cannot be read the problem is known."""

    name: str = column("NAME", Show.NAME, width=8)
    platform: str | None = column("PLATFORM", default=None)
    version: str | None = column("VERSION", yields=2, default=None)
    running: bool | None = column("RUNNING", Show.FLAG, default=None)
    clock: str | None = column("CLOCK", default=None)
    time: str | None = column("TIME", Show.TIME, yields=1, default=None)
    queues: int | None = column("QUEUES", Show.NUMBER, default=None)
    message_count: int | None = column("MESSAGES", Show.NUMBER, default=None)
    path: str = column("PATH", yields=3)
    problem: str | None = column("PROBLEM", wide=True, default=None)


def opened(folder: Path, name: str, notice: Notice | None = None) -> closing[Manager]:
    """The queue manager, whether it runs or not.

    Raises:
        NotFound: There is none.
        StorageError: Its file cannot be read.
    """
    path = home.existing_path(folder, check_queue_manager_name(name))
    return closing(open_manager(path, notice))


@contextmanager
def connected(folder: Path, name: str, notice: Notice | None = None) -> Iterator[EmulatedBackend]:
    """A connection to the queue manager.

    Raises:
        NotFound: There is none.
        ConnectionFailed: It is stopped (2059).
        StorageError: Its file cannot be read.
    """
    manager = open_manager(home.existing_path(folder, check_queue_manager_name(name)), notice)
    try:
        backend = EmulatedBackend(manager)
    except MQTriageError:
        manager.close()
        raise
    try:
        yield backend
    except ObjectNotFound as error:
        error.queue_manager = name
        raise
    finally:
        backend.disconnect()


def create(
    folder: Path,
    name: str,
    *,
    platform: str = "dist",
    version: str = "9.4",
    clock: str = "running",
    sample: bool = False,
    developer: bool = False,
) -> Document:
    """Make a queue manager that runs, filled with the sample where wanted.

    Args:
        developer: with the objects of IBM's developer image.

    Raises:
        UsageError: A wrong name, platform, version or clock.
        Refused: It already exists.
        StorageError: The file cannot be made.
    """
    check_queue_manager_name(name)
    create_file(
        folder,
        name,
        platform="zos" if platform == "zos" else "dist",
        version=version,
        frozen=clock == "frozen",
    )
    if sample or developer:
        from mqtriage.emulator.seeding import define_developer_objects, fill_with_samples

        try:
            with connected(folder, name) as backend:
                if sample:
                    fill_with_samples(backend.connection)
                if developer:
                    define_developer_objects(backend.connection)
        except MQTriageError:
            remove(folder, name)  # half a sample is worth nothing
            raise
    return state_of(folder, name)


def ls(folder: Path) -> Listing:
    """List the queue managers; one whose file cannot be read is a line with the problem."""
    listing = Listing("EmulatorList", columns_of(EmulatorState), (), id_key="name")
    listing.items = map(keys_of, _states(folder, listing))
    return listing


def _states(folder: Path, listing: Listing) -> Iterator[EmulatorState]:
    count = 0
    for name in home.qmgr_names(folder):
        count += 1
        try:
            with opened(folder, name) as manager:
                yield _state(manager)
        except MQTriageError as error:
            listing.warnings.append(error.text)
            path = str(home.qmgr_path(folder, name))
            yield EmulatorState(name=name, path=path, problem=error.text)
    listing.summary["queue_managers"] = count


def state_of(folder: Path, name: str) -> Document:
    """One queue manager as `ls` lists it."""
    with opened(folder, name) as manager:
        return Document("EmulatedQueueManager", keys_of(_state(manager)))


def _state(manager: Manager) -> EmulatorState:
    """What there is to say of a queue manager, without letting anything fall due."""
    state = manager.refresh()
    return EmulatorState(
        name=manager.identity.name,
        platform=manager.identity.platform,
        version=manager.identity.version,
        running=bool(state.running),
        clock=_clock(manager),
        time=rfc3339(state.now_us()),
        queues=len(manager.queues),
        message_count=counters.total_depth(manager.store),
        path=str(manager.path),
    )


def _clock(manager: Manager) -> str:
    return "running" if manager.state.frozen_us is None else "frozen"


def would_drop(folder: Path, name: str) -> dict[str, int]:
    """How many nonpersistent messages of which queues a stop would drop."""
    with opened(folder, name) as manager:
        return lifecycle.would_drop(manager)


def stop(
    folder: Path, name: str, wait: str | None = None, *, clients_reconnect: bool = False
) -> Document:
    """End a queue manager; units of work are backed out, nonpersistent messages dropped.

    Args:
        wait: how long programs are given to end by themselves, such as 30s; None for no time.
        clients_reconnect: let reconnectable clients connect again once it is started.

    Raises:
        UsageError: It is not running, or no duration.
    """
    wait_ms = 0 if wait is None else parse_duration_ms(wait, what="--wait")
    with opened(folder, name) as manager:
        connections = 0 if wait is None else lifecycle.quiesce(manager, wait_ms / 1000)
        dropped = lifecycle.stop(manager, clients_reconnect=clients_reconnect)
        document = _after(manager, "EmulatorStop", dropped=dropped)
    if connections:
        verb = "connection was" if connections == 1 else "connections were"
        document.warnings.append(f"{connections} {verb} still there after {wait}")
    return document


def start(folder: Path, name: str) -> Document:
    """Start a stopped queue manager."""
    with opened(folder, name) as manager:
        lifecycle.start(manager)
        manager.look()
        return _after(manager, "EmulatorStart")


def _after(manager: Manager, kind: str, *, dropped: int | None = None) -> Document:
    data = {"queue_manager": manager.identity.name, "running": bool(manager.state.running)}
    if dropped is not None:
        data["dropped"] = dropped
    document = Document(kind, data)
    if dropped:
        count = count_text(dropped, "nonpersistent message")
        document.warnings.append(f"{count} did not survive the stop")
    return document


def plan_rm(folder: Path, name: str) -> Plan:
    """What would be lost."""
    path = home.existing_path(folder, check_queue_manager_name(name))
    plan = Plan("delete", name, count=1, confirm=name, facts={"path": str(path)})
    try:
        with opened(folder, name) as manager:
            state = _state(manager)
            lost = {
                queue.name: depth
                for queue in manager.queues.values()
                if queue.is_local and (depth := counters.depth(manager.store, queue.id))
            }
    except MQTriageError as error:
        plan.notes.append(f"its content cannot be read: {error.text}")
    else:
        plan.facts |= {"queues": state.queues, "messages": state.message_count}
        if lost:
            plan.facts[LOST] = lost
    plan.notes.append("the file is removed with all its messages; this cannot be undone")
    return plan


def rm(folder: Path, plan: Plan) -> Report:
    """Remove the file, and look that it is gone.

    Raises:
        Refused: A program is connected.
    """
    remove(folder, plan.queue)
    if home.qmgr_path(folder, plan.queue).exists():
        raise MQTriageError(f"{plan.queue}: its file still exists")
    details = {key: value for key, value in plan.facts.items() if key != LOST}
    return Report("EmulatorReport", "delete", plan.queue, planned=1, done=1, details=details)


def advance(folder: Path, name: str, span: str, notice: Notice | None = None) -> Document:
    """Move the clock on by a duration such as 15m; what falls due on the way happens.

    Raises:
        UsageError: No duration, negative, or beyond the year 9999.
    """
    span_ms = parse_duration_ms(span, what="clock")
    with opened(folder, name, notice) as manager:
        before = manager.look()
        staged = _staged(manager)
        now = lifecycle.advance(manager, span_ms * 1000)
        data = {
            "queue_manager": name,
            "advanced": duration_text(span_ms),
            "from_time": rfc3339(before),
            "time": rfc3339(now),
            "clock": _clock(manager),
            "staged_before": staged,
            "staged_after": _staged(manager),
        }
    return Document("EmulatorAdvance", data)


def _staged(manager: Manager) -> int:
    queue = manager.queues.get(STAGING_QUEUE)
    return counters.depth(manager.store, queue.id) if queue else 0


def show_clock(folder: Path, name: str, *, freeze: bool = False, run: bool = False) -> Document:
    """Show the clock; with *freeze* stop it at the current time, with *run* start it again."""
    with opened(folder, name) as manager:
        if freeze or run:
            lifecycle.set_clock(manager, frozen=freeze)
        now = manager.look()
        return Document(
            "EmulatorClock",
            {
                "queue_manager": name,
                "clock": _clock(manager),
                "time": rfc3339(now),
                "ahead_ms": (now - clock.wall_us()) // 1000,
            },
        )
