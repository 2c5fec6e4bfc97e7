"""What the settings of `mqtriage lint` may be, where other tables have no such values."""

from __future__ import annotations

import re
from typing import Final

from mqtriage.definitions.analysis_file import measured
from mqtriage.definitions.rules.finding import Severity
from mqtriage.model.tables import NAMES, TEXT, ValueForm, one_of, table_of, text_like, wrong
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.levels import level_of
from mqtriage.mq.errors import UsageError

_CODE: Final = re.compile(r"[A-Z]{3,4}[0-9]{0,3}")
_ADDRESS: Final = text_like(
    r"""https?://[^\s<>"\\^`{|}]+""", "an address that begins with https://"
)


def _code(value: str, where: str) -> str:
    """A code or its first letters, in upper case."""
    code = value.strip().upper()
    if not _CODE.fullmatch(code):
        raise no_rule(value, where)
    return code


def no_rule(code: str, where: str) -> UsageError:
    """The error of a code that is none."""
    return UsageError(f"{where}: no rule {code!r}", hint="mqtriage lint explain")


def _level(value: object, where: str) -> int:
    level = level_of(value) if isinstance(value, str) else None
    if level is None:
        raise wrong(value, where, 'a version such as "9.4"')
    return level


def _page_address(value: object, where: str) -> str:
    return _ADDRESS.read(value, where).removesuffix("/") + "/"


_SEVERITY: Final = one_of(*Severity)
_CODE_SCHEMA: Final = {"type": "string", "pattern": "^ *[A-Za-z]{3,4}[0-9]{0,3} *$"}

MEASURED: Final = ValueForm(lambda value, where: measured(TEXT.read(value, where)), TEXT.schema)
CODES: Final = ValueForm(
    lambda value, where: tuple(_code(word, where) for word in NAMES.read(value, where)),
    {"type": "array", "items": _CODE_SCHEMA},
)
FAIL_ON: Final = one_of(*Severity, "never")
SEVERITIES: Final = ValueForm(
    lambda value, where: {
        _code(word, where): severity
        for word, severity in table_of(_SEVERITY).read(value, where).items()
    },
    {
        "type": "object",
        "propertyNames": _CODE_SCHEMA,
        "additionalProperties": _SEVERITY.schema,
    },
)
PLATFORM: Final[ValueForm[Platform]] = one_of("dist", "zos")
LEVEL: Final = ValueForm(_level, {"type": "string", "pattern": "^[0-9]+([.][0-9]+)*$"})
PAGE_ADDRESS: Final = ValueForm(_page_address, _ADDRESS.schema)
