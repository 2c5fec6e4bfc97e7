"""Expiry: caps, the scan for expired messages, and who reads what expires."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.load_model import any_matches
from mqtriage.definitions.rules.caps import cap_of, custom_without_cap, without_cap
from mqtriage.definitions.rules.finding import Alter, Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import duration_text
from mqtriage.mq.expiry import CAP_IN_CUSTOM, GREATEST_TENTHS
from mqtriage.mq.mqsc.tokens import close_word
from mqtriage.mq.names import is_system

EVERY_SECONDS: Final = 3600
_PAIR: Final = re.compile(r"\s*(\w+)\(\s*([^()]*?)\s*\)(?=\s|$)")


@rule(Severity.WARNING)
def exp001_expiring_and_unread(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        cap, status = cap_of(queue), estate.status.get(queue.name)
        if is_system(queue.name):
            continue
        if status is not None and status.expired and not status.ipprocs:
            message = (
                f"CURDEPTH includes expired messages ({status.expired}), and no program reads them"
            )
            yield violation(queue, "", message)
        elif cap is not None and queue.text("GET") == "DISABLED":
            message = f"{cap.text} with GET(DISABLED): no get discards expired messages"
            yield violation(queue, "GET", message, setting(queue, GET="ENABLED"))
        elif cap is not None and any_matches(estate.load.unread_queues, queue.name):
            message = f"{cap.text} on a queue that no program reads: expired messages stay"
            yield violation(queue, cap.keyword, message)


@rule(Severity.WARNING)
def exp002_expiry_scan_off(estate: Estate) -> Violations:
    queue_manager = estate.queue_manager_attributes
    if queue_manager is None or estate.platform != "zos":
        return
    if queue_manager.text("EXPRYINT") == "OFF":
        message = "EXPRYINT(OFF): expired messages stay on queues that are not read"
        fix = Alter("QMGR", "", {"EXPRYINT": EVERY_SECONDS})
        yield violation(queue_manager, "EXPRYINT", message, fix)


@rule(Severity.ERROR)
def exp003_cap_on_system_queue(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL", "QMODEL"):
        cap = cap_of(queue)
        if cap is not None and queue.name.startswith("SYSTEM."):
            message = f"{cap.text}: the queue manager's own messages expire"
            yield violation(queue, cap.keyword, message, without_cap(queue, cap))


@rule(Severity.WARNING)
def exp004_cap_given_twice(estate: Estate) -> Violations:
    for thing in (*estate.queues.values(), *estate.topics.values()):
        custom, cap = thing.text("CUSTOM") or "", thing.number("CAPEXPRY")
        if cap is not None and re.search(CAP_IN_CUSTOM, custom):
            rest = custom_without_cap(thing)
            message = f"CUSTOM('{custom}') and CAPEXPRY({cap}): you cannot set both"
            yield violation(thing, "CUSTOM", message, setting(thing, CUSTOM=rest))


@rule(Severity.WARNING)
def exp005_full_of_expired(estate: Estate) -> Violations:
    for queue in estate.of_kind("QLOCAL"):
        status, depth = estate.status.get(queue.name), queue.number("MAXDEPTH")
        if status is None or not status.expired or depth is None:
            continue
        if status.curdepth * 100 >= depth * 80 and status.expired * 2 >= status.curdepth:
            message = (
                f"CURDEPTH {status.curdepth} of MAXDEPTH({depth}), {status.expired} expired:"
                f" mqtriage expiry sweep {shell_word(queue.name)}"
            )
            yield violation(queue, "", message)


@rule(Severity.WARNING)
def exp006_dead_letters_expire(estate: Estate) -> Violations:
    queue = estate.dead_letter_queue
    cap = cap_of(queue) if queue is not None else None
    if queue is not None and cap is not None and not is_system(queue.name):
        message = (
            f"{cap.text}: dead-lettered messages expire after {duration_text(cap.tenths * 100)}"
        )
        yield violation(queue, cap.keyword, message, without_cap(queue, cap))


@rule(Severity.WARNING)
def exp007_custom_sets_no_cap(estate: Estate) -> Violations:
    for thing in (*estate.queues.values(), *estate.topics.values()):
        custom = thing.text("CUSTOM") or ""
        message = _misread(custom)
        if message:
            yield violation(thing, "CUSTOM", f"CUSTOM('{custom}'): {message}")


def _misread(custom: str) -> str:
    """Why CUSTOM does not do what it says; "" where nothing tells."""
    at = 0
    while custom[at:].strip(" "):
        pair = _PAIR.match(custom, at)
        if pair is None:
            return "its form is NAME(VALUE), with a blank between two of them"
        name, value = pair[1].upper(), pair[2].upper()
        if name != "CAPEXPRY" and close_word(name[:20], ("CAPEXPRY",)):
            return f"{pair[1]} is not an attribute; expected CAPEXPRY"
        is_cap = value == "NOLIMIT" or (
            value.isdecimal() and 0 < int(value[:12]) <= GREATEST_TENTHS
        )
        if name == "CAPEXPRY" and not is_cap:
            return f"CAPEXPRY takes 1 to {GREATEST_TENTHS}, or NOLIMIT"
        at = pair.end()
    return ""
