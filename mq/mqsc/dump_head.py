"""What the comments say that a dump of dmpmqcfg starts with: whose it is, and of which level.

Source: dumps of IBM MQ 9.
"""

from __future__ import annotations

import re
from typing import Final

from mqtriage.records import NamedTuple

HEAD_CHARACTERS: Final = 4096
_FACT: Final = re.compile(r"^\*\s*Queue manager (name|platform)\s*:?\s*(\S+)", re.MULTILINE)
_LEVEL: Final = re.compile(
    r"^\*\s*Queue manager command level\s*:?\s*\(?([0-9]{3,4})\b", re.MULTILINE
)
_ISSUED: Final = re.compile(r"^\*\s*Command issued\s*:?.*dmpmqcfg", re.MULTILINE)


class DumpHead(NamedTuple):
    """What is known; "" and None for what is not said.

    Attributes:
        platform: as it stands there: UNIX, MVS.
        is_issued: it names dmpmqcfg as the command.
    """

    queue_manager: str
    platform: str
    command_level: int | None
    is_issued: bool


def dump_head(text: str) -> DumpHead:
    """What the first lines of *text* say."""
    head = text[:HEAD_CHARACTERS]
    facts = dict(_FACT.findall(head))
    level = _LEVEL.search(head)
    return DumpHead(
        facts.get("name", ""),
        facts.get("platform", ""),
        int(level[1]) if level else None,
        _ISSUED.search(head) is not None,
    )
