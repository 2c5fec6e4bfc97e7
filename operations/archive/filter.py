"""`archive copy`: the chosen messages of archives in a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import ArchiveSource, Begun, Numbered
from mqtriage.model.result import Document
from mqtriage.model.units import count_text
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.content import content, outcome_of
from mqtriage.operations.archive.files import begun_of
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.archive.redaction import Chosen, RedactionRequest, Redactor
from mqtriage.operations.archive.writing import Archive, digest_of, new_copy
from mqtriage.operations.selection.whole_ids import whole_ids_of


def filter_archives(
    archives: Sequence[Path], selection: Selection, out: Path, now_us: int
) -> tuple[Document, LeftOut]:
    """Copy the chosen messages of *archives* to the new archive *out*, whole or not at all.

    Returns:
        The document, and what of the archives is not in the copy.
    """
    length_bytes = 0

    def add(file: Archive, numbered: Numbered, message: Message) -> int:
        nonlocal length_bytes
        length_bytes += message.length_bytes
        whole = numbered.length_bytes is None
        digest = sha256(message.body).digest() if whole else bytes.fromhex(numbered.sha256)
        return file.add(numbered.queue, message, digest or None, body=whole)

    document, left_out = _copied("FilteredArchive", archives, selection, out, now_us, {}, add)
    document.data["length_bytes"] = length_bytes
    return document, left_out


def redact_archives(
    archives: Sequence[Path],
    selection: Selection,
    out: Path,
    now_us: int,
    key: bytes,
    choices: RedactionRequest,
) -> tuple[Document, list[Chosen], LeftOut]:
    """Copy the chosen messages of *archives*, redacted, to the new archive *out*.

    Each line has `body_hmac` and `original_length_bytes`: what stands for the data that was there.
    Nothing of the sources is in it that the key would not be needed for.

    Returns:
        The document; for each path what it changed (where it had no effect, what it should have
        hidden is still there); and what of the archives is not in the copy.
    """
    redactor = Redactor(key, choices)
    more: dict[str, Any] = {
        "redacted": {
            "key_id": redactor.names.key_id(),
            "masked": [path.text for path in choices.mask],
            "hashed": [path.text for path in choices.hash],
            "masked_properties": list(choices.mask_props),
            "hashed_properties": list(choices.hash_props),
        }
    }
    if not choices.bodies:
        more["bodies"] = False

    def add(file: Archive, numbered: Numbered, message: Message) -> int:
        whole = numbered.length_bytes is None
        redacted = redactor.redact(message)
        has_body = whole and choices.bodies
        return file.add(
            numbered.queue,
            redacted,
            sha256(redacted.body).digest() if has_body else None,
            body=has_body,
            more={
                "body_hmac": redactor.names.body(message.body) if whole else None,
                "original_length_bytes": message.length_bytes,
            },
        )

    document, left_out = _copied("RedactedArchive", archives, selection, out, now_us, more, add)
    document.data["key_id"] = redactor.names.key_id()
    document.data["values_changed"] = {str(chosen): chosen.changed for chosen in redactor.chosen}
    for text, number in redactor.notes.items():
        first = redactor.first_ids.get(text)
        which = f" ({'first ' if number > 1 else ''}MsgId {first})" if first else ""
        document.warnings.append(f"{count_text(number)} {text}{which}")
    document.warnings += filter(None, (redactor.kept_fields, redactor.kept_properties))
    return document, redactor.chosen, left_out


def _copied(
    kind: str,
    archives: Sequence[Path],
    selection: Selection,
    out: Path,
    now_us: int,
    more: dict[str, Any],
    add: Callable[[Archive, Numbered, Message], int],
) -> tuple[Document, LeftOut]:
    """A new archive of what *add* writes of each chosen message; it returns how many there are."""
    begun = [begun_of(path) for path in archives]
    sources = [
        source for path, one in zip(archives, begun, strict=True) for source in _sources(path, one)
    ]
    if kind == "RedactedArchive":
        sources = [source._replace(sha256="") for source in sources]
    names = [path.name for path in archives]
    head: dict[str, Any] = {"of": names, "sources": [source._asdict() for source in sources]}
    if any(not one.bodies for one in begun):
        head["bodies"] = False
    if any(one.redacted for one in begun):
        head["redacted"] = True
    queue = _if_one(one.queue for one in begun)
    manager = _if_one(one.queue_manager for one in begun)
    where = names[0] if len(names) == 1 else f"{len(names)} archives"
    everything = content(archives, Selection(), now_us, LeftOut())
    selection = whole_ids_of(map(message_of, everything), selection, where)
    warnings: list[str] = []
    selection = replace(selection, warn=warnings.append)
    left_out, count = LeftOut(), 0
    with new_copy(
        out, queue=queue, queue_manager=manager, at=rfc3339(now_us), more=head | more
    ) as file:
        for numbered in content(archives, selection, now_us, left_out):
            count = add(file, numbered, message_of(numbered))
    facts = {"archive": str(out), "of": names, "message_count": count, "sources": head["sources"]}
    document = Document(kind, facts, is_brief=True)
    document.warnings += [*warnings, *left_out.sentences()]
    return document, left_out


def _sources(path: Path, begun: Begun) -> Sequence[ArchiveSource]:
    """The archive itself, with the outcome of its operation; of a copy those that it has."""
    if begun.sources:
        return begun.sources
    names = (path.name, begun.action, begun.queue, begun.queue_manager, begun.at)
    return (ArchiveSource(*names, *outcome_of(path), digest_of(path)),)


def _if_one(texts: Iterable[str]) -> str:
    """What all sources have in common, "" where they differ."""
    first, *others = set(texts)
    return "" if others else first
