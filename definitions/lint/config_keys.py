"""The keys of the configuration of `mqtriage lint`: what each takes, and what it is for.

One description for three uses: reading a file (`values_of`), its JSON schema (`table_schema`,
which scripts/make_schema.py writes to docs), and `--show-settings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from mqtriage.definitions.analysis_file import measured
from mqtriage.definitions.lint.pages import all_codes
from mqtriage.definitions.load_model import LoadModel, QueueReader
from mqtriage.definitions.rules.finding import Severity
from mqtriage.model.units import parse_duration_ms, parse_percent, parse_rate, parse_size_bytes
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.levels import level_of
from mqtriage.mq.errors import UsageError
from mqtriage.mq.records import NamedTuple

_CODE: Final = re.compile(r"[A-Z]{3,4}[0-9]{0,3}")
_ENTITY: Final = re.compile(r"(GROUP|PRINCIPAL)\([^()']+\)")
SEVERITIES: Final = tuple(severity.value for severity in Severity)

JsonSchema: TypeAlias = Mapping[str, Any]


class ValueForm(NamedTuple):
    """What a value may be.

    Attributes:
        read: makes of the TOML value what the program works with; gets the key for its errors.
        schema: the same as JSON schema; what it takes and `read` refuses is refused with a reason.
    """

    read: Callable[[Any, str], Any]
    schema: JsonSchema


class ConfigKey(NamedTuple):
    """One key of a table.

    Attributes:
        example: a value that is right, as TOML has it.
        field: of the record that it is for, `LintConfig` or `LoadModel`; "" where it has the name
            of the key.
    """

    form: ValueForm
    help: str
    example: Any
    field: str = ""


Keys: TypeAlias = Mapping[str, ConfigKey]


def values_of(table: Any, keys: Keys, where: str) -> dict[str, Any]:
    """The values of a table, by the fields that they are for.

    Raises:
        UsageError: Naming the key that is not known, or whose value is wrong.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table")
    values = {}
    for word, value in table.items():
        if word not in keys:
            hint = f"keys: {', '.join(sorted(keys))}"
            raise UsageError(f"{where}.{word}: no such key", hint=hint)
        values[field_of(word, keys)] = keys[word].form.read(value, f"{where}.{word}")
    return values


def field_of(word: str, keys: Keys) -> str:
    """The field that a key is for."""
    return keys[word].field or word.replace("-", "_")


def table_schema(keys: Keys) -> JsonSchema:
    """The JSON schema of a table with these keys and no others."""
    return {
        "type": "object",
        "properties": {
            word: {**key.form.schema, "description": key.help, "examples": [key.example]}
            for word, key in keys.items()
        },
        "additionalProperties": False,
    }


def load_model(table: Any, where: str = "lint.load") -> LoadModel:
    """Read the [load] table.

    Raises:
        UsageError: Naming the key.
    """
    return LoadModel(**values_of(table, LOAD, where))


def _platform(value: Any, where: str) -> Platform:
    if value in ("dist", "zos"):
        return "zos" if value == "zos" else "dist"
    raise UsageError(f"{where} is {value!r}: dist or zos is expected")


def _level(version: Any, where: str) -> int:
    level = level_of(version) if isinstance(version, str) else None
    if level is None:
        raise UsageError(f'{where} is {version!r}: a version such as "9.4" is expected')
    return level


def _codes(value: Any, where: str) -> tuple[str, ...]:
    return codes_of(_names(value, where), where)


def _per_path(value: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must be a table of patterns and codes")
    return {pattern: _codes(codes, f"{where}.{pattern}") for pattern, codes in value.items()}


def _severities(value: Any, where: str) -> dict[str, Severity]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must be a table of codes and severities")
    severities = {}
    for word, severity in value.items():
        (code,) = codes_of((word,), where)
        if severity not in SEVERITIES:
            expected = f"{', '.join(SEVERITIES[:-1])} or {SEVERITIES[-1]}"
            raise UsageError(f"{where}.{word} is {severity!r}: {expected} is expected")
        severities[code] = Severity(severity)
    return severities


def _page_address(value: Any, where: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"https?://[^\s<>\"\\^`{|}]+", value):
        return value if value.endswith("/") else f"{value}/"
    raise UsageError(f"{where} is {value!r}: an address that begins with https:// is expected")


def codes_of(words: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Codes or their first letters, in upper case.

    Raises:
        UsageError: One that no rule's code starts with.
    """
    codes = []
    for word in words:
        code = word.strip().upper()
        if not _CODE.fullmatch(code) or not any(known.startswith(code) for known in all_codes()):
            raise UsageError(f"{where}: no rule {word!r}", hint="mqtriage lint --explain all")
        codes.append(code)
    return tuple(codes)


def severity_of(word: Any, where: str) -> str:
    """One of error, warning, info, or never.

    Raises:
        UsageError: Another word.
    """
    if word in (*SEVERITIES, "never"):
        return str(word)
    raise UsageError(f"{where} {word}: expected {', '.join(SEVERITIES)} or never")


def _rate(value: Any, where: str) -> str:
    parse_rate(_of_type(value, str, where), what=where)
    return exact_rate(value)


def exact_rate(text: str) -> str:
    """``600/m`` as messages a second, as exact text: ``10``."""
    from fractions import Fraction

    number, _, unit = text.partition("/")
    per = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}[unit]
    return str(Fraction(number.strip()) / per)


def _of_type(value: Any, kind: type, where: str) -> Any:
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    words = {str: "text", bool: "true or false", int: "a whole number", list: "a list"}
    raise UsageError(f"{where} is {value!r}: {words[kind]} is expected")


def _count(value: Any, where: str) -> int:
    number: int = _of_type(value, int, where)
    if number < 0:
        raise UsageError(f"{where} is {number}: 0 or more is expected")
    return number


def _names(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_of_type(text, str, where) for text in _of_type(value, list, where))


def _entities(value: Any, where: str) -> tuple[str, ...]:
    names = _names(value, where)
    for name in names:
        _entity(name, where)
    return names


def _entity(value: Any, where: str) -> str:
    if isinstance(value, str) and _ENTITY.fullmatch(value):
        return value
    raise UsageError(f"{where} is {value!r}: GROUP(name) or PRINCIPAL(name) is expected")


def _readers(value: Any, where: str) -> tuple[QueueReader, ...]:
    readers = []
    for table in _of_type(value, list, where):
        if not isinstance(table, dict) or set(table) != {"entity", "queues"}:
            raise UsageError(f"{where}: each has entity and queues")
        queues = _names(table["queues"], f"{where}.queues")
        readers.append(QueueReader(_entity(table["entity"], f"{where}.entity"), queues))
    return tuple(readers)


_TEXT: Final[JsonSchema] = {"type": "string"}
_NUMBER: Final[JsonSchema] = {"type": "integer", "minimum": 0}
_CODES_SCHEMA: Final[JsonSchema] = {
    "type": "array",
    "items": {"type": "string", "pattern": "^ *[A-Za-z]{3,4}[0-9]{0,3} *$"},
}
_CODES: Final = ValueForm(_codes, _CODES_SCHEMA)
_FLAG: Final = ValueForm(lambda value, where: _of_type(value, bool, where), {"type": "boolean"})
_NAMES: Final = ValueForm(_names, {"type": "array", "items": _TEXT})
_DURATION: Final = ValueForm(
    lambda value, where: parse_duration_ms(_of_type(value, str, where), what=where), _TEXT
)
_SIZE: Final = ValueForm(
    lambda value, where: parse_size_bytes(str(value), what=where),
    {"type": ["string", "integer"], "minimum": 0},
)
_COUNT: Final = ValueForm(_count, _NUMBER)
_ENTITY_SCHEMA: Final[JsonSchema] = {"type": "string", "pattern": f"^{_ENTITY.pattern}$"}
_READERS: Final[JsonSchema] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"entity": _ENTITY_SCHEMA, "queues": _NAMES.schema},
        "required": ["entity", "queues"],
        "additionalProperties": False,
    },
}

LOAD: Final[Keys] = {
    "rate": ConfigKey(ValueForm(_rate, _TEXT), "Delayed sends at peak.", "50/s", "rate_per_s"),
    "longest_delay": ConfigKey(_DURATION, "Longest delay in use.", "15m", "longest_delay_ms"),
    "largest_message": ConfigKey(
        _SIZE, "Largest message, headers included.", "64KiB", "largest_message_bytes"
    ),
    "subscribers": ConfigKey(_COUNT, "Copies that one publication stages.", 1),
    "headroom_percent": ConfigKey(
        ValueForm(
            lambda value, where: int(parse_percent(str(value), what=where)),
            {"type": ["string", "number"], "minimum": 0},
        ),
        "Added to the depth that is needed.",
        50,
    ),
    "header_allowance": ConfigKey(
        _SIZE, "Room for the delay header in MAXMSGL.", "4KiB", "header_allowance_bytes"
    ),
    "time_to_live": ConfigKey(
        _DURATION, "Shortest lifetime of a delayed message.", "1h", "time_to_live_ms"
    ),
    "persistent": ConfigKey(_FLAG, "Whether delayed messages are persistent.", True),
    "delayed_queues": ConfigKey(
        _NAMES, "Queues that get delayed messages; * in names.", ["ORDERS.*"]
    ),
    "delayed_topics": ConfigKey(_NAMES, "Topic strings of delayed publications.", ["prices/"]),
    "unread_queues": ConfigKey(_NAMES, "Queues that no program reads; * in names.", ["AUDIT.*"]),
    "flows_without_transaction": ConfigKey(
        _NAMES, "Queues that message flows read with Transaction mode No.", ["FLOW.IN"]
    ),
    "staging_users": ConfigKey(
        ValueForm(_entities, {"type": "array", "items": _ENTITY_SCHEMA}),
        "Who may use the staging queue.",
        ["GROUP(mqops)"],
    ),
    "greatest_threshold": ConfigKey(_COUNT, "BOTHRESH above this is a finding.", 10),
    "readers": ConfigKey(
        ValueForm(_readers, _READERS),
        "Who reads which queues.",
        [{"entity": "GROUP(orders)", "queues": ["ORDERS.*"]}],
    ),
    "analysis": ConfigKey(
        ValueForm(lambda value, where: measured(_of_type(value, str, where)), _TEXT),
        "File of mqtriage analyze delay -o json.",
        "load.json",
        "measured",
    ),
}
"""What stands under [lint.load]."""

LINT: Final[Keys] = {
    "select": ConfigKey(_CODES, "Rules to run: codes, or the letters they start with.", ["BKO"]),
    "ignore": ConfigKey(_CODES, "Rules to leave out; the longer code wins.", ["BKO014"]),
    "fail-on": ConfigKey(
        ValueForm(severity_of, {"enum": [*SEVERITIES, "never"]}),
        "Exit 4 for findings of this severity or above.",
        "warning",
    ),
    "severity": ConfigKey(
        ValueForm(
            _severities,
            {
                "type": "object",
                "propertyNames": _CODES_SCHEMA["items"],
                "additionalProperties": {"enum": list(SEVERITIES)},
            },
        ),
        "Severity of rules, by code or first letters, where it is not to be their own.",
        {"BKO014": "warning"},
    ),
    "platform": ConfigKey(
        ValueForm(_platform, {"enum": ["dist", "zos"]}),
        "Where the scripts are to run. Default: as the scripts suggest.",
        "zos",
    ),
    "mq-version": ConfigKey(
        ValueForm(_level, {"type": "string", "pattern": "^[0-9]+([.][0-9]+)*$"}),
        "What the queue managers run. Default: as a dump says.",
        "9.4",
        "command_level",
    ),
    "whole": ConfigKey(_FLAG, "The scripts are all that the queue manager has.", True),
    "baseline": ConfigKey(
        ValueForm(lambda value, where: _of_type(value, str, where), _TEXT),
        "File of findings that are known, beside this one.",
        "known.json",
    ),
    "per-path": ConfigKey(
        ValueForm(_per_path, {"type": "object", "additionalProperties": _CODES_SCHEMA}),
        "Rules to leave out in files whose path matches the pattern.",
        {"legacy/*.mqsc": ["BKO009"]},
    ),
    "rule-pages": ConfigKey(
        ValueForm(_page_address, {"type": "string", "pattern": "^https?://"}),
        "Where the pages of the rules can be read: the address of definitions/rules in your copy.",
        "https://git.example.com/mq/mqtriage/blob/main/definitions/rules/",
    ),
    "load": ConfigKey(
        ValueForm(load_model, table_schema(LOAD)),
        "The load that is expected, for rules on sizes and delays.",
        {"rate": "50/s", "longest_delay": "15m"},
    ),
}
"""What stands under [lint], or [tool.mqtriage.lint] of pyproject.toml."""
