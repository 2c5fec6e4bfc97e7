"""The tree of `--where` as column expressions of Spark over the table messages.

Spark's logic has the same three values as the language, so that AND, OR and NOT are its own. Now
is the moment of each snapshot: an age is the age that the message had when it was seen. What only
the body knows is in no snapshot and is refused, apart from its digest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial, reduce
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from mqtriage.messages.filters.expression import (
    And,
    Between,
    Compare,
    Contains,
    Expression,
    In,
    IsNull,
    Leaf,
    Like,
    Matches,
    Not,
    Or,
    Value,
)
from mqtriage.messages.filters.fields import Kind, spec_of
from mqtriage.messages.filters.literals import number_of
from mqtriage.messages.filters.token_cursor import COMPARISONS
from mqtriage.model.times import LocalTime, Now
from mqtriage.mq import cmqc
from mqtriage.pipeline.java_regex import java_regex
from mqtriage.pipeline.snapshots.columns import column_names

_NUMBERS: Final = (Kind.NUMBER, Kind.SIZE, Kind.DURATION, Kind.EXPIRY, Kind.TIME)
_INTEGER: Final = r"^[+-]?[0-9]{1,38}$"
_DECIMAL: Final = r"^[+-]?[0-9]{1,40}\.?[0-9]{0,40}([eE][+-]?[0-9]{1,3})?$"
_BLANKS: Final = " \t\n\r\x0b\x0c"


def condition(tree: Expression) -> Column:
    """The condition as a column of true, false and null (unknown)."""
    match tree:
        case And(parts):
            return reduce(Column.__and__, (condition(part) for part in parts))
        case Or(parts):
            return reduce(Column.__or__, (condition(part) for part in parts))
        case Not(part):
            return ~condition(part)
        case _:
            return _leaf(tree)


def value_of(field: str) -> Column:
    """The field in the unit of the language: microseconds, milliseconds, hex digits, text."""
    if field == "dlq_format":
        behind = F.get(F.split("format_chain", ">"), F.lit(1))
        return F.when(F.col("reason").isNotNull(), behind).otherwise(F.col("format"))
    names = column_names(field)
    column = F.coalesce(*map(F.col, names)) if len(names) > 1 else F.col(names[0])
    spec = spec_of(field)
    if field.startswith("prop."):
        properties = F.from_json(column, "map<string,variant>")
        return F.element_at(properties, F.lit(field.partition(".")[2]))
    if field in ("age", "dlq_age"):
        age_us = F.unix_micros("snap_time") - F.unix_micros(column)
        return F.floor(age_us / 1000).cast("long")
    if spec.kind is Kind.TIME:
        return F.unix_micros(column)
    if spec.kind is Kind.EXPIRY:
        return F.when(column != cmqc.MQEI_UNLIMITED, column)
    return column


def literal_of(value: Value) -> Column:
    """A value of the tree; now is the snapshot's time, but today is today."""
    if isinstance(value, LocalTime):
        return F.lit(value.at(time.time_ns() // 1_000))
    if isinstance(value, Now):
        return F.unix_micros("snap_time") + F.lit(value.offset_ms * 1_000)
    if isinstance(value, bytes):
        return F.lit(value.hex().upper())
    if isinstance(value, int) and not isinstance(value, bool):
        return F.lit(value).cast("decimal(38,0)") if abs(value) >= 2**31 else F.lit(value)
    return F.lit(value)


def compared(op: str, first: Column, second: Column) -> Column:
    """*first* *op* *second*."""
    comparison: Column = COMPARISONS[op](first, second)
    return comparison


def _leaf(leaf: Leaf) -> Column:
    """A test of one field."""
    field = leaf.field
    kind, column = spec_of(field).kind, value_of(field)
    compare: Callable[[str, Value], Column]
    if kind is Kind.ANY:  # properties: only the message knows their type
        variant = F.schema_of_variant(column)
        compare, text = partial(_loosely, column, variant), _as_text(column, variant)
    else:
        compare = partial(_strictly, column)
        text = column.cast("string") if kind in _NUMBERS else column
    match leaf:
        case IsNull():
            return column.isNull()
        case Compare(_, op, value):
            return compare(op, value)
        case Between(_, low, high):
            return compare(">=", low) & compare("<=", high)
        case In(_, values):
            return _one_of([compare("=", value) for value in values], column)
        case Like(_, pattern, escape):
            return _like(text, pattern, escape)
        case Contains() | Matches() if kind is Kind.ID:
            return _unknown()
        case Contains(_, value):
            return F.contains(text, F.lit(value if isinstance(value, str) else value.hex()))
        case Matches(_, pattern):
            return F.rlike(text, F.lit(java_regex(pattern)))


def _strictly(column: Column, op: str, value: Value) -> Column:
    """Compare a value whose type is known."""
    return compared(op, column, literal_of(value))


def _one_of(tests: list[Column], column: Column) -> Column:
    """True when one test is; with none, false of what is known."""
    nothing = F.when(column.isNotNull(), F.lit(False))
    return reduce(Column.__or__, tests) if tests else nothing


def _unknown() -> Column:
    return F.lit(None).cast("boolean")


def _like(text: Column, pattern: str, escape: str) -> Column:
    """SQL LIKE, with the pattern written for Spark, whose escape character is another."""
    written = []
    characters = iter(pattern)
    for character in characters:
        if escape and character == escape:
            plain = next(characters, escape)
            written.append(f"\\{plain}" if plain in "%_\\" else plain)
        elif character == "\\":
            written.append("\\\\")
        else:
            written.append(character)
    return F.like(text, F.lit("".join(written)))


def _as_text(column: Column, kind: Column) -> Column:
    """Text, numbers and booleans as text; null for all else."""
    text = F.try_variant_get(column, "$", "string")
    return F.when((kind == "STRING") | (kind == "BOOLEAN") | _is_number(kind), text)


def _is_number(kind: Column) -> Column:
    return F.rlike(kind, F.lit("^(BIGINT|DOUBLE|DECIMAL|FLOAT)"))


def _loosely(column: Column, kind: Column, op: str, value: Value) -> Column:
    """As `messages.filters.predicate` compares a value whose type only the message knows."""
    text = F.try_variant_get(column, "$", "string")
    is_text, is_bool = kind == "STRING", kind == "BOOLEAN"
    if isinstance(value, bool):
        read = F.when(is_bool | is_text, F.lower(text))
        boolean = F.when(read == "true", F.lit(True)).when(read == "false", F.lit(False))
        return compared(op, boolean, F.lit(value))
    if isinstance(value, str):
        number = number_of(value)
        as_number = _unknown() if number is None else _numbers(text, op, number)
        return (
            F.when(is_text, compared(op, text, F.lit(value)))
            .when(is_bool, compared(op, F.lower(text), F.lit(value.lower())))
            .when(_is_number(kind), as_number)
        )
    if not isinstance(value, int | float):
        return _unknown()
    trimmed = F.when(is_text, F.trim(text, F.lit(_BLANKS))).when(_is_number(kind), text)
    return _numbers(trimmed, op, value)


def _numbers(text: Column, op: str, value: int | float) -> Column:
    """Compare the number that a text is with *value*; null when it is none."""
    real = compared(op, text.try_cast("double"), F.lit(float(value)))
    of_reals = F.when(F.rlike(text, F.lit(_DECIMAL)), real)
    if isinstance(value, float) or abs(value) >= 10**38:
        return of_reals
    whole = compared(op, text.try_cast("decimal(38,0)"), F.lit(value).cast("decimal(38,0)"))
    return F.when(F.rlike(text, F.lit(_INTEGER)), whole).otherwise(of_reals)
