"""Which channel authentication record decides about a client, and what it makes of its user.

Source: IBM MQ documentation, "Channel authentication records" ("Interaction between channel
authentication records"), SET CHLAUTH.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqtriage.mq.security.channel_auth_records import Record, generic_name, is_for
from mqtriage.mq.security.distinguished_names import Name, is_matched_by, parsed
from mqtriage.records import NamedTuple

ADMINISTRATORS: Final = "*MQADMIN"
"""Stands in USERLIST for every privileged user."""

_RANKS: Final = {"SSLPEERMAP": 0, "USERMAP": 1, "ADDRESSMAP": 2}
"""Of maps of one profile that of a certificate comes before that of a user, and that before one of
an address. QMGRMAP matches no client: none is a queue manager."""


class ConnectingClient(NamedTuple):
    """What is known of a client before it is let in.

    Attributes:
        addresses: all names of where it comes from: its IP address, and host names.
        subject, issuer: of its certificate, () for none.
    """

    channel: str
    user: str
    addresses: tuple[str, ...]
    subject: Name = ()
    issuer: Name = ()


class Mapped(NamedTuple):
    """What the records make of a client.

    Attributes:
        user: the one that a record maps it to; "" leaves the channel's or the asserted one.
        check: CHCKCLNT of the record, "ASQMGR" where none decides.
    """

    user: str = ""
    check: str = "ASQMGR"
    refused_by: Record | None = None


def mapped(records: Iterable[Record], client: ConnectingClient) -> Mapped:
    """What the map that fits *client* best makes of it; BLOCKADDR comes before any."""
    there = list(records)
    for record in there:
        if record["TYPE"] == "BLOCKADDR" and _is_listed(record, client) and not _warns(record):
            return Mapped(refused_by=record)
    fitting = [record for record in there if _fits(record, client)]
    if not fitting:
        return Mapped()
    best = min(fitting, key=_precedence)
    source = str(best.get("USERSRC", "MAP"))
    if source == "NOACCESS":
        return Mapped() if _warns(best) else Mapped(refused_by=best)
    user = str(best.get("MCAUSER", "")) if source == "MAP" else ""
    return Mapped(user, str(best.get("CHCKCLNT", "ASQMGR")))


def blocked_by(
    records: Iterable[Record], channel: str, user: str, *, is_administrator: bool
) -> Record | None:
    """The BLOCKUSER that keeps *user* out: of those for this channel the most specific counts."""
    fitting = [
        record for record in records if record["TYPE"] == "BLOCKUSER" and _is_for(record, channel)
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda record: _generic(str(record["CHLAUTH"])))
    listed = _words(best.get("USERLIST", ""))
    blocked = user in listed or (is_administrator and ADMINISTRATORS in listed)
    return best if blocked and not _warns(best) else None


def _fits(record: Record, client: ConnectingClient) -> bool:
    if record["TYPE"] not in _RANKS or not _is_for(record, client.channel):
        return False
    address = str(record.get("ADDRESS", ""))
    if address and not any(_address_fits(address, known) for known in client.addresses):
        return False
    if record["TYPE"] == "SSLPEERMAP":
        return _is_named(client.subject, record.get("SSLPEER", "")) and (
            not record.get("SSLCERTI") or _is_named(client.issuer, record["SSLCERTI"])
        )
    user = str(record.get("CLNTUSER", ""))
    return record["TYPE"] != "USERMAP" or bool(generic_name(user).fullmatch(client.user))


def _is_named(name: Name, pattern: object) -> bool:
    """Whether a certificate's name matches; what is no pattern matches none."""
    try:
        return bool(name) and is_matched_by(name, parsed(str(pattern)))
    except ValueError:
        return False


def _precedence(record: Record) -> tuple[object, ...]:
    """Sort key: the record that counts first."""
    return (
        _generic(str(record["CHLAUTH"])),
        _RANKS[str(record["TYPE"])],
        *_generality_of_names(record),
        _generic(str(record.get("CLNTUSER", ""))),
        _generic(str(record.get("ADDRESS", "")) or "*"),
    )


def _generality_of_names(record: Record) -> tuple[object, ...]:
    """Sort key: of patterns of certificates those that say more, and with fewer asterisks."""
    names = [str(record.get(key, "")) for key in ("SSLPEER", "SSLCERTI")]
    return tuple((-name.count("="), name.count("*")) for name in names)


def _generic(name: str) -> tuple[int, ...]:
    """Sort key: what has a character before what has an asterisk in that place."""
    return tuple(int(character in "*-") for character in name)


def _is_for(record: Record, channel: str) -> bool:
    return is_for(str(record["CHLAUTH"]), channel)


def _is_listed(record: Record, client: ConnectingClient) -> bool:
    return any(
        _address_fits(pattern, known)
        for pattern in _words(record.get("ADDRLIST", ""))
        for known in client.addresses
    )


def _warns(record: Record) -> bool:
    return record.get("WARN") == "YES"


def _words(value: object) -> list[str]:
    return [word.strip().strip("'") for word in str(value).split(",")]


def _address_fits(pattern: str, address: str) -> bool:
    """Whether an address matches one like 127.0.0.1, 127.0.0.*, 127.0.0.1-9, * or a host name."""
    if generic_name(pattern).fullmatch(address):
        return True
    parts, given = pattern.split("."), address.split(".")
    if len(parts) != len(given) or not all(part.isdecimal() for part in given):
        return False
    return all(_part_fits(one, int(other)) for one, other in zip(parts, given, strict=True))


def _part_fits(pattern: str, number: int) -> bool:
    first, dash, last = pattern.partition("-")
    if dash and first.isdecimal() and last.isdecimal():
        return int(first) <= number <= int(last)
    return pattern == "*" or pattern == str(number)
