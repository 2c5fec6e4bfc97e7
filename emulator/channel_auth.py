"""Channel authentication records: SET CHLAUTH, kept and shown; the emulator maps nobody by them.

A record is known by its channel profile, its type and what it matches: one BLOCKUSER, BLOCKADDR a
profile, the maps one for each address, client user, queue manager or peer name.
Source: IBM MQ documentation, "SET CHLAUTH", "Channel authentication records" (the three that a
new queue manager has).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqtriage.emulator.clock import date_and_time
from mqtriage.emulator.connections import Connection
from mqtriage.emulator.definitions import checked_attributes
from mqtriage.emulator.manager import Manager
from mqtriage.mq import pcf_codes
from mqtriage.mq.attribute_type import AttributeValue
from mqtriage.mq.errors import UsageError, mqi_error

Values = dict[str, AttributeValue]

_KEYS: Final = {
    "BLOCKUSER": (),
    "BLOCKADDR": (),
    "SSLPEERMAP": ("SSLPEER", "SSLCERTI", "ADDRESS"),
    "ADDRESSMAP": ("ADDRESS",),
    "USERMAP": ("CLNTUSER", "ADDRESS"),
    "QMGRMAP": ("QMNAME", "ADDRESS"),
}
"""What tells two records of one profile and type apart."""
_LISTS: Final = {"BLOCKUSER": "USERLIST", "BLOCKADDR": "ADDRLIST"}
_DEFAULTS: Final[tuple[Values, ...]] = (
    {"CHLAUTH": "SYSTEM.ADMIN.SVRCONN", "TYPE": "ADDRESSMAP", "ADDRESS": "*",
     "USERSRC": "CHANNEL"},
    {"CHLAUTH": "SYSTEM.*", "TYPE": "ADDRESSMAP", "ADDRESS": "*", "USERSRC": "NOACCESS"},
    {"CHLAUTH": "*", "TYPE": "BLOCKUSER", "USERLIST": "*MQADMIN"},
)  # fmt: skip
_ABSENT: Final = "absent"
"""Key of the row that says that the records of a new queue manager were changed."""


def records(manager: Manager) -> list[Values]:
    """Every record, by profile and type."""
    return manager.derived("channel authentication", _load)


def _load(manager: Manager) -> list[Values]:
    rows = manager.store.execute("SELECT name, attributes FROM definition WHERE kind = 'CHLAUTH'")
    found = [json.loads(text) for name, text in rows if name != _ABSENT]
    if not found and not _is_changed(manager):
        found = [dict(each) for each in _DEFAULTS]
    return sorted(found, key=lambda each: (str(each["CHLAUTH"]), str(each["TYPE"])))


def _is_changed(manager: Manager) -> bool:
    row = manager.store.execute(
        "SELECT 1 FROM definition WHERE kind = 'CHLAUTH' AND name = ?", (_ABSENT,)
    ).fetchone()
    return row is not None


def _key(values: Mapping[str, AttributeValue]) -> tuple[str, ...]:
    type_ = str(values["TYPE"])
    return (
        str(values["CHLAUTH"]), type_, *(str(values.get(k, "")) for k in _KEYS[type_])
    )  # fmt: skip


def set_record(
    connection: Connection, profile: str, attributes: Mapping[str, AttributeValue]
) -> None:
    """SET CHLAUTH with ACTION ADD, REPLACE, REMOVE or REMOVEALL.

    Raises:
        UsageError: No TYPE, an attribute or value that is wrong.
        MQIError: 3337 to add one that is there, 3338 to remove one that is not.
    """
    doing = f"set CHLAUTH({profile})"
    manager = connection.manager
    now = connection.begin(doing, durable=True)
    try:
        given = checked_attributes(manager, "CHLAUTH", attributes, altering=False)
        if "TYPE" not in given:
            raise UsageError(f"{doing}: TYPE is needed: {', '.join(_KEYS)}")
        date, time = date_and_time(now)
        action = str(given.pop("ACTION", "ADD"))
        wanted = {"CHLAUTH": profile} | given | {"ALTDATE": date, "ALTTIME": time}
        left = _changed(records(manager), wanted, action, doing)
        _write(manager, left)
    except BaseException:
        manager.rollback()
        raise
    manager.commit()
    manager.refresh()


def _changed(there: list[Values], wanted: Values, action: str, doing: str) -> list[Values]:
    """The records as the action leaves them."""
    same = [each for each in there if _key(each) == _key(wanted)]
    others = [each for each in there if _key(each) != _key(wanted)]
    if action == "REMOVEALL":
        pair = (wanted["CHLAUTH"], wanted["TYPE"])
        return [each for each in there if (each["CHLAUTH"], each["TYPE"]) != pair]
    keyword = _LISTS.get(str(wanted["TYPE"]), "")
    if action in ("ADD", "REMOVE") and keyword and same:
        return others + _listed(same[0], wanted, keyword, adding=action == "ADD")
    if action == "REMOVE":
        if not same:
            raise mqi_error(pcf_codes.MQRCCF_CHLAUTH_NOT_FOUND, doing)
        return others
    if action == "ADD" and same:
        raise mqi_error(pcf_codes.MQRCCF_CHLAUTH_ALREADY_EXISTS, doing)
    return [*others, wanted]


def _listed(there: Values, wanted: Values, keyword: str, *, adding: bool) -> list[Values]:
    """A blocking record with members added to its list, or taken from it; none once it is empty."""
    old = [each for each in str(there.get(keyword, "")).split(",") if each]
    new = [each for each in str(wanted.get(keyword, "")).split(",") if each]
    kept = [*old, *(each for each in new if each not in old)] if adding else [
        each for each in old if each not in new
    ]  # fmt: skip
    if not kept or (not adding and not new):
        return []
    return [there | {keyword: ",".join(kept)}]


def _write(manager: Manager, left: list[Values]) -> None:
    execute = manager.store.execute
    execute("DELETE FROM definition WHERE kind = 'CHLAUTH'")
    rows = {_ABSENT: "{}", **{"\n".join(_key(each)): json.dumps(each) for each in left}}
    for name, text in rows.items():
        execute("INSERT INTO definition VALUES ('CHLAUTH', ?, ?)", (name, text))
    execute("UPDATE state SET definitions = definitions + 1")
