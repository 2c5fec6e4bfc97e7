"""Which columns of a snapshot a condition of `--where` asks for."""

from __future__ import annotations

from typing import Final

from mqtriage.messages.filters.expression import Expression, In, field_text, leaves
from mqtriage.model.times import Now
from mqtriage.mq.errors import UsageError
from mqtriage.pipeline.snapshots.schema import column_of_field

_ELSE: Final = {
    "dest": ("target",),
    "dest_qmgr": ("target_qmgr",),
    "target": ("dest",),
    "target_qmgr": ("dest_qmgr",),
    "dlq_put_time": ("put_time",),
    "dlq_age": ("put_time",),
    "dlq_format": ("reason", "format"),
}


def columns_of(tree: Expression | None) -> frozenset[str]:
    """The columns of the table messages that the condition needs."""
    names = {name for leaf in leaves(tree) for name in column_names(leaf.field)}
    return frozenset(names | {"snap_time", "seen"} if names else names)


def asks_the_time(tree: Expression | None) -> bool:
    """Whether a message that stays as it is may fulfil the condition at one look and not at all."""
    return any(
        leaf.field in ("age", "dlq_age", "expiry")
        or any(isinstance(value, Now) for value in (leaf.values if isinstance(leaf, In) else leaf))
        for leaf in leaves(tree)
    )


def column_names(field: str) -> tuple[str, ...]:
    """The column that answers a field, and those that do where a row has no such header."""
    return (column_name(field), *_ELSE.get(field, ()))


def column_name(field: str) -> str:
    """The column that answers a field of the language."""
    if field.startswith("prop."):
        return "properties"
    column = column_of_field(field)
    if column is None:
        raise UsageError(
            f"--where {field_text(field)}: snapshots contain no message bodies, so you cannot use"
            " it with them",
            hint="body_digest = '...' compares whole bodies, in archives and in snapshots of"
            " mqtriage snapshot take --body digest; mqtriage archive copy selects by their"
            " contents",
        )
    return column.name
