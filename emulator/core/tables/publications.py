"""Tables `retained`, `outgoing` and `received`: publications that are kept or handed over.

`received` notes what another queue manager handed over, so that nothing is done twice: the last
number of its publications, or the deliveries of a member to the file of its group.
"""

from __future__ import annotations

from mqtriage.emulator.core.file.store import Store

Retained = tuple[str, bytes, bytes, int | None]
"""Topic string, packed descriptor, body, end of lifetime."""


def retain(store: Store, publication: Retained) -> None:
    """Keep a publication in place of its topic's last one."""
    store.execute("INSERT OR REPLACE INTO retained VALUES (?, ?, ?, ?)", publication)


def every_retained(store: Store) -> list[Retained]:
    """What is retained, by topic string."""
    return store.execute(
        "SELECT topic, md, body, expires_us FROM retained ORDER BY topic"
    ).fetchall()


# -- outgoing -------------------------------------------------------------------------------------


def insert_outgoing(store: Store, queue_manager: str, publication: Retained, event_us: int) -> None:
    """Write down what is to be handed over at *event_us*."""
    store.execute(
        "INSERT INTO outgoing (queue_manager, topic, md, body, expires_us, event_us)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (queue_manager, *publication, event_us),
    )


def is_outgoing(store: Store) -> bool:
    """Whether anything is to be handed over."""
    return store.has("SELECT 1 FROM outgoing LIMIT 1")


def outgoing_to(store: Store, now_us: int) -> list[str]:
    """The queue managers that something is to be handed over to by now."""
    return store.column(
        "SELECT DISTINCT queue_manager FROM outgoing WHERE event_us <= ? ORDER BY queue_manager",
        (now_us,),
    )


def next_outgoing(
    store: Store, queue_manager: str
) -> tuple[int, str, bytes, bytes, int | None] | None:
    """Number and publication of what is handed over to a queue manager next."""
    row: tuple[int, str, bytes, bytes, int | None] | None = store.execute(
        "SELECT number, topic, md, body, expires_us FROM outgoing"
        " WHERE queue_manager = ? ORDER BY number LIMIT 1",
        (queue_manager,),
    ).fetchone()
    return row


def delete_outgoing(store: Store, number: int) -> None:
    """Let go of what was handed over."""
    store.execute("DELETE FROM outgoing WHERE number = ?", (number,))


def delay_outgoing(store: Store, queue_manager: str, event_us: int) -> None:
    """Try what is for a queue manager again at *event_us*."""
    store.execute(
        "UPDATE outgoing SET event_us = ? WHERE queue_manager = ?", (event_us, queue_manager)
    )


# -- received -------------------------------------------------------------------------------------


def insert_received(store: Store, queue_manager: str, key: bytes) -> None:
    """Note what a queue manager handed over."""
    store.execute("INSERT INTO received VALUES (?, ?)", (queue_manager, key))


def is_received(store: Store, queue_manager: str, key: bytes) -> bool:
    """Whether that was handed over before."""
    return store.has(
        "SELECT 1 FROM received WHERE queue_manager = ? AND key = ?", (queue_manager, key)
    )


def last_received(store: Store, queue_manager: str) -> bytes | None:
    """The greatest key that a queue manager handed over."""
    (key,) = store.execute(
        "SELECT max(key) FROM received WHERE queue_manager = ?", (queue_manager,)
    ).fetchone()
    return None if key is None else bytes(key)


def delete_received(store: Store, queue_manager: str) -> None:
    """Forget what a queue manager handed over."""
    store.execute("DELETE FROM received WHERE queue_manager = ?", (queue_manager,))
