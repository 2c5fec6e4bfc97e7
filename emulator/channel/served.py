"""A queue manager as clients meet it: which channels it has, whom they let in, what they allow.

Source: IBM MQ documentation, "DEFINE CHANNEL" (MAXINST, MAXINSTC, MAXMSGL, HBINT, SHARECNV,
SSLCIPH, SSLCAUTH, SSLPEER), "STOP CHANNEL" and MQRC_CHANNEL_NOT_AVAILABLE; the codes were tried
with IBM's clients for Java.
"""

from __future__ import annotations

import ipaddress
import threading
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from mqtriage.emulator.admin import inert_definitions as kept
from mqtriage.emulator.channel import negotiation
from mqtriage.emulator.channel.tls import (
    Handshake,
    certificate_problem,
    cipher_problem,
    peer_problem,
)
from mqtriage.emulator.core import channels, listeners
from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables.state import QUIESCING
from mqtriage.emulator.mqi.admission import ProgramOrigin
from mqtriage.emulator.mqi.session import Shared
from mqtriage.mq.attributes.attribute import MAX_LONG, AttributeValue
from mqtriage.mq.delay import GREATEST_MAXMSGL

_NO_CHANNEL: Final = 1
_WRONG_TYPE: Final = 2
_NOT_AVAILABLE: Final = 22
_CIPHER: Final = 24
_PEER_NAME: Final = 25
_DEVELOPERS: Final = "DEV.APP.SVRCONN"
_EVERYBODYS: Final = "SYSTEM.DEF.SVRCONN"
T = TypeVar("T")


class ClientRefusal(NamedTuple):
    """Why a client is not let in.

    Attributes:
        code: of the STATUS that tells it.
    """

    code: int
    text: str


def origin_of(address: str, shown: Handshake | None) -> ProgramOrigin:
    """Where a client comes from: its address, and the certificate that it showed."""
    plain = address.partition("%")[0]
    ip = ipaddress.ip_address(plain)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    names = (str(ip), "localhost") if ip.is_loopback else (str(ip),)
    if shown is None:
        return ProgramOrigin(names, ip.is_loopback)
    return ProgramOrigin(names, ip.is_loopback, shown.subject, shown.issuer)


def usual_channel(manager: Manager) -> str:
    """The channel for programs that are told of one: that of IBM's developer image where it is.

    Else the first of its own without SSLCIPH, else the one that every queue manager has.
    """
    names = [
        name
        for name, channel in kept.objects(manager, "CHANNEL").items()
        if channel.get("CHLTYPE") == "SVRCONN" and not channel.get("SSLCIPH")
    ]
    own = [name for name in names if not name.startswith("SYSTEM.")]
    return next((name for name in (_DEVELOPERS, *own) if name in names), _EVERYBODYS)


class Served:
    """One queue manager as clients meet it."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self._lock = threading.Lock()
        self._instances: Counter[tuple[str, ...]] = Counter()
        with shared.lock:
            manager = shared.manager()
            self.name = manager.identity.name
            self.qmid = str(manager.all_attributes()["QMID"])
            self._level = negotiation.level_of(manager.command_level)
            self._product = negotiation.product_of(manager.identity.version)

    def _ask(self, question: Callable[[Manager], T]) -> T:
        with self.shared.lock:
            manager = self.shared.manager()
            manager.look()
            return question(manager)

    def channel(self, name: str) -> dict[str, AttributeValue] | None:
        """The attributes of a channel; None where there is none."""
        return self._ask(lambda manager: kept.objects(manager, "CHANNEL").get(name))

    @property
    def are_ending(self) -> bool:
        """Whether instances of a channel were told to end, or it to take no new ones."""
        return self._ask(channels.are_ending)

    @property
    def is_quiescing(self) -> bool:
        """Whether the queue manager ends once its programs have gone."""
        return self._ask(lambda manager: manager.state.running == QUIESCING)

    @property
    def is_listener_stopped(self) -> bool:
        """Whether it takes no new clients at all until START LISTENER."""
        return listeners.is_stopped(self.shared.path)

    def is_stopped(self, channel: str) -> bool:
        """Whether it takes no new clients until START CHANNEL."""
        return self._ask(lambda manager: channels.is_stopped(manager, channel))

    def has(self, channel: str) -> bool:
        """Whether clients can come by that channel."""
        return (self.channel(channel) or {}).get("CHLTYPE") == "SVRCONN"

    def refusal(
        self, channel: str, origin: ProgramOrigin, shown: Handshake | None
    ) -> ClientRefusal | None:
        """Why a client is not let in by a channel; None where it is."""
        attributes = self.channel(channel)
        if attributes is None:
            return ClientRefusal(_NO_CHANNEL, "no such channel")
        if attributes.get("CHLTYPE") != "SVRCONN":
            return ClientRefusal(
                _WRONG_TYPE, f"CHLTYPE({attributes.get('CHLTYPE')}) is not for clients"
            )
        if self.is_stopped(channel):
            return ClientRefusal(
                _NOT_AVAILABLE, "stopped: START CHANNEL lets clients connect again"
            )
        if problem := cipher_problem(str(attributes.get("SSLCIPH", "")), shown):
            return ClientRefusal(_CIPHER, problem)
        if shown is None:
            is_safe = origin.is_local or self.shared.users
            return (
                None if is_safe else ClientRefusal(_CIPHER, "from another machine, and without TLS")
            )
        if problem := certificate_problem(attributes, shown):
            return ClientRefusal(_CIPHER, problem)
        if problem := peer_problem(attributes, shown):
            return ClientRefusal(_PEER_NAME, problem)
        return None

    def enter(self, channel: str, origin: ProgramOrigin) -> ClientRefusal | None:
        """Count one more instance of a channel, unless there are as many as it may have."""
        attributes = self.channel(channel) or {}
        with self._lock:
            for key, keyword in (
                ((channel,), "MAXINST"), ((channel, origin.addresses[0]), "MAXINSTC"),
            ):  # fmt: skip
                most = int(attributes.get(keyword, MAX_LONG))
                if self._instances[key] >= most:
                    return ClientRefusal(_NOT_AVAILABLE, f"{keyword}({most}) is reached")
            self._count(channel, origin, 1)
        return None

    def leave(self, channel: str, origin: ProgramOrigin) -> None:
        """An instance has ended."""
        with self._lock:
            self._count(channel, origin, -1)

    def _count(self, channel: str, origin: ProgramOrigin, number: int) -> None:
        for key in ((channel,), (channel, origin.addresses[0])):
            self._instances[key] += number
            if not self._instances[key]:
                del self._instances[key]

    def offer(self, channel: str, *, is_ciphered: bool) -> negotiation.Offer:
        """What the channel's definition allows.

        A password is readable in TLS, and at the levels before clients began to protect it.
        """
        attributes = self.channel(channel) or {}
        checks = bool(self.shared.users) and not is_ciphered
        return negotiation.Offer(
            self.name,
            self.qmid,
            negotiation.READABLE_LEVEL if checks else self._level,
            int(attributes.get("MAXMSGL", 0)) or GREATEST_MAXMSGL,
            int(attributes.get("HBINT", 300)),
            int(attributes.get("SHARECNV", 10)),
            self._product,
        )
