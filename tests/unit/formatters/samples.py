"""A listing of staged messages, a document, a report and a plan, as commands hand them over."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

from mqtriage.formatters.forms.select import write
from mqtriage.formatters.style import Style
from mqtriage.model.plan import Plan, PlannedMessage, Refusal
from mqtriage.model.result import (
    Document,
    Field,
    ItemOutcome,
    Listing,
    Outcome,
    Report,
    Result,
    Show,
)

STAGED = (
    Field("msg_id", "STAGED_MSGID", Show.ID, width=48),
    Field("original_msg_id", "ORIGINAL_MSGID", Show.ID, width=48),
    Field("target", "TARGET", width=20),
    Field("target_queue_manager", "TARGET_QMGR", width=8, wide=True),
    Field("put_time", "PUT_TIME", Show.TIME, width=23, wide=True),
    Field("due_time", "DUE", Show.TIME, width=23),
    Field("due_in_ms", "IN", Show.AGE_MS, width=6),
    Field("state", "STATE", width=7),
    Field("expiry_tenths", "EXPIRY", Show.TENTHS, width=9, wide=True),
    Field("persistent", "PERSIST", Show.FLAG, wide=True),
    Field("length_bytes", "LENGTH", Show.BYTES, width=6),
)

STAGED_RECORDS: tuple[Mapping[str, Any], ...] = (
    {
        "msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60701",
        "original_msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60601",
        "target": "ORDERS.IN",
        "target_queue_manager": "QM1",
        "put_time": "2026-01-31T09:00:00.12Z",
        "due_time": "2026-01-31T11:05:00.12Z",
        "due_in_ms": 3_900_120,
        "state": "waiting",
        "expiry_tenths": -1,
        "persistent": True,
        "length_bytes": 1_583,
    },
    {
        "msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60702",
        "original_msg_id": "0" * 48,
        "target": "PAYMENTS.SETTLEMENT.OVERNIGHT.REQUEST",
        "target_queue_manager": "QM1",
        "put_time": "2026-01-31T09:59:30Z",
        "due_time": "2026-01-31T09:59:59Z",
        "due_in_ms": -1_000,
        "state": "overdue",
        "expiry_tenths": 300,
        "persistent": False,
        "length_bytes": 4_194_304,
    },
    {
        "msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60703",
        "original_msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60603",
        "target": "ORDERS.IN\x1b[31m\n",
        "target_queue_manager": "",
        "put_time": None,
        "due_time": None,
        "due_in_ms": None,
        "state": "doomed",
        "expiry_tenths": 36_000,
        "persistent": True,
        "length_bytes": 0,
    },
)

AT_US = 1_769_853_600_000_000  # 2026-01-31T10:00:00Z


def staged(records: Iterable[Mapping[str, Any]] = STAGED_RECORDS) -> Listing:
    return Listing("StagedMessageList", STAGED, records, {"messages": 3}, ["1 message is overdue"])


def message() -> Document:
    return Document(
        "Message",
        {
            "msg_id": "414d5120514d31202020202020202020a1b2c3d4e5f60701",
            "queue": "ORDERS.BO",
            "put_time": "2026-01-31T09:00:00.12Z",
            "length_bytes": 4_096,
            "expiry_tenths": -1,
            "age_ms": 3_600_000,
            "persistent": True,
            "format": "MQSTR",
            "correl_id": None,
            "body_text": '{"order": 42,\n\t"note": "\x1b]0;owned\x07 naïve"}',
            "headers": [
                {"structure": "MQDLH", "offset": 0, "reason": 2053},
                {"structure": "MQRFH2", "offset": 172, "folders": {"usr": {"Color": "red"}}},
            ],
        },
    )


def document() -> Document:
    return Document(
        "Queue",
        {"queue": "ORDERS.IN", "backout_threshold": 3},
        (
            (
                "Queue",
                (
                    ("QUEUE", "ORDERS.IN"),
                    (
                        "DESCR",
                        "Orders from the web shop, read by the fulfilment service in two sites",
                    ),
                    ("CURDEPTH", "28"),
                ),
            ),
            ("Backout", (("BOTHRESH", "3"), ("BOQNAME", "ORDERS.BO"), ("HARDENBO", ""))),
        ),
        mqsc="DEFINE QLOCAL('ORDERS.IN') +\n       BOTHRESH(3) +\n       BOQNAME('ORDERS.BO')\n",
    )


def requeued() -> Report:
    ids = [message["msg_id"] for message in STAGED_RECORDS]
    return Report(
        "RequeueReport",
        "requeue",
        "ORDERS.BO",
        "ORDERS.IN",
        planned=4,
        items=[
            ItemOutcome(ids[0], Outcome.DONE, new_msg_id="f" * 48),
            ItemOutcome(ids[1], Outcome.SKIPPED, "gone: another program took it"),
            ItemOutcome(ids[2], Outcome.FAILED, "put to ORDERS.IN: MQRC_Q_FULL (2053)"),
            ItemOutcome("ab" * 24, Outcome.DONE),
        ],
        before={"ORDERS.BO": 1_204, "ORDERS.IN": 4_998},
        after={"ORDERS.BO": 1_202, "ORDERS.IN": 5_000},
        details={"archive": "archive/2026-01-31T100000Z.ndjson", "length_bytes": 8_192, "mqsc": ()},
    )


def altered() -> Report:
    return Report(
        "DefineReport",
        "set",
        "ORDERS.IN",
        planned=2,
        details={"mqsc": ["ALTER QLOCAL('ORDERS.IN') BOTHRESH(3)", "DISPLAY QLOCAL(*)"]},
    )


def planned_message(number: int, **changes: Any) -> PlannedMessage:
    return PlannedMessage(
        bytes.fromhex("414d5120514d31202020202020202020a1b2c3d4") + number.to_bytes(4, "big"),
        bytes(24),
        "20260131",
        f"{9 + number // 60:02d}{number % 60:02d}0012",
        1_583,
        bytes(32),
        0,
        1,
        -1,
        3,
    )._replace(**changes)


def plan() -> Plan:
    return Plan(
        "requeue",
        "ORDERS.BO",
        "ORDERS.IN",
        messages=[planned_message(number) for number in range(5)],
        count=5,
        reports={"COD": 3, "COA": 1, "PAN": 0},
        notes=["a browse may have discarded expired messages"],
        refusals=[Refusal("3 messages ask for COD", "add --allow-reports")],
        facts={"archive": "archive/2026-01-31T100000Z.ndjson", "batch": 50},
    )


def definition_plan() -> Plan:
    return Plan(
        "set",
        "ORDERS.IN",
        count=2,
        changes={"BOTHRESH": (0, 3), "BOQNAME": ("", "ORDERS.BO")},
        mqsc=("ALTER QLOCAL('ORDERS.IN') BOTHRESH(3) BOQNAME('ORDERS.BO')",),
    )


def text(result: Result, form: str, **style: Any) -> str:
    """What the form writes, with the style's other values at their defaults."""
    stream = io.StringIO()
    write(result, Style(form, at_us=AT_US, queue_manager="QM1", **style), stream)
    return stream.getvalue()
