"""Check results in a monitor's own form, or as lines for people.

For Nagios and its kin: one line of status, performance data, then details.
Source: Monitoring Plugins development guidelines, "Plugin Output for Nagios" and "Performance
data".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TextIO

from mqtriage.formatters.cells import visible
from mqtriage.formatters.reports.prometheus import prometheus_lines
from mqtriage.model.check_result import CheckedObject, Measure, Metric, Status, number, worst
from mqtriage.model.thresholds import MeasureUnit, Threshold

FORMS: Final = ("nagios", "prometheus", "text")
_MOST_OK: Final = 10
"""Lines of what is OK that still leave the problems before them on the screen."""


def write_checks(
    form: str,
    results: Sequence[CheckedObject],
    stream: TextIO,
    *,
    several: bool,
    folds_ok: bool = False,
    omits_ok: bool = False,
) -> None:
    """Write the results in one of `FORMS`.

    Args:
        several: more than one queue manager was asked, so that each is named.
        folds_ok: lines for people count what is OK if that would hide the problems before it.
        omits_ok: the details for Nagios are those of problems; status and data are of all.
    """
    if form == "nagios":
        lines = nagios_lines(results, several=several, omits_ok=omits_ok)
    elif form == "prometheus":
        lines = prometheus_lines(results)
    else:
        lines = text_lines(results, folds_ok=folds_ok)
    stream.writelines(f"{line}\n" for line in lines)


def text_lines(results: Sequence[CheckedObject], *, folds_ok: bool = False) -> Iterator[str]:
    """``CRITICAL  QM1 ORDERS.IN: 95% full``, the worst first.

    Args:
        folds_ok: of many objects that are OK, only their number.
    """
    good = sum(_is_foldable(result) for result in results)
    folded = good if folds_ok and good > _MOST_OK else 0
    ordered = sorted(results, key=lambda result: -result.status.rank)
    for result in ordered:
        if folded and _is_foldable(result):
            continue
        names = " ".join(name for name in (result.queue_manager, result.object) if name)
        yield visible(f"{result.status.value:<8}  {names or result.check}: {result.message}")
    if folded:
        yield f"{Status.OK:<8}  {folded} objects; --wide lists them"


def _is_foldable(result: CheckedObject) -> bool:
    """OK, and not a hint about the whole queue manager."""
    is_hint = bool(result.next) and not result.object
    return result.status is Status.OK and not is_hint


def nagios_lines(
    results: Sequence[CheckedObject], *, several: bool, omits_ok: bool = False
) -> Iterator[str]:
    """The lines of a plugin's output; the arguments are those of `write_checks`."""
    status = worst(result.status for result in results)
    check = results[0].check if results else "mq"
    ordered = sorted(results, key=lambda result: -result.status.rank)
    head = f"MQ {check.upper()} {status.value}"
    text = _summary(ordered, several=several)
    data = " ".join(_data(results, several=several))
    yield f"{head} - {_clean(text)}" + (f" | {data}" if data else "")
    if len(ordered) > 1:
        details = [r for r in ordered if not omits_ok or r.status is not Status.OK]
        for result in details:
            yield _clean(f"[{result.status.value}] {_sentence(result, several=several)}")


def _summary(ordered: Sequence[CheckedObject], *, several: bool) -> str:
    if len(ordered) == 1:
        return _sentence(ordered[0], several=several)
    counts = {status: sum(r.status is status for r in ordered) for status in Status}
    shown = ", ".join(f"{count} {status.value}" for status, count in counts.items() if count)
    if not ordered or ordered[0].status is Status.OK:
        return shown or "nothing to check"
    return f"{_sentence(ordered[0], several=several)} ({shown})"


def _sentence(result: CheckedObject, *, several: bool) -> str:
    names = [result.queue_manager] if several else []
    names += [result.object] if result.object else []
    name = " ".join(names) or result.queue_manager
    return f"{name}: {result.message}" if name else result.message


def _clean(text: str) -> str:
    """One line without the sign that parts text from performance data."""
    return visible(text).replace("|", "/")


def _data(results: Sequence[CheckedObject], *, several: bool) -> Iterator[str]:
    for result in results:
        names = [result.queue_manager] if several else []
        names += [result.object] if result.object else []
        for metric in result.metrics:
            if metric.value is not None:
                yield perfdata(" ".join([*names, metric.name]), metric)


def perfdata(label: str, metric: Metric) -> str:
    """``'ORDERS.IN depth'=95;70;90;0;100``"""
    name = visible(label).replace("'", "''").replace("=", "_").replace("|", "_")
    quoted = f"'{name}'" if not name.replace("_", "").replace(".", "").isalnum() else name
    value = round(metric.value or 0, 3)
    parts = [
        f"{number(float(value))}{metric.measure.value}",
        range_text(metric.warn),
        range_text(metric.crit),
        _end(metric.least),
        _end(metric.most) if metric.measure is not Measure.SECONDS else "",
    ]
    return f"{quoted}={';'.join(parts)}".rstrip(";")


def _end(value: float | None) -> str:
    return "" if value is None else str(number(value))


def range_text(threshold: Threshold | None) -> str:
    """A mark as a range of performance data, in the unit of the value: durations in seconds."""
    if threshold is None:
        return ""
    scale = 1000 if threshold.unit is MeasureUnit.DURATION else 1
    low, high = (None if end is None else end / scale for end in (threshold.low, threshold.high))
    if threshold.reached:
        return str(number(low))
    start = "~:" if low is None else "" if not low and high is not None else f"{number(low)}:"
    return f"{'@' if threshold.inside else ''}{start}{'' if high is None else number(high)}"
