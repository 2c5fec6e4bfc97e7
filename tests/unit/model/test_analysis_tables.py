"""Columns of analyses are shown in the unit that their names say."""

from __future__ import annotations

from typing import Any

import pytest

from mqtriage.model.analysis_tables import (
    TABLES_OF,
    doubt_about_sizes,
    doubts_about_sizes,
)
from mqtriage.model.result import Show

_SHOWN = {"_bytes": Show.BYTES, "_ms": Show.AGE_MS, "_time": Show.TIME}


def test_a_column_is_shown_in_the_unit_of_its_name() -> None:
    for tables in TABLES_OF.values():
        for name, table in tables.items():
            for field in table.fields:
                for ending, show in _SHOWN.items():
                    if field.key.endswith(ending):
                        assert field.show is show, (name, field.key)


def test_a_profile_is_told_day_by_day_within_its_queue() -> None:
    order = TABLES_OF["profile"]["profile"].order
    assert order == ("qmgr", "queue", "day", "format", "put_appl_name")


def sized(looks: object, until: str, **more: object) -> dict[str, Any]:
    day = "2026-11-30T"
    return {
        "looks": looks, "from_time": f"{day}10:00:00Z", "until_time": f"{day}{until}Z",
        "delay_p95_ms": 60_000, "delay_max_ms": 900_000, "odd_delays": 0, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "is_doubtful"),
    [
        pytest.param(sized(2, "10:00:08"), True, id="two-looks-of-8s"),
        pytest.param(sized(60, "10:14:59"), True, id="shorter-than-the-longest-delay"),
        pytest.param(sized(3, "10:15:00"), False, id="as-long-as-the-longest-delay"),
        pytest.param(sized(2, "23:00:00"), True, id="one-gap"),
        pytest.param(sized(3, "10:01:00", odd_delays=1), False, id="an-odd-delay-does-not-count"),
        pytest.param(sized(3, "10:00:01", delay_max_ms=None), False, id="no-delay-known"),
        pytest.param({"maxdepth": 7}, False, id="another-version"),
        pytest.param(sized("x", "10:00:08"), False, id="not-a-number"),
    ],
)
def test_sizes_of_too_short_a_look_are_doubted(row: dict[str, Any], is_doubtful: bool) -> None:
    assert bool(doubt_about_sizes(row)) is is_doubtful


def test_the_doubt_names_what_was_seen_and_what_to_do() -> None:
    assert doubt_about_sizes(sized(2, "10:00:08")) == (
        "the sizes are only a lower limit: they come from 2 snapshots in 8s, and the longest delay"
        " is 15m; take at least 3 snapshots over more than that"
    )


def test_of_many_queue_managers_in_doubt_the_first_are_named_and_the_others_counted() -> None:
    rows = [sized(2, "10:00:08", qmgr=f"QM{number}") for number in range(1000)]
    notes = doubts_about_sizes([sized(3, "10:15:00", qmgr="SURE"), *rows])
    assert [note.partition(":")[0] for note in notes] == [
        *(f"QM{number}" for number in range(5)), "995 more queue managers",
    ]  # fmt: skip
