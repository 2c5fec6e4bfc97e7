"""`mqtriage cheat`: command lines to paste, by topic.

They run as they stand on the sample (`mqtriage emulator create DEMO --sample`), which a test does,
topic by topic and in this order; another test runs the server, which does not end.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from mqtriage.model.result import Listing, column, columns_of, keys_of
from mqtriage.mq.errors import NotFound
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class Cheat:
    """A command line, and what it is for."""

    topic: str = column("TOPIC", width=8)
    task: str = column("TASK", width=40)
    command: str = column("COMMAND", width=40)


def cheat_lines() -> dict[str, list[Cheat]]:
    """The command lines by topic, in the order of `cheats.tsv`."""
    topics: dict[str, list[Cheat]] = {}
    for row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines():
        cheat = Cheat(*row.split("\t"))
        topics.setdefault(cheat.topic, []).append(cheat)
    return topics


def cheats(topic: str | None = None) -> Listing:
    """List the command lines of *topic*, or of all."""
    topics = cheat_lines()
    if topic is not None and topic not in topics:
        near = get_close_matches(topic, topics, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise NotFound(f"no topic {topic[:40]!r}{meant}", hint=f"topics: {', '.join(topics)}")
    chosen = topics.values() if topic is None else [topics[topic]]
    items = map(keys_of, chain.from_iterable(chosen))
    return Listing("CheatList", columns_of(Cheat), items, id_key="command")


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
