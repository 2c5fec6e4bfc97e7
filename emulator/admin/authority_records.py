"""SET AUTHREC and DELETE AUTHREC: what a user or group may do; `core.authority` checks it."""

from __future__ import annotations

from collections.abc import Iterable

from mqtriage.emulator.core.manager import Manager
from mqtriage.emulator.core.tables import authority
from mqtriage.emulator.core.tables.authority import AuthRecord
from mqtriage.mq.errors import UsageError
from mqtriage.mq.security.authority_records import OBJECT_TYPES, authority_words, in_steps


def set_record(
    manager: Manager,
    object_type: str,
    profile: str = "",
    *,
    principal: str = "",
    group: str = "",
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
) -> AuthRecord:
    """SET AUTHREC: add to and remove from what a user or group may do.

    Args:
        object_type: OBJTYPE; *profile* may be left out for QMGR alone.
        add, remove: AUTHADD and AUTHRMV words; ALL, ALLMQI, ALLADM and NONE as MQSC has them.

    Raises:
        UsageError: Both or none of *principal* and *group*, no profile, an unknown word.
    """
    type_ = object_type.upper()
    if type_ not in OBJECT_TYPES:
        raise UsageError(f"OBJTYPE({object_type}): allowed {', '.join(OBJECT_TYPES)}")
    if bool(principal) == bool(group):
        raise UsageError("SET AUTHREC: exactly one of PRINCIPAL and GROUP is needed")
    if not profile and type_ != "QMGR":
        raise UsageError("SET AUTHREC: PROFILE may be left out only for OBJTYPE(QMGR)")
    steps = [(adds, authority_words(words, type_)) for adds, words in in_steps(add, remove)]
    key = _key(type_, profile, principal, group)
    with manager.changing():
        held = authority.read(manager.store, key)
        for adds, words in steps:
            held = held | words if adds else held - words
        record = AuthRecord(*key, tuple(sorted(held)))
        authority.write(manager.store, record)
    return record


def delete_record(
    manager: Manager, object_type: str, profile: str = "", *, principal: str = "", group: str = ""
) -> bool:
    """DELETE AUTHREC; whether there was one."""
    with manager.changing():
        key = _key(object_type.upper(), profile, principal, group)
        return authority.delete(manager.store, key)


def _key(type_: str, profile: str, principal: str, group: str) -> tuple[str, str, str, str]:
    name = "SELF" if type_ == "QMGR" else profile
    return type_, name, "PRINCIPAL" if principal else "GROUP", principal or group
