"""Names that somebody may have meant."""

from __future__ import annotations

import pytest

from mqtriage.definitions.near_names import near_name


@pytest.mark.parametrize(
    ("name", "known", "by", "expected"),
    [
        ("ORDRES.BO", "ORDERS.BO", "ORDERS.IN", "ORDERS.BO"),
        ("ORDERS.B0", "ORDERS.BO", "ORDERS.IN", "ORDERS.BO"),
        ("ORDER.BO", "ORDERS.BO", "", "ORDERS.BO"),
        ("ORDERS.BOO", "ORDERS.BO", "", "ORDERS.BO"),
        ("ORDERS.BO2", "ORDERS.BO1", "", ""),  # numbered
        ("ORDERS.BO2", "ORDERS.BO", "", ""),
        ("ORDERS.BO", "ORDERS.BO1", "", ""),
        ("PAX.BO", "PAY.BO", "PAX.IN", ""),  # named after its user
        ("PAY.BOX", "PAY.BOY PAY.BOZ", "", ""),  # two
        ("A.BO", "B.BO", "", ""),  # short
        ("ORDERS.I", "ORDERS.IN", "ORDERS.IN", ""),  # itself
        ("ROEDRS.BO", "ORDERS.BO", "", ""),  # two slips
    ],
)
def test_one_slip_away(name: str, known: str, by: str, expected: str) -> None:
    assert near_name(name, {name, *known.split()} - {name}, by) == expected
