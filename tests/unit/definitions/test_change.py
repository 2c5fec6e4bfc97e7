"""Reading ATTR=VALUE, and the definitions that a name leads to."""

from __future__ import annotations

import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.backends.port import Backend, ObjectDefinition
from mqtriage.definitions.change import (
    Attributes,
    alteration,
    carry_out,
    differences,
    read_assignments,
)
from mqtriage.mq.attributes.catalogue import attributes_of, render
from mqtriage.mq.errors import MQTriageError, UsageError


def test_values_are_read_as_mqsc_prints_them() -> None:
    assert read_assignments("QLOCAL", ["maxdepth=7", "Put=disabled", "boqname=App.bo"]) == {
        "MAXDEPTH": 7,
        "PUT": "DISABLED",
        "BOQNAME": "App.bo",
    }


@pytest.mark.parametrize(
    ("text", "value"), [("SHARE", "YES"), ("NOSHARE", "NO"), ("SHARE=NO", "NO"), ("share", "YES")]
)
def test_a_switch_stands_alone_or_has_yes_or_no(text: str, value: str) -> None:
    assert read_assignments("QLOCAL", [text]) == {"SHARE": value}


def test_a_blank_value_clears_a_name_and_a_description() -> None:
    assert read_assignments("QLOCAL", ["BOQNAME=", "DESCR="]) == {"BOQNAME": "", "DESCR": ""}


def test_a_length_takes_a_unit_and_an_equals_sign_may_stand_in_a_text() -> None:
    assignments = read_assignments("QLOCAL", ["MAXMSGL=4MB", "DESCR=a=b"])
    assert assignments == {"MAXMSGL": 4_000_000, "DESCR": "a=b"}


@given(text=st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assignments = read_assignments("QLOCAL", [text])
    except UsageError:
        return
    assert assignments
    for keyword, value in assignments.items():
        entry = next(a for a in attributes_of("QLOCAL") if a.keyword == keyword)
        assert render(entry, value)
        assert not entry.read_only


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("PUT(ENABLED)", {"PUT": "ENABLED"}),
        ("BOQNAME(orders.bo)", {"BOQNAME": "ORDERS.BO"}),
        ("BOQNAME('orders.bo')", {"BOQNAME": "orders.bo"}),
        (" put ( disabled ) ", {"PUT": "DISABLED"}),
        ("DESCR('a b')", {"DESCR": "a b"}),
        ("DESCR('a=b')", {"DESCR": "a=b"}),
        ("DESCR('it''s (new)')", {"DESCR": "it's (new)"}),
        ("DESCR=f(x)", {"DESCR": "f(x)"}),
        ("BOQNAME('App.bo')", {"BOQNAME": "App.bo"}),
        ("BOQNAME(' ')", {"BOQNAME": ""}),
        ("DESCR(' ')", {"DESCR": ""}),
        ("MAXMSGL(4MiB)", {"MAXMSGL": 4_194_304}),
        (
            "PUT(ENABLED) NOSHARE GET(DISABLED)",
            {"PUT": "ENABLED", "SHARE": "NO", "GET": "DISABLED"},
        ),
    ],
)
def test_an_attribute_is_also_read_as_runmqsc_takes_it(
    text: str, values: dict[str, int | str]
) -> None:
    assert read_assignments("QLOCAL", [text]) == values


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("PUT(ENABLED", "this parenthesis is never closed"),
        ("PUT(ENABLED))", "this ) closes nothing"),
        ("DESCR('a b)", "this quote is never closed"),
        ("DESCR('a'b')", "'b' right after a quote"),
        ("DESCR()", "DESCR() has no value; ' ' is blank"),
        ("(ENABLED)", "unexpected '(ENABLED)'"),
    ],
)
def test_parentheses_are_read_as_mqsc_and_faults_named(text: str, wrong: str) -> None:
    with pytest.raises(UsageError, match="^" + re.escape(repr(text))) as caught:
        read_assignments("QLOCAL", [text])
    assert wrong in caught.value.text
    assert caught.value.hint == "write KEYWORD(VALUE), as in MQSC"


@pytest.mark.parametrize("text", ["DESCR(a b)", "DESCR(a,b)"])
def test_several_values_in_parentheses_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"^DESCR takes one value: text with blanks or commas"):
        read_assignments("QLOCAL", [text])


@pytest.mark.parametrize("text", ["PUTT(ENABLED)", "PUT(MAYBE)", "MAXDEPTH(LOTS)", "CURDEPTH(1)"])
def test_as_runmqsc_takes_it_an_attribute_is_checked_like_any_other(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_assignments("QLOCAL", [text])
    with pytest.raises(UsageError) as expected:
        read_assignments("QLOCAL", [text.replace("(", "=").rstrip(")")])
    assert (caught.value.text, caught.value.hint) == (expected.value.text, expected.value.hint)


def test_differences_leave_out_what_is_so_already() -> None:
    now: dict[str, int | str] = {"MAXDEPTH": 5, "PUT": "ENABLED"}
    assert differences(now, {"MAXDEPTH": 5, "PUT": "DISABLED"}) == {"PUT": ("ENABLED", "DISABLED")}


class Deaf:
    """A queue manager that takes every ALTER and does none."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def alter(self, kind: str, name: str, attributes: Attributes) -> None:
        self.asked.append(name)

    def queue(self, name: str) -> ObjectDefinition:
        return ObjectDefinition(name, "QLOCAL", {"MAXDEPTH": 5})


def test_a_change_that_the_queue_manager_did_not_make_is_an_error_not_a_report() -> None:
    backend = cast(Backend, Deaf())
    change = alteration("set", backend.queue("A"), {"MAXDEPTH": 9})
    with pytest.raises(MQTriageError, match="MAXDEPTH was set to 9, the queue manager shows 5"):
        carry_out(backend, change)
