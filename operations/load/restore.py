"""`archive restore`: put archived messages back on the queue that they were taken from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import IO

from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import Numbered
from mqtriage.model.shell_words import shell_word
from mqtriage.model.times import parse_time_us
from mqtriage.mq import cmqc
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.expiry import expires_at_us, remaining_tenths
from mqtriage.mq.times import put_time_us
from mqtriage.operations.archive.content import chosen_in, content
from mqtriage.operations.archive.files import begun_of
from mqtriage.operations.archive.reading import message_of
from mqtriage.operations.copies.copy import CopyOptions
from mqtriage.operations.load.plan import LoadRequest, read_stored
from mqtriage.operations.selection.whole_ids import whole_ids_of


def restore_request(
    path: Path,
    file: IO[bytes],
    selection: Selection,
    copy: CopyOptions,
    now_us: int,
    *,
    queue_manager: str,
    target: str | None = None,
    batch: int | None = None,
    skip_damaged: bool = False,
) -> LoadRequest:
    """What is to be put back, as a load of the archive: see `plan`.

    A message that is on the queue already, with the same marks, is left out: so a restore can be
    run again.

    Args:
        file: the archive, unpacked and seekable.
        now_us: what ages are counted to.
        target: another queue than the one that the archive names.

    Raises:
        Refused: The archive has no message data, was redacted, or is of another queue manager.
        UsageError: It names no queue, or --skip or --limit was given.
    """
    begun = begun_of(path)
    if not begun.bodies:
        raise Refused(
            f"{path.name} was written without message data, so it cannot be restored",
            object_name=path.name,
        )
    if begun.redacted:
        raise Refused(
            f"{path.name} was redacted, so its messages are not the originals",
            hint=f"mqtriage msg load {shell_word(str(path))} --to QUEUE puts them on a test queue",
            object_name=path.name,
        )
    if target is None and begun.queue_manager not in ("", queue_manager):
        raise Refused(
            f"{path.name} is of queue manager {begun.queue_manager}, this is {queue_manager}",
            hint=f"-m {shell_word(begun.queue_manager)}, or --to QUEUE",
            object_name=path.name,
        )
    queue = target or begun.queue
    if not queue:
        hint = _each_to_its_own(path, now_us)
        raise UsageError(f"{path.name} contains messages of several queues", hint=hint)
    if selection.skip or selection.limit is not None:
        raise UsageError(
            "--skip and --limit: a restore is run again until all is back",
            hint="choose by --msgid, --ids-from or --where",
        )
    selection = whole_ids_of(
        map(message_of, content([path], Selection(), now_us, LeftOut())), selection, path.name
    )
    request = LoadRequest(
        file,
        path.name,
        queue,
        copy,
        batch,
        skip_damaged,
        action="restore",
        duplicates="put" if copy.new_msg_id else "same",
        path=str(path.resolve()),
    )
    _choose(request, selection, now_us)
    return request


def _each_to_its_own(path: Path, now_us: int) -> str:
    """How to restore the messages of one of several queues: a condition has no field for it."""
    messages = content([path], Selection(), now_us, LeftOut())
    queue = next((one.queue for one in messages if one.queue), "QUEUE")
    file, to = shell_word(str(path)), shell_word(queue)
    select = shell_word(f'select(.queue == "{queue}")')
    return (
        f"for each queue, such as {queue}: mqtriage archive ls {file} -o ndjson | jq -c {select}"
        f" > {to}.ids; mqtriage archive restore {file} --ids-from {to}.ids --to {to}"
        f" (only --to {to} would put all messages on it)"
    )


def choose(request: LoadRequest, selection: Selection, now_us: int) -> None:
    """Have *request* load only what *selection* chooses of its file.

    The numbers of what is planned are in the journal, so a resume needs no selection.

    Args:
        now_us: what ages are counted to.

    Raises:
        Refused: The selection asks for the due time, or the end of an id is of several.
    """
    stored = (one for one in read_stored(request.file) if isinstance(one, Numbered))
    selection = whole_ids_of(map(message_of, stored), selection, request.name)
    _choose(request, selection, now_us)
    request.skip, request.limit = selection.skip, selection.limit


def _choose(request: LoadRequest, selection: Selection, now_us: int) -> None:
    selection = replace(selection, warn=request.warnings.append)
    request.choose, request.watch = chosen_in(request.name, selection, now_us)


def revive_request(
    path: Path,
    file: IO[bytes],
    selection: Selection,
    copy: CopyOptions,
    now_us: int,
    *,
    target: str,
    batch: int | None = None,
    all_expired: bool = False,
) -> LoadRequest:
    """The messages of an archive whose lifetime is over by now, as a load with a new one.

    Args:
        now_us: the queue manager's time.
        all_expired: it holds no others.

    Raises:
        Refused: The archive has no message data, or was redacted.
        UsageError: --skip or --limit was given.
    """
    request = restore_request(
        path, file, selection, copy, now_us, queue_manager="", target=target, batch=batch
    )
    request.action = "revive"
    request.duplicates = "alike"  # one that was made from a report lacks CorrelId and put time
    if all_expired:
        request.path = ""  # made of a snapshot for this alone
        return request
    at = begun_of(path).at
    at_us = parse_time_us(at, now_us) if at else None
    chosen = request.choose

    def expired(message: Numbered) -> bool:
        md = message.entry.md
        if md.expiry_tenths == cmqc.MQEI_UNLIMITED or not (chosen is None or chosen(message)):
            return False
        since = at_us if at_us is not None else put_time_us(md.put_date, md.put_time)
        if since is None:
            return True
        return remaining_tenths(expires_at_us(since, md.expiry_tenths), now_us) == 0

    request.choose = expired
    return request
