"""Columns of analyses are shown in the unit that their names say."""

from __future__ import annotations

from mqtriage.model.analysis_tables import TABLES_OF
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
