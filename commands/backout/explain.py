"""`mqtriage backout explain`: what each kind of client does with a message that fails.

The rules are `mq.backout_path`; here the facts are asked for: BOTHRESH and BOQNAME of the local
queue, whether BOQNAME and DEADQ would take a put now, and of a message its BackoutCount, report
options and persistence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from mqtriage.backends.name_resolution import local_queue
from mqtriage.backends.port import Backend, Match, ObjectDefinition
from mqtriage.commands.msg.put import report_of
from mqtriage.commands.msg.put_probe import put_problem
from mqtriage.definitions import backout_policy
from mqtriage.definitions.backout_policy import boqname_of, threshold_of
from mqtriage.model.result import Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_word
from mqtriage.mq import cmqc
from mqtriage.mq.backout import BackoutPolicy
from mqtriage.mq.backout_path import ADDS_RFH2, NAMES, ClientKind, FinalPlace, Situation, path
from mqtriage.mq.errors import NoMessageAvailable, NotFound
from mqtriage.mq.headers.formats import RFH2_FORMAT
from mqtriage.mq.message import Message
from mqtriage.mq.reports import requested
from mqtriage.operations.selection.selected import open_to_browse
from mqtriage.records import dataclass

RFH2_LEAST_BYTES: Final = 36
"""The fixed part of the MQRFH2 that a JMS client adds; folders come on top."""
RFH2_ROOM_BYTES: Final = 512
"""More than the folders of a message with few properties need; an assumption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoutExplanation:
    """What one kind of client does next, and where the message ends."""

    client: str = column("CLIENT", width=19)
    client_name: str = column("CLIENT_NAME", wide=True, place=1)
    next: str = column("NEXT", width=16)
    deliveries_left: int | None = column("LEFT", Show.NUMBER)
    ending: str = column("ENDING", wide=True, place=1)
    ends_on: str | None = column("ENDS_ON", Show.NAME, width=24)
    decided_by: str = column("DECIDED_BY", width=16)
    reason: str = column("REASON", width=48)


@dataclass(frozen=True, slots=True)
class Assumed:
    """What to take for given instead of what the message has; None leaves it.

    Attributes:
        backout_count: MQMD.BackoutCount.
        report_options: names such as DISCARD_MSG or MQRO_EXCEPTION_WITH_DATA.
        persistent: the persistence.
    """

    backout_count: int | None = None
    report_options: tuple[str, ...] = ()
    persistent: bool | None = None


NOTHING: Final = Assumed()


def explain(
    backend: Backend, name: str, msg_id: bytes | None = None, assumed: Assumed = NOTHING
) -> Listing:
    """One record for each kind of client: what it does next, and where the message ends.

    Without *msg_id* it is about a message that has been rolled back BOTHRESH times, with no report
    option and the queue's default persistence. The summary holds the facts that decide.
    """
    queue, note = local_queue(backend, name, f"explain {name}")
    report = report_of(assumed.report_options, "--report")
    message = None if msg_id is None else find_message(backend, queue.name, msg_id)
    facts = _facts(queue, message, report, assumed)
    deadq = str(backend.queue_manager_attributes().get("DEADQ", "")).strip()
    situations = {
        client: _situation(backend, facts, deadq, client, message) for client in ClientKind
    }
    fields = columns_of(BackoutExplanation)
    items = map(keys_of, _explanations(queue, deadq, situations))
    listing = Listing("BackoutExplanationList", fields, items, id_key="client")
    listing.summary.update(_head(backend, name, queue, message, deadq, situations[ClientKind.MQI]))
    listing.warnings += [note] if note else []
    listing.warnings += listing.summary["problems"]
    listing.warnings += _close_fit(backend, message, listing.summary)
    return listing


def _close_fit(backend: Backend, message: Message | None, head: dict[str, Any]) -> list[str]:
    """A sentence where the folders of an added MQRFH2 could make the message too long."""
    base = head["boq_resolves_to"]
    if message is None or base is None or message.md.format == RFH2_FORMAT:
        return []
    most = backend.queue(base).attributes.get("MAXMSGL")
    least = message.length_bytes + RFH2_LEAST_BYTES
    if not isinstance(most, int) or not least <= most < message.length_bytes + RFH2_ROOM_BYTES:
        return []
    return [
        f"JMS clients add an MQRFH2 to this message of {message.length_bytes} bytes: with its "
        f"folders it may be longer than MAXMSGL({most}) of {base}"
    ]


def find_message(backend: Backend, queue: str, msg_id: bytes) -> Message:
    """Browse for one message by its MsgId; its data is not read."""
    handle = open_to_browse(backend, queue)
    options = cmqc.MQGMO_BROWSE_FIRST | cmqc.MQGMO_ACCEPT_TRUNCATED_MSG
    try:
        return handle.get(options, Match(msg_id=msg_id), max_length=0)
    except NoMessageAvailable as error:
        raise NotFound(
            f"no message {msg_id.hex().upper()} on {queue}: it never existed, was taken, is in a"
            " unit of work, or has expired (then no get or browse returns it)",
            hint=f"mqtriage expiry explain {shell_word(queue)}",
            object_name=queue,
        ) from error
    finally:
        handle.close()


def _facts(
    queue: ObjectDefinition, message: Message | None, report: int, assumed: Assumed
) -> Situation:
    """The message that is told about, real or supposed."""
    threshold = threshold_of(queue)
    count = message.md.backout_count if message else threshold
    if message:
        persistent = message.md.persistence == cmqc.MQPER_PERSISTENT
    else:
        persistent = queue.attributes.get("DEFPSIST") == "YES"
    if message and not assumed.report_options:
        report = message.md.report
    return Situation(
        BackoutPolicy(threshold, boqname_of(queue)),
        count if assumed.backout_count is None else assumed.backout_count,
        report,
        persistent if assumed.persistent is None else assumed.persistent,
    )


def _situation(
    backend: Backend, facts: Situation, deadq: str, client: ClientKind, message: Message | None
) -> Situation:
    """The facts with what speaks against a put of the least that *client* makes of the message."""
    length = with_dlh = None
    if message is not None:
        adds = client in ADDS_RFH2 and message.md.format != RFH2_FORMAT
        length = message.length_bytes + (RFH2_LEAST_BYTES if adds else 0)
        with_dlh = message.length_bytes + cmqc.MQDLH_CURRENT_LENGTH
    name = facts.policy.requeue_queue
    boq = put_problem(backend, name, length) if name else None
    letter = "DEADQ is blank"
    if deadq:
        dead = put_problem(backend, deadq, with_dlh)
        letter = f"DEADQ: {dead.text}" if dead else ""
    return replace(facts, backout_problem=boq.text if boq else "", dead_letter_problem=letter)


def _explanations(
    queue: ObjectDefinition, deadq: str, situations: dict[ClientKind, Situation]
) -> Iterator[BackoutExplanation]:
    for client, situation in situations.items():
        outcome = path(client, situation)
        ends_on = {
            FinalPlace.BACKOUT_QUEUE: situation.policy.requeue_queue,
            FinalPlace.DEAD_LETTER_QUEUE: deadq,
            FinalPlace.INPUT_QUEUE: queue.name,
        }
        yield BackoutExplanation(
            client=client.value,
            client_name=NAMES[client],
            next=outcome.next.value,
            deliveries_left=outcome.deliveries_left,
            ending=outcome.end.value,
            ends_on=ends_on.get(outcome.end),  # None where nobody can tell
            decided_by=outcome.decided_by,
            reason=outcome.reason,
        )


def _head(
    backend: Backend,
    name: str,
    queue: ObjectDefinition,
    message: Message | None,
    deadq: str,
    situation: Situation,
) -> dict[str, Any]:
    """The facts that decide, as they are now."""
    queues = {definition.name: definition for definition in backend.queues("*")}
    backout = backout_policy.judge_backout(queue, queues, deadq)
    named = queues.get(situation.policy.requeue_queue)
    return {
        "queue": queue.name,
        "asked_for": name,
        "bothresh": situation.policy.threshold,
        "boqname": situation.policy.requeue_queue,
        "boq_type": named.kind if named else None,
        "boq_resolves_to": backout.base.name if backout.base else None,
        "boq_problem": situation.backout_problem or None,
        "dead_letter_queue": deadq,
        "dead_letter_problem": situation.dead_letter_problem or None,
        "state": backout.state.value,
        "problems": list(backout.problems),
        "msg_id": message.md.msg_id.hex().upper() if message else None,
        "backout_count": situation.backout_count,
        "report": situation.report,
        "report_options": list(requested(situation.report)) if situation.report else [],
        "persistent": situation.persistent,
        "length_bytes": message.length_bytes if message else None,
    }


def head_lines(summary: dict[str, Any]) -> list[str]:
    """The same facts in words, for standard error beside a table."""
    named = summary["boqname"]
    boq = f"BOQNAME({named})" if named else "BOQNAME blank"
    if summary["boq_resolves_to"] not in (None, named):
        boq += f", an alias of {summary['boq_resolves_to']}"
    deadq = summary["dead_letter_queue"]
    options = ", ".join(summary["report_options"]) or "no report options"
    lasting = "persistent" if summary["persistent"] else "not persistent"
    what = f"message {summary['msg_id']}" if summary["msg_id"] else "a message"
    return [
        f"{summary['queue']}: BOTHRESH({summary['bothresh']}) {boq}"
        f"{_trouble(summary['boq_problem'])}",
        f"dead-letter queue: {deadq or 'none'}{_trouble(summary['dead_letter_problem'])}",
        f"{what}: BackoutCount {summary['backout_count']}, {lasting}, {options}",
    ]


def without_repeats(listing: Listing) -> None:
    """Shorten the reasons in a table that repeat what `head_lines` says of BOQNAME and DEADQ.

    In the narrow last column of a terminal, the same sentence in ten rows fills the screen. The
    first row with such a reason keeps it, and the others name its client.
    """
    briefs = {
        listing.summary["boq_problem"]: "BOQNAME refuses it",
        listing.summary["dead_letter_problem"]: "DEADQ refuses it",
    }
    first: dict[str, str] = {}

    def shortened(record: Record) -> Record:
        reason = whole = record["reason"]
        for problem, brief in briefs.items():
            if problem and len(problem) > len(brief):
                reason = reason.replace(f"failed: {problem}", "failed").replace(problem, brief)
        if reason != whole and first.setdefault(reason, record["client"]) != record["client"]:
            reason = f"as {first[reason]}"
        return {**record, "reason": reason}

    listing.items = map(shortened, listing.items)


def _trouble(problem: str | None) -> str:
    return f", refuses: {problem}" if problem else ""
