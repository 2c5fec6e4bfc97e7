"""What a reader of message dumps yields: a whole message, or what is wrong with one."""

from __future__ import annotations

from typing import TypeAlias

from mqtriage.mq.descriptor import MQMD
from mqtriage.records import NamedTuple


class Entry(NamedTuple):
    """One whole message.

    Attributes:
        text_lines: T lines gave some of the data, so it is not byte-exact.
        noted_bytes: the length that its comment gives, where the data has another; else None.
    """

    line: int
    md: MQMD
    body: bytes
    text_lines: bool = False
    noted_bytes: int | None = None


class Damaged(NamedTuple):
    """A message that cannot be read whole, or a file that holds none."""

    line: int
    text: str
    body: bytes = b""


EntryOrDamage: TypeAlias = Entry | Damaged


def text_of(data: bytes) -> str:
    """Characters of a descriptor: UTF-8, which ASCII is, else one character a byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
