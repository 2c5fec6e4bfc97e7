"""A queue manager as clients meet it: which channels it has, and what they allow."""

from __future__ import annotations

from typing import Final

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.channel import negotiation
from mqtriage.emulator.mqi.session import Shared

_NO_CHANNEL: Final = 1
_WRONG_TYPE: Final = 2


class Served:
    """One queue manager as clients meet it."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        with shared.turn:
            manager = shared.manager()
            self.name = manager.identity.name
            self.qmid = str(manager.all_attributes()["QMID"])

    def channel(self, name: str) -> dict[str, int | str] | None:
        """The attributes of a channel; None where there is none."""
        with self.shared.turn:
            manager = self.shared.manager()
            manager.look()
            channel = kept.objects(manager, "CHANNEL").get(name)
        return None if channel is None else dict(channel)

    def refusal(self, channel: str) -> int:
        """The STATUS by which a channel is refused; 0 where it is not."""
        attributes = self.channel(channel)
        if attributes is None:
            return _NO_CHANNEL
        return 0 if attributes.get("CHLTYPE") == "SVRCONN" else _WRONG_TYPE

    def offer(self, channel: str) -> negotiation.Offer:
        """What the channel's definition allows."""
        attributes = self.channel(channel) or {}
        checks = bool(self.shared.users)
        return negotiation.Offer(
            self.name,
            self.qmid,
            negotiation.READABLE_LEVEL if checks else negotiation.LEVEL,
            int(attributes.get("MAXMSGL", 104_857_600)) or 104_857_600,
            int(attributes.get("HBINT", 300)),
            int(attributes.get("SHARECNV", 10)),
        )
