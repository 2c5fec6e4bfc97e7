"""Archives and dumps as input of `analyze`: what is in them as rows that a snapshot would have.

Headers are decoded by the code that writes snapshots, so that a condition finds in Spark what it
finds in the archive and found on the queue. The tables lie in a folder of their own, for as long as
the job runs, without message data.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, tzinfo
from hashlib import sha256
from itertools import count, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, Final

from mqtriage import __version__
from mqtriage.commands.analyze import configuration_dumps, displayed_definitions, dumps
from mqtriage.commands.snapshot.take import new_stamp
from mqtriage.files.failures import storage_errors
from mqtriage.messages.archive_outcomes import LeftOut
from mqtriage.messages.event_json import event_of
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.stored_messages import COPY, Begun, Numbered
from mqtriage.model.analysis_tables import TABLES_OF
from mqtriage.model.times import parse_time_us
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import StorageError, UsageError
from mqtriage.mq.headers.formats import HEADER_FORMATS
from mqtriage.mq.times import put_time_us
from mqtriage.operations.archive.content import content
from mqtriage.operations.archive.files import archives_in, begun_of
from mqtriage.operations.archive.reading import last_line, message_of
from mqtriage.pipeline.folders import is_address, is_snapshot_folder, plain_path
from mqtriage.pipeline.snapshots.files import PartitionFiles, day_of, form_of
from mqtriage.pipeline.snapshots.rows import (
    Keeping,
    Row,
    Sighting,
    Stamp,
    definition_row,
    definition_text,
    gone_row,
    message_key,
    message_row,
    queue_row,
    sha256_hex,
)
from mqtriage.pipeline.snapshots.schema import MESSAGES, SNAPSHOTS, VERSION, BodyPart, Mode, Seen
from mqtriage.pipeline.sources.recognition import Log, LogForm, jobs_of, logs_at
from mqtriage.pipeline.sources.rewriting import rewritten
from mqtriage.records import NamedTuple

if TYPE_CHECKING:
    from mqtriage.pipeline.folders import Rejected

NOWHERE: Final = "?"
"""Queue or queue manager of a message whose archive names none: no object is called so."""
TOLD_EVERY: Final = 100_000
_HEAD_BYTES: Final = 200
_ARCHIVE: Final = b'"Archive"'
"""What an archive has in its first bytes, damaged or not."""
_KEEP: Final = Keeping(BodyPart.DIGEST, sha256_hex, properties=True)
_DIGEST: Final = MESSAGES.names.index("body_digest")
_FROM_HEADERS: Final = MESSAGES.names.index("body_length_bytes")
_DEFINITIONS: Final = {
    "dmpmqcfg": configuration_dumps.objects_of,
    "runmqsc": displayed_definitions.objects_of,
}
"""What wrote definitions to how they are read."""
_UNREADABLE: Final = {
    "dmpmqcfg": "commands of dmpmqcfg that cannot be read",
    "runmqsc": "objects that runmqsc showed without ALL",
}

Tell = Callable[[str], None]


class Input(NamedTuple):
    """One archive that is to be read, or a dump.

    Attributes:
        form: archive, dmpmqmsg, dmpmqcfg or runmqsc: what wrote it.
    """

    path: Path
    begun: Begun
    time_us: int
    form: str


@contextmanager
def readable(
    paths: Sequence[str], rejected: Rejected, tell: Tell, what: str, zone: tzinfo = UTC
) -> Iterator[tuple[tuple[str, ...], tuple[Log, ...]]]:
    """What Spark is to read for *paths*: archives are made into tables, all else stays.

    Yields folders of snapshots and addresses, and logs, those written again that Spark cannot read.

    Args:
        paths: also files that are archives or logs, and folders of them.
        rejected: counts lines and archives that cannot be read.
        what: the command, for messages.
        zone: of local times that do not say so.
    """
    folders = [path for path in paths if not files_of(path)]
    logs = tuple(dict.fromkeys(log for path in paths for log in logs_of(path)))
    inputs = inputs_of(paths, rejected, what, alone=not folders and not logs)
    if logs and not folders and not inputs:
        _refuse_others(logs, what)
    if not inputs and not logs:
        yield tuple(folders), ()
        return
    with TemporaryDirectory(prefix="mqtriage-analyze-") as scratch:
        with storage_errors(Path(scratch)):
            logs = rewritten(logs, Path(scratch, ".logs"), zone)
        if inputs:
            logs += tuple(write_tables(inputs, Path(scratch), rejected, tell))
            folders.append(scratch)
        yield tuple(folders), logs


def _refuse_others(logs: Sequence[Log], what: str) -> None:
    """See that what is made reads one of the logs at least."""
    job = what.removeprefix("analyze ")
    if job in TABLES_OF and not any(job in jobs_of(log.form) for log in logs):
        path, form = logs[0]
        raise StorageError(
            f"{path}: {form}, which {what} does not read",
            hint=f"mqtriage analyze {jobs_of(form)[0]} does",
        )


def archives_of(path: str) -> list[Path]:
    """The archives that *path* means: itself, or those of a folder without tables."""
    if is_address(path):
        return []
    logs = {log.path for log in logs_of(path)}
    given = plain_path(path)
    if not given.is_file() and is_snapshot_folder(path):
        return []
    files = [given] if given.is_file() else archives_in(given)
    if given.is_dir():
        inside = sorted(file for file in given.iterdir() if file.is_file())
        files = [*files, *(file for file in inside if _dump_head(file))]
    return [file for file in files if file.absolute() not in logs]


def _dump_head(path: Path) -> tuple[str, Begun] | None:
    """What wrote a dump, and what its first lines say."""
    for form, head_of in (
        ("dmpmqmsg", dumps.head_of),
        ("dmpmqcfg", configuration_dumps.head_of),
        ("runmqsc", displayed_definitions.head_of),
    ):
        begun = head_of(path)
        if begun is not None:
            return form, begun
    return None


def logs_of(path: str) -> list[Log]:
    """The logs that *path* means: itself, or those of a folder without tables."""
    if is_address(path) or (not plain_path(path).is_file() and is_snapshot_folder(path)):
        return []
    return logs_at(plain_path(path))


def files_of(path: str) -> list[Path]:
    """The archives and logs that *path* means: empty for a folder of snapshots."""
    return [*archives_of(path), *(log.path for log in logs_of(path))]


def inputs_of(paths: Sequence[str], rejected: Rejected, what: str, *, alone: bool) -> list[Input]:
    """The archives among *paths*, each once; those that cannot be read are counted.

    Args:
        alone: there is nothing else to read.

    Raises:
        StorageError: There is nothing at all to read; of the first file.
    """
    inputs: dict[Path, Input] = {}
    first: StorageError | None = None
    for given in paths:
        for path in archives_of(given):
            try:
                form, begun = _dump_head(path) or ("archive", begun_of(path))
            except StorageError as error:
                is_archive = _is_archive(path, error)
                reason = f"files in formats that {what} does not read"
                rejected.add(
                    "archives damaged at the beginning" if is_archive else reason, path.name
                )
                first = first or (error if is_archive else _unknown(path, what))
                continue
            inputs[path.resolve()] = Input(path, begun, _time_us(path, begun, rejected), form)
    if alone and first is not None and not inputs:
        raise first
    return list(inputs.values())


def _is_archive(path: Path, error: StorageError) -> bool:
    """Whether what cannot be read begins as an archive does."""
    if error.kind != "foreign":
        return True
    with suppress(OSError), path.open("rb") as file:
        return _ARCHIVE in file.read(_HEAD_BYTES)
    return True


def _unknown(path: Path, what: str) -> StorageError:
    return StorageError(
        f"{path}: not in a format that {what} reads",
        hint="archives, dumps, logs and folders of snapshots; docs/logs.md lists the formats",
    )


def _time_us(path: Path, begun: Begun, rejected: Rejected) -> int:
    """When the act was; of an archive that does not say so, when it was written last."""
    try:
        return parse_time_us(begun.at, 0)
    except UsageError:
        what = "archives without the time of their operation; the time of the file is used"
        rejected.add(what, path.name)
        return os.stat(path).st_mtime_ns // 1000


def write_tables(
    inputs: Sequence[Input], folder: Path, rejected: Rejected, tell: Tell
) -> list[Log]:
    """Write the rows of all archives below *folder*; those of a day are in one file.

    Returns:
        The event, statistics and accounting messages among them, a log for each archive.
    """
    form = form_of("auto")

    def place(archive: Input) -> tuple[str, str]:
        return archive.begun.queue_manager or NOWHERE, day_of(archive.time_us)

    logs, names = folder / ".events", map("{}.json".format, count())
    with storage_errors(logs):
        logs.mkdir()
        for number, (key, group) in enumerate(groupby(sorted(inputs, key=place), key=place)):
            stem = f"archives-{number}"
            with closing(PartitionFiles(folder, *key, stem, form, durable=False)) as files:
                for archive in group:
                    tell(f"reading {archive.path.name}")
                    if archive.form in _DEFINITIONS:
                        _write_definitions(archive, files, rejected)
                        continue
                    with (logs / next(names)).open("w", encoding="utf-8") as events:
                        _write_archive(archive, files, events, rejected, tell)
                files.publish()
        return [Log(path, LogForm.EVENT_LINES) for path in logs.iterdir() if path.stat().st_size]


def _write_archive(
    archive: Input, files: PartitionFiles, events: IO[str], rejected: Rejected, tell: Tell
) -> None:
    """The rows of one archive, its event messages to *events*; what cannot be read is counted."""
    stamp = new_stamp(archive.time_us, _unique(archive))
    left_out = LeftOut()
    on: Counter[str] = Counter()
    rows = length_bytes = 0
    name = archive.path.name
    try:
        messages = (
            dumps.messages(archive.path, left_out)
            if archive.form == "dmpmqmsg"
            else content([archive.path], Selection(), archive.time_us, left_out)
        )
        for numbered in messages:
            queue = numbered.queue or archive.begun.queue or NOWHERE
            on[queue] += 1
            for row in rows_of(numbered, archive.begun, stamp, queue, on[queue]):
                files.add("messages", row)
                rows += 1
            message = message_of(numbered)
            length_bytes += message.length_bytes
            event = event_of(message, queue, archive.begun.queue_manager)
            if event is not None:
                events.write(f"{json.dumps(event)}\n")
            if on.total() % TOLD_EVERY == 0:
                tell(f"reading {name}: {on.total():,} messages")
    except StorageError as error:
        rejected.add(
            "archives that cannot be read to the end", f"{archive.path.name} ({error.text})"
        )
    silent = left_out.not_whole and not left_out.damaged  # a damaged line says it too
    rejected.add("archives that are changed or unfinished", name, bool(silent))
    rejected.add("damaged lines of archives", f"{name}: {left_out.first_damage}", left_out.damaged)
    unsure = "archived messages without a recorded outcome"
    rejected.add(unsure, name, left_out.unsettled)
    for queue, messages_on in on.items():
        row = queue_row(stamp, {"queue": queue, "browsed": True, "message_count": messages_on})
        files.add("queues", row)
    counts = {
        "queue_count": len(on),
        "message_count": on.total(),
        "message_rows": rows,
        "length_bytes": length_bytes,
        "problem_count": left_out.damaged,
    }
    files.add("snapshots", _snapshot_row(archive, stamp, counts))


def _write_definitions(dump: Input, files: PartitionFiles, rejected: Rejected) -> None:
    """The rows of a dump of dmpmqcfg or of what runmqsc showed; unreadable commands are counted."""
    name = dump.path.name
    try:
        dumped = _DEFINITIONS[dump.form](dump.path)
    except StorageError as error:
        rejected.add(f"files of {dump.form} that cannot be read", f"{name} ({error.text})")
        return
    rejected.add(_UNREADABLE[dump.form], name, dumped.unreadable)
    stamp = new_stamp(dump.time_us, _unique(dump))
    for kind, object_name, attributes in dumped.objects:
        text = definition_text(attributes)
        files.add("definitions", definition_row(stamp, Seen.PRESENT, kind, object_name, text))
    mode = Mode.FULL if dumped.is_whole else Mode.ARCHIVE
    values = dict.fromkeys(("queue_count", "message_count", "message_rows"), 0)
    values["problem_count"] = dumped.unreadable
    files.add("snapshots", _snapshot_row(dump, stamp, {**values, "mode": mode.value}))


def _snapshot_row(archive: Input, stamp: Stamp, more: Mapping[str, Any]) -> Row:
    values = {
        "snapshot_id": stamp.snapshot_id,
        "snap_time": stamp.time_us,
        "schema_version": VERSION,
        "tool_version": __version__,
        "queue_manager": archive.begun.queue_manager or NOWHERE,
        "backend": archive.form,
        "mode": Mode.ARCHIVE.value,
        "body": BodyPart.DIGEST.value,
        "digest": "sha256",
        **more,
    }
    return [values.get(column) for column in SNAPSHOTS.names]


def _unique(archive: Input) -> str:
    """Tells archives of one moment apart, and not two files of one archive."""
    try:
        ended = last_line(archive.path)
    except StorageError:
        ended = None
    text = ended.sha256 if ended is not None else str(archive.path.resolve())
    return sha256(text.encode()).hexdigest()[:13]


def rows_of(numbered: Numbered, begun: Begun, stamp: Stamp, queue: str, position: int) -> list[Row]:
    """The rows of one message: there when the act began, and gone after it unless it is a copy."""
    md = numbered.entry.md
    key = message_key(queue, md).hex()
    sighting = Sighting(queue, key, Seen.PRESENT, stamp.time_us, position)
    row = message_row(stamp, sighting, message_of(numbered), _KEEP)
    if numbered.length_bytes is not None:
        _without_data(row, numbered, queue)
    if begun.redacted:
        row[_DIGEST] = None
    if begun.action == COPY:
        return [row]
    after = Stamp(stamp.snapshot_id, stamp.time_us + 1)
    put_us = put_time_us(md.put_date, md.put_time)
    gone = gone_row(after, sighting, md.msg_id, md.correl_id, put_us)
    return [row, gone]


def _without_data(row: Row, numbered: Numbered, queue: str) -> None:
    """Take back what was worked out from data that the archive does not have."""
    row[_FROM_HEADERS:] = [None] * (len(row) - _FROM_HEADERS)
    has_none = numbered.entry.md.format and numbered.entry.md.format not in HEADER_FORMATS
    if has_none and queue != STAGING_QUEUE:  # the digest is that of the body, as it is all there is
        row[_FROM_HEADERS] = numbered.length_bytes
        row[_DIGEST] = numbered.sha256 or None
