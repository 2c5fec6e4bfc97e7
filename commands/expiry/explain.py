"""`mqtriage expiry explain`: who discards expired messages of a queue, when, and what follows.

Nothing is browsed unless one message is asked for: the numbers come from DISPLAY QSTATUS and, where
the queue manager can tell them, from its own view of lifetimes.
"""

from __future__ import annotations

from typing import Any, Final

from mqtriage.backends.name_resolution import local_queue
from mqtriage.backends.port import AttributeValue, Backend, ObjectDefinition
from mqtriage.commands.backout.explain import find_message
from mqtriage.commands.expiry.messages import lifetime
from mqtriage.commands.queue.queues import time_text
from mqtriage.model.result import Document
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, humane_expiry
from mqtriage.mq.attributes.catalogue import Platform
from mqtriage.mq.expiry import cap_of
from mqtriage.mq.message import Message

DISTRIBUTED_EXPIRER_S: Final = 300
"""ExpiryInterval of qm.ini where nobody set it; IBM technote swg21288579."""

WHY_NOT: Final = (
    "MQGET never returns a message whose lifetime has ended, to a get or a browse; no program can "
    "read it, so no program can put it on a queue again"
)
INSTEAD: Final = (
    "before it ends: move the message with a new lifetime, which changes its position on the queue",
    "an expiration report with full data (MQRO_EXPIRATION_WITH_FULL_DATA) contains the whole"
    " message",
    "an archive or a saved copy of the queue",
    "the program that sent it",
)


def explain(backend: Backend, name: str, msg_id: bytes | None = None) -> Document:
    """Tell who discards what has expired on a queue, and what a browse would do now.

    Args:
        msg_id: one message to tell about too; looking for it is a browse.
    """
    queue, note = local_queue(backend, name, f"explain {name}")
    message = None if msg_id is None else find_message(backend, queue.name, msg_id)
    here = backend.platform
    manager = backend.queue_manager_attributes()
    data: dict[str, Any] = {"queue": queue.name, "asked_for": name, "platform": here}
    data |= _numbers(backend, queue)
    data["discarders"] = discarders(queue, here, manager.get("EXPRYINT", "OFF"))
    data["browse_now"] = _browse_now(queue, data)
    data["discard_order"] = discard_order(queue)
    data["capexpry"] = _caps(backend, queue)
    data["message"] = None if message is None else _message(message, backend.now_us())
    data["expired_message"] = {
        "can_be_requeued": False,
        "reason": WHY_NOT,
        "instead": list(INSTEAD),
    }
    if queue.attributes.get("USAGE") == "XMITQ":
        data["transmission_queue"] = (
            "Expiry exists twice, in MQMD and in MQXQH: only the one in MQMD applies"
        )
    warnings = [note] if note else []
    if data["expired"]:
        warnings.append(
            f"{count_text(data['expired'], 'expired message')} still counted in CURDEPTH: "
            f"mqtriage expiry sweep {shell_word(queue.name)} -n"
        )
    return Document("ExpiryExplanation", data, _sections(data), warnings)


def _numbers(backend: Backend, queue: ObjectDefinition) -> dict[str, Any]:
    status = backend.status(queue.name)
    insight = backend.insight
    lifetimes = insight.lifetimes(queue.name) if insight else None
    return {
        "curdepth": status.curdepth,
        "uncommitted": status.uncommitted,
        "expired": lifetimes.expired if lifetimes else None,
        "with_expiry": lifetimes.with_expiry if lifetimes else None,
        "expired_since_time": time_text(lifetimes.expired_since_us) if lifetimes else None,
        "next_expiry_time": time_text(lifetimes.next_expiry_us) if lifetimes else None,
        "msgdlvsq": queue.attributes.get("MSGDLVSQ"),
        "get": queue.attributes.get("GET"),
    }


def discarders(
    queue: ObjectDefinition, here: Platform, expryint: AttributeValue
) -> list[dict[str, Any]]:
    """Who discards, when, and what decides it: the calls, then the task of this platform."""
    closed = queue.attributes.get("GET") == "DISABLED"
    calls = {
        "who": "MQGET, a get or a browse",
        "when": "never while GET(DISABLED) is set: it fails with 2016"
        if closed
        else "when it would have returned the message, if it had not expired",
        "decided_by": "GET" if closed else "the applications that read the queue",
        "interval_s": None,
    }
    if here == "dist":
        task = {
            "who": "the queue manager's expirer",
            "when": f"every {DISTRIBUTED_EXPIRER_S} s unless set otherwise, on all queues",
            "decided_by": "ExpiryInterval in qm.ini",
            "interval_s": DISTRIBUTED_EXPIRER_S,
        }
        return [calls, task]
    seconds = int(expryint) if str(expryint).isdigit() else None
    task = {
        "who": "the queue manager's expirer",
        "when": f"every {seconds} s, and when the queue manager starts"
        if seconds
        else "when the queue manager starts; EXPRYINT(OFF) gives it no interval",
        "decided_by": "EXPRYINT of the queue manager",
        "interval_s": seconds,
    }
    command = {
        "who": "REFRESH QMGR TYPE(EXPIRY)",
        "when": "when an operator runs the command",
        "decided_by": "the operator",
        "interval_s": None,
    }
    return [calls, task, command]


def _browse_now(queue: ObjectDefinition, numbers: dict[str, Any]) -> dict[str, Any]:
    """What a browse of the whole queue by this program would discard."""
    if queue.attributes.get("GET") == "DISABLED":
        return {"discards_at_most": 0, "text": "fails with MQRC_GET_INHIBITED (2016)"}
    expired, depth = numbers["expired"], numbers["curdepth"]
    if expired is None:
        text = f"discards those of the {depth} that have expired; how many is not known"
        return {"discards_at_most": depth, "text": text}
    if expired == 0:
        return {"discards_at_most": 0, "text": "discards nothing, because nothing has expired"}
    text = f"discards {expired} of {depth}, and sends the reports that they request"
    return {"discards_at_most": expired, "text": text}


def discard_order(queue: ObjectDefinition) -> str:
    """Which expired messages a plain get meets first (EX-14 to EX-16)."""
    if queue.attributes.get("MSGDLVSQ") == "FIFO":
        return (
            "FIFO: a get without match options discards expired messages before the first one that"
            " has not expired; later ones stay and count"
        )
    return (
        "PRIORITY: a get without match options discards all expired messages with a higher"
        " priority, and those with the same priority that arrived before the first one that has"
        " not expired"
    )


def _caps(backend: Backend, queue: ObjectDefinition) -> dict[str, Any]:
    """CAPEXPRY of the queue and of the aliases that lead to it; the lowest on the way counts."""
    named = [
        item
        for item in backend.queues("*")
        if item.kind == "QALIAS" and item.attributes.get("TARGET") == queue.name
    ]
    objects = []
    for item in (queue, *named):
        cap = cap_of(item.attributes)
        objects.append({"object": item.name, "type": item.kind, "capexpry_tenths": cap})
    capped = [item for item in objects if item["capexpry_tenths"] is not None]
    if not capped:
        text = "no limit on the path: Expiry stays as the application sets it"
    else:
        text = "lowers Expiry at the put, even if unlimited; never raises it: " + ", ".join(
            f"{item['object']} {item['capexpry_tenths']} tenths" for item in capped
        )
    return {"objects": objects, "text": text}


def _message(message: Message, now_us: int) -> dict[str, Any]:
    md = message.md
    fields = lifetime(message, now_us)
    return {
        "msg_id": md.msg_id.hex().upper(),
        "expiry_tenths": md.expiry_tenths,
        **fields,
        "reply_to_q": md.reply_to_q,
        "reply_to_q_mgr": md.reply_to_q_mgr,
        "persistence": md.persistence,
        "priority": md.priority,
    }


_REPORT_TEXT: Final = {
    "none": "no expiration report was requested: it disappears without a trace",
    "exp": "a report without data goes to {to}",
    "exp-data": "a report with the first 100 bytes goes to {to}",
    "exp-full": "a report with the whole message goes to {to}",
}


def _sections(data: dict[str, Any]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The same for people."""
    lifetimes = [("CURDEPTH", str(data["curdepth"]))]
    if data["expired"] is not None:
        lifetimes += [
            ("expired, still counted", str(data["expired"])),
            ("expired since", data["expired_since_time"] or "-"),
            ("with a lifetime", str(data["with_expiry"])),
            ("next to expire", data["next_expiry_time"] or "none"),
        ]
    lifetimes.append(("a browse now", data["browse_now"]["text"]))
    sections = [
        (data["queue"], tuple(lifetimes)),
        (
            "Who discards",
            tuple((it["who"], f"{it['when']} ({it['decided_by']})") for it in data["discarders"]),
        ),
        (
            "What decides",
            (
                ("MSGDLVSQ", data["discard_order"]),
                ("CAPEXPRY", data["capexpry"]["text"]),
                (
                    "reports",
                    "sent when a message is discarded, outside any unit of work, with Feedback "
                    "258, to the ReplyToQ of the messages that requested one",
                ),
            ),
        ),
    ]  # fmt: skip
    if "transmission_queue" in data:
        sections.append(
            ("Transmission queue", (("two Expiry fields", data["transmission_queue"]),))
        )
    if data["message"] is not None:
        sections.append(_message_section(data["message"]))
    lost = data["expired_message"]
    sections.append(
        ("Requeue expired messages?", (("no", lost["reason"]), ("instead", "\n".join(INSTEAD))))
    )
    return tuple(sections)


def _message_section(message: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    to = message["reply_to_q"] or "(blank)"
    if message["reply_to_q_mgr"]:
        to = f"{to} on {message['reply_to_q_mgr']}"
    unlimited = message["expires_at"] is None
    ends = "never, Expiry is unlimited" if unlimited else f"at {message['expires_at']}"
    return (
        f"Message {message['msg_id']}",
        (
            ("lifetime left", humane_expiry(message["expiry_tenths"])),
            ("expires", ends),
            ("report", _REPORT_TEXT[message["expiry_report"]].format(to=to)),
        ),
    )
