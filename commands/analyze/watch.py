"""`mqtriage analyze watch`: what is new in a folder since the last look, as counts or as alerts."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mqtriage.commands.analyze.alert_store import AlertStore, opened
from mqtriage.commands.analyze.alerts import MEANINGS, event_looks, queue_looks
from mqtriage.commands.analyze.event_lines import take_pieces
from mqtriage.commands.analyze.run import AnalyzeRequest, Tell, pipeline_request, settings_for
from mqtriage.files.failures import storage_errors
from mqtriage.model.analysis_tables import record_as_printed
from mqtriage.model.result import Field, Listing, Record, Show
from mqtriage.model.thresholds import Thresholds
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_generic_name
from mqtriage.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from mqtriage.pipeline.folders import Rejected

FIELDS: Final = (
    Field("queue_manager", "QMGR", Show.NAME),
    Field("queue", "QUEUE", Show.NAME, width=20),
    Field("snap_time", "SNAP_TIME", Show.TIME),
    Field("message_count", "MESSAGES", Show.NUMBER),
    Field("length_bytes", "BYTES", Show.BYTES),
    Field("backed_out", "BACKED_OUT", Show.NUMBER),
    Field("gone", "GONE", Show.NUMBER),
    Field("snapshot_id", "SNAPSHOT_ID", Show.NAME, wide=True),
)
CHECKPOINT: Final = ".mqtriage-watch"
"""Folder of the checkpoint below that of the snapshots; readers leave dot-names alone."""

_KAFKA: Final = re.compile(
    r"kafka://([^/,:\s]+:[0-9]+(?:,[^/,:\s]+:[0-9]+)*)/([A-Za-z0-9._-]{1,249})"
)
_COMMAND_SECONDS: Final = 60.0
_PIECES: Final = "pieces"
"""Folder of the pieces of logs that Spark has yet to read, below the checkpoint."""


def watch(
    request: AnalyzeRequest, checkpoint: str | None, environ: Mapping[str, str], tell: Tell
) -> tuple[Listing, bool]:
    """Count the messages that came since the last call.

    Returns:
        The counts, and whether something could not be read.

    Raises:
        NotFound: The folder is not there.
        UsageError: `--where` asks for what no snapshot holds, or a server with Spark Connect.
        MQTriageError: Spark or Java is missing, or failed.
    """
    folder = _folder(request)
    from mqtriage.pipeline.folders import Rejected
    from mqtriage.pipeline.runner import spark_failures
    from mqtriage.pipeline.watching import read_new

    rejected = Rejected()
    with _session(request, environ, tell) as session:
        tell("watch: reading what is new")
        with spark_failures("analyze watch"):
            kept = _checkpoint(folder, checkpoint)
            rows = read_new(session, folder, kept, request.where, rejected)
    listing = Listing("NewMessageList", FIELDS, map(record_as_printed, rows), id_key="queue")
    listing.summary.update(rejected=dict(rejected.counts))
    listing.warnings += [f"not read: {text}" for text in rejected.warnings()]
    return listing, bool(rejected.counts)


@dataclass(frozen=True, slots=True)
class AlertRequest:
    """When to alert, and who is to know.

    Attributes:
        thresholds: of queues, as `check queue` has them.
        patterns: names or generic names of queues, or objects of events; none: not SYSTEM.*.
        command: words of what is run for each alert with its JSON as standard input.
    """

    thresholds: Thresholds
    patterns: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


class Topic(NamedTuple):
    """Where Kafka has lines of events."""

    servers: str
    name: str


@dataclass(slots=True)
class Watcher:
    """An open *session* of Spark, and what was seen before.

    Attributes:
        topic: that is read in place of a folder.
    """

    session: Any
    folder: str
    topic: Topic | None
    kept: Path
    alerts: AlertRequest
    store: AlertStore

    def look(self, most: int | None) -> tuple[list[Record], list[str]]:
        """Take in what is new, and run the command for the alerts that wait.

        Args:
            most: alerts; the others wait for the next look.

        Returns:
            The alerts, of `alerts.FIELDS`, and what could not be read or not be run.

        Raises:
            MQTriageError: Spark failed.
            StorageError: The checkpoint cannot be written.
        """
        from mqtriage.pipeline.folders import Rejected
        from mqtriage.pipeline.runner import spark_failures

        rejected = Rejected()
        with spark_failures("analyze watch"), storage_errors(self.kept, file_first=True):
            if self.topic is None:
                self._take_queues(rejected)
                self._take_pieces(rejected)
            else:
                from mqtriage.pipeline.watching import kafka_lines

                cut = kafka_lines(self.session, *self.topic)
                self._take_events(cut, f"kafka.{self.topic.name}", rejected)
        problems = [f"not read: {text}" for text in rejected.warnings()]
        records = self.store.waiting[:most]
        for record in records if self.alerts.command else ():
            problems += run_command(self.alerts.command, record)
        return records, problems

    def handed_over(self, count: int) -> None:
        """Forget the first *count* alerts that waited."""
        with storage_errors(self.kept, file_first=True):
            self.store.handed_over(count)

    def _take_queues(self, rejected: Rejected) -> None:
        from mqtriage.pipeline.watching import read_queues

        def take(stream: str, batch: int, rows: Sequence[dict[str, Any]]) -> None:
            looks = queue_looks(rows, self.alerts.thresholds, self.alerts.patterns)
            self.store.apply(stream, batch, looks)

        read_queues(self.session, self.folder, str(self.kept), rejected, take)

    def _take_pieces(self, rejected: Rejected) -> None:
        """Take in the new lines of logs on this machine."""
        from mqtriage.pipeline.folders import is_address
        from mqtriage.pipeline.watching import appended_lines

        if is_address(self.folder):
            return
        pieces = self.kept / _PIECES
        for problem in take_pieces(Path(self.folder), pieces, self.store.read_bytes):
            rejected.add("logs that cannot be followed", problem)
        to_read = list(pieces.iterdir())
        if to_read:
            self.store.save()
            self._take_events(appended_lines(self.session, str(pieces)), "events", rejected)
        for piece in to_read:
            piece.unlink()

    def _take_events(self, cut: Any, stream: str, rejected: Rejected) -> None:
        from mqtriage.pipeline.watching import read_events

        def take(stream: str, batch: int, rows: Sequence[dict[str, Any]]) -> None:
            self.store.apply(stream, batch, event_looks(rows, self.alerts.patterns))

        ranks = {reason: (meant.subject, meant.status.rank) for reason, meant in MEANINGS.items()}
        read_events(cut, stream, str(self.kept), ranks, rejected, take)


@contextmanager
def watcher(
    request: AnalyzeRequest,
    alerts: AlertRequest,
    checkpoint: str | None,
    environ: Mapping[str, str],
    tell: Tell,
) -> Iterator[Watcher]:
    """Open a session of Spark to watch a folder with.

    Raises:
        Refused: Another process works with the checkpoint.
        StorageError: The checkpoint cannot be read or written.
        NotFound, UsageError, MQTriageError: As `watch`; a condition is one too much.
    """
    if request.where is not None:
        raise UsageError(
            "--where selects messages, but alerts are about queues",
            hint="for poison messages, watch the backout queues: ORDERS.BO --warn 1",
        )
    for pattern in alerts.patterns:
        check_generic_name(pattern)
    folder = _folder(request)
    kept = _checkpoint(folder, checkpoint)
    from mqtriage.pipeline.folders import is_address

    if is_address(kept):
        raise UsageError(
            f"--checkpoint {kept}: alerts must be kept on this machine",
            hint="--checkpoint with a folder on this machine",
        )
    with opened(Path(kept)) as store, _session(request, environ, tell) as session:
        yield Watcher(session, folder, topic_of(folder), Path(kept), alerts, store)


def run_command(words: Sequence[str], record: Record) -> list[str]:
    """Run what an alert is handed to; what went wrong, in a sentence."""
    try:
        ran = subprocess.run(
            words, input=json.dumps(record), text=True, stdout=subprocess.DEVNULL, check=False,
            timeout=_COMMAND_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        why = f"ended after {_COMMAND_SECONDS:.0f} s"
    except OSError as error:
        why = error.strerror or str(error)
    else:
        if not ran.returncode:
            return []
        why = f"exit code {ran.returncode}"
    return [f"--run {words[0]}: {why} for alert {record['number']}"]


def command_words(command: str | None) -> tuple[str, ...]:
    """The words of a command, none for None."""
    words: list[str] = []
    with suppress(ValueError):
        words = shlex.split(command or "")
    if command is not None and not words:
        raise UsageError(f"--run {command!r}: not a command with arguments")
    return tuple(words)


def _folder(request: AnalyzeRequest) -> str:
    """The folder to watch, whole; what can be wrong with it is found before Spark starts."""
    if len(request.paths) != 1:
        raise UsageError("analyze watch reads one folder")
    folder = request.paths[0]
    topic_of(folder)
    pipeline_request(request)
    from mqtriage.pipeline.folders import is_address, local_folder

    return folder if is_address(folder) else str(local_folder(folder))


def topic_of(address: str) -> Topic | None:
    """The topic that *address* names, None for a folder."""
    if not is_kafka(address):
        return None
    match = _KAFKA.fullmatch(address)
    if match is None:
        raise UsageError(
            f"{address}: not the address of a topic",
            hint="kafka://HOST:PORT/TOPIC; separate several HOST:PORT with commas",
        )
    return Topic(*match.groups())


def is_kafka(address: str) -> bool:
    return address.startswith("kafka:")


def _checkpoint(folder: str, checkpoint: str | None) -> str:
    if is_kafka(folder) and checkpoint is None:
        raise UsageError(
            "--checkpoint is missing: a Kafka topic has no folder to record what was read",
            hint="--checkpoint with a folder on this machine",
        )
    return checkpoint or f"{folder.rstrip('/')}/{CHECKPOINT}"


@contextmanager
def _session(request: AnalyzeRequest, environ: Mapping[str, str], tell: Tell) -> Iterator[Any]:
    from mqtriage.pipeline.session import spark_session

    settings = settings_for(request, environ)
    if settings.remote:
        raise UsageError(
            "analyze watch does not run over Spark Connect: a server cannot return new rows",
            hint="give --master, or unset SPARK_REMOTE",
        )
    tell("watch: starting Spark")
    with spark_session(settings, environ) as session:
        yield session
