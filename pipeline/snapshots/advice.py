"""What an analysis advises: the sizes, causes and thresholds to act on, the most pressing first.

Each piece of advice is a sentence out of one record of a table, and a command to go on with.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from mqtriage.mq.delay import STAGING_QUEUE

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]

_LATE_MS: Final = 60_000
"""Releases later than this are mentioned: the staging queue is looked at every few seconds."""
_SHORTER: Final = 2
"""A lifetime is mentioned when it is so many times what would do."""
_STUCK_PART: Final = 10
"""A queue that grew unread is mentioned from a tenth of its MAXDEPTH on."""
_SURE_PERCENT: Final = 95
_RARE_SHARE: Final = 0.5
"""A condition that fewer of the poison messages share explains too little to be advice."""


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
        text: a sentence as a format of *values*.
        values: (kind, value), the kind being ``ms``, ``bytes``, ``time``, ``number``
            or ``text`` (as it is: names, and values of attributes).
        command: to go on with; "" for none.
    """

    job: str
    weight: Weight
    text: str
    values: Mapping[str, tuple[str, Any]]
    command: str = ""


def advice(tables: Tables) -> list[Advice]:
    """What the tables of all jobs add up to, the most pressing first."""
    advices: list[Advice] = []
    for name, of_row in _OF_ROW.items():
        for row in tables.get(name, ()):
            advices += of_row(row)
    return sorted(advices, key=lambda one: one.weight)  # sorted keeps the order of the tables


def _delay(row: Row) -> Iterator[Advice]:
    qmgr, now = row["qmgr"], row.get("maxdepth_now")
    define = _command("delay", "define", "-m", qmgr, "--from-analysis", "delay.json", "-n")
    values = {
        "qmgr": ("text", qmgr),
        "now": ("text", now),
        "full": ("number", row.get("full_looks")),
        "looks": ("number", row.get("looks")),
        "depth": ("text", row.get("maxdepth")),
        "sum": ("text", row.get("maxdepth_sum")),
    }
    if row.get("full_looks"):
        text = (
            "{qmgr}: the staging queue was found full at {full} of {looks} looks, with"
            " MAXDEPTH({now}), and delayed puts were refused; MAXDEPTH({depth}) holds what was"
            " seen: {sum}. The load was held down, so more may be needed"
        )
        yield Advice("delay", Weight.ACT, text, values, define)
    elif now is not None and row.get("maxdepth") is not None and now < row["maxdepth"]:
        text = "{qmgr}: MAXDEPTH({now}) of the staging queue has too little room: {sum}"
        yield Advice("delay", Weight.LOOK, text, values, define)
    length_now, length = row.get("maxmsgl_now_bytes"), row.get("maxmsgl_bytes")
    if length_now is not None and length is not None and length_now < length:
        yield Advice(
            "delay",
            Weight.LOOK,
            "{qmgr}: MAXMSGL({now}) of the staging queue is near the longest message: {sum}",
            {**values, "now": ("text", length_now), "sum": ("text", row.get("maxmsgl_sum"))},
            define,
        )
    if row.get("odd_delays"):
        usual = row.get("delay_p50_ms") or 0
        yield Advice(
            "delay",
            Weight.ACT,
            "{qmgr}: {odd} messages were delayed by a hundred times the usual {usual} or more, up"
            " to {most} for {target}: the sender's delay is probably wrong",
            {
                **values,
                "odd": ("number", row["odd_delays"]),
                "usual": ("ms", usual),
                "most": ("ms", row.get("delay_max_ms")),
                "target": ("text", row.get("delay_max_target")),
            },
            _command("delay", "browse", "-m", qmgr, "--where", f"delay > {100 * usual}ms"),
        )
    if row.get("doomed"):
        yield Advice(
            "delay",
            Weight.ACT,
            "{qmgr}: {doomed} delayed messages expire before they are due, and are never delivered",
            {**values, "doomed": ("number", row["doomed"])},
        )
    if (row.get("late_p95_ms") or 0) >= _LATE_MS:
        yield Advice(
            "delay",
            Weight.LOOK,
            "{qmgr}: {late} messages were still staged after their due time, for up to {most}",
            {**values, "late": ("number", row["late"]), "most": ("ms", row.get("late_max_ms"))},
        )


def _depth(row: Row) -> Iterator[Advice]:
    qmgr, queue = row["qmgr"], row["queue"]
    values = {
        "qmgr": ("text", qmgr),
        "queue": ("text", queue),
        "maxdepth": ("text", row.get("maxdepth")),
        "full": ("number", row.get("full_looks")),
        "looks": ("number", row.get("looks")),
        "growth": ("number", row.get("stuck_growth")),
        "readers": ("number", row.get("stuck_readers")),
        "from": ("time", row.get("stuck_from")),
        "until": ("time", row.get("stuck_until")),
        "at": ("time", row.get("full_time")),
        "early": ("time", row.get("full_early_time")),
        "sure": ("number", row.get("sure_percent")),
    }
    who = _command("queue", "who", queue, "-m", qmgr)
    is_full = row["curdepth"] is not None and row["curdepth"] >= (row.get("maxdepth") or 1)
    if is_full:
        text = "{queue} on {qmgr} is full: {maxdepth} messages, and puts are refused"
        yield Advice("depth", Weight.ACT, text, values, who)
    elif row.get("full_looks") and queue != STAGING_QUEUE:  # `_delay` says that
        text = (
            "{queue} on {qmgr} was found full at {full} of {looks} looks, with MAXDEPTH({maxdepth})"
        )
        yield Advice("depth", Weight.LOOK, text, values, who)
    is_foreseen = row.get("full_time") and (row.get("sure_percent") or 0) >= _SURE_PERCENT
    is_told = queue == STAGING_QUEUE and row.get("full_looks")
    if is_foreseen and not is_full and not is_told:
        text = (
            "{queue} on {qmgr} grows and reaches MAXDEPTH({maxdepth}) at {at}, perhaps as early as"
            " {early}; {sure} percent sure that it grows"
        )
        yield Advice("depth", Weight.LOOK, text, values, who)
    grew = (row.get("stuck_growth") or 0) * _STUCK_PART >= (row.get("maxdepth") or 0)
    if row.get("stuck_from") and grew and queue != STAGING_QUEUE:
        text = (
            "{queue} on {qmgr}: from {from} to {until} nothing was taken off it and {growth}"
            " messages came, though it was open for input (IPPROCS {readers}): a stuck consumer"
        )
        if not row.get("stuck_readers"):
            text = (
                "{queue} on {qmgr}: from {from} to {until} nobody read it, and {growth} messages"
                " came"
            )
        yield Advice("depth", Weight.LOOK, text, values, who)


def _causes(row: Row) -> Iterator[Advice]:
    if row.get("rank") != 1 or (row.get("support") or 0) < _RARE_SHARE:
        return
    qmgr, family = row["qmgr"], row["family"]
    yield Advice(
        "causes",
        Weight.ACT,
        "{family} on {qmgr}: {count} of {sick} poison messages share {where}, and {healthy} of"
        " {others} healthy ones: {lift} times as common as among all",
        {
            "qmgr": ("text", qmgr),
            "family": ("text", family),
            "where": ("text", row["where"]),
            "count": ("number", row["messages"]),
            "sick": ("number", row["sick"]),
            "healthy": ("number", row.get("healthy_count")),
            "others": ("number", row.get("healthy")),
            "lift": ("number", row.get("lift")),
        },
        _command("msg", "browse", family, "-m", qmgr, "--where", row["where"]),
    )


def _cohort(row: Row) -> Iterator[Advice]:
    qmgr, queue = row["qmgr"], row["queue"]
    now, proposed = row.get("bothresh_now"), row.get("bothresh")
    values = {
        "qmgr": ("text", qmgr),
        "queue": ("text", queue),
        "now": ("text", now),
        "wanted": ("text", proposed),
        "helped": ("number", row.get("helped_max") or 0),
        "gave_up": ("number", (row.get("requeued") or 0) + (row.get("dead_lettered") or 0)),
    }
    if proposed is not None and proposed != now:
        yield Advice(
            "cohort",
            Weight.LOOK,
            "{queue} on {qmgr}: no message was taken after more than {helped} rollbacks, and"
            " {gave_up} were given up: BOTHRESH({wanted}) does what BOTHRESH({now}) does, sooner"
            if now is not None and proposed < now
            else "{queue} on {qmgr}: {gave_up} messages were given up, and up to {helped} rollbacks"
            " helped others: BOTHRESH({wanted}) rather than BOTHRESH({now})",
            values,
            _command("backout", "set", queue, "-m", qmgr, "--from-analysis", "cohort.json", "-n"),
        )


def _expiry(row: Row) -> Iterator[Advice]:
    if not row.get("expired"):
        return
    lifetime, enough = row.get("lifetime_p50_ms"), row.get("sufficient_ms")
    text = (
        "{queue} on {qmgr}: {expired} of the {count} messages that snapshots saw expired, {bytes}"
        " for nothing"
    )
    if lifetime and enough and enough * _SHORTER <= lifetime:
        text += "; {enough} would do for 99 percent of those taken, and {lifetime} is given"
    yield Advice(
        "expiry",
        Weight.KNOW,
        text,
        {
            "qmgr": ("text", row["qmgr"]),
            "queue": ("text", row["queue"]),
            "expired": ("number", row["expired"]),
            "count": ("number", row.get("messages")),
            "bytes": ("bytes", row.get("expired_bytes")),
            "enough": ("ms", enough),
            "lifetime": ("ms", lifetime),
        },
    )


def _changes(row: Row) -> Iterator[Advice]:
    if row.get("change") != "came" or row.get("severity") != "error":
        return
    yield Advice(
        "definitions",
        Weight.LOOK,
        "{qmgr}: at {time} came the finding {code}: {message}",
        {
            "qmgr": ("text", row["qmgr"]),
            "time": ("time", row["time"]),
            "code": ("text", row["code"]),
            "message": ("text", row["message"]),
        },
        _command("lint", "--explain", row["code"]),
    )


def _command(*words: str) -> str:
    return shlex.join(("mqtriage", *words))


_OF_ROW: Final[Mapping[str, Callable[[Row], Iterable[Advice]]]] = {
    "delay": _delay,
    "depth": _depth,
    "causes": _causes,
    "cohort": _cohort,
    "expiry": _expiry,
    "definition_findings": _changes,
}
