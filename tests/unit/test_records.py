"""The records of `mqtriage.records` behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from mqtriage import records


def dataclass_by(decorator: Callable[..., Any], **how: bool) -> Any:
    class Base:
        """All kinds of fields."""

        name: str
        depth: int = 5
        words: list[str] = dataclasses.field(default_factory=list)
        hidden: bytes = dataclasses.field(default=b"", repr=False, compare=False)
        last: int = dataclasses.field(default=0, kw_only=True)
        worked_out: list[int] = dataclasses.field(default_factory=lambda: [1], init=False)

    return decorator(**how)(Base)


def child_by(decorator: Callable[..., Any], base: Any) -> Any:
    class Child(base):  # type: ignore[misc]  # noqa: PLW1641
        """One field more, and what is done when all are there."""

        more: str = "x"

        def __post_init__(self) -> None:
            object.__setattr__(self, "more", self.more * 2)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and bool(self.more == other.more)

    return decorator(frozen=True, slots=True)(Child)


class Ours(records.NamedTuple):
    """A point."""

    x: int
    y: int = 2

    @property
    def total(self) -> int:
        return self.x + self.y


class Theirs(typing.NamedTuple):
    """A point."""

    x: int
    y: int = 2

    @property
    def total(self) -> int:
        return self.x + self.y


class Below(Ours):
    """A subclass whose objects are made by way of its base."""

    def __new__(cls, x: int) -> Below:
        return super().__new__(cls, x, 7)


@records.dataclass(frozen=True, slots=True)
class Kept:
    """What a pickle can name."""

    a: int
    b: str = "b"


def outcome(work: Callable[[], object]) -> str | tuple[str, str]:
    """What *work* gives, or the kind and text of what it raises, without where."""
    try:
        return repr(work()).replace("<locals>.", "")
    except Exception as error:
        return type(error).__name__, str(error).replace("<locals>.", "")


@pytest.mark.parametrize(
    "how", [{}, {"frozen": True}, {"frozen": True, "slots": True}, {"eq": False}]
)
def test_a_dataclass_does_what_that_of_the_standard_library_does(how: dict[str, bool]) -> None:
    ours, theirs = (dataclass_by(by, **how) for by in (records.dataclass, dataclasses.dataclass))
    acts: list[Callable[[Any], object]] = [
        lambda cls: [(item.name, item.init, item.kw_only) for item in dataclasses.fields(cls)],
        lambda cls: cls.__match_args__,
        lambda cls: cls(),
        lambda cls: cls(1, 2, 3, 4, 5),
        lambda cls: cls("Q", unknown=1),
        lambda cls: cls("Q", 7, ["w"], b"h", last=3),
        lambda cls: cls("Q").hidden,
        lambda cls: cls("Q").worked_out is cls("Q").worked_out,
        lambda cls: cls("Q") == cls("Q", hidden=b"other"),
        lambda cls: cls("Q") == cls("Q", last=1),
        lambda cls: cls("Q") == 5,
        lambda cls: cls("Q").__eq__(5),
        lambda cls: hash(cls("Q", words=(), last=1)) == hash(cls("Q", words=(), last=2)),
        lambda cls: cls.__hash__ is None,
        lambda cls: dataclasses.replace(cls("Q"), depth=9),
        lambda cls: dataclasses.asdict(cls("Q")),
        lambda cls: copy.deepcopy(cls("Q", 3)),
        lambda cls: setattr(cls("Q"), "depth", 4),
        lambda cls: delattr(cls("Q"), "depth"),
        lambda cls: hasattr(cls("Q"), "__dict__"),
        lambda cls: [getattr(cls, "depth", None) == 5, cls.__doc__, cls.__init__.__qualname__],
    ]  # fmt: skip
    for at, act in enumerate(acts):
        act_of = outcome(lambda act=act: act(ours)), outcome(lambda act=act: act(theirs))  # type: ignore[misc]
        assert act_of[0] == act_of[1], at


def test_a_dataclass_below_another_keeps_what_it_says_itself() -> None:
    results = []
    for by in (records.dataclass, dataclasses.dataclass):
        cls = child_by(by, dataclass_by(by, frozen=True, slots=True))
        one = cls("Q", more="ab")
        results.append((outcome(lambda one=one: one), one == cls("R", more="ab"), one.more))  # type: ignore[misc]
    assert results[0] == results[1]


def test_a_frozen_dataclass_of_one_value_compares_and_hashes_by_it() -> None:
    @records.dataclass(frozen=True)
    class One:
        value: int

    assert One(1) == One(1) != One(2)
    assert len({One(1), One(1), One(2)}) == 2


def test_a_named_tuple_does_what_that_of_the_standard_library_does() -> None:
    acts: list[Callable[[Any], object]] = [
        lambda cls: cls._make([1]),
        lambda cls: cls(),
        lambda cls: cls(1, 2, 3),
        lambda cls: (cls(1), cls(1) == (1, 2), cls(1).total, cls(y=5, x=4)[0]),
        lambda cls: (cls._fields, cls._field_defaults, cls.__match_args__, cls.__doc__),
        lambda cls: cls(1)._replace(y=9),
        lambda cls: cls(1)._replace(z=9),
        lambda cls: cls(1)._asdict(),
        # each Python has words of its own for this, in C; the kind of error is what callers see
        lambda cls: outcome(lambda: setattr(cls(1), "x", 4))[0],
        lambda cls: setattr(cls(1), "other", 4),
        lambda cls: pickle.loads(pickle.dumps(cls(1, 3))) == cls(1, 3),
        lambda cls: (copy.copy(cls(1)), hash(cls(1)), cls.__mro__[-2:], cls.__module__),
    ]  # fmt: skip
    for at, act in enumerate(acts):
        ours, theirs = outcome(lambda act=act: act(Ours)), outcome(lambda act=act: act(Theirs))  # type: ignore[misc]
        assert str(ours).replace("Ours", "Theirs") == str(theirs), at


def test_the_first_object_of_a_subclass_leaves_its_own_constructor_alone() -> None:
    assert [Below(1), Below(2)] == [(1, 7), (2, 7)]
    assert Ours(1) == (1, 2)


def test_a_frozen_record_with_slots_is_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == Kept(1)


def test_a_class_without_objects_has_compiled_nothing() -> None:
    cls = dataclass_by(records.dataclass, frozen=True, slots=True)
    before = cls.__init__
    cls("Q")
    assert cls.__init__ is not before
    assert cls.__init__.__code__.co_varnames[:2] == ("self", "name")
