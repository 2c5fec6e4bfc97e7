"""A plan of an act as a file: what `--plan` writes and `apply` reads.

NDJSON, mode 0600. It holds ids and digests, never message data:

    {"kind": "Plan", "schema": "mqtriage-plan/1", "qmgr": ..., "at": ..., "request": {...},
     "parts": [{"queue": "ORDERS.BO", "target": "ORDERS.IN", "messages": 412}]}
    {"number": 1, "msg_id": ..., "correl_id": ..., "put_date": ..., "put_time": ...,
     "length_bytes": ..., "sha256": ..., ...}
    {"kind": "End", "messages": 412, "sha256": <of all lines before this one>}

A plan of puts out of a file has `"file"` in its first line, and the `"line"` of each message there.
How it is sealed: `files/sealed.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from mqtriage.files.sealed import CHANGED, read_sealed, write_sealed
from mqtriage.model.plan import PlannedMessage
from mqtriage.mq.errors import StorageError, UsageError
from mqtriage.mq.records import NamedTuple, dataclass
from mqtriage.operations.copies.request import ActRequest, request_from, request_record
from mqtriage.operations.selection.spool import planned_messages

SCHEMA: Final = "mqtriage-plan/1"
_KEYS: Final = {"digest": "sha256"}
"""How a mark is called in the file, where it is not called as here."""
_HINT: Final = "a verb with --plan FILE writes one, mqtriage plan --out FILE one of definitions"


class PlanPart(NamedTuple):
    """Messages of a plan that go from one queue to one place, in the plan's order."""

    queue: str
    target: str | None
    messages: int


@dataclass(slots=True)
class StoredPlan:
    """A plan as a file has it.

    Attributes:
        request: of the whole act; each part has its own queue and target.
        undoes: the operation that this one takes back, "" for none.
        origin: for an undo, of each message its number in the operation that is taken back; for a
            load, its line in the file.
        file: where the messages of a load are, "" where that cannot be read again; None for acts
            on messages of queues.
    """

    queue_manager: str
    at: str
    request: ActRequest
    parts: list[PlanPart]
    messages: Sequence[PlannedMessage] = field(default_factory=planned_messages)
    undoes: str = ""
    origin: Sequence[int] = ()
    file: str | None = None


def write_plan(path: Path, plan: StoredPlan) -> None:
    """Write a new file, on disk when this returns.

    Raises:
        StorageError: It is there already, or cannot be written.
    """
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
    return record


def _records(plan: StoredPlan) -> Iterator[dict[str, Any]]:
    yield plan_record(plan)
    origin = "undoes" if plan.undoes else "line"
    for number, message in enumerate(plan.messages, 1):
        record = {"number": number, **planned_record(message)}
        if plan.origin:
            record[origin] = plan.origin[number - 1]
        yield record


def read_plan(path: Path) -> StoredPlan:
    """Read a plan whole; its messages do not stay in memory.

    Raises:
        NotFound: There is no such file.
        StorageError: It cannot be read, was cut or was changed.
        UsageError: It is no plan, or of a newer version.
    """
    records = read_sealed(path, _HINT)
    plan = plan_from(f"plan {path}", next(records, {}))
    messages = planned_messages()
    origin = array("Q")
    for record in records:
        messages.append(_planned(path, record))
        if plan.undoes or plan.file is not None:
            origin.append(int(record["undoes" if plan.undoes else "line"]))
    plan.messages, plan.origin = messages, origin
    return plan


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
        why = (
            f"its version is {schema}, this program reads {SCHEMA}" if newer else "not a plan file"
        )
        raise UsageError(f"{what}: {why}", hint=_HINT)
    try:
        return StoredPlan(
            record["qmgr"],
            record["at"],
            request_from(record["request"]),
            [PlanPart(**part) for part in record["parts"]],
            undoes=record.get("undoes", ""),
            file=record.get("file"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"{what}: its first line is damaged", hint=CHANGED) from error


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
        return PlannedMessage(**planned)
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"plan {path}: a line is damaged ({str(error)[:40]})", hint=CHANGED
        ) from error
