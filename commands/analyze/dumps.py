"""Dumps of dmpmqmsg (qload) as input of `analyze`: what their first lines say, and their messages.

A dump does not say whether its messages left their queue: they are taken for a copy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from mqtriage.files.compressed import opened
from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.stored_messages import COPY, Begun, Edits, Numbered
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import StorageError
from mqtriage.mq.times import rfc3339

_HEAD_BYTES: Final = 2048
_FACT: Final = re.compile(r"^\*\s*(Qmgr|Queue)\s*=\s*(\S+)\s*$", re.M | re.I)
_CREATED: Final = re.compile(r"Created:\s*(\w+ +\w+ +\d+ +[\d:]+ +\d{4})")


def head_of(path: Path) -> Begun | None:
    """What the lines before the first message say; None when the file is no dump of dmpmqmsg.

    The time is that of Created, a local time that is taken for UTC, or else that of the file.
    """
    try:
        with opened(path) as file:
            head = file.read(_HEAD_BYTES)
        modified_us = os.stat(path).st_mtime_ns // 1000
    except (OSError, StorageError):
        return None
    if not dumpfile.begins(head):
        return None
    text = head.decode("utf-8", "replace")
    facts = {name.lower(): value for name, value in _FACT.findall(text)}
    at = rfc3339(modified_us)
    created = _CREATED.search(text)
    if created is not None:
        with suppress(ValueError):
            moment = datetime.strptime(created[1], "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
            at = rfc3339(int(moment.timestamp()) * 1_000_000)
    return Begun(COPY, facts.get("queue", ""), facts.get("qmgr", ""), at)


def messages(path: Path, left_out: LeftOut) -> Iterator[Numbered]:
    """The messages of a dump; what is damaged or edited is in *left_out*."""
    edits = Edits()
    try:
        with opened(path) as file:
            for number, entry in enumerate(dumpfile.read(file), start=1):
                if isinstance(entry, Damaged):
                    left_out.damaged += 1
                    left_out.first_damage = left_out.first_damage or (
                        f"line {entry.line}: {entry.text}"
                    )
                else:
                    edits.see(entry)
                    yield Numbered(entry, number)
        left_out.not_whole += edits.notes()
    except (OSError, StorageError) as error:
        raise StorageError(f"{path}: {error}") from error
