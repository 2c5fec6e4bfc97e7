"""`backout causes`: what the messages of backout queues share; each queue is read twice.

Beside each cause stands what became of earlier messages like these, where the journal and the
archives know: they were given up, or requeued and have not come back.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from mqtriage.backends.port import Backend
from mqtriage.commands.backout.earlier import Earlier
from mqtriage.commands.backout.move import poison_only
from mqtriage.commands.queue.names import named_queues
from mqtriage.commands.queue.queues import queues_for_people
from mqtriage.messages.causes import (
    Cause,
    ConditionTally,
    are_few,
    find_causes,
    rest_of,
    tally_of,
)
from mqtriage.messages.filters.expression import Expression, Or, all_of, to_text, top_level_parts
from mqtriage.messages.filters.rule_text import rule_text
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.selector_text import selector_text
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import where_to_paste
from mqtriage.messages.survey import Condition, Survey, conditions_of, survey_of
from mqtriage.model.ids import format_id
from mqtriage.model.result import Field, Listing, Record, Show, column, columns_of, keys_of
from mqtriage.model.shell_words import shell_word
from mqtriage.model.units import count_text, first_of
from mqtriage.mq import cmqc
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.times import rfc3339_or_none
from mqtriage.operations.engine.plan import local_attributes
from mqtriage.operations.ledger.journal import Journal
from mqtriage.operations.ledger.rebuild import Key
from mqtriage.operations.ledger.requeue_counts import key_of_message
from mqtriage.operations.rules.toml import rule_in_toml
from mqtriage.operations.selection.due_reading import with_due_reading
from mqtriage.operations.selection.selected import selected
from mqtriage.records import dataclass

ALL: Final = Selection()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoutCause:
    """What messages of a backout queue share; `where` selects exactly those that are counted."""

    cause: int = column("CAUSE#", Show.NUMBER, 6)
    queue: str = column("QUEUE", Show.NAME, 20, yields=6)
    message_count: int = column("COUNT", Show.NUMBER, 7)
    share_percent: float = column("SHARE", Show.NUMBER, 6)
    where: str = column("WHAT_THEY_SHARE", Show.TEXT, 40)
    against_count: int | None = column("AGAINST", Show.NUMBER, 7)
    lift: float | None = column("LIFT", Show.NUMBER, 5, yields=7)
    given_up_count: int | None = column("GIVEN_UP", Show.NUMBER, 8, yields=3)
    retried_count: int | None = column("RETRIED", Show.NUMBER, 7, yields=3)
    first_put_time: str | None = column("FIRST", Show.TIME, 22, yields=5)
    last_put_time: str | None = column("LAST", Show.TIME, 22, yields=4)
    sample_msg_id: str = column("SAMPLE_MSGID", Show.ID, 48)
    also_share: list[str] = column("ALSO_SHARE", Show.TEXT, 30, yields=1)
    selector: str | None = column("SELECTOR", Show.TEXT, wide=True)
    rule: str | None = column("RULE", Show.TEXT, wide=True)
    rule_toml: str = column("RULE_TOML", Show.TEXT, wide=True)


def causes(
    backend: Backend,
    pattern: str,
    selection: Selection = ALL,
    *,
    against: str | None = None,
    healthy: Selection = ALL,
    top: int = 10,
    journal: Journal | None = None,
) -> Listing:
    """List what the messages of a backout queue, or of several, have in common.

    Args:
        pattern: a queue; or with ``*`` the local queues of these names that hold messages. Of those
            that are neither backout nor dead-letter queue, only what was rolled back counts.
        selection: the poison messages.
        against: a queue of healthy messages: what they have too is no cause.
        healthy: which of them.
        top: causes a queue.
        journal: asked what became of earlier messages; None for no journal.

    Raises:
        UsageError: Not a name; the queue is compared with itself.
        ObjectNotFound: No such queue.
        NotFound: No queue has such a name.
    """
    is_generic = pattern.endswith("*")
    queues = named_queues(backend, [pattern], holding=True)
    ordinary = _ordinary(backend, queues) if is_generic else []
    names = {*queues}
    if not is_generic:
        names.add(str(local_attributes(backend, pattern)["QNAME"]))
    if against is not None:
        other = local_attributes(backend, against)["QNAME"]
        if any(local_attributes(backend, queue)["QNAME"] == other for queue in queues):
            raise UsageError(f"--against {against}: this is the queue itself")
    selection = with_due_reading(backend, selection)
    chosen = {q: poison_only(selection, 1) if q in ordinary else selection for q in queues}
    columns = _columns(is_compared=against is not None, is_generic=is_generic)
    listing = Listing("CauseList", columns, (), id_key="sample_msg_id")

    def records() -> Iterator[BackoutCause]:
        earlier = {} if journal is None else {q: Earlier(backend, journal, q) for q in queues}
        compared = _Compared(backend, against, healthy, earlier.values())
        yield from _records(listing, backend, chosen, names, compared, earlier, top)
        if journal is not None:
            listing.summary.update(
                given_up_count=sum(len(one.given_up) for one in earlier.values()),
                retried_count=sum(len(one.retried) for one in earlier.values()),
            )
        listing.warnings += _not_counted(ordinary, compared)

    listing.items = map(keys_of, records())
    return listing


def _columns(*, is_compared: bool, is_generic: bool) -> tuple[Field, ...]:
    """The columns; those that are empty give way first."""
    yields = {} if is_compared else {"against_count": 8, "lift": 8}
    if is_generic:  # a row says nothing without its queue
        yields["queue"] = 0
    columns = columns_of(BackoutCause)
    return tuple(one._replace(yields=yields.get(one.key, one.yields)) for one in columns)


def _records(
    listing: Listing,
    backend: Backend,
    chosen: Mapping[str, Selection],
    names: Container[str],
    compared: _Compared,
    earlier: Mapping[str, Earlier],
    top: int,
) -> Iterator[BackoutCause]:
    """The causes of each queue; counts and warnings go to the listing.

    Args:
        chosen: the queues, each with which of its messages count.
        names: what senders may call the queues.
    """
    messages = unexplained = number = 0
    against = compared.survey()
    there = against if against is not None and against.total else None
    if there is None and against is not None:
        listing.warnings.append(f"{compared.queue} has no messages to compare with")
    for queue, which in chosen.items():
        conditions = conditions_of(survey_of(subjects(backend, queue, which), names), there)
        sick = tally_of(subjects(backend, queue, which), conditions)
        fine = compared.tally(conditions) if there is not None else None
        if fine is not None and fine.total and are_few(fine.total, sick.total):
            listing.warnings.append(
                f"{compared.queue} has only {count_text(fine.total)}, too few to compare"
                f" {sick.total} with: what they share may be chance"
            )
        ranked = find_causes(sick, fine, top=top + 1)
        by_chance = [cause for cause in ranked if cause.may_be_chance]
        ranked = [cause for cause in ranked if not cause.may_be_chance]
        causes = ranked[:top]
        without = _in_none(sick, causes)
        messages += sick.total
        unexplained += without
        if len(ranked) > top:
            listing.warnings.append(
                f"{queue}: showing {count_text(top, 'cause')} of more;"
                f" {count_text(without)} in none of these; --top {2 * top} shows more"
            )
        elif without:
            rest = _in_no_row(queue, which, sick, causes, without)
            has_rows = causes or by_chance
            listing.warnings.append(rest if has_rows else _nothing_shared(queue, sick, compared))
        if by_chance and fine is not None:
            rows = count_text(len(by_chance), "row")
            if len(by_chance) + len(ranked) > top:
                rows = f"{len(by_chance)} or more rows"
            listing.warnings.append(
                f"{queue}: {rows} left out with less than 5% of the messages each: compared with"
                f" {count_text(fine.total)} on {compared.queue}, that may be chance"
            )
        listing.warnings += _overlap(queue, number, sick, causes)
        texts = [narrowed(cause.where, cause.tree, which.tree) for cause in causes]
        became: list[tuple[int | None, int | None]] = [(None, None)] * len(causes)
        if (of_queue := earlier.get(queue)) is not None:
            of_queue.look(compared.queue, compared.waiting)
            became = [*of_queue.count([tree for _, tree in texts])]
            listing.warnings += of_queue.warnings
        for cause, (where, tree), counts in zip(causes, texts, became, strict=True):
            number += 1
            yield _record(number, queue, cause, where, tree, counts)
    listing.summary.update(message_count=messages, unexplained=unexplained)
    if against is not None:
        listing.summary["against_messages"] = against.total


def _in_none(tally: ConditionTally, causes: list[Cause]) -> int:
    """How many messages no cause holds for."""
    groups = tally.groups.items()
    return sum(g.messages for answers, g in groups if not any(c.holds(answers) for c in causes))


def _nothing_shared(queue: str, sick: ConditionTally, compared: _Compared) -> str:
    """That no condition tells the messages apart from others."""
    if compared.queue is None:
        return f"the {count_text(sick.total)} on {queue} have nothing in common"
    return (
        f"nothing that was compared tells the {count_text(sick.total)} on {queue} from those on"
        f" {compared.queue}"
    )


def _in_no_row(
    queue: str, which: Selection, sick: ConditionTally, causes: list[Cause], without: int
) -> str:
    """How many messages no cause holds for, and what lists them if one condition can."""
    text = f"{queue}: {without} of {count_text(sick.total)} {'is' if without == 1 else 'are'}"
    text += " in no row"
    rest = rest_of(sick, causes)
    if rest is None or not which.is_condition:
        return text
    where = where_to_paste(all_of((rest, *top_level_parts(which.tree))))
    if not where:
        return text
    command = f"mqtriage msg browse {shell_word(queue)} --where {shell_word(where)}"
    return f"{text}: {command} lists them" if without > 1 else f"{text}: {command} shows it"


def _overlap(queue: str, number: int, sick: ConditionTally, causes: list[Cause]) -> list[str]:
    """Which of the causes, numbered from the one after *number*, share messages with those above.

    Returns:
        A warning, or nothing.
    """
    shared: dict[int, int] = {}
    for at, cause in enumerate(causes):
        also = sum(
            group.messages
            for answers, group in sick.groups.items()
            if cause.holds(answers) and any(above.holds(answers) for above in causes[:at])
        )
        if also:
            shared[number + at + 1] = also
    if not shared:
        return []
    (first, also), *rest = shared.items()
    verb = "is" if len(shared) == also == 1 else "are"
    of = "".join(f", {also} of cause {cause}" for cause, also in rest)
    above = "causes above them" if rest else "causes above it"
    return [
        f"{queue}: causes overlap: {count_text(also)} of cause {first}{of} {verb} also in {above}"
    ]


def _not_counted(ordinary: list[str], compared: _Compared) -> list[str]:
    """Which messages count nowhere, and why."""
    warnings = []
    if ordinary:
        warnings.append(
            f"on {', '.join(first_of(ordinary, 3))}, only rolled-back messages were counted,"
            " because other messages there are not poison; specify one of these queues to count"
            " all its messages"
        )
    if compared.waiting:
        warnings.append(
            f"not compared: {count_text(len(compared.waiting))} on {compared.queue} that had been"
            " requeued from a backout queue"
        )
    return warnings


def _ordinary(backend: Backend, queues: list[str]) -> list[str]:
    """The queues that no BOQNAME leads to and that are not the dead-letter queue."""
    known = queues_for_people(backend)
    return [queue for queue in queues if queue not in known]


class _Compared:
    """The healthy messages.

    Attributes:
        queue: the queue they are on; None where none was named.
        waiting: those that were requeued from a backout queue, which are left out.
    """

    def __init__(
        self, backend: Backend, queue: str | None, chosen: Selection, earlier: Iterable[Earlier]
    ) -> None:
        self._backend = backend
        self.queue = queue
        self._selection = chosen
        self._requeued = {key for one in earlier for key in one.requeued()}
        self._ids = {msg_id for msg_id, _ in self._requeued}
        self.waiting: set[Key] = set()

    def survey(self) -> Survey | None:
        """What the healthy messages have in common; None without a queue to compare."""
        return None if self.queue is None else survey_of(self._subjects(self.queue))

    def tally(self, conditions: list[Condition]) -> ConditionTally | None:
        """How many of them fulfil which conditions; None without a queue to compare."""
        return None if self.queue is None else tally_of(self._subjects(self.queue), conditions)

    def _subjects(self, queue: str) -> Iterator[Subject]:
        try:
            for subject in subjects(self._backend, queue, self._selection):
                is_waiting = subject.message.md.msg_id in self._ids
                if is_waiting and (key := key_of_message(subject.message)) in self._requeued:
                    self.waiting.add(key)
                else:
                    yield subject
        except MQIError as error:
            if error.reason == cmqc.MQRC_GET_INHIBITED:
                error.hint = (
                    f"gets are disabled on {queue}, maybe on purpose; run the command"
                    " without --against, or name another queue"
                )
            raise


def subjects(backend: Backend, queue: str, selection: Selection = ALL) -> Iterator[Subject]:
    """The chosen messages of a queue, whole, one at a time."""
    return map(Subject, selected(backend, queue, selection))


def narrowed(where: str, tree: Expression, chosen: Expression | None) -> tuple[str, Expression]:
    """A condition, as text and as tree, with what the messages were chosen by."""
    known = top_level_parts(tree)
    more = tuple(part for part in top_level_parts(chosen) if part not in known)
    texts = (f"({to_text(part)})" if isinstance(part, Or) else to_text(part) for part in more)
    return " AND ".join((where, *texts)), all_of((*known, *more)) or tree


def _record(
    number: int,
    queue: str,
    cause: Cause,
    where: str,
    tree: Expression,
    became: tuple[int | None, int | None],
) -> BackoutCause:
    given_up, retried = became
    return BackoutCause(
        cause=number,
        queue=queue,
        message_count=cause.messages,
        share_percent=round(100 * cause.support, 1),
        where=where,
        against_count=cause.against_count,
        lift=None if cause.lift is None else round(cause.lift, 2),
        first_put_time=None if cause.first_us is None else rfc3339_or_none(cause.first_us),
        last_put_time=None if cause.last_us is None else rfc3339_or_none(cause.last_us),
        sample_msg_id=format_id(cause.sample),
        given_up_count=given_up,
        retried_count=retried,
        also_share=list(cause.also),
        selector=selector_text(tree),
        rule=rule_text(tree),
        rule_toml=rule_in_toml(where),
    )


def emitted(listing: Listing, key: str) -> Listing:
    """*listing* for `-o ids`, one text of *key* an item, each once.

    Args:
        key: "where", "selector", "rule" or "rule_toml". A cause that no selector can say is left
            out, with a warning; where one is beyond the patterns of a rules table, all rules are in
            our TOML form.
    """
    items = list(listing.items)
    beyond = next((item["where"] for item in items if key == "rule" and item[key] is None), None)
    if beyond is not None:
        key = "rule_toml"
        listing.warnings.append(
            f"these rules are in TOML, which dlq run also accepts: a table cannot express {beyond}"
        )
    texts: dict[str, Record] = {}
    for item in items:
        if item[key] is None:
            listing.warnings.append(f"no selection string can express: {item['where']}")
        else:
            texts.setdefault(item[key], item)
    records = [{**item, "text": text} for text, item in texts.items()]
    fields = (*listing.fields, Field("text", "TEXT"))
    return Listing(listing.kind, fields, records, listing.summary, listing.warnings, "text")
