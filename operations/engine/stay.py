"""Why a message stays where it is: asked by the plan and, once more, before it is touched.

What both say is the same as long as the message is the same and no time passes.
"""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.backends.port import Backend
from mqtriage.model.plan import PlannedMessage
from mqtriage.model.units import count_text
from mqtriage.mq.message import Message
from mqtriage.mq.reports import ReportMessage
from mqtriage.operations.copies.copy import Copy, copy_of
from mqtriage.operations.copies.lifetimes import owed_report
from mqtriage.operations.copies.request import ActRequest, ByRulesText, Expire, Restage
from mqtriage.operations.copies.staged import Restaged, restaged
from mqtriage.operations.ledger.rebuild import Key
from mqtriage.operations.ledger.requeue_counts import key_of, requeued_often
from mqtriage.operations.ledger.tables import Ledger


def would_poison(request: ActRequest, backout_count: int, threshold: int) -> str:
    """Why a message is not taken whose next rollback would reach BOTHRESH; "" where it may be."""
    if request.takes and 0 < threshold == backout_count + 1:
        return f"one more rollback would reach BOTHRESH({threshold})"
    return ""


def too_often(
    request: ActRequest, messages: Iterable[PlannedMessage], ledger: Ledger
) -> dict[Key, str]:
    """Why messages are not requeued once more, of those that may not be."""
    most = request.max_requeues
    if most is None:
        return {}
    why = f"moved or requeued at least {count_text(most, 'time')} (--max-requeues {most})"
    return dict.fromkeys(requeued_often(ledger, map(key_of, messages), most), why)


def may_be_unfit(request: ActRequest) -> bool:
    """Whether there are messages that cannot go where the request sends them.

    A run of rules has an answer of its own for each message (`rules.judge`).
    """
    if isinstance(request.to, Restage | Expire):
        return True
    changed = request.copy.strip or request.copy.properties
    return bool(request.target and changed) and not isinstance(request.to, ByRulesText)


def unfit(backend: Backend, request: ActRequest, message: Message) -> str:
    """Why a message cannot go where the request sends it; "" where it can."""
    answer = made(backend, request, message)
    return answer if isinstance(answer, str) else ""


def made(
    backend: Backend, request: ActRequest, message: Message
) -> Copy | Restaged | tuple[ReportMessage, int] | str | None:
    """What would be put for a message, or why it cannot go; None where nothing is made."""
    if isinstance(request.to, Restage):
        return restaged(backend, message, request.to, request.copy)
    if isinstance(request.to, Expire):
        return owed_report(message, backend.queue_manager, backend.now_us())
    return copy_of(message, request.copy) if may_be_unfit(request) else None
