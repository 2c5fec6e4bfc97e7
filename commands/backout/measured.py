"""BOTHRESH as `mqtriage analyze cohort` found it: one more than the tries that ever helped."""

from __future__ import annotations

from mqtriage.definitions.analysis_file import read_analysis, row_of
from mqtriage.mq.errors import NotFound


def threshold_from(path: str, queue_manager: str, queue: str) -> str:
    """BOTHRESH for a queue, as `backout set` reads it.

    Raises:
        NotFound: No such file, nothing of that queue in it, or no message of it was ever backed
            out for good, so that nothing tells a threshold.
        UsageError: The file is no such analysis.
    """
    row = row_of(read_analysis(path, "cohort"), path, qmgr=queue_manager, queue=queue)
    value = row.get("bothresh")
    if not isinstance(value, int) or isinstance(value, bool):
        raise NotFound(
            f"{path}: of {queue} no message was rolled back and given up, so no BOTHRESH follows",
            hint="give --threshold N",
        )
    return str(value)
