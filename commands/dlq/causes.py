"""`dlq causes`: dead-lettered messages by reason, destination and the program that put them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from mqtriage.backends.name_resolution import put_path
from mqtriage.backends.port import Backend
from mqtriage.commands.backout.causes import ALL, narrowed, subjects
from mqtriage.messages.causes import Group, joined
from mqtriage.messages.filters.expression import (
    Compare,
    Expression,
    IsNull,
    Like,
    Matches,
    all_of,
)
from mqtriage.messages.filters.expression import to_text as where_text
from mqtriage.messages.filters.rule_text import rule_text
from mqtriage.messages.filters.selection import Selection
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.survey import Common
from mqtriage.model.ids import format_id
from mqtriage.model.result import Listing, Show, column, columns_of, keys_of
from mqtriage.model.units import count_text
from mqtriage.mq import cmqc
from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.code_texts import hint_about, hint_for_feedback
from mqtriage.mq.errors import MQIError, UsageError
from mqtriage.mq.names import DYNAMIC_PREFIXES
from mqtriage.mq.times import rfc3339_or_none
from mqtriage.operations.engine.plan import put_refusals
from mqtriage.operations.rules.origin import dead_letter_queue
from mqtriage.operations.rules.toml import rule_in_toml
from mqtriage.records import NamedTuple, dataclass

GREATEST_GROUPS: Final = 5_000
GREATEST_COMPARED: Final = 500
"""Groups of which is noted what their messages share besides."""
_DIGITS: Final = "[0-9A-F]{8,16}"
_TEMPORARY: Final = re.compile(f"(.*[^0-9A-F]){_DIGITS}\\Z")
"""The name that a queue manager makes of a model queue and DynamicQName."""
_OF_MQ: Final = "AMQ."
"""Only temporary queues have names that begin with it, so one is enough to recognise them."""
LATE_REPLY: Final = (
    "The temporary queue no longer existed when the reply arrived: its requester may have stopped "
    "waiting,"
    " ended or lost its connection. Such replies cannot be requeued: remove them with"
    " 'mqtriage dlq purge' or a rule with ACTION(DISCARD). Set Expiry on requests, so that their"
    " replies expire too."
)
"""Source: IBM MQ documentation, "Dynamic and Model queues", on what deletes temporary ones."""
_OF_THE_KEY: Final = ("reason", "dest", "dlq_put_appl")
_NAMES: Final = {name: f"mqmd_{name}" for name in ("format", "put_appl")}
"""Of fields that are the header's in the verbs of dlq, the names of those of the descriptor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterCause:
    """Messages with the same reason, destination and program; `where` selects exactly them."""

    cause: int = column("CAUSE#", Show.NUMBER, 6, yields=3)
    message_count: int = column("COUNT", Show.NUMBER, 7)
    share_percent: float = column("SHARE", Show.NUMBER, 6, yields=2)
    reason_name: str | None = column("REASON", Show.TEXT, 24)
    dest_q: str | None = column("DEST_Q", Show.NAME, 20)
    dlq_put_appl_name: str | None = column("PUT_APPL", Show.TEXT, 16, yields=1)
    first_put_time: str | None = column("FIRST", Show.TIME, 22, yields=5)
    last_put_time: str | None = column("LAST", Show.TIME, 22, yields=4)
    sample_msg_id: str = column("SAMPLE_MSGID", Show.ID, 48, yields=6)
    hint: str = column("HINT", Show.TEXT, 40, yields=7)
    reason: int | None = column("CODE", Show.NUMBER, wide=True, place=1)
    where: str = column("WHAT_THEY_SHARE", Show.TEXT, wide=True, place=1)
    rule: str | None = column("RULE", Show.TEXT, wide=True, place=1)
    rule_toml: str = column("RULE_TOML", Show.TEXT, wide=True, place=1)
    also_share: list[str] | None = column("ALSO_SHARE", Show.TEXT, 30, yields=8)


class CauseKey(NamedTuple):
    """What a group shares; all None without an MQDLH that can be read.

    Attributes:
        dest: of temporary queues the start of their names.
        is_temporary: it is.
    """

    reason: int | None
    dest: str | None
    program: str | None
    is_temporary: bool = False

    @property
    def shown_dest(self) -> str | None:
        """``AMQ.*`` of temporary queues."""
        return f"{self.dest}*" if self.is_temporary else self.dest


def causes(
    backend: Backend,
    queue: str | None = None,
    selection: Selection = ALL,
    *,
    top: int | None = None,
    going_back: Callable[[DeadLetterCause], None] | None = None,
) -> Listing:
    """List the groups of the dead-letter queue, the largest first.

    The first `GREATEST_GROUPS` groups that are met are counted; `summary` says how many messages
    are in none of those shown.

    Args:
        queue: None for DEADQ of the queue manager.
        going_back: called with each cause whose messages can all be put to their destination.

    Raises:
        NotFound: DEADQ is blank.
        ObjectNotFound: No such queue.
    """
    name = queue or dead_letter_queue(backend)
    read = subjects(backend, name, selection)
    fields = columns_of(DeadLetterCause)
    listing = Listing("DeadLetterCauseList", fields, (), id_key="sample_msg_id")
    elsewhere: set[tuple[int | None, str | None]] = set()
    rows = _causes(_noting(read, elsewhere, backend.queue_manager), selection.tree, top, listing)
    if going_back is not None:
        rows = _telling(rows, elsewhere, backend, going_back)
    listing.items = (keys_of(cause) for cause, _ in rows)
    return listing


def _noting(
    read: Iterable[Subject], elsewhere: set[tuple[int | None, str | None]], here: str
) -> Iterator[Subject]:
    """The messages; reason and destination of those for another queue manager go to *elsewhere*."""
    for subject in read:
        headers = subject.headers
        if headers.dest_qmgr not in (None, "", here):
            elsewhere.add((headers.reason, headers.dest))
        yield subject


def _telling(
    causes: Iterable[tuple[DeadLetterCause, Group]],
    elsewhere: set[tuple[int | None, str | None]],
    backend: Backend,
    going_back: Callable[[DeadLetterCause], None],
) -> Iterator[tuple[DeadLetterCause, Group]]:
    taken: dict[str | None, int] = {}
    for cause, group in causes:
        yield cause, group
        before = taken.get(cause.dest_q, 0)
        is_elsewhere = (cause.reason, cause.dest_q) in elsewhere
        if not is_elsewhere and _can_go_back(backend, cause, group.longest_bytes, before):
            taken[cause.dest_q] = before + cause.message_count
            going_back(cause)


def _can_go_back(backend: Backend, cause: DeadLetterCause, longest_bytes: int, before: int) -> bool:
    """Whether the destination takes the messages now, and nothing says that they will return.

    Args:
        longest_bytes: length of the longest message, without its MQDLH.
        before: how many messages of other causes go to the destination, too.
    """
    is_of_put = (cause.reason_name or "").startswith("MQRC_")
    if not (is_of_put and cause.dest_q) or cause.reason == cmqc.MQRC_BACKOUT_THRESHOLD_REACHED:
        return False
    try:
        path = put_path(backend, cause.dest_q, f"open {cause.dest_q}")
        count = before + cause.message_count
        return not put_refusals(backend, path, count, longest_bytes, choosable=False)
    except (MQIError, UsageError):
        return False


def _causes(
    read: Iterator[Subject], chosen: Expression | None, top: int | None, listing: Listing
) -> Iterator[tuple[DeadLetterCause, Group]]:
    groups: dict[CauseKey, Group] = {}
    shared: dict[CauseKey, Common] = {}
    names: dict[CauseKey, str | None] = {}
    several: set[CauseKey] = set()
    of_all = Common()
    total = 0
    for subject in read:
        total += 1
        headers = subject.headers
        dest = None if headers.reason is None else headers.dest
        key = CauseKey(headers.reason, dest, headers.dlq_put_appl)
        if (temporary := _TEMPORARY.match(dest or "")) is not None:
            key = key._replace(dest=temporary[1], is_temporary=True)
            if names.setdefault(key, dest) != dest:
                several.add(key)
        put_us = headers.dlq_put_time_us  # as `dlq browse` shows it
        longest = subject.message.length_bytes - cmqc.MQDLH_CURRENT_LENGTH
        new = Group(1, put_us, put_us, subject.md.msg_id, longest)
        if key in groups:
            groups[key] = joined(groups[key], new)
        elif len(groups) < GREATEST_GROUPS:
            groups[key] = new
        of_all.add(subject)
        if key in shared or len(shared) < GREATEST_COMPARED:
            shared.setdefault(key, Common()).add(subject)
    shown = sorted(groups.items(), key=lambda item: -item[1].messages)[:top]
    not_shown = total - sum(group.messages for _, group in shown)
    listing.summary.update(message_count=total, not_shown=not_shown)
    listing.warnings += _not_shown(len(groups), len(shown), not_shown)
    if len(groups) == 1:
        of_all = Common()
    for number, (key, group) in enumerate(shown, 1):
        also = shared[key].conditions(of_all, _OF_THE_KEY, _NAMES) if key in shared else None
        if key in names and key not in several and key.dest != _OF_MQ:
            key = key._replace(dest=names[key], is_temporary=False)  # the only name of its kind
        own = condition(key)
        is_rule = chosen is None and key.reason is not None and bool(key.dest)
        is_rule = is_rule and not _takes_others(key, groups)
        where, _ = narrowed(where_text(own), own, chosen)
        row = DeadLetterCause(
            cause=number,
            message_count=group.messages,
            share_percent=round(100 * group.messages / total, 1),
            reason_name=None if key.reason is None else name_of_dlh_reason(key.reason),
            dest_q=key.shown_dest,
            dlq_put_appl_name=key.program,
            first_put_time=None if group.first_us is None else rfc3339_or_none(group.first_us),
            last_put_time=None if group.last_us is None else rfc3339_or_none(group.last_us),
            sample_msg_id=format_id(group.sample),
            hint=hint(key),
            reason=key.reason,
            where=where,
            # by reason and destination: no pattern is compared with MQDLH.PutApplName
            rule=rule_text(condition(key._replace(program=None), Like)) if is_rule else None,
            rule_toml=rule_in_toml(where),
            also_share=also,
        )
        yield row, group


def _not_shown(causes: int, shown: int, messages: int) -> list[str]:
    """What of the groups is not listed, a warning."""
    if not messages:
        return []
    of = f"more than {causes - 1}" if causes == GREATEST_GROUPS else causes
    more = f"; --top {causes} shows more" if shown < causes else ""
    return [f"showing {shown} of {of} causes; {count_text(messages)} in the others{more}"]


def _takes_others(key: CauseKey, groups: Iterable[CauseKey]) -> bool:
    """Whether the rule for temporary queues would take messages of other groups."""
    return key.is_temporary and any(
        not other.is_temporary
        and other.reason == key.reason
        and (other.dest or "").startswith(key.dest or "")
        for other in groups
    )


def condition(key: CauseKey, temporary: type[Like | Matches] = Matches) -> Expression:
    """What selects exactly the messages of a group.

    Args:
        temporary: Like for all that begin as the names of temporary queues, as rules can say it.
    """
    if key.reason is None:
        return IsNull("reason")
    named = (("reason", key.reason), ("dest", key.dest), ("dlq_put_appl", key.program))
    tests: list[Expression] = [
        Compare(field, "=", value) for field, value in named if value is not None
    ]
    if key.is_temporary and key.dest is not None:
        pattern = f"^{re.escape(key.dest)}{_DIGITS}$"
        tests[1] = Like("dest", f"{key.dest}%") if temporary is Like else Matches("dest", pattern)
    return all_of(tests) or IsNull("reason")


def hint(key: CauseKey) -> str:
    """What to do next about a reason in an MQDLH."""
    reason = key.reason
    if reason is None:
        return "no readable MQDLH: did a program put it here, or does BOQNAME name this queue?"
    is_dynamic = key.is_temporary or (key.dest or "").startswith(DYNAMIC_PREFIXES)
    if is_dynamic and reason in (cmqc.MQRC_UNKNOWN_OBJECT_NAME, cmqc.MQRC_Q_DELETED):
        return LATE_REPLY
    name = "" if key.is_temporary else key.dest or ""
    return hint_about(reason, name) or hint_for_feedback(reason)
