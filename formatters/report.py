"""What an act did, in words, and as one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mqtriage.formatters.cells import plain_text, time_text, visible
from mqtriage.formatters.document import Section, data_sections
from mqtriage.formatters.pairs import bold, folded, pair_lines
from mqtriage.formatters.style import Style
from mqtriage.model.result import DEFINITION_ACTIONS, ItemOutcome, Outcome, Report, Rows
from mqtriage.model.units import count_text

Draw: TypeAlias = Callable[[Sequence[str], Sequence[Sequence[str]], Sequence[bool]], str]


MOST_TARGETS: Final = 10
MOST_ALIKE: Final = 3
"""Messages with the same outcome and reason that are listed one by one; more are one line."""
_ON: Final = frozenset(
    {"put", "load", "restore", "revive", "seed", "rollback", "extend", "reschedule", "undo"}
)
_EMPTY: Final[tuple[Any, ...]] = ("", [], {}, ())
_HANDLED: Final = {"removed_bytes": "handled_bytes"}
"""The same where rules say for each message what becomes of it."""
_MOVED: Final = {"removed_bytes": "moved_bytes"}
"""What a detail is called where the messages went to another queue."""
_UNDONE: Final = {"removed_bytes": "taken_from_targets_bytes"}
"""The same for an undo: the copies there, which can be shorter than what is put back."""
_DONE: Final = {
    "apply": "applied",
    "clear": "cleared",
    "copy": "copied",
    "cancel": "cancelled",
    "put": "put",
    "rollback": "rolled back",
    "set": "set",
    "sweep": "swept",
    "undo": "undid",
    "undo changes of": "undid changes of",
    "unset": "unset",
}


def past(action: str) -> str:
    """The verb of what was done: ``requeued``, ``put``, ``swept``."""
    if action in _DONE:
        return _DONE[action]
    return action + ("d" if action.endswith("e") else "ed")


def act_of(action: str, facts: Mapping[str, Any]) -> str:
    """What happens to the messages: a resume does what the operation did that it continues."""
    return str(facts.get("act", action)) if action == "resume" else action


def place_text(action: str, queue: str, target: str | None) -> str:
    """Where: ``from A to B``, ``on A``, ``from A``; "" for an act on no queue."""
    if target and target != queue and queue:
        return f" from {queue} to {target}"
    if action in _ON:
        return f" on {target or queue}" if target or queue else ""
    return f" from {queue}" if queue else ""


def target_text(target: str | None, facts: Mapping[str, Any]) -> str | None:
    """The queue where messages go; ``15 destinations`` or ``their origins`` where each has its own.

    Args:
        facts: of a plan or a report, whose ``destinations`` or ``origins`` are the queues.
    """
    for word in ("destination", "origin"):
        queues = facts.get(f"{word}s")
        if target in (None, word) and isinstance(queues, Mapping):
            if len(queues) == 1:
                return str(next(iter(queues)))
            if word == "origin":
                return "their origins"
            return count_text(len(queues), word) if queues else None
    return target


def at_text(style: Style) -> str:
    """`` at QM1 (context prod)``: the queue manager that was reached; "" where none was."""
    if not style.queue_manager:
        return ""
    context = f" (context {style.context})" if style.context else ""
    return visible(f" at {style.queue_manager}{context}")


def definition_text(name: str, at: str) -> str:
    """``ORDERS.IN at QM1``; ``queue manager QM1`` where the change is of no single object."""
    whole, _, context = at.removeprefix(" at ").partition(" (")
    if name and name != whole:
        return f"{name}{at}"
    context = f" ({context}" if context else ""
    return f"{name or f'queue manager {whole}'.rstrip()}{context}"


def headline(report: Report, at: str = "") -> str:
    """The sentence that says what was done.

    Args:
        at: which queue manager it is about (`at_text`), with a blank before it.
    """
    action, queue, target = report.action, report.queue, report.target
    if action in DEFINITION_ACTIONS:
        name = definition_text(report.queue, at)
        if report.dry_run:
            return f"would {report.action} {name}; dry run, nothing was changed"
        if not report.changed:
            if action == "delete":  # it was to be there no more
                return f"unchanged: {name} does not exist"
            return f"unchanged: {name} already has these values"
        return f"{past(report.action)} {name}"
    if action == "sweep":
        return _sweep_headline(report, at)
    target = target_text(target, report.details)
    place = place_text(act_of(action, report.details), queue, target) + at
    verb = "undone:" if action == "undo" else past(action)
    if report.taken_off:
        verb = f"{verb.removesuffix(':')}: removed"
        place = f" from {', '.join(report.taken_off)}{at}"
    if report.dry_run:
        return f"would {action} {count_text(report.planned)}{place}; dry run, nothing was changed"
    counts = report.tally()
    done = count_text(counts[Outcome.DONE])
    parked = f", {counts[Outcome.PARKED]} parked" if counts[Outcome.PARKED] else ""
    # the journal and the plan count only what was planned
    unplanned = f" ({report.unplanned} not planned)" if report.unplanned else ""
    text = (
        f"{verb} {done}{place}; {counts[Outcome.SKIPPED]} skipped{unplanned}, "
        f"{counts[Outcome.FAILED]} failed{parked}"
    )
    if report.interrupted:
        return f"stopped after a whole batch: {text}, {report.not_reached} not reached"
    return f"{text}, {report.not_reached} not reached" if report.not_reached else text


def _sweep_headline(report: Report, at: str) -> str:
    place = f"{report.queue}{at}"
    if report.dry_run:
        return f"would sweep {place}; dry run, nothing was read or changed"
    before, after = report.before.get(report.queue), report.after.get(report.queue)
    if before is None or after is None:
        return f"swept {place}"
    gone = max(0, before - after)
    if not gone:
        return f"swept {place}: no expired messages were discarded"
    return f"swept {place}: CURDEPTH {before} before, {after} after ({gone} fewer)"


def report_lines(report: Report, style: Style, *, draw: Draw) -> Iterator[str]:
    """The lines to print: the sentence, what was not done and why, depths, details."""
    width = style.width if style.is_tty else None
    for line in folded(headline(report, at_text(style)), width):
        yield bold(line, style.colour)
    yield from _not_done(report, width)
    depths = list(depth_rows(report))
    if depths:
        yield ""
        table = draw(("QUEUE", "BEFORE", "AFTER"), depths, (False, True, True))
        yield from table.splitlines()
    tables = {
        key: rows
        for key, rows in _details(report).items()
        if key not in ("changes", "targets") and _is_table(rows)
    }
    for title, pairs in detail_sections(
        report, utc=style.utc, leaving_out={*tables, *report.repeats}
    ):
        yield ""
        if title:
            yield bold(title, style.colour)
        yield from pair_lines(pairs, indent=2 if title else 0, colour=style.colour)
    for rows in tables.values():
        yield ""
        keys = list(dict.fromkeys(key for row in rows for key in row))
        cells = [[plain_text(row.get(key)) for key in keys] for row in rows]
        rights = [all(isinstance(row.get(key), int) for row in rows) for key in keys]
        yield from draw([key.upper() for key in keys], cells, rights).splitlines()


def _not_done(report: Report, width: int | None) -> Iterator[str]:
    """The messages that were not done and why; many with one outcome and reason in one line.

    Args:
        width: fold lines at this column; None never folds.
    """
    counts: Counter[tuple[str, str]] = Counter()
    first_ids: dict[tuple[str, str], list[str]] = {}
    for number, item in enumerate(report.items, 1):
        if item.outcome is not Outcome.DONE:
            key = item.outcome.value, visible(item.reason) or "no reason given"
            counts[key] += 1
            if counts[key] <= MOST_ALIKE:
                first_ids.setdefault(key, []).append(item.msg_id or f"message {number}")
    op = ""
    for (outcome, reason), count in counts.items():
        ids = first_ids[outcome, reason]
        label = f"  {outcome:<7} "
        texts = [f"{msg_id}: {reason}" for msg_id in ids]
        if count > MOST_ALIKE:
            texts = [f"{count_text(count)}: {reason}; the first is {ids[0]}"]
        for text in texts:
            lines = folded(text, width and width - len(label))
            yield f"{label}{next(lines)}"
            yield from (" " * len(label) + line for line in lines)
        if count > MOST_ALIKE and not (report.unplanned and outcome == Outcome.SKIPPED):
            op = report.op
    if op:
        yield f"  mqtriage journal show {op} --messages lists each"


def _details(report: Report) -> dict[str, Any]:
    """The details as people read them: a rule fails in attempts, another may take the message."""
    if report.action != "handle":
        return dict(report.details)
    details = {_HANDLED.get(key, key): value for key, value in report.details.items()}
    rows = [
        {"failed_attempts" if key == "failed" else key: cell for key, cell in row.items()}
        for row in details.get("rules", ())
    ]
    return {**details, "rules": rows} if rows else details


def _is_table(value: object) -> bool:
    """Whether a detail is rows of plain values, as what each rule did is."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(row, Mapping) for row in value)
        and not any(isinstance(cell, list | Mapping) for row in value for cell in row.values())
    )


def depth_rows(report: Report) -> Iterator[tuple[str, str, str]]:
    """Queue, depth before, depth after; ``-`` where one was not read."""
    for queue in dict.fromkeys((*report.before, *report.after)):
        before, after = report.before.get(queue), report.after.get(queue)
        yield queue, "-" if before is None else str(before), "-" if after is None else str(after)


def detail_sections(
    report: Report, *, utc: bool, leaving_out: Collection[str] = ()
) -> Iterator[Section]:
    """The details that say something, as sections of label and text."""
    details = {
        key: value
        for key, value in _details(report).items()
        if key not in leaving_out
        and value is not None
        and value not in _EMPTY
        and (value or key not in ("removed_bytes", "handled_bytes"))
    }
    if report.action == "undo" or report.target not in (None, report.queue):
        names = _UNDONE if report.action == "undo" else _MOVED
        details = {names.get(key, key): value for key, value in details.items()}
    match details.get("archives"):
        case [one]:  # called as in the report of an operation without parts
            details = {
                "archive" if key == "archives" else key: one if key == "archives" else value
                for key, value in details.items()
            }
    if targets := details.pop("targets", ()):
        yield "", (targets_pair(targets, utc=utc),)
    changes = details.pop("changes", ())
    if changes:
        yield "", tuple(change_pair(change) for change in changes)
    for title, pairs in data_sections(details, utc=utc):
        if pairs:
            yield title, pairs


def targets_pair(targets: Sequence[Mapping[str, Any]], *, utc: bool) -> tuple[str, str]:
    """The targets of delayed messages, one a line."""
    shown = [_target_text(target, utc=utc) for target in targets[:MOST_TARGETS]]
    others = len(targets) - len(shown)
    return "targets", "\n".join([*shown, *([f"and {others} more"] if others else [])])


def _target_text(target: Mapping[str, Any], *, utc: bool) -> str:
    """``ORDERS.IN: 2 messages, due 2026-01-31 13:00:00Z to 2026-03-02 12:00:00Z``.

    Where they get another due time, ``due OLD -> NEW``.
    """
    now, new = (
        _span_text(target[f"{when}first_due_time"], target[f"{when}last_due_time"], utc=utc)
        for when in ("", "new_")
    )
    due = f"due {now or 'at an unknown time'} -> {new}" if new else f"due {now}"
    due = due if now or new else "due time unknown"
    return f"{target['target']}: {count_text(target['message_count'])}, {due}"


def _span_text(first: str | None, last: str | None, *, utc: bool) -> str:
    if first is None or last is None:
        return ""
    text = time_text(first, utc=utc)
    return text if first == last else f"{text} to {time_text(last, utc=utc)}"


def change_pair(change: Mapping[str, Any]) -> tuple[str, str]:
    """Attribute, and ``5000 -> 50``."""
    now, then = ("' '" if change[key] == "" else plain_text(change[key]) for key in ("from", "to"))
    return str(change["attribute"]), f"{now} -> {then}"


def report_record(report: Report) -> dict[str, Any]:
    """The report as JSON content, with the same keys for every action.

    Its items are made as they are read: there can be a million.
    """
    counts = {outcome.value: count for outcome, count in report.tally().items()}
    if not counts[Outcome.PARKED.value]:  # it stands there only where something was
        del counts[Outcome.PARKED.value]
    if report.not_reached:
        counts["not_reached"] = report.not_reached
    head = {
        "op": report.op or None,
        "action": report.action,
        "queue": report.queue,
        "target": report.target,
        "dry_run": report.dry_run,
        "changed": report.changed,
        "interrupted": report.interrupted,
        "counts": {"planned": report.planned, **counts},
    }
    state = {
        "before": dict(report.before),
        "after": dict(report.after),
        "details": dict(report.details),
    }
    return {
        "item": {**head, **state},  # where every other answer has its content
        **head,
        "items": Rows(report.items, item_record),
        **state,
        "warnings": list(report.warnings),
    }


def item_record(item: ItemOutcome) -> dict[str, Any]:
    """One outcome: its id if it has one, what became of it, why, and the id of a copy."""
    return {
        "msg_id": item.msg_id or None,
        "outcome": item.outcome.value,
        "reason": item.reason or None,
        "new_msg_id": item.new_msg_id or None,
    }
