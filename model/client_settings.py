"""How a real queue manager is reached: what the MQI calls MQCNO, MQCD, MQCSP and MQSCO.

Made by `client_settings` from a look-up by the keys of a context (`model/context_keys.py`), which
also name the environment variables (MQTRIAGE_TLS_CIPHER) and the values of --set (``tls.cipher``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, Literal, TypeAlias

from mqtriage.mq.errors import UsageError
from mqtriage.records import dataclass

Transport: TypeAlias = Literal["", "client", "bindings"]
Reconnect: TypeAlias = Literal["", "no", "yes", "qmgr"]
PropertyForm: TypeAlias = Literal["rfh2", "handle", "queue"]
"""How message properties are asked for: as an MQRFH2 in front of the data
(MQGMO_PROPERTIES_FORCE_MQRFH2), beside it in a message handle (MQGMO_PROPERTIES_IN_HANDLE), or as
PROPCTL of the queue says for a program without a handle (MQGMO_PROPERTIES_AS_Q_DEF)."""

Showing: TypeAlias = Literal["", "rfh2", "as asked"]
"""How a verb that shows messages, and makes nothing else of them, wants their properties.

"" is every other verb: what is kept, moved or judged needs the whole message, with its MQRFH2.
"""
LibraryName: TypeAlias = Literal["", "pymqi", "ibmmq"]

DEFAULT_PORT: Final = 1414
LONGEST_CHANNEL: Final = 20
LONGEST_CONNECTION: Final = 264
LONGEST_APPLICATION: Final = 28
MOST_HEARTBEAT_S: Final = 999_999

_HOST: Final = re.compile(r"(?:[A-Za-z0-9_.:%-]+|\[[0-9A-Fa-f:.%]+\])(?:\((\d{1,5})\))?")


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Where and how to connect. A blank text leaves the choice to the MQ library.

    Attributes:
        transport: "client" or "bindings"; "" takes a client where *connection* or *ccdt* is
            given, else what the library is set up for (MQSERVER, MQ_CONNECT_TYPE, mqclient.ini).
        connection: connection name list, ``host(port),host(port)``: tried in this order.
        channel: server-connection channel, at most 20 characters.
        ccdt: URL or path of a client channel definition table.
        user: MQCSP.CSPUserId; its password goes with it.
        password: never shown, not even by repr.
        cipher: CipherSpec of the channel; "" is no TLS, unless a CCDT says otherwise.
        key_repository: MQSCO.KeyRepository: a path, ``.kdb`` or ``.p12`` may be left out.
        certificate_label: of the certificate to show to the queue manager.
        peer_name: distinguished name that the queue manager's certificate must match.
        heartbeat_s: MQCD.HeartbeatInterval in seconds; None takes the channel's.
        reconnect: whether the client library may connect again by itself: "no", "yes" (to any
            queue manager of the list) or "qmgr" (to the same one).
        application: MQCNO.ApplName, at most 28 characters.
        library: "pymqi" or "ibmmq"; "" takes the first that can be used.
    """

    transport: Transport = ""
    connection: str = ""
    channel: str = ""
    ccdt: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    cipher: str = ""
    key_repository: str = ""
    certificate_label: str = ""
    peer_name: str = ""
    heartbeat_s: int | None = None
    reconnect: Reconnect = ""
    application: str = "mqtriage"
    library: LibraryName = ""

    @property
    def where(self) -> str:
        """Where it leads, for people: ``at mq1(1414), channel DEV.APP``; "" for the default."""
        if self.connection:
            return f"at {self.connection}, channel {self.channel}"
        if self.ccdt:
            return f"by {self.ccdt}"
        return ""


_PASSWORDS: Final = ("password_file", "password_prompt", "password_keyring")
_OF_BOTH: Final = ("application",)
_ELSEWHERE: Final = {"connection": "any(1414)", "channel": "ANY"}
"""Stands for what a context leaves to options and variables."""

FIELDS: Final[dict[str, str]] = {
    "transport": "transport",
    "connection": "connection",
    "channel": "channel",
    "ccdt": "ccdt",
    "user": "user",
    "tls.cipher": "cipher",
    "tls.keyrepo": "key_repository",
    "tls.label": "certificate_label",
    "tls.peer": "peer_name",
    "heartbeat": "heartbeat_s",
    "reconnect": "reconnect",
    "application": "application",
    "library": "library",
}
"""Key to field of `ClientSettings`; the password has none, `cli/frame/password.py` gets it."""


def client_settings(text: Callable[[str], str | None], password: str = "") -> ClientSettings:
    """Put the settings together and check them; nothing is connected.

    Args:
        text: the value of a key of `FIELDS`, None or "" where nobody set it (`Settings.text`).
        password: of the user.

    Raises:
        UsageError: A value that MQ would not take, or two that contradict each other.
    """
    given = {field_name: text(key) for key, field_name in FIELDS.items()}
    values = {name: value for name, value in given.items() if value}
    heartbeat = values.pop("heartbeat_s", None)
    settings = ClientSettings(
        **values,  # type: ignore[arg-type]  # words of literals: see context_keys
        password=password,
        heartbeat_s=None if heartbeat is None else _heartbeat(heartbeat),
    )
    _check(settings)
    return settings


def check_together(values: Mapping[str, object]) -> None:
    """Refuse settings that no connection could be made with, whatever is added to them.

    Args:
        values: key to value, as a context has them; what is missing may come from elsewhere.
    """
    client = [key for key in FIELDS if key not in _OF_BOTH and values.get(key)]
    if values.get("backend") == "emulator" and client:
        raise UsageError(
            f"backend emulator and {client[0]} cannot be combined",
            hint="--backend mq is a real queue manager",
        )
    sources = [key for key in _PASSWORDS if values.get(key)]
    if len(sources) > 1:
        raise UsageError(
            f"{sources[0]} and {sources[1]} both name the source of the password",
            hint="give one of them",
        )
    given = {key: str(values[key]) for key in FIELDS if values.get(key) not in (None, "")}
    if "connection" in given or (given.get("transport") != "bindings" and "ccdt" not in given):
        given = _ELSEWHERE | given
    client_settings(given.get)


def _heartbeat(text: str) -> int:
    seconds = text.removesuffix("s")
    if not (seconds.isascii() and seconds.isdigit() and int(seconds[:9]) <= MOST_HEARTBEAT_S):
        raise UsageError(f"heartbeat {text[:20]!r}: seconds, 0 to {MOST_HEARTBEAT_S}")
    return int(seconds)


def _check(settings: ClientSettings) -> None:
    for name, value, longest in (
        ("connection", settings.connection, LONGEST_CONNECTION),
        ("channel", settings.channel, LONGEST_CHANNEL),
        ("application", settings.application, LONGEST_APPLICATION),
    ):
        if len(value) > longest or not (value.isascii() and value.isprintable()):
            raise UsageError(f"{name} {value[:40]!r}: at most {longest} plain characters")
    for part in settings.connection.split(",") if settings.connection else ():
        match = _HOST.fullmatch(part.strip())
        if match is None or not 0 < int(match[1] or DEFAULT_PORT) < 1 << 16:
            raise UsageError(
                f"connection {settings.connection[:80]!r}: {part.strip()[:40]!r} is not"
                " a host(port)",
                hint="for example mq1.example.com(1414),mq2.example.com(1414)",
            )
    if settings.connection and settings.ccdt:
        raise UsageError(
            "connection and ccdt both define where to connect", hint="give one of them"
        )
    if settings.connection and not settings.channel:
        raise UsageError(
            f"connection {settings.connection}: a server-connection channel is needed too",
            hint="--channel, MQTRIAGE_CHANNEL, or channel in the context",
        )
    if settings.channel and not settings.connection:
        raise UsageError(
            f"channel {settings.channel}: a connection is needed too",
            hint="--connection 'HOST(PORT)'; a CCDT names its own channels",
        )
    _check_client(settings)


def _check_client(settings: ClientSettings) -> None:
    if settings.transport == "bindings":
        for name, value in (("connection", settings.connection), ("ccdt", settings.ccdt)):
            if value:
                raise UsageError(f"transport bindings and {name} cannot be combined")
    for name, is_given in (
        ("tls.cipher", bool(settings.cipher)),
        ("tls.peer", bool(settings.peer_name)),
        ("heartbeat", settings.heartbeat_s is not None),
    ):
        if is_given and not settings.connection:
            raise UsageError(
                f"{name} is for a channel that connection and channel define",
                hint="a CCDT has it in its channel definitions",
            )
