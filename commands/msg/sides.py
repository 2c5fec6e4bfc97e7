"""The two sides of `msg diff`: where each name leads, and how its messages are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands.msg.diff import Side
from mqtriage.messages.archive_outcomes import LeftOut, without_left_out
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import Numbered, Seal
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import NotFound, StorageError
from mqtriage.mq.message import Message
from mqtriage.operations.archive.files import ENDINGS, begun_of, find_archive, verify_hint
from mqtriage.operations.archive.outcomes import outcomes_of
from mqtriage.operations.archive.reading import message_of, stored_in
from mqtriage.operations.load.plan import undamaged
from mqtriage.operations.selection.selected import FieldCheck, selected
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.problems import Problems

KINDS: Final = ("queue", "archive", "file", "snapshot")


def kind_of(name: str, archives: Callable[[], Path]) -> tuple[str, str]:
    """What *name* is, and the name without the word that says so.

    ``queue:ORDERS.IN``, ``archive:purge-ORDERS``, ``file:old.dump``, ``snapshot:latest~1``; bare, a
    file that is there, then an archive of the folder, then a queue.
    """
    word, colon, rest = name.partition(":")
    if colon and word in KINDS:
        return word, rest
    if "/" in name or Path(name).is_file():
        return "file", name
    try:
        find_archive(archives, name)
    except NotFound:
        return ("archive" if name.endswith(ENDINGS) else "queue"), name
    return "archive", name


def queue_side(backend: Backend, queue: str, selection: Selection) -> Side:
    """The messages of a queue, by browsing it."""
    return Side(queue, lambda: selected(backend, queue, selection))


def archive_side(path: Path, chosen: Callable[[Message], bool]) -> Side:
    """The messages of an archive that left their queue."""
    warnings: list[str] = []

    def messages() -> Iterator[Message]:
        seal, left_out = Seal(), LeftOut()
        for item in without_left_out(stored_in(path, seal), outcomes_of(path), left_out):
            if isinstance(item, Damaged):
                raise StorageError(
                    f"archive {path}, line {item.line}: {item.text}", hint=verify_hint(path)
                )
            if isinstance(item, Numbered) and chosen(message_of(item)):
                yield message_of(item)
        warnings.extend(f"{path.name}: {text}" for text in left_out.sentences())
        warnings.extend(seal.warnings(path.name))

    return Side(path.name, messages, begun_of(path).bodies, warnings)


def file_side(name: str, file: IO[bytes], chosen: Callable[[Message], bool]) -> Side:
    """The messages of a file: an archive, a listing, a dump of dmpmqmsg or amqsbcg."""
    warnings: list[str] = []

    def messages() -> Iterator[Message]:
        for item in undamaged(name, file, warnings):
            if isinstance(item, Numbered):
                if item.length_bytes is not None:
                    raise StorageError(
                        f"{name}: an archive without message data",
                        hint=f"{shell_word(f'archive:{name}')} compares lengths instead",
                    )
                if chosen(message_of(item)):
                    yield message_of(item)

    return Side(name, messages, warnings=warnings)


def snapshot_side(
    folder: Path,
    reference: str,
    queue_manager: str | None,
    chosen: Callable[[Message], bool],
    warn: Callable[[str], None],
) -> Side:
    """The messages that were there at a snapshot; their data where it was kept."""
    problems = Problems()
    index = reader.Index(folder, problems, queue_manager)
    name = index.resolve(reference)
    chain = index.chain_to(name, problems)
    known = {snapshot.snapshot_id: snapshot for snapshot in reader.snapshots(folder, Problems())}
    whole = all(
        known[snapshot].row["body"] == "full" for snapshot in chain.order if snapshot in known
    )

    def messages() -> Iterator[Message]:
        read = Problems()
        for row in reader.messages_at(folder, chain, read):
            message = _message(row, reader.message_of)
            if chosen(message):
                yield message
        if read:
            warn(f"snapshot {name}: some of its files could not be read; snapshot ls lists them")

    return Side(f"snapshot {name}", messages, bodies=whole)


def with_field_warnings(side: Side, tested: FieldCheck) -> Side:
    """The same; at its end, fields of the selection that no message has are reported."""

    def messages() -> Iterator[Message]:
        yield from side.messages()
        tested.tell(side.name)

    return replace(side, messages=messages)


def _message(row: dict[str, Any], message_of_row: Callable[[Any], Message | None]) -> Message:
    """The message of a row; without its data one that was cut to nothing."""
    whole = message_of_row(row)
    if whole is not None:
        return whole
    bare = message_of_row({**row, "data_base64": "", "length_bytes": 0})
    assert bare is not None  # it has data now
    return Message(bare.md, b"", row["length_bytes"])
