"""Attributes that a command gives: those that there are, with values in range."""

from __future__ import annotations

from collections.abc import Mapping

from mqtriage.emulator.core.manager import Manager
from mqtriage.mq.attributes.catalogue import attribute, parse_value
from mqtriage.mq.errors import UsageError

Value = int | str


def checked_attributes(
    manager: Manager, kind: str, attributes: Mapping[str, Value], *, altering: bool
) -> dict[str, Value]:
    """The attributes with each value in range and in MQSC's words.

    A MAXMSGL above the queue manager's is taken: its own queues have one, scripts of IBM's define
    more of them, and a put has to keep to the lesser of the two (IBM MQ documentation,
    "MaxMsgLength (MQLONG)"; the page of DEFINE asks for no more than the queue manager's).

    Raises:
        UsageError: An attribute that this type or platform does not have, one that cannot be
            set, or a value out of range.
    """
    values: dict[str, Value] = {}
    for keyword, value in attributes.items():
        spec = attribute(kind, keyword.upper())
        if spec is None or not spec.exists_on(manager.identity.platform):
            where = f"on {'z/OS' if manager.is_zos else 'distributed'}" if spec else ""
            raise UsageError(f"{keyword}: not an attribute of {kind} {where}".rstrip())
        if spec.read_only:
            raise UsageError(f"{spec.keyword}: cannot be {'altered' if altering else 'set'}")
        values[spec.keyword] = parse_value(spec, str(value))
    return values
