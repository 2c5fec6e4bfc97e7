"""What is known about one attribute of an MQ object: its keyword, its values, its defaults.

`mq/attributes/tables.py` reads the tables; `mq/attributes/catalogue.py` looks attributes up and
turns values into text and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from mqtriage.records import dataclass

Platform: TypeAlias = Literal["dist", "zos"]
"""`dist` is AIX, Linux, Windows, IBM i and the appliance."""

AttributeValue: TypeAlias = int | str
"""A value as MQSC prints it: 5000, "ENABLED", "YES", "ORDERS.BO"; "" is a blank name."""

MAX_LONG: Final = 999_999_999

QUEUE_KINDS: Final = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE")
HOLDING: Final = ("QLOCAL", "QMODEL")
"""Queues that hold messages, or are made to."""
CHANNEL_TYPES: Final = (
    "SDR", "SVR", "RCVR", "RQSTR", "CLNTCONN", "SVRCONN", "CLUSSDR", "CLUSRCVR", "AMQP", "MQTT",
)  # fmt: skip
SECRETS: Final = frozenset({"PASSWORD", "LDAPPWD", "SSLKEYP", "KEYRPWD", "INITKEY", "SSLCRYP"})
"""Attributes that hold a password or a key: asterisks in every text, neither compared nor set."""
MASKED: Final = "********"
_TOKEN_PASSWORD: Final = 2
"""Part of SSLCRYP: driver, label of the token, password, and what is optional."""


def masked(values: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Attributes with asterisks for passwords and keys that are set."""
    return {
        key: masked_text(key, str(value)) if key in SECRETS and value else value
        for key, value in values.items()
    }


def masked_text(keyword: str, text: str) -> str:
    """What is shown of a value of `SECRETS`.

    Source: IBM MQ documentation, "DISPLAY QMGR": the PKCS #11 password of SSLCRYP "appears as
    xxxxxx".
    """
    if keyword != "SSLCRYP":
        return MASKED
    parts = text.split(";")
    if len(parts) > _TOKEN_PASSWORD and parts[_TOKEN_PASSWORD].strip(" '"):
        parts[_TOKEN_PASSWORD] = "xxxxxx"
    return ";".join(parts)


class ValueKind(StrEnum):
    """What stands between the parentheses."""

    INTEGER = "integer"
    """A whole number, or one of `words`."""
    WORD = "word"
    """One of `words`, and nothing else."""
    FLAG = "flag"
    """KEYWORD or NOKEYWORD without a value; kept as "YES" or "NO"."""
    NAME = "name"
    """An MQ name of at most `max_length` characters, or blank."""
    STRING = "string"
    """Any text of at most `max_length` characters, or blank."""
    WORDS = "words"
    """One or more of `words`, with commas between them."""
    LIST = "list"
    """Names or texts, with commas between them."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute as it applies to some kinds of object.

    Attributes:
        keyword: MQSC keyword; a flag has its positive form (SHARE, TRIGGER, HARDENBO).
        selector_name, selector: MQIA_*, MQCA_* and their kin with the number; "" and 0 for none.
        pcf: parameter name in IBM's PCF reference, "" when not known.
        minimum, maximum: range of an INTEGER, both ends allowed.
        words: MQSC words with the MQI's numbers.
        max_length: characters a NAME, a STRING or a member of a LIST may have.
        default: value on distributed; None when an object has none (read-only ones).
        zos_default: value on z/OS where it differs.
        only: the one platform that has it, None for both.
        read_only: shown, never set: CURDEPTH, CRDATE.
        channel_types: for CHANNEL and AUTHINFO, the CHLTYPE or AUTHTYPE that have it; empty
            for all.
        sure: False when the sources leave range or words open: a doubt is then a note.
        unit: of the number, for messages: "bytes", "tenths of a second".
    """

    keyword: str
    kind: ValueKind
    kinds: tuple[str, ...]
    selector_name: str = ""
    selector: int = 0
    pcf: str = ""
    minimum: int = 0
    maximum: int = MAX_LONG
    words: Mapping[str, int] = field(default_factory=dict)
    max_length: int = 48
    default: AttributeValue | None = None
    zos_default: AttributeValue | None = None
    only: Platform | None = None
    read_only: bool = False
    channel_types: tuple[str, ...] = ()
    sure: bool = True
    unit: str = ""

    def default_on(self, platform: Platform) -> AttributeValue | None:
        """The default that IBM supplies on *platform*."""
        if platform == "zos" and self.zos_default is not None:
            return self.zos_default
        return self.default

    def exists_on(self, platform: Platform) -> bool:
        """Whether that platform's MQSC has the attribute."""
        return self.only is None or self.only == platform
