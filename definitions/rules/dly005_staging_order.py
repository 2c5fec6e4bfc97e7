"""DLY005: z/OS: staging queue is indexed or not FIFO."""

from __future__ import annotations

from mqtriage.definitions.estate import Estate
from mqtriage.definitions.rules.finding import Founds, Severity, found, setting
from mqtriage.definitions.rules.rule import Rule


def check(estate: Estate) -> Founds:
    """DLY005; the page beside this file says why."""
    queue = estate.staging_queue
    if queue is None or estate.platform != "zos":
        return
    for keyword, wanted in (("INDXTYPE", "NONE"), ("MSGDLVSQ", "FIFO")):
        value = queue.text(keyword)
        if value is not None and value != wanted:
            mend = setting(queue, **{keyword: wanted})
            yield found(queue, keyword, f"{keyword}({value}), {wanted} is required", mend)


RULE = Rule("DLY005", Severity.ERROR, "z/OS: staging queue is indexed or not FIFO", check)
