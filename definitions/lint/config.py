"""The configuration of `mqtriage lint`: mqtriage.toml, or [tool.mqtriage.lint] of pyproject.toml.

    select = ["BKO", "DLY"]          # codes, or the letters they start with
    ignore = ["BKO014"]
    fail-on = "warning"
    platform = "zos"                 # or "dist"; else the scripts tell
    mq-version = "9.3"               # what the queue managers run; else a dump tells
    whole = true                     # the scripts are all that the queue manager has
    baseline = "lint-baseline.json"

    [per-path]
    "legacy/*.mqsc" = ["BKO"]        # codes that are ignored there

    [load]
    rate = "50/s"
    longest_delay = "15m"
    analysis = "load.json"           # of mqtriage analyze delay -o json
    delayed_queues = ["ORDERS.*"]

    [[load.readers]]
    entity = "GROUP(orders)"
    queues = ["ORDERS.*"]

In mqtriage.toml the same keys stand under [lint].
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from mqtriage.definitions.analysis_file import measured
from mqtriage.definitions.lint.pages import all_codes
from mqtriage.definitions.load_model import LoadModel, Measured, Reader
from mqtriage.model.units import parse_duration_ms, parse_percent, parse_rate, parse_size_bytes
from mqtriage.mq.attributes.attribute import Platform
from mqtriage.mq.attributes.levels import level_of
from mqtriage.mq.errors import UsageError, unreadable

_CODE: Final = re.compile(r"[A-Z]{3,4}[0-9]{0,3}")
_ENTITY: Final = re.compile(r"(GROUP|PRINCIPAL)\([^()']+\)")
SEVERITIES: Final = ("error", "warning", "info")
_Readers: TypeAlias = Mapping[str, tuple[str, Callable[[Any, str], Any]]]
"""Key to the field that it is for, and what reads the value; that gets the key for its errors."""


@dataclass(frozen=True, slots=True)
class LintConfig:
    """Settings of a run; codes may be cut short to the letters they start with."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    platform: Platform | None = None
    command_level: int | None = None
    whole: bool = False
    baseline: str = ""
    per_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    load: LoadModel = field(default_factory=LoadModel)
    file: str = ""


def find_config(start: Path) -> LintConfig:
    """The nearest configuration at *start* or above it; the empty one when there is none.

    Raises:
        UsageError: It holds a key or value that is not known; the text says where.
        StorageError: It cannot be read.
    """
    for folder in (start, *start.parents):
        for name in ("mqtriage.toml", "pyproject.toml"):
            file = folder / name
            if file.is_file():
                config = read_config(file)
                if config is not None:
                    return config
        if (folder / ".git").exists():
            break
    return LintConfig()


def read_config(file: Path) -> LintConfig | None:
    """The configuration in one file, None where it has none of ours."""
    import tomllib

    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise unreadable(str(file), error) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from error
    table = data
    keys = ("tool", "mqtriage", "lint") if file.name == "pyproject.toml" else ("lint",)
    for key in keys:
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: {key} must be a table")
    if not table:
        return None
    try:
        return config_from(table, str(file))
    except UsageError as error:
        raise UsageError(f"{file}: {error.text}", hint=error.hint) from error


def config_from(table: Mapping[str, Any], file: str = "") -> LintConfig:
    """Check the keys and values of a [lint] table.

    Raises:
        UsageError: Naming the key.
    """
    return LintConfig(**_values(table, _LINT, "lint"), file=file)


def _values(table: Any, readers: _Readers, where: str) -> dict[str, Any]:
    """The values of a table, by the fields that they are for."""
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table")
    values = {}
    for key, value in table.items():
        if key not in readers:
            hint = f"keys: {', '.join(sorted(readers))}"
            raise UsageError(f"{where}.{key}: no such key", hint=hint)
        name, read = readers[key]
        values[name] = read(value, f"{where}.{key}")
    return values


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


def load_model(table: Mapping[str, Any]) -> LoadModel:
    """Read the [load] table.

    Raises:
        UsageError: Naming the key.
    """
    return LoadModel(**_values(table, _LOAD, "lint.load"))


def _rate(value: Any, where: str) -> str:
    parse_rate(_of_type(value, str, where), what=where)
    return exact_rate(value)


def exact_rate(text: str) -> str:
    """``600/m`` as messages a second, as exact text: ``10``."""
    from fractions import Fraction

    number, _, unit = text.partition("/")
    per = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}.get(unit.strip(), 1)
    return str(Fraction(number.strip()) / per)


def _of_type(value: Any, kind: type, where: str) -> Any:
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    words = {str: "text", bool: "true or false", int: "a whole number", list: "a list"}
    raise UsageError(f"{where} is {value!r}: {words[kind]} is expected")


def _duration(value: Any, where: str) -> int:
    return parse_duration_ms(_of_type(value, str, where), what=where)


def _size(value: Any, where: str) -> int:
    return parse_size_bytes(str(value), what=where)


def _count(value: Any, where: str) -> int:
    number: int = _of_type(value, int, where)
    if number < 0:
        raise UsageError(f"{where} is {number}: 0 or more is expected")
    return number


def _percent(value: Any, where: str) -> int:
    return int(parse_percent(str(value), what=where))


def _names(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_of_type(text, str, where) for text in _of_type(value, list, where))


def _yes(value: Any, where: str) -> bool:
    return bool(_of_type(value, bool, where))


def _text(value: Any, where: str) -> str:
    return str(_of_type(value, str, where))


def _entities(value: Any, where: str) -> tuple[str, ...]:
    names = _names(value, where)
    for name in names:
        _entity(name, where)
    return names


def _entity(value: Any, where: str) -> str:
    if isinstance(value, str) and _ENTITY.fullmatch(value):
        return value
    raise UsageError(f"{where} is {value!r}: GROUP(name) or PRINCIPAL(name) is expected")


def _readers(value: Any, where: str) -> tuple[Reader, ...]:
    readers = []
    for table in _of_type(value, list, where):
        if not isinstance(table, dict) or set(table) != {"entity", "queues"}:
            raise UsageError(f"{where}: each has entity and queues")
        queues = _names(table["queues"], f"{where}.queues")
        readers.append(Reader(_entity(table["entity"], f"{where}.entity"), queues))
    return tuple(readers)


def _analysis(value: Any, where: str) -> Mapping[str, Measured]:
    return measured(_text(value, where))


_LOAD: Final[_Readers] = {
    "rate": ("rate_per_s", _rate),
    "longest_delay": ("longest_delay_ms", _duration),
    "largest_message": ("largest_message_bytes", _size),
    "subscribers": ("subscribers", _count),
    "headroom_percent": ("headroom_percent", _percent),
    "header_allowance": ("header_allowance_bytes", _size),
    "time_to_live": ("time_to_live_ms", _duration),
    "persistent": ("persistent", _yes),
    "delayed_queues": ("delayed_queues", _names),
    "delayed_topics": ("delayed_topics", _names),
    "unread_queues": ("unread_queues", _names),
    "flows_without_transaction": ("flows_without_transaction", _names),
    "staging_users": ("staging_users", _entities),
    "greatest_threshold": ("greatest_threshold", _count),
    "readers": ("readers", _readers),
    "analysis": ("measured", _analysis),
}
_LINT: Final[_Readers] = {
    "select": ("select", _codes),
    "ignore": ("ignore", _codes),
    "fail-on": ("fail_on", severity_of),
    "platform": ("platform", _platform),
    "mq-version": ("command_level", _level),
    "whole": ("whole", _yes),
    "baseline": ("baseline", _text),
    "per-path": ("per_path", _per_path),
    "load": ("load", lambda value, where: load_model(value)),
}
