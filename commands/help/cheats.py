"""`mqtriage cheat`: command lines to paste, by topic.

They run as they stand on the sample (`mqtriage emulator create DEMO --sample`), which a test does,
topic by topic and in this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from mqtriage.model.result import Field, Listing, Record
from mqtriage.mq.errors import NotFound

FIELDS: Final = (
    Field("topic", "TOPIC", width=8),
    Field("task", "TASK", width=40),
    Field("command", "COMMAND", width=40),
)

CHEATS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "look": (
        ("What is on the queues?", "mqtriage queue ls"),
        ("Only the queues with trouble in their settings", "mqtriage backout ls --problems"),
        ("The messages of a queue; they stay", "mqtriage msg browse ORDERS.IN"),
        ("One message in full, headers and body", "mqtriage msg show 'ID:414D51*' -q ORDERS.IN"),
        ("Old ones only, as JSON lines", "mqtriage msg browse ORDERS.IN --older-than 2h -o ndjson"),
        ("Count what a condition selects", "mqtriage msg count ORDERS.IN --where 'backout >= 3'"),
        ("Who has the queue open?", "mqtriage queue who ORDERS.IN"),
    ),
    "delay": (
        ("What waits, and when is it due?", "mqtriage delay browse"),
        ("Is the staging queue full, or late?", "mqtriage delay status"),
        ("What lands when, and will it fit?", "mqtriage delay forecast"),
        (
            "Room for 20 a second that wait up to 2 hours",
            "mqtriage delay define --rate 20/s --max-delay 2h -n",
        ),
        ("Send one that arrives in an hour", "mqtriage delay put ORDERS.IN hello --delay 1h --yes"),
        (
            "Take back what is due within the hour, and keep it",
            "mqtriage delay cancel --due-before now+1h --to OPS.PARKED --yes",
        ),
    ),
    "backout": (
        ("Which queues handle poison messages, and how?", "mqtriage backout ls"),
        (
            "Three tries, then the backout queue",
            "mqtriage backout set PAYMENTS.IN --threshold 3 --boq PAYMENTS.BO --create-boq --yes",
        ),
        ("Messages near or over their threshold", "mqtriage backout pending"),
        ("What would each kind of client do?", "mqtriage backout explain ORDERS.IN"),
        ("What do the poison messages share?", "mqtriage backout causes ORDERS.BO"),
        ("Whose backout queue is it?", "mqtriage backout origin ORDERS.BO"),
        (
            "Send them back; look first",
            "mqtriage backout requeue ORDERS.BO --to ORDERS.IN --limit 10 -n",
        ),
        ("Then do it", "mqtriage backout requeue ORDERS.BO --to ORDERS.IN --limit 10 --yes"),
    ),
    "expiry": (
        ("What expired and still counts?", "mqtriage expiry status"),
        ("How long has each message left?", "mqtriage expiry browse PAYMENTS.REPLY"),
        ("Who removes expired messages here?", "mqtriage expiry explain PAYMENTS.REPLY"),
        ("Have the queue manager discard them", "mqtriage expiry sweep PAYMENTS.REPLY --yes"),
    ),
    "dlq": (
        ("Why are they dead?", "mqtriage dlq browse"),
        ("Group them by reason and sender", "mqtriage dlq causes"),
        ("Explain a reason code", "mqtriage rc 2053"),
    ),
    "undo": (
        ("Purge the old ones; they are archived", "mqtriage msg purge PAYMENTS.IN --limit 1 --yes"),
        ("What was done?", "mqtriage journal ls"),
        ("Prove it: gets = puts + archived", "mqtriage journal verify"),
        ("Take it back", "mqtriage journal undo --yes"),
    ),
    "check": (
        ("Definitions with trouble, with the MQSC that mends it", "mqtriage lint --fail-on never"),
        ("One rule explained", "mqtriage lint --explain BKO001"),
    ),
    "emulator": (
        ("A queue manager to play with", "mqtriage emulator create PLAY --sample"),
        ("An hour passes", "mqtriage emulator advance 1h PLAY"),
        ("Make a message poison", "mqtriage emulator rollback ORDERS.IN --times 3 -m PLAY"),
        ("Run MQSC on it", "echo 'DISPLAY QLOCAL(ORDERS.*) CURDEPTH' | mqtriage mqsc -m PLAY"),
        ("Remove it", "mqtriage emulator rm PLAY --confirm PLAY"),
    ),
}


def cheats(topic: str | None = None) -> Listing:
    """List the command lines of *topic*, or of all.

    Raises:
        NotFound: No such topic.
    """
    if topic is not None and topic not in CHEATS:
        near = get_close_matches(topic, CHEATS, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise NotFound(f"no topic {topic[:40]!r}{meant}", hint=f"topics: {', '.join(CHEATS)}")
    return Listing("CheatList", FIELDS, _records(topic), id_key="command")


def _records(topic: str | None) -> Iterator[Record]:
    for name, lines in CHEATS.items():
        if topic in (None, name):
            for task, command in lines:
                yield {"topic": name, "task": task, "command": command}


def cheat_text(listing: Listing) -> Iterator[str]:
    """The lines for people: the task as a comment, the command below it, ready to paste."""
    topic = None
    for record in listing.items:
        if record["topic"] != topic:
            if topic is not None:
                yield ""
            topic = record["topic"]
            yield f"# {str(topic).upper()}"
        yield f"# {record['task']}"
        yield record["command"]
