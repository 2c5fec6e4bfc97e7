"""Names of metrics of queues and of their labels, in the exporters that there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

METRICS: Final = {
    "ibmmq_queue_depth": "curdepth",
    "ibmmq_queue_attribute_max_depth": "maxdepth",
    "ibmmq_queue_input_handles": "ipprocs",
}
"""Metric to the column that it fills."""
QMGR: Final = ("qmgr", "queue_manager")
QUEUE: Final = ("queue", "queue_name")
"""Labels of IBM's exporter, and of ibmmq_metrics_exporter."""
_LABEL: Final = re.compile(r'(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"')


def labels_of(text: str) -> dict[str, str]:
    """What stands between the braces of a series."""
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in _LABEL.findall(text)}


def place_of(labels: Mapping[str, str]) -> tuple[str, str] | None:
    """Queue manager and queue, None of what is not of a queue."""
    qmgr = next((labels[name] for name in QMGR if labels.get(name)), None)
    queue = next((labels[name] for name in QUEUE if labels.get(name)), None)
    return None if qmgr is None or queue is None else (qmgr, queue)
