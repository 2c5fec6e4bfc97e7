"""A list of records that stays small in memory: all but the first live in a file without a name.

A plan of a million messages, and what became of each, must not need a gigabyte. Where the file
cannot be written they stay in memory: an act does not end for want of room in TMPDIR.
"""

from __future__ import annotations

import marshal
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import IO, Any, Final, Generic, TypeVar, overload

from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome

T = TypeVar("T")

_IN_MEMORY_BYTES: Final = 1 << 16
_BLOCK: Final = 256


class Spool(Sequence[T], Generic[T]):
    """Records in the order they were added; they can be read again, by number too, not changed.

    Args:
        pack, unpack: to and from a tuple of plain values.
    """

    def __init__(
        self,
        pack: Callable[[T], tuple[Any, ...]],
        unpack: Callable[[tuple[Any, ...]], T],
        items: Iterable[T] = (),
    ) -> None:
        self._pack = pack
        self._unpack = unpack
        self._file: IO[bytes] | None = None
        self._file_bytes = 0
        self._places = array("Q")  # of each block: where it begins, its length or 0 if it is held
        self._held: dict[int, bytes] = {}
        self._held_bytes = 0
        self._tail: list[tuple[Any, ...]] = []
        self._read: tuple[int, list[tuple[Any, ...]]] = (-1, [])
        self.extend(items)

    def append(self, item: T) -> None:
        self._tail.append(self._pack(item))
        if len(self._tail) == _BLOCK:
            self._keep(marshal.dumps(self._tail))
            self._tail = []

    def _keep(self, block: bytes) -> None:
        number, size = self._blocks, len(block)
        if self._held_bytes + size > _IN_MEMORY_BYTES and self._written(block):
            self._places.extend((self._file_bytes, size))
            self._file_bytes += size
            return
        self._held[number] = block
        self._held_bytes += size
        self._places.extend((0, 0))

    def _written(self, block: bytes) -> bool:
        """Write a block behind the last one; False where it cannot be, and then it counts not."""
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115  lives as long as we
            return os.pwrite(self._file.fileno(), block, self._file_bytes) == len(block)
        except OSError:
            return False

    def extend(self, items: Iterable[T]) -> None:
        for item in items:
            self.append(item)

    def __iadd__(self, items: Iterable[T]) -> Spool[T]:
        self.extend(items)
        return self

    def __len__(self) -> int:
        return self._blocks * _BLOCK + len(self._tail)

    def __iter__(self) -> Iterator[T]:
        for number in range(self._blocks):
            yield from map(self._unpack, self._block(number))
        yield from map(self._unpack, self._tail)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        number, offset = divmod(at, _BLOCK)
        block = self._tail if number == self._blocks else self._block(number)
        return self._unpack(block[offset])

    @property
    def _blocks(self) -> int:
        return len(self._places) // 2

    def _block(self, number: int) -> list[tuple[Any, ...]]:
        if self._read[0] != number:
            start, length = self._places[2 * number : 2 * number + 2]
            if self._file is None or not length:
                data = self._held[number]
            else:
                data = os.pread(self._file.fileno(), length, start)
            self._read = (number, marshal.loads(data))
        return self._read[1]


def planned_messages(items: Iterable[PlannedMessage] = ()) -> Spool[PlannedMessage]:
    """Messages of a plan."""
    return Spool(tuple, PlannedMessage._make, items)


def outcomes(items: Iterable[ItemOutcome] = ()) -> Spool[ItemOutcome]:
    """What became of messages."""
    return Spool(
        lambda item: (item.msg_id, item.outcome.value, item.reason, item.new_msg_id),
        lambda packed: ItemOutcome(packed[0], Outcome(packed[1]), packed[2], packed[3]),
        items,
    )
