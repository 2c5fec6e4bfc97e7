"""The folder mqext of an MQRFH2: the delivery delay that a JMS client sent its message with.

    <mqext><Dly>5000</Dly><Dtm>1763812345678</Dtm></mqext>

``Dly`` is the delay in milliseconds, ``Dtm`` the delivery time in milliseconds since 1970 UTC by
the sender's clock; getJMSDeliveryTime comes from it. IBM's JMS classes write it behind the folder
jms, and it stays in the message. Seen with the unmodified clients 9.0.4.0 to 9.4.5.0.
"""

from __future__ import annotations

from typing import Final

from mqtriage.mq import cmqc
from mqtriage.mq.headers.rfh2 import RFH2, jms_correl_id
from mqtriage.mq.headers.sniff import first_rfh2
from mqtriage.records import NamedTuple

MQEXT: Final = "mqext"
_DIGITS: Final = 18  # of a number of 64 bits


class SenderDelay(NamedTuple):
    """What the sender says of the delay.

    Attributes:
        delivery_time_ms: milliseconds since 1970 UTC, by its clock.
    """

    delay_ms: int
    delivery_time_ms: int

    @property
    def due_time_us(self) -> int:
        """When the delay is over, microseconds since 1970 UTC."""
        return self.delivery_time_ms * 1000

    @property
    def send_time_us(self) -> int:
        """When it was sent, microseconds since 1970 UTC."""
        return self.due_time_us - self.delay_us

    @property
    def delay_us(self) -> int:
        return self.delay_ms * 1000


def sender_delay(header: RFH2) -> SenderDelay | None:
    """What an MQRFH2 says; None where it has no folder mqext, or no two whole numbers in it."""
    folder = header.folder(MQEXT)
    if folder is None:
        return None
    texts = {property_.name: str(property_.value) for property_ in folder.properties}
    numbers = [texts.get(name, "") for name in ("Dly", "Dtm")]
    if not all(text.isascii() and text.isdigit() and len(text) <= _DIGITS for text in numbers):
        return None
    return SenderDelay(*map(int, numbers))


def find_correl_id(data: bytes, start: int) -> bytes:
    """The CorrelId that the first whole MQRFH2 at or after *start* repeats; zeros for none."""
    first = first_rfh2(data, start)
    return cmqc.MQMI_NONE if first is None else jms_correl_id(first.header)


def find_sender_delay(data: bytes, start: int) -> SenderDelay | None:
    """What the first whole MQRFH2 at or after *start* says; found by looking."""
    first = first_rfh2(data, start)
    return None if first is None else sender_delay(first.header)
