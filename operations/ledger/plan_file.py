"""A plan of an act as a file: what `--plan` writes and `apply` reads.

NDJSON, mode 0600. It holds ids and digests, never message data:

    {"kind": "Plan", "schema": "mqtriage-plan/1", "qmgr": ..., "at": ..., "request": {...},
     "parts": [{"queue": "ORDERS.BO", "target": "ORDERS.IN", "messages": 412}]}
    {"number": 1, "msg_id": ..., "correl_id": ..., "put_date": ..., "put_time": ...,
     "length_bytes": ..., "sha256": ..., ...}
    {"kind": "End", "messages": 412, "sha256": <of all lines before this one>}

How it is sealed: `files/sealed.py`. The seal finds accidents, not forgers: whoever edits a plan can
seal it again. So what a plan says is checked and shown as a verb's own plan is, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from mqtriage.files.sealed import CHANGED, read_sealed, write_sealed
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.typed import check_types, hints_of
from mqtriage.mq.errors import Refused, StorageError, UsageError
from mqtriage.operations.copies.request import (
    ActRequest,
    request_from,
    request_record,
    unfit_request,
)
from mqtriage.operations.selection.spool import planned_messages
from mqtriage.records import NamedTuple, dataclass

SCHEMA: Final = "mqtriage-plan/1"
_KEYS: Final = {"digest": "sha256"}
"""How a mark is called in the file, where it is not called as here."""
_LENGTHS: Final = (24, 24, 32)
"""Of MsgId, CorrelId and digest, in bytes."""
_HINT: Final = (
    "mqtriage plan --out FILE writes a plan of definitions, and for example mqtriage msg move"
    " --plan FILE one of messages"
)


class PlanPart(NamedTuple):
    """Messages of a plan that go from one queue to one place, in the plan's order."""

    queue: str
    target: str | None
    messages: int


@dataclass(slots=True)
class StoredPlan:
    """A plan as a file has it.

    Attributes:
        at: when it was made, by the clock of this machine, as all times of the journal are.
        request: of the whole act; each part has its own queue and target.
        undoes: the operation that this one takes back, "" for none.
        origin: for an undo, of each message its number in the operation that is taken back; for a
            load, its line in the file.
        file: where the messages of a load are, "" where that cannot be read again; None for acts
            on messages of queues.
        maker: the user who wrote a plan file, "" where it does not say.
        command: the command line that did, likewise: it says what selected the messages.
        notes: those that the planner saw; only some of them can be worked out again.
    """

    queue_manager: str
    at: str
    request: ActRequest
    parts: list[PlanPart]
    messages: Sequence[PlannedMessage] = field(default_factory=planned_messages)
    undoes: str = ""
    origin: Sequence[int] = ()
    file: str | None = None
    maker: str = ""
    command: str = ""
    notes: Sequence[str] = ()


def write_plan(path: Path, plan: StoredPlan) -> None:
    """Write a new file, on disk when this returns."""
    write_sealed(path, _records(plan), {"messages": len(plan.messages)})


def plan_record(plan: StoredPlan) -> dict[str, Any]:
    """The plan as JSON, without its messages."""
    record = {
        "kind": "Plan",
        "schema": SCHEMA,
        "qmgr": plan.queue_manager,
        "at": plan.at,
        "request": request_record(plan.request),
        "parts": [part._asdict() for part in plan.parts],
    }
    if plan.undoes:
        record["undoes"] = plan.undoes
    if plan.file is not None:
        record["file"] = plan.file
    if plan.maker:
        record["maker"] = plan.maker
    if plan.command:
        record["command"] = plan.command
    if plan.notes:
        record["notes"] = [*plan.notes]
    return record


def _records(plan: StoredPlan) -> Iterator[dict[str, Any]]:
    yield plan_record(plan)
    for number, message in enumerate(plan.messages, 1):
        yield {"number": number, **planned_record(message)}


def read_plan(path: Path, content: bytes | None = None) -> StoredPlan:
    """Read a plan whole, *content* see `read_sealed`; its messages do not stay in memory.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read.
        UsageError: It is no plan, or of a newer version.
        Refused: It was cut or changed, contradicts itself, or does what no verb does.
    """
    records = read_sealed(path, _HINT, content)
    head = next(records, {})
    try:
        plan = plan_from(f"plan {path}", head)
    except StorageError as error:  # of a file, not of the journal: somebody edited it
        raise Refused(str(error), hint=error.hint) from error
    plan.messages = messages = planned_messages()
    for record in records:
        messages.append(_planned(path, record))
    if why := _contradiction(plan):
        raise Refused(f"plan {path}: {why}", hint="write a new plan with --plan FILE")
    return plan


def _contradiction(plan: StoredPlan) -> str:
    """Why a plan cannot be one that a verb wrote; "" where it can."""
    planned, count = sum(part.messages for part in plan.parts), len(plan.messages)
    if planned != count or not plan.parts or min(part.messages for part in plan.parts) < 0:
        return f"its parts have {planned} messages, and it has {count}"
    if plan.undoes or plan.file is not None:
        return "it is the plan of an undo or a load, which have no plan file"
    for part in plan.parts:
        if part.queue != plan.request.queue or plan.request.target not in (None, part.target):
            return (
                f"it is about {plan.request.queue} and {plan.request.target}, and one of its parts"
                f" about {part.queue} and {part.target}"
            )
        if why := unfit_request(plan.request, part.target):
            return why
    return ""


def plan_from(what: str, record: dict[str, Any]) -> StoredPlan:
    """The plan that `plan_record` wrote.

    Args:
        what: where it stands, for errors.

    Raises:
        StorageError: It is damaged.
        UsageError: It is no plan, or of a newer version.
    """
    schema = record.get("schema")
    if record.get("kind") != "Plan" or schema != SCHEMA:
        newer = isinstance(schema, str) and schema.startswith("mqtriage-plan/")
        why = f"its version is {schema}, mqtriage reads {SCHEMA}" if newer else "not a plan file"
        raise UsageError(f"{what}: {why}", hint=_HINT)
    try:
        plan = StoredPlan(
            record["qmgr"],
            record["at"],
            request_from(record["request"]),
            [PlanPart(**part) for part in record["parts"]],
            undoes=record.get("undoes", ""),
            file=record.get("file"),
            maker=record.get("maker", ""),
            command=record.get("command", ""),
            notes=record.get("notes", []),
        )
        if not isinstance(plan.notes, list):
            raise TypeError("a list")
        texts = (
            plan.queue_manager,
            plan.at,
            plan.undoes,
            plan.file or "",
            plan.maker,
            plan.command,
            *plan.notes,
        )
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a text")
        "".join((plan.queue_manager, plan.at, plan.maker, *plan.notes)).encode()  # no surrogate
        check_types([plan.request, *plan.parts])
        return plan
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"{what}: its first line is damaged ({str(error)[:200]})", hint=CHANGED
        ) from error


def planned_record(message: PlannedMessage) -> dict[str, Any]:
    """The marks of a planned message as JSON."""
    planned = message._asdict()
    ids = {key: planned[key].hex().upper() for key in ("msg_id", "correl_id")}
    planned |= {**ids, "digest": message.digest.hex()}
    return {_KEYS.get(name, name): value for name, value in planned.items()}


def _planned(path: Path, record: dict[str, Any]) -> PlannedMessage:
    try:
        planned = {name: record[_KEYS.get(name, name)] for name in PlannedMessage._fields}
        planned |= {
            name: bytes.fromhex(planned[name]) for name in ("msg_id", "correl_id", "digest")
        }
        return _checked(PlannedMessage(**planned))
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(
            f"plan {path}: a line is damaged ({str(error)[:200]})", hint=CHANGED
        ) from error


def _checked(message: PlannedMessage) -> PlannedMessage:
    """The message, one of perhaps a million, if its marks can be those of a message.

    Raises:
        TypeError, ValueError: They cannot.
    """
    if [*map(type, message)] != [*hints_of(PlannedMessage).values()]:
        raise TypeError("a value has the wrong type")
    (message.put_date + message.put_time).encode()
    marks = (message.msg_id, message.correl_id, message.digest)
    numbers = (message.length_bytes, message.report, message.persistence, message.expiry_tenths,
               message.backout_count)  # fmt: skip
    if tuple(map(len, marks)) != _LENGTHS or min(numbers) < -(1 << 31) or max(numbers) >= 1 << 31:
        raise ValueError("an id or a number is out of range")
    return message
