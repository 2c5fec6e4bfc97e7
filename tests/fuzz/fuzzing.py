"""Damaged examples of an input, and what was found by them before: a row of a file each."""

from __future__ import annotations

import base64
import re
import signal
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final, NoReturn

from mqtriage.mq.errors import MQTriageError
from tests.fuzz.inputs import Input

KEPT: Final = Path(__file__).with_name("failures.tsv")
"""Inputs that broke something once: name, what it was, zlib in base 64."""
HANGS_S: Final = 10
_SMALLER_TRIES: Final = 300
_PIECE: Final = re.compile(rb"\w+|\s+|.", re.DOTALL)
_NUMBERS: Final = (
    b"0", b"-1", b"1e9", b"99999999999999999999", b"2147483648", b"NaN", b"null", b"[[]]",
)  # fmt: skip
_BYTES: Final = (
    b"\0", b"\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\n", b"\r\n",
    b"'", b'"', b"(", b")", b"[" * 500, b"{" * 500, b"<a>", b"&x;", b"\\", b"*", b"%",
    b"\xed\xa0\x80", b"\xef\xbb\xbf",
)  # fmt: skip


class _Hangs(Exception):
    pass


def damaged(chance: Random, examples: Sequence[bytes]) -> bytes:
    """One of the examples with bytes, numbers or words of it changed, cut, doubled or put in."""
    data = bytearray(chance.choice(examples))
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(7)
        if how == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            del data[at : at + chance.choice((1, 4, 40, 100_000))]
        elif how == 2:
            data[at:at] = chance.choice(_BYTES)
        elif how == 3:
            data[at : at + 4] = chance.choice(_BYTES)
        elif how == 4:
            other = chance.choice(examples)
            start = chance.randrange(len(other) + 1)
            data[at:at] = other[start : start + chance.choice((1, 8, 200))]
        else:
            _swapped(chance, data, at)
    return bytes(data)


def _swapped(chance: Random, data: bytearray, at: int) -> None:
    """A word or number becomes another one of the same text, or a number that is too great."""
    old = _PIECE.search(data, at)
    new = _PIECE.search(data, chance.randrange(len(data) + 1))
    if old is not None:
        data[old.start() : old.end()] = (
            new[0] if new and chance.random() < 0.6 else chance.choice(_NUMBERS)
        )


def fault(kind: Input, data: bytes) -> str:
    """What it breaks; "" where it is read or refused."""
    try:
        with _hurried(), warnings.catch_warnings(action="error"):
            kind.read(data)
    except MQTriageError:
        return ""
    except (Exception, RecursionError) as error:
        return f"{type(error).__name__}: {error}"[:200]
    return ""


@contextmanager
def _hurried() -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Hangs(f"takes more than {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(HANGS_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def smaller(kind: Input, data: bytes, what: str) -> bytes:
    """Less of it that breaks in the same way."""
    tries, size = 0, len(data) // 2
    name = what.partition(":")[0]
    while size and tries < _SMALLER_TRIES:
        for at in range(0, len(data), size):
            less = data[:at] + data[at + size :]
            tries += 1
            if fault(kind, less).startswith(name):
                data = less
                break
        else:
            size //= 2
    return data


def keep(name: str, kind: Input, data: bytes, what: str) -> str:
    """Write it to the rows that every run of the tests tries again; returns its row."""
    data = smaller(kind, data, what)
    packed = base64.b64encode(zlib.compress(data, 9)).decode()
    row = f"{name}\t{' '.join(what.split())}\t{packed}"
    with KEPT.open("a", encoding="utf-8") as rows:
        rows.write(row + "\n")
    return row


def kept() -> Iterator[tuple[str, str, bytes]]:
    """Name of the input, what it broke, and the data."""
    for row in KEPT.read_text("utf-8").splitlines():
        if row and not row.startswith("#"):
            name, what, packed = row.split("\t")
            yield name, what, zlib.decompress(base64.b64decode(packed))
