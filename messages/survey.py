"""The values that messages have in common, and the conditions made of them.

One reading of a queue in bounded memory: a fixed number of values a field (`Survey`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeAlias, TypeGuard

from mqtriage.messages.filters.expression import Between, Compare, Expression, IsNull, to_text
from mqtriage.messages.filters.fields import spec_of
from mqtriage.messages.filters.subject import Subject
from mqtriage.messages.filters.where import parse_where
from mqtriage.mq.code_names import name_of_dlh_reason
from mqtriage.mq.errors import UsageError
from mqtriage.mq.headers.rfh2 import destination_queue
from mqtriage.records import NamedTuple

GREATEST_VALUES: Final = 64
"""Values kept of one field."""
GREATEST_FIELDS: Final = 128
GREATEST_PROPERTIES: Final = 48
"""Properties looked at in one message."""
GREATEST_BODY_VALUES: Final = 48
"""Values inside the body (JSON, XML) looked at in one message."""
GREATEST_BODY_FIELDS: Final = 128
GREATEST_CONDITIONS: Final = 60
BODY_CONDITIONS: Final = 16
"""How many of them ask for a value inside the body: each reads it."""
VALUES_OF_A_FIELD: Final = 6
GREATEST_THRESHOLDS: Final = 12
GREATEST_ABSENT: Final = 8
GREATEST_NUMBER: Final = 1e18
MOSTLY: Final = 0.9
"""In a sequence, a larger part of the changes from message to message are rises."""
GREATEST_TEXT: Final = 100

_TELLING: Final[dict[str, float]] = {
    "damage": 1.0, "reason": 0.95, "dest": 0.9, "format": 0.8, "body_kind": 0.73,
    "put_appl": 0.7, "user": 0.65, "reply_to": 0.6, "msg_type": 0.5, "ccsid": 0.5,
    "appl_identity": 0.4, "length": 0.35, "encoding": 0.3, "put_appl_type": 0.25,
    "priority": 0.2, "persistence": 0.2,
}  # fmt: skip
"""How much it says when messages share the field; decides between conditions that do as well."""
_PROPERTY_TELLING: Final = 0.75
_BODY_TELLING: Final = 0.72
_THRESHOLD_TELLING: Final = 0.7
_BODY_TELLING_ALONE: Final = 0.1
BODY_SHARE_ALONE: Final = 0.5
"""Where there are no healthy messages any split of the data would pass for a cause: there a value
inside the body says little, and nothing when fewer than half of the messages have it."""
_EVEN_ONE: Final = frozenset({"damage", "reason", "dest", "format"})
"""Fields of which a value is worth a condition though one message alone has it."""
SAYS_WHY: Final = frozenset({"damage", "reason"})
"""Fields that are looked at before all others, and make a cause of their own, however rare the
value."""
_TIMES: Final = frozenset({"jms.Tms", "jms.Exp"})
"""Properties that say when a message was sent or expires; FIRST and LAST tell that."""
UNDAMAGED: Final = IsNull("damage")
_TEXTS: Final = ("format", "put_appl", "user", "reply_to", "appl_identity")
_NUMBERS: Final = ("msg_type", "ccsid", "encoding", "put_appl_type", "priority", "persistence")
_READERS: Final = {name: attrgetter(spec_of(name).attribute) for name in (*_TEXTS, *_NUMBERS)}
_ADDED: Final = frozenset({"format", "ccsid", "encoding", "length"})
_ADDED_FOLDERS: Final = ("prop.jms.", "prop.mcd.")
"""What an MQRFH2 that a move put in front of a message changes."""

Feature: TypeAlias = Compare | Between | IsNull
"""A test that a message passes."""


class Condition(NamedTuple):
    """One thing that messages can share: its `--where`, and how much it says."""

    tree: Feature
    where: str
    telling: float


def features(subject: Subject) -> Iterator[Feature]:
    """Each test that is true of the message and that others may pass too."""
    headers = subject.headers
    for field, values in (
        ("damage", headers.damage),
        ("reason", headers.reason),
        ("dest", headers.dest),
        ("body_kind", subject.body_kind),
    ):
        if values is not None:
            yield Compare(field, "=", values)
    for field in _TEXTS:
        text = _READERS[field](subject)
        if len(text) <= GREATEST_TEXT:
            yield Compare(field, "=", text)
    for field in _NUMBERS:
        yield Compare(field, "=", _READERS[field](subject))
    yield length_class(subject.message.length_bytes)
    for number, (name, value) in enumerate(headers.properties.items()):
        if number == GREATEST_PROPERTIES:
            return
        is_plain = isinstance(value, bool | int | float | str) and _is_short(value)
        if is_plain and len(name) <= GREATEST_TEXT and name not in _TIMES:
            yield Compare(f"prop.{name}", "=", value)


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= GREATEST_TEXT


def body_features(subject: Subject) -> Iterator[Compare]:
    """The same of the values inside a JSON or XML body."""
    for path, value in subject.body_values(GREATEST_BODY_VALUES):
        if len(path) <= GREATEST_TEXT and _is_short(value):
            yield Compare(f"body.{path}", "=", value)


def _is_added(subject: Subject, queues: Container[str]) -> bool:
    """Whether the MQRFH2 of the message came with its move: it names one of *queues*.

    A JMS client puts a poison message without an MQRFH2 on the backout queue with one. Senders
    name the queue that they send to.
    """
    uri = subject.headers.properties.get("jms.Dst")
    return isinstance(uri, str) and destination_queue(uri) in queues


class Common:
    """What all messages of a group have.

    It begins with what the first one has, so that it is exact and never grows.
    """

    def __init__(self) -> None:
        self.parts: frozenset[Feature] | None = None

    def add(self, subject: Subject) -> None:
        """Take one message into account."""
        if self.parts is not None and not self.parts:
            return
        parts = {*features(subject)}
        if self.parts is None or any(part.field.startswith("body.") for part in self.parts):
            parts.update(body_features(subject))
        self.parts = frozenset(parts if self.parts is None else self.parts & parts)

    def conditions(
        self,
        without: Common,
        but: Iterable[str] = (),
        names: Mapping[str, str] = MappingProxyType({}),
    ) -> list[str]:
        """Each as a `--where`, the most telling first; not what is blank, or what *without* has.

        Args:
            names: what fields are called there.
        """
        conditions = [
            condition_of(
                part._replace(field=names.get(part.field, part.field)),
                _telling(part.field, alone=True),
            )
            for part in (self.parts or frozenset()) - (without.parts or frozenset())
            if getattr(part, "value", None) != "" and part.field not in but
        ]
        known = [condition for condition in conditions if condition is not None]
        return [one.where for one in sorted(known, key=lambda one: (-one.telling, one.where))]


def length_class(length_bytes: int) -> Compare | Between:
    """The power of two that the length begins with: 1024 to 2047 is one class."""
    if length_bytes == 0:
        return Compare("length", "=", 0)
    low = 1 << (length_bytes.bit_length() - 1)
    return Between("length", low, 2 * low - 1)


class BodyNumbers:
    """The range of the numbers that one value inside the bodies has, in the order of the messages.

    Attributes:
        is_sequence: they nearly always rise, as do order numbers and times: how they compare with
            those on another queue says when the messages were put.
    """

    def __init__(self, number: float) -> None:
        self.low = self.high = self._last = number
        self._changes = self._rises = 0

    def add(self, number: float) -> None:
        """Take the number of one more message into account."""
        self.low, self.high = min(self.low, number), max(self.high, number)
        self._changes += number != self._last
        self._rises += number > self._last
        self._last = number

    @property
    def is_sequence(self) -> bool:
        return self._rises > MOSTLY * self._changes


class Survey:
    """The common values of each field.

    Each field keeps at most `GREATEST_VALUES`; when one more comes all lose one count and those at
    zero go (Misra and Gries, 1982), so that a value of more than one in 65 messages always stays.

    Args:
        queues: names of the queue that the messages were moved to, none where they were not.

    Attributes:
        added: the move put an MQRFH2 in front of some of them.
    """

    def __init__(self, queues: Container[str] = ()) -> None:
        self.queues = queues
        self.added = False
        self.total = 0
        self.fields: dict[str, dict[Feature, int]] = {}
        self.bodies: dict[str, dict[Feature, int]] = {}
        self.having: Counter[str] = Counter()
        self.numbers: dict[str, BodyNumbers] = {}

    def add(self, subject: Subject) -> None:
        """Take one message into account."""
        self.total += 1
        self.added = self.added or _is_added(subject, self.queues)
        for feature in features(subject):
            self._count(self.fields, feature, GREATEST_FIELDS)
        for feature in body_features(subject):
            self._count(self.bodies, feature, GREATEST_BODY_FIELDS)
            if feature.field in self.bodies and _is_number(value := feature.value):
                self._add_number(feature.field, value)

    def _add_number(self, field: str, number: float) -> None:
        if field in self.numbers:
            self.numbers[field].add(number)
        else:
            self.numbers[field] = BodyNumbers(number)

    def _count(self, fields: dict[str, dict[Feature, int]], feature: Feature, most: int) -> None:
        field = feature.field
        if field not in fields and len(fields) >= most:
            return
        values = fields.setdefault(field, {})
        self.having[field] += 1
        if feature in values or len(values) < GREATEST_VALUES:
            values[feature] = values.get(feature, 0) + 1
        else:
            fields[field] = {value: count - 1 for value, count in values.items() if count > 1}

    def share(self, feature: Feature) -> float:
        """About which part of the messages has it."""
        fields = self.bodies if feature.field.startswith("body.") else self.fields
        return fields.get(feature.field, {}).get(feature, 0) / max(1, self.total)

    def share_having(self, field: str) -> float:
        """Which part of the messages has a value of the field at all."""
        return self.having[field] / max(1, self.total)


def conditions_of(sick: Survey, healthy: Survey | None = None) -> list[Condition]:
    """The conditions worth counting, the most promising first; at most `GREATEST_CONDITIONS`.

    With healthy messages, `_thresholds` adds up to `GREATEST_THRESHOLDS` more; without any,
    `_absent` up to `GREATEST_ABSENT`.
    A property, or a value inside the body, that healthy messages have and poison ones lack makes
    one too (IS NULL). Where a move added an MQRFH2, what such a header changes is no condition.
    That nothing is damaged is no cause: it tells the others from the damaged ones.
    """
    rated = _rated(sick, sick.fields, healthy)
    for field in healthy.fields if healthy else ():
        if field.startswith("prop."):
            condition = condition_of(IsNull(field), _PROPERTY_TELLING)
            if condition is not None:
                rated.append((0.5, condition))
    inside = _rated(sick, sick.bodies, healthy)
    for field in healthy.bodies if healthy else ():
        gain = healthy.share_having(field) - sick.share_having(field) if healthy else 0.0
        condition = condition_of(IsNull(field), _BODY_TELLING) if gain > 0 else None
        if condition is not None:
            inside.append((gain, condition))
    rated += sorted(inside, key=_best_first)[:BODY_CONDITIONS]
    if sick.added:
        rated = [pair for pair in rated if not _is_of_added(pair[1].tree.field)]
    undamaged = condition_of(UNDAMAGED, 0.0) if "damage" in sick.fields else None
    if undamaged is not None:
        rated.append((1.0, undamaged))
    rated.sort(key=_best_first)
    conditions = [condition for _, condition in rated[:GREATEST_CONDITIONS]]
    more = _absent(sick) if healthy is None else _thresholds(sick, healthy)
    return [*conditions, *more]


def _best_first(rated: tuple[float, Condition]) -> tuple[float, str]:
    """Sorts conditions; equal ones by their text, whatever the order of the messages is."""
    rating, condition = rated
    return -rating, condition.where


def _absent(sick: Survey) -> list[Condition]:
    """That a property which some of the messages have is missing, the most even split first."""
    uneven = {
        field: abs(0.5 - sick.share_having(field))
        for field in sick.fields
        if field.startswith("prop.") and not field.startswith(_ADDED_FOLDERS)
    }
    fields = sorted(
        (field for field in uneven if uneven[field] < 0.5), key=lambda f: (uneven[f], f)
    )
    conditions = (condition_of(IsNull(field), _PROPERTY_TELLING) for field in fields)
    return [condition for condition in conditions if condition is not None][:GREATEST_ABSENT]


def _thresholds(sick: Survey, healthy: Survey) -> list[Condition]:
    """Conditions on numbers inside bodies that no healthy message fulfils.

    They are below or above all the healthy numbers; a sequence makes none.
    """
    conditions = []
    for field, here in sick.numbers.items():
        there = healthy.numbers.get(field)
        if there is None or here.is_sequence or there.is_sequence:
            continue
        limits = [Compare(field, "<", there.low)] if here.low < there.low else []
        if here.low < 0 < there.low:  # people know what a negative number means
            limits.append(Compare(field, "<", 0))
        if here.high > there.high:
            limits.append(Compare(field, ">", there.high))
        conditions += [condition_of(limit, _THRESHOLD_TELLING) for limit in limits]
    known = [condition for condition in conditions if condition is not None]
    return known[:GREATEST_THRESHOLDS]


def is_threshold(tree: Expression) -> bool:
    """Whether it is one of the conditions that `_thresholds` makes."""
    return isinstance(tree, Compare) and tree.op in ("<", ">")


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it can be compared: nan and numbers beyond all sense cannot."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return -GREATEST_NUMBER < value < GREATEST_NUMBER


def _is_of_added(field: str) -> bool:
    return field in _ADDED or field.startswith(_ADDED_FOLDERS)


def _rated(
    sick: Survey,
    fields: Mapping[str, Mapping[Feature, int]],
    healthy: Survey | None,
) -> list[tuple[float, Condition]]:
    """The common values of *fields* as conditions, each with how promising it is."""
    conditions: list[tuple[float, Condition]] = []
    for field, values in fields.items():
        telling = _telling(field, alone=healthy is None)
        rated = []
        for feature, count in values.items():
            if count < 2 and sick.total > 2 and field not in _EVEN_ONE:
                continue
            gain = sick.share(feature) - (healthy.share(feature) if healthy else 0.0)
            if healthy is None and field.startswith("body.") and gain < BODY_SHARE_ALONE:
                continue
            condition = condition_of(feature, telling)
            if condition is not None:
                rated.append((gain + telling / 10 + (field in SAYS_WHY), condition))
        conditions += sorted(rated, key=lambda pair: -pair[0])[:VALUES_OF_A_FIELD]
    return conditions


def _telling(field: str, *, alone: bool) -> float:
    if field.startswith("body."):
        return _BODY_TELLING_ALONE if alone else _BODY_TELLING
    return _TELLING.get(field, _PROPERTY_TELLING)


def condition_of(tree: Feature, telling: float) -> Condition | None:
    """The condition with its text; None where no text would be read as this very test."""
    for where in (_named(tree), to_text(tree)):
        if where and where.isprintable() and _reads_as(where, tree):
            return Condition(tree, where, telling)
    return None


def _named(tree: Expression) -> str:
    if isinstance(tree, Compare) and tree.field == "reason" and isinstance(tree.value, int):
        return f"reason {tree.op} {name_of_dlh_reason(tree.value)}"
    return ""


def _reads_as(where: str, tree: Expression) -> bool:
    try:
        return parse_where(where) == tree
    except UsageError:
        return False


def survey_of(subjects: Iterable[Subject], queues: Container[str] = ()) -> Survey:
    """The common values of *subjects*, read once; *queues* see `Survey`."""
    survey = Survey(queues)
    for subject in subjects:
        survey.add(subject)
    return survey
