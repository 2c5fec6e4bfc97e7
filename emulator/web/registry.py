"""The users of a server from what its owner said: passwords, roles, properties of setmqweb."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Mapping
from typing import Final

from mqtriage.emulator.web.users import DEVELOPERS, ROLES, Registry, Role, usual_roles
from mqtriage.mq.errors import UsageError

_COOKIE: Final = "ltpaCookieName"
_EXPIRATION: Final = "ltpaExpiration"
_MOST_MINUTES: Final = 525_600


def registry_of(
    passwords: Mapping[str, str], roles: Iterable[str], properties: Iterable[str]
) -> Registry:
    """Who may use the REST API.

    Args:
        passwords: user to password; without any, the users of IBM's image for developers.
        roles: ``user=MQWebAdminRO``; a user that is named has those roles alone.
        properties: ``ltpaCookieName=LtpaToken2``.

    Raises:
        UsageError: A role, user or property that there is not.
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
