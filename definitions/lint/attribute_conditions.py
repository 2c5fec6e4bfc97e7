"""Conditions on the attributes of an object, in the language of `--where`.

    name matches '^[A-Z]{3}[.]' and maxdepth <= 200000 and sslciph in ('A', 'B')

A field is `name`, `qmgr` (the queue manager) or an attribute by its MQSC keyword. A switch such as
TRIGGER is 'YES' or 'NO', a blank value is ''. An attribute that the scripts do not tell is unknown,
and so is all that is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from mqtriage.messages.filters.expression import And, Expression, Not, leaves
from mqtriage.messages.filters.predicate import compile_tree
from mqtriage.messages.filters.where import WhereParser
from mqtriage.model.units import parse_size_bytes
from mqtriage.mq.attributes.attribute import Attribute, AttributeValue, ValueKind
from mqtriage.mq.attributes.catalogue import attribute, attributes_of
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tokens import close_word
from mqtriage.mq.security.cipher_specs import CURRENT, is_known
from mqtriage.records import dataclass

if TYPE_CHECKING:
    from mqtriage.messages.filters.subject import Subject
    from mqtriage.messages.filters.token_cursor import Token

NAME: Final = "NAME"
QMGR: Final = "QMGR"
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_PROPERTY: Final = "prop."
"""How the tree spells what is read by a name of its own."""

Values: TypeAlias = Mapping[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class AttributeCondition:
    """A condition that was read.

    Attributes:
        keywords: what it asks for, in order: NAME, QMGR, attributes.
        is_true, is_false: of an object's values by keyword; both False where it is not known.
        parts: what AND joins, each by itself; none of a condition without AND.
    """

    text: str
    keywords: tuple[str, ...]
    is_true: Callable[[Values], bool]
    is_false: Callable[[Values], bool]
    parts: tuple[AttributeCondition, ...] = ()

    def keywords_not(self, test: Callable[[AttributeCondition], bool]) -> list[str]:
        """The keywords of the parts that *test* does not hold for."""
        parts = (part for part in self.parts or (self,) if not test(part))
        return list(dict.fromkeys(word for part in parts for word in part.keywords))


def read_condition(text: str, kinds: tuple[str, ...], what: str) -> AttributeCondition:
    """Read a condition on objects of these kinds; a `UsageError` has the column."""
    tree = _AttributeParser(text, kinds, what).whole()
    parts = tuple(map(_condition_of, tree.parts)) if isinstance(tree, And) else ()
    return replace(_condition_of(tree), text=text, parts=parts)


def _condition_of(tree: Expression) -> AttributeCondition:
    fields = dict.fromkeys(leaf.field.removeprefix(_PROPERTY) for leaf in leaves(tree))
    yes, no = compile_tree(tree, 0), compile_tree(Not(tree), 0)
    return AttributeCondition(
        "", tuple(fields), lambda values: yes(_subject(values)), lambda v: no(_subject(v))
    )


class _Attributes:
    """An object as a filter of messages sees it: all that it has are properties."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def property_value(self, keyword: str) -> AttributeValue | None:
        return self._values.get(keyword)


def _subject(values: Values) -> Subject:
    return cast("Subject", _Attributes(values))


class _AttributeParser(WhereParser):
    """The grammar of `--where`, whose fields are attributes."""

    def __init__(self, text: str, kinds: tuple[str, ...], what: str) -> None:
        self._kinds = kinds
        super().__init__(text, for_write=False, what=what)

    def _field(self) -> str:
        token = self._here
        keyword = token.text.upper()
        if token.kind != "word":
            self._fail("an attribute", "name, qmgr, or an attribute such as maxdepth")
        if keyword not in (NAME, QMGR) and not self._entries(keyword):
            known = [a.keyword for kind in self._kinds for a in attributes_of(kind)]
            near = close_word(keyword[:20], [NAME, QMGR, *known])
            hint = f"did you mean {near.lower()}?" if near else "attributes are MQSC keywords"
            of = ", ".join(self._kinds)
            self._fail_at(token, f"{token.shown} is not an attribute of {of}", hint)
        self.index += 1
        return _PROPERTY + keyword

    def _entries(self, keyword: str) -> list[Attribute]:
        """The attribute, of each kind that has it; a switch is asked for by its positive form."""
        entries = (attribute(kind, keyword) for kind in self._kinds)
        return [entry for entry in entries if entry is not None and entry.keyword == keyword]

    def _is_null(self, field: str, at: Token) -> Expression:
        self._fail_at(
            at,
            f"{field.removeprefix(_PROPERTY)} is never NULL",
            "compare it: '' is a blank value, as in boqname <> ''",
        )

    def _value(self, field: str) -> str | int:
        token = self._here
        keyword = field.removeprefix(_PROPERTY)
        is_text, is_number = token.kind == "string", token.kind == "number"
        if not is_text and not is_number:
            self._fail("text in quotes or a number")
        content = token.text[1:-1].replace("''", "'") if is_text else token.text
        problem, value = _literal(self._entries(keyword), keyword, content, is_number=is_number)
        if problem:
            self._fail_at(token, problem)
        self.index += 1
        return value


def _literal(
    entries: list[Attribute], keyword: str, text: str, *, is_number: bool
) -> tuple[str, str | int]:
    """A value as objects have it, or what is wrong with it."""
    kinds = {entry.kind for entry in entries}
    words = {word for entry in entries for word in entry.words}
    if kinds == {ValueKind.INTEGER}:
        if is_number:
            return _number(keyword, text, entries[0].unit)
        word = text.upper()
        problem = f"{keyword} is a number" + (f", or {', '.join(sorted(words))}" if words else "")
        return ("" if word in words else problem), word
    if is_number:
        return f"{keyword} is text: put it in quotes", ""
    if kinds == {ValueKind.FLAG}:
        word = text.upper()
        return ("" if word in ("YES", "NO") else f"{keyword} is 'YES' or 'NO'"), word
    if kinds == {ValueKind.WORD}:
        word = text.upper()
        known = word in words
        problem = f"{keyword} is never {text[:40]!r}; it is one of {', '.join(sorted(words))}"
        return ("" if known else problem), word
    problem = cipher_problem(text) if keyword == "SSLCIPH" else ""
    return problem, text.rstrip(" ")


def _number(keyword: str, text: str, unit: str) -> tuple[str, str | int]:
    """A number of this unit, or what is wrong with it; only sizes in bytes have other units."""
    if unit == "bytes":
        try:
            return "", parse_size_bytes(text, what=keyword)
        except UsageError as error:
            return "; ".join(filter(None, (error.text, error.hint))), ""
    if _NUMBER.fullmatch(text):
        return "", int(text)
    of = f" ({unit})" if unit else ""
    problem = f"{keyword} {text[:40]!r}: expected a number{of} without a unit"
    return f"{problem}; only sizes in bytes have one: KB KiB MB MiB GB GiB", ""


def cipher_problem(name: str) -> str:
    """What is wrong with a value for SSLCIPH, "" for nothing."""
    if is_known(name):
        return ""
    near = close_word(name.upper()[:48], CURRENT)
    return f"{name[:48]!r} is not a CipherSpec" + (f"; did you mean {near}?" if near else "")
