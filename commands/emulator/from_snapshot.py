"""`emulator create --from-snapshot`: an emulated queue manager as another one was at a snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from mqtriage.commands.emulator.admin import state_of
from mqtriage.emulator.copy_manager import Held, make_copy, put_as_they_were
from mqtriage.emulator.remove import remove
from mqtriage.files.scratch import Sorter
from mqtriage.model.result import Document
from mqtriage.model.units import count_text
from mqtriage.mq.attributes.catalogue import platform_of
from mqtriage.mq.errors import MQTriageError, Refused, StorageError
from mqtriage.mq.names import check_queue_manager_name
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.pipeline.snapshots.schema import MESSAGES, Seen

_OWN: Final = frozenset({"QMNAME", "QMID", "QSGNAME"})
"""Attributes of the queue manager that its copy has of its own."""


def create_from_snapshot(home: Path, name: str, snapshots: Path, reference: str) -> Document:
    """Make a queue manager with the definitions and messages of a snapshot.

    Its clock stands at the time of the snapshot, so that what was delayed or going to expire then
    still is.

    Args:
        home: where emulated queue managers live.
        reference: see `reader.Index.resolve`.

    Raises:
        NotFound: No such snapshot.
        Refused: The queue manager already exists, or the snapshot contains no message data.
        StorageError: A file of the snapshot is damaged, or ours cannot be written.
    """
    check_queue_manager_name(name)
    problems = Problems()
    index = reader.Index(snapshots, problems)
    snapshot = index.resolve(reference, by_id=True)
    chain = index.chain_to(snapshot, problems)
    info = {one.snapshot_id: one for one in reader.snapshots(snapshots, Problems())}[snapshot]
    definitions = reader.definitions_at(snapshots, chain, problems)
    queue_manager: dict[str, Any] = {}
    queues: list[tuple[str, str, dict[str, Any]]] = []
    for (kind, object_name), row in definitions.items():
        attributes = json.loads(row["attributes"])
        if kind == "QMGR":
            queue_manager = attributes
        else:
            queues.append((kind, object_name, attributes))
    platform = platform_of(queue_manager.get("PLATFORM", ""))
    level = queue_manager.get("CMDLEVEL")
    own = {key: value for key, value in queue_manager.items() if key not in _OWN}
    with closing(Sorter()) as messages:
        places = _places(snapshots, chain)
        for row in reader.messages_at(snapshots, chain, problems):
            place = places[row["message_key"]].pop(0)
            messages.add(f"{place:020d}{json.dumps(row)}".encode())
        if problems:
            raise StorageError(
                f"snapshot {snapshot}: some of its files cannot be read",
                hint="mqtriage snapshot ls shows which",
            )
        manager = make_copy(
            home, name, platform, level if isinstance(level, int) else 940, own, queues,
            at_us=info.time_us,
        )  # fmt: skip
        try:
            count = put_as_they_were(manager, _held(messages, snapshot))
        except MQTriageError:
            manager.close()
            remove(home, name)  # half a queue manager is worth nothing
            raise
        manager.close()
    document = state_of(home, name)
    document.data |= {"snapshot": snapshot, "message_count": count, "queue_count": len(queues)}
    document.warnings.append(
        f"{count_text(count)} on {count_text(len(queues), 'queue')}; the clock is at the"
        " snapshot: emulator clock +1h moves it"
    )
    return document


def _places(snapshots: Path, chain: reader.SnapshotChain) -> dict[str, list[int]]:
    """The place of each message on its queue at the last snapshot of *chain*, by message_key.

    A row has the place at its own snapshot: what has none in a later one stands around those that
    have, in the order that it had.
    """
    places: dict[str, list[int]] = {}
    with closing(Sorter()) as sorter:
        for _, row in reader.rows(snapshots, MESSAGES.name, Problems(), chain.holds):
            at = chain.order.get(row["snapshot_id"])
            if at is not None:
                rank = f"{row['queue']}\0{at:08x}{row['position'] or 0:016x}{row['message_key']}"
                sorter.add(f"{rank}{'' if row['seen'] == Seen.GONE else '+'}".encode())
        items = (item.decode().partition("\0") for item in sorter)
        for _, of_queue in groupby(items, key=itemgetter(0)):
            order: list[str] = []
            for _, of_look in groupby((item[2] for item in of_queue), key=itemgetter(slice(8))):
                rows = [(int(item[8:24], 16), item[24:56], item[56:]) for item in of_look]
                met = {key for _, key, _ in rows}
                order = [key for key in order if key not in met]
                for position, key, is_there in rows:
                    if is_there:
                        order.insert(position - 1, key)
            for place, key in enumerate(order):
                places.setdefault(key, []).append(place)
    return places


def _held(rows: Iterator[bytes] | Sorter, snapshot: str) -> Iterator[Held]:
    for item in rows:
        row = json.loads(item[20:])
        message = reader.message_of(row)
        if message is None:
            raise Refused(
                f"snapshot {snapshot} contains no message data",
                hint="mqtriage snapshot take --body full keeps it",
            )
        yield Held(row["queue"], message, row["expiry_time"])
