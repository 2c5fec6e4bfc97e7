"""Which names look like a slip for another: this decides between a refusal and a warning."""

from __future__ import annotations

import pytest

from mqtriage.operations.selection.field_values import is_slip


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("body.$.pay.curency", "body.$.pay.currency"),
        ("body.$.pay.currrency", "body.$.pay.currency"),
        ("body.$.pay.currenci", "body.$.pay.currency"),
        ("body.$.odrer.id", "body.$.order.id"),
        ("body.$.order_id", "body.$.orderId"),
        ("body./order/custmer", "body./order/customer"),
        ("prop.regoin", "prop.region"),
        ("prop.Region", "prop.region"),
    ],
)
def test_one_letter_or_the_case_is_a_slip(field: str, other: str) -> None:
    assert is_slip(field, other)
    assert is_slip(other, field)


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("body.$.order.country", "body.$.order.currency"),
        ("body.$.order.country", "body.$.order.customer.country"),
        ("body.$.order.id", "body.$.payment.id"),
        ("body.$.customerId", "body.$.customerNo"),
        ("body.$.createdAt", "body.$.createdBy"),
        ("body.$.id", "body.$.ip"),
        ("body.$.line1", "body.$.line2"),
        ("body.$.items[1].sku", "body.$.items[0].sku"),
        ("body.$.region", "prop.region"),
        ("body.$.order.customer", "body./order/customer"),
        ("body.$.order.id", "body./order/@id"),
        ("reason", "report"),
    ],
)
def test_another_name_is_not_a_slip(field: str, other: str) -> None:
    assert not is_slip(field, other)
    assert not is_slip(other, field)
