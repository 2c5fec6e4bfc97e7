"""`msg load`: put the messages of a file on a queue, as they were when they were written.

The file is read twice: first as a whole, for the plan, so that one that is damaged or that the
queue cannot take is refused before anything is put; then again, a batch at a time (`puts`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import field
from typing import IO, Final, Literal, TypeAlias

from mqtriage.backends.name_resolution import leaves, put_path
from mqtriage.backends.port import Backend, Match
from mqtriage.files.compressed import CompressedDamage
from mqtriage.messages import stored_messages
from mqtriage.messages.archive_outcomes import LeftOut, Outcomes, without_left_out
from mqtriage.messages.records import WITHOUT_DATA
from mqtriage.messages.stored_messages import LONGEST_LINE
from mqtriage.model.plan import Plan, PlannedMessage, Refusal
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text
from mqtriage.mq import cmqc
from mqtriage.mq.descriptor import NO_ID
from mqtriage.mq.dumps import dumpfile
from mqtriage.mq.dumps.entry import Damaged, Entry
from mqtriage.mq.errors import StorageError
from mqtriage.mq.message import Message
from mqtriage.mq.times import rfc3339
from mqtriage.operations.archive.files import verify_hint
from mqtriage.operations.archive.outcomes import outcomes_in
from mqtriage.operations.archive.reading import Watch
from mqtriage.operations.copies.copy import CopyOptions, copy_of
from mqtriage.operations.copies.request import nothing_to_pass
from mqtriage.operations.engine.outlets import ask_target
from mqtriage.operations.engine.plan import (
    backout_count_note,
    count_dropped,
    dropped_note,
    lifetime_warning,
    put_refusals,
    remote_note,
)
from mqtriage.operations.selection.planned import is_alike, is_same, to_planned
from mqtriage.operations.selection.spool import Spool, planned_messages
from mqtriage.records import NamedTuple, dataclass

BATCH: Final = 100
"""Messages per unit of work."""
Duplicates: TypeAlias = Literal["put", "refuse", "same", "alike"]
_TRANSMITTED: Final = cmqc.MQFMT_XMIT_Q_HEADER.rstrip()


@dataclass(slots=True)
class LoadRequest:
    """What is to be loaded.

    Attributes:
        file: open and seekable; *name* is what the user called it.
        copy: how what is put differs from what was written.
        skip_damaged: load the rest of a damaged file.
        choose: which messages of the file are meant; None means all.
        watch: sees all of the file while it is planned; *warnings* then has what it found.
        skip, limit: of these, how many are left out first, and how many are meant then.
        duplicates: what is on the queue already is "put" all the same; or "refuse" the load of it
            (MsgId and data are alike); or it is left out when all its marks are the "same", or
            MsgId and data "alike".
        path: where a resume finds the file; "" where it cannot be read again.
    """

    file: IO[bytes]
    name: str
    target: str
    copy: CopyOptions
    batch: int | None = None
    skip_damaged: bool = False
    action: str = "load"
    choose: Callable[[stored_messages.Numbered], bool] | None = None
    watch: Watch | None = None
    warnings: list[str] = field(default_factory=list)
    skip: int = 0
    limit: int | None = None
    duplicates: Duplicates = "put"
    path: str = ""


@dataclass(slots=True)
class Scan:
    """A whole file: how much is in it, and what of it cannot or must not be put.

    Attributes:
        others: some whole messages are not meant.
        damaged: the first ones, without their data; *damages* is how many there are.
        held: line of a message to why it stays out.
        text_lines: T lines gave some of the data, and nobody knows which newlines were in it.
        rolled_back: messages with a BackoutCount, which a put starts again at 0.
        dropped: what is lost with MQRFH2s (`dropped_note`).
        edited: messages whose text has another length than the listing says.
        edits: messages of a dump that have another length than their comment says.
        choices: which of two keys of a listing is used that differ, and in how many messages.
        without_header: messages that do not begin with an MQXQH.
        redacted: it is a copy without ids, users and what was masked.
        planned, lines: of each message that is meant.
        copies: each as it would be put, if that changes its data; otherwise empty.
    """

    others: bool = False
    damages: int = 0
    count: int = 0
    length_bytes: int = 0
    largest_bytes: int = 0
    damaged: list[str] = field(default_factory=list)
    held: dict[int, str] = field(default_factory=dict)
    text_lines: bool = False
    rolled_back: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    edited: int = 0
    edits: stored_messages.Edits = field(default_factory=stored_messages.Edits)
    choices: Counter[str] = field(default_factory=Counter)
    without_header: int = 0
    redacted: bool = False
    planned: Spool[PlannedMessage] = field(default_factory=planned_messages)
    lines: array[int] = field(default_factory=lambda: array("Q"))
    copies: Spool[PlannedMessage] = field(default_factory=planned_messages)

    def damage(self, line: int, text: str) -> None:
        """Note a damage; a file of nothing else must not fill the memory."""
        self.damages += 1
        if self.damages <= stored_messages.NAMED:
            self.damaged.append(f"line {line}: {text}")


@dataclass(slots=True)
class LoadPlan:
    """The plan as it is shown, and what of the file stays out.

    Attributes:
        duplicates: lines of messages that are on the queue already.
    """

    plan: Plan
    scan: Scan
    duplicates: set[int]


class _There(NamedTuple):
    """Which messages of a file are already on the queue.

    Attributes:
        lines: of messages that are there as they would be put.
        others: how many MsgIds of the rest are on the queue, in different messages.
        differs: what is different in those.
    """

    lines: set[int]
    others: int = 0
    differs: str = ""


def plan_load(backend: Backend, request: LoadRequest) -> LoadPlan:
    """Read the file and look at the queue; nothing is changed.

    Raises:
        UsageError: The context is to be passed on, and nothing is got that has one.
    """
    if request.copy.context == "pass":
        raise nothing_to_pass(request.action)
    path = put_path(backend, request.target, f"open {request.target}")
    scan = _scan(request)
    seeks_duplicates = request.duplicates != "put" and not leaves(path)
    there = _there(backend, request, scan) if seeks_duplicates else _There(set())
    plan = Plan(
        request.action,
        request.target,
        count=scan.count,
        facts={
            "file": request.name,
            "length_bytes": scan.length_bytes,
            "batch": request.batch or BATCH,
        },
    )
    if request.copy.expires_at_us is not None:
        plan.facts["expires_at"] = rfc3339(request.copy.expires_at_us)
    plan.warnings += request.warnings
    plan.staying = len(scan.held)
    plan.refusals += _refusals(request, scan, len(there.lines))
    plan.notes += _notes(request, scan, there)
    is_to_channel = path[0].kind == "QLOCAL" and path[0].attributes.get("USAGE") == "XMITQ"
    if is_to_channel and scan.without_header:
        plan.warnings.append(
            f"{request.target} is a transmission queue, and {count_text(scan.without_header)}"
            " without MQXQH: a channel cannot send such messages, so they go to the dead-letter"
            " queue"
        )
    plan.notes += remote_note(path)
    lifetimes = (message.expiry_tenths for message in scan.planned)
    plan.warnings += lifetime_warning(backend, path, lifetimes, request.copy)
    if request.duplicates != "put" and not seeks_duplicates:
        plan.notes.append(
            "messages that are already there cannot be seen, so they would be put again"
        )
    plan.refusals += put_refusals(
        backend,
        path,
        scan.count - len(scan.held),
        0 if request.copy.strip else scan.largest_bytes,
        choosable=False,
    )
    ask_target(backend, request.target, request.copy.context)
    return LoadPlan(plan, scan, there.lines)


def _refusals(request: LoadRequest, scan: Scan, duplicates: int) -> list[Refusal]:
    """Why the file is not loaded as it is, each with what to do."""
    refusals = []
    if (damages := _damages(scan)) and not request.skip_damaged:
        whole = "--skip-damaged loads the undamaged messages"
        hint = whole if scan.count else undamaged_hint(request.name, has_others=scan.others)
        if not scan.count and request.action == "restore":
            hint = verify_hint(request.name)
        refusals.append(Refusal(f"{request.name}: {'; '.join(damages)}", hint))
    if duplicates and request.duplicates == "refuse":
        are = "is" if duplicates == 1 else "are"
        there = f"{duplicates} of the messages {are} already on {request.target}"
        more = "--allow-duplicates puts them again, --new-msgid puts them as new messages"
        more += "; --msgid or --where selects others" if scan.count > duplicates else ""
        refusals.append(Refusal(there, more))
    return refusals


def _notes(request: LoadRequest, scan: Scan, there: _There) -> list[str]:
    """What is left out, what is there already, and what is not put as it was."""
    notes = [f"left out, {text}" for text in _damages(scan) if request.skip_damaged]
    if scan.redacted:
        notes.append(
            "the file is a redacted copy: its ids, users and masked values are not the originals"
        )
    for why, count in Counter(scan.held.values()).items():
        notes.append(f"{count} of them will be skipped: {why}")
    if there.lines and request.duplicates != "refuse":
        are = "is" if len(there.lines) == 1 else "are"
        notes.append(f"{len(there.lines)} {are} already on {request.target}")
    if there.others:
        are = "MsgId is" if there.others == 1 else "MsgIds are"
        notes.append(
            f"{there.others} {are} already on {request.target}, with different {there.differs}"
        )
    if scan.text_lines:
        notes.append(
            "T lines are not byte-exact: each adds a newline, even if the original had none"
        )
    notes += backout_count_note(scan.rolled_back)
    notes += dropped_note(scan.dropped)
    if request.copy.context == "default":
        notes.append("put time, user and program of the originals are lost")
    if scan.edited:
        notes.append(
            f"{count_text(scan.edited)} with a different length from the listing: the edited text"
            " is used"
        )
    notes += scan.edits.notes()
    return [*notes, *(f"{count_text(n)} where {text}" for text, n in scan.choices.items())]


def _damages(scan: Scan) -> list[str]:
    unnamed = scan.damages - stored_messages.NAMED
    more = [f"{unnamed} more"] if unnamed > 0 else []
    return [*scan.damaged, *more]


# the file ----------------------------------------------------------------------------------------


def _is_ndjson(file: IO[bytes]) -> bool | None:
    """Whether the first character that is no blank begins a JSON object; None where there is none.

    A listing of a queue without messages is empty, and so is what comes of it.
    """
    file.seek(0)
    with suppress(CompressedDamage):  # what follows is told by who reads the file
        for line in _whole_lines(file):
            if line.strip():
                return line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{")
        return None
    return True


def read_stored(
    file: IO[bytes], seal: stored_messages.Seal | None = None
) -> Iterator[stored_messages.Stored]:
    """What an NDJSON file or a dump holds, from its start.

    Args:
        seal: knows in the end whether an archive is whole.
    """
    seal = seal or stored_messages.Seal()
    ndjson = _is_ndjson(file)
    if ndjson is None:
        return
    file.seek(0)
    read = 0

    def heard() -> Iterator[bytes]:
        nonlocal read
        for line in _whole_lines(file):
            read += 1
            yield line
            seal.hear(line)

    try:
        if ndjson:
            for stored in stored_messages.read(heard()):
                seal.see(stored)
                yield stored
            return
        for entry in dumpfile.read(heard()):
            one = entry if isinstance(entry, Damaged) else stored_messages.Numbered(entry, 0)
            seal.see(one)
            yield one
    except CompressedDamage as error:
        damaged = Damaged(read + 1, f"{error.text}, behind {read} whole lines")
        seal.see(damaged)
        yield damaged


def undamaged(name: str, file: IO[bytes], warnings: list[str]) -> Iterator[stored_messages.Stored]:
    """What the file *name* holds, to the first damage; of an archive, what left its queue.

    *warnings* get what an archive lacks, and how many messages stayed on their queue.

    Raises:
        StorageError: It is damaged; the hint says what can still be read of it.
    """
    has_messages = False
    seal = stored_messages.Seal()
    left_out = LeftOut()
    stored = without_left_out(read_stored(file, seal), _outcomes(name, file), left_out)
    for one in stored:
        if isinstance(one, Damaged):
            if seal.begun is not None:
                hint = verify_hint(name)
            else:
                has_messages = has_messages or any(
                    isinstance(rest, stored_messages.Numbered) for rest in stored
                )
                hint = undamaged_hint(name, has_others=has_messages)
            raise StorageError(f"{name}, line {one.line}: {one.text}", hint=hint)
        has_messages = has_messages or isinstance(one, stored_messages.Numbered)
        yield one
    skipped = [f"{name}: {text}" for text in left_out.sentences()]
    warnings += [text for text in (*skipped, *seal.warnings(name)) if text not in warnings]


def _outcomes(name: str, file: IO[bytes]) -> list[Outcomes]:
    """What became of the messages in the archives of a file, as far as it can be read."""
    file.seek(0)
    lines: list[Outcomes] = []
    with suppress(CompressedDamage):  # `read_stored` tells of it
        lines = outcomes_in(name, _whole_lines(file))
    return lines


def undamaged_hint(name: str, *, has_others: bool) -> str:
    """What to do with a damaged file that *has_others*: undamaged messages."""
    if not has_others:
        return stored_messages.readable_hint(name)
    return f"mqtriage archive ls {shell_word(name)} lists the undamaged messages"


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file.

    Raises:
        CompressedDamage: Behind the last whole line of compressed data that is damaged or cut.
    """
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise StorageError(
                f"a line has more than {LONGEST_LINE} bytes, which no message has",
                hint="not a file that msg archive wrote",
            )
        yield line


def messages_of(request: LoadRequest) -> Iterator[Entry]:
    """All messages of the file; the lines of the plan decide which of them are put."""
    for line in read_stored(request.file):
        if isinstance(line, stored_messages.Numbered):
            yield line.entry


def _scan(request: LoadRequest) -> Scan:
    """Read the whole file; memory holds its damages and the numbers of what is not settled."""
    scan = Scan()
    seen = meant = 0
    end = None if request.limit is None else request.skip + request.limit
    action = ""
    seal = stored_messages.Seal()
    open_lines: dict[int, int] = {}
    stored: Iterable[stored_messages.Stored] = read_stored(request.file, seal)
    for record in stored if request.watch is None else request.watch(stored):
        if isinstance(record, Damaged):
            scan.damage(record.line, record.text)
        elif isinstance(record, stored_messages.Begun):
            action = record.action
            scan.redacted = scan.redacted or record.redacted
        elif isinstance(record, stored_messages.ArchiveEnd):
            pass  # the seal has seen it
        elif isinstance(record, stored_messages.Settled):
            _settle(scan, open_lines, record)
        else:
            seen += 1
            if request.choose is not None and not request.choose(record):
                scan.others = True
                continue
            meant += 1
            if meant <= request.skip or (end is not None and meant > end):
                continue
            if record.length_bytes is not None:
                scan.damage(record.entry.line, WITHOUT_DATA)
                continue
            scan.count += 1
            scan.rolled_back += record.entry.md.backout_count > 0
            scan.edited += record.is_edited
            scan.edits.see(record.entry)
            scan.choices.update(record.choices)
            scan.text_lines = scan.text_lines or record.entry.text_lines
            length = len(record.entry.body)
            message = Message(record.entry.md, record.entry.body, length)
            if not request.copy.keeps_data:
                copy = copy_of(message, request.copy)
                if isinstance(copy, str):
                    scan.held[record.entry.line] = copy  # the act asks the same
                    scan.copies.append(to_planned(message))
                else:
                    count_dropped(scan.dropped, request.copy, message)
                    scan.copies.append(to_planned(Message(copy.md, copy.body, len(copy.body))))
            scan.without_header += record.entry.md.format != _TRANSMITTED
            scan.planned.append(to_planned(message))
            scan.lines.append(record.entry.line)
            scan.length_bytes += length
            scan.largest_bytes = max(scan.largest_bytes, length)
            if action not in ("", stored_messages.COPY):
                open_lines[record.number] = record.entry.line
    for line in open_lines.values():
        scan.held[line] = "no Commit line records that it left its queue"
    ended = seal.ended
    if action == stored_messages.COPY and ended is None:
        scan.damage(1, "the archive has no End line: it was truncated")
    elif ended is not None and ended.messages != seen and not scan.damages:
        scan.damage(1, f"it has {count_text(seen)}, the End line says {ended.messages}")
    elif seal.was_changed and not scan.damages:
        scan.damage(1, "the digest in the End line differs: the archive was changed")
    return scan


def _there(backend: Backend, request: LoadRequest, scan: Scan) -> _There:
    """What is on the queue as it would be put: as many of a kind as are there, the first ones.

    They are taken off what the scan has counted, where the others are loaded.
    """
    keeps_time = request.copy.context != "default"  # else the queue manager gives the put time
    is_there = is_same if request.duplicates == "same" and keeps_time else is_alike
    lines: set[int] = set()
    others: set[bytes] = set()
    remaining: dict[tuple[object, ...], int] = {}
    with_id: Counter[bytes] = Counter()
    copies = scan.planned if request.copy.keeps_data else scan.copies
    with closing(
        backend.open(request.target, cmqc.MQOO_BROWSE | cmqc.MQOO_FAIL_IF_QUIESCING)
    ) as handle:
        for line, message, copy in zip(scan.lines, scan.planned, copies, strict=True):
            if line in scan.held:
                continue
            key = copy[:6] if is_there is is_same else (copy.msg_id, copy.digest)
            if key not in remaining:
                there = [is_there(copy, one) for one in handle.browse(Match(msg_id=copy.msg_id))]
                if there:  # the rest of a file would fill the memory
                    remaining[key] = sum(there)
                    with_id.setdefault(copy.msg_id, len(there))
            if remaining.get(key):
                remaining[key] -= 1
                with_id[copy.msg_id] -= 1
                lines.add(line)
                if request.duplicates != "refuse":
                    scan.count -= 1
                    scan.length_bytes -= message.length_bytes
            elif with_id[copy.msg_id] > 0 and copy.msg_id != NO_ID:  # else it gets a new id
                others.add(copy.msg_id)
    differs = "content, CorrelId or put time" if is_there is is_same else "content"
    return _There(lines, sum(with_id[msg_id] > 0 for msg_id in others), differs)


def _settle(scan: Scan, open_lines: dict[int, int], settled: stored_messages.Settled) -> None:
    for number in settled.numbers:
        line = open_lines.pop(number, None)
        if line is not None and not settled.committed:
            scan.held[line] = "it was backed out: it stayed on its queue"
