"""Making a queue manager: its file, and the objects that come with one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from mqtriage.emulator.core import clock
from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.file.store import Store
from mqtriage.emulator.core.queues import AUTHORITY_QUEUE
from mqtriage.emulator.core.switches import from_environment
from mqtriage.emulator.core.system_topics import (
    DURABLE_MODEL,
    NON_DURABLE_MODEL,
    create_system_topics,
)
from mqtriage.emulator.core.tables import queues, state
from mqtriage.files.durable import put_in_place
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.catalogue import defaults
from mqtriage.mq.attributes.levels import level_of
from mqtriage.mq.delay import DIST_STAGING, STAGING_QUEUE
from mqtriage.mq.errors import MQTriageError, Refused, UsageError
from mqtriage.mq.names import CHANNEL_INITQ, COMMAND_QUEUE, DEAD_LETTER_QUEUE, ZOS_COMMAND_QUEUE

_SYSTEM_LOCALS: Final = (
    "SYSTEM.DEFAULT.LOCAL.QUEUE",
    DEAD_LETTER_QUEUE,
    "SYSTEM.ADMIN.CHANNEL.EVENT",
    "SYSTEM.ADMIN.COMMAND.EVENT",
    "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.ADMIN.PUBSUB.EVENT",
    "SYSTEM.ADMIN.QMGR.EVENT",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE",
    CHANNEL_INITQ,
    "SYSTEM.CHANNEL.SYNCQ",
    "SYSTEM.CHLAUTH.DATA.QUEUE",
    "SYSTEM.CLUSTER.COMMAND.QUEUE",
    "SYSTEM.CLUSTER.HISTORY.QUEUE",
    "SYSTEM.CLUSTER.REPOSITORY.QUEUE",
    "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
    "SYSTEM.HIERARCHY.STATE",
    "SYSTEM.INTER.QMGR.CONTROL",
    "SYSTEM.INTER.QMGR.FANREQ",
    "SYSTEM.INTER.QMGR.PUBS",
    "SYSTEM.RETAINED.PUB.QUEUE",
    "SYSTEM.SELECTION.EVALUATION.QUEUE",
    "SYSTEM.SELECTION.VALIDATION.QUEUE",
)
"""Not the two queues of Advanced Message Security, which is not emulated: clients that ask for its
policies with every queue that they open are told 2085 and ask no further."""
_DIST_LOCALS: Final = (
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
    "SYSTEM.ADMIN.LOGGER.EVENT",
    "SYSTEM.ADMIN.STATISTICS.QUEUE",
    "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE",
    "SYSTEM.AMQP.COMMAND.QUEUE",
    "SYSTEM.BROKER.ADMIN.STREAM",
    "SYSTEM.BROKER.CONTROL.QUEUE",
    "SYSTEM.BROKER.DEFAULT.STREAM",
    "SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS",
    "SYSTEM.CICS.INITIATION.QUEUE",
    "SYSTEM.DEFAULT.INITIATION.QUEUE",
    "SYSTEM.DOTNET.XARECOVERY.QUEUE",
    "SYSTEM.INTERNAL.REPLY.QUEUE",
    "SYSTEM.PENDING.DATA.QUEUE",
    "SYSTEM.REST.REPLY.QUEUE",
)
_DIST_MODELS: Final = (
    "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE",
    "SYSTEM.MQEXPLORER.REPLY.MODEL",
    "SYSTEM.MQSC.REPLY.QUEUE",
)
_TO_CLUSTERS: Final = ("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE")
_EVENTS_KEPT: Final = 3000
"""MAXDEPTH of the event queues."""
_DESCRIPTIONS: Final = {
    DEAD_LETTER_QUEUE: "IBM MQ Default Dead-Letter Queue",
    "SYSTEM.ADMIN.CHANNEL.EVENT": "IBM MQ Channel Event Queue",
    "SYSTEM.ADMIN.COMMAND.EVENT": "IBM MQ Command Event Queue",
    "SYSTEM.ADMIN.CONFIG.EVENT": "IBM MQ Configuration Event Queue",
    "SYSTEM.ADMIN.LOGGER.EVENT": "IBM MQ Logger Event Queue",
    "SYSTEM.ADMIN.PERFM.EVENT": "IBM MQ Performance Event Queue",
    "SYSTEM.ADMIN.PUBSUB.EVENT": "IBM MQ Publish/Subscribe Event Queue",
    "SYSTEM.ADMIN.QMGR.EVENT": "IBM MQ Queue Manager Event Queue",
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE": "IBM MQ Accounting Queue",
    "SYSTEM.ADMIN.STATISTICS.QUEUE": "IBM MQ Statistics Queue",
    COMMAND_QUEUE: "IBM MQ Administration Command Queue",
    ZOS_COMMAND_QUEUE: "IBM MQ Command Server Input Queue",
    AUTHORITY_QUEUE: "IBM MQ Authority Data Queue",
}
"""DESCR of the queues that come with a queue manager: general knowledge, in IBM's wording."""


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
        Refused: It exists already.
        StorageError: If the file cannot be made.
    """
    path = home.qmgr_path(folder, name)
    if path.exists():
        raise Refused(
            f"queue manager {name} exists already",
            hint=f"mqtriage emulator rm {name}, or choose another name",
        )
    home.private_folder(path.parent)
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
    }
    identity = state.Identity(name, platform, version, now, now // 1000 & 0xFFFFFFFF)
    switches = from_environment({}, os.environ)
    state.insert(store, identity, now if frozen else None, attributes, switches)
    more = [COMMAND_QUEUE, STAGING_QUEUE, *_DIST_LOCALS]
    if platform == "zos":
        more = [ZOS_COMMAND_QUEUE]
    for queue in (*_SYSTEM_LOCALS, AUTHORITY_QUEUE, *more):
        insert_queue(store, queue, "QLOCAL", defaults("QLOCAL", platform) | _special(queue), now)
    for kind in ("ALIAS", "REMOTE", "MODEL"):
        insert_queue(
            store, f"SYSTEM.DEFAULT.{kind}.QUEUE", f"Q{kind}", defaults(f"Q{kind}", platform), now
        )
    create_system_topics(store, platform, now)
    for model in (DURABLE_MODEL, NON_DURABLE_MODEL):
        attributes = defaults("QMODEL", platform) | {"DEFTYPE": "PERMDYN", "SHARE": "YES"}
        insert_queue(store, model, "QMODEL", attributes, now)
    for model in _DIST_MODELS if platform == "dist" else ():
        insert_queue(store, model, "QMODEL", defaults("QMODEL", platform) | _special(model), now)


def _special(queue: str) -> dict[str, int | str]:
    """Attributes of a queue that comes with a queue manager which others have not."""
    special: dict[str, int | str] = {"DESCR": _DESCRIPTIONS.get(queue, "")}
    if queue == STAGING_QUEUE:
        special |= DIST_STAGING
    if queue in _TO_CLUSTERS:
        special |= {"USAGE": "XMITQ", "MAXDEPTH": 999_999_999}
    if queue.startswith("SYSTEM.ADMIN.") and queue.endswith(".EVENT"):
        special |= {"MAXDEPTH": _EVENTS_KEPT}
    return special


def insert_queue(
    store: Store, name: str, kind: str, attributes: Mapping[str, int | str], now_us: int
) -> None:
    """Write a new definition, with the dates of its making."""
    date, time = date_and_time(now_us)
    full = dict(attributes) | {"ALTDATE": date, "ALTTIME": time}
    if kind == "QLOCAL":
        full |= {"CRDATE": date, "CRTIME": time}
    queues.insert(store, name, kind, full)


def command_level(version: str) -> int:
    """CMDLEVEL of a version: 940 for "9.4", 800 for "8.0"; "9.4.1.0" is 941.

    Raises:
        UsageError: If it is not a version from 7.0 on.
    """
    level = level_of(version)
    if level is None:
        raise UsageError(f"--mq-version {version}: expected numbers such as 9.4 or 9.3.0.25")
    if level < 700:
        raise UsageError(f"--mq-version {version}: the emulator knows 7.0 and later")
    return level
