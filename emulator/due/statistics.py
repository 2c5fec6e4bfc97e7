"""Statistics and accounting messages: what went through queues, what each program did.

With STATQ(ON) of the queue manager the calls on each queue are counted, but those with STATQ(OFF);
with ACCTMQI(ON) the calls of each program; with ACCTQ(ON) those of each program on each queue, but
those with ACCTQ(OFF). The messages come STATINT and ACCTINT seconds after the
first call that they count. What is not counted here, failed calls and depths among it, is left out.

Choices where we do otherwise than IBM MQ: where nothing was called there is no message; an
accounting message is of all connections of one program and user, and none is written at MQDISC;
STATQ(ON) and ACCTQ(ON) of a queue below OFF of its queue manager, and STATMQI, collect nothing.

Sources: IBM MQ documentation, "Queue statistics message data", "MQI accounting message data",
"Queue accounting message data", "Accounting and statistics message format".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.put.event import put_event
from mqtriage.emulator.core.tables import tallies
from mqtriage.emulator.core.tables.tallies import (
    ACCOUNTING,
    QUEUE_ACCOUNTING,
    STATISTICS,
    Purpose,
)
from mqtriage.mq import cmqc, cmqcfc
from mqtriage.mq.pcf import messages as pcf
from mqtriage.mq.times import rfc3339

STATISTICS_QUEUE: Final = "SYSTEM.ADMIN.STATISTICS.QUEUE"
ACCOUNTING_QUEUE: Final = "SYSTEM.ADMIN.ACCOUNTING.QUEUE"
_QUEUES_A_MESSAGE: Final = 100
_PURPOSES: Final = (STATISTICS, ACCOUNTING, QUEUE_ACCOUNTING)
_OF_PERSISTENCE: Final = {
    cmqcfc.MQIAMO_PUTS: "put", cmqcfc.MQIAMO_PUT1S: "put1",
    cmqcfc.MQIAMO_GETS: "get", cmqcfc.MQIAMO_BROWSES: "browse",
}  # fmt: skip
"""Counts that are lists: of messages that are not persistent, and that are."""
_BYTES: Final = {cmqcfc.MQIAMO64_PUT_BYTES: ("put", "put1"), cmqcfc.MQIAMO64_GET_BYTES: ("get",)}
Calls = Mapping[str, tuple[int, int]]


def due_us(manager: Manager) -> int | None:
    """When the next messages are written, None while nothing is counted."""
    return tallies.next_us(manager.store, manager.attributes, _PURPOSES)


def write_due(manager: Manager, now_us: int) -> int:
    """Write what is due; how many messages that were. Inside a transaction."""
    ends = [(p, tallies.next_us(manager.store, manager.attributes, (p,))) for p in _PURPOSES]
    due = [purpose for purpose, end_us in ends if end_us is not None and end_us <= now_us]
    return sum(_write(manager, purpose, now_us) for purpose in due)


def write_now(manager: Manager) -> None:
    """Write what has been counted so far, as RESET QMGR TYPE(STATISTICS) does of statistics."""
    with manager.writing() as now_us:
        for purpose in _PURPOSES:
            _write(manager, purpose, now_us)
        manager.refresh()


def _write(manager: Manager, purpose: Purpose, now_us: int) -> int:
    """Write the messages of what was counted, and count anew from the next call on."""
    manager.write_tally()
    begun_us = tallies.since_us(manager.store, purpose)
    counts = tallies.take(manager.store, purpose)
    tallies.end(manager.store, purpose)
    if begun_us is None:
        return 0
    span = tuple(_span(manager, begun_us, now_us))
    queue, type_ = ACCOUNTING_QUEUE, cmqcfc.MQCFT_ACCOUNTING
    if purpose is STATISTICS:
        queue, command, type_ = STATISTICS_QUEUE, cmqcfc.MQCMD_STATISTICS_Q, cmqcfc.MQCFT_STATISTICS
        contents = list(_statistics(manager, counts))
    elif purpose is ACCOUNTING:
        command, contents = cmqcfc.MQCMD_ACCOUNTING_MQI, list(_accounting(counts))
    else:
        command, contents = cmqcfc.MQCMD_ACCOUNTING_Q, list(_queue_accounting(manager, counts))
    for content in contents:
        put_event(
            manager,
            queue,
            command,
            0,
            (*span, *content),
            now_us,
            comp_code=cmqc.MQCC_OK,
            type_=type_,
            format_=cmqc.MQFMT_ADMIN.rstrip(),
        )
    return len(contents)


def _span(manager: Manager, begun_us: int, now_us: int) -> Iterator[pcf.PcfParameter]:
    yield pcf.string(cmqc.MQCA_Q_MGR_NAME, manager.identity.name, width=48)
    for us, date, time in (
        (begun_us, cmqcfc.MQCAMO_START_DATE, cmqcfc.MQCAMO_START_TIME),
        (now_us, cmqcfc.MQCAMO_END_DATE, cmqcfc.MQCAMO_END_TIME),
    ):
        text = rfc3339(us)
        yield pcf.string(date, text[:10])
        yield pcf.string(time, text[11:19].replace(":", "."))


def _statistics(
    manager: Manager, counts: Mapping[str, Calls]
) -> Iterator[tuple[pcf.PcfParameter, ...]]:
    """The parameters of each message: the queues that are there and collect, in groups."""
    groups = [
        pcf.group(
            cmqcfc.MQGACF_Q_STATISTICS_DATA,
            (
                pcf.string(cmqc.MQCA_Q_NAME, name, width=48),
                *_calls(calls),
                pcf.integer_of(cmqcfc.MQIAMO_MSGS_EXPIRED, calls.get("expired 0", (0, 0))[0]),
            ),
        )
        for name, calls in sorted(counts.items())
        if _is_collected(manager, name, "STATQ")
    ]
    yield from _in_messages(groups)


def _is_collected(manager: Manager, queue: str, attribute: str) -> bool:
    return queue in manager.queues and manager.queues[queue].attributes.get(attribute) != "OFF"


def _in_messages(groups: list[pcf.PcfParameter]) -> Iterator[tuple[pcf.PcfParameter, ...]]:
    for first in range(0, len(groups), _QUEUES_A_MESSAGE):
        part = groups[first : first + _QUEUES_A_MESSAGE]
        yield (pcf.integer_of(cmqcfc.MQIAMO_OBJECT_COUNT, len(part)), *part)


def _accounting(counts: Mapping[str, Calls]) -> Iterator[tuple[pcf.PcfParameter, ...]]:
    """The parameters of each message: one of each program and user."""
    for account, calls in sorted(counts.items()):
        if not account.startswith("\n") and account:
            yield (
                *_program(account),
                *_calls(calls),
                pcf.integer_of(cmqcfc.MQIAMO_COMMITS, calls.get("commit 0", (0, 0))[0]),
                pcf.integer_of(cmqcfc.MQIAMO_BACKOUTS, calls.get("rollback 0", (0, 0))[0]),
            )


def _queue_accounting(
    manager: Manager, counts: Mapping[str, Calls]
) -> Iterator[tuple[pcf.PcfParameter, ...]]:
    """The parameters of each message: a program and user with its queues that collect, in groups.

    A program that used no such queue has none.
    """
    groups: dict[str, list[pcf.PcfParameter]] = {}
    for key, calls in sorted(counts.items()):
        account, _, queue = key.rpartition("\n")
        if not account.startswith("\n") and _is_collected(manager, queue, "ACCTQ"):
            of_queue = (pcf.string(cmqc.MQCA_Q_NAME, queue, width=48), *_calls(calls))
            group = pcf.group(cmqcfc.MQGACF_Q_ACCOUNTING_DATA, of_queue)
            groups.setdefault(account, []).append(group)
    for account, its in groups.items():
        for content in _in_messages(its):
            yield (*_program(account), *content)


def _program(account: str) -> Iterator[pcf.PcfParameter]:
    application, _, user = account.partition("\n")
    yield pcf.string(cmqcfc.MQCACF_APPL_NAME, application, width=28)
    yield pcf.string(cmqcfc.MQCACF_USER_IDENTIFIER, user, width=12)


def _calls(calls: Calls) -> Iterator[pcf.PcfParameter]:
    for number, verb in _OF_PERSISTENCE.items():
        yield pcf.integers(number, (calls.get(f"{verb} {p}", (0, 0))[0] for p in (0, 1)))
    for number, verbs in _BYTES.items():
        lengths = tuple(sum(calls.get(f"{v} {p}", (0, 0))[1] for v in verbs) for p in (0, 1))
        yield pcf.PcfParameter(cmqcfc.MQCFT_INTEGER64_LIST, number, lengths)
