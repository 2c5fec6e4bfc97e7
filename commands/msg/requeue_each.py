"""A requeue that takes each message to a queue of its own: `dlq requeue`, `backout requeue`.

A dead letter goes to the queue that its MQDLH says it was meant for: the header is taken off, and
Format, CCSID and Encoding become those that it holds. A poison message goes back to where it was
backed out from, and only where that is sure: its JMS destination is a queue whose BOQNAME leads to
this one; or where that is likely, and the caller says that this will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from mqtriage.backends.port import Backend
from mqtriage.messages.decoded import dead_letter_header
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.where import where_to_paste
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, most_first
from mqtriage.mq import cmqc
from mqtriage.mq.message import Message
from mqtriage.mq.names import DYNAMIC_PREFIXES
from mqtriage.operations.copies.request import ActRequest
from mqtriage.operations.engine.grouped import DESTINATION, GroupedPlan, QueueGroups, plan_groups
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.rules.origin import (
    ProgramsOnQueues,
    candidates,
    destination_of,
    origin_of,
    programs_of,
)
from mqtriage.operations.selection.selected import selected
from mqtriage.operations.selection.whole_ids import with_whole_ids

Place: TypeAlias = Callable[[Message], tuple[str, str]]
"""The queue for a message, or "" and why there is none to put it to here."""
_UNNAMED: Final = "origin unknown: no JMS destination other than this queue"
_TRIGGER: Final = cmqc.MQFMT_TRIGGER.rstrip()
_MOST_NAMED: Final = 3
_POISON: Final = "MQRC_BACKOUT_THRESHOLD_REACHED"
_GONE: Final = frozenset({"MQRC_UNKNOWN_OBJECT_NAME", "MQRC_Q_DELETED"})


def plan_dead_letters(backend: Backend, request: ActRequest, selection: Selection) -> GroupedPlan:
    """Browse the dead-letter queue and plan each message's way; nothing is changed.

    Args:
        backend: read-only.
        request: its target is not looked at.
    """
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    reasons: dict[str, Counter[str]] = {}
    triggers: Counter[str] = Counter()

    def place(message: Message) -> tuple[str, str]:
        facts = dead_letter_header(message)
        if facts is None:
            return "", "no MQDLH"
        name, manager = facts.dest_q_name.strip(), facts.dest_q_mgr_name.strip()
        if not name:
            return "", "an MQDLH that does not name a queue"
        if manager not in ("", backend.queue_manager):
            return "", f"destination {name} on {manager}, not here"
        reasons.setdefault(name, Counter())[facts.reason_name] += 1
        triggers[name] += facts.format == _TRIGGER
        return name, ""

    groups = _placed(backend, request, selection, place)
    hint = (
        f"mqtriage dlq browse {shell_word(request.queue)} shows them; --to QUEUE names one for all"
    )
    if reasons and all(_is_late(name, of_name) for name, of_name in reasons.items()):
        hint = f"they are for {_removing_late(request.queue, reasons, selection)}"
    grouped = plan_groups(groups, word=DESTINATION, hint=hint)
    going = {str(part.target) for part in grouped.parts}
    by_reason: Counter[str] = sum((reasons[name] for name in going), Counter())
    if by_reason:
        grouped.whole.facts["reasons"] = dict(most_first(by_reason))
    closed = {name: reasons[name].total() for name in reasons if name not in going}
    late = {name: reasons[name] for name in closed if _is_late(name, reasons[name])}
    if any(name.startswith(DYNAMIC_PREFIXES) for name in reasons if name not in late):
        late = {}  # the command would remove what has a way, or another reason, too
    late_notes = []
    if late and going:
        replies = count_text(sum(of_name.total() for of_name in late.values()))
        what = _removing_late(request.queue, late, selection)
        late_notes.append(f"{replies} for {what}")
    open_to_others = {name: count for name, count in closed.items() if name not in late}
    grouped.whole.notes += (
        id_notes
        + late_notes
        + _elsewhere(request.queue, open_to_others, selection)
        + _coming_back(by_reason[_POISON], sum(triggers[name] for name in going))
    )
    return grouped


def _is_late(name: str, reasons: Iterable[str]) -> bool:
    """Whether all letters for a queue are replies to a dynamic queue that is gone."""
    return name.startswith(DYNAMIC_PREFIXES) and set(reasons) <= _GONE


def _removing_late(queue: str, late: Mapping[str, Iterable[str]], selection: Selection) -> str:
    """What one does with replies to temporary queues that are gone: there is no way for them.

    Args:
        late: the reasons of the letters for each of these queues.
    """
    text = "temporary dynamic queues that are gone because their requesters closed them or ended"
    narrowed = _narrowed(selection)
    if narrowed is None:
        return text
    prefixes = sorted({name[: len(DYNAMIC_PREFIXES[0])] for name in late})
    reasons = sorted({reason for of_name in late.values() for reason in of_name})
    words = "".join(f" --dest {shell_word(f'{prefix}*')}" for prefix in prefixes)
    words += "".join(f" --reason {reason}" for reason in reasons)
    return f"{text}: mqtriage dlq purge {shell_word(queue)}{words}{narrowed} removes the replies"


def _narrowed(selection: Selection) -> str | None:
    """The chosen condition as words of another command; None where no condition says it."""
    where = where_to_paste(selection.tree)
    if not selection.is_condition or (selection.tree is not None and not where):
        return None
    return f" --where {shell_word(where)}" if where else ""


def _elsewhere(queue: str, closed: Mapping[str, int], selection: Selection) -> list[str]:
    """The command for dead letters whose destination does not exist or refuses puts.

    Empty if no condition selects exactly these messages: the command would move others too.

    Args:
        closed: how many messages are for each of these destinations.
    """
    narrowed = _narrowed(selection)
    if not closed or narrowed is None:
        return []
    named = " ".join(f"--dest {shell_word(name)}" for name in [*closed][:_MOST_NAMED])
    those = sum(closed.values())
    theirs = "its" if those == 1 else "their"
    more = len(closed) - _MOST_NAMED
    others = f"; {count_text(more, 'more destination')} likewise" if more > 0 else ""
    return [
        f"for the {those} that cannot go to {theirs} destination:"
        f" mqtriage dlq requeue {shell_word(queue)} {named}{narrowed} --to QUEUE{others}"
    ]


def _coming_back(poison: int, triggers: int) -> list[str]:
    """What is said of dead letters whose program will probably fail again."""
    notes = []
    if poison:
        notes.append(
            f"{count_text(poison)} of {_POISON}: they will return unless you fix the cause; "
            f'--where "reason != {_POISON}" leaves them'
        )
    if triggers:
        notes.append(
            f"{count_text(triggers)} of {_TRIGGER}: a trigger monitor starts the "
            "program again; if the queue has been read since, purge them instead"
        )
    return notes


def plan_origins(
    backend: Backend, request: ActRequest, selection: Selection, *, likely: bool = False
) -> GroupedPlan:
    """Browse the backout queue and plan each message's way back, as `plan_dead_letters` does.

    Args:
        likely: a message that names no destination goes to the queue whose BOQNAME names this one,
            where there is one alone.
    """
    selection, id_notes = with_whole_ids(backend, request.queue, selection)
    base = str(local_attributes(backend, request.queue)["QNAME"])
    queues = {queue.name: queue for queue in backend.queues("*")}
    known = candidates(queues, base)
    only = next(iter(known)) if len(known) == 1 else ""
    programs = ProgramsOnQueues(backend, known)
    guessed = by_program = 0

    def place(message: Message) -> tuple[str, str]:
        nonlocal guessed, by_program
        sent_to = destination_of(message)
        origin = origin_of(queues, known, base, sent_to, programs_of(message), programs)
        if origin.sent_to is not None:
            why = f"BOQNAME of its destination {origin.sent_to} does not name this queue"
            return origin.queue or "", f"origin unknown: {why}"
        by_program += bool(origin.program)
        if likely and origin.queue:
            guessed += not origin.program
            return origin.queue, ""
        return "", _UNNAMED

    groups = _placed(backend, request, selection, place)
    browse = f"mqtriage backout browse {shell_word(request.queue)} --group origin"
    hint = f"{browse} shows what is known; --to QUEUE names it"
    accept = f"--accept-likely uses {only}, the only queue whose BOQNAME names this queue"
    if only and not likely:
        hint += f"; {accept}"
    by_their_program = (
        f"for {by_program} of them, --accept-likely uses the only queue with more of their program"
    )
    if by_program and not likely:
        hint += f"; {by_their_program}"
    grouped = plan_groups(groups, word="origin", hint=hint)
    unnamed = sum(item.reason == _UNNAMED for item in grouped.stay)
    if unnamed and only and not likely:
        id_notes.append(f"for messages that name no queue ({unnamed}), {accept}")
    elif unnamed:
        id_notes.append(
            f"for messages that name no queue ({unnamed}), --to QUEUE says where they go"
        )
    if guessed:
        id_notes.append(
            f"{count_text(guessed)} with no JMS destination other than this queue: {only} is"
            " likely, the only queue whose BOQNAME names this queue (--accept-likely)"
        )
    if by_program and likely:
        id_notes.append(
            f"{count_text(by_program)} with no JMS destination other than this queue: likely from"
            " the only queue with messages of their program (--accept-likely)"
        )
    elif by_program:
        id_notes.append(by_their_program)
    grouped.whole.notes += id_notes
    return grouped


def _placed(
    backend: Backend, request: ActRequest, selection: Selection, place: Place
) -> QueueGroups:
    groups = QueueGroups(backend, request)
    for message in selected(backend, request.queue, selection):
        queue, why = place(message)
        if queue:
            groups.add(message, queue)
        else:
            groups.leave(message, why)
    return groups
