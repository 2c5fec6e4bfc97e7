"""CAPEXPRY of an object: its attribute, or CUSTOM('CAPEXPRY(n)') where the attribute says nothing.

Source: IBM MQ 9.4 "Lifetime of messages: CAPEXPRY"; before 9.4 it stood in CUSTOM alone.
"""

from __future__ import annotations

import re

from mqtriage.definitions.estate import Definition
from mqtriage.definitions.rules.finding import Alter, setting
from mqtriage.mq import expiry
from mqtriage.records import NamedTuple


class Cap(NamedTuple):
    """The greatest lifetime of messages on an object.

    Attributes:
        tenths: of a second.
        keyword: the attribute that it stands in.
        text: as MQSC.
    """

    tenths: int
    keyword: str
    text: str


def cap_of(thing: Definition) -> Cap | None:
    """The cap that counts; None for none, or where it is not known."""
    tenths = expiry.cap_of(thing.attributes)
    if tenths is None:
        return None
    if thing.number("CAPEXPRY") is not None:
        return Cap(tenths, "CAPEXPRY", f"CAPEXPRY({tenths})")
    match = re.search(expiry.CAP_IN_CUSTOM, thing.text("CUSTOM") or "")
    return Cap(tenths, "CUSTOM", f"CUSTOM('{match[0]}')") if match else None


def without_cap(thing: Definition, cap: Cap) -> Alter:
    """The change that takes the cap away."""
    if cap.keyword == "CAPEXPRY":
        return setting(thing, CAPEXPRY="NOLIMIT")
    return setting(thing, CUSTOM=custom_without_cap(thing))


def with_cap(thing: Definition, cap: Cap, tenths: int) -> Alter:
    """The change that makes the cap another one, where it stands."""
    if cap.keyword == "CAPEXPRY":
        return setting(thing, CAPEXPRY=tenths)
    custom = re.sub(expiry.CAP_IN_CUSTOM, f"CAPEXPRY({tenths})", thing.text("CUSTOM") or "")
    return setting(thing, CUSTOM=custom)


def custom_without_cap(thing: Definition) -> str:
    """What else stands in CUSTOM."""
    return " ".join(re.sub(expiry.CAP_IN_CUSTOM, "", thing.text("CUSTOM") or "").split())
