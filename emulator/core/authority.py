"""The checks of authority at MQCONN, MQOPEN, MQPUT1 and of topics.

Off by default: whoever can read the file of an emulated queue manager is its owner and may do all.
Checks are made once the switch `authority` is on - for everybody but the owner and the members of
`mqm` - and always on a connection that is `checked`.

Rules (IBM MQ documentation, "Authorizations for MQI calls", SET AUTHREC, "OAM wildcards"):

* The name that is checked is the first one opened, so authority on an alias is enough.
* To open a queue with MQOO_ALTERNATE_USER_AUTHORITY needs ALTUSR on the queue manager; what the
  open is for is then asked of the alternate user, and context alone of the program's own.
* Of the profiles of one user or group that match a name the most specific counts: characters are
  compared from the left, one that is no wildcard before `?` before `*` before `**`.
* What a user has itself and through each of its groups is added up.
* A topic is checked at its own node and then up the tree, until one of them allows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables.authority import AuthRecord, every
from mqtriage.mq import cmqc
from mqtriage.mq.errors import mqi_error
from mqtriage.mq.security.authority_records import profile_pattern, specific_key


class Caller(Protocol):
    """Who makes a call: a connection, as far as its authority matters."""

    manager: Manager
    user: str
    groups: frozenset[str] | None
    checked: bool


SWITCH: Final = "authority"
ADMINISTRATORS: Final = "mqm"

_INPUT: Final = cmqc.MQOO_INPUT_AS_Q_DEF | cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_INPUT_EXCLUSIVE

_CONTEXT_BITS: Final = {
    cmqc.MQOO_PASS_IDENTITY_CONTEXT: "PASSID",
    cmqc.MQOO_PASS_ALL_CONTEXT: "PASSALL",
    cmqc.MQOO_SET_IDENTITY_CONTEXT: "SETID",
    cmqc.MQOO_SET_ALL_CONTEXT: "SETALL",
}
"""MQPMO_* have the same values."""
_OPEN: Final = (
    (_INPUT, "GET"),
    (cmqc.MQOO_BROWSE, "BROWSE"),
    (cmqc.MQOO_OUTPUT, "PUT"),
    (cmqc.MQOO_INQUIRE, "INQ"),
    (cmqc.MQOO_SET, "SET"),
    *_CONTEXT_BITS.items(),
)
_ON_QUEUE_MANAGER_TOO: Final = frozenset({"SETID", "SETALL"})
_CONTEXT: Final = frozenset(_CONTEXT_BITS.values())


# -- setting and showing --------------------------------------------------------------------------


def records(manager: Manager) -> list[AuthRecord]:
    """Every authority record, by type, profile and entity."""
    return every(manager.store)


def matching(manager: Manager, object_type: str, name: str) -> list[AuthRecord]:
    """The records whose profile matches *name* (DISPLAY AUTHREC MATCH(MEMBERSHIP))."""
    return [
        record
        for record in records(manager)
        if record.type == object_type and profile_pattern(record.profile).fullmatch(name)
    ]


# -- checking -------------------------------------------------------------------------------------


def check_connect(caller: Caller) -> None:
    """Refuse MQCONN without CONNECT."""
    name = caller.manager.identity.name
    require(caller, "QMGR", name, ("CONNECT",), f"connect to {name}")


def check_open(
    caller: Caller, name: str, options: int, doing: str, alternate_user: str = ""
) -> None:
    """Refuse MQOPEN of a queue, or of the queue manager where *name* is "".

    Args:
        alternate_user: AlternateUserId, which counts with MQOO_ALTERNATE_USER_AUTHORITY.
    """
    needed = tuple(word for bits, word in _OPEN if options & bits)
    if not name:
        require(caller, "QMGR", caller.manager.identity.name, needed, doing)
        return
    if options & cmqc.MQOO_ALTERNATE_USER_AUTHORITY and _is_switched_on(caller):
        require(caller, "QMGR", caller.manager.identity.name, ("ALTUSR",), doing)
        asked = tuple(word for word in needed if word not in _CONTEXT)
        require(caller, "QUEUE", name, asked, doing, alternate_user)
        needed = tuple(word for word in needed if word in _CONTEXT)
    require(caller, "QUEUE", name, needed, doing)
    _require_on_queue_manager(caller, needed, doing)


def check_put1(caller: Caller, name: str, options: int, doing: str) -> None:
    """Refuse MQPUT1, and the send of a JMS client (DD-37)."""
    needed = ("PUT", *(word for bits, word in _CONTEXT_BITS.items() if options & bits))
    require(caller, "QUEUE", name, needed, doing)
    _require_on_queue_manager(caller, needed, doing)


def check_topic(
    caller: Caller,
    objects: Iterable[str],
    topic: str,
    needed: str,
    doing: str,
    alternate_user: str | None = None,
) -> None:
    """Refuse PUB or SUB on a topic string.

    Args:
        objects: names of the topic objects from the topic's own node up to the root.
        alternate_user: the one that is asked in place of the program's own, which then needs
            ALTUSR; None where there is none.
    """
    manager = caller.manager
    if alternate_user is not None:
        require(caller, "QMGR", manager.identity.name, ("ALTUSR",), doing)
    who = _asked(caller, alternate_user)
    if who is None:
        return
    user, names = who[0], list(objects)
    if any(needed in _granted_to(manager, *who, "TOPIC", name) for name in names):
        return
    first = names[0] if names else "SYSTEM.BASE.TOPIC"
    raise mqi_error(
        cmqc.MQRC_NOT_AUTHORIZED,
        doing,
        detail=f"user {user} lacks {needed} authority on topic {first} ({topic}) or above it",
        hint=_hint("TOPIC", first, user, (needed,)),
        object_name=first,
    )


def is_checked(caller: Caller) -> bool:
    """Whether this connection's authority is checked at all."""
    if not _is_switched_on(caller) or ADMINISTRATORS in _groups(caller):
        return False
    if caller.checked:
        return True
    return caller.user not in (owner(caller.manager), ADMINISTRATORS)


def is_administrator(user: str) -> bool:
    """Whether a user is one of those that CHLAUTH calls `*MQADMIN`: mqm and its members."""
    return user == ADMINISTRATORS or ADMINISTRATORS in _groups_of(user)


def _is_switched_on(caller: Caller) -> bool:
    return caller.checked or caller.manager.switches.get(SWITCH) == "on"


def owner(manager: Manager) -> str:
    """The user that the file of the queue manager belongs to."""
    try:
        return manager.path.owner()
    except (KeyError, OSError):
        return ""


def granted(caller: Caller, object_type: str, name: str) -> frozenset[str]:
    """What the connection's user and its groups may do with an object."""
    return _granted_to(caller.manager, caller.user, _groups(caller), object_type, name)


def _granted_to(
    manager: Manager, user: str, groups: frozenset[str], object_type: str, name: str
) -> frozenset[str]:
    words: set[str] = set()
    best: dict[tuple[str, str], AuthRecord] = {}
    sought = "SELF" if object_type == "QMGR" else name
    for record in manager.derived("authority", records):
        mine = (
            record.entity == user if record.entity_type == "PRINCIPAL" else record.entity in groups
        )
        profile = record.profile
        if record.type != object_type or not mine or not profile_pattern(profile).fullmatch(sought):
            continue
        entity = (record.entity_type, record.entity)
        there = best.get(entity)
        if there is None or specific_key(profile) < specific_key(there.profile):
            best[entity] = record
    for record in best.values():
        words.update(record.authorities)
    return frozenset(words)


def _asked(caller: Caller, alternate_user: str | None) -> tuple[str, frozenset[str]] | None:
    """The user whose authority is looked up, and its groups; None for one that may do all.

    Args:
        alternate_user: None for the connection's own user, as it is where nothing is checked.
    """
    if alternate_user is None or not _is_switched_on(caller):
        return (caller.user, _groups(caller)) if is_checked(caller) else None
    groups = frozenset(_groups_of(alternate_user))
    administers = alternate_user == ADMINISTRATORS or ADMINISTRATORS in groups
    if alternate_user and (administers or alternate_user == owner(caller.manager)):
        return None
    return alternate_user or "(blank)", groups


def require(
    caller: Caller,
    object_type: str,
    name: str,
    needed: tuple[str, ...],
    doing: str,
    alternate_user: str | None = None,
) -> None:
    """Refuse a call that needs more on an object than a user has.

    Raises:
        NotAuthorized: 2035; the text says which authorities are missing.
    """
    who = _asked(caller, alternate_user) if needed else None
    if who is None:
        return
    has = _granted_to(caller.manager, *who, object_type, name)
    missing, user = tuple(sorted(frozenset(needed) - has)), who[0]
    if not missing:
        return
    what = "queue manager" if object_type == "QMGR" else object_type.lower()
    raise mqi_error(
        cmqc.MQRC_NOT_AUTHORIZED,
        doing,
        detail=f"user {user} lacks {' and '.join(missing)} authority on {what} {name}",
        hint=_hint(object_type, name, user, missing),
        object_name=name,
    )


def _require_on_queue_manager(caller: Caller, needed: tuple[str, ...], doing: str) -> None:
    also = tuple(word for word in needed if word in _ON_QUEUE_MANAGER_TOO)
    if also:
        require(caller, "QMGR", caller.manager.identity.name, also, doing)


def _hint(object_type: str, name: str, user: str, words: tuple[str, ...]) -> str:
    profile = "" if object_type == "QMGR" else f"PROFILE({name}) "
    return (
        f"SET AUTHREC {profile}OBJTYPE({object_type}) PRINCIPAL('{user}')"
        f" AUTHADD({','.join(words)})"
    )


def _groups(caller: Caller) -> frozenset[str]:
    if caller.groups is not None:
        return caller.groups
    caller.groups = groups = frozenset(_groups_of(caller.user))
    return groups


def _groups_of(user: str) -> Iterator[str]:
    """The groups of a user on this machine; a user that is not known here has none."""
    import grp
    import pwd

    try:
        number = pwd.getpwnam(user).pw_gid
    except KeyError:
        return
    for group in grp.getgrall():
        if group.gr_gid == number or user in group.gr_mem:
            yield group.gr_name
