"""Disks after a power cut: all that POSIX allows a file system to have kept of some calls.

A file has what was in it at its last sync; of each write and each change of its size since then
all, a part or nothing. A folder has the names that it had at its own last sync; of each name that
was made, changed or removed since then it may know or not. A sync of a file says nothing of its
name, and one of a folder nothing of what is in the files. A rename is one change: both names or
none; into another folder it is one of each, so that the file may be in both or lost. Changes keep
no order among each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeAlias

from tests.power_loss.recording import Call, Step

Tree: TypeAlias = dict[Path, bytes | None]
"""Files with their content, and folders with None."""

_BLOCK_BYTES = 512
"""A disk writes so many bytes whole, or not."""


@dataclass(slots=True)
class _File:
    """A file: what is on the disk of it, and what is on its way there.

    Attributes:
        is_safe: nothing of it is lost, whatever happens.
    """

    kept: bytearray
    is_safe: bool = False
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)


@dataclass(slots=True)
class _Folder:
    """A folder: the names on the disk, and the changes on their way: names to what they lead to."""

    kept: dict[str, int]
    is_safe: bool = False
    pending: list[dict[str, int | None]] = field(default_factory=list)

    def now(self) -> dict[str, int]:
        return _names(self, lambda _: True)


def _names(folder: _Folder, keeps: Callable[[int], bool]) -> dict[str, int]:
    names = dict(folder.kept)
    for at, change in enumerate(folder.pending):
        if keeps(at):
            for name, number in change.items():
                if number is None:
                    names.pop(name, None)
                else:
                    names[name] = number
    return names


Kept: TypeAlias = Callable[[int, int], float]
"""Of the change with that number of a file or folder, how much is kept: from 0.0 to 1.0."""


class Disk:
    """The disk under a folder, as calls change it.

    Args:
        safe: what is below this folder loses nothing: another machine has it.

    Attributes:
        version: of what is safe; it grows with each change there.
    """

    def __init__(self, folder: Path, safe: Path) -> None:
        self.folder = folder
        self.safe = safe
        self.version = 0
        self._items: dict[int, _File | _Folder] = {}
        self._numbers: dict[int, int] = {}
        self._root = self._read(folder)

    def _read(self, path: Path) -> int:
        if path.is_dir():
            names = {below.name: self._read(below) for below in path.iterdir()}
            return self._new(path, _Folder(names, self._is_safe(path)))
        return self._new(path, _File(bytearray(path.read_bytes()), self._is_safe(path)))

    def _is_safe(self, path: Path) -> bool:
        return path.is_relative_to(self.safe)

    def _new(self, path: Path, item: _File | _Folder, inode: int = 0) -> int:
        number = len(self._items) + 1
        self._items[number] = item
        self._numbers[inode or path.stat().st_ino] = number
        return number

    def _folder(self, path: Path) -> _Folder:
        item = self._items[self._root]
        for name in path.relative_to(self.folder).parts:
            assert isinstance(item, _Folder)
            item = self._items[item.now()[name]]
        assert isinstance(item, _Folder)
        return item

    def do(self, step: Step) -> None:
        """Take one call."""
        changed = self._done(step)
        if changed is not None and changed.is_safe:
            _sync(changed)
            self.version += 1

    def _done(self, step: Step) -> _File | _Folder | None:
        """Take one call; returns what has a change on its way since."""
        call, path, to = step.call, step.path, step.to
        if call in (Call.WRITE, Call.TRUNCATE, Call.SYNC):
            item = self._items[self._numbers[step.inode]]
            if call is Call.SYNC:
                _sync(item)
                return None
            assert isinstance(item, _File)
            item.pending.append((step.at, step.data if call is Call.WRITE else None))
            return item
        folder = self._folder(path.parent)
        if call in (Call.CREATE, Call.MKDIR):
            safe = self._is_safe(path)
            item = _File(bytearray(), safe) if call is Call.CREATE else _Folder({}, safe)
            folder.pending.append({path.name: self._new(path, item, step.inode)})
        elif call is Call.UNLINK:
            folder.pending.append({path.name: None})
        else:
            number = folder.now()[path.name]
            old: dict[str, int | None] = {path.name: None} if call is Call.RENAME else {}
            target = folder if path.parent == to.parent else self._folder(to.parent)
            if target is folder:
                folder.pending.append({**old, to.name: number})
            else:
                folder.pending.append(old)
                target.pending.append({to.name: number})
                if target.is_safe:
                    _sync(target)
        return folder

    # -- what may be left ------------------------------------------------------------------------

    def pending(self) -> list[tuple[int, int]]:
        """The files and folders of which something is on its way, and how many changes."""
        return [(number, len(item.pending)) for number, item in self._items.items() if item.pending]

    def tree(self, kept: Kept) -> Tree:
        """What a file system finds that kept so much of what was on its way."""
        tree: Tree = {}

        def walk(path: Path, number: int) -> None:
            item = self._items[number]
            if isinstance(item, _File):
                if not path.name.endswith("-shm"):  # memory that processes share, no content
                    tree[path] = bytes(_content(item, lambda change: kept(number, change)))
                return
            tree[path] = None
            for name, below in _names(item, lambda change: kept(number, change) > 0).items():
                walk(path / name, below)

        walk(Path(), self._root)
        return tree


def _sync(item: _File | _Folder) -> None:
    if isinstance(item, _File):
        item.kept = _content(item, lambda _: 1.0)
    else:
        item.kept = item.now()
    item.pending.clear()


def _content(file: _File, share: Callable[[int], float]) -> bytearray:
    """The data of a file: where a write was lost that made it longer, zeros may stand.

    That of a safe file is the one of it, changed.
    """
    content = file.kept if file.is_safe else bytearray(file.kept)
    for number, (at, data) in enumerate(file.pending):
        part = share(number)
        if data is None:
            if part:
                del content[at:]
                content.extend(bytes(at - len(content)))
            continue
        blocks = len(data) / _BLOCK_BYTES
        piece = data if part == 1.0 else data[: int(blocks * part) * _BLOCK_BYTES]
        if piece:
            content.extend(bytes(max(0, at - len(content))))
            content[at : at + len(piece)] = piece
    return content


def states(disk: Disk, random: Random, more: int) -> Iterator[Tree]:
    """Disks that a power cut may leave now: the extremes, each thing by itself, and some at random.

    Args:
        more: how many at random.
    """
    pending = disk.pending()
    yield disk.tree(lambda *_: 1.0)
    if not pending:
        return
    yield disk.tree(lambda *_: 0.0)
    for number, count in pending:
        yield disk.tree(partial(_only, number))
        yield disk.tree(partial(_all_but, number))
        yield disk.tree(partial(_torn, number, count - 1))
    for _ in range(more):
        shares = {
            (number, at): random.choice((0.0, 1.0, 1.0, random.random()))
            for number, count in pending
            for at in range(count)
        }
        yield disk.tree(partial(_as_drawn, shares))


def _only(number: int, item: int, _: int) -> float:
    return float(item == number)


def _all_but(number: int, item: int, _: int) -> float:
    return float(item != number)


def _torn(number: int, last: int, item: int, at: int) -> float:
    return 0.5 if (item, at) == (number, last) else 1.0


def _as_drawn(shares: Mapping[tuple[int, int], float], item: int, at: int) -> float:
    return shares.get((item, at), 1.0)


def cuts(steps: Iterable[Step], safe: Path) -> list[int]:
    """Where to cut: around each call of ours, and amid those of the other machine.

    Returns:
        Numbers of calls that were done before the power went.
    """
    ours = [not step.path.is_relative_to(safe) for step in steps]
    chosen = {0, len(ours)}
    begun = 0
    for number, mine in enumerate(ours):
        if mine:
            chosen |= {number, number + 1, (begun + number) // 2}
            begun = number + 1
    return sorted(chosen)


def write(tree: Tree, folder: Path) -> None:
    """Make the files of a tree in a folder that is not there."""
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir(mode=0o700, parents=True)
        else:
            descriptor = os.open(folder / path, os.O_WRONLY | os.O_CREAT, 0o600)
            with open(descriptor, "wb") as file:
                file.write(content)
