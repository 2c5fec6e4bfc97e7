"""Channels and listeners: what they are named for, and both ends of a channel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mqtriage.definitions.estate import Definition, Estate, Location
from mqtriage.definitions.rules.finding import (
    Severity,
    Violation,
    Violations,
    dangling,
    setting,
    violation,
)
from mqtriage.definitions.rules.network import (
    AUTOMATIC,
    DEFAULT_PORT,
    PARTNERS,
    is_partner,
    listening,
    neighbour,
    others,
    senders,
)
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.mqsc.check import wrong_channel_type
from mqtriage.mq.mqsc.tokens import marker_in
from mqtriage.mq.names import CHANNEL_INITQ, is_system
from mqtriage.mq.security.channel_auth_records import is_for
from mqtriage.mq.security.cipher_specs import may_agree

_NO_LIMIT: Final = 999_999_999
"""MAXINSTC as it is supplied."""
_GREATEST_PORT: Final = 65_535
_RETRYING: Final = ("SDR", "SVR", "CLUSSDR", "CLUSRCVR")
_CONNECTION: Final = re.compile(r"\s*[^\s(),]+\s*(?:\(\s*(\d{1,5})\s*\)\s*)?")

_LOOPBACK: Final = re.compile(r"127(\.\d+){3}")


@rule(Severity.ERROR)
def chl001_transmission_queue_missing(estate: Estate) -> Violations:
    for channel in senders(estate):
        if not is_system(channel.name):
            effect, wrong = "the channel cannot start", ("QALIAS", "QMODEL", "QREMOTE")
            yield from dangling(estate, channel, "XMITQ", "QLOCAL", effect, *wrong)


@rule(Severity.WARNING)
def chl002_transmission_queue_not_triggered(estate: Estate) -> Violations:
    for channel in senders(estate):
        queue = estate.queues.get(channel.text("XMITQ") or "")
        calls = channel.text("CHLTYPE") == "SDR" or channel.text("CONNAME")
        if queue is None or not calls or channel.number("DISCINT") == 0:
            continue
        if queue.text("USAGE") == "XMITQ" and queue.text("TRIGGER") == "NO":
            message = (
                f"NOTRIGGER: once {channel.name} has ended, after DISCINT seconds without a"
                " message, messages do not start it again"
            )
            blank = {"INITQ": CHANNEL_INITQ, "TRIGDATA": channel.name}
            more = {word: text for word, text in blank.items() if not queue.text(word)}
            yield violation(queue, "TRIGGER", message, setting(queue, TRIGGER="YES", **more))


@rule(Severity.WARNING)
def chl003_trigger_starts_no_sender(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        name = queue.text("TRIGDATA")
        is_sent = queue.text("USAGE") == "XMITQ" and queue.text("TRIGGER") == "YES"
        if not name or not is_sent or queue.text("PROCESS"):
            continue
        channel = estate.channels.get(name)
        why = estate.absence("CHANNEL", name)
        if channel is not None:
            other = channel.text("XMITQ")
            if channel.text("CHLTYPE") not in (None, *PARTNERS):
                why = f"is a channel of type {channel.text('CHLTYPE')}"
            elif other and other != queue.name:
                why = f"is a channel that sends from {other}"
        if why:
            message = f"TRIGDATA({name}) {why}: no channel starts to send from this queue"
            yield violation(queue, "TRIGDATA", message)


@rule(Severity.WARNING)
def chl004_listeners_on_one_port(estate: Estate) -> Violations:
    first: dict[tuple[int, str], Definition] = {}
    for listener in estate.objects("LISTENER").values():
        port, kind = listener.number("PORT"), listener.text("TRPTYPE")
        if not port or kind != "TCP" or is_system(listener.name):
            continue
        key = (port, listener.text("IPADDR") or "")
        other = first.setdefault(key, listener)
        if other is not listener:
            both = all(one.text("CONTROL") in AUTOMATIC for one in (other, listener))
            message = f"PORT({port}) is also used by {other.name}: only one of them can start"
            severity = Severity.ERROR if both else None
            yield violation(listener, "PORT", message, severity=severity)


# channel authentication ---------------------------------------------------------------------------


@rule(Severity.WARNING)
def chl005_rule_for_no_channel(estate: Estate) -> Violations:
    if not estate.lists("CHANNEL") or estate.setting("CHAD") == "ENABLED":
        return
    for profile, place in _profiles(estate).items():
        literal, star, _ = profile.partition("*")
        if is_system(profile):
            continue
        if star and not estate.lists_system_objects and "SYSTEM.".startswith(literal):
            continue
        if estate.filled_in.get("CHANNEL"):
            continue  # a placeholder may be the channel's name
        if not any(
            is_for(profile, name) for name in (*estate.channels, *estate.also.get("CHANNEL", ()))
        ):
            message = f"CHLAUTH({profile}) matches no channel that is defined here"
            yield Violation("CHLAUTH", profile, place, message)


def _profiles(estate: Estate) -> dict[str, Location]:
    """Profiles of the rules that stay, each with the place of its first one."""
    profiles: dict[str, Location] = {}
    for source in estate.commands:
        command = source.command
        if command.verb != "SET" or command.noun != "CHLAUTH" or command.name is None:
            continue
        profile = command.name.text.strip(" ")
        if (command.value("ACTION") or "").upper() in ("REMOVE", "REMOVEALL"):
            profiles.pop(profile, None)
        else:
            profiles.setdefault(profile, source.place)
    return profiles


# both ends ----------------------------------------------------------------------------------------


@rule(Severity.ERROR)
def chl006_no_such_channel_at_the_other_end(estate: Estate) -> Violations:
    everyone = others(estate)
    for channel, partner in _with_partner(estate):
        if any(is_partner(channel, other.channels.get(channel.name)) for other in everyone):
            continue
        end = partner.channels.get(channel.name)
        where, expected = partner.queue_manager, " or ".join(sorted(PARTNERS["SDR"]))
        if end is not None:
            message = f"{where} has this channel as {end.text('CHLTYPE')}; expected {expected}"
            yield violation(channel, "CHLTYPE", message)
        elif partner.lists("CHANNEL") and partner.setting("CHAD") != "ENABLED":
            message = f"{where} has no channel of this name; expected a {expected}"
            yield violation(channel, "", message)


def _with_partner(estate: Estate) -> Iterator[tuple[Definition, Estate]]:
    """Senders whose transmission queue has the name of a queue manager that is here."""
    for channel in senders(estate):
        partner = neighbour(estate, channel.text("XMITQ") or "")
        if partner is not None and not is_system(channel.name):
            yield channel, partner


@rule(Severity.INFO)
def chl007_connects_to_no_listener(estate: Estate) -> Violations:
    for channel, partner in _with_partner(estate):
        ports = {port for port, _ in listening(partner)}
        port = _port(channel.text("CONNAME"))
        if ports and port and port not in ports:
            shown = ", ".join(str(number) for number in sorted(ports))
            where = partner.queue_manager
            message = f"the channel connects to port {port}; the listeners of {where} have {shown}"
            yield violation(channel, "CONNAME", message)


def _port(connection_name: str | None) -> int | None:
    """The port of ``host(1414)``; None for several addresses or one that is not known."""
    match = _CONNECTION.fullmatch(connection_name or "")
    if match is None:
        return None
    return int(match[1]) if match[1] else DEFAULT_PORT


# sizes, and how a channel is written --------------------------------------------------------------


@rule(Severity.WARNING)
def chl008_shorter_than_transmission_queue(estate: Estate) -> Violations:
    for channel in senders(estate):
        queue = estate.queues.get(channel.text("XMITQ") or "")
        most, length = channel.number("MAXMSGL"), queue.number("MAXMSGL") if queue else None
        if queue is not None and most and length is not None and most < length:
            message = (
                f"MAXMSGL({most}) is below MAXMSGL({length}) of its transmission queue"
                f" {queue.name}: a longer message cannot be sent"
            )
            fix = setting(channel, MAXMSGL=length)
            yield violation(channel, "MAXMSGL", message, fix)


@rule(Severity.WARNING)
def chl009_two_senders_on_one_queue(estate: Estate) -> Violations:
    first: dict[str, Definition] = {}
    for channel in senders(estate):
        name = channel.text("XMITQ")
        other = first.setdefault(name, channel) if name else channel
        if other is not channel:
            message = f"XMITQ({name}) is also used by {other.name}: only one of them can run"
            yield violation(channel, "XMITQ", message)


@rule(Severity.ERROR)
def chl010_type_not_first(estate: Estate) -> Violations:
    if estate.platform == "zos":
        return
    for source in estate.commands:
        command = source.command
        if command.noun != "CHANNEL" or command.verb not in ("DEFINE", "ALTER") or not command.name:
            continue
        kind, name = command.parameter("CHLTYPE"), command.name.text
        if kind is not None and command.parameters[0] is not kind:
            message = "CHLTYPE must come directly after the channel name: the command is rejected"
            yield Violation("CHANNEL", name, source.place_of(kind), message)


@rule(Severity.WARNING)
def chl011_client_limit_above_limit(estate: Estate) -> Violations:
    for channel in estate.channels.values():
        limit, of_client = channel.number("MAXINST"), channel.number("MAXINSTC")
        is_chosen = channel.gives("MAXINSTC") or (not channel.sources and of_client != _NO_LIMIT)
        if limit and of_client and of_client > limit and is_chosen:
            message = (
                f"MAXINSTC({of_client}) is above MAXINST({limit}): one client can take all "
                f"instances"
            )
            yield violation(channel, "MAXINSTC", message)


@rule(Severity.WARNING)
def chl012_cluster_channel_of_no_cluster(estate: Estate) -> Violations:
    models = {
        (source.command.value("LIKE") or "").strip(" ")
        for source in estate.commands
        if source.command.noun == "CHANNEL"
    }
    for channel in estate.channels.values():
        is_blank = channel.text("CLUSTER") == "" and channel.text("CLUSNL") == ""
        is_own = is_system(channel.name) or channel.name in models
        if channel.text("CHLTYPE") in ("CLUSRCVR", "CLUSSDR") and is_blank and not is_own:
            message = "CLUSTER and CLUSNL are blank: the channel does not join a cluster"
            yield violation(channel, "CLUSTER", message)


@rule(Severity.WARNING)
def chl013_malformed_connection_name(estate: Estate) -> Violations:
    groups = (estate.channels, estate.objects("CLNTCONN"), estate.objects("AUTHINFO"))
    for thing in (thing for group in groups for thing in group.values()):
        if thing.text("TRPTYPE") not in (None, "TCP"):
            continue
        for part in map(str.strip, (thing.text("CONNAME") or "").split(",")):
            host, colon, port = part.partition(":")
            number = re.search(r"\(\s*(\d+)\s*\)?$", part)
            if colon and host and port.isdecimal():
                message = f"CONNAME({part}): a port must be in parentheses, {host}({port})"
            elif part.count("(") != part.count(")"):
                message = f"CONNAME('{part}'): a parenthesis is missing; expected host(port)"
            elif number and not 0 < int(number[1]) <= _GREATEST_PORT:
                message = f"CONNAME({part}): a port is a number from 1 to {_GREATEST_PORT}"
            else:
                continue
            yield violation(thing, "CONNAME", message)


@rule(Severity.WARNING)
def chl014_gives_up(estate: Estate) -> Violations:
    for channel in estate.channels.values():
        if channel.text("CHLTYPE") in _RETRYING and channel.number("LONGRTY") == 0:
            message = "LONGRTY(0): after SHORTRTY attempts, the channel is not restarted"
            yield violation(channel, "LONGRTY", message, setting(channel, LONGRTY=_NO_LIMIT))


@rule(Severity.ERROR)
def chl015_attribute_of_another_type(estate: Estate) -> Violations:
    for source in estate.commands:
        name = source.command.name
        if name is None:
            continue
        for wrong in wrong_channel_type(source.command):
            place = Location(source.file, wrong.line, wrong.column)
            yield Violation("CHANNEL", name.text.strip(" "), place, wrong.message)


@rule(Severity.WARNING)
def chl016_cipherspecs_do_not_agree(estate: Estate) -> Violations:
    ends = [(c, estate.channels.get(c.name), "") for c in estate.objects("CLNTCONN").values()]
    ends += [
        (c, p.channels.get(c.name), f" on {p.queue_manager}") for c, p in _with_partner(estate)
    ]
    for channel, other, where in ends:
        own, its = channel.text("SSLCIPH"), other.text("SSLCIPH") if other else None
        if other is None or own is None or its is None or marker_in(own + its):
            continue
        if not is_system(channel.name) and not may_agree(own, its):
            kind = other.text("CHLTYPE") or "channel"
            message = (
                f"SSLCIPH({own}) does not fit SSLCIPH({its}) of the {kind}"
                f" {other.name}{where}: no connection is made"
            )
            yield violation(channel, "SSLCIPH", message)


@rule(Severity.WARNING)
def chl017_cluster_sender_to_itself(estate: Estate) -> Violations:
    own = {
        (channel.text("CLUSTER"), address): channel.name
        for channel in estate.channels.values()
        if channel.text("CHLTYPE") == "CLUSRCVR"
        for address in _addresses(channel)
    }
    for channel in estate.channels.values():
        for address in _addresses(channel) if channel.text("CHLTYPE") == "CLUSSDR" else ():
            receiver = own.get((channel.text("CLUSTER"), address))
            if receiver is not None:
                message = (
                    f"CONNAME({address[0]}({address[1]})) is the address of {receiver}: the channel"
                    " leads to its own queue manager"
                )
                yield violation(channel, "CONNAME", message)


@rule(Severity.WARNING)
def chl018_transmission_queue_inhibited(estate: Estate) -> Violations:
    seen: set[str] = set()
    for channel in senders(estate):
        queue = estate.queues.get(channel.text("XMITQ") or "")
        if queue is not None and queue.text("GET") == "DISABLED" and queue.name not in seen:
            seen.add(queue.name)
            message = f"GET(DISABLED): {channel.name} cannot send the messages of this queue"
            yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))


@rule(Severity.WARNING)
def chl019_cluster_receiver_on_localhost(estate: Estate) -> Violations:
    others_in = {
        channel.text("CLUSTER")
        for channel in estate.channels.values()
        if channel.text("CHLTYPE") == "CLUSSDR"
        and any(not _is_loopback(host) for host, _ in _addresses(channel))
    }
    for channel in estate.channels.values():
        if channel.text("CHLTYPE") != "CLUSRCVR" or channel.text("CLUSTER") not in others_in:
            continue
        for host, _ in _addresses(channel):
            if _is_loopback(host):
                message = f"CONNAME({host}): other members of the cluster connect to themselves"
                yield violation(channel, "CONNAME", message)
                break


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or bool(_LOOPBACK.fullmatch(host))


def _addresses(channel: Definition) -> Iterator[tuple[str, int]]:
    """Host and port of each part of CONNAME that is written in full."""
    for part in (channel.text("CONNAME") or "").split(","):
        host, _, port = part.strip().rstrip(")").partition("(")
        if host and not marker_in(part) and (not port or port.strip().isdecimal()):
            yield host.strip().lower(), int(port) if port else DEFAULT_PORT
