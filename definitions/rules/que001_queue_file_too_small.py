from __future__ import annotations

from typing import Final

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Severity, Violations, setting, violation
from mqtriage.definitions.rules.rule import rule
from mqtriage.mq.delay import DEFAULT_MAXFSIZE_MB, disk_needed

GREATEST_MAXFSIZE_MB: Final = 267_386_880


@rule(Severity.WARNING)
def check(estate: Estate) -> Violations:
    if estate.platform == "zos":
        return
    load = estate.load
    for queue in estate.of_kind("QLOCAL"):
        depth, length = queue.number("MAXDEPTH"), queue.number("MAXMSGL")
        if depth is None or length is None:
            continue
        limit = queue.number("MAXFSIZE")
        if load.largest_message_bytes is not None:
            length = min(length, load.largest_message_bytes)
        needed = disk_needed(depth, length, maxfsize_mb=limit or DEFAULT_MAXFSIZE_MB)
        if not needed.problem:
            continue
        megabytes = -(-needed.value // 2**20)
        fix = (setting(queue, MAXFSIZE=megabytes),) if megabytes <= GREATEST_MAXFSIZE_MB else ()
        is_known = limit is not None or load.largest_message_bytes is not None
        message = f"MAXDEPTH({depth}) of {length} bytes: {needed.text}, {needed.problem}"
        yield violation(
            queue, "MAXDEPTH", message, *fix, severity=None if is_known else Severity.INFO
        )
