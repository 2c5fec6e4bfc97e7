"""Who gets in, as whom, and with what protection: channels, CHLAUTH, CONNAUTH, TLS, authority.

Sources, by name on the pages: IBM MQ documentation, "Channel authentication records", "Connection
authentication", "Deprecated and removed CipherSpecs", "SET AUTHREC" and "setmqaut".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.definitions.estate import DefiningCommand, Definition, Estate, Location, texts_of
from mqtriage.definitions.rules.finding import (
    Alter,
    CommandFix,
    Severity,
    Violation,
    Violations,
    dangling,
    setting,
    violation,
)
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.attributes.system_objects import system_objects
from mqtriage.mq.mqsc.check import first_error
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import is_system
from mqtriage.mq.security.authority_records import may_have
from mqtriage.mq.security.channel_auth_records import KEYS, LISTS, is_for
from mqtriage.mq.security.channel_auth_rules import ADMINISTRATORS
from mqtriage.mq.security.cipher_specs import BEST, DEPRECATED, STATIC, is_weak
from mqtriage.records import dataclass

_OF_CLIENTS: Final = ("SVRCONN", "AMQP", "MQTT")
_INBOUND: Final = (*_OF_CLIENTS, "RCVR", "RQSTR", "CLUSRCVR")
_PRIVILEGED: Final = frozenset(
    {"mqm", "qmqm", "qmqmadm", "musr_mqadmin", "root", "qsecofr", "administrator", "system"}
)
_COMMAND_QUEUES: Final = ("SYSTEM.ADMIN.COMMAND.QUEUE", "SYSTEM.COMMAND.INPUT")
_LONGEST_USER: Final = 12
"""Of users that AIX, Linux and z/OS check authority for; IBM MQ documentation, "User IDs"."""
_REMOTE_ADMIN: Final = "SYSTEM.ADMIN.SVRCONN"
_ANY_PEER: Final = re.compile(r"\s*\*?\s*|\s*\w+\s*=\s*\*\s*(?:[,;+]\s*\w+\s*=\s*\*\s*)*")
"""A name of a certificate's owner that every certificate has."""
_SHIPPED: Final = {(_REMOTE_ADMIN, "ADDRESSMAP", "*"): "CHANNEL"}
"""Maps that let clients in and that a queue manager comes with: profile, type and address to
USERSRC."""
_SECRETS: Final = {
    "AUTHINFO": ("LDAPPWD",),
    "CHANNEL": ("PASSWORD",),
    "QMGR": ("KEYRPWD", "SSLCRYP"),
}
_PIN: Final = re.compile(r"GSK_PKCS11=[^;]*;[^;]*;([^;]+)", re.IGNORECASE)
"""The password in SSLCRYP, behind the driver and the label of the token."""
_BROAD: Final = ("ALL", "ALLADM", "SETALL", "ALTUSR", "SYSTEM", "CHG", "CLR", "CRT", "DLT")


@dataclass(frozen=True, slots=True)
class _Map:
    """A channel authentication record, with the command that set it last.

    Attributes:
        is_refused: the command is wrong as it stands, which is said of it already.
    """

    profile: str
    type: str
    values: Mapping[str, str]
    source: DefiningCommand
    is_refused: bool = False

    def word(self, keyword: str, usual: str = "") -> str:
        return self.values.get(keyword, usual).upper()

    @property
    def lets_in(self) -> bool:
        return self.type.endswith("MAP") and self.word("USERSRC", "MAP") != "NOACCESS"

    @property
    def is_shipped(self) -> bool:
        """Whether a queue manager comes with it."""
        key = (self.profile, self.type, self.values.get("ADDRESS", ""))
        return _SHIPPED.get(key) == self.word("USERSRC", "MAP")

    def violation(self, keyword: str, message: str, *fix: CommandFix) -> Violation:
        parameter = self.source.command.parameter(keyword)
        place = self.source.place if parameter is None else self.source.place_of(parameter)
        return Violation("CHLAUTH", self.profile, place, message, fix)

    def set_again(self, **changes: str) -> CommandFix:
        """The command that sets the record with other values."""
        values = {**self.values, **changes, "ACTION": "REPLACE"}
        words = [f"{key}({_quoted(key, text)})" for key, text in values.items()]
        return CommandFix(f"SET CHLAUTH('{self.profile}') TYPE({self.type}) {' '.join(words)}")


def _quoted(keyword: str, text: str) -> str:
    if keyword in ("ACTION", "USERSRC", "WARN", "CHCKCLNT"):
        return text
    members = text.split(",") if keyword in LISTS.values() else [text]
    return ",".join("'" + member.replace("'", "''") + "'" for member in members)


def _records(estate: Estate) -> list[_Map]:
    """What the scripts' SET CHLAUTH amount to; a live queue manager's records are not read."""
    records: dict[tuple[str, ...], _Map] = {}
    for source in estate.commands:
        command = source.command
        kind = (command.value("TYPE") or "").upper()
        is_set = (command.verb, command.noun) == ("SET", "CHLAUTH")
        if not is_set or not command.name or kind not in KEYS:
            continue
        values = {
            p.keyword: ",".join(value.text.strip(" ") for value in p.values or ())
            for p in command.parameters
            if p.keyword not in ("TYPE", "ACTION", "REPLACE")
        }
        is_refused = first_error(command, estate.platform) is not None
        record = _Map(command.name.text.strip(" "), kind, values, source, is_refused)
        key = (record.profile, kind, *(values.get(word, "") for word in KEYS[kind]))
        action = (command.value("ACTION") or "ADD").upper()
        if action == "REMOVEALL":
            records = {k: v for k, v in records.items() if k[:2] != (record.profile, kind)}
        elif action == "REMOVE":
            records.pop(key, None)
        elif action == "ADD" and kind in LISTS and key in records:
            old = records[key].values.get(LISTS[kind], "")
            listed = {LISTS[kind]: f"{old},{values.get(LISTS[kind], '')}"}
            records[key] = _Map(record.profile, kind, {**values, **listed}, source)
        else:
            records[key] = record
    return list(records.values())


def _accepted(estate: Estate) -> list[_Map]:
    """The records that the queue manager takes."""
    return [record for record in _records(estate) if not record.is_refused]


def _is_privileged(user: str) -> bool:
    return user.strip(" ").partition("@")[0].lower() in _PRIVILEGED


def _channels(estate: Estate, *types: str) -> Iterator[Definition]:
    """The channels of some types, those of every type for none; client connections among them."""
    for channel in (*estate.channels.values(), *estate.objects("CLNTCONN").values()):
        if not types or channel.text("CHLTYPE") in types:
            yield channel


# who gets in --------------------------------------------------------------------------------------


@rule(Severity.ERROR)
def sec001_channel_authentication_off(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    if manager is not None and manager.text("CHLAUTH") == "DISABLED":
        message = "CHLAUTH(DISABLED): administrators and all addresses can connect"
        yield violation(manager, "CHLAUTH", message, Alter("QMGR", "", {"CHLAUTH": "ENABLED"}))


@rule(Severity.ERROR)
def sec002_runs_as_administrator(estate: Estate) -> Violations:
    for channel in _channels(estate, *_INBOUND):
        user = channel.text("MCAUSER") or ""
        if _is_privileged(user):
            is_client = channel.text("CHLTYPE") in _OF_CLIENTS
            who = "every client of the channel" if is_client else "the other end of the channel"
            message = f"MCAUSER({user}): {who} has all the authority of an administrator"
            severity = None if is_client else Severity.WARNING
            yield violation(channel, "MCAUSER", message, severity=severity)
    for record in _accepted(estate):
        user = record.values.get("MCAUSER", "")
        if record.lets_in and _is_privileged(user):
            message = (
                f"MCAUSER({user}): the clients that the record maps have all the authority of an "
                "administrator"
            )
            yield record.violation("MCAUSER", message)


@rule(Severity.WARNING)
def sec003_client_chooses_its_user(estate: Estate) -> Violations:
    records = _records(estate)
    is_off = estate.setting("CHLAUTH") == "DISABLED"
    is_told = (estate.whole and not estate.also) or bool(records) or is_off
    if _live(estate) or _adopts_checked_users(estate):
        return
    for channel in _channels(estate, *_OF_CLIENTS):
        if channel.text("MCAUSER") != "" or is_system(channel.name):
            continue
        if any(it.type.endswith("MAP") and is_for(it.profile, channel.name) for it in records):
            continue
        message = (
            "MCAUSER is blank and no CHLAUTH record maps the channel: clients choose their own user"
        )
        severity = None if is_told else Severity.INFO
        yield violation(channel, "MCAUSER", message, severity=severity)


def _live(estate: Estate) -> bool:
    return estate.whole and not estate.commands


def _adopts_checked_users(estate: Estate) -> bool:
    """Whether each client has to show a password, and its user is then the one that counts."""
    named = str(estate.setting("CONNAUTH") or "")
    info = estate.objects("AUTHINFO").get(named)
    return (
        info is not None and info.text("CHCKCLNT") == "REQUIRED" and info.text("ADOPTCTX") == "YES"
    )


@rule(Severity.WARNING)
def sec004_no_connection_authentication(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    if manager is not None and manager.text("CONNAUTH") == "":
        severity = Severity.INFO if estate.platform == "zos" else None
        message = "CONNAUTH is blank: no password is checked"
        fix = Alter("QMGR", "", {"CONNAUTH": "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"})
        yield violation(manager, "CONNAUTH", message, fix, severity=severity)


@rule(Severity.ERROR)
def sec005_connection_authentication_missing(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    if manager is None or not manager.text("CONNAUTH"):
        return
    effect = "every connection is refused with 2035"
    yield from dangling(estate, manager, "CONNAUTH", "AUTHINFO", effect)
    name = manager.text("CONNAUTH") or ""
    info = estate.objects("AUTHINFO").get(name)
    shipped = system_objects("AUTHINFO", estate.platform or "dist").get(name, {})
    kind = info.text("AUTHTYPE") if info is not None else shipped.get("AUTHTYPE")
    if kind in ("CRLLDAP", "OCSP"):
        message = f"CONNAUTH({name}) is of AUTHTYPE({kind}): {effect}"
        yield violation(manager, "CONNAUTH", message)


@rule(Severity.WARNING)
def sec006_passwords_not_checked(estate: Estate) -> Violations:
    named = estate.setting("CONNAUTH")
    is_off = estate.setting("CHLAUTH") == "DISABLED"
    for info in estate.objects("AUTHINFO").values():
        check = info.text("CHCKCLNT")
        if named is not None and named != info.name:
            continue
        if check == "NONE":
            message = "CHCKCLNT(NONE): no password of a client is checked"
        elif check == "OPTIONAL" and is_off:
            message = (
                "CHCKCLNT(OPTIONAL) with CHLAUTH(DISABLED): a client without a password is accepted"
            )
        else:
            continue
        fix = setting(info, CHCKCLNT="REQUIRED")
        yield violation(info, "CHCKCLNT", message, fix)


@rule(Severity.WARNING)
def sec007_everybody_let_in(estate: Estate) -> Violations:
    for record in _accepted(estate):
        if not record.lets_in or record.is_shipped:
            continue
        address, user = record.values.get("ADDRESS", ""), record.values.get("CLNTUSER", "")
        peer, manager = record.values.get("SSLPEER", ""), record.values.get("QMNAME", "")
        is_anybody = {
            "ADDRESSMAP": address == "*",
            "USERMAP": user == "*" and address in ("", "*"),
            "QMGRMAP": manager == "*" and address in ("", "*"),
            "SSLPEERMAP": _ANY_PEER.fullmatch(peer) is not None and address in ("", "*"),
        }.get(record.type, False)
        if not is_anybody or record.word("CHCKCLNT") == "REQUIRED":
            continue
        keyword = KEYS[record.type][0]
        if record.type == "SSLPEERMAP":
            issuer = record.values.get("SSLCERTI", "")
            if not issuer or _ANY_PEER.fullmatch(issuer):
                message = f"SSLPEER('{peer}'): everyone with a trusted certificate is accepted"
                yield record.violation(keyword, message)
        elif record.word("USERSRC", "MAP") == "CHANNEL":
            message = (
                f"{keyword}('*') with USERSRC(CHANNEL): everyone is accepted as the user that "
                f"they name"
            )
            yield record.violation(keyword, message)
        elif record.type == "USERMAP" or not _has_tls(estate, record.profile):
            message = f"{keyword}('*') is mapped to {record.values.get('MCAUSER', '')}: everyone is"
            yield record.violation(keyword, message + " accepted as that user, without a password")


def _has_tls(estate: Estate, profile: str) -> bool:
    """Whether every channel that the profile is for asks for a certificate."""
    channels = [c for c in estate.channels.values() if is_for(profile, c.name)]
    return bool(channels) and all(
        c.text("SSLCIPH") and c.text("SSLCAUTH") == "REQUIRED" for c in channels
    )


@rule(Severity.WARNING)
def sec008_rule_only_warns(estate: Estate) -> Violations:
    for record in _accepted(estate):
        if record.word("WARN") == "YES":
            message = (
                "WARN(YES): clients that should be blocked are accepted, and an event is written"
            )
            yield record.violation("WARN", message, record.set_again(WARN="NO"))


@rule(Severity.WARNING)
def sec009_administrators_not_blocked(estate: Estate) -> Violations:
    for record in _accepted(estate):
        users = record.values.get("USERLIST", "")
        if record.type != "BLOCKUSER" or _blocks_all(users) or marker_in(users):
            continue
        if _only_maps(estate, record.profile):
            continue  # IBM's own pattern for a channel of administrators
        message = f"USERLIST({users}) does not contain {ADMINISTRATORS}: administrators can connect"
        fix = record.set_again(USERLIST=f"{ADMINISTRATORS},{users}" if users else ADMINISTRATORS)
        yield record.violation("USERLIST", message, fix)
    for source in _removed(estate, "BLOCKUSER", "*"):
        message = f"the record that blocks {ADMINISTRATORS} on every channel is removed"
        yield Violation("CHLAUTH", "*", source.place, message, severity=Severity.ERROR)


def _blocks_all(users: str) -> bool:
    return ADMINISTRATORS in (user.strip(" ") for user in users.upper().split(","))


def _only_maps(estate: Estate, profile: str) -> bool:
    """Whether a channel's records block every address, and accept only whom the others map."""
    if "*" in profile:
        return False
    own = [r for r in _accepted(estate) if r.profile == profile and r.type.endswith("MAP")]
    is_closed = any(not r.lets_in and r.values.get("ADDRESS") == "*" for r in own)
    return is_closed and not any(
        r.word("USERSRC", "MAP") == "CHANNEL"
        and r.word("CHCKCLNT") != "REQUIRED"
        and (r.type != "USERMAP" or "*" in r.values.get("CLNTUSER", ""))
        for r in own
    )


def _removed(estate: Estate, kind: str, profile: str) -> Iterator[DefiningCommand]:
    """Commands that take away what a queue manager comes with, where nothing sets it again."""
    if any(it.profile == profile and it.type == kind for it in _records(estate)):
        return
    for source in estate.commands:
        command = source.command
        if command.noun != "CHLAUTH" or command.verb != "SET" or not command.name:
            continue
        action = (command.value("ACTION") or "").upper()
        is_meant = command.name.text == profile and (command.value("TYPE") or "").upper() == kind
        if is_meant and action in ("REMOVE", "REMOVEALL"):
            yield source


# TLS ----------------------------------------------------------------------------------------------


@rule(Severity.WARNING)
def sec010_peer_name_without_tls(estate: Estate) -> Violations:
    for channel in _channels(estate):
        if channel.text("SSLPEER") and channel.text("SSLCIPH") == "":
            message = "SSLPEER without SSLCIPH: there is no certificate name to check"
            yield violation(channel, "SSLPEER", message)


@rule(Severity.WARNING)
def sec011_certificate_optional(estate: Estate) -> Violations:
    maps = [record for record in _records(estate) if record.type == "SSLPEERMAP"]
    for channel in _channels(estate, *_INBOUND):
        if channel.text("SSLCAUTH") != "OPTIONAL":
            continue
        relies = "SSLPEER" if channel.text("SSLPEER") else ""
        if any(is_for(it.profile, channel.name) for it in maps):
            relies = relies or "a CHLAUTH record of TYPE(SSLPEERMAP)"
        if relies:
            message = f"SSLCAUTH(OPTIONAL): a client without a certificate bypasses {relies}"
            yield violation(channel, "SSLCAUTH", message, setting(channel, SSLCAUTH="REQUIRED"))


@rule(Severity.WARNING)
def sec012_weak_cipherspec(estate: Estate) -> Violations:
    for channel in _channels(estate):
        name = (channel.text("SSLCIPH") or "").upper()
        if name in DEPRECATED:
            what = "weak and deprecated" if is_weak(name) else "deprecated"
            message = f"SSLCIPH({name}), {DEPRECATED[name]}, is {what}: use {BEST} at both ends"
            severity = Severity.ERROR if is_weak(name) else None
            fix = setting(channel, SSLCIPH=BEST)
            yield violation(channel, "SSLCIPH", message, fix, severity=severity)
        elif name in STATIC:
            message = (
                f"SSLCIPH({name}) has no forward secrecy: anyone who gets the key of the"
                f" certificate can read recorded traffic; use {BEST} at both ends"
            )
            yield violation(channel, "SSLCIPH", message, severity=Severity.INFO)


@rule(Severity.WARNING)
def sec013_fips_not_as_named(estate: Estate) -> Violations:
    fips = estate.setting("SSLFIPS")
    for channel in _channels(estate):
        name = (channel.text("SSLCIPH") or "").upper()
        if fips == "NO" and name.startswith("FIPS_"):
            message = f"SSLCIPH({name}) with SSLFIPS(NO): the queue manager does not enforce FIPS"
            yield violation(channel, "SSLCIPH", message)
        elif fips == "YES" and ("CHACHA20" in name or is_weak(name)):
            message = f"SSLCIPH({name}) is not FIPS-certified: SSLFIPS(YES) refuses it"
            yield violation(channel, "SSLCIPH", message)


@rule(Severity.WARNING)
def sec014_remote_administration_open(estate: Estate) -> Violations:
    channel = estate.channels.get(_REMOTE_ADMIN)
    if channel is not None and channel.text("SSLCIPH") == "":
        message = (
            f"{_REMOTE_ADMIN} without SSLCIPH: commands and passwords cross the network in clear "
            f"text"
        )
        yield violation(channel, "", message, setting(channel, SSLCIPH=BEST))
    for record in _accepted(estate):
        if record.profile.startswith("SYSTEM.") and record.lets_in and not record.is_shipped:
            if record.word("CHCKCLNT") == "REQUIRED" or record.type == "SSLPEERMAP":
                continue
            message = "the record accepts clients on channels that the queue manager blocks"
            yield record.violation("", message)
    for source in _removed(estate, "ADDRESSMAP", "SYSTEM.*"):
        message = "the record that blocks the SYSTEM channels for everyone is removed"
        yield Violation("CHLAUTH", "SYSTEM.*", source.place, message)


# authority and secrets ----------------------------------------------------------------------------


@rule(Severity.WARNING)
def sec015_broad_authority(estate: Estate) -> Violations:
    granted: dict[tuple[str, ...], tuple[Location, list[str]]] = {}
    for source in estate.commands:
        command = source.command
        if command.noun == "AUTHREC" and command.verb in ("SET", "DELETE"):
            for key in _record_keys(command):
                _note_grant(granted, key, source)
    agents = set(_channel_users(estate))
    yield from _open_to_everybody(estate)
    for (profile, kind, entity), (place, words) in granted.items():
        if entity.rpartition("(")[2][:-1].lower() in agents and words == ["SETALL"]:
            continue
        if words:
            where = profile or kind
            message = (
                f"{entity} has {', '.join(words)} on {where} ({kind}): more than an application"
            )
            # what a dump has of operators: nobody writes @class for an application by accident
            severity = Severity.INFO if profile == "@class" and words == ["CRT"] else None
            yield Violation("AUTHREC", where, place, f"{message} needs", severity=severity)


def _open_to_everybody(estate: Estate) -> Violations:
    """That the group of users without another group may send commands."""
    for record, place in (estate.authorities or {}).items():
        is_everybody = record.entity.lower() == "group(nobody)"
        if is_everybody and record.profile in _COMMAND_QUEUES and "PUT" in record.authorities:
            message = f"{record.entity} has PUT on {record.profile}: any user can send commands"
            yield Violation("AUTHREC", record.profile, place, message)


def _channel_users(estate: Estate) -> Iterator[str]:
    """Users under which channels put what they receive, in lower case: IBM has them have SETALL."""
    records = _records(estate)
    for channel in estate.channels.values():
        if channel.text("CHLTYPE") in ("RCVR", "RQSTR", "CLUSRCVR"):
            mapped = [r.values.get("MCAUSER") for r in records if is_for(r.profile, channel.name)]
            yield from (user.lower() for user in (channel.text("MCAUSER"), *mapped) if user)


def _record_keys(command: Command) -> Iterator[tuple[str, ...]]:
    kind, profile = (command.value("OBJTYPE") or "").upper(), command.value("PROFILE") or ""
    for keyword in ("GROUP", "PRINCIPAL"):
        for user in texts_of(command, keyword):
            if not _is_privileged(user):
                yield profile, kind, f"{keyword}({user})"


def _note_grant(
    granted: dict[tuple[str, ...], tuple[Location, list[str]]],
    key: tuple[str, ...],
    source: DefiningCommand,
) -> None:
    command = source.command
    if command.verb == "DELETE" or "ALL" in _words(command, "AUTHRMV"):
        granted.pop(key, None)
    words = _words(command, "AUTHADD")
    given = [word for word in _BROAD if word in words and may_have(key[1], word)]
    if given and command.verb == "SET":
        _, before = granted.get(key, (source.place, []))
        granted[key] = (source.place, list(dict.fromkeys((*before, *given))))


def _words(command: Command, keyword: str) -> set[str]:
    return {word for text in texts_of(command, keyword) for word in text.upper().split()}


@rule(Severity.ERROR)
def sec016_secret_in_clear(estate: Estate) -> Violations:
    for source in estate.commands:
        command = source.command
        name = command.named()
        for keyword in _SECRETS.get(command.noun, ()):
            parameter = command.parameter(keyword)
            text = (command.value(keyword) or "").strip(" ")
            if keyword == "SSLCRYP":
                pin = _PIN.match(text)
                text = pin[1].replace("xxxxxx", "") if pin else ""
            if parameter is None or not text.strip("*") or marker_in(text):
                continue
            message = (
                f"{keyword} is in the script in clear text: anyone who reads the script has it"
            )
            yield Violation(command.noun, name, source.place_of(parameter), message)


@rule(Severity.WARNING)
def sec017_directory_asked_in_clear(estate: Estate) -> Violations:
    for info in estate.objects("AUTHINFO").values():
        if is_system(info.name) and estate.setting("CONNAUTH") != info.name:
            continue  # as a queue manager comes with it
        if info.text("AUTHTYPE") == "IDPWLDAP" and info.text("SECCOMM") == "NO":
            message = "SECCOMM(NO): passwords go to the LDAP server over the network in clear text"
            severity = None if info.gives("SECCOMM") else Severity.INFO
            fix = setting(info, SECCOMM="YES")
            yield violation(info, "SECCOMM", message, fix, severity=severity)


@rule(Severity.WARNING)
def sec018_channels_define_themselves(estate: Estate) -> Violations:
    manager = estate.queue_manager_attributes
    if manager is not None and manager.text("CHAD") == "ENABLED":
        message = "CHAD(ENABLED): anyone who connects gets a channel that nobody defined"
        yield violation(manager, "CHAD", message, Alter("QMGR", "", {"CHAD": "DISABLED"}))


@rule(Severity.ERROR)
def sec019_map_to_no_user(estate: Estate) -> Violations:
    for record in _accepted(estate):
        is_map = record.type.endswith("MAP") and record.word("USERSRC", "MAP") == "MAP"
        if is_map and not record.values.get("MCAUSER"):
            yield record.violation(
                "USERSRC", "USERSRC(MAP) without MCAUSER: the command is rejected"
            )


@rule(Severity.WARNING)
def sec020_user_too_long(estate: Estate) -> Violations:
    message = "MCAUSER has {} characters: AIX, Linux and z/OS accept at most " + str(_LONGEST_USER)
    for channel in _channels(estate, *_INBOUND):
        user = channel.text("MCAUSER") or ""
        if _is_too_long(user):
            yield violation(channel, "MCAUSER", message.format(len(user)))
    for record in _accepted(estate):
        user = record.values.get("MCAUSER", "")
        if _is_too_long(user):
            yield record.violation("MCAUSER", message.format(len(user)))


def _is_too_long(user: str) -> bool:
    """Whether a user has too many characters; one with a domain is of Windows."""
    is_open = marker_in(user) or "@" in user or "\\" in user
    return len(user) > _LONGEST_USER and not is_open


@rule(Severity.INFO)
def sec021_connection_authentication_not_refreshed(estate: Estate) -> Violations:
    changed: DefiningCommand | None = None
    for source in estate.commands:
        command = source.command
        if command.noun == "QMGR" and command.value("CONNAUTH"):
            changed = source
        elif command.verb == "REFRESH" and (command.value("TYPE") or "").upper() == "CONNAUTH":
            changed = None
    parameter = changed.parameter("CONNAUTH") if changed else None
    if changed is not None and parameter is not None and estate.stated_level is None:
        message = "CONNAUTH takes effect only after REFRESH SECURITY TYPE(CONNAUTH) or a restart"
        fix = (CommandFix("REFRESH SECURITY TYPE(CONNAUTH)"),)
        yield Violation("QMGR", "", changed.place_of(parameter), message, fix)
