"""Objects as DISPLAY prints them, out of their values: what captures are compared with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mqtriage.mq.attributes.catalogue import AttributeValue, ValueKind, attribute, attributes_of
from mqtriage.mq.mqsc.layout import cell_text, layout


def object_cells(
    kind: str,
    name: str,
    attributes: Mapping[str, AttributeValue],
    chosen: Collection[str] | None = None,
) -> Iterator[str]:
    """Cells of one queue or of the queue manager, in the order of DISPLAY.

    Args:
        kind: "QLOCAL" ... or "QMGR".
        attributes: MQSC keyword to value; keywords that the tables do not know come last.
        chosen: keywords to print besides name and type, None for all.
    """
    if kind == "QMGR":
        yield cell_text("QMNAME", name)
    else:
        yield cell_text("QUEUE", name)
        yield cell_text("TYPE", kind)
    known = [entry.keyword for entry in attributes_of(kind)]
    order = [keyword for keyword in known if keyword in attributes]
    order += [keyword for keyword in attributes if keyword not in known]
    for keyword in order:
        if keyword == "QMNAME" or (chosen is not None and keyword not in chosen):
            continue
        entry = attribute(kind, keyword)
        if entry is not None and entry.kind is ValueKind.FLAG:
            yield keyword if attributes[keyword] == "YES" else f"NO{keyword}"
        else:
            yield cell_text(keyword, attributes[keyword])


def object_lines(
    kind: str,
    name: str,
    attributes: Mapping[str, AttributeValue],
    chosen: Collection[str] | None = None,
) -> list[str]:
    """One object as DISPLAY QUEUE or DISPLAY QMGR prints it, below its message line."""
    return list(layout(object_cells(kind, name, attributes, chosen)))
