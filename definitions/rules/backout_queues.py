"""What several rules on backout queues need: who names whom, and the queue to propose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.rules.finding import Change, Define, setting
from mqtriage.mq.attributes.attribute import AttributeValue

RFH2_ROOM_BYTES: Final = 4096
"""Room for the MQRFH2 that a JMS client may add to a poison message; its length depends on the
properties, so this is an assumption."""
GOOD_THRESHOLD: Final = 3
_LEAST_THRESHOLD: Final = 2
"""One failed delivery makes no message poison (BKO015)."""
_LONGEST_NAME: Final = 48
NEUTRAL: Final = {
    "PUT": "ENABLED", "GET": "ENABLED", "TRIGGER": "NO", "USAGE": "NORMAL",
    "CAPEXPRY": "NOLIMIT", "CUSTOM": "", "STREAMQ": "", "CLUSTER": "", "CLUSNL": "",
}  # fmt: skip
"""What a backout queue is to be, whatever the queue that it is made like: open, and without a
trigger, a cap on lifetimes, copies and clusters."""
_INPUT_ENDINGS: Final = (".IN", ".INPUT", ".REQUEST", ".REQ", ".Q", ".QUEUE")


def backed_out(estate: Estate) -> Iterator[tuple[Definition, str]]:
    """Local and model queues with a BOQNAME, and that name."""
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        name = queue.attributes.get("BOQNAME")
        if name:
            yield queue, str(name)


def active(estate: Estate) -> Iterator[tuple[Definition, str]]:
    """Local and model queues with a BOQNAME whose BOTHRESH is not known to be 0."""
    return ((queue, name) for queue, name in backed_out(estate) if queue.number("BOTHRESH") != 0)


def with_backout_queue(estate: Estate) -> Iterator[tuple[Definition, Definition]]:
    """Pairs of input queue and local backout queue, aliases followed, without self-references."""
    for queue, name in active(estate):
        target = estate.local(name)
        if target is not None and target.name != queue.name:
            yield queue, target


def backout_queues(estate: Estate) -> Iterator[tuple[Definition, Definition]]:
    """The first queue that backs out to each local backout queue, and that one."""
    first: dict[str, tuple[Definition, Definition]] = {}
    for queue, target in with_backout_queue(estate):
        first.setdefault(target.name, (queue, target))
    yield from first.values()


def greatest_users(estate: Estate, keyword: str) -> Iterator[tuple[int, Definition, Definition]]:
    """For each local backout queue the greatest *keyword* of what backs out to it, and whose."""
    greatest: dict[str, tuple[int, Definition, Definition]] = {}
    for queue, target in with_backout_queue(estate):
        value = queue.number(keyword)
        if value is not None and value > greatest.get(target.name, (-1,))[0]:
            greatest[target.name] = (value, queue, target)
    yield from greatest.values()


def proposal(estate: Estate, queue: Definition) -> tuple[Change, ...]:
    """Give *queue* a backout queue of its own: defined when it is not there, and named."""
    name = proposed_name(estate, queue)
    if not name:
        return ()
    given: dict[str, AttributeValue] = {"BOQNAME": name}
    if (queue.number("BOTHRESH") or 0) < _LEAST_THRESHOLD:
        given = {"BOTHRESH": GOOD_THRESHOLD, **given}
    naming = setting(queue, **given)
    if name in estate.queues:
        return (naming,)
    return (defined(estate, queue, name), naming)


def defined(estate: Estate, queue: Definition, name: str) -> Define:
    """The DEFINE of a backout queue that takes whatever *queue* takes."""
    attributes: dict[str, AttributeValue] = {"BOTHRESH": 0, "BOQNAME": ""}
    for keyword, value in NEUTRAL.items():
        if queue.text(keyword) not in (None, value):
            attributes[keyword] = value
    length = queue.number("MAXMSGL")
    if length is not None and length < estate.greatest_length:
        attributes["MAXMSGL"] = min(length + RFH2_ROOM_BYTES, estate.greatest_length)
    if queue.kind != "QLOCAL":
        return Define("QLOCAL", name, {})
    return Define("QLOCAL", name, attributes, queue.name)


def proposed_name(estate: Estate, queue: Definition) -> str:
    """A name for a backout queue that is free, or a queue that is fit for it; "" for none."""
    stem = queue.name
    for ending in _INPUT_ENDINGS:
        if stem.endswith(ending) and len(stem) > len(ending):
            stem = stem.removesuffix(ending)
            break
    for name in (f"{stem}.BO", f"{queue.name}.BO", f"{queue.name}.BOQ"):
        if len(name) <= _LONGEST_NAME and name not in estate.queues and name not in estate.deleted:
            return name
    return ""


def loops(estate: Estate) -> list[list[Definition]]:
    """Rings of queues whose BOQNAMEs lead back to the first, each ring once."""
    after = {q.name: t for q, name in active(estate) if (t := estate.local(name)) is not None}
    done: set[str] = set()
    rings: list[list[Definition]] = []
    for start in after:
        path: dict[str, int] = {}
        here = start
        while here in after and here not in done and here not in path:
            path[here] = len(path)
            here = after[here].name
        if here in path:
            ring = [name for name, at in path.items() if at >= path[here]]
            rings.append([estate.queues[name] for name in ring])
        done.update(path)
    return rings


def used_as_backout_queue(estate: Estate) -> set[str]:
    """Names of local queues that some BOQNAME leads to."""
    names: set[str] = set()
    for _, name in backed_out(estate):
        target = estate.local(name)
        names.add(target.name if target else name)
    return names
