"""How the REST API of a queue manager is reached: what its web server (mqweb) is asked with.

Made by `rest_settings` from a look-up by the keys of a context (`model/context_keys.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import check_name
from mqtriage.records import dataclass

_API: Final = re.compile(r"/ibmmq(/.*)?$")
"""What people copy with the address: ``/ibmmq/rest/v2``, ``/ibmmq/console``."""
_HOST: Final = re.compile(r"[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+")
_PREFIX: Final = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9_.~-]+)*")
_EXAMPLE: Final = "for example https://mq1.example.com:9443"


@dataclass(frozen=True, slots=True)
class RestSettings:
    """Where and as whom to ask.

    Attributes:
        url: ``https://mq1:9443``, without what begins with ``/ibmmq`` and without a last ``/``.
        gateway: the queue manager that passes commands on to the one that is meant; "" for none.
        user: "" with a client certificate alone.
        password: never shown, not even by repr.
        ca: file of the certificates that are trusted, PEM; "" for those of the system.
        own_ca: file of one that is trusted besides where it is there: that of our own server.
        certificate: file of the client's certificate and its key, PEM.
        is_unchecked: whether the server's certificate is not looked at; of this machine alone.
    """

    url: str
    gateway: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    ca: str = ""
    certificate: str = ""
    is_unchecked: bool = False
    own_ca: str = ""

    @property
    def is_here(self) -> bool:
        """Whether the server is on this machine: nobody is on the way there."""
        return _is_this_machine(urlsplit(self.url).hostname or "")


FIELDS: Final[dict[str, str]] = {
    "url": "url",
    "rest_gateway": "gateway",
    "user": "user",
    "tls.cafile": "ca",
    "tls.certfile": "certificate",
}
"""Key to field of `RestSettings`; the password has none, `cli/frame/password.py` gets it."""

ONLY_REST: Final = ("url", "rest_gateway", "tls.cafile", "tls.certfile", "tls.unchecked")
"""Keys that no other end of the port takes."""


def rest_settings(
    text: Callable[[str], str | None], password: str = "", *, unchecked: bool = False
) -> RestSettings:
    """Put the settings together and check them; nothing is connected.

    Args:
        text: the value of a key of `FIELDS`, None or "" where nobody set it (`Settings.text`).
        password: of the user.
        unchecked: value of ``tls.unchecked``.
    """
    values = {name: text(key) or "" for key, name in FIELDS.items()}
    if not values["url"]:
        raise UsageError(
            "backend rest needs the address of the web server", hint=f"--url, {_EXAMPLE}"
        )
    split = _split(values["url"])
    is_here = _is_this_machine(split.hostname or "")
    if split.scheme == "http" and not is_here:
        raise UsageError(
            f"url {values['url']}: over http, the password can be read in transit",
            hint="use https://; http:// is only for 127.0.0.1",
        )
    if unchecked and not is_here:
        raise UsageError(
            f"tls.unchecked: the certificate of {split.hostname} must be checked; only that of"
            " 127.0.0.1 may be unchecked",
            hint="use --set tls.cafile=FILE, which contains the certificate or its CA certificate",
        )
    if values["gateway"]:
        check_name("queue manager", 48, values["gateway"])
    values["url"] = f"{split.scheme}://{split.netloc}{_API.sub('', split.path).rstrip('/')}"
    return RestSettings(**values, password=password, is_unchecked=unchecked)


def check_together(values: Mapping[str, object]) -> None:
    """Refuse settings that no connection could be made with, whatever is added to them.

    Args:
        values: key to value, as a context has them; what is missing may come from elsewhere.
    """
    given = {key: str(values[key]) for key in FIELDS if values.get(key) not in (None, "")}
    if values.get("backend") == "rest":
        given.setdefault("url", "https://127.0.0.1")
        rest_settings(given.get, unchecked=bool(values.get("tls.unchecked")))
        return
    for key in ONLY_REST:
        if values.get(key) and values.get("backend") is not None:
            raise UsageError(
                f"backend {values['backend']} and {key} contradict each other",
                hint="--backend rest is a real queue manager over HTTPS",
            )


def _split(url: str) -> SplitResult:
    """The parts of an address; none of them is shown where it may hold a password."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        raise UsageError("url: that is not an address of a web server", hint=_EXAMPLE) from None
    if split.username is not None or split.password is not None:
        raise UsageError(
            "url: the address must not contain a user or password",
            hint="user, and password_file, password_prompt or password_keyring",
        )
    path = _API.sub("", split.path).rstrip("/")
    if (
        split.scheme not in ("http", "https")
        or not _HOST.fullmatch(split.hostname or "")
        or port == 0
        or split.query
        or split.fragment
        or not _PREFIX.fullmatch(path)
    ):
        raise UsageError(f"url {url[:80]!r}: that is not an address of a web server", hint=_EXAMPLE)
    return split


def _is_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or re.fullmatch(r"127(\.[0-9]{1,3}){3}", host) is not None
