"""`dataclass` and `NamedTuple` of the standard library, with constructors compiled at first use.

A command defines a hundred records when it starts and creates objects of a dozen of them. The
standard library compiles five methods of every dataclass (4.3 million instructions; here 1) and the
constructor of every named tuple (1 million; here 0.1): the listings would take a third longer to
start. So a class gets its constructor with its first object. To a type checker both are the
standard library's, and rooms that start slowly anyway (servers, analyses, the editor) use those.

`exec` is what `dataclasses` itself does; without it a constructor would loop over its fields.
msgspec was tried: its import alone is 47 million instructions, a sixth of `mqtriage version`.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from functools import cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from typing import NamedTuple as NamedTuple
else:

    def dataclass(*, frozen=False, eq=True, slots=False, kw_only=False):
        """`dataclasses.dataclass` with these parameters."""

        def define(cls):
            record = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
            )(cls)
            methods = {"__init__": _first_init(record, frozen), "__repr__": _repr}
            if eq:
                methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
            if frozen:
                methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            if frozen and slots:
                methods |= {"__getstate__": _state, "__setstate__": _set_state}
            for name, method in methods.items():
                if vars(record).get(name) is None:  # __eq__ of its own makes __hash__ None
                    setattr(record, name, method)
            return record

        return define

    def _first_init(cls, frozen):
        def __init__(self, /, *args, **more):
            cls.__init__ = init = _init(cls, frozen)
            init(self, *args, **more)

        return __init__

    def _init(cls, frozen):
        """The constructor: a parameter for each field, and an assignment."""
        given = {"_set": object.__setattr__, "_new": dataclasses.MISSING}
        by_place, by_name, lines = ["self"], [], []
        for item in dataclasses.fields(cls):
            name, value = item.name, item.name
            if not item.init and item.default_factory is dataclasses.MISSING:
                continue
            parameter = name
            if item.default is not dataclasses.MISSING:
                given[f"_is_{name}"] = item.default
                parameter = f"{name}=_is_{name}"
            elif item.default_factory is not dataclasses.MISSING:
                given[f"_make_{name}"] = item.default_factory
                parameter = f"{name}=_new"
                value = f"_make_{name}() if {name} is _new else {name}"
            if item.init:
                (by_name if item.kw_only else by_place).append(parameter)
            else:
                value = f"_make_{name}()"
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        parameters = ", ".join([*by_place, *(["*", *by_name] if by_name else ())])
        exec(f"def __init__({parameters}):\n " + ("\n ".join(lines) or "pass"), given)
        init = given["__init__"]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        return init

    @cache
    def _compared(cls):
        """What gives the values of an object that tell it from others."""
        names = [item.name for item in dataclasses.fields(cls) if item.compare]
        return (
            attrgetter(*names) if len(names) > 1 else lambda self: [getattr(self, n) for n in names]
        )

    def _eq(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        values = _compared(self.__class__)
        return values(self) == values(other)

    def _hash(self):
        return hash((*_compared(self.__class__)(self),))

    def _repr(self):
        shown = [item.name for item in dataclasses.fields(self) if item.repr]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    def _refuse_to_set(self, name, _value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, item.name) for item in dataclasses.fields(self)]

    def _set_state(self, state):
        for item, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, item.name, value)

    class _Definition(type):
        """Makes a tuple of what is defined as a subclass of `NamedTuple`."""

        def __new__(cls, name, _bases, body):
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            own = {
                "__slots__": (), "__match_args__": fields,
                "_fields": fields, "_field_defaults": defaults,
            }  # fmt: skip
            getters = {field: property(itemgetter(at)) for at, field in enumerate(fields)}
            return type(name, (_Named,), body | own | getters)

    class _Named(tuple):
        """What all named tuples have."""

        __slots__ = ()

        def __new__(cls, /, *args, **more):
            """The first object of a class: from then on it has a constructor of its own."""
            owner = next(base for base in cls.__mro__ if "_fields" in vars(base))
            twin = namedtuple(
                owner.__name__, owner._fields, defaults=owner._field_defaults.values()
            )
            owner.__new__ = staticmethod(twin.__new__)
            for field in owner._fields:  # its getters take a quarter of the time of ours
                setattr(owner, field, vars(twin)[field])
            return owner.__new__(cls, *args, **more)

        @classmethod
        def _make(cls, values):
            record = tuple.__new__(cls, values)
            if len(record) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(record)}")
            return record

        def _replace(self, /, **changes):
            record = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return record

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({values})"

    class _NamedTuple:
        def __mro_entries__(self, _bases):
            return (_BASE,)

    _BASE = type.__new__(_Definition, "NamedTuple", (), {})
    NamedTuple = _NamedTuple()
