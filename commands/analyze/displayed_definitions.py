"""What runmqsc printed for DISPLAY as input of `analyze definitions`: queues and queue managers.

A session says what it shows and nothing of the rest; it has no time, so that of the file is used.
Only objects with all attributes are read: what was not asked for is not what MQ has by default.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mqtriage.commands.analyze.configuration_dumps import DumpedObjects
from mqtriage.files.compressed import opened
from mqtriage.messages.stored_messages import COPY, Begun
from mqtriage.mq.errors import StorageError
from mqtriage.mq.mqsc.output import MqscOutput, displayed_object, read_output
from mqtriage.mq.mqsc.parse import decode_script
from mqtriage.mq.times import rfc3339

_HEAD_BYTES: Final = 65_536
_TITLE: Final = re.compile(r"^\s*AMQ840[89][A-Z]?: Display Queue (?:Manager )?details", re.M)
_OF_ALL: Final = {"QMGR": "DEADQ", "QREMOTE": "RNAME", "QALIAS": "TARGET"}
"""Kinds to an attribute that is there where all are; of the others it is BOTHRESH."""


def head_of(path: Path) -> Begun | None:
    """Whose objects are shown, "" where no banner says it; None for what shows no queues."""
    try:
        with opened(path) as file:
            head = decode_script(file.read(_HEAD_BYTES))
        at = rfc3339(os.stat(path).st_mtime_ns // 1000)
    except (OSError, StorageError):
        return None
    if _TITLE.search(head) is None:
        return None
    return Begun(COPY, queue_manager=_name(read_output(head)), at=at)


def objects_of(path: Path) -> DumpedObjects:
    """The objects, as they were shown last; those without all attributes count as unreadable."""
    try:
        with opened(path) as file:
            output = read_output(decode_script(file.read()))
    except (OSError, StorageError) as error:
        raise StorageError(f"{path}: {error}") from error
    shown = [one for record in output.records if (one := displayed_object(record)) is not None]
    whole = [one for one in shown if _OF_ALL.get(one.kind, "BOTHRESH") in one.attributes]
    objects = {(one.kind, one.name): one.attributes for one in whole}
    rows: list[tuple[str, str, Mapping[str, Any]]] = [
        (kind, name, attributes) for (kind, name), attributes in objects.items()
    ]
    return DumpedObjects(rows, is_whole=False, unreadable=len(shown) - len(whole))


def _name(output: MqscOutput) -> str:
    names = (record.get("QMNAME") for record in output.records)
    return output.queue_manager or next((name for name in names if name), "")
