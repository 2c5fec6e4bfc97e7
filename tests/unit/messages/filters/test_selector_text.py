"""Conditions as selection strings of IBM MQ."""

from __future__ import annotations

import pytest

from mqtriage.messages.filters.selector_text import selector_text
from mqtriage.messages.filters.where import parse_where


@pytest.mark.parametrize(
    ("where", "selector"),
    [
        pytest.param(
            "format = 'MQSTR'", "Root.MQMD.Format IN ('MQSTR', 'MQSTR   ')", id="descriptor"
        ),
        pytest.param("format = 'MQADMIN1'", "Root.MQMD.Format IN ('MQADMIN1')", id="filled"),
        pytest.param("format <> 'X'", "NOT (Root.MQMD.Format IN ('X', 'X       '))", id="not"),
        pytest.param("format > 'X'", None, id="no-order"),
        pytest.param("prop.a > 'X'", None, id="no-order-of-properties"),
        pytest.param("prop.a between 'X' and 'Z'", None, id="no-range-of-texts"),
        pytest.param("format like '%X'", None, id="like-with-an-end"),
        pytest.param("prop.a like '%X'", "a LIKE '%X'", id="like-of-a-property"),
        pytest.param("prop.Color = 'red'", "Color = 'red'", id="property"),
        pytest.param("prop.n >= 3 and priority < 5", "n >= 3 AND Root.MQMD.Priority < 5", id="and"),
        pytest.param(
            "msg_type = MQMT_REPORT and (user = 'a' or user = 'o''b')",
            "Root.MQMD.MsgType = 4 AND "
            "(Root.MQMD.UserIdentifier IN ('a', 'a           ')"
            " OR Root.MQMD.UserIdentifier IN ('o''b', 'o''b         '))",
            id="or-inside-and",
        ),
        pytest.param(
            f"correl_id = '{'4D' * 24}'", f'Root.MQMD.CorrelId = "0x{"4D" * 24}"', id="id"
        ),
        pytest.param(
            "reply_to in ('a', 'b') and prop.x in ('a', 'b')",
            f"Root.MQMD.ReplyToQ IN ('a', '{'a':48}', 'b', '{'b':48}') AND x IN ('a', 'b')",
            id="in-texts",
        ),
        pytest.param(
            "priority in (1, 2)",
            "Root.MQMD.Priority = 1 OR Root.MQMD.Priority = 2",
            id="in-numbers",
        ),
        pytest.param("put_appl like 'pay%'", "Root.MQMD.PutApplName LIKE 'pay%'", id="like"),
        pytest.param(
            "priority between 1 and 3", "Root.MQMD.Priority BETWEEN 1 AND 3", id="between"
        ),
        pytest.param("not prop.a is null", "NOT (a IS NULL)", id="not-null"),
        pytest.param("body.a = 1", None, id="body"),
        pytest.param("length > 5", None, id="length"),
        pytest.param("reason = 2053", None, id="dead-letter-header"),
        pytest.param("age > 1h", None, id="age"),
        pytest.param("format = 'A' and body contains 'x'", None, id="partly"),
        pytest.param("prop.\"odd name\" = 'x'", None, id="odd-property"),
        pytest.param("prop.between = 'x'", None, id="reserved-word"),
    ],
)
def test_selectors(where: str, selector: str | None) -> None:
    assert selector_text(parse_where(where)) == selector
