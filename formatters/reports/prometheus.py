"""Check results and advice in the text format of Prometheus, for a textfile collector.

Source: Prometheus documentation, "Exposition formats" and "Metric and label naming"; OpenMetrics
1.0, "Text format", whose end of file is a comment to Prometheus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mqtriage.model.check_result import CheckedObject, Measure, number
from mqtriage.pipeline.snapshots.advice import Advice

_SUFFIX: Final[Mapping[Measure, str]] = {
    Measure.COUNT: "",
    Measure.PERCENT: "_ratio",
    Measure.SECONDS: "_seconds",
    Measure.BYTES: "_bytes",
}
_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def prometheus_lines(results: Sequence[CheckedObject]) -> Iterator[str]:
    """One family a metric; labels are check, queue manager, object and the queue's cluster."""
    yield "# HELP mqtriage_check_status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN"
    yield "# TYPE mqtriage_check_status gauge"
    families: dict[str, list[str]] = {}
    for result in results:
        labels = _labels(
            check=result.check,
            qmgr=result.queue_manager,
            object=result.object,
            cluster=result.cluster,
        )
        yield f"mqtriage_check_status{labels} {result.status.code}"
        for metric in result.metrics:
            if metric.value is None:
                continue
            value = metric.value / 100 if metric.measure is Measure.PERCENT else metric.value
            name = f"mqtriage_{result.check}_{metric.name}{_SUFFIX[metric.measure]}"
            sample = f"{name}{labels} {number(round(float(value), 6))}"
            families.setdefault(name, []).append(sample)
    for name, samples in families.items():
        yield f"# TYPE {name} gauge"
        yield from samples


def advice_lines(advices: Sequence[Advice], last_us: int | None) -> Iterator[str]:
    """How many pieces of advice there are, as OpenMetrics: Prometheus reads that too.

    Args:
        last_us: when the last snapshot was taken, so that snapshots that stay away are seen;
            None where there is none.
    """
    counts = Counter(
        _labels(
            job=one.job,
            weight=one.weight.name.lower(),
            qmgr=one.queue_manager,
            object=one.object,
        )
        for one in advices
    )
    yield "# HELP mqtriage_advice Pieces of advice of mqtriage analyze report"
    yield "# TYPE mqtriage_advice gauge"
    yield from (f"mqtriage_advice{labels} {count}" for labels, count in counts.items())
    if last_us is not None:
        yield "# HELP mqtriage_advice_snapshot_time_seconds When the last snapshot was taken"
        yield "# TYPE mqtriage_advice_snapshot_time_seconds gauge"
        yield f"mqtriage_advice_snapshot_time_seconds {number(last_us / 1_000_000)}"
    yield "# EOF"


def _labels(**labels: str) -> str:
    inner = ",".join(
        f'{name}="{value.translate(_ESCAPED)}"' for name, value in labels.items() if value
    )
    return f"{{{inner}}}"
