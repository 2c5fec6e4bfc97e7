"""What several rules on other queue managers need: who they are, and where a channel ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.mq.names import CHANNEL_INITQ, is_system

PARTNERS: Final[Mapping[str, frozenset[str]]] = {
    "SDR": frozenset({"RCVR", "RQSTR"}),
    "SVR": frozenset({"RCVR", "RQSTR"}),
}
"""What the other end of a channel that sends may be; source: IBM MQ "Channel types"."""
AUTOMATIC: Final = ("QMGR", "STARTONLY")
"""CONTROL of a listener that starts with its queue manager."""
DEFAULT_PORT: Final = 1414


def listening(estate: Estate) -> set[tuple[int, str]]:
    """Ports and addresses of the TCP listeners; empty where not all of them are known."""
    if not estate.lists("LISTENER"):
        return set()
    listeners = [
        listener
        for listener in estate.objects("LISTENER").values()
        if not is_system(listener.name) and listener.text("TRPTYPE") == "TCP"
    ]
    if not all(one.text("CONTROL") in AUTOMATIC for one in listeners):
        return set()
    return {(one.number("PORT") or DEFAULT_PORT, one.text("IPADDR") or "") for one in listeners}


def neighbour(estate: Estate, name: str) -> Estate | None:
    """The other queue manager of that name, where it is linted together with this one."""
    other = estate.network.get(name) or estate.network.get(name.upper())
    return other if other is not None and other.queue_manager != estate.queue_manager else None


def others(estate: Estate) -> list[Estate]:
    """All other queue managers that are linted together with this one."""
    unique = {other.queue_manager: other for other in estate.network.values()}
    return [other for name, other in unique.items() if name != estate.queue_manager]


def senders(estate: Estate) -> Iterator[Definition]:
    """Sender and server channels."""
    return (c for c in estate.channels.values() if c.text("CHLTYPE") in PARTNERS)


def transmits(estate: Estate, queue: Definition) -> bool:
    """Whether something needs the queue as a transmission queue."""
    users = [estate.queue_manager_attributes, *estate.of_kind("QREMOTE"), *senders(estate)]
    named = {
        user.text(keyword)
        for user in users
        if user is not None
        for keyword in ("XMITQ", "DEFXMITQ", "RQMNAME")
    }
    starts = queue.text("TRIGGER") == "YES" and queue.text("INITQ") == CHANNEL_INITQ
    is_other = neighbour(estate, queue.name) is not None
    return queue.name in named or starts or is_other or bool(queue.text("CLCHNAME"))


def is_partner(sender: Definition, end: Definition | None) -> bool:
    """Whether *end* can be the other end of a channel; one of unknown type can."""
    if end is None:
        return False
    kind = end.text("CHLTYPE")
    return kind is None or kind in PARTNERS[sender.text("CHLTYPE") or ""]


def receivers(estate: Estate) -> dict[str, list[tuple[str, Estate]]]:
    """Transmission queue to the channels that send from it and the neighbours that receive them."""
    ends: dict[str, list[tuple[str, Estate]]] = {}
    everyone = others(estate)
    for sender in senders(estate):
        queue = sender.text("XMITQ")
        for other in everyone:
            if queue and is_partner(sender, other.channels.get(sender.name)):
                ends.setdefault(queue, []).append((sender.name, other))
    return ends


def in_cluster(estate: Estate) -> bool:
    """Whether the queue manager may know objects of others, by a cluster."""
    if estate.whole and not estate.lists("CHANNEL"):
        return True
    return any(c.text("CHLTYPE") == "CLUSRCVR" for c in estate.channels.values())


def routes(estate: Estate, manager: str) -> bool:
    """Whether *estate* may know a route to *manager*: by name, by default or by a cluster."""
    if not estate.lists("CHANNEL") or manager in estate.queues or estate.setting("DEFXMITQ"):
        return True
    return in_cluster(estate)
