"""Who a program is to the queue manager, and whether it is let in: CHLAUTH, then CONNAUTH.

A program that names a channel is a client; one that names none is local and meets no channel
authentication records. Host names are not looked up: a record that names one is for `localhost`.

Where IBM MQ is stricter: the owner of the queue manager's file is not one of `*MQADMIN`, and
passwords are checked only where the server was given some. A channel need not be defined. The
records that a queue manager comes with count for defined channels, and only while authority is
checked (`emulator lab switch authority=on`); those that somebody has set always count.

Source: IBM MQ documentation, "Channel authentication records", "Connection authentication", the
attributes ADOPTCTX, CHCKCLNT and CHCKLOCL of DEFINE AUTHINFO.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from mqtriage.emulator.admin import channel_auth
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.manager import Manager
from mqtriage.mq import codes
from mqtriage.mq.errors import MQIError, mqi_error
from mqtriage.mq.security import channel_auth_rules as rules
from mqtriage.mq.security.channel_auth_records import Record
from mqtriage.mq.security.distinguished_names import Name

_USER_CHARACTERS: Final = 12


class Origin(NamedTuple):
    """Where a program comes from.

    Attributes:
        addresses: its IP address, with "localhost" for this machine.
        is_local: whether it runs on this machine.
        subject, issuer: of the certificate that it showed and that was verified, () for none.
    """

    addresses: tuple[str, ...] = ("127.0.0.1", "localhost")
    is_local: bool = True
    subject: Name = ()
    issuer: Name = ()


class Given(NamedTuple):
    """What a program connects with.

    Attributes:
        user, password: of its MQCSP, "" where it gives none.
        channel: the one that it names, "" for a local program.
        peer_user: who runs it.
        origin: where it comes from.
    """

    user: str
    password: str
    channel: str
    peer_user: str
    origin: Origin = Origin()


def admitted(manager: Manager, given: Given, users: Mapping[str, str], doing: str) -> str:
    """Whose authority counts for a program that connects.

    Args:
        users: user to password; empty where the server checks none.

    Raises:
        NotAuthorized: 2035, with the record or attribute that keeps it out.
    """
    name = str(manager.attributes.get("CONNAUTH", ""))
    checks = kept.objects(manager, "AUTHINFO").get(name, {}) if name else {}
    adopted = given.user if checks.get("ADOPTCTX", "YES") == "YES" else ""
    required = str(checks.get("CHCKLOCL", "NONE"))
    user = adopted or given.peer_user
    if given.channel:
        mapped = _mapped(manager, given, user, doing)
        user = mapped.user or adopted or _mca_user(manager, given.channel) or given.peer_user
        required = str(checks.get("CHCKCLNT", "NONE"))
        required = required if mapped.check == "ASQMGR" else mapped.check
        if not given.origin.is_local and not given.origin.subject:
            required = "REQUIRED"  # nothing else says who a program of another machine is
        _refuse_blocked(manager, given.channel, user, doing)
    if users:
        _check_password(given, users, required, _is_privileged(manager, user), doing)
    return user[:_USER_CHARACTERS]


def _mapped(manager: Manager, given: Given, user: str, doing: str) -> rules.Mapped:
    origin = given.origin
    client = rules.Client(given.channel, user, origin.addresses, origin.subject, origin.issuer)
    mapped = rules.mapped(_records(manager, given.channel), client)
    if mapped.refused_by is not None:
        raise _refused(mapped.refused_by, given.channel, user, doing)
    return mapped


def _refuse_blocked(manager: Manager, channel: str, user: str, doing: str) -> None:
    record = rules.blocked_by(
        _records(manager, channel), channel, user, is_administrator=authority.is_administrator(user)
    )
    if record is not None:
        raise _refused(record, channel, user, doing)


def _records(manager: Manager, channel: str) -> list[channel_auth.Values]:
    if manager.attributes.get("CHLAUTH", "ENABLED") == "DISABLED":
        return []
    records = channel_auth.records(manager)
    if manager.switches.get(authority.SWITCH) == "on" and channel in kept.objects(
        manager, "CHANNEL"
    ):
        return records
    return [record for record in records if record not in channel_auth.DEFAULTS]


def _refused(record: Record, channel: str, user: str, doing: str) -> MQIError:
    text = f"CHLAUTH({record['CHLAUTH']}) TYPE({record['TYPE']})"
    detail = f"{text} keeps user {user} out of channel {channel}"
    return mqi_error(codes.MQRC_NOT_AUTHORIZED, doing, detail=detail)


def _mca_user(manager: Manager, channel: str) -> str:
    return str(kept.objects(manager, "CHANNEL").get(channel, {}).get("MCAUSER", ""))


def _is_privileged(manager: Manager, user: str) -> bool:
    return user == authority.owner(manager) or authority.is_administrator(user)


def _check_password(
    given: Given, users: Mapping[str, str], required: str, privileged: bool, doing: str
) -> None:
    """Refuse a wrong password, and none where CHCKCLNT or CHCKLOCL (*required*) asks for one."""
    is_asked = bool(given.user) or required == "REQUIRED" or (required == "REQDADM" and privileged)
    if required == "NONE" or not is_asked:
        return
    known = users.get(given.user)
    if known is None or not hmac.compare_digest(known.encode(), given.password.encode()):
        text = f"user {given.user or '(none)'}: unknown, or the password is wrong"
        raise mqi_error(codes.MQRC_NOT_AUTHORIZED, doing, detail=text)
