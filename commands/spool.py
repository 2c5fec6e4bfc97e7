"""A list of records that stays small in memory: beyond a megabyte it lives in an unnamed file.

A plan of a million messages, and what became of each, must not need a gigabyte.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any, Final, Generic, TypeVar, overload

from mqtriage.model.plan import PlannedMessage
from mqtriage.model.result import ItemOutcome, Outcome

T = TypeVar("T")

_IN_MEMORY_BYTES: Final = 1 << 20
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
        self._file = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115  lives as long as we
        self._places: list[tuple[int, int]] = []  # start and length of each block
        self._tail: list[tuple[Any, ...]] = []
        self._read: tuple[int, list[tuple[Any, ...]]] = (-1, [])
        self.extend(items)

    def append(self, item: T) -> None:
        self._tail.append(self._pack(item))
        if len(self._tail) == _BLOCK:
            block = marshal.dumps(self._tail)
            self._places.append((self._file.seek(0, 2), len(block)))
            self._file.write(block)
            self._tail = []

    def extend(self, items: Iterable[T]) -> None:
        for item in items:
            self.append(item)

    def __iadd__(self, items: Iterable[T]) -> Spool[T]:
        self.extend(items)
        return self

    def __len__(self) -> int:
        return len(self._places) * _BLOCK + len(self._tail)

    def __iter__(self) -> Iterator[T]:
        for number in range(len(self._places)):
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
        block = self._tail if number == len(self._places) else self._block(number)
        return self._unpack(block[offset])

    def _block(self, number: int) -> list[tuple[Any, ...]]:
        if self._read[0] != number:
            start, length = self._places[number]
            self._file.seek(start)
            self._read = (number, marshal.loads(self._file.read(length)))
        return self._read[1]


def planned_messages(items: Iterable[PlannedMessage] = ()) -> Spool[PlannedMessage]:
    """Messages of a plan."""
    return Spool(tuple, PlannedMessage._make, items)


def outcomes(items: Iterable[ItemOutcome] = ()) -> Spool[ItemOutcome]:
    """What became of messages."""
    return Spool(_packed_outcome, _unpacked_outcome, items)


def _packed_outcome(item: ItemOutcome) -> tuple[Any, ...]:
    return (item.msg_id, item.outcome.value, item.reason, item.new_msg_id)


def _unpacked_outcome(packed: tuple[Any, ...]) -> ItemOutcome:
    return ItemOutcome(packed[0], Outcome(packed[1]), packed[2], packed[3])
