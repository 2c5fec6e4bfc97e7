"""`mqtriage incident`: what a problem record needs, collected over a read-only connection.

Every part is what another command shows. A part that cannot be made says why, and the others go on.
Unless they are asked for, nothing of a message leaves that its application wrote: no body, no
property, no value of them in a cause; ids and users are hashes that fit each other in one incident.
"""

from __future__ import annotations

import re
import secrets
import shlex
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mqtriage.backends.port import Backend
from mqtriage.commands.backout import causes as backout_causes
from mqtriage.commands.backout.messages import pending
from mqtriage.commands.delay import status as delay_status
from mqtriage.commands.delay.forecast import forecast
from mqtriage.commands.dlq import causes as dlq_causes
from mqtriage.commands.help.version import describe
from mqtriage.commands.qmgr.queue_manager import show as show_manager
from mqtriage.commands.queue import handles, queues
from mqtriage.commands.queue.names import existing, not_found
from mqtriage.definitions import backout_policy
from mqtriage.messages.filters.expression import (
    Compare,
    IsNull,
    Or,
    field_text,
    leaves,
    to_text,
    top_level_parts,
)
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.where import parse_where
from mqtriage.messages.records import MESSAGE_FIELDS, message_record
from mqtriage.model.result import Document, Field, Listing, Record, Result
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import agreeing, count_text
from mqtriage.mq.attributes.attribute import SECRETS
from mqtriage.mq.errors import (
    ConnectionFailed,
    MQTriageError,
    NotFound,
    ObjectNotFound,
    Refused,
    StorageError,
)
from mqtriage.mq.names import is_listed
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.redaction import Pseudonyms, RedactionRequest, Redactor
from mqtriage.operations.archive.writing import new_copy
from mqtriage.operations.ledger.changes import change_text, read_change
from mqtriage.operations.ledger.entries import ls as journal_entries
from mqtriage.operations.ledger.journal import ChosenOperations, Journal
from mqtriage.operations.rules.origin import dead_letter_queue
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected
from mqtriage.records import dataclass

MESSAGES: Final = "messages"
ARCHIVE: Final = f"{MESSAGES}.ndjson"
DEFINITIONS: Final = "definitions.mqsc"
MOST_OPERATIONS: Final = 200
MOST_COMPARED: Final = 10_000
"""Messages of a queue that causes are looked for in."""
BUCKET_MS: Final = 3_600_000
HORIZON_MS: Final = 24 * BUCKET_MS
_IDS: Final = ("msg_id", "correl_id", "group_id", "sample_msg_id")
_PRIVATE: Final = frozenset(
    {"msg_id", "correl_id", "group_id", "original_msg_id", "user", "appl_identity", "body",
     "body_digest"}
)  # fmt: skip
"""Fields of conditions whose values a program wrote, beside properties and body paths."""

_VERB_WORD: Final = re.compile("[a-z][a-z-]*$")
_VERB_WORDS: Final = 2
"""Words behind the name of the program that can be a verb."""
_HARMLESS: Final = frozenset(
    {"-m", "--qmgr", "--context", "--backend", "--to", "--park", "--limit", "--skip", "--batch",
     "--rate", "--max-requeues", "--max-errors", "--expect", "--expiry", "--delay", "--headers",
     "--reports", "--older-than", "--younger-than", "--reason", "--add-dlh", "-o", "--output"}
)  # fmt: skip
"""Options whose values name queues, numbers and times."""


@dataclass(frozen=True, slots=True)
class IncidentRequest:
    """What to collect.

    Attributes:
        patterns: names and generic names of queues; empty: those with messages or problems.
        selection: which messages of each.
        unredacted: messages as they are, with bodies, ids and users.
        browse: look at messages; without it nothing can be discarded.
        since_ms: of the journal, in milliseconds since 1970; None for all.
        context: name of the context, "" for none.
    """

    patterns: tuple[str, ...]
    selection: Selection
    unredacted: bool = False
    browse: bool = True
    since_ms: int | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an incident.

    Attributes:
        name: of its file, without an ending.
        result: with items as a list, so that they can be read twice; None where there is a problem.
        problem: why it could not be made; "" where it was.
        is_absent: there is nothing of that kind here, which is no failure.
    """

    name: str
    title: str
    result: Result | None = None
    problem: str = ""
    is_absent: bool = False


@dataclass(slots=True)
class Incident:
    """Everything that was collected.

    Attributes:
        names: what stands for ids and users in records; None leaves records as they are.
        messages: records of those that were written.
        left_out: which queues have more of the messages that were chosen.
        unread: queues whose messages could not be read, or not to the end.
    """

    about: dict[str, Any]
    names: Pseudonyms | None
    parts: list[Part] = field(default_factory=list)
    definitions: str = ""
    messages: list[Record] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)

    def add(self, name: str, title: str, make: Callable[[], Result]) -> None:
        """Make one part, whose trouble is not that of the others."""
        try:
            result = make()
            if isinstance(result, Listing):
                result.items = list(result.items)
                if self.names is not None and name != MESSAGES:  # they were redacted as they came
                    result.items = [_hidden(self.names, record) for record in result.items]
                result.mqsc = None
            part = Part(name, title, result)
        except ConnectionFailed:
            raise
        except (NotFound, ObjectNotFound, Refused) as error:
            part = Part(name, title, problem=error.text, is_absent=True)
        except MQTriageError as error:
            part = Part(name, title, problem=error.text)
        self.parts.append(part)

    def id_note(self, part: Part) -> str:
        """What the ids of a part are, where they look like those of messages and are not."""
        rows = part.result.items if isinstance(part.result, Listing) else ()
        if self.names is None or not any(row.get(key) for row in rows for key in _IDS):
            return ""
        return (
            "the ids are hashes, so no queue contains a message with such a MsgId:"
            " --unredacted writes the real ids"
        )

    def message_counts(self) -> dict[str, int | None]:
        """How many messages of each queue were written; None of one that could not be read."""
        counts = Counter(record["queue"] for record in self.messages)
        return {
            name: counts[name] or (None if name in self.unread else 0)
            for name in self.about["queues"]
        }

    def problems(self) -> list[str]:
        """What could not be read."""
        problems = [
            f"{part.title}: {part.problem}"
            for part in self.parts
            if part.problem and not part.is_absent
        ]
        messages = [part.result for part in self.parts if part.name == MESSAGES]
        return problems + [text for result in messages if result for text in result.warnings]


def collect(backend: Backend, request: IncidentRequest, journal: Journal, folder: Path) -> Incident:
    """Collect all parts; the messages are written to *folder* as they are read.

    Raises:
        UsageError: No generic name.
        ObjectNotFound: 2085, where one queue was named and is not there.
        NotFound: No local queue has a generic name.
        ConnectionFailed: The connection was lost.
        StorageError: The messages cannot be written.
    """
    names = _queues(backend, request.patterns)
    with_backout = list(dict.fromkeys(n for name in names for n in _and_backout(backend, name)))
    redactor = None
    if not request.unredacted:
        redactor = Redactor(secrets.token_bytes(32), RedactionRequest(bodies=False))
    operations = ChosenOperations(backend.queue_manager, request.since_ms)
    incident = Incident(
        {
            "queue_manager": backend.queue_manager,
            "context": request.context or None,
            "time": rfc3339(backend.now_us()),
            "queues": with_backout,
            "redacted": not request.unredacted,
            **{k: v for k, v in describe(verbose=True).data.items() if k != "executable"},
        },
        None if redactor is None else redactor.names,
    )
    incident.add("problems", "What is wrong", lambda: _problems(backend, with_backout))
    incident.add("queue-status", "Queues", lambda: queues.statuses(backend, with_backout))
    incident.add("handles", "Open handles", lambda: _join(backend, with_backout, handles.who))
    settings = partial(_join, backend, with_backout, backout_policy.ls)
    incident.add("backout", "Backout settings", settings)
    if request.browse:
        poison = partial(_join, backend, names, pending)
        incident.add("backout-pending", "Poison messages not yet moved", poison)
        for kind, title, causes in _causes(backend, with_backout, journal):
            incident.add(kind, title, causes)
    incident.add("delay-status", "Staging queue", partial(delay_status.status, backend))
    if request.browse:
        make = partial(forecast, backend, bucket_ms=BUCKET_MS, horizon_ms=HORIZON_MS)
        incident.add("delay-forecast", "What becomes due", make)
        chosen = with_due_reading(backend, request.selection)
        path = folder / ARCHIVE
        incident.add(
            MESSAGES,
            "Messages",
            lambda: _copied(backend, with_backout, chosen, redactor, path, incident),
        )
    incident.add("journal", "Journal", lambda: _operations(journal, operations))
    incident.add("queue-manager", "Queue manager", lambda: _manager(backend))
    definitions = (queues.define(backend, backend.queue(name)) for name in with_backout)
    incident.definitions = "".join(f"{text}\n" for text in definitions)
    return incident


def _queues(backend: Backend, patterns: Sequence[str]) -> list[str]:
    """The local queues that are meant; of a name that is an alias, the queue behind it."""
    names: list[str] = []
    for pattern in patterns or ("*",):
        name = existing(backend, pattern, "incident")
        if not name.endswith("*"):
            names.append(name)
            continue
        local = [
            queue.name
            for queue in backend.queues(pattern)
            if queue.kind == "QLOCAL" and is_listed(queue.name, pattern)
        ]
        if patterns and not local:
            raise not_found(backend, pattern)
        if not patterns:
            wrong = {row["queue"] for row in queues.statuses(backend, local, problems=True).items}
            local = [name for name in local if name in wrong or backend.status(name).curdepth]
        names += local
    return list(dict.fromkeys(names))


def _problems(backend: Backend, names: Sequence[str]) -> Listing:
    """What keeps programs from putting or getting messages, as in `queue status --problems`."""
    listing = queues.statuses(backend, names, problems=True)
    if not listing.items:
        states = "full, closed to programs, or without a reader for a minute or more"
        raise NotFound(f"none of these queues is {states}")
    return listing


def _and_backout(backend: Backend, name: str) -> Iterator[str]:
    yield name
    boq = str(backend.queue(name).attributes.get("BOQNAME", "")).strip()
    try:
        if boq and backend.queue(boq).kind == "QLOCAL":
            yield boq
    except ConnectionFailed:
        raise
    except MQTriageError:  # the backout settings say that it is missing, or not for this user
        return


def _join(
    backend: Backend,
    names: Sequence[str],
    make: Callable[[Backend, str], Listing],
    number: str = "",
) -> Listing:
    if not names:
        raise NotFound("no queue contains messages")
    listings = [make(backend, name) for name in names]
    first = listings[0]
    items = [record for listing in listings for record in listing.items]
    if number:
        items = [{**record, number: at} for at, record in enumerate(items, 1)]
    notes = [text for listing in listings for text in listing.warnings]
    return Listing(first.kind, first.fields, items, warnings=notes, id_key=first.id_key)


def _causes(
    backend: Backend, names: Sequence[str], journal: Journal
) -> Iterator[tuple[str, str, Callable[[], Listing]]]:
    """Causes of what is on backout queues, and of dead letters."""
    backout_queues = _backout_queues(backend)
    poison = [name for name in names if name in backout_queues]
    if poison:
        origins = _origins(backend)
        title = "What poison messages have in common"
        if any(name in origins for name in poison):
            title += ", compared with messages on their input queue"
        causes = partial(_poison_causes, journal=journal, origins=origins)
        yield "backout-causes", title, lambda: _join(backend, poison, causes, "cause")
    yield (
        "dead-letter-causes",
        "Dead-lettered messages by reason",
        partial(_dead_letter_causes, backend),
    )


_COMPARED: Final = Selection(limit=MOST_COMPARED)


def _origins(backend: Backend) -> dict[str, str]:
    """The queue that each backout queue can be compared with, as `backout ls` suggests it."""
    settings = backout_policy.ls(backend)
    deque(settings.items, maxlen=0)  # its summary is whole once they have been read
    origins: dict[str, str] = settings.summary["comparable"]
    return origins


def _poison_causes(
    backend: Backend, queue: str, *, journal: Journal, origins: Mapping[str, str]
) -> Listing:
    against = origins.get(queue)
    make = partial(backout_causes.causes, backend, queue, _COMPARED, journal=journal)
    note = ""
    try:
        listing = make(against=against, healthy=_COMPARED)
        listing.items = list(listing.items)
        if against is not None and not listing.items:
            note = f"messages on {against} share all that those on {queue} have in common"
    except ConnectionFailed:
        raise
    except MQTriageError as error:
        if against is None:
            raise
        note = f"{queue} is not compared with {against}: {error.text}"
    if note:
        listing = make()
        listing.items = list(listing.items)
        listing.warnings.append(note)
    return _with_cut(backend, queue, listing)


def _dead_letter_causes(backend: Backend) -> Listing:
    listing = dlq_causes.causes(backend, None, _COMPARED)
    return _with_cut(backend, dead_letter_queue(backend), listing)


def _with_cut(backend: Backend, queue: str, listing: Listing) -> Listing:
    """The listing, which says where not all messages of the queue were compared."""
    curdepth = backend.status(queue).curdepth
    if curdepth > MOST_COMPARED:
        listing.warnings.append(
            f"{queue}: the first {MOST_COMPARED} of {count_text(curdepth)} were compared"
        )
    return listing


def _operations(journal: Journal, chosen: ChosenOperations) -> Listing:
    """The newest operations, and how many older ones were left out."""
    listing = journal_entries(journal, chosen._replace(limit=MOST_OPERATIONS))
    listing.fields = (*listing.fields, Field("change", "CHANGE", width=30))
    listing.items = ({**row, "change": _change(journal, row)} for row in listing.items)
    older = len(journal.ops(chosen)) - MOST_OPERATIONS
    if older > 0:
        listing.warnings.append(
            f"the last {MOST_OPERATIONS} operations; {count_text(older, 'older one')} left out"
        )
    return listing


def _change(journal: Journal, row: Mapping[str, Any]) -> str | None:
    """What an operation changed in definitions; None where that is not known."""
    with suppress(StorageError):
        change = read_change(journal, str(row["op"]))
        return (change_text(change, row["queue"] or "") or None) if change else None
    return None


def _backout_queues(backend: Backend) -> set[str]:
    """What BOQNAME of a queue names, but for the dead-letter queue, whose causes stand alone."""
    try:
        deadq = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
        boqs = {str(q.attributes.get("BOQNAME", "")).strip() for q in backend.queues()}
    except ConnectionFailed:
        raise
    except MQTriageError:  # not for this user
        return set()
    return boqs - {deadq, ""}


def _manager(backend: Backend) -> Document:
    """The queue manager's attributes, without those that hold a password or a key."""
    attributes = show_manager(backend).data["attributes"]
    kept = {k: v for k, v in attributes.items() if k not in SECRETS}
    return Document("QueueManager", {"queue_manager": backend.queue_manager, "attributes": kept})


def _copied(
    backend: Backend,
    names: Sequence[str],
    selection: Selection,
    redactor: Redactor | None,
    path: Path,
    incident: Incident,
) -> Listing:
    """Write the chosen messages as an archive; a queue that cannot be read is told.

    One more than `limit` is read of each queue, to see whether there are more.
    """
    listing = Listing("MessageList", MESSAGE_FIELDS, incident.messages)
    most = selection.limit
    one_more = selection if most is None else replace(selection, limit=most + 1)
    more: dict[str, Any] = {}
    if redactor is not None:
        more = {"redacted": {"key_id": redactor.names.key_id()}, "bodies": False}
    manager, at = backend.queue_manager, rfc3339(backend.now_us())
    with new_copy(path, queue="", queue_manager=manager, at=at, more=more) as file:
        for name in names:
            try:
                chosen = selected(backend, name, one_more)
                for number, read in enumerate(chosen):
                    if number == most:
                        incident.left_out.append(
                            f"{name} has more than {count_text(number)}: only the first"
                            f" {number} {agreeing(number, 'are')} included; --limit N includes more"
                        )
                        break
                    if redactor is None:
                        message = read
                        file.add(name, message, sha256(message.body).digest())
                    else:
                        message = redactor.redact(read)
                        hmac = {"body_hmac": redactor.names.body(read.body)}
                        file.add(name, message, None, body=False, more=hmac)
                    incident.messages.append(message_record(message, name, detail=False))
            except ConnectionFailed:
                raise
            except MQTriageError as error:
                listing.warnings.append(f"{name}: {error.text}")
                incident.unread.add(name)
    return listing


def _hidden(names: Pseudonyms, record: Record) -> Record:
    """A record without what programs wrote into messages, and who they ran as."""
    hidden = dict(record)
    for key in _IDS:
        if record.get(key):
            _, start, digits = str(record[key]).rpartition("ID:")
            hidden[key] = start + names.ident(bytes.fromhex(digits)).hex().upper()
    if "msg_id" in record:  # as in the descriptors of the archive: the files can be joined
        for key, name in (("user_identifier", names.user), ("appl_identity_data", names.text)):
            hidden |= {key: name(str(record[key]))} if record.get(key) else {}
        if token := record.get("accounting_token"):
            hidden["accounting_token"] = names.token(bytes.fromhex(str(token))).hex().upper()
    if "where" in record and "share_percent" in record:
        hidden["where"] = masked_where(str(record["where"]))
        hidden |= {key: None for key in ("selector", "rule", "rule_toml") if key in record}
        if also := record.get("also_share"):
            hidden["also_share"] = [masked_where(str(text)) for text in also]
    if record.get("command"):
        hidden["command"] = masked_command(str(record["command"]), record)
    return hidden


def masked_command(command: str, record: Record) -> str | None:
    """A command line with its verb, queues and options; of other values, only harmless ones stay.

    A condition keeps its fields. What else stands there can be message data, an id or a file name.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    kept = {str(record[key]) for key in ("queue", "target", "queue_manager") if record.get(key)}
    shown: list[str] = []
    option = ""
    leading = True
    for place, word in enumerate(words):
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            leading = False
            value = _masked_value(option, value, kept)
            shown.append(f"{option}={value}" if equals else word)
            option = "" if equals else option
            continue
        leading = leading and place <= _VERB_WORDS and _VERB_WORD.match(word) is not None
        shown.append(word if leading else _masked_value(option, word, kept))
        option = ""
    return " ".join(
        word if word.endswith("***") and " " not in word else shell_word(word) for word in shown
    )


def _masked_value(option: str, value: str, kept: Collection[str]) -> str:
    if value in kept or option in _HARMLESS:
        return value
    if option == "--where":
        with suppress(MQTriageError):
            return masked_where(value)
    return "***"


def masked_where(text: str) -> str:
    """A condition without the values that programs wrote: ``format = 'MQSTR' AND body.iban = ***``.

    The fields stay, since they are what a program is looked at for.
    """
    tree = parse_where(text)
    parts = top_level_parts(tree)
    several = len(parts) > 1
    return " AND ".join(
        f"({_masked_part(part)})" if several and isinstance(part, Or) else _masked_part(part)
        for part in parts
    )


def _masked_part(part: Any) -> str:
    tests = [leaf for leaf in leaves(part) if not isinstance(leaf, IsNull)]
    if not any(t.field.startswith(("prop.", "body.")) or t.field in _PRIVATE for t in tests):
        return to_text(part)
    words = (t.op if isinstance(t, Compare) else t.kind.upper() for t in tests)
    masked = (f"{field_text(t.field)} {word} ***" for t, word in zip(tests, words, strict=True))
    return " or ".join(dict.fromkeys(masked))
