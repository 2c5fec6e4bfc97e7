"""Which command shows more of what a check found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqtriage.backends.name_resolution import find_queue
from mqtriage.backends.port import Backend, Capability
from mqtriage.commands.queue.queues import backout_queues
from mqtriage.model.check_result import CheckedObject
from mqtriage.model.units import first_of
from mqtriage.mq.delay import STAGING_QUEUE


def next_command(backend: Backend, result: CheckedObject) -> tuple[str, ...]:
    """The words behind `mqtriage`, by what was found and by what the queue is for; () for none."""
    words = _shows_more(backend, result)
    if words and words[0] in ("backout", "dlq", "msg"):  # they browse
        queue = find_queue(backend, result.object)
        no_gets = queue is not None and queue.attributes.get("GET") == "DISABLED"
        if queue is not None and (no_gets or (not result.next and not _is_about_messages(result))):
            return ("queue", "status", result.object)
    return words


def _is_about_messages(result: CheckedObject) -> bool:
    """Whether the queue has messages, and they are the worst that was found."""
    is_empty = any(metric.name == "depth" and not metric.value for metric in result.metrics)
    return not (is_empty or any("PUT(DISABLED)" in text for _, text in result.reasons[:1]))


def _shows_more(backend: Backend, result: CheckedObject) -> tuple[str, ...]:
    check, name = result.check, result.object
    if result.next:
        return result.next
    if check == "qmgr":
        return ()
    if name == STAGING_QUEUE and find_queue(backend, name) is None:
        return ("delay", "define")
    if not result.metrics:  # it is not there, or takes nothing
        return ("queue", "ls") if name else ("qmgr", "show")
    over_rest = Capability.UNITS_OF_WORK not in backend.capabilities  # only msg browse runs there
    if check == "backout":
        if over_rest:
            return ("msg", "browse", name)
        waits = any(metric.name in ("poison", "rolled_back") for metric in result.metrics)
        return ("backout", "pending" if waits else "causes", name)
    if check == "expiry":
        return ("expiry", "status", name)
    if check == "delay" or name == STAGING_QUEUE:
        return ("delay", "status")
    if check == "dlq" or name == backend.queue_manager_attributes().get("DEADQ"):
        return ("msg", "browse", name) if over_rest else ("dlq", "causes")
    if name in backout_queues(backend):
        return ("msg", "browse", name) if over_rest else ("backout", "causes", name)
    return ("queue", "status", name)


def not_judged(
    results: Sequence[CheckedObject], patterns: Sequence[str]
) -> Iterator[tuple[str, list[CheckedObject], tuple[str, ...]]]:
    """What `check queue` sees and does not judge, on which queues, and what shows it.

    Args:
        patterns: what was checked.
    """
    unread = [result for result in results if result.is_unread]
    if unread:
        generic = patterns[0] if len(patterns) == 1 and patterns[0].endswith("*") else "*"
        one = len({result.object for result in unread}) == 1
        shown = (unread[0].object,) if one else (generic, "--problems")
        yield f"messages without a reader{_on(unread)}", unread, ("queue", "status", *shown)
    poison = [result for result in results if result.rolled_back != 0]
    if poison:
        counted = [result for result in poison if result.rolled_back]
        yield f"rolled-back messages{_on(counted)}", poison, ("check", "backout", *patterns)


def _on(results: Sequence[CheckedObject]) -> str:
    names = list(dict.fromkeys(result.object for result in results))
    return f" ({', '.join(first_of(names, 3))})" if names else ""
