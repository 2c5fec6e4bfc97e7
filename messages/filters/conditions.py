"""Each selection option as a condition; the same option given twice is an OR."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from mqtriage.messages.archive_outcomes import LeftOut, Outcomes, begun_outcomes
from mqtriage.messages.body_path import PATH_HINT, check_path, path_end
from mqtriage.messages.body_regex import search_for
from mqtriage.messages.filters.expression import (
    Compare,
    Contains,
    Expression,
    IdTest,
    In,
    IsNull,
    Like,
    Matches,
    Not,
    Operator,
    Value,
    any_of,
    leaves,
    one_of_ids,
)
from mqtriage.messages.filters.literals import number_of, read_literal
from mqtriage.messages.filters.ranges import refusal_of
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.messages.stored_messages import Begun, Stored, read_line
from mqtriage.model.ids import ID_LENGTH_BYTES, IdMatch, format_id, parse_id
from mqtriage.model.times import Now, parse_time
from mqtriage.model.units import parse_duration_ms
from mqtriage.mq.dumps import amqsbcg, dumpfile
from mqtriage.mq.dumps.entry import Damaged
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

Reader: TypeAlias = Callable[[str], Expression]
_COMPARISON: Final = re.compile(r" *(<>|!=|<=|>=|==?|<|>)? *(.*?) *\Z", re.DOTALL)
_OPERATORS: Final[dict[str, Operator]] = {
    "=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_ID_NAMES: Final = {
    "msg_id": ("--msgid", "message id"),
    "correl_id": ("--correlid", "correlation id"),
}


class Conditions(NamedTuple):
    """What the selection options ask for.

    Attributes:
        id_tests: the parts, or parts of them, that `operations.selection.whole_ids` looks up.
    """

    parts: list[Expression]
    id_notes: list[str]
    id_tests: list[IdTest]


def conditions(
    options: SelectionOptions,
    ids_lines: Iterable[str] | None,
    *,
    for_write: bool,
    dead_letters: bool = False,
) -> Conditions:
    """The conditions of the options.

    Args:
        ids_lines: the lines of the files of `--ids-from`, None where it was not given.
        dead_letters: a name that the MQDLH and the MQMD both have is refused.
    """
    parts: list[Expression | None] = []
    notes: list[str] = []
    id_tests: list[IdTest] = []
    for name, (option, kind) in _ID_NAMES.items():
        texts: tuple[str, ...] = getattr(options, name)
        ids = [parse_id(text, for_write=for_write, what=option) for text in texts]
        notes += [match.describe(kind) for match in ids]
        parts.append(_ids(name, ids))
        id_tests += [it for it in leaves(parts[-1]) if isinstance(it, Compare | In | Like)]
    if ids_lines is not None:
        of_file = one_of_ids("msg_id", read_ids(ids_lines, notes, for_write=for_write))
        parts.append(of_file)
        id_tests.append(of_file)
    for texts, read in _readers(options, for_write, dead_letters):
        parts.append(any_of(read(text) for text in texts))
    if options.persistent is not None:
        parts.append(Compare("persistence", "=", int(options.persistent)))
    if options.overdue:
        parts.append(Compare("due_time", "<", Now()))
    return Conditions([part for part in parts if part is not None], notes, id_tests)


_IDS_OF_A_PLAN: Final = "mqtriage plan FILE -o ids | COMMAND --ids-from -"
_IDS_OF_AN_ARCHIVE: Final = "mqtriage archive ls FILE -o ids | COMMAND --ids-from -"
_VERIFY: Final = "mqtriage archive verify FILE lists every damaged line"
_LISTED: Final = "use ids, an archive, a dump, or a listing written with -o ndjson or -o ids"


def read_ids(lines: Iterable[str], notes: list[str], *, for_write: bool) -> list[IdMatch]:
    """Ids from a file, one a line, in any form; blank lines and lines that begin with # are not.

    A line of an ndjson listing or an archive gives its `msg_id`. So does a message of a dump.
    Of an archive, only what left its queue gives one.

    Args:
        notes: gets how many messages of archives were left out.

    Raises:
        UsageError: A line is no id and has none; the text has its number.
    """
    ids: dict[bytes, IdMatch] = {}
    for number, text in _id_texts(lines, notes):
        what = f"--ids-from, line {number}:"
        match = parse_id(text, for_write=for_write, parts_allowed=False, what=what)
        ids[match.value] = max(match, ids.get(match.value, match), key=lambda one: len(one.forms))
    return list(ids.values())


def _id_texts(lines: Iterable[str], notes: list[str]) -> Iterator[tuple[int, str]]:
    """Each id as it stands there, with the number of its line."""
    numbered = enumerate(lines, 1)
    left_out = LeftOut()
    archive = _ArchivedIds(Outcomes())
    for number, line in numbered:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        what = f"--ids-from, line {number}:"
        if line.startswith("\x1f"):
            raise UsageError(f"{what} this is compressed data", hint=_IDS_OF_AN_ARCHIVE)
        if text.startswith('{"kind":"Plan"'):
            raise UsageError(f"{what} this is a saved plan", hint=_IDS_OF_A_PLAN)
        if _begins_dump(text):
            yield from _dumped_ids(chain((line,), (rest for _, rest in numbered)), number)
            return
        if not text.startswith("{"):
            yield number, text
            continue
        record = _record(text, what)
        if record.get("kind") in ("Archive", "Commit", "Backout", "End"):
            stored = read_line(number, line.encode("utf-8", "surrogateescape"))
            if isinstance(stored, Begun):
                yield from archive.of_removed(left_out)
                archive = _ArchivedIds(begun_outcomes(stored))
            else:
                archive.see(stored, what)
        elif "md_base64" in record:
            archive.add(number, record, _listed_id(record, what))
        else:
            yield number, _listed_id(record, what)
    yield from archive.of_removed(left_out)
    notes += [f"--ids-from: {text}" for text in left_out.sentences("the archived operation")]


class _ArchivedIds:
    """The ids of the messages in an archive, until all its outcomes are known."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        self._ids: list[tuple[int, int, str]] = []

    def add(self, line: int, record: Mapping[str, Any], ident: str) -> None:
        """Take the next message."""
        self._outcomes.add_message()
        number = record.get("number")
        self._ids.append((number if type(number) is int else 0, line, ident))

    def see(self, stored: Stored, what: str) -> None:
        """Take a line that is no message."""
        try:
            self._outcomes.see(stored)
        except ValueError as error:
            raise UsageError(f"{what} the line {error}", hint=_VERIFY) from None
        if isinstance(stored, Damaged):
            raise UsageError(f"{what} {stored.text}", hint=_VERIFY)

    def of_removed(self, left_out: LeftOut) -> Iterator[tuple[int, str]]:
        """The ids of the messages that left their queue, with the numbers of their lines."""
        for number, line, ident in self._ids:
            if self._outcomes.is_whole and not self._outcomes.is_known(number):
                what = f"--ids-from, line {line}:"
                raise UsageError(f"{what} message {number}, which is not there", hint=_VERIFY)
            if not self._outcomes.is_left_out(number, left_out):
                yield line, ident


def _begins_dump(text: str) -> bool:
    """Whether a line is the first one of what dmpmqmsg or amqsbcg writes."""
    line = text.encode("utf-8", "surrogateescape")
    return dumpfile.begins(line) or amqsbcg.begins_message(line) or text.startswith("AMQSBCG0")


def _dumped_ids(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """The MsgIds of messages that dmpmqmsg or amqsbcg wrote, from line *first* on."""
    for entry in dumpfile.read(line.encode("utf-8", "surrogateescape") for line in lines):
        number = first + entry.line - 1
        if isinstance(entry, Damaged):
            raise UsageError(f"--ids-from, line {number}: {entry.text}", hint=_IDS_OF_AN_ARCHIVE)
        yield number, format_id(entry.md.msg_id)


def _record(text: str, what: str) -> dict[str, Any]:
    """A line in JSON."""
    import json

    try:
        record: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{what} the line is not JSON", hint=_LISTED) from None
    return record


def _listed_id(record: dict[str, Any], what: str) -> str:
    """The `msg_id` of a line in JSON."""
    ident = record.get("msg_id")
    if not isinstance(ident, str):
        raise UsageError(f"{what} the JSON has no msg_id", hint=_LISTED)
    return ident


def _ids(field: str, matches: list[IdMatch]) -> Expression | None:
    parts = [match for match in matches if match.is_prefix or match.is_tail]
    exact = one_of_ids(field, [match for match in matches if match not in parts])
    tests: list[Expression] = []
    if len(exact.values) == 1:
        tests.append(Compare(field, "=", exact.values[0]))
    elif exact.values:
        tests.append(exact)
    for part in dict.fromkeys(parts):
        whole = len(part.value) == ID_LENGTH_BYTES
        digits = part.value.hex().upper()
        pattern = f"%{digits}" if part.is_tail else f"{digits}%"
        tests.append(Compare(field, "=", part.value) if whole else Like(field, pattern))
    return any_of(tests)


def _readers(
    options: SelectionOptions, for_write: bool, dead_letters: bool
) -> Iterable[tuple[tuple[str, ...], Reader]]:
    """The texts of each option with the function that reads one of them."""
    yield options.older_than, lambda text: _age(">", text, "--older-than")
    yield options.younger_than, lambda text: _age("<", text, "--younger-than")
    yield options.backout, lambda text: _number("backout", text, "--backout")
    yield options.format, lambda text: _name("format", text)
    yield options.put_appl, lambda text: _name("put_appl", text)
    yield options.reply_to, lambda text: _queue("reply_to", "--reply-to", text)
    yield options.priority, lambda text: _number("priority", text, "--priority")
    yield options.prop, _property
    yield options.reason, lambda text: _number("reason", text, "--reason")
    yield options.dest, lambda text: _queue("dest", "--target", text)
    yield options.due_before, lambda text: _time("due_time", "<", text, "--due-before")
    yield options.due_after, lambda text: _time("due_time", ">", text, "--due-after")
    yield options.expires_within, _expires_within
    yield options.body_contains, _body_contains
    yield options.body_regex, _body_regex
    yield options.body_path, _body_path
    yield options.where, lambda text: _where(text, for_write, dead_letters)


def _age(op: Operator, text: str, option: str) -> Expression:
    return Compare("age", op, parse_duration_ms(text, what=option))


def _time(field: str, op: Operator, text: str, option: str) -> Expression:
    return Compare(field, op, parse_time(text, what=option))


def _number(field: str, text: str, option: str) -> Expression:
    """``3``, ``>=3`` or an MQ name such as MQRC_Q_FULL."""
    op, rest = _operator(text)
    kind = "number" if rest[:1].isdecimal() or rest[:1] in "+-" else "word"
    try:
        return _checked(Compare(field, op, read_literal(field, kind, rest)))
    except UsageError as error:
        hint = error.hint or f"for example {option} '>=3' or {option} 3"
        raise UsageError(f"{option} {text[:60]!r}: {error.text}", hint=hint) from error


def _operator(text: str) -> tuple[Operator, str]:
    match = _COMPARISON.match(text)
    if match is None:
        return "=", text
    return _OPERATORS.get(match[1] or "=", "="), match[2]


def _checked(leaf: Compare | Like) -> Expression:
    """A condition that can select some messages and leave others."""
    if refused := refusal_of(leaf):
        raise UsageError(refused[0], hint=refused[1])
    return leaf


def _name(field: str, text: str) -> Expression:
    """A name, or a pattern with ``*`` for any characters; trailing blanks are padding."""
    if field == "format" and text.upper().startswith("MQFMT_"):
        return Compare(field, "=", read_literal(field, "word", text))
    if field == "format" and "," in text:
        raise UsageError(f"--md-format {text[:60]!r}: a format has no comma")
    if "*" not in text:
        return _checked(Compare(field, "=", text.rstrip(" ")))
    escaped = re.sub(r"([%_\\])", r"\\\1", text)
    pattern = re.sub(r"\*+", "%", escaped)
    return _checked(Like(field, pattern, "\\" if escaped != text else ""))


def _queue(field: str, option: str, text: str) -> Expression:
    """The name of a queue, which has no comma: A,B would select nothing without a word."""
    if "," in text:
        raise UsageError(
            f"{option} {text[:60]!r}: a queue name has no comma",
            hint=f"give {option} once for each queue",
        )
    return _name(field, text)


def _property(text: str) -> Expression:
    name, equals, value = text.partition("=")
    if not name.strip():
        raise UsageError(f"--prop {text[:60]!r}: no name", hint="write --prop name=value")
    field = f"prop.{name.strip()}"
    return Compare(field, "=", value) if equals else Not(IsNull(field))


def _expires_within(text: str) -> Expression:
    span_ms = parse_duration_ms(text, what="--expires-within")
    return Compare("expiry", "<=", -(-span_ms // 100))  # up to the next whole tenth


def _body_contains(text: str) -> Expression:
    if not text:
        raise UsageError("--body-contains: empty text is in every message")
    return Contains("body", text)


def _body_regex(text: str) -> Expression:
    search_for(text, what="--body-regex")
    return Matches("body", text)


def _body_path(text: str) -> Expression:
    """``PATH``, or ``PATH OP VALUE`` with a JSON number, word, or text with or without quotes."""
    end = path_end(text)
    path = check_path(text[:end] or text, what="--body-path")
    field = f"body.{path}"
    if end == len(text):
        return Not(IsNull(field))
    match = _COMPARISON.match(text, end)
    if match is None or match[1] is None:
        msg = f"--body-path {text[:60]!r}: cannot read {text[end : end + 20]!r}"
        raise UsageError(f"{msg} at character {end + 1}", hint=PATH_HINT)
    op, value = _operator(text[end:])
    if value == "null" and op in ("=", "<>"):
        return IsNull(field) if op == "=" else Not(IsNull(field))
    return Compare(field, op, _plain_value(value))


def _plain_value(text: str) -> Value:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    plain = re.match(r"-?(?:0|[1-9])", text) and not re.match(r"-?0[0-9]", text)
    number = number_of(text) if plain else None  # 007 is text
    return text if number is None else number


def _where(text: str, for_write: bool, dead_letters: bool) -> Expression:
    from mqtriage.messages.filters.where import parse_where, words_of

    for word in words_of(text) if dead_letters else ():
        if word.replace("_", "").lower() == "putapplname":
            msg = f"--where: {word} is a name in the MQDLH and in the MQMD"
            raise UsageError(msg, hint="put_appl is the MQDLH's, mqmd_put_appl the MQMD's")
    return parse_where(text, for_write=for_write)
