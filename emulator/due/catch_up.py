"""What falls due happens: deliveries, runs of the expirer, ends of subscriptions, in time order.

The delay processor needs no thread. `catch_up` is one ordered walk over what falls due, run by
whoever touches the queue manager next; each batch is a short transaction that reads again what is
still there, so two processes never deliver one message twice.
"""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.core import timetable
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import definitions, messages, publications
from mqtriage.emulator.due import expirer, processor, statistics
from mqtriage.emulator.due.delivery import deliver, skip_tries
from mqtriage.emulator.pubsub import proxies, resource_usage
from mqtriage.emulator.pubsub.subscriptions import end_expired
from mqtriage.emulator.shared import sharing, transit

BATCH: Final = 1000
_LONG_CATCH_UP: Final = 5000


def catch_up(manager: Manager, now_us: int) -> None:
    """Do what has fallen due up to *now_us*, in time order, in batches of short transactions."""
    done = 0
    while True:
        manager.store.begin(durable=True)
        try:
            more, count = _batch(manager, now_us)
        except processor.ProcessorFault as fault:
            manager.rollback()  # what the batch did is undone: nothing is lost, nothing doubled
            with manager.store.write(durable=True):
                manager.refresh()
                processor.failed(manager, fault)
            continue
        except BaseException:
            manager.rollback()
            raise
        manager.commit()
        if not more:
            _hand_over(manager, now_us)
            return
        if done < _LONG_CATCH_UP <= done + count:
            manager.notice(f"{manager.identity.name}: delivering messages that have become due ...")
        done += count


def _hand_over(manager: Manager, now_us: int) -> None:
    """Give other queue managers what channels take there, and publications (DD-113)."""
    if "qsg" in manager.switches:
        with manager.store.write():
            sharing.forget_delivered(manager)
    if timetable.channel_waits(manager):
        transit.serve(manager)
    if publications.is_outgoing(manager.store):
        proxies.forward(manager, now_us)
        with manager.store.write():
            manager.refresh()
            timetable.refresh_next_event(manager, now_us, delivering=not processor.problem(manager))


def _batch(manager: Manager, now_us: int) -> tuple[bool, int]:
    """Do the next timed events; whether there may be more, and how many were done.

    Deliveries come before resource usage and a run of the expirer at the same time, and after the
    end of a subscription. What a delivery brings about (a retry, a lifetime that ends) may come
    before the next one of the batch: then it ends there.
    """
    manager.refresh()
    manager.woken_us = None
    delivering = not processor.problem(manager)
    reached = manager.state.reached_us
    scan_us = timetable.next_scan_us(manager, reached)
    publish_us = resource_usage.due_us(manager, now_us)
    count_us = statistics.due_us(manager)
    moments = (now_us, scan_us, publish_us, count_us)
    until = last = min(moment for moment in moments if moment is not None)
    ends_us = definitions.next_subscription_end_us(manager.store)
    if ends_us is not None and ends_us <= last:
        until = ends_us - 1
    rows = messages.due(manager.store, until, BATCH) if delivering else []
    done = 0
    kept: dict[int, int] = {}
    for position, event_us in rows:
        if manager.woken_us is not None and manager.woken_us <= event_us:
            break
        reached = max(reached, event_us)
        retry_us = deliver(manager, position, reached)
        if retry_us is not None:
            kept[position] = retry_us
        done += 1
    if rows:
        processor.strike(manager)
    if kept and len(kept) == done:
        if done < len(rows):
            skip_tries(manager, kept, rows[done][1] - 1)
        elif done < BATCH:
            skip_tries(manager, kept, until)
    more = done < len(rows) or len(rows) == BATCH
    more = more or (manager.woken_us is not None and manager.woken_us <= until)
    for at_us, happen in (
        (ends_us, end_expired),
        (publish_us, resource_usage.publish),
        (count_us, statistics.write_due),
        (scan_us, expirer.scan),
    ):
        if not more and at_us is not None and at_us <= last:
            reached = max(reached, at_us)
            done += happen(manager, at_us)
            more = True
    manager.write_tally(reached)
    if manager.counted_for:  # what was just counted may be told before now
        next_us = statistics.due_us(manager)
        more = more or (next_us is not None and next_us <= now_us)
    timetable.refresh_next_event(manager, reached, delivering=delivering)
    return more, done
