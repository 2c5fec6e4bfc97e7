"""What an act would do, told before it is done: in lines for people, as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mqtriage.definitions.change import change_records
from mqtriage.formatters import report
from mqtriage.formatters.cells import exact_bytes_text, time_text, visible
from mqtriage.formatters.document import data_pair
from mqtriage.formatters.pairs import bold, pair_lines
from mqtriage.formatters.style import Style
from mqtriage.model.plan import LOST, Plan, PlannedMessage
from mqtriage.model.result import DEFINITION_ACTIONS, Document, Rows
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, duration_text

FIRST_IDS: Final = 3

_OWN_FACTS: Final = frozenset({"bytes", "length_bytes", "oldest", "newest", "targets", LOST})
"""Facts that stand in for what would else be worked out from the messages, or have their line."""


def plan_text(plan: Plan, style: Style) -> str:
    """The lines to show before asking; no line end at the end."""
    lines = [bold(headline(plan, report.at_text(style)), style.colour)]
    width = style.width if style.is_tty else None
    lines += pair_lines(list(_pairs(plan, style)), indent=2, width=width, colour=style.colour)
    lines += [f"warning: {visible(text)}" for text in plan.warnings]
    for refusal in plan.refusals:
        lines.append(f"refused: {visible(refusal.text)}")
        if full_hint := refusal.full_hint:
            lines.append(f"hint: {visible(full_hint)}")
    return "\n".join(lines)


def plan_document(plan: Plan, style: Style) -> Document:
    """The plan as a dry run prints it on standard output, in any form."""
    pairs = list(_pairs(plan, style))
    if plan.warnings:  # part of what was asked for, so that a saved plan has them
        pairs.append(("warning", "\n".join(plan.warnings)))
    return Document(
        kind="Plan",
        data=plan_record(plan),
        sections=((headline(plan, report.at_text(style)), tuple(pairs)),),
        mqsc="\n".join(plan.mqsc) if plan.action in DEFINITION_ACTIONS else None,
    )


def headline(plan: Plan, at: str = "") -> str:
    """What would be done, where: ``requeue 412 messages from ORDERS.BO to ORDERS.IN at QM1``.

    The first number is the one that --expect takes: with messages that would fail, whose target
    may have room by then.

    Args:
        at: which queue manager it is about (`at_text`), with a blank before it.
    """
    if plan.action in DEFINITION_ACTIONS or plan.changes:
        changes = f": {count_text(plan.count, 'change')}" if plan.count else ": nothing to change"
        return f"{plan.action} {report.definition_text(plan.queue, at)}{changes}"
    if plan.action == "sweep":
        return f"sweep {plan.queue}{at}: make the queue manager discard expired messages"
    if not plan.count:
        place = report.place_text(report.act_of(plan.action, plan.facts), plan.queue, None)
        return f"{plan.action}: no {plan.noun} to {plan.action}{place}{at}"
    count = count_text(plan.count, plan.noun)
    if plan.taken_off:
        return f"{plan.action}: remove {count} from {', '.join(plan.taken_off)}{at}"
    act = report.act_of(plan.action, plan.facts)
    if act == "undo":  # they may be on other queues now
        return f"{plan.action}: {count} back to {plan.target or plan.queue}{at}"
    target = report.target_text(plan.target, plan.facts)
    place = report.place_text(act, plan.queue, target)
    return f"{plan.action} {count}{not_done_text(plan)}{place}{at}"


def not_done_text(plan: Plan) -> str:
    """`` (70 would fail)``: which of the messages would not go; "" where all would."""
    words = [f"{min(plan.failing, plan.count)} would fail"] if plan.failing else []
    words += [f"{plan.staying} would be skipped or parked"] if plan.staying else []
    return f" ({', '.join(words)})" if words else ""


def pace_text(plan: Plan) -> str:
    """How it will go, for a question: ``, 20/s in batches of 20, about 21s``.

    "" where it is one unit of work without a rate.
    """
    facts = plan.facts
    batch, rate, expected_ms = (facts.get(key) for key in ("batch", "rate", "expected_ms"))
    if expected_ms:
        return f", {rate} in batches of {batch}, about {duration_text(expected_ms)}"
    return f", in batches of {batch}" if isinstance(batch, int) and plan.count > batch else ""


def _pairs(plan: Plan, style: Style) -> Iterator[tuple[str, str]]:
    record = plan_summary(plan)
    if record["length_bytes"] is not None:
        yield "size", exact_bytes_text(record["length_bytes"])
    for label, key in (("oldest put", "oldest_put_time"), ("newest put", "newest_put_time")):
        if record[key]:
            yield label, time_text(str(record[key]), utc=style.utc)
    ids = [message.msg_id.hex().upper() for message in plan.messages[:FIRST_IDS]]
    if ids:
        more = len(plan.messages) - len(ids)
        file = plan.facts.get("plan")
        lists = f"mqtriage plan {shell_word(str(file))}" if file else "-n"
        last = [f"and {more} more: {lists} -o ids lists all"] if more else []
        staged = "staged " if "targets" in plan.facts else ""
        first = "first " if more else ""
        yield f"{first}{staged}MsgIds", "\n".join([*ids, *last])
        if staged:  # the CorrelId of a staged message is the MsgId that its sender got
            sent = [message.correl_id.hex().upper() for message in plan.messages[:FIRST_IDS]]
            yield f"{first}original MsgIds", "\n".join([*sent, *last])
    if targets := plan.facts.get("targets"):
        yield report.targets_pair(targets, utc=style.utc)
    yield from map(report.change_pair, record["changes"])
    if plan.mqsc:
        yield "MQSC", "\n".join(plan.mqsc)
    for key, value in plan.facts.items():
        if key not in _OWN_FACTS and value is not None:
            yield data_pair(key, value, utc=style.utc)
    reports = [report_sentence(plan, option, count) for option, count in plan.reports.items()]
    if any(reports):
        yield "reports", "\n".join(filter(None, reports))
    if plan.notes:
        yield "note", "\n".join(plan.notes)


def report_sentence(plan: Plan, option: str, count: int) -> str:
    """Who asks for which report, and what the act makes of it; "" when nobody asks.

    The get itself sends a COD report, the put of the copy a COA report; the others are sent by
    programs or on later failures (IBM MQ documentation, "Report (MQLONG)").
    """
    if not count:
        return ""
    name = option.removeprefix("MQRO_")
    verb = "asks" if count == 1 else "ask"
    who = f"{count} of {count_text(plan.count)} {verb} for {name}"
    senders = "its sender" if count == 1 else "their senders"
    effects = {"COD": f"the get reports 'delivered' to {senders}"}
    if plan.target:
        effects |= {
            "COA": f"the put reports 'arrived' to {senders} again",
            "EXPIRATION": "one is sent if the copy expires",
            "EXCEPTION": "one is sent if the copy cannot be delivered",
        }
    effect = effects.get(name.partition("_")[0])
    return f"{who}: {effect}" if effect else who


def plan_record(plan: Plan) -> dict[str, Any]:
    """The plan as JSON content, with the same keys for every action.

    The facts stand as `facts`; size and times are null when there are no messages to take them
    from.
    """
    return {**plan_summary(plan), "messages": Rows(plan.messages, message_record)}


def plan_summary(plan: Plan) -> dict[str, Any]:
    """The plan without its messages, of which there can be a million."""
    oldest = newest = None
    for message in plan.messages:
        time = put_time(message)
        if time is not None:
            oldest = time if oldest is None or time < oldest else oldest
            newest = time if newest is None or time > newest else newest
    facts = plan.facts
    length = facts.get("length_bytes", facts.get("bytes"))
    if length is None and plan.messages:
        length = sum(message.length_bytes for message in plan.messages)
    return {
        "action": plan.action,
        "queue": plan.queue,
        "target": plan.target,
        "count": plan.count,
        "length_bytes": length,
        "oldest_put_time": facts.get("oldest") or oldest,
        "newest_put_time": facts.get("newest") or newest,
        "reports": dict(plan.reports),
        "changes": change_records(plan),
        "mqsc": list(plan.mqsc),
        "notes": [*plan.warnings, *plan.notes],
        "refusals": [
            {"text": refusal.text, "hint": refusal.full_hint or None} for refusal in plan.refusals
        ],
        "facts": {key: fact for key, fact in facts.items() if key not in ("oldest", "newest")},
    }


def message_record(message: PlannedMessage) -> dict[str, Any]:
    """One planned message: the marks by which it is known again."""
    return {
        "msg_id": message.msg_id.hex().upper(),
        "correl_id": message.correl_id.hex().upper(),
        "put_time": put_time(message),
        "length_bytes": message.length_bytes,
        "sha256": message.digest.hex(),
        "expiry_tenths": message.expiry_tenths,
        "backout_count": message.backout_count,
    }


def put_time(message: PlannedMessage) -> str | None:
    """PutDate and PutTime (HHMMSSTH) as RFC 3339, or None where a program has set them blank."""
    date, time = message.put_date, message.put_time
    digits = date + time
    if len(date) != 8 or len(time) != 8 or not (digits.isascii() and digits.isdecimal()):
        return None
    text = f"{date[:4]}-{date[4:6]}-{date[6:]}T{time[:2]}:{time[2:4]}:{time[4:6]}"
    return f"{text}.{time[6:]}Z"
