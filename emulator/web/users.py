"""Who may use the REST API: users, passwords, roles, and tokens for those who have logged in.

Source: IBM MQ documentation, "Roles on the MQ Console and REST API", "Using token-based
authentication with the REST API".
"""

from __future__ import annotations

import base64
import getpass
import hashlib
import hmac
import os
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, get_args

from mqtriage.emulator.mqi import passwords
from mqtriage.emulator.web.exchange import RestError
from mqtriage.mq.errors import UsageError
from mqtriage.mq.security.distinguished_names import Name

Role = Literal["MQWebAdmin", "MQWebAdminRO", "MQWebUser"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
DEVELOPERS: Final[Mapping[str, str]] = {"admin": "passw0rd", "app": "passw0rd"}
"""The users of IBM's image for developers."""
_TOKEN_BYTES: Final = 32
_MOST_VERIFIED: Final = 1000
_COOKIE: Final = "ltpaCookieName"
_EXPIRATION: Final = "ltpaExpiration"
_MOST_MINUTES: Final = 525_600


class Principal(NamedTuple):
    """Who makes a request."""

    name: str
    roles: frozenset[Role]


NOBODY: Final = Principal("", frozenset())
"""The principal of a request that needs no login."""


def usual_roles(user: str, owner: str) -> frozenset[Role]:
    """Those of a user that nobody gave any: `admin`, and who owns the file, administer."""
    return frozenset(("MQWebAdmin",) if user in ("admin", owner) else ("MQWebUser",))


class Registry:
    """Users with their roles.

    Args:
        users: user to password, or to its hash.
        roles: user to roles.
        cookie: name of the cookie that holds a token.
        lifetime_s: of a token.
    """

    def __init__(
        self,
        users: Mapping[str, str],
        roles: Mapping[str, frozenset[Role]],
        cookie: str,
        lifetime_s: float,
    ) -> None:
        self._passwords = users
        self._roles = roles
        self.cookie = cookie
        self._lifetime_s = lifetime_s
        self._key = secrets.token_bytes(_TOKEN_BYTES)
        self._verified: set[bytes] = set()
        self._lock = threading.Lock()

    def principal(self, headers: Mapping[str, str], path: str, subject: Name = ()) -> Principal:
        """Who a request is from.

        Args:
            subject: of a certificate whose common name may be a user's.

        Raises:
            RestError: 401, as mqweb tells the three causes apart.
        """
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "basic":
            user, colon, password = _decoded(credentials).partition(":")
            if not colon or not self.is_right(user, password):
                raise RestError("MQWB0105E")
            return self.of(user)
        token = cookies(headers.get("cookie", "")).get(self.cookie)
        if token is not None:
            holder = self._user_of(token)
            if holder is None:
                gone = (("Set-Cookie", self.emptied()),)
                raise RestError("MQWB0112E", self.cookie, headers=gone)
            return self.of(holder)
        shown = next((value for kind, value in subject if kind == "CN"), "")
        if shown in self._passwords:
            return self.of(shown)
        raise RestError("MQWB0104E", f" to '{path}'")

    def of(self, user: str) -> Principal:
        return Principal(user, self._roles.get(user, frozenset(("MQWebUser",))))

    def is_right(self, user: str, password: str) -> bool:
        """Whether that is the user's password."""
        known = self._passwords.get(user, "")
        if not passwords.is_hashed(known):
            return passwords.is_right(known, password) and user in self._passwords
        text = f"{user}:{password}".encode("utf-8", "replace")
        mark = hmac.digest(self._key, text, "sha256")  # a hash takes too long for each request
        if mark in self._verified:
            return True
        with self._lock:  # who guesses takes one processor at most
            if not passwords.is_right(known, password):
                return False
            if len(self._verified) >= _MOST_VERIFIED:
                self._verified.clear()
            self._verified.add(mark)
        return True

    # -- tokens -------------------------------------------------------------------------------

    def token(self, user: str) -> str:
        """What the cookie of a user who has logged in holds; nobody can make one up."""
        text = f"{int(time.time() + self._lifetime_s)}:{user}".encode()
        return base64.b64encode(hmac.digest(self._key, text, "sha256") + text).decode()

    def _user_of(self, token: str) -> str | None:
        try:
            raw = base64.b64decode(token, validate=True)
        except ValueError:
            return None
        signature, text = raw[: hashlib.sha256().digest_size], raw[hashlib.sha256().digest_size :]
        if not hmac.compare_digest(signature, hmac.digest(self._key, text, "sha256")):
            return None
        until, _, user = text.decode().partition(":")
        return user if time.time() < int(until) else None

    def given(self, user: str) -> str:
        """Set-Cookie for a user who has logged in."""
        return f"{self.cookie}={self.token(user)}; Path=/; Secure; HttpOnly; SameSite=Strict"

    def emptied(self) -> str:
        """Set-Cookie that takes the token away."""
        return (
            f'{self.cookie}=""; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; Secure; HttpOnly; '
            "SameSite=Strict"
        )


def _decoded(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode("utf-8")
    except ValueError:
        return ""


def cookies(header: str) -> dict[str, str]:
    """The cookies of a request by name."""
    pairs = (pair.strip().partition("=") for pair in header.replace(",", ";").split(";"))
    return {name: value.strip('"') for name, equals, value in pairs if equals}


def require(principal: Principal, *roles: Role) -> None:
    """Refuse who has none of the roles."""
    if principal.roles.isdisjoint(roles):
        text = ", ".join(f"'{role}'" for role in roles)
        raise RestError("MQWB0108E", principal.name, text)


def registry_of(
    passwords: Mapping[str, str], roles: Iterable[str], properties: Iterable[str]
) -> Registry:
    """Who may use the REST API.

    Args:
        passwords: user to password; without any, the users of IBM's image for developers.
        roles: ``user=MQWebAdminRO``; a user that is named has those roles alone.
        properties: ``ltpaCookieName=LtpaToken2``.
    """
    users = passwords or DEVELOPERS
    given: dict[str, set[Role]] = {}
    for text in roles:
        user, _, role = text.partition("=")
        if user not in users:
            raise UsageError(f"--web-role {text}: there is no user {user}")
        if role not in ROLES:
            raise UsageError(f"--web-role {text}: roles are {', '.join(ROLES)}")
        given.setdefault(user, set()).add(role)
    owner = getpass.getuser()
    held = {user: frozenset(given.get(user, usual_roles(user, owner))) for user in users}
    cookie, minutes = f"LtpaToken2_{os.getpid():019d}", 120
    for text in properties:
        name, _, value = text.partition("=")
        if name == _COOKIE and value.isascii() and value.replace("_", "").isalnum():
            cookie = value
        elif name == _EXPIRATION and value.isdecimal() and 0 < int(value) <= _MOST_MINUTES:
            minutes = int(value)
        else:
            known = f"{_COOKIE}=NAME and {_EXPIRATION}=MINUTES"
            raise UsageError(f"--web-property {text}: there are {known}")
    return Registry(users, held, cookie, minutes * 60.0)
