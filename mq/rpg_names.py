"""The names that RPG programs on IBM i use for fields and values of the MQI (EX-68).

IBM's pages for RPG call a reason code RC2013, a field MDEXP and a value EIULIM; these are the ones
that the pages on message lifetime use. RCnnnn is read by `mq.code_names.codes_named`.

Source: IBM MQ documentation, IBM i Application Programming Reference (ILE/RPG).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mqtriage.mq import constants


class RpgName(NamedTuple):
    """The MQI's name of the same thing, its value ("" for a field), and what it means."""

    mqi_name: str
    value: int | str
    meaning: str


RPG_NAMES: Final[dict[str, RpgName]] = {
    "MDEXP": RpgName(
        "MQMD.Expiry", "", "The lifetime of a message in tenths of a second; a 32-bit signed field."
    ),
    "MDFMT": RpgName("MQMD.Format", "", "What the message data is: eight characters."),
    "EIULIM": RpgName(
        "MQEI_UNLIMITED", constants.MQEI_UNLIMITED, "The message never expires; the initial value."
    ),
    "ROEXP": RpgName(
        "MQRO_EXPIRATION",
        constants.MQRO_EXPIRATION,
        "Report when the message is discarded at the end of its lifetime, without its data.",
    ),
    "ROEXPD": RpgName(
        "MQRO_EXPIRATION_WITH_DATA",
        constants.MQRO_EXPIRATION_WITH_DATA,
        "The same report with the first 100 bytes of the message data.",
    ),
    "ROEXPF": RpgName(
        "MQRO_EXPIRATION_WITH_FULL_DATA",
        constants.MQRO_EXPIRATION_WITH_FULL_DATA,
        "The same report with all of the message data.",
    ),
    "GMLK": RpgName(
        "MQGMO_LOCK", constants.MQGMO_LOCK, "Lock the message that is browsed, until it is got."
    ),
    "GMMUC": RpgName(
        "MQGMO_MSG_UNDER_CURSOR",
        constants.MQGMO_MSG_UNDER_CURSOR,
        "Get the message that the browse cursor stands on.",
    ),
    "MONONE": RpgName(
        "MQMO_NONE", constants.MQMO_NONE, "Match no field: the next message, whichever it is."
    ),
    "FMXQH": RpgName(
        "MQFMT_XMIT_Q_HEADER",
        constants.MQFMT_XMIT_Q_HEADER,
        "The data begins with a transmission queue header (MQXQH).",
    ),
}


def rpg_names(text: str) -> dict[str, RpgName]:
    """The entries for an RPG name, or for several with a trailing ``*``: ``ROEXP*``; else none."""
    words = text.strip().upper()
    if words.endswith("*") and len(words) > 2:
        return {name: it for name, it in RPG_NAMES.items() if name.startswith(words[:-1])}
    return {words: RPG_NAMES[words]} if words in RPG_NAMES else {}
