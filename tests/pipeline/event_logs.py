"""Event logs as amqsevt prints them, written from a truth that is drawn at run time."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from tests.pipeline.rows import START

Event = dict[str, Any]
_TYPES = {43: "Config Event", 44: "Queue Mgr Event", 45: "Perfm Event", 99: "Command Event"}
_REASONS = {
    2053: "Queue Full", 2224: "Queue Depth High", 2225: "Queue Depth Low", 2035: "Not Authorized",
    2226: "Queue Service Interval High", 2227: "Queue Service Interval Ok",
    2367: "Config Create Object", 2368: "Config Change Object", 2369: "Config Delete Object",
    2412: "Command MQSC",
}  # fmt: skip


def event(type_: int, reason: int, second: int, qmgr: str, data: Event, **more: Any) -> Event:
    """An event *second* seconds after the start of the tests' history."""
    epoch = int(START.timestamp()) + second
    stamp = datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "eventSource": {"objectName": "SYSTEM.ADMIN.X.EVENT", "objectType": "Queue",
                        "queueMgr": qmgr},
        "eventType": {"name": _TYPES[type_], "value": type_},
        "eventReason": {"name": _REASONS[reason], "value": reason},
        **more,
        "eventCreation": {"timeStamp": stamp, "epoch": epoch},
        "eventData": data,
    }  # fmt: skip


def printed(events: list[Event]) -> str:
    """As -o json prints them: no brace of a group is indented, nor the end of an event."""
    return "".join("{\n" + ",\n".join(map(_member, one.items())) + "\n}\n" for one in events)


def _member(item: tuple[str, Any]) -> str:
    name, value = item
    if name == "eventSource":
        parts = [f'"{key}" : {json.dumps(part)}' for key, part in value.items()]
        return f'"{name}" : {{ ' + (",\n" + " " * 19).join(parts) + " }"
    if isinstance(value, dict):
        return f'"{name}" : {{\n' + ",\n".join(map(_member, value.items())) + "\n}"
    if isinstance(value, list):
        return f'"{name}" : [ \n' + ",\n".join(json.dumps(one, indent=2) for one in value) + "\n]"
    return f'  "{name}" : {json.dumps(value)}'


def pretty(events: list[Event]) -> str:
    """As -o json prints them through jq."""
    return "".join(json.dumps(one, indent=2) + "\n" for one in events)


def compact(events: list[Event]) -> str:
    """As -o json_compact prints them."""
    return "".join(" " + json.dumps(one) + "\n" for one in events)


class Truth(NamedTuple):
    """What happened.

    Attributes:
        full: queue to how often it was full, for how many milliseconds, and the longest of these.
        altered: (second, user, queue, attribute, old, new), one a change.
    """

    full: dict[str, tuple[int, int, int]]
    altered: list[tuple[int, str, str, str, int, int]]


def month(seed: int, folder: Path) -> Truth:
    """Write the logs of 30 days of QM1, one file a week, in the layouts of amqsevt and of jq."""
    draw = random.Random(seed)
    events: list[Event] = []
    full: dict[str, tuple[int, int, int]] = {}
    altered = []
    depth = dict.fromkeys((f"APP.{number}" for number in range(5)), 5000)
    for queue in depth:
        second, times, total, longest = 0, 0, 0, 0
        for _ in range(draw.randrange(1, 30)):
            second += draw.randrange(60, 80_000)
            lasted = draw.randrange(1, 3600)
            perfm = {"queueMgrName": "QM1", "baseObjectName": queue, "timeSinceReset": 5}
            events += [
                event(45, 2224, second - 30, "QM1", perfm),
                event(45, 2053, second, "QM1", perfm),
                event(45, 2225, second + lasted, "QM1", perfm),
            ]
            times, total, longest = times + 1, total + lasted, max(longest, lasted)
            second += lasted
        full[queue] = (times, total * 1000, longest * 1000)
    for number in range(40):
        second = draw.randrange(30 * 86_400)
        user, queue = draw.choice(["alice", "bob"]), draw.choice(list(depth))
        old, new = depth[queue], draw.randrange(1, 10**6)
        depth[queue] = new
        altered.append((second, user, queue, "maxQueueDepth", old, new))
        for state, value in (("Before Change", old), ("After Change", new)):
            data = {
                "eventUserId": user, "eventOrigin": "Console", "eventQueueMgr": "QM1",
                "objectType": "Queue", "queueName": queue, "maxQueueDepth": value,
                "alterationTime": f"{number}.{state}", "queueDesc": 'a "quoted" {brace}\n}\n{',
            }  # fmt: skip
            more = {"correlationID": f"{number:048X}", "objectState": state}
            events.append(event(43, 2368, second, "QM1", data, **more))
    events.sort(key=lambda one: one["eventCreation"]["epoch"])
    folder.mkdir()
    week = -(-len(events) // 4)
    for number in range(4):
        part = events[number * week : (number + 1) * week]
        text = (printed, compact, pretty, compact)[number](part)
        (folder / f"week{number}.json").write_text(text, "utf-8")
    return Truth(full, sorted(altered))
