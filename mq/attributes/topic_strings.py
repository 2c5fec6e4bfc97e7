"""Topic strings: the levels of the tree, and a topic object's string with what goes on below it.

Sources: IBM MQ documentation, "Combining topic strings", "Using topic strings": the topic /Football
is not the topic Football.
"""

from __future__ import annotations

from collections.abc import Iterator


def nodes(topic: str) -> Iterator[str]:
    """The topic string and those above it, up to the root: "a/b", "a", ""."""
    while topic:
        yield topic
        topic = topic.rpartition("/")[0]
    yield ""


def joined(of_object: str, below: str) -> str:
    """The full topic string: one of the two, or both with a slash between them.

    Where one of them has a slash there already, a level without a name comes about:
    ``Football`` and ``/Scores`` are ``Football//Scores``.
    """
    return "/".join(part for part in (of_object, below) if part)
