"""What an analysis advises: the sizes, causes and thresholds to act on, the most pressing first.

Each piece of advice is a sentence out of one record of a table, and a command to go on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from math import exp, lgamma, log
from typing import Any, Final, NamedTuple

from mqtriage.model.shell_words import shell_line
from mqtriage.mq.delay import STAGING_QUEUE

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]

_LATE_MS: Final = 60_000
"""Releases later than this are mentioned: the staging queue is looked at every few seconds."""
_SHORTER: Final = 2
"""A lifetime is mentioned when it is so many times what would do."""
_STUCK_PART: Final = 10
"""A queue that grew unread is mentioned from a tenth of its MAXDEPTH on."""
_CHANCE: Final = 0.001
"""A condition is the best of hundreds that are tried: what is likelier than that may be chance."""
_RARE_SHARE: Final = 0.5
"""A condition that fewer of the poison messages share explains too little to be advice."""


_OBJECTS: Final = ("queue", "family", "name")
"""Columns that name what a row is about."""


class Weight(IntEnum):
    """How pressing."""

    ACT = 0
    """Messages are refused, held up or lost unless something is changed."""
    LOOK = 1
    """Somebody should look at it."""
    KNOW = 2
    """Good to know."""


class Advice(NamedTuple):
    """One piece of advice.

    Attributes:
        job: whose tables say so.
        code: which kind of advice it is, a promise to scripts: it stays when the words change.
        text: a sentence as a format of *values*; behind a name stands how it is shown: ``ms``,
            ``bytes``, ``time``, ``number``, ``messages`` (so many), or nothing for as it is (names
            and values of attributes).
        values: of the record, by column, and what is worked out of it.
        command: to go on with; "" for none.
    """

    job: str
    code: str
    weight: Weight
    text: str
    values: Row
    command: str = ""

    @property
    def queue_manager(self) -> str:
        """Which it is about, "" for none."""
        return subject(self.values)[0]

    @property
    def object(self) -> str:
        """The queue or other object that it is about, "" for none."""
        return subject(self.values)[1]

    @property
    def id(self) -> str:
        """The same for the same matter in every run, whatever its numbers and words are then."""
        return f"{self.code}/{self.queue_manager}/{self.object}"


def subject(row: Row) -> tuple[str, str]:
    """The queue manager and the object that a row is about, "" for none."""
    name = next((row[key] for key in _OBJECTS if row.get(key)), "")
    return str(row.get("qmgr") or ""), str(name)


def advice(tables: Tables) -> list[Advice]:
    """What the tables of all jobs add up to, the most pressing first."""
    advices: list[Advice] = []
    for name, of_row in _OF_ROW.items():
        rows = tables.get(name, ())
        for row in _last_turns(rows) if name == "definition_findings" else rows:
            advices += of_row(row)
    return sorted(advices, key=lambda one: one.weight)  # sorted keeps the order of the tables


def can_advise(table: str) -> bool:
    """Whether there is advice that comes of a table."""
    return table in _OF_ROW


def is_needed(table: str, row: Row) -> bool:
    """Whether the advice of a table would be another without a row."""
    # one that gives none may say that a finding went
    return table == "definition_findings" or bool(advice({table: [row]}))


def _last_turns(rows: Iterable[Row]) -> Iterable[Row]:
    """The last of what is known of each finding: what came and went is no matter any more."""
    of_finding = ("qmgr", "code", "kind", "name")
    in_time = sorted(rows, key=lambda row: row["time"])
    return {tuple(row.get(key) for key in of_finding): row for row in in_time}.values()


def _delay(row: Row) -> Iterator[Advice]:
    qmgr, now = row["qmgr"], row.get("maxdepth_now")
    define = _command("delay", "define", "-m", qmgr, "--from-analysis", "delay.json", "-n")
    if row.get("full_looks"):
        text = (
            "{qmgr}: the staging queue was full in {full_looks:number} of {looks:number}"
            " snapshots, with MAXDEPTH({maxdepth_now}), which refuses delayed puts;"
            " MAXDEPTH({maxdepth}) is sufficient for the messages seen: {maxdepth_sum}. Because"
            " puts were refused, more may be needed"
        )
        yield Advice("delay", "staging-full", Weight.ACT, text, row, define)
    elif now is not None and row.get("maxdepth") is not None and now < row["maxdepth"]:
        text = "{qmgr}: MAXDEPTH({maxdepth_now}) of the staging queue is too low: {maxdepth_sum}"
        yield Advice("delay", "staging-maxdepth", Weight.LOOK, text, row, define)
    length_now, length = row.get("maxmsgl_now_bytes"), row.get("maxmsgl_bytes")
    if length_now is not None and length is not None and length_now < length:
        text = (
            "{qmgr}: MAXMSGL({maxmsgl_now_bytes}) of the staging queue is close to the longest"
            " message: {maxmsgl_sum}; the queue manager and the channels for these messages need a"
            " MAXMSGL that is at least as large"
        )
        yield Advice("delay", "staging-maxmsgl", Weight.LOOK, text, row, define)
    if row.get("odd_delays"):
        usual = row.get("delay_p50_ms") or 0
        text = (
            "{qmgr}: {odd_delays:messages} delayed by more than a hundred times the"
            " usual {usual:ms}, up to {delay_max_ms:ms} for {delay_max_target}: the sender's"
            " delay is probably wrong"
        )
        browse = _command("delay", "browse", "-m", qmgr, "--where", f"delay > {100 * usual}ms")
        yield Advice("delay", "wrong-delay", Weight.ACT, text, {**row, "usual": usual}, browse)
    if row.get("doomed"):
        text = (
            "{qmgr}: {doomed:messages} will expire before the due time, and will never be delivered"
        )
        yield Advice("delay", "expires-before-due", Weight.ACT, text, row)
    if (row.get("late_p95_ms") or 0) >= _LATE_MS:
        text = (
            "{qmgr}: {late:messages} still staged after the due time, by {late_max_ms:ms} or more"
        )
        yield Advice("delay", "released-late", Weight.LOOK, text, row)


def _depth(row: Row) -> Iterator[Advice]:
    queue, depth, most = row["queue"], row["curdepth"], row.get("maxdepth")
    who = _command("queue", "status", queue, "--handles", "-m", row["qmgr"])
    # metrics need not know MAXDEPTH
    is_full = depth is not None and most is not None and depth >= max(most, 1)
    if is_full:
        text = "{queue} on {qmgr} is full: {maxdepth:messages}, and puts are refused"
        yield Advice("depth", "full", Weight.ACT, text, row, who)
    elif row.get("full_looks") and queue != STAGING_QUEUE:  # `_delay` says that
        text = (
            "{queue} on {qmgr} was full in {full_looks:number} of {looks:number} snapshots, with"
            " MAXDEPTH({maxdepth})"
        )
        yield Advice("depth", "was-full", Weight.LOOK, text, row, who)
    is_told = queue == STAGING_QUEUE and row.get("full_looks")
    if row.get("full_time") and not is_full and not is_told:
        text = (
            "{queue} on {qmgr} grows by {growth_a_day:number} per day and reaches"
            " MAXDEPTH({maxdepth}) at {full_time:time}, perhaps as early as {full_early_time:time}"
        )
        if row.get("full_late_time"):
            text += " and as late as {full_late_time:time}"
        if row.get("forecasts"):
            text += (
                "; of {forecasts:number} forecasts a week ahead by the same method, {held:number}"
                " were correct"
            )
        yield Advice("depth", "will-be-full", Weight.LOOK, text, row, who)
    if row.get("untouched_from"):
        text = (
            "{queue} on {qmgr} is a backout queue with {curdepth:messages}, and none has been"
            " consumed since {untouched_from:time}"
        )
        causes = _command("backout", "causes", queue, "-m", row["qmgr"])
        yield Advice("depth", "untouched", Weight.LOOK, text, row, causes)
    grew = (row.get("stuck_growth") or 0) * _STUCK_PART >= (row.get("maxdepth") or 0)
    if row.get("stuck_from") and grew and queue != STAGING_QUEUE:
        text = "{queue} on {qmgr}: from {stuck_from:time} to {stuck_until:time} "
        if row.get("stuck_readers"):
            text += (
                "{stuck_growth:messages} arrived and none were consumed, although the queue was"
                " open for input (IPPROCS {stuck_readers:number}): a consumer may be stuck"
            )
        elif row.get("stuck_readers") is None:
            text += (
                "{stuck_growth:messages} arrived and the depth never decreased; it is not known"
                " whether the queue was open for input"
            )
        else:
            text += (
                "{stuck_growth:messages} arrived, and no snapshot shows the queue open for input"
            )
        yield Advice("depth", "stuck", Weight.LOOK, text, row, who)


def _causes(row: Row) -> Iterator[Advice]:
    if row.get("rank") != 1 or (row.get("support") or 0) < _RARE_SHARE:
        return
    text = (
        "{family} on {qmgr}: {messages:number} of {sick:number} poison messages match {where}, and"
        " so do {healthy_count:number} of {healthy:number} healthy ones"
    )
    if row.get("retried"):
        text += "; {retried:messages} more were rolled back but eventually consumed"
    may_be_chance = _share_by_chance(row) > _CHANCE
    text += "; with so few messages, this may be chance" if may_be_chance else ""
    weight = Weight.LOOK if may_be_chance else Weight.ACT
    where = row["where"]
    browse = _command("msg", "browse", row["family"], "-m", row["qmgr"], "--where", where)
    yield Advice("causes", "poison", weight, text, row, browse)


def _share_by_chance(row: Row) -> float:
    """How likely, at most, so many poison messages share a condition if they are as healthy ones.

    Where h of n healthy ones share it, the part of all that do may be (h + 3) / (n + 3): by the
    rule of three for none of them. So many of the poison ones may be any of them.
    """
    part = (row["healthy_count"] + 3) / (row["healthy"] + 3)
    shared, sick = row["messages"], row["sick"]
    choices = lgamma(sick + 1) - lgamma(shared + 1) - lgamma(sick - shared + 1)
    return exp(min(0.0, choices + shared * log(part)))


def _cohort(row: Row) -> Iterator[Advice]:
    now, proposed, sum_text = (row.get(k) for k in ("bothresh_now", "bothresh", "bothresh_sum"))
    given_up = (row.get("requeued") or 0) + (row.get("dead_lettered") or 0)
    values = {**row, "given_up": given_up, "bothresh_now": "unknown" if now is None else now}
    if proposed is not None and proposed != now:
        text = (
            "{queue} on {qmgr}: {given_up:messages} given up: set BOTHRESH({bothresh}) instead of"
            " BOTHRESH({bothresh_now}): {bothresh_sum}"
        )
        words = ("set", row["queue"], "-m", row["qmgr"], "--from-analysis", "cohort.json", "-n")
        yield Advice("cohort", "bothresh", Weight.LOOK, text, values, _command("backout", *words))
    elif proposed is None and sum_text:
        text = (
            "{queue} on {qmgr}: {given_up:messages} given up, with"
            " BOTHRESH({bothresh_now}): {bothresh_sum}"
        )
        watch = _command("backout", "pending", row["queue"], "--interval", "2s", "-m", row["qmgr"])
        yield Advice("cohort", "bothresh-evidence", Weight.KNOW, text, values, watch)


def _expiry(row: Row) -> Iterator[Advice]:
    counted = row.get("counted_expired")
    if not row.get("expired") and not counted:
        return
    lifetime, enough = row.get("lifetime_p50_ms"), row.get("sufficient_ms")
    text = "{queue} on {qmgr}: "
    if counted is not None:
        text += (
            "statistics messages from {counted_from_time:time} to {counted_until_time:time} count"
            " {counted_expired:number} messages that expired in that period"
        )
    if not row["messages"]:
        yield Advice("expiry", "expired", Weight.KNOW, f"{text}, and no snapshot contains any", row)
        return
    text += "" if counted is None else ", including those that do not appear in any snapshot; "
    text += (
        "at most {expired:number} of {messages:messages} in snapshots expired,"
        " {expired_bytes:bytes} in total"
    )
    if counted is None:
        text += (
            "; up to {unseen:number} more that stayed as long may have come and gone between"
            " snapshots, and messages consumed immediately never appear in one, so this is not a"
            " share of all puts"
        )
    if lifetime and enough and enough * _SHORTER <= lifetime:
        text += (
            "; {sufficient_ms:ms} is sufficient for 99 percent of the messages consumed,"
            " whose lifetime is {lifetime_p50_ms:ms}"
        )
    yield Advice("expiry", "expired", Weight.KNOW, text, row)


def _changes(row: Row) -> Iterator[Advice]:
    if row.get("change") == "came" and row.get("severity") == "error":
        text = "{qmgr}: at {time:time} new finding {code}: {message}"
        explain = _command("lint", "explain", row["code"])
        yield Advice("definitions", f"finding-{row['code']}", Weight.LOOK, text, row, explain)


def _command(*words: str) -> str:
    return shell_line(("mqtriage", *words))


_OF_ROW: Final[Mapping[str, Callable[[Row], Iterable[Advice]]]] = {
    "delay": _delay,
    "depth": _depth,
    "causes": _causes,
    "cohort": _cohort,
    "expiry": _expiry,
    "definition_findings": _changes,
}
