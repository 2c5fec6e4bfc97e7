"""The load that the staging queue has to hold: options of `delay define`."""

from __future__ import annotations

from mqtriage.model.options import duration, number, text
from mqtriage.records import dataclass


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """As they are read; `commands/delay/sizing.py` makes a `Load` of them."""

    rate: str | None = text(metavar="N/s", help="Peak rate of delayed messages: 20/s, 1000/h.")
    max_delay: int | None = duration(help="Longest delay: 15m.")
    largest_message: int | None = text(
        metavar="SIZE", help="Longest message sent with a delay.", reads="size"
    )
    subscribers: int = number(
        help="Number of subscribers that get a copy of each message.",
        minimum=1,
        maximum=999_999,
        default=1,
    )
    headroom: str = text(
        metavar="PERCENT", help="Percentage to add to the depth as headroom.", default="50%"
    )
    header_allowance: int = text(
        metavar="SIZE", help="Assumed length of the delay header.", default="4KiB", reads="size"
    )
