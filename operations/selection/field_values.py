"""What the messages of a queue have of the fields that a condition names, where none is selected.

A field that no message has may be misspelt, and then the condition never selects. It may as well be
a night on which no message of that kind is left. One rule decides, for every verb that selects:
where a message has a field whose name differs by one slip, the command refuses; else it warns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from mqtriage.messages.filters.expression import Expression, field_text, needed
from mqtriage.messages.filters.fields import OF_HEADERS, spec_of
from mqtriage.messages.filters.predicate import Getter, getter_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.model.units import count_text, most_first
from mqtriage.records import NamedTuple

_LOOKED_AT: Final = 1_000
"""Number of messages whose fields are noted."""
_NAMES_KEPT: Final = 200
"""Of values inside the body."""
_NAMES_SHOWN: Final = 12
_SHORTEST: Final = 4
"""Letters of a name below which one letter more or less makes another name."""
_NONE_OF: Final = {"": "only the fields of the descriptor, prop.NAME and body.PATH",
                   "prop": "no properties"}  # fmt: skip


class Fruitless(NamedTuple):
    """Why a condition can select none of the messages that were read.

    Attributes:
        is_mistake: another condition is meant, since messages have nearly that field.
    """

    text: str
    hint: str
    is_mistake: bool

    @property
    def warning(self) -> str:
        """Both in one line."""
        return warning_of(self.text, self.hint)


def warning_of(text: str, hint: str) -> str:
    """Both in one line; a question that the text ends with is a sentence of its own."""
    if text.endswith("?"):
        return f"{text} {hint[0].upper()}{hint[1:]}"
    return f"{text}; {hint}"


class FieldValues:
    """Which fields the messages of a queue have, as long as none is selected.

    Args:
        fields: those that the selection asks for.
    """

    def __init__(self, fields: Iterable[str]) -> None:
        self.read = 0
        self.chosen = False
        self.present: set[str] = set()
        self._pathless: Counter[str] = Counter()
        watched = {name for name in fields if name in OF_HEADERS or _family(name)}
        self._missing = {name: getter_of(name, 0) for name in sorted(watched)}
        self._families = {_family(name) for name in watched}
        self._others = {}
        if "" in self._families:
            self._others = {name: getter_of(name, 0) for name in sorted(OF_HEADERS)}

    def add(self, subject: Subject, *, chosen: bool) -> None:
        """Look at one more message."""
        self.read += 1
        self.chosen = self.chosen or chosen
        if self.chosen or not self._missing:
            return
        _drop_present(self._missing, subject)
        if self.read <= _LOOKED_AT and self._missing:
            self.present.update(_drop_present(self._others, subject))
            self._add_names(subject)

    def _add_names(self, subject: Subject) -> None:
        if "prop" in self._families:
            self.present.update(f"prop.{name}" for name in subject.headers.properties)
        if "body" in self._families and len(self.present) < _NAMES_KEPT:
            paths = [f"body.{path}" for path, _ in subject.body_values(_NAMES_KEPT)]
            self.present.update(paths)
            if not paths:
                self._pathless[_kind_of_body(subject)] += 1

    def problem(self, queue: str, tree: Expression | None) -> Fruitless | None:
        """Why the selection can select nothing of such messages; None where it could."""
        if self.chosen or not self.read or tree is None:
            return None
        fields = sorted(needed(tree, self._missing))
        if not fields:
            return None
        named = " and ".join(f"{field_text(name)} ({spec_of(name).about})" for name in fields)
        present = sorted(self.present)
        slips = [name for field in fields for name in present if is_slip(field, name)]
        near = slips or [name for field in fields for name in _alike(field, present)]
        meant = f"; did you mean {' and '.join(map(field_text, near))}?" if near else ""
        these = "these" if self.read <= _LOOKED_AT else f"the first {_LOOKED_AT}"
        shown = [self._shown(family) for family in sorted({_family(name) for name in fields})]
        return Fruitless(
            f"{queue}: {named} selects nothing: {count_text(self.read)} read, none has it{meant}",
            f"{these} messages have {'; '.join(shown)}",
            bool(slips),
        )

    def _shown(self, family: str) -> str:
        """The fields of one family that messages have, or why there are none."""
        present = sorted(name for name in self.present if _family(name) == family)
        shown = [field_text(name) for name in present[:_NAMES_SHOWN]]
        if len(present) > len(shown):
            shown.append(f"{len(present) - len(shown)} more")
        if shown:
            return ", ".join(shown)
        kinds = ", ".join(f"{count} {kind}" for kind, count in most_first(self._pathless))
        return _NONE_OF.get(family, f"no body with paths: {kinds}")


def _kind_of_body(subject: Subject) -> str:
    """Why it has no values that a path leads to."""
    return "damaged" if subject.headers.damage else str(subject.body_kind)


def is_slip(field: str, other: str) -> bool:
    """Whether somebody who wrote *field* may have meant *other*: each part differs by one slip.

    ``order_id`` and ``orderId`` are one name. A path into XML is none into JSON: on a queue that
    has both, messages of one kind may be all that is left.
    """
    if not _family(field) or _family(field) != _family(other) or _is_xml(field) != _is_xml(other):
        return False
    parts, others = _parts(field), _parts(other)
    return len(parts) == len(others) and all(map(_is_near, parts, others))


def _is_xml(field: str) -> bool:
    return field.startswith("body./")


def _parts(field: str) -> list[str]:
    """The names along a path, without regard to case and underscores."""
    plain = re.sub("[_-]", "", field.partition(".")[2].lower())
    return re.findall(r"\w+", plain)


def _is_near(one: str, other: str) -> bool:
    """Whether they are equal, but for a letter missing, added, changed or exchanged."""
    if one == other:
        return True
    if min(len(one), len(other)) < _SHORTEST or re.findall(r"\d", one) != re.findall(r"\d", other):
        return False
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])


def _alike(field: str, present: list[str]) -> list[str]:
    """What *field* may be meant for: the names are compared, not the words before them."""
    family, _, path = field.partition(".")
    paths = [name.removeprefix(f"{family}.") for name in present if name.startswith(f"{family}.")]
    return [f"{family}.{name}" for name in get_close_matches(path, paths, n=1)]


def _family(field: str) -> str:
    """``prop`` or ``body`` for a property or a value in the body, "" for any other field."""
    return field.partition(".")[0] if "." in field else ""


def _drop_present(getters: dict[str, Getter], subject: Subject) -> list[str]:
    """Take out the fields that the message has, or may have in the part that is not in hand."""
    present = [
        name
        for name, get in getters.items()
        if get(subject) is not None or (subject.is_cut and name.startswith("body."))
    ]
    for name in present:
        del getters[name]
    return present
