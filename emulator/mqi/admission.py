"""Who a program is to the queue manager, and whether it is let in: CHLAUTH, then CONNAUTH.

A program that names a channel is a client; one that names none is local and meets no channel
authentication records. Host names are not looked up: a record that names one is for `localhost`.

Where IBM MQ is stricter: the owner of the queue manager's file is not one of `*MQADMIN`, and
passwords are checked only where the server was given some. The records that a queue manager comes
with count only while authority is checked (`emulator lab switch authority=on`); those that somebody
has set always count.

Source: IBM MQ documentation, "Channel authentication records", "Connection authentication", the
attributes ADOPTCTX, CHCKCLNT, CHCKLOCL and FAILDLAY of DEFINE AUTHINFO.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final, NamedTuple

from mqtriage.emulator.admin import channel_auth
from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.core import authority
from mqtriage.emulator.core.channels import Instance
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.mqi import passwords
from mqtriage.mq import cmqc
from mqtriage.mq.attributes.attribute import MAX_LONG, AttributeValue
from mqtriage.mq.errors import MQIError, NotAuthorized, mqi_error
from mqtriage.mq.security import channel_auth_rules as rules
from mqtriage.mq.security.channel_auth_records import Record
from mqtriage.mq.security.distinguished_names import Name

_FAILURE_DELAY_S: Final = 1


class WrongPassword(NotAuthorized):
    """2035 for a user that is unknown, or whose password is wrong or missing."""


class ProgramOrigin(NamedTuple):
    """Where a program comes from.

    Attributes:
        addresses: its IP address, with "localhost" for this machine.
        subject, issuer: of the certificate that it showed and that was verified, () for none.
    """

    addresses: tuple[str, ...] = ("127.0.0.1", "localhost")
    is_local: bool = True
    subject: Name = ()
    issuer: Name = ()


class ConnectDetails(NamedTuple):
    """What a program connects with.

    Attributes:
        user, password: of its MQCSP, "" where it gives none.
        channel: the one that it names, "" for a local program.
        cipher_spec: that it names for that channel, "" for none; None where whoever takes its
            socket has seen to TLS.
        max_message_bytes: of its end of the channel, 0 for no limit.
    """

    user: str
    password: str
    channel: str
    peer_user: str
    origin: ProgramOrigin = ProgramOrigin()
    cipher_spec: str | None = None
    max_message_bytes: int = 0
    process_id: int = 0


_CHANNEL: Final = Struct("<20si32s")


def of_channel(raw: bytes) -> tuple[bytes, int, str | None]:
    """What a program says of its channel: name, MaxMsgLength and SSLCipherSpec of the MQCD.

    A library that says no more than the name, and a listener, leave out the rest.
    """
    if len(raw) != _CHANNEL.size:
        return raw, 0, None
    name, most, cipher_spec = _CHANNEL.unpack(raw)
    return name, max(most, 0), cipher_spec.partition(b"\0")[0].decode("latin-1").strip()


def admitted(manager: Manager, given: ConnectDetails, users: Mapping[str, str], doing: str) -> str:
    """Whose authority counts for a program that connects.

    Args:
        users: user to password, or to its hash; empty where the server checks none.

    Raises:
        NotAuthorized: 2035, with the record or attribute that keeps it out.
    """
    checks = _checks(manager)
    adopted = given.user if checks.get("ADOPTCTX", "YES") == "YES" else ""
    required = str(checks.get("CHCKLOCL", "NONE"))
    user = adopted or given.peer_user
    if given.channel:
        mapped = _mapped(manager, given, user, doing)
        channel = kept.objects(manager, "CHANNEL").get(given.channel, {})
        user = mapped.user or adopted or str(channel.get("MCAUSER", "")) or given.peer_user
        required = str(checks.get("CHCKCLNT", "NONE"))
        required = required if mapped.check == "ASQMGR" else mapped.check
        if not given.origin.is_local and not given.origin.subject:
            required = "REQUIRED"  # nothing else says who a program of another machine is
        record = rules.blocked_by(
            _records(manager, given.channel), given.channel, user,
            is_administrator=authority.is_administrator(user),
        )  # fmt: skip
        if record is not None:
            raise _refused(record, given.channel, user, doing)
    if users:
        privileged = user == authority.owner(manager) or authority.is_administrator(user)
        _check_password(given, users, required, user, doing, is_privileged=privileged)
    return user[: cmqc.MQ_USER_ID_LENGTH]


def _checks(manager: Manager) -> Mapping[str, AttributeValue]:
    """The AUTHINFO that CONNAUTH names."""
    name = str(manager.attributes.get("CONNAUTH", ""))
    return kept.objects(manager, "AUTHINFO").get(name, {}) if name else {}


def max_message_bytes(manager: Manager, given: ConnectDetails) -> int:
    """The longest message that a program's channel carries, 0 for any: the lower of both ends'."""
    most = int(_server_end(manager, given.channel).get("MAXMSGL", 0))
    return min(filter(None, (most, given.max_message_bytes)), default=0)


def may_read_ahead(manager: Manager, given: ConnectDetails) -> bool:
    """Whether a program's channel shares conversations; a local one has no channel to say no."""
    return int(_server_end(manager, given.channel).get("SHARECNV", 10)) > 0


def instance_of(
    manager: Manager, given: ConnectDetails, programs: Mapping[tuple[str, int], int]
) -> Instance:
    """The instance of its channel that a program of the C client has or shares."""
    channel = _server_end(manager, given.channel)
    conversations = int(channel.get("SHARECNV", 10))
    number = programs.get((given.channel, given.process_id), 0) // max(conversations, 1)
    level = f"{manager.command_level:04}"
    return Instance(
        given.channel,
        given.origin.addresses[0],
        f"{given.process_id:08X}{number:08X}",
        conversations,
        int(channel.get("HBINT", 300)),
        "NONE",
        "",
        f"MQCC{level[:2]}{level[2]:0>2}{level[3]:0>2}00",
    )


def refuse_by_channel(
    manager: Manager, given: ConnectDetails, programs: Mapping[tuple[str, int], int], doing: str
) -> None:
    """Refuse a program that the definition of its channel has no place for.

    Args:
        programs: connections by channel and process; each SHARECNV of one process share an
            instance.

    Raises:
        MQIError: 2540 where there is no such channel, 2539 where it is not for clients; 2393 where
            one end has a cipher and the other none, or another one; 2537 where there are MAXINST
            or MAXINSTC instances, all of which come from this machine.
    """
    if not given.channel:
        return
    channel = kept.objects(manager, "CHANNEL").get(given.channel)
    if channel is None:
        detail = f"no channel {given.channel}: DEFINE CHANNEL({given.channel}) CHLTYPE(SVRCONN)"
        raise mqi_error(cmqc.MQRC_UNKNOWN_CHANNEL_NAME, doing, detail=detail)
    if channel.get("CHLTYPE") != "SVRCONN":
        detail = f"channel {given.channel} is CHLTYPE({channel.get('CHLTYPE')}), not for clients"
        raise mqi_error(cmqc.MQRC_CHANNEL_CONFIG_ERROR, doing, detail=detail)
    cipher_spec = str(channel.get("SSLCIPH", ""))
    if not _is_one_cipher(cipher_spec, given.cipher_spec or ""):
        asked = given.cipher_spec or "no CipherSpec"
        detail = f"SSLCIPH({cipher_spec}) of {given.channel}, but the program specifies {asked}"
        raise mqi_error(cmqc.MQRC_SSL_INITIALIZATION_ERROR, doing, detail=detail)
    shared = max(int(channel.get("SHARECNV", 10)), 1)
    counts = {who: count for who, count in programs.items() if who[0] == given.channel}
    here = given.channel, given.process_id
    if counts.get(here, 0) % shared:
        return  # there is room in an instance that the process has
    instances = sum(-(-count // shared) for count in counts.values())
    for keyword in ("MAXINST", "MAXINSTC"):
        if instances >= int(channel.get(keyword, MAX_LONG)):
            detail = f"{keyword}({channel[keyword]}) of {given.channel} is reached"
            raise mqi_error(cmqc.MQRC_CHANNEL_NOT_AVAILABLE, doing, detail=detail)


def _is_one_cipher(server: str, client: str) -> bool:
    """Whether both ends have no CipherSpec, the same one, or leave it to each other."""
    if not server or not client:
        return server == client
    return server == client or server.startswith("ANY_") or client.startswith("ANY_")


def _server_end(manager: Manager, name: str) -> Mapping[str, AttributeValue]:
    """The definition by which clients come; {} where there is none."""
    channel = kept.objects(manager, "CHANNEL").get(name, {})
    return channel if channel.get("CHLTYPE") == "SVRCONN" else {}


def _mapped(manager: Manager, given: ConnectDetails, user: str, doing: str) -> rules.Mapped:
    origin = given.origin
    client = rules.ConnectingClient(
        given.channel, user, origin.addresses, origin.subject, origin.issuer
    )
    mapped = rules.mapped(_records(manager, given.channel), client)
    if mapped.refused_by is not None:
        raise _refused(mapped.refused_by, given.channel, user, doing)
    return mapped


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
    detail = f"{text} blocks user {user} on channel {channel}"
    return mqi_error(cmqc.MQRC_NOT_AUTHORIZED, doing, detail=detail)


def _check_password(
    given: ConnectDetails,
    users: Mapping[str, str],
    required: str,
    user: str,
    doing: str,
    *,
    is_privileged: bool,
) -> None:
    """Refuse a wrong password, and none where CHCKCLNT or CHCKLOCL (*required*) asks for one."""
    is_asked = bool(given.user) or required == "REQUIRED"
    is_asked |= required == "REQDADM" and is_privileged
    if required == "NONE" or not is_asked:
        return
    known = users.get(given.user)
    if known is None or not passwords.is_right(known, given.password):
        text = f"user {given.user}: unknown, or the password is wrong"
        if not given.user:
            attribute = "CHCKCLNT" if given.channel else "CHCKLOCL"
            text = f"no user and password given, but {attribute}({required}) requires them"
            text += f" of user {user}" if required == "REQDADM" else ""
        raise WrongPassword(cmqc.MQRC_NOT_AUTHORIZED, doing, detail=text)


def failure_delay_s(manager: Manager) -> int:
    """FAILDLAY: how long a program with a wrong password waits for its answer."""
    return int(_checks(manager).get("FAILDLAY", _FAILURE_DELAY_S))
