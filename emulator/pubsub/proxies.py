"""Publications for another queue manager: written down here, handed over once, fanned out there.

A proxy subscription stands for the subscribers of another queue manager of the same home. What is
for it is numbered and written down in the transaction that commits or delivers it; then it is
handed over in the order of the numbers. The other queue manager notes the number in the transaction
that fans out, so that a publication that is handed over twice - the program ended in between - is
fanned out once. While the other queue manager is stopped or missing it waits and is tried again.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

from mqtriage.emulator.core.file import home
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import publications
from mqtriage.emulator.pubsub.fan_out import Publication, arrived
from mqtriage.mq.descriptor import MQMD, unpack
from mqtriage.mq.errors import MQTriageError
from mqtriage.mq.expiry import remaining_tenths
from mqtriage.mq.headers import rfh2
from mqtriage.mq.headers.formats import RFH2_FORMAT

RETRY_US: Final = 60_000_000
"""How long after a failed try the next one is made: a choice, as for the delay processor."""


def unwrapped(md: MQMD, data: bytes) -> tuple[str, MQMD, bytes]:
    """Topic string, descriptor and body of a staged publication: a copy of PSPROP(RFH2)."""
    header = rfh2.decode(data, 0, "<")
    if md.format != RFH2_FORMAT or not isinstance(header, rfh2.RFH2):
        raise ValueError("a publication for another queue manager has no MQRFH2 in front")
    topic = str(rfh2.properties([header]).get("psc.Topic", ""))
    original = md._replace(format=header.format, encoding=header.encoding, ccsid=header.ccsid)
    return topic, original, data[len(rfh2.encode(header)) :]


def enqueue(publication: Publication, to: str, manager: Manager, now_us: int) -> None:
    """Write a publication down to be handed over; inside a transaction."""
    publications.insert_outgoing(manager.store, to, publication.row(), now_us)
    manager.wake(now_us)


def forward(manager: Manager, now_us: int) -> None:
    """Hand over what is to be by now; no transaction of *manager* may be open."""
    for name in publications.outgoing_to(manager.store, now_us):
        _forward_to(manager, name, now_us)


def _forward_to(manager: Manager, name: str, now_us: int) -> None:
    """Hand over all that waits for one queue manager, as far as it takes it."""
    store = manager.store
    try:
        other = Manager(
            home.existing_path(manager.path.parent.parent, name), manager.hooks, manager.notice
        )
    except MQTriageError:
        _wait(manager, name, now_us)
        return
    with closing(other):
        while (row := publications.next_outgoing(store, name)) is not None:
            number, topic, packed, body, expires_us = row
            md = unpack(packed)._replace(expiry_tenths=remaining_tenths(expires_us, now_us))
            over = expires_us is not None and expires_us <= now_us
            if not over and not receive(other, manager.identity.name, number, topic, md, body):
                _wait(manager, name, now_us)
                return
            with store.write(durable=True):
                publications.delete_outgoing(store, number)


def receive(other: Manager, source: str, number: int, topic: str, md: MQMD, body: bytes) -> bool:
    """Fan out on the other queue manager, unless that number was seen; False while it is down."""
    if not other.refresh().running:
        return False
    key = number.to_bytes(8, "big")
    with other.writing(durable=True) as now:
        last = publications.last_received(other.store, source)
        if last is None or last < key:
            arrived(other, topic, md, body, now)
            publications.delete_received(other.store, source)
            publications.insert_received(other.store, source, key)
    return True


def _wait(manager: Manager, name: str, now_us: int) -> None:
    """Try again later."""
    store = manager.store
    with store.write(durable=True):
        publications.delay_outgoing(store, name, now_us + RETRY_US)
