"""What a unit of work says of a message that carries its number (`message.unit_act`).

put     put under syncpoint: counted in CURDEPTH, seen by this unit alone
get     got under syncpoint: counted, seen by nobody
both    put and got in the same unit
stage   a delayed message: neither counted nor seen until the commit (DD-34, C-16)
trigger a trigger message that the unit caused: counted, seen by nobody until the unit ends,
        and there then also when it is backed out
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.records import dataclass

PUT: Final = "put"


GET: Final = "get"


BOTH: Final = "both"


STAGE: Final = "stage"


TRIGGER: Final = "trigger"


@dataclass(slots=True, eq=False)
class Holder:
    """The unit of work that messages made along with a put or get belong to.

    Attributes:
        put_to: as of its `Unit`.
        room: how many messages MAXUMSGS still allows beside the put or get itself.
    """

    id: int
    put_to: set[int]
    room: int
    count: int = 0

    def add(self, doing: str) -> None:
        """Count one more."""
        if self.count >= self.room:
            raise mqi_error(
                cmqc.MQRC_SYNCPOINT_LIMIT_REACHED,
                doing,
                detail="the unit of work holds as many messages as MAXUMSGS allows",
            )
        self.count += 1
