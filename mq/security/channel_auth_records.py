"""Channel authentication records as data: what tells them apart, what SET CHLAUTH makes of them.

One BLOCKUSER or BLOCKADDR a profile; of the maps one for each address, client user, queue manager
or peer name. Source: IBM MQ documentation, "SET CHLAUTH".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from mqtriage.mq import cmqcfc
from mqtriage.mq.attributes.attribute import AttributeValue
from mqtriage.mq.errors import mqi_error

Record = Mapping[str, AttributeValue]
"""CHLAUTH (the profile), TYPE, and attributes."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "BLOCKUSER": (),
    "BLOCKADDR": (),
    "SSLPEERMAP": ("SSLPEER", "SSLCERTI", "ADDRESS"),
    "ADDRESSMAP": ("ADDRESS",),
    "USERMAP": ("CLNTUSER", "ADDRESS"),
    "QMGRMAP": ("QMNAME", "ADDRESS"),
}
"""What tells two records of one profile and type apart."""
LISTS: Final[Mapping[str, str]] = {"BLOCKUSER": "USERLIST", "BLOCKADDR": "ADDRLIST"}


def is_for(profile: str, channel: str) -> bool:
    """Whether a profile is for a channel: its asterisks stand for any characters, anywhere."""
    return bool(generic_name(profile).fullmatch(channel))


@lru_cache(maxsize=256)
def generic_name(pattern: str) -> re.Pattern[str]:
    """A name with asterisks as a pattern."""
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


def key_of(record: Record) -> tuple[str, ...]:
    """Profile, type, and what the record matches."""
    keys = KEYS[str(record["TYPE"])]
    return str(record["CHLAUTH"]), str(record["TYPE"]), *(str(record.get(k, "")) for k in keys)


def changed(there: Sequence[Record], change: Record, action: str, doing: str) -> list[Record]:
    """The records as SET CHLAUTH of *change* with that ACTION leaves them.

    Raises:
        MQIError: 3337 to add one that is there, 3338 to remove one that is not.
    """
    same = [record for record in there if key_of(record) == key_of(change)]
    others = [record for record in there if key_of(record) != key_of(change)]
    if action == "REMOVEALL":
        pair = (change["CHLAUTH"], change["TYPE"])
        return [record for record in there if (record["CHLAUTH"], record["TYPE"]) != pair]
    keyword = LISTS.get(str(change["TYPE"]), "")
    if action in ("ADD", "REMOVE") and keyword and same:
        return others + _listed(same[0], change, keyword, adding=action == "ADD")
    if action == "REMOVE":
        if not same:
            raise mqi_error(cmqcfc.MQRCCF_CHLAUTH_NOT_FOUND, doing)
        return others
    if action == "ADD" and same:
        raise mqi_error(cmqcfc.MQRCCF_CHLAUTH_ALREADY_EXISTS, doing)
    return [*others, change]


def _listed(there: Record, change: Record, keyword: str, *, adding: bool) -> list[Record]:
    """A blocking record with members added to its list, or taken from it; none once it is empty."""
    old = [item for item in str(there.get(keyword, "")).split(",") if item]
    new = [item for item in str(change.get(keyword, "")).split(",") if item]
    kept = [*old, *(item for item in new if item not in old)] if adding else [
        item for item in old if item not in new
    ]  # fmt: skip
    if not kept or (not adding and not new):
        return []
    return [{**there, keyword: ",".join(kept)}]
