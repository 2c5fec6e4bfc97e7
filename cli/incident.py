"""`mqtriage incident`: options, help and examples; the work is in commands/incident.py."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Browsing, Connections, Output
from mqtriage.cli.frame.recording import journal_of
from mqtriage.cli.frame.selection import note_expiry, read_selection
from mqtriage.cli.frame.verb import takes
from mqtriage.files.bundle import new_bundle, write_text
from mqtriage.formatters.forms.select import text_of
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.options import arguments, flag, text
from mqtriage.model.output_forms import IDS, JSON, MQSC
from mqtriage.model.result import Document, Field, Listing, Show

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend
    from mqtriage.commands.incident import Incident, IncidentRequest

_MOST_MESSAGES = 100


@takes(SelectionOptions, Browsing, Connections, Output)
def incident(
    app: AppContext,
    selection: SelectionOptions,
    queues: tuple[str, ...] = arguments(
        "[QUEUE|PATTERN]...",
        help="Queues to browse. Default: all with messages or problems.",
        completes="queue",
    ),
    out: str | None = text(
        metavar="DIR|FILE.zip",
        help="Folder or file to write. Default: incident-QMGR-TIME in the current folder.",
        completes="file",
        reads="place",
    ),
    unredacted: bool = flag(help="Include unchanged bodies, properties, ids and users."),
    since: str = text(
        metavar="1d|TIME",
        help="Period of the journal to include, or when it begins: yesterday.",
        default="1d",
    ),
) -> None:
    """Write a folder or .zip for a problem record.

    Begins with what is wrong with the queues, as in queue status --problems. Also collects
    definitions, status, open handles and backout settings; poison messages and what they
    have in common; the causes of dead-lettered messages; the staging queue and the messages that
    will become due; the messages themselves; this machine's journal; and versions. Open index.html
    to read the result, or paste incident.md into a ticket: it has everything except the messages.
    The raw files are JSON, MQSC and an archive of the messages. The archive contains 100 messages,
    or --limit N, from each queue and its backout queue. Without --unredacted, it does not contain
    application data (bodies, properties, or values in a cause), and the ids and users of messages
    are replaced by hashes; the journal and open handles name users. Equal values have equal hashes.
    The command does not change or remove anything. With --no-expiry-effects, it does not read any
    messages. Only you can read the files. Exits 3 if something could not be read; the page lists
    what is missing. With several queue managers, each has its own folder or .zip, with -QMGR added
    to the name in --out.

    Examples:
        mqtriage incident ORDERS.IN
        mqtriage incident 'ORDERS.*' -m QM1,QM2 --out ticket-4711.zip
        mqtriage incident ORDERS.BO --older-than 1d --unredacted --out kept-here
    """
    from mqtriage.commands.incident import IncidentRequest
    from mqtriage.model.times import parse_since_us

    app.output.refuse_forms(IDS, MQSC)
    which = read_selection(app, selection)
    browse = not app.target.no_expiry_effects
    if browse:
        note_expiry(app, queues or ("*",))
    several = len(app.target.connections) > 1
    request = IncidentRequest(
        queues,
        replace(which, limit=_MOST_MESSAGES if which.limit is None else which.limit),
        unredacted=unredacted,
        browse=browse,
        since_ms=parse_since_us(since, time.time_ns() // 1_000, say=app.run.remark) // 1_000,
    )
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    problems: list[str] = []

    def one_of(one: AppContext) -> Document:
        with one.target.open_backend(read_only=True) as backend:
            path = Path(out or f"incident-{backend.queue_manager}-{stamp}")
            if several and out:
                path = path.with_name(f"{path.stem}-{backend.queue_manager}{path.suffix}")
            own = replace(request, context=one.target.settings.context)
            document, missing = _write_incident(one, backend, own, path)
        problems.extend(missing)
        return document

    if several:
        from mqtriage.cli.frame.several import answers_of_each

        app.output.emit(_listing(list(answers_of_each(app, one_of))))
    else:
        app.output.emit(one_of(app))
    app.run.note_partly(problems)


def _write_incident(
    app: AppContext, backend: Backend, request: IncidentRequest, path: Path
) -> tuple[Document, list[str]]:
    """Collect and write one queue manager's; returns what there is to say, and what is missing."""
    from mqtriage.commands.incident import collect

    with new_bundle(path) as folder:
        collected = collect(backend, request, journal_of(app), folder)
        _write(app, collected, folder)
        files = sorted(file.name for file in folder.iterdir())
    document = Document(
        "Incident",
        {
            "incident": str(path),
            "queue_manager": backend.queue_manager,
            "queues": collected.about["queues"],
            "message_count": len(collected.messages),
            "messages_by_queue": collected.message_counts(),
            "redacted": not request.unredacted,
            "files": files,
        },
    )
    document.warnings += [*collected.problems(), *collected.left_out]
    return document, collected.problems()


def _listing(documents: list[Document]) -> Listing:
    """What was written of each queue manager."""
    fields = (
        Field("queue_manager", "QMGR", Show.NAME, 12),
        Field("incident", "INCIDENT"),
        Field("message_count", "MESSAGES", Show.NUMBER),
        Field("redacted", "REDACTED", Show.FLAG),
    )
    warnings = [
        f"{document.data['queue_manager']}: {warning}"
        for document in documents
        for warning in document.warnings
    ]
    rows = [document.data for document in documents]
    return Listing("IncidentList", fields, rows, {}, warnings, "incident")


def _write(app: AppContext, collected: Incident, folder: Path) -> None:
    """The page and the raw files."""
    from mqtriage.cli.frame.commands_in_results import name_in_result
    from mqtriage.commands.incident import DEFINITIONS, MESSAGES
    from mqtriage.formatters.reports import incident_html, incident_markdown

    for part in collected.parts:
        if part.result is not None:
            name_in_result(part.result, app.run.in_commands)
            if isinstance(part.result, Listing):  # they are read once for each file
                part.result.items = list(part.result.items)
    style = app.output.style()._replace(columns=(), sort=None, limit=None)
    write_text(folder / "index.html", incident_html.page(collected))
    write_text(folder / "incident.md", incident_markdown.page(collected, style))
    write_text(folder / DEFINITIONS, [collected.definitions])
    style = style._replace(form=JSON)
    about = Document("IncidentAbout", collected.about)
    write_text(folder / "about.json", [text_of(about, style)])
    for part in collected.parts:
        if part.result is not None and part.name != MESSAGES:
            write_text(folder / f"{part.name}.json", [text_of(part.result, style)])
