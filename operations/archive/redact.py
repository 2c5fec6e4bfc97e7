"""`archive redact`: the messages of archives without what must not leave the house."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from mqtriage.messages.filters.selection import Selection
from mqtriage.model.result import Document
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.content import LeftOut, content
from mqtriage.operations.archive.files import begun_of
from mqtriage.operations.archive.filter import place_of, sources
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.archive.redaction import Redactor, Wanted
from mqtriage.operations.archive.writing import new_copy


def redact_archives(
    archives: Sequence[Path],
    selection: Selection,
    out: Path,
    now_us: int,
    key: bytes,
    choices: Wanted,
) -> Document:
    """Copy the chosen messages of *archives*, redacted, to the new archive *out*.

    Each line has `body_hmac` and `original_length_bytes`: what stands for the data that was there.
    Nothing of the sources is in it that the key would not be needed for.

    Raises:
        StorageError: A file cannot be read, or *out* is there already.
    """
    begun = [begun_of(path) for path in archives]
    redactor = Redactor(key, choices)
    left_out = LeftOut()
    count = 0
    more = sources(archives, begun) | {
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
    queue, manager = place_of(begun)
    with new_copy(out, queue=queue, queue_manager=manager, at=rfc3339(now_us), more=more) as file:
        for numbered in content(archives, selection, now_us, left_out):
            message = message_of(numbered)
            whole = numbered.length_bytes is None
            redacted = redactor.redact(message)
            count = file.add(
                numbered.queue,
                redacted,
                sha256(redacted.body).digest(),
                body=whole and choices.bodies,
                more={
                    "body_hmac": redactor.names.body(message.body) if whole else None,
                    "original_length_bytes": message.length_bytes,
                },
            )
    document = Document(
        "RedactedArchive",
        {
            "archive": str(out),
            "of": [path.name for path in archives],
            "message_count": count,
            "key_id": redactor.names.key_id(),
        },
    )
    document.warnings += left_out.sentences()
    document.warnings += [f"{number} {text}" for text, number in redactor.notes.items()]
    return document
