"""Rows of a queue manager's day that only say that something is as it was, for `compact` to omit.

A whole snapshot that goes on from the whole one before it becomes an incremental one. It does so
where what is left gives exactly what was there: the one before it in time is its base, no two are
of one moment, both kept the same of message data, the same queues were browsed, a row that goes is
that of the base in every column but place and lifetime left, and the numbers add up. In any doubt
the snapshot stays whole, and of several rows with one key all stay where one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from mqtriage.pipeline.snapshots.files import arrow_schema, day_of, opened_parquet
from mqtriage.pipeline.snapshots.reader import DataFile
from mqtriage.pipeline.snapshots.schema import (
    DEFINITIONS,
    MESSAGES,
    QUEUES,
    SNAPSHOTS,
    TABLES,
    Mode,
    Seen,
)

_SAME: Final = (
    "schema_version", "tool_version", "backend", "body", "digest", "digest_key_id",
    "expiry_effects", "queue_pattern",
)  # fmt: skip
"""What both snapshots must agree in: it decides what columns of a message hold."""
_LOOK: Final = ("snapshot_id", "snap_time", "mode", "base_snapshot_id", "message_rows", *_SAME)
_KEYS: Final = {MESSAGES.name: ("message_key",), DEFINITIONS.name: ("kind", "name")}
_NOT_COMPARED: Final = {
    MESSAGES.name: {
        "snapshot_id", "snap_time", "seen", "position", "expiry_tenths", "expiry_time",
        "body_redacted", "data_base64",
    },
    DEFINITIONS.name: {"snapshot_id", "snap_time", "seen", "attributes"},
}  # fmt: skip
"""What is not of the message; what `seen` has compared, to two seconds; what is too long: the data
of a message is never changed, and attributes have a digest."""
_VALUES_HELD: Final = 1 << 20
"""Values of columns that are compared at once."""
_GROUPS_HELD: Final = 2
"""What was read last, of columns and of their texts: two snapshots are asked for the same."""


class Thinned:
    """What is left of a day.

    Attributes:
        message_rows: the snapshots that become incremental, to their rows of messages that stay.
    """

    def __init__(self) -> None:
        self.message_rows: dict[str, int] = {}
        self._kept: dict[tuple[Path, int], list[tuple[int, Any]]] = {}

    def add(self, snapshot_id: str, message_rows: int, kept: Sequence[tuple[_Run, Any]]) -> None:
        """Make a snapshot an incremental one that has only the rows that *kept* is true for."""
        self.message_rows[snapshot_id] = message_rows
        for run, mask in kept:
            self._kept.setdefault((run.path, run.group), []).append((run.begin, mask))

    def remaining(self, path: Path, group: int, rows: Any) -> Any:
        """What is left of a row group, which is *rows*."""
        import pyarrow

        if path.parent.parent.parent.name == SNAPSHOTS.name and self.message_rows:
            return self._with_new_counts(rows)
        pieces: list[Any] = []
        end = 0
        for begin, mask in sorted(self._kept.get((path, group), ()), key=lambda one: one[0]):
            pieces += (pyarrow.repeat(pyarrow.scalar(True), begin - end), mask)
            end = begin + len(mask)
        if not pieces:
            return rows
        pieces.append(pyarrow.repeat(pyarrow.scalar(True), rows.num_rows - end))
        return rows.filter(pyarrow.concat_arrays(pieces))

    def _with_new_counts(self, rows: Any) -> Any:
        """Rows of `snapshots` as they are now."""
        import pyarrow
        import pyarrow.compute

        ids, counts = zip(*self.message_rows.items(), strict=True)
        at = pyarrow.compute.index_in(rows.column("snapshot_id"), value_set=pyarrow.array(ids))
        changed = {
            "mode": pyarrow.compute.if_else(at.is_valid(), Mode.INCREMENTAL.value, rows["mode"]),
            "message_rows": pyarrow.compute.coalesce(
                pyarrow.array(counts, pyarrow.int64()).take(at), rows["message_rows"]
            ),
        }
        for name, values in changed.items():
            number = rows.schema.get_field_index(name)
            rows = rows.set_column(number, rows.schema.field(number), values)
        return rows


def thin(files: dict[str, list[DataFile]], day: str) -> Thinned:
    """Which rows of a queue manager's day may go.

    Args:
        files: by table; every snapshot is complete and in one file of a table.

    Raises:
        pyarrow.ArrowException, OSError: A file cannot be read.
    """
    thinned = Thinned()
    rows = {
        table.name: _Rows(files[table.name], table.name)
        for table in (SNAPSHOTS, QUEUES, MESSAGES, DEFINITIONS)
    }
    for before, now in _going_on(rows[SNAPSHOTS.name].all(_LOOK), day):
        names = before["snapshot_id"], now["snapshot_id"]
        browsed = _browsed_alike(rows[QUEUES.name], *names)
        messages = rows[MESSAGES.name]
        if browsed is None or messages.count(names[1]) != now["message_rows"]:
            continue
        kept = [_kept(messages, *names, browsed), _kept(rows[DEFINITIONS.name], *names, None)]
        if kept[0] is None or kept[1] is None:
            continue
        runs = [*messages.cut(names[1], kept[0]), *rows[DEFINITIONS.name].cut(names[1], kept[1])]
        thinned.add(names[1], kept[0].true_count, runs)
    return thinned


def _going_on(
    snapshots: list[dict[str, Any]], day: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Whole snapshots with the whole one before each that it goes on from."""
    taken_in_order = sorted(snapshots, key=lambda look: look["snap_time"])
    times = [None, *(look["snap_time"] for look in taken_in_order), None]
    alone = [time not in (times[i], times[i + 2]) for i, time in enumerate(times[1:-1])]
    for number in range(1, len(taken_in_order)):
        before, now = taken_in_order[number - 1], taken_in_order[number]
        if (
            before["mode"] == now["mode"] == Mode.FULL
            and now["base_snapshot_id"] == before["snapshot_id"]
            and alone[number - 1]
            and alone[number]
            and day_of(before["snap_time"]) == day_of(now["snap_time"]) == day
            and all(before[name] == now[name] for name in _SAME)
        ):
            yield before, now


def _browsed_alike(queues: _Rows, before: str, now: str) -> Any | None:
    """The queues that *now* browsed; None where others were than *before*."""
    import pyarrow

    flags = [
        dict(zip(*queues.read(name, ("queue", "browsed")).to_pydict().values(), strict=True))
        for name in (before, now)
    ]
    if any(flags[0][queue] != flags[1][queue] for queue in flags[0].keys() & flags[1].keys()):
        return None
    return pyarrow.array([name for name, flag in flags[1].items() if flag], pyarrow.string())


def _kept(rows: _Rows, before: str, now: str, queues: Any | None) -> Any | None:
    """For each row of *now* whether it stays; None where *before* and they do not add up.

    Args:
        queues: those whose rows may go; None for all.
    """
    import pyarrow.compute as pc

    keys = _KEYS[rows.table]
    columns = ("seen", *keys, *(("queue",) if queues is not None else ()))
    old, new = (rows.read(name, columns) for name in (before, now))
    was_there = pc.not_equal(old["seen"], Seen.GONE.value)
    there_before = pc.sum(was_there).as_py() or 0
    counts = {one["values"]: one["counts"] for one in pc.value_counts(new["seen"]).to_pylist()}
    gone, came = counts.get(Seen.GONE.value, 0), counts.get(Seen.NEW.value, 0)
    if there_before - gone + came != new.num_rows - gone:
        return None
    old_key, new_key = (
        pc.binary_join_element_wise(*(one[name] for name in keys), "\0").combine_chunks()
        for one in (old, new)
    )
    at = pc.index_in(new_key, value_set=old_key.filter(was_there.combine_chunks()))
    same = pc.and_(pc.equal(new["seen"], Seen.PRESENT.value), at.is_valid())
    if queues is not None:
        same = pc.and_(same, pc.is_in(new["queue"], value_set=queues))
    compared = [n for n in TABLES[rows.table].names if n not in _NOT_COMPARED[rows.table]]
    at_once = max(1, _VALUES_HELD // (old.num_rows + new.num_rows + 1))
    for first in range(0, len(compared), at_once):
        chosen = tuple(compared[first : first + at_once])
        one, other = (rows.joined(name, chosen) for name in (before, now))
        equal = pc.equal(one.filter(was_there).take(at), other)
        same = pc.and_(same, equal.fill_null(False))
    return pc.is_in(new_key, value_set=new_key.filter(pc.invert(same).combine_chunks()))


class _Run(NamedTuple):
    """Rows of one snapshot that lie together in a row group."""

    path: Path
    group: int
    begin: int
    length: int


class _Rows:
    """The rows of a table of a queue manager's day, by snapshot."""

    def __init__(self, files: Sequence[DataFile], table: str) -> None:
        import pyarrow.compute

        self.table = table
        self._schema = arrow_schema(TABLES[table])
        self._groups: list[tuple[Path, int]] = []
        self._runs: dict[str, list[_Run]] = {}
        self._group = lru_cache(_GROUPS_HELD)(partial(_read, self._schema))
        self._texts = lru_cache(_GROUPS_HELD)(partial(_read_texts, self._schema))
        for path in (file.path for file in files):
            with opened_parquet(path) as opened:
                for group in range(opened.num_row_groups):
                    self._groups.append((path, group))
                    ids = opened.read_row_group(group, columns=["snapshot_id"])[0].combine_chunks()
                    runs = pyarrow.compute.run_end_encode(ids)
                    begin = 0
                    for end, name in zip(
                        runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True
                    ):
                        run = _Run(path, group, begin, end - begin)
                        self._runs.setdefault(name, []).append(run)
                        begin = end

    def count(self, snapshot_id: str) -> int:
        """How many rows a snapshot has."""
        return sum(run.length for run in self._runs.get(snapshot_id, ()))

    def all(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """The rows of all snapshots; their times are microseconds."""
        import pyarrow

        none = self._schema.empty_table().select(names)
        rows = (_read(self._schema, path, group, tuple(names)) for path, group in self._groups)
        together = pyarrow.concat_tables([none, *rows])
        number = together.schema.get_field_index("snap_time")
        times = together["snap_time"].cast(pyarrow.int64())
        return list(together.set_column(number, "snap_time", times).to_pylist())

    def read(self, snapshot_id: str, names: tuple[str, ...]) -> Any:
        """Columns of the rows of a snapshot."""
        import pyarrow

        none = self._schema.empty_table().select(names)
        return pyarrow.concat_tables([none, *self._parts(snapshot_id, names, self._group)])

    def joined(self, snapshot_id: str, names: tuple[str, ...]) -> Any:
        """The same columns as one text a row."""
        import pyarrow

        none = pyarrow.table({"": pyarrow.array([], pyarrow.string())})
        return pyarrow.concat_tables([none, *self._parts(snapshot_id, names, self._texts)])[0]

    def _parts(self, snapshot_id: str, names: tuple[str, ...], of_group: Any) -> Iterator[Any]:
        for run in self._runs.get(snapshot_id, ()):
            yield of_group(run.path, run.group, names).slice(run.begin, run.length)

    def cut(self, snapshot_id: str, mask: Any) -> Iterator[tuple[_Run, Any]]:
        """*mask*, one value a row of a snapshot, by the runs that they lie in."""
        begin = 0
        for run in self._runs.get(snapshot_id, ()):
            yield run, mask.slice(begin, run.length)
            begin += run.length


def _read(schema: Any, path: Path, group: int, names: tuple[str, ...]) -> Any:
    """Columns of a row group."""
    import pyarrow

    with opened_parquet(path) as opened:
        there = set(opened.schema_arrow.names)
        rows = opened.read_row_group(group, columns=[n for n in names if n in there])
    fields = [schema.field(name) for name in names]
    columns = [
        rows[f.name] if f.name in there else pyarrow.nulls(rows.num_rows, f.type) for f in fields
    ]
    return pyarrow.table(columns, schema=pyarrow.schema(fields))


def _read_texts(schema: Any, path: Path, group: int, names: tuple[str, ...]) -> Any:
    """Columns of a row group as one; worked out for all its snapshots at once."""
    import pyarrow
    import pyarrow.compute

    texts = [
        column.cast(pyarrow.int64() if pyarrow.types.is_timestamp(column.type) else column.type)
        for column in _read(schema, path, group, names).columns
    ]
    return pyarrow.table(
        {
            "": pyarrow.compute.binary_join_element_wise(
                *(column.cast(pyarrow.string()) for column in texts),
                "\0",
                null_handling="replace",
                null_replacement="\1",
            )
        }
    )
