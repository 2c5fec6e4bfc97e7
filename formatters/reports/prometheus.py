"""Check results in the text format of Prometheus, for a textfile collector or a push gateway.

Source: Prometheus documentation, "Exposition formats" and "Metric and label naming".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mqtriage.model.check_result import Checked, Measure, number

_SUFFIX: Final[Mapping[Measure, str]] = {
    Measure.COUNT: "",
    Measure.PERCENT: "_ratio",
    Measure.SECONDS: "_seconds",
    Measure.BYTES: "_bytes",
}


def prometheus_lines(results: Sequence[Checked]) -> Iterator[str]:
    """One family a metric, each sample with check, queue manager and object as labels."""
    yield "# HELP mqtriage_check_status 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN"
    yield "# TYPE mqtriage_check_status gauge"
    for result in results:
        yield f"mqtriage_check_status{_labels(result)} {result.status.code}"
    families: dict[str, list[str]] = {}
    for result in results:
        for metric in result.metrics:
            if metric.value is None:
                continue
            value = metric.value / 100 if metric.measure is Measure.PERCENT else metric.value
            name = f"mqtriage_{result.check}_{metric.name}{_SUFFIX[metric.measure]}"
            sample = f"{name}{_labels(result)} {number(round(float(value), 6))}"
            families.setdefault(name, []).append(sample)
    for name, samples in families.items():
        yield f"# TYPE {name} gauge"
        yield from samples


def _labels(result: Checked) -> str:
    labels = {"check": result.check, "qmgr": result.queue_manager, "object": result.object}
    inner = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items() if value)
    return f"{{{inner}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
