"""A document for people: titled sections of label and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from mqtriage.formatters import cells
from mqtriage.formatters.pairs import bold, pair_lines
from mqtriage.formatters.style import Style
from mqtriage.model.result import Document, Show, whole

Section: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

_SHOW_BY_ENDING: Final = (
    ("_tenths", Show.TENTHS),
    ("_bytes", Show.BYTES),
    ("_ms", Show.AGE_MS),
    ("_time", Show.TIME),
    ("_at", Show.TIME),
    ("_id", Show.ID),
)


def chosen_data(document: Document, columns: tuple[str, ...]) -> dict[str, Any]:
    """The keys of *columns*, or all."""
    return {name: document.data[name] for name in columns} if columns else document.data


def document_lines(
    document: Document, style: Style, *, width: int | None, separator: str = " "
) -> list[str]:
    """The lines to print: the sections, or the data where there are none or columns are chosen.

    Args:
        width: fold values at this column; None never folds.
        separator: what stands between date and time.
    """
    sections = document.sections
    if style.columns or not sections:
        data = whole(chosen_data(document, style.columns))
        if not style.columns:
            data = _without_doubles(data)
        if document.is_brief and not style.columns:
            data = _with_values(data)
        sections = tuple(data_sections(data, utc=style.utc, separator=separator))
    lines: list[str] = []
    for title, pairs in sections:
        if lines:
            lines.append("")
        if title:
            lines.append(bold(title, style.colour))
        indent = 2 if title else 0
        lines += pair_lines(pairs, indent=indent, width=width, colour=style.colour)
    return lines


def _with_values(value: Any) -> Any:
    """The data without keys that have no value, in what is nested too."""
    if isinstance(value, Mapping):
        pairs = ((key, _with_values(part)) for key, part in value.items())
        return {key: part for key, part in pairs if part not in (None, "", [], {}, ())}
    return [_with_values(part) for part in value] if isinstance(value, list) else value


def _without_doubles(data: dict[str, Any]) -> dict[str, Any]:
    """The data without what people see already.

    Headers are shown by field, a whole PCF message by its parameters; others need no line on PCF.
    Damages are shown where there are any; the line damage says so too.
    Properties are listed once, and folders by their text.
    """
    data = {key: value for key, value in data.items() if key != "headers_hex"}
    if "damage" in data and not data.get("damages"):
        del data["damages"]
    if data.get("properties") == []:
        data = {key: value for key, value in data.items() if key != "properties"}
    elif "properties" in data and "headers" in data:
        data["headers"] = [_without_properties(header) for header in data["headers"]]
    if "pcf" not in data:
        return data
    if data["pcf"] is not None and data.get("damages"):
        return data
    left_out = "pcf" if data["pcf"] is None else "body_hex"
    return {key: value for key, value in data.items() if key != left_out}


def _without_properties(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """A header whose folders are their text, where they have one."""
    fields = header.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(fields.get("folders"), list):
        return header
    folders = [
        {key: part for key, part in folder.items() if key in ("name", "text")}
        if isinstance(folder, Mapping) and folder.get("text") is not None
        else folder
        for folder in fields["folders"]
    ]
    return {**header, "fields": {**fields, "folders": folders}}


def data_sections(
    data: Mapping[str, Any], *, utc: bool, separator: str = " ", title: str = ""
) -> Iterator[Section]:
    """Sections from JSON content: plain values first, then a section for each nested one."""
    pairs = tuple(
        data_pair(key, value, utc=utc, separator=separator)
        for key, value in data.items()
        if not _is_nested(value)
    )
    if pairs or not title:
        yield title, pairs
    for key, value in data.items():
        if not _is_nested(value):
            continue
        if key == "pcf":
            yield from pcf_sections(value)
            continue
        if key == "properties" and not title:
            yield "Properties", tuple(map(_property_pair, value))
            continue
        name = f"{title}, {_words(key)}" if title else _words(key).capitalize()
        parts = [value] if isinstance(value, Mapping) else value
        for number, part in enumerate(parts, 1):
            numbered = f"{name} {number}" if len(parts) > 1 else name
            yield from data_sections(part, utc=utc, separator=separator, title=numbered)


def show_of(key: str) -> Show:
    """How the value of a key is shown: its ending says its unit."""
    return next((show for ending, show in _SHOW_BY_ENDING if key.endswith(ending)), Show.TEXT)


def data_pair(key: str, value: Any, *, utc: bool, separator: str = " ") -> tuple[str, str]:
    """Label and text of one value; the ending of its key says its unit and how it is shown."""
    if isinstance(value, str) and "\n" in value:
        return _words(key), value
    for ending, show in _SHOW_BY_ENDING:
        if not key.endswith(ending):
            continue
        label = _words(key.removesuffix(ending)) if isinstance(value, int) else _words(key)
        if show is Show.BYTES and type(value) is int:
            return label, cells.exact_bytes_text(value)
        return label, cells.display_function(show, utc=utc, separator=separator)(value)
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return _words(key), "\n".join(value)
    return _words(key), cells.plain_text(value)


def _property_pair(record: Mapping[str, Any]) -> tuple[str, str]:
    kind, value = record["type"], record["value"]
    return record["name"], cells.plain_text(value) + ("" if kind == "string" else f"  ({kind})")


_KEY_LABELS: Final = {
    "act": "action",
    "back": "reverse MQSC",
    "depth_sum": "MAXDEPTH needed",
    "length_sum": "MAXMSGL needed",
    "made": "planned by",
    "not_taken_back": "not undone",
    "planned_with": "command",
    "room": "disk space",
}
"""Labels of keys of JSON that would read oddly."""


def _words(key: str) -> str:
    return _KEY_LABELS.get(key) or key.replace("_", " ")


def _is_nested(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value)
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(part, Mapping) for part in value)
    )


_HEAD: Final = ("type", "command", "comp_code", "reason", "control", "msg_seq_number", "version")
_LABELS: Final = {"comp_code": "completion code", "msg_seq_number": "sequence number"}


def pcf_sections(record: Mapping[str, Any]) -> Iterator[Section]:
    """Sections of what `messages.pcf_record.pcf_record` made.

    Each number has its name in front where there is one: ``MQRC_Q_FULL (2053)``.
    """
    head = tuple(
        (_LABELS.get(key, key), _with_name(record.get(f"{key}_name"), record[key])) for key in _HEAD
    )
    yield from _sections("PCF", head, record["parameters"])


def _sections(
    title: str, first: tuple[tuple[str, str], ...], parameters: list[Mapping[str, Any]]
) -> Iterator[Section]:
    groups = [parameter for parameter in parameters if parameter["structure"] == "MQCFGR"]
    pairs = tuple(
        (_label(parameter), _text(parameter))
        for parameter in parameters
        if parameter["structure"] != "MQCFGR"
    )
    yield title, first + pairs
    for number, parameter in enumerate(groups, 1):
        name = f"{title}, {_label(parameter)}"
        alike = sum(other["id"] == parameter["id"] for other in groups)
        numbered = f"{name} {number}" if alike > 1 else name
        yield from _sections(numbered, (), parameter["parameters"])


def _label(parameter: Mapping[str, Any]) -> str:
    return str(parameter["name"] or f"parameter {parameter['id']}")


def _text(parameter: Mapping[str, Any]) -> str:
    value, name = parameter["value"], parameter["value_name"]
    if value is None:
        return "(cannot be read)"
    if isinstance(value, list):
        names = name if isinstance(name, list) else [None] * len(value)
        text = ", ".join(_with_name(n, v) for n, v in zip(names, value, strict=True))
    else:
        text = _with_name(name, value)
    return f"{parameter['operator']} {text}" if parameter["operator"] else text


def _with_name(name: object, value: object) -> str:
    shown = "' '" if value == "" else str(value)
    return f"{name} ({shown})" if name else shown
