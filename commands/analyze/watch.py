"""`mqtriage analyze watch`: what is new in a folder of snapshots since the last call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.commands.analyze.run import AnalyzeRequest, Tell, pipeline_request, settings_for
from mqtriage.model.analysis_tables import record_as_printed
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.errors import UsageError

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


def watch(
    request: AnalyzeRequest, checkpoint: str | None, environ: Mapping[str, str], tell: Tell
) -> tuple[Listing, bool]:
    """Read what came since the last call.

    Returns:
        The counts, and whether something could not be read.

    Raises:
        NotFound: The folder is not there.
        UsageError: More than one folder, or `--where` asks for what no snapshot holds.
        MQTriageError: Spark or Java is missing, or failed.
    """
    if len(request.paths) != 1:
        raise UsageError("analyze watch reads one folder")
    pipeline_request(request)
    from mqtriage.pipeline.folders import Rejected, is_address, local_folder
    from mqtriage.pipeline.runner import spark_failures
    from mqtriage.pipeline.session import spark_session
    from mqtriage.pipeline.watching import read_new

    folder = request.paths[0]
    if not is_address(folder):
        folder = str(local_folder(folder))
    settings = settings_for(request, environ)
    if settings.remote:
        raise UsageError(
            "analyze watch does not run over Spark Connect: a server cannot hand over what is new",
            hint="give --master, or unset SPARK_REMOTE",
        )
    rejected = Rejected()
    tell("watch: starting Spark")
    with spark_session(settings, environ) as session:
        tell("watch: reading what is new")
        with spark_failures("analyze watch"):
            rows = read_new(
                session,
                folder,
                checkpoint or f"{folder.rstrip('/')}/{CHECKPOINT}",
                request.where,
                rejected,
            )
    listing = Listing("NewMessageList", FIELDS, map(record_as_printed, rows), id_key="queue")
    listing.summary.update(rejected=dict(rejected.counts))
    listing.warnings += [f"not read: {text}" for text in rejected.warnings()]
    return listing, bool(rejected.counts)
