"""Tables of TOML and JSON that people write, read into records whose fields say what keys take.

    @dataclass(frozen=True, slots=True)
    class RuleTest:
        action: str | None = key(one_of("retry", "fwd"), None)
        count: int | None = key(COUNT, None)

    record_form(RuleTest).read({"action": "retry"}, "test")

What is wrong is a UsageError with its place, what stands there, and what is expected:
``lint.load.subscribers is 'many'; expected a whole number of 0 or more``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, fields
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from mqtriage.model.options import any_of
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple, dataclass

T = TypeVar("T")
D = TypeVar("D")
T_co = TypeVar("T_co", covariant=True)
Word = TypeVar("Word", bound=str)
JsonSchema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ValueForm(Generic[T_co]):
    """What a value may be.

    Attributes:
        read: makes of the value what the program works with; gets the place for its errors.
        schema: the same as JSON schema; what it takes and `read` refuses is refused with a reason.
    """

    read: Callable[[object, str], T_co]
    schema: JsonSchema = field(default_factory=dict)


class Key(NamedTuple):
    """One key of a table.

    Attributes:
        field: of the record that it is for.
        example: a value that is right, as TOML has it.
    """

    field: str
    form: ValueForm[Any]
    help: str = ""
    example: Any = None
    is_required: bool = False


Keys: TypeAlias = Mapping[str, Key]
_BACKSLASH: Final = (
    "double quotes read a backslash as an escape: use [.] for \\., or triple single quotes"
)
_LINE_END: Final = "text in quotes ends on its line; text of several lines has three quotes"
_KEY: Final = "key"
_NOWHERE: Final[Mapping[str, str]] = {}


def key(
    form: ValueForm[T], default: D, help: str = "", example: Any = None, *, word: str = ""
) -> T | D:
    """A field of a record that tables are read into; its key is called as the field, or *word*."""
    metadata = {_KEY: (word, Key("", form, help, example))}
    if isinstance(default, dict):
        return cast("D", field(default_factory=default.copy, metadata=metadata))
    return field(default=default, metadata=metadata)


def required(form: ValueForm[T], *, word: str = "") -> T:
    """A field whose key must be there; it is called as the field, or *word*."""
    return cast("T", field(metadata={_KEY: (word, Key("", form, is_required=True))}))


def table_keys(record: type[Any]) -> dict[str, Key]:
    """The keys of the tables that such records are read from."""
    keys = {}
    for item in fields(record):
        if _KEY in item.metadata:
            word, described = item.metadata[_KEY]
            keys[word or item.name] = described._replace(field=item.name)
    return keys


def values_of(
    table: object,
    keys: Keys,
    where: str,
    *,
    others: bool = False,
    report: Callable[[str, UsageError], None] | None = None,
    elsewhere: Mapping[str, str] = _NOWHERE,
) -> dict[str, Any]:
    """The values of a table, by the fields that they are for.

    Args:
        where: the place of the table, for errors; "" for the table that is a whole file.
        others: keys of other programs are ignored.
        report: gets each key that is wrong, with its error, instead of the first one being raised.
        elsewhere: keys that are often written here, with the table that has them.
    """
    if not isinstance(table, dict):
        raise wrong(table, where, "a table")
    values = {}
    missing = dict.fromkeys(w for w, it in keys.items() if it.is_required and w not in table)
    for word, value in (table | missing).items():
        place = place_of(word, where)
        try:
            if word not in table:
                raise UsageError(f"{place} is missing", hint=f"keys: {', '.join(sorted(keys))}")
            if word in keys:
                values[keys[word].field] = keys[word].form.read(value, place)
            elif not others:
                raise unknown_key(word, keys, place, elsewhere.get(word, ""))
        except UsageError as error:
            if report is None:
                raise
            report(word, error)
    return values


def place_of(word: str, where: str) -> str:
    """The place of a key in the table at *where*."""
    return f"{where}.{word[:40]}" if where else word[:40]


def wrong(value: object, where: str, expected: str) -> UsageError:
    """The error of a value that is not what its key takes."""
    shown = "a table" if isinstance(value, dict) else f"{value!r:.60}"
    return UsageError(f"{where} is {shown}; expected {expected}")


def unknown_key(word: str, keys: Collection[str], place: str, elsewhere: str = "") -> UsageError:
    """The error of a key that its table does not have, with the one that may be meant.

    Args:
        elsewhere: the table that has this key, "" for none.
    """
    from difflib import get_close_matches  # only when something is wrong

    if elsewhere:
        return UsageError(f"{place}: no such key here", hint=f"it belongs in {elsewhere}")
    near = get_close_matches(word[:40], keys, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return UsageError(f"{place}: no such key{meant}", hint=f"keys: {', '.join(sorted(keys))}")


def toml_table(content: bytes | str) -> dict[str, Any]:
    """The tables of a TOML file."""
    import tomllib  # only where there is a file: most runs need none

    try:
        return tomllib.loads(content if isinstance(content, str) else content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        hint = _toml_hint(content, str(error))
        raise UsageError(f"not TOML: {str(error)[:200]}", hint=hint) from error


def _toml_hint(content: bytes | str, problem: str) -> str | None:
    """What to write instead, where the line of the error shows what was meant."""
    place = re.search(r"at line ([0-9]+)", problem)
    if place is None:
        return None
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    line = text.split("\n")[int(place[1]) - 1]
    if "\\" in line:
        return _BACKSLASH
    return _LINE_END if r"Illegal character '\n'" in problem else None


def json_table(content: bytes) -> dict[str, Any]:
    """The object that a JSON file holds."""
    import json

    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {str(error)[:200]}") from error
    if not isinstance(value, dict):
        raise UsageError("expected a JSON object")
    return value


# forms of values -----------------------------------------------------------------------------


def of_type(kind: type[T], expected: str, json_type: str) -> ValueForm[T]:
    """Values of one type of TOML."""

    def read(value: object, where: str) -> T:
        if isinstance(value, kind):
            return value
        raise wrong(value, where, expected)

    return ValueForm(read, {"type": json_type})


def text_like(pattern: str, expected: str) -> ValueForm[str]:
    """Texts that match a regular expression from beginning to end."""

    def read(value: object, where: str) -> str:
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return value
        raise wrong(value, where, expected)

    return ValueForm(read, {"type": "string", "pattern": f"^{pattern}$"})


def whole(least: int) -> ValueForm[int]:
    """A whole number from *least* on."""

    def read(value: object, where: str) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raise wrong(value, where, f"a whole number of {least} or more")

    return ValueForm(read, {"type": "integer", "minimum": least})


def one_of(*words: Word) -> ValueForm[Word]:
    """One of these texts."""

    def read(value: object, where: str) -> Word:
        if value in words:
            return words[words.index(value)]
        raise wrong(value, where, any_of(words))

    return ValueForm(read, {"enum": [*words]})


def list_of(form: ValueForm[T]) -> ValueForm[tuple[T, ...]]:
    """A list of such values."""

    def read(value: object, where: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise wrong(value, where, "a list")
        return tuple(form.read(item, f"{where}[{n}]") for n, item in enumerate(value, 1))

    return ValueForm(read, {"type": "array", "items": form.schema})


def table_of(form: ValueForm[T]) -> ValueForm[dict[str, T]]:
    """A table of such values under any words."""

    def read(value: object, where: str) -> dict[str, T]:
        if not isinstance(value, dict):
            raise wrong(value, where, "a table")
        return {word: form.read(item, place_of(word, where)) for word, item in value.items()}

    return ValueForm(read, {"type": "object", "additionalProperties": form.schema})


def record_form(
    record: type[T], *, others: bool = False, elsewhere: Mapping[str, str] = _NOWHERE
) -> ValueForm[T]:
    """A table that is read into a record; with *others* keys of other programs are ignored.

    Args:
        elsewhere: as in `values_of`.
    """
    keys = table_keys(record)
    return ValueForm(
        lambda value, where: record(
            **values_of(value, keys, where, others=others, elsewhere=elsewhere)
        ),
        table_schema(keys),
    )


def table_schema(keys: Keys) -> JsonSchema:
    """The JSON schema of a table with these keys and no others."""
    properties = {}
    for word, key in keys.items():
        described = {"description": key.help, "examples": [key.example]} if key.help else {}
        properties[word] = {**key.form.schema, **described}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [word for word, key in keys.items() if key.is_required]:
        schema["required"] = required
    return schema | {"additionalProperties": False}


TEXT: Final = of_type(str, "text", "string")
FLAG: Final = of_type(bool, "true or false", "boolean")
COUNT: Final = whole(0)
NAMES: Final = list_of(TEXT)


def _read_words(value: object, where: str) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else NAMES.read(value, where)


WORDS: Final = ValueForm(_read_words, {"anyOf": [TEXT.schema, NAMES.schema]})
"""One text, or a list of them."""
