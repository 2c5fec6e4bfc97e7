"""START CHANNEL, STOP CHANNEL and DISPLAY CHSTATUS: channels that clients come by, and senders.

A sender channel leads to the emulated queue manager that its transmission queue is named after; no
other type of channel runs here. CONNAME plays no part, and nothing is retried: a channel that could
not go on is stopped.
Source: IBM MQ documentation, "START CHANNEL", "STOP CHANNEL", "DISPLAY CHSTATUS"; captures of 9.4.
What is not counted (MSGS, BYTSRCVD ...) is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final, cast

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.admin.display import Display, word_of
from mqtriage.emulator.admin.mqsc_display import displayed
from mqtriage.emulator.admin.mqsc_status import read_status_display
from mqtriage.emulator.core import channels
from mqtriage.emulator.core.channels import MODES, Instance, Mode
from mqtriage.emulator.core.clock import date_and_time
from mqtriage.emulator.core.connections import Connection, reap
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import handles
from mqtriage.emulator.shared import transit
from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.reply import CommandEnding, Reply, ReplyLine, done, failed, not_emulated
from mqtriage.mq.mqsc.tree import Command
from mqtriage.mq.names import matches
from mqtriage.records import NamedTuple

_ALWAYS: Final = ("CHANNEL", "CHLTYPE", "CONNAME", "CURRENT", "STATUS", "SUBSTATE")
_RUNNING: Final = (
    "CHSTADA", "CHSTATI", "CURSHCNV", "HBINT", "JOBNAME", "MAXSHCNV", "MCASTAT", "MCAUSER",
    "RAPPLTAG", "SECPROT", "SSLPEER", "STOPREQ", "RVERSION", "RPRODUCT",
)  # fmt: skip
"""What an instance that runs has besides."""
_SENDERS: Final = ("RQMNAME", "XMITQ")
_CLIENTS, _SENDER = "SVRCONN", "SDR"


class Running(NamedTuple):
    """One instance of a channel and its conversations, at least one."""

    instance: Instance
    first: handles.ShownProgram
    conversations: int
    is_ending: bool


# -- START and STOP -------------------------------------------------------------------------------


def start(connection: Connection, command: Command) -> Reply:
    """START CHANNEL: clients may come again, or messages go to another queue manager.

    Raises:
        MQIError: 4032; 2085 and 2092 where XMITQ of a sender is no transmission queue.
    """
    channel = command.named()
    manager = connection.manager
    attributes = _attributes(connection, channel, "start")
    if attributes.get("CHLTYPE") == _SENDER:
        queue, most_bytes = str(attributes.get("XMITQ", "")), int(attributes.get("MAXMSGL", 0))
        transit.start(manager, queue, queue, channel, most_bytes)
        manager.look()  # what waits goes now
        return done(8018)
    if attributes.get("CHLTYPE") != _CLIENTS:
        return not_emulated("START CHANNEL but of SVRCONN and SDR")
    with connection.writing(f"start channel {channel}"):
        channels.start(manager, channel)
    return done(8018)


def stop(connection: Connection, command: Command) -> Reply:
    """STOP CHANNEL: the instances that run end, and without STATUS(INACTIVE) no other begins.

    Raises:
        MQIError: 4032.
        UsageError: A wrong MODE or STATUS, or STATUS(STOPPED) for some of the clients.
    """
    channel = command.named()
    mode = cast(Mode, word_of(command, "MODE", tuple(sorted(MODES)), MODES[0]))
    partner = command.value("CONNAME") or ""
    is_for_some = bool(partner or command.value("QMNAME"))
    usual = "INACTIVE" if is_for_some else "STOPPED"
    stays = word_of(command, "STATUS", ("INACTIVE", "STOPPED"), usual) == "STOPPED"
    forgives = word_of(command, "IGNSTATE", ("NO", "YES")) == "YES"
    if stays and is_for_some:
        raise UsageError("STATUS(STOPPED): a channel is stopped for all, with CONNAME for none")
    not_active = failed(9533, cmqcfc.MQRCCF_CHANNEL_NOT_ACTIVE, name=channel)
    manager = connection.manager
    attributes = _attributes(connection, channel, "stop")
    if attributes.get("CHLTYPE") == _SENDER:
        senders = [one for one in transit.channels(manager) if one.name == channel and one.running]
        for one in senders:
            transit.stop(manager, one.transmission_queue)
        return done(8019) if senders or forgives else not_active
    if attributes.get("CHLTYPE") != _CLIENTS:
        return not_emulated("STOP CHANNEL but of SVRCONN and SDR")
    reap(manager)
    is_running = not command.value("QMNAME") and any(
        one.instance.channel == channel and partner in ("", one.instance.address)
        for one in running(manager)
    )
    is_as_asked = not is_running and (not stays or channels.is_stopped(manager, channel))
    if is_as_asked and not forgives:
        return not_active
    if not is_as_asked:
        with connection.writing(f"stop channel {channel}"):
            channels.stop(manager, channel, partner, mode, stays=stays)
    return done(8019)


def _attributes(connection: Connection, channel: str, verb: str) -> Mapping[str, AttributeValue]:
    doing = f"{verb} channel {channel}"
    connection.look(doing)
    return kept.named(connection.manager, "CHANNEL", channel, doing)


# -- DISPLAY CHSTATUS -----------------------------------------------------------------------------


def running(manager: Manager) -> list[Running]:
    """The instances that there are, by channel in the order in which they began."""
    came = [
        (instance, one)
        for one in handles.shown_connections(manager.store)
        if (instance := channels.came_of(one.came).instance) is not None
    ]
    came.sort(key=lambda pair: (pair[0].channel, pair[0].job, pair[1].number))
    instances = []
    for instance, group in groupby(came, key=lambda pair: pair[0]):
        conversations = [one for _, one in group]
        is_ending = any(channels.ending(manager, instance, one.number) for one in conversations)
        instances.append(Running(instance, conversations[0], len(conversations), is_ending))
    return sorted(instances, key=lambda one: (one.instance.channel, one.first.number))


def channel_status(connection: Connection, command: Command) -> Reply:
    """DISPLAY CHSTATUS: each instance that clients have, and the channels that are stopped."""
    name = command.named("*")
    display = read_status_display(command, (*_ALWAYS, *_RUNNING, *_SENDERS), all_by_default=False)
    connection.look("display CHSTATUS")
    manager = connection.manager
    reap(manager)
    partner = command.value("CONNAME") or ""
    listing = () if command.has("SAVED") else tuple(_listed(manager, name, partner, display))
    if not listing:
        return failed(8420, cmqcfc.MQRCCF_CHL_STATUS_NOT_FOUND)
    return Reply(CommandEnding.DONE, listing)


def _listed(manager: Manager, name: str, partner: str, display: Display) -> Iterator[ReplyLine]:
    instances = running(manager)
    rows = [_running_row(one) for one in instances if partner in ("", one.instance.address)]
    busy = {one.instance.channel for one in instances}
    idle = [] if partner else [one for one in channels.stopped(manager) if one not in busy]
    rows += [_first(channel, "", "STOPPED", "") for channel in idle]
    rows += [_sender(one) for one in transit.channels(manager) if one.name and not partner]
    for values in sorted(rows, key=lambda values: str(values["CHANNEL"])):
        if matches(name, str(values["CHANNEL"])) and display.keeps("CHSTATUS", values):
            first = {key: values[key] for key in _ALWAYS}
            yield displayed(8417, "CHSTATUS", first, values, display)


def _sender(one: transit.Channel) -> dict[str, AttributeValue]:
    status, substate = ("RUNNING", "MQGET") if one.running else ("STOPPED", "")
    ends: dict[str, AttributeValue] = {"RQMNAME": one.to, "XMITQ": one.transmission_queue}
    return _first(one.name, "", status, substate, _SENDER) | ends


def _first(
    channel: str, address: str, status: str, substate: str, channel_type: str = _CLIENTS
) -> dict[str, AttributeValue]:
    cells = (channel, channel_type, address, "YES", status, substate)
    return dict(zip(_ALWAYS, cells, strict=True))


def _running_row(one: Running) -> dict[str, AttributeValue]:
    instance = one.instance
    date, time = date_and_time(one.first.connected_us)
    status = "STOPPING" if one.is_ending else "RUNNING"
    cells: tuple[AttributeValue, ...] = (
        date, time, one.conversations, instance.heartbeat_s, instance.job, instance.conversations,
        "RUNNING", one.first.user, one.first.application, instance.protocol, instance.peer,
        "YES" if one.is_ending else "NO", instance.product[4:], instance.product[:4],
    )  # fmt: skip
    first = _first(instance.channel, instance.address, status, "RECEIVE")
    return first | dict(zip(_RUNNING, cells, strict=True))
