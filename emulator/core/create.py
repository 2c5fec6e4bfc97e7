"""Making a queue manager: its file, and the objects that come with one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from mqtriage.emulator.core import clock
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.switches import from_environment
from mqtriage.emulator.core.system_topics import create_system_topics
from mqtriage.emulator.core.tables import queues, state
from mqtriage.files.durable import put_in_place
from mqtriage.files.private import made_folder
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.attributes.attribute import QUEUE_KINDS, Platform
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.attributes.levels import level_of
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.errors import MQTriageError, Refused, UsageError

_OF_MESSAGE_SECURITY: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"
"""Message security is not emulated: a client that gets 2085 for its queue looks for no policies."""


def create(
    folder: Path,
    name: str,
    *,
    platform: Platform = "dist",
    version: str = "9.4",
    frozen: bool = False,
    at_us: int | None = None,
) -> Path:
    """Make a queue manager that runs, with the objects that come with one (DD-43, DD-47).

    Args:
        folder: MQTRIAGE_HOME.
        platform: "dist" or "zos".
        version: "9.4", "8.0" ...
        frozen: whether its clock stands still until it is moved.
        at_us: when it is made, by its clock; None is now.

    Raises:
        Refused: It already exists.
        StorageError: If the file cannot be made.
    """
    path = home.qmgr_path(folder, name)
    if path.exists():
        raise Refused(
            f"queue manager {name} already exists",
            hint=f"mqtriage emulator rm {shell_word(name)}, or choose another name",
        )
    made_folder(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        Store.create(partial)
        with closing(Store(partial, alone=True)) as store, store.write(durable=True):
            fill(store, name, platform, version, frozen=frozen, at_us=at_us)
        put_in_place(partial, path)
    except (OSError, MQTriageError):
        for file in (partial, *(partial.with_name(partial.name + end) for end in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        raise
    return path


def fill(
    store: Store,
    name: str,
    platform: Platform,
    version: str,
    *,
    frozen: bool,
    at_us: int | None = None,
) -> None:
    """Write what a new queue manager comes with into its empty file."""
    now = clock.wall_us() if at_us is None else at_us
    attributes = defaults("QMGR", platform) | {
        "QMNAME": name,
        "PLATFORM": "MVS" if platform == "zos" else "UNIX",
        "CMDLEVEL": command_level(version),
        "VERSION": "".join(f"{int(part):02}" for part in f"{version}.0.0".split(".")[:4]).ljust(
            8, "0"
        ),
    }
    identity = state.Identity(name, platform, version, now, now // 1000 & 0xFFFFFFFF)
    switches = from_environment({}, os.environ)
    state.insert(store, identity, now if frozen else None, attributes, switches)
    own_queues = (
        (kind, queue, defaults(kind, platform) | own)
        for kind in QUEUE_KINDS
        for queue, own in system_objects(kind, platform).items()
        if queue != _OF_MESSAGE_SECURITY
    )
    insert_queues(store, own_queues, now)
    create_system_topics(store, platform, now)


def insert_queues(
    store: Store, new: Iterable[tuple[str, str, Mapping[str, int | str]]], now_us: int
) -> None:
    """Write new definitions, kind, name and attributes of each, with the dates of their making."""
    date, time = clock.date_and_time(now_us)
    altered = {"ALTDATE": date, "ALTTIME": time}
    dates = {"QLOCAL": altered | {"CRDATE": date, "CRTIME": time}}
    queues.insert(
        store, [(kind, name, {**own, **dates.get(kind, altered)}) for kind, name, own in new]
    )


def command_level(version: str) -> int:
    """CMDLEVEL of a version: 940 for "9.4", 800 for "8.0"; "9.4.1.0" is 941."""
    level = level_of(version)
    if level is None:
        raise UsageError(f"--mq-version {version}: expected numbers such as 9.4 or 9.3.0.25")
    if level < 700:
        raise UsageError(f"--mq-version {version}: the emulator knows 7.0 and later")
    return level
