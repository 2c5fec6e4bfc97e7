"""`mqtriage cheat`: command lines to paste, by topic.

They run as they stand on the sample (`mqtriage emulator create DEMO --sample`), which a test does,
topic by topic and in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from mqtriage.model.result import Field, Listing
from mqtriage.mq.errors import NotFound

FIELDS: Final = (
    Field("topic", "TOPIC", width=8),
    Field("task", "TASK", width=40),
    Field("command", "COMMAND", width=40),
)


def cheat_lines() -> dict[str, list[tuple[str, str]]]:
    """By topic, in the order of `cheats.tsv`: what is asked, and the command line."""
    topics: dict[str, list[tuple[str, str]]] = {}
    for row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines():
        topic, task, command = row.split("\t")
        topics.setdefault(topic, []).append((task, command))
    return topics


def cheats(topic: str | None = None) -> Listing:
    """List the command lines of *topic*, or of all.

    Raises:
        NotFound: No such topic.
    """
    topics = cheat_lines()
    if topic is not None and topic not in topics:
        near = get_close_matches(topic, topics, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise NotFound(f"no topic {topic[:40]!r}{meant}", hint=f"topics: {', '.join(topics)}")
    records = [
        {"topic": name, "task": task, "command": command}
        for name, lines in topics.items()
        for task, command in lines
        if topic in (None, name)
    ]
    return Listing("CheatList", FIELDS, records, id_key="command")


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
