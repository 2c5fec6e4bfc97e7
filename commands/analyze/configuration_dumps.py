"""Dumps of dmpmqcfg as input of `analyze`: what their first lines say, and the objects in them.

Of the objects it is queues and the queue manager, as in snapshots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.files.compressed import opened
from mqtriage.messages.stored_messages import COPY, Begun
from mqtriage.mq.attributes.system_objects import default_name
from mqtriage.mq.errors import StorageError
from mqtriage.mq.mqsc.dump_head import HEAD_CHARACTERS, dump_head
from mqtriage.mq.mqsc.parse import decode_script, parse
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.times import rfc3339
from mqtriage.records import NamedTuple

_GENERATED: Final = re.compile(
    r"^\*\s*Script generated on\s+([0-9-]{10})\s+at\s+(\d\d)[.:](\d\d)[.:](\d\d)", re.M
)
_SOME_OBJECTS: Final = re.compile(
    r"^\*\s*Command issued.*\s-[nt]\s*(?!\s|['\"]?(?:\*|all\b))", re.M
)
"""With -n or -t, of names or types."""
_END: Final = re.compile(r"^\*\s*Script ended on\b", re.M)


class DumpedObjects(NamedTuple):
    """What a dump says of a queue manager.

    Attributes:
        objects: kind, name and attributes of each.
        is_whole: what is not among them was not there.
        unreadable: how many commands are damaged.
    """

    objects: list[tuple[str, str, Mapping[str, Any]]]
    is_whole: bool
    unreadable: int


def head_of(path: Path) -> Begun | None:
    """What the first lines say; None when the file is no dump of dmpmqcfg.

    The time is a local one that is taken for UTC; "" for none.
    """
    try:
        with opened(path) as file:
            head = decode_script(file.read(HEAD_CHARACTERS))
    except (OSError, StorageError):
        return None
    generated = _GENERATED.search(head)
    known = dump_head(head)
    if not known.queue_manager or (generated is None and not known.is_issued):
        return None
    at = ""
    if generated is not None:
        with suppress(ValueError):
            text = "{} {}:{}:{}".format(*generated.groups())
            moment = datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            at = rfc3339(int(moment.timestamp()) * 1_000_000)
    return Begun(COPY, queue_manager=known.queue_manager, at=at)


def objects_of(path: Path) -> DumpedObjects:
    """The objects of a dump.

    A damaged command, and the last one of a dump that was broken off, leave open what is there.
    """
    try:
        with opened(path) as file:
            script = parse(decode_script(file.read()), file=path.name)
    except (OSError, StorageError) as error:
        raise StorageError(f"{path}: {error}") from error
    is_ended = _END.search(script.text) is not None
    cut = () if is_ended else script.commands[-1:]
    sound = tuple(
        item
        for item in script.items
        if not isinstance(item, Command) or (item.error is None and item not in cut)
    )
    damaged = len(script.items) - len(sound)
    builder = EstateBuilder()
    builder.run(replace(script, items=sound))
    estate = builder.estate()
    objects = [(queue.kind, queue.name, queue.attributes) for queue in estate.queues.values()]
    head = dump_head(script.text)
    own = estate.queue_manager_attributes
    if own is not None:
        platform = {"PLATFORM": head.platform} if head.platform else {}
        name = head.queue_manager or own.name
        objects.append(("QMGR", name, {**own.attributes, **platform}))
    is_of_all = own is not None and default_name("QLOCAL") in estate.queues
    is_of_all = is_of_all and _SOME_OBJECTS.search(script.text[:HEAD_CHARACTERS]) is None
    return DumpedObjects(objects, is_ended and not damaged and is_of_all, damaged)
