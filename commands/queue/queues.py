"""`mqtriage queue ls|show|status`: definitions and depth, without browsing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import starmap
from typing import Any, Final, TypeAlias

from mqtriage.backends.name_resolution import alias_base, case_notes, local_queue
from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition, QueueStatus
from mqtriage.commands.queue.conditions import PERCENT_FULL
from mqtriage.definitions.backout_policy import routes_of
from mqtriage.model.result import (
    Document,
    Field,
    Listing,
    Record,
    Show,
    column,
    columns_of,
    keys_of,
)
from mqtriage.model.units import count_text, humane_duration
from mqtriage.mq.attributes.catalogue import attributes_of, values_to_set
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import ConnectionFailed, MQIError
from mqtriage.mq.mqsc.format import define_text
from mqtriage.mq.mqsc.where import Filter
from mqtriage.mq.names import check_generic_name, check_queue_name, is_listed, is_system
from mqtriage.mq.times import rfc3339
from mqtriage.records import dataclass


@dataclass(slots=True, kw_only=True)
class QueueRecord:
    """A queue of `queue ls`; what is not shown is None.

    The heading of what is an attribute in DISPLAY QUEUE or DISPLAY QSTATUS is its keyword there.
    """

    queue: str = column("QUEUE", Show.NAME, width=24)
    type: str = column("TYPE", width=6, yields=7)
    curdepth: int | None = column("CURDEPTH", Show.NUMBER)
    maxdepth: int | None = column("MAXDEPTH", Show.NUMBER, yields=6)
    percent_full: float | None = column("%FULL", Show.NUMBER, yields=1)
    put: str | None = column("PUT", yields=5)
    get: str | None = column("GET", yields=3)
    bothresh: int | None = column("BOTHRESH", Show.NUMBER, yields=4)
    boqname: str | None = column("BOQNAME", Show.NAME, yields=2)
    target: str | None = column("TARGET", Show.NAME, yields=8)
    maxmsgl_bytes: int | None = column("MAXMSGL", Show.BYTES, wide=True)
    uncommitted: int | None = column("UNCOMMITTED", Show.NUMBER, wide=True)
    ipprocs: int | None = column("IPPROCS", Show.NUMBER, wide=True)
    opprocs: int | None = column("OPPROCS", Show.NUMBER, wide=True)
    oldest_put_time: str | None = column("OLDEST_PUT", Show.TIME, wide=True)
    description: str | None = column("DESCR", wide=True)


FIELDS: Final = columns_of(QueueRecord)
LONG_UNREAD_MS: Final = 60_000
Names: TypeAlias = frozenset[str]
NamesIfListed: TypeAlias = Callable[[], Names | None]
QUEUE_KINDS: Final = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")


def attribute_fields(columns: Sequence[str]) -> tuple[Field, ...]:
    """A column for each of *columns* that is an attribute of queues and not in `FIELDS`."""
    keys = {key for field in FIELDS for key in (field.key, field.heading.lower())}
    keywords = (entry.keyword for kind in QUEUE_KINDS for entry in attributes_of(kind))
    known = dict.fromkeys(keyword.lower() for keyword in keywords)
    asked = dict.fromkeys(column.lower() for column in columns)
    return tuple(
        Field(key, key.upper(), wide=True) for key in asked if key in known and key not in keys
    )


def ls(
    backend: Backend,
    patterns: Sequence[str] = ("*",),
    *,
    system: bool = False,
    columns: Sequence[str] = (),
    conditions: Sequence[Filter] = (),
) -> Listing:
    """List the queues that MQSC generic names name, each once.

    Args:
        system: those of the system as well, which ``*`` leaves out.
        columns: attributes of DISPLAY QUEUE that each record has too, by keyword.
        conditions: on attributes, as `read_conditions` reads them; all of them hold.
    """
    for pattern in patterns:
        check_generic_name(pattern)
        if not pattern.endswith("*"):
            backend.queue(pattern)
    named = {condition.keyword.lower() for condition in conditions}
    more = tuple(
        field._replace(wide=field.key not in named)
        for field in attribute_fields((*columns, *named))
    )
    listing = Listing("QueueList", FIELDS + more, (), id_key="queue")
    listing.warnings += case_notes(backend, patterns)

    def record_of(definition: ObjectDefinition, record: QueueRecord) -> Record:
        attributes = definition.attributes
        return keys_of(record) | {field.key: attributes.get(field.heading) for field in more}

    listing.items = starmap(record_of, _records(backend, patterns, system, conditions, listing))
    listing.mqsc = lambda record: define(backend, backend.queue(record["queue"]))
    return listing


def _records(
    backend: Backend,
    patterns: Sequence[str],
    system: bool,
    conditions: Sequence[Filter],
    listing: Listing,
) -> Iterator[tuple[ObjectDefinition, QueueRecord]]:
    queues = messages = 0
    seen: set[str] = set()
    for pattern, definition in ((p, queue) for p in patterns for queue in backend.queues(p)):
        name = definition.name
        if name in seen or not is_listed(name, pattern, system=system):
            continue
        seen.add(name)
        record = _record(backend, definition)
        if not keeps(conditions, record, definition.attributes):
            continue
        queues += 1
        messages += record.curdepth or 0
        yield definition, record
    listing.summary.update(queues=queues, message_count=messages)


def keeps(conditions: Sequence[Filter], record: QueueRecord, attributes: Mapping[str, Any]) -> bool:
    """Whether all conditions hold for a queue; none holds for an attribute that it does not have.

    Args:
        attributes: of DISPLAY QUEUE, beside those in the record.
    """
    values = {field.heading: getattr(record, field.key) for field in FIELDS}
    if record.percent_full is not None:
        values[PERCENT_FULL] = round(10 * record.percent_full)
    held = {**attributes, **{key: value for key, value in values.items() if value is not None}}
    return all(one.keeps(record.type, held.get(one.keyword)) for one in conditions)


def _record(backend: Backend, definition: ObjectDefinition) -> QueueRecord:
    name, kind, shown = definition.name, definition.kind, dict(definition.attributes)
    if kind != "QLOCAL":
        of_any_kind = ("PUT", "GET", "TARGET", "DESCR")
        return queue_record(name, kind, {key: shown[key] for key in of_any_kind if key in shown})
    status = backend.status(name)
    shown |= {"CURDEPTH": status.curdepth, "IPPROCS": status.ipprocs, "OPPROCS": status.opprocs}
    record = queue_record(name, kind, shown)
    record.uncommitted = status.uncommitted
    record.oldest_put_time = time_text(status.oldest_put_time_us)
    return record


def queue_record(name: str, kind: str, shown: Mapping[str, Any]) -> QueueRecord:
    """The record of `queue ls`; what is not *shown* is None.

    Args:
        shown: attributes of DISPLAY QUEUE and DISPLAY QSTATUS.
    """
    values: dict[str, Any] = {field.key: shown.get(field.heading) for field in FIELDS}
    record = QueueRecord(**values | {"queue": name, "type": kind})
    if isinstance(record.curdepth, int):
        record.percent_full = percent_full(record.curdepth, record.maxdepth)
    return record


def percent_full(curdepth: int, maxdepth: object) -> float | None:
    """CURDEPTH in percent of MAXDEPTH, one digit behind the point; 100 only where it is full."""
    if not isinstance(maxdepth, int):
        return None
    if not maxdepth:
        return 100.0
    percent = round(100 * curdepth / maxdepth, 1)
    return 99.9 if percent == 100 and curdepth < maxdepth else percent


def time_text(time_us: int | None) -> str | None:
    """RFC 3339, or None for a time that is not known."""
    return None if time_us is None else rfc3339(time_us)


def define(backend: Backend, definition: ObjectDefinition) -> str:
    """The DEFINE that makes this very queue on a queue manager of the same platform."""
    return define_text(definition.kind, definition.name, settable(backend, definition))


def settable(backend: Backend, definition: ObjectDefinition) -> dict[str, AttributeValue]:
    """Those of its attributes that DEFINE and ALTER take on this platform."""
    return values_to_set(definition.kind, definition.attributes, backend.platform)


_FIRST: Final = (
    "type", "TARGET", "RNAME", "RQMNAME", "MAXDEPTH", "BOTHRESH", "BOQNAME", "PUT",
    "GET", "MAXMSGL", "CAPEXPRY", "DEFPSIST", "ALTDATE", "DESCR",
)  # fmt: skip
"""What a listing of several begins with."""


def show(backend: Backend, name: str) -> Document:
    """Every attribute of a queue, in the order of DISPLAY QUEUE."""
    definition = backend.queue(check_queue_name(name))
    document = Document(
        "QueueDefinition",
        {"queue": definition.name, "type": definition.kind},
        mqsc=define(backend, definition),
        first=_FIRST,
    )
    if definition.kind == "QALIAS":
        problem = alias_problem(backend, definition)
        document.data["alias_problem"] = problem
        if problem:
            document.warnings.append(problem)
    values = in_display_order(definition)
    document.data["attributes"] = values
    title = f"{definition.kind}({definition.name})"
    pairs = tuple((key, "' '" if value == "" else str(value)) for key, value in values.items())
    document.sections = ((title, pairs),)
    return document


def in_display_order(definition: ObjectDefinition) -> dict[str, Any]:
    """The attributes as DISPLAY orders them, those that the tables do not know at the end."""
    given = definition.attributes
    known = [a.keyword for a in attributes_of(definition.kind) if a.keyword in given]
    return {k: given[k] for k in (*known, *(k for k in given if k not in set(known)))}


def alias_problem(backend: Backend, alias: ObjectDefinition) -> str:
    """What an application that opens the alias would be told, "" when it leads to a queue."""
    if alias.attributes.get("TARGTYPE") == "TOPIC":
        return ""
    try:
        alias_base(backend, alias, f"open {alias.name}")
    except MQIError as error:
        return error.text
    return ""


STATUS_FIELDS: Final = (
    Field("queue", "QUEUE", Show.NAME, width=24),
    Field("curdepth", "CURDEPTH", Show.NUMBER),
    Field("maxdepth", "MAXDEPTH", Show.NUMBER, yields=6),
    Field("percent_full", "%FULL", Show.NUMBER, wide=True),
    Field("uncommitted", "UNCOM", Show.NUMBER),
    Field("ipprocs", "IPPROCS", Show.NUMBER, yields=2),
    Field("opprocs", "OPPROCS", Show.NUMBER, yields=3),
    Field("oldest_put_time", "OLDEST_PUT", Show.TIME, wide=True),
    Field("oldest_age_ms", "MSGAGE", Show.AGE_MS, yields=1),
    Field("last_put_time", "LAST_PUT", Show.TIME, yields=5),
    Field("last_get_time", "LAST_GET", Show.TIME, yields=4),
    Field("put", "PUT", wide=True),
    Field("get", "GET", wide=True),
    Field("problem", "PROBLEM"),
)


def statuses(backend: Backend, names: Sequence[str], *, problems: bool = False) -> Listing:
    """What `status` shows, in one row for each local queue; only those with *problems* if asked."""
    for_people = once_if_listed(backend, queues_for_people)
    every = (_document(backend, name, for_people).data for name in names)
    items = [item for item in every if item["problem"] or not problems]
    return Listing("QueueStatusList", STATUS_FIELDS, items, {"queues": len(items)}, id_key="queue")


def status(backend: Backend, name: str) -> Document:
    """Depth, handles and ages of a local queue, or of the one that an alias names."""
    return _document(backend, name, once_if_listed(backend, queues_for_people))


def _document(backend: Backend, name: str, for_people: NamesIfListed) -> Document:
    definition, note = local_queue(backend, name, f"status of {name}")
    status, now_us = backend.status(definition.name), backend.now_us()
    document = Document("QueueStatus", _status(definition, status, now_us, for_people))
    if note:
        document.warnings.append(note)
    return document


def queues_for_people(backend: Backend) -> Names:
    """The backout queues and the dead-letter queue, from which usually no program reads."""
    deadq = str(backend.queue_manager_attributes().get("DEADQ", ""))
    return backout_queues(backend) | {deadq}


def backout_queues(backend: Backend) -> Names:
    """The queues that a BOQNAME leads to."""
    return frozenset(routes_of({queue.name: queue for queue in backend.queues()}).users)


def once_if_listed(backend: Backend, read: Callable[[Backend], Names]) -> NamesIfListed:
    """Names that need a list of all queues, read when first needed; None without such a list.

    MQINQ takes one name, so a queue manager lists no queues without the command server.
    """

    @cache
    def names() -> Names | None:
        try:
            return read(backend)
        except ConnectionFailed:
            raise
        except MQIError:
            return None

    return names


def lacks_reader(
    definition: ObjectDefinition, status: QueueStatus, now_us: int, for_people: NamesIfListed
) -> bool:
    """Whether messages have waited for `LONG_UNREAD_MS` or more, and no program has it open.

    A program that is started by a trigger needs a moment. If the age of the messages is unknown
    (MONQ is off), they count. IPPROCS of a shared queue leaves out the other queue managers.
    If nobody tells which queues are for people, no queue lacks a reader.
    """
    if not status.curdepth or status.ipprocs or definition.attributes.get("GET") == "DISABLED":
        return False
    if is_system(definition.name) or definition.attributes.get("QSGDISP") == "SHARED":
        return False
    oldest = status.oldest_put_time_us
    if oldest is not None and now_us - oldest < LONG_UNREAD_MS * 1000:
        return False
    known = for_people()
    return known is not None and definition.name not in known


def reading_text(backend: Backend, name: str, *, several: bool = False) -> str:
    """Whether anybody reads a queue on which messages wait; "" where none do.

    The delivery delay processor reads its queue by due times, so nothing is said of that.

    Args:
        several: there is such a text of each queue manager, so it names its own.
    """
    definition = local_queue(backend, name, f"status of {name}")[0]
    queue = definition.name
    status, now_us = backend.status(queue), backend.now_us()
    if not status.curdepth or queue == STAGING_QUEUE:
        return ""

    def ago(time_us: int) -> str:
        return f"{humane_duration(max(0, now_us - time_us) // 1_000)} ago"

    where = f"{queue} at {backend.queue_manager}" if several else queue
    waiting = count_text(status.curdepth)
    if backend.insight is not None and (expired := backend.insight.lifetimes(queue).expired):
        waiting += f" ({expired} expired)"
    if status.oldest_put_time_us is not None:
        waiting += f", the oldest put {ago(status.oldest_put_time_us)}"
    if definition.attributes.get("GET") == "DISABLED":
        return f"{where}: GET(DISABLED), so no program can get a message; {waiting}"
    if not status.ipprocs:
        return f"{where}: no program has it open for input; {waiting}"
    last = status.last_get_time_us
    gets = "no get is recorded" if last is None else f"last get {ago(last)}"
    readers = f"{count_text(status.ipprocs, 'handle')} open for input"
    return f"{where}: {readers}, {gets}; {waiting}"


def _status(
    definition: ObjectDefinition, status: QueueStatus, now_us: int, for_people: NamesIfListed
) -> dict[str, Any]:
    maxdepth = definition.attributes.get("MAXDEPTH")
    oldest = status.oldest_put_time_us
    return {
        "queue": definition.name,
        "curdepth": status.curdepth,
        "maxdepth": maxdepth,
        "percent_full": percent_full(status.curdepth, maxdepth),
        "uncommitted": status.uncommitted,
        "ipprocs": status.ipprocs,
        "opprocs": status.opprocs,
        "oldest_put_time": time_text(oldest),
        "oldest_age_ms": None if oldest is None else max(0, now_us - oldest) // 1000,
        "last_put_time": time_text(status.last_put_time_us),
        "last_get_time": time_text(status.last_get_time_us),
        "put": definition.attributes.get("PUT"),
        "get": definition.attributes.get("GET"),
        "problem": _problem(
            definition, status, lacks_reader(definition, status, now_us, for_people)
        ),
    }


def _problem(definition: ObjectDefinition, status: QueueStatus, is_unread: bool) -> str | None:
    """What keeps programs from putting or getting messages; None for nothing that shows."""
    maxdepth = definition.attributes.get("MAXDEPTH")
    inhibited = [key for key in ("GET", "PUT") if definition.attributes.get(key) == "DISABLED"]
    problems = [f"{key}(DISABLED)" for key in inhibited]
    if isinstance(maxdepth, int) and status.curdepth >= maxdepth:
        problems.append("full")
    if is_unread:
        problems.append("no reader")
    if status.uncommitted:
        problems.append("uncommitted messages")
    return ", ".join(problems) or None
