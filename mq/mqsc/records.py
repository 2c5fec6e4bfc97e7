"""SET AUTHREC, DELETE AUTHREC and SET CHLAUTH as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqtriage.mq.attributes.catalogue import AttributeValue, attribute, quoted, render
from mqtriage.mq.mqsc.format import laid_out

Values = Mapping[str, AttributeValue]

_LISTS: Final = ("USERLIST", "ADDRLIST")


def set_record_text(
    kind: str, identity: Values, before: Values, after: Values, *, adding: bool = False
) -> str:
    """The command that makes a record with *before* one with *after*.

    Args:
        identity: what says which record it is; for CHLAUTH also values that stay, since REPLACE
            takes away what it does not name.
        adding: there is no such record yet.
    """
    if kind == "CHLAUTH":
        return _channel_text({**identity, **after}, "ADD" if adding else "REPLACE")
    old, new = _words(before), _words(after)
    parts = _authority_identity(identity)
    if new - old or not old - new:
        parts.append(f"AUTHADD({','.join(sorted(new - old)) or 'NONE'})")
    if old - new:
        parts.append(f"AUTHRMV({','.join(sorted(old - new))})")
    return laid_out("SET AUTHREC", parts)


def remove_record_text(kind: str, identity: Values, values: Values) -> str:
    """The command that takes a record away; *values* has the list of a blocking one."""
    if kind == "AUTHREC":
        return laid_out("DELETE AUTHREC", _authority_identity(identity))
    lists = {key: value for key, value in values.items() if key in _LISTS}
    return _channel_text({**identity, **lists}, "REMOVE")


def _channel_text(values: Values, action: str) -> str:
    head = f"SET CHLAUTH({quoted(str(values['CHLAUTH']))})"
    parts = _rendered("CHLAUTH", {k: v for k, v in values.items() if k != "CHLAUTH"})
    return laid_out(head, [*parts, f"ACTION({action})"])


def _authority_identity(identity: Values) -> list[str]:
    is_manager = identity["OBJTYPE"] == "QMGR"
    return _rendered(
        "AUTHREC", {k: v for k, v in identity.items() if not (is_manager and k == "PROFILE")}
    )


def _rendered(kind: str, values: Values) -> list[str]:
    return [
        render(entry, value)
        for keyword, value in values.items()
        if (entry := attribute(kind, keyword)) is not None and value != ""
    ]


def _words(values: Values) -> set[str]:
    return {word for word in str(values.get("AUTHLIST", "")).split(",") if word}
