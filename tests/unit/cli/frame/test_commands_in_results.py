"""The queue manager in the commands of results: in every text of ours, however many are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mqtriage.cli.frame.commands_in_results import name_in_record, name_in_result
from mqtriage.model.result import Listing, Record


def named(text: str) -> str:
    return text.replace("mqtriage queue ls", "mqtriage queue ls -m QM1")


def test_commands_in_lists_of_texts_and_records_name_the_queue_manager() -> None:
    record = {
        "notes": ["see mqtriage queue ls"],
        "problems": [{"hint": "mqtriage queue ls", "body": "mqtriage queue ls"}],
        "names": ["mqtriage queue ls"],
    }
    assert name_in_record(record, named) == {
        "notes": ["see mqtriage queue ls -m QM1"],
        "problems": [{"hint": "mqtriage queue ls -m QM1", "body": "mqtriage queue ls"}],
        "names": ["mqtriage queue ls"],
    }


def test_late_warnings_name_the_queue_manager_where_reading_stops_before_the_end() -> None:
    warnings: list[str] = []

    def items() -> Iterator[Record]:
        warnings.append("try mqtriage queue ls")
        yield {"name": "A"}
        yield {"name": "B"}

    listing = Listing("K", (), items(), {}, warnings)
    name_in_result(listing, named)
    assert len(list(islice(listing.items, 1))) == 1
    assert warnings == ["try mqtriage queue ls -m QM1"]
