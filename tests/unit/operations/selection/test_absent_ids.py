"""MsgIds that a selection asks for, and that several messages have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqtriage.messages.filters.selection import build_selection
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.plan import PlannedMessage
from mqtriage.operations.selection.absent_ids import repeated_ids


def messages(*numbers: int) -> Iterator[PlannedMessage]:
    for number in numbers:
        ident = b"%024d" % number
        yield PlannedMessage(ident, ident, "20260131", "10000000", 1, bytes(32), 0, 1, -1, 0)


def test_of_a_pattern_that_fits_many_msgids_no_more_than_the_first_ones_are_kept() -> None:
    selection = build_selection(SelectionOptions(where=("msg_id like '30%'",)))
    planned = messages(*range(100_000), 1)
    assert repeated_ids(planned, selection) == ""
    assert len(list(planned)) > 99_000


@pytest.mark.parametrize("where", ["msg_id = '{}'", "msg_id like '{}%'"])
def test_messages_that_share_the_one_msgid_of_a_condition_are_told(where: str) -> None:
    ident = (b"%024d" % 7).hex().upper()
    selection = build_selection(SelectionOptions(where=(where.format(ident),)))
    assert repeated_ids(messages(7, 7), selection) == f"2 messages have MsgId {ident}"
    assert repeated_ids(messages(7), selection) == ""
