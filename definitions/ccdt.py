"""A client channel definition table in JSON: what clients would refuse of it, or hardly mean.

Source: IBM MQ 9.4, "Configuring a JSON format CCDT" and "Complete list of CCDT channel attribute
definitions".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity
from mqtriage.definitions.rules.network import listening
from mqtriage.mq.mqsc.tokens import close_word, marker_in
from mqtriage.mq.mqsc.tree import Diagnostic, DiagnosticSeverity
from mqtriage.mq.names import NAME_CHARACTERS
from mqtriage.mq.security.cipher_specs import CURRENT, is_known, is_weak, may_agree
from mqtriage.records import NamedTuple

_LONGEST_NAME: Final = 20
_LONGEST_MANAGER: Final = 48
_GREATEST_PORT: Final = 65_535
_GREATEST_WEIGHT: Final = 99
_PORT_OF_ROUTES: Final = 443
"""Of OpenShift, which leads to the port of a listener."""
_ERROR: Final = DiagnosticSeverity.ERROR
_NOTE: Final = DiagnosticSeverity.NOTE


def is_ccdt(name: str) -> bool:
    """Whether a file of that name is such a table: ``ccdt.json``, ``prod-ccdt.json``."""
    base = PurePath(name).name.lower()
    return base.endswith(".json") and "ccdt" in base


def ccdt_problems(text: str, file: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a table, in the order of its channels."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        reason = getattr(error, "msg", "nested too deeply")
        return (Diagnostic(_ERROR, line, column, f"not JSON: {reason}", "", file),)
    channels = table.get("channel") if isinstance(table, dict) else None
    if not isinstance(channels, list) or not channels:
        message = "a client channel definition table has a list of channels"
        return (Diagnostic(_ERROR, 1, 1, message, '"channel": [...]', file),)
    return tuple(_Reader(text, file).problems(channels))


class Mismatch(NamedTuple):
    """What of a table does not fit the queue managers that it is for."""

    diagnostic: Diagnostic
    severity: Severity


def ccdt_mismatches(text: str, file: str, managers: Sequence[Estate]) -> Iterator[Mismatch]:
    """Channels that no queue manager has, or has otherwise, in the order of the table.

    Args:
        managers: those whose channels are all known. An entry is for the one that it names; one
            for a group, or for any, may be for each of them.
    """
    with suppress(ValueError, RecursionError):
        table = json.loads(text)
        channels = table.get("channel") if isinstance(table, dict) else None
        if isinstance(channels, list):
            yield from _Reader(text, file).mismatches(channels, managers)


def _named(managers: Sequence[Estate], name: str) -> list[Estate]:
    """The queue managers that an entry for *name* may be for; those of no name may be any."""
    every = [one for one in managers if one.lists("CHANNEL")]
    if not name or name.startswith("*"):
        return every
    return [one for one in every if one.queue_manager.upper() in ("", name.upper())]


def _may_be(host: str, address: str) -> bool:
    """Whether a host may lead to the address of a listener; "" is every address."""
    is_address = host.replace(".", "").isdigit() or ":" in host
    return not address or not is_address or host == address


class _Reader:
    """Goes through the channels, and through the text beside them for the places."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._start = 0

    def _walk(self, channels: list[Any]) -> Iterator[tuple[dict[str, Any], str]]:
        """The channels with their names, one after the other as far as the text is read."""
        for channel in channels:
            if isinstance(channel, dict):
                name = _text_of(channel, "name")
                self._start = max(self._text.find(json.dumps(name), self._start), self._start)
                yield channel, name
                self._start += 1

    def problems(self, channels: list[Any]) -> Iterator[Diagnostic]:
        seen: set[tuple[str, str]] = set()
        if not all(isinstance(channel, dict) for channel in channels):
            yield self._told(_ERROR, "", "a channel is an object", "{...}")
        for channel, name in self._walk(channels):
            yield from self._name(channel, name)
            yield from self._connections(channel, name)
            yield from self._cipher_spec(channel, name)
            yield from self._management(channel, name)
            key = name, _text_of(_part(channel, "clientConnection"), "queueManager")
            if key in seen:
                message = (
                    f"channel {name} of queue manager {key[1] or 'blank'} is already in the table"
                )
                yield self._told(_ERROR, name, message)
            seen.add(key)

    def mismatches(self, channels: list[Any], managers: Sequence[Estate]) -> Iterator[Mismatch]:
        for channel, name in self._walk(channels):
            client = _part(channel, "clientConnection")
            spec = _text_of(_part(channel, "transmissionSecurity"), "cipherSpecification")
            of_name = _named(managers, _text_of(client, "queueManager"))
            if not name or marker_in(name) or not of_name:
                continue
            ends = [end for one in of_name if (end := one.channels.get(name))]
            clients = [end for end in ends if end.text("CHLTYPE") in (None, "SVRCONN")]
            where = ", ".join(one.queue_manager or "the scripts" for one in of_name)
            if not clients:
                kind = f" is of type {ends[0].text('CHLTYPE')}" if ends else " is not defined"
                message = f"channel {name}{kind} on {where}"
                yield Mismatch(self._told(_ERROR, name, message, "a SVRCONN"), Severity.ERROR)
                continue
            specs = [text for end in clients if (text := end.text("SSLCIPH")) is not None]
            if specs and not marker_in(spec) and not any(may_agree(spec, one) for one in specs):
                message = (
                    f"channel {name}: cipherSpecification {spec or 'blank'} does not match "
                    f"SSLCIPH({specs[0]}) on {where}"
                )
                yield Mismatch(self._told(_ERROR, spec or name, message), Severity.ERROR)
            yield from self._addresses(client, name, of_name, where)

    def _addresses(
        self, client: dict[str, Any], name: str, managers: Sequence[Estate], where: str
    ) -> Iterator[Mismatch]:
        listeners = [at for one in managers for at in listening(one)]
        if not listeners or not all(listening(one) for one in managers):
            return
        for connection in client.get("connection") or ():
            if not isinstance(connection, dict):
                continue
            host, port = _text_of(connection, "host"), connection.get("port", 1414)
            if marker_in(host) or port == _PORT_OF_ROUTES:
                continue
            if not any(port == at and _may_be(host, address) for at, address in listeners):
                shown = ", ".join(f"{address}({at})" for at, address in sorted(listeners))
                message = f"channel {name}: {host}({port}) is not a listener of {where}: {shown}"
                yield Mismatch(self._told(_NOTE, host, message), Severity.WARNING)

    def _name(self, channel: dict[str, Any], name: str) -> Iterator[Diagnostic]:
        if not name:
            yield self._told(_ERROR, "", "a channel has no name", '"name": "..."')
        elif not marker_in(name) and (
            len(name) > _LONGEST_NAME or not NAME_CHARACTERS.issuperset(name)
        ):
            message = f"{name[:60]} is not a valid channel name"
            expected = f"at most {_LONGEST_NAME} of A-Z a-z 0-9 . / _ %"
            yield self._told(_ERROR, name, message, expected)
        kind = channel.get("type")
        if kind != "clientConnection":
            message = f"channel {name}: type is {kind!r}"
            yield self._told(_ERROR, kind or name, message, "clientConnection")

    def _connections(self, channel: dict[str, Any], name: str) -> Iterator[Diagnostic]:
        client = _part(channel, "clientConnection")
        manager = _text_of(client, "queueManager")
        if len(manager.removeprefix("*")) > _LONGEST_MANAGER:
            yield self._told(_ERROR, manager, f"queueManager has {len(manager)} characters")
        connections = client.get("connection")
        if not isinstance(connections, list) or not connections:
            message = f"channel {name} has no connection"
            yield self._told(_ERROR, name, message, '"connection": [{"host": ..., "port": ...}]')
            return
        for connection in connections:
            host = _text_of(connection, "host") if isinstance(connection, dict) else ""
            port = connection.get("port", 1414) if isinstance(connection, dict) else None
            if not host:
                yield self._told(_ERROR, name, f"channel {name}: a connection has no host")
            if not isinstance(port, int) or not 0 < port <= _GREATEST_PORT:
                message = f"channel {name}: port is {port!r}"
                yield self._told(_ERROR, host or name, message, f"1 to {_GREATEST_PORT}")

    def _cipher_spec(self, channel: dict[str, Any], name: str) -> Iterator[Diagnostic]:
        spec = _text_of(_part(channel, "transmissionSecurity"), "cipherSpecification")
        if marker_in(spec):
            return
        if not is_known(spec):
            close = close_word(spec.upper()[:48], CURRENT)
            yield self._told(_ERROR, spec, f"{spec[:60]} is not a CipherSpec", close)
        elif is_weak(spec.upper()):
            yield self._told(_NOTE, spec, f"channel {name}: CipherSpec {spec} is weak")
        elif not spec:
            yield self._told(_NOTE, name, f"channel {name} has no cipherSpecification: no TLS")

    def _management(self, channel: dict[str, Any], name: str) -> Iterator[Diagnostic]:
        management = _part(channel, "connectionManagement")
        weight, affinity = management.get("clientWeight", 0), management.get("affinity")
        if not isinstance(weight, int) or not 0 <= weight <= _GREATEST_WEIGHT:
            message = f"channel {name}: clientWeight is {weight!r}"
            yield self._told(_ERROR, name, message, f"0 to {_GREATEST_WEIGHT}")
        if affinity not in (None, "none", "preferred"):
            message = f"channel {name}: affinity is {affinity!r}"
            yield self._told(_ERROR, name, message, "none or preferred")

    def _told(
        self, severity: DiagnosticSeverity, near: object, message: str, expected: str = ""
    ) -> Diagnostic:
        """At the next place of a value from the channel's name on."""
        at = self._text.find(json.dumps(near), self._start) if near else self._start
        at = self._start if at < 0 else at
        line = self._text.count("\n", 0, at) + 1
        column = at - self._text.rfind("\n", 0, at)
        return Diagnostic(severity, line, column, message, expected, self._file)


def _part(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _text_of(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    return value if isinstance(value, str) else ""
