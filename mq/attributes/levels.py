"""Which attributes a queue manager knows by its CMDLEVEL: 940 for IBM MQ 9.4, 915 for 9.1.5.

Sources: IBM MQ documentation, "What's new" of 9.1.5 (MAXFSIZE), 9.2.3 (STREAMQ, STRMQOS) and 9.4
(CAPEXPRY as an attribute; before that it stands in CUSTOM).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SINCE: Final = {"MAXFSIZE": 915, "STREAMQ": 923, "STRMQOS": 923, "CAPEXPRY": 940}
_VERSION: Final = r"([0-9]{1,2})\.([0-9])(?:\.([0-9]))?(?:\.[0-9]{1,2})?"


def level_of(version: str) -> int | None:
    """CMDLEVEL of ``9.4`` (940) or ``9.1.5.0`` (915); None for what is no version of MQ."""
    match = re.fullmatch(_VERSION, version)
    if match is None:
        return None
    return int(match[1]) * 100 + int(match[2]) * 10 + int(match[3] or 0)


def are_known(keywords: Iterable[str], command_level: int | None) -> bool:
    """Whether a queue manager of that level has all of the attributes; None is any level."""
    return command_level is None or all(_SINCE.get(k, 0) <= command_level for k in keywords)
