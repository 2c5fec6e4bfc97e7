"""What has to change, in which order, and back: pure, on made-up queue managers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.definitions.desired import Live, desired_objects, not_compared
from mqtriage.definitions.diff import (
    DefinitionChange,
    Difference,
    changed_in_both,
    compare,
    in_order_of_need,
)
from mqtriage.definitions.estate import Definition
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.mq.attributes.catalogue import AttributeValue, defaults
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.parse import parse

Values = dict[str, AttributeValue]


def live(depths: dict[str, int] | None = None, **queues: Values) -> Live:
    """A queue manager with the default local queue and these local ones."""
    base = defaults("QLOCAL")
    there = {name.replace("_", "."): base | values for name, values in queues.items()}
    there["SYSTEM.DEFAULT.LOCAL.QUEUE"] = base
    objects = {name: Definition("QLOCAL", name, values) for name, values in there.items()}
    return Live("QM1", "dist", objects, defaults("QMGR"), depths or {})


def diff(now: Live, text: str, *, exact: bool = False) -> Difference:
    builder = EstateBuilder(now.platform)
    builder.run(parse(text, file="f"))
    return compare(desired_objects(builder.estate(now.name), now, exact=exact), now)


def test_what_is_as_asked_needs_nothing() -> None:
    difference = diff(live(A={"MAXDEPTH": 7}), "DEFINE QLOCAL(A) MAXDEPTH(7) REPLACE\nALTER QMGR\n")
    assert (difference.forward, difference.refusals) == ([], [])


def test_only_what_differs_is_altered_and_the_way_back_has_the_old_values() -> None:
    difference = diff(
        live(A={"MAXDEPTH": 7, "DESCR": "stays"}),
        "DEFINE QLOCAL(A) MAXDEPTH(8) NOSHARE GET(ENABLED)",
    )
    assert difference.forward == ["ALTER QLOCAL('A') MAXDEPTH(8) NOSHARE"]
    assert difference.back == ["ALTER QLOCAL('A') MAXDEPTH(7) SHARE"]


def test_exact_takes_what_is_not_named_from_the_default_object() -> None:
    now = live(A={"DESCR": "goes", "MAXDEPTH": 7})
    assert diff(now, "DEFINE QLOCAL(A) MAXDEPTH(7)", exact=True).forward == [
        "ALTER QLOCAL('A') DESCR(' ')"
    ]
    assert diff(now, "ALTER QLOCAL(A) MAXDEPTH(7)", exact=True).forward == []


def test_a_queue_that_is_missing_is_defined_and_the_way_back_deletes_it() -> None:
    difference = diff(live(), "DEFINE QLOCAL(N) MAXDEPTH(5000) PUT(DISABLED)")
    assert difference.forward == ["DEFINE QLOCAL('N') MAXDEPTH(5000) PUT(DISABLED)"]
    assert difference.back == ["DELETE QLOCAL('N')"]


def test_like_gives_what_the_other_queue_has_and_the_default_has_not() -> None:
    now = live(OLD={"MAXDEPTH": 9, "DEFPSIST": "YES"})
    difference = diff(now, "DEFINE QLOCAL(N) LIKE(OLD) MAXDEPTH(10)")
    assert difference.forward == ["DEFINE QLOCAL('N') DEFPSIST(YES) MAXDEPTH(10)"]
    chained = diff(now, "DEFINE QLOCAL(M) GET(DISABLED)\nDEFINE QLOCAL(N) LIKE(M)")
    assert chained.forward[1] == "DEFINE QLOCAL('N') GET(DISABLED)"


def test_like_counts_for_a_queue_that_is_there_as_far_as_the_files_say() -> None:
    now = live(M={"GET": "DISABLED", "DESCR": "live"}, N={})
    difference = diff(now, "DEFINE QLOCAL(M) GET(DISABLED) REPLACE\nDEFINE QLOCAL(N) LIKE(M)")
    assert difference.forward == ["ALTER QLOCAL('N') GET(DISABLED)"]
    assert diff(now, "DEFINE QLOCAL(N) LIKE(M)").forward == []
    exact = diff(now, "DEFINE QLOCAL(N) LIKE(M)", exact=True)
    assert exact.forward == ["ALTER QLOCAL('N') DESCR('live') GET(DISABLED)"]


def test_like_in_a_circle_ends() -> None:
    difference = diff(
        live(), "DEFINE QLOCAL(A) LIKE(B) MAXDEPTH(1)\nDEFINE QLOCAL(B) LIKE(A) GET(DISABLED)"
    )
    assert len(difference.forward) == 2


def test_a_queue_manager_limit_rises_before_the_queues_and_falls_after_them() -> None:
    up = diff(live(), "DEFINE QLOCAL(N) MAXMSGL(8000000)\nALTER QMGR MAXMSGL(8000000) DEADQ(N)")
    assert up.forward == [
        "ALTER QMGR MAXMSGL(8000000)",
        "DEFINE QLOCAL('N') MAXMSGL(8000000)",
        "ALTER QMGR DEADQ('N')",
    ]
    down = diff(live(A={}), "ALTER QMGR MAXMSGL(100000)\nALTER QLOCAL(A) MAXMSGL(100000)")
    assert down.forward == ["ALTER QLOCAL('A') MAXMSGL(100000)", "ALTER QMGR MAXMSGL(100000)"]


def test_a_queue_that_another_names_comes_first_and_leaves_last() -> None:
    difference = diff(
        live(),
        "DEFINE QALIAS(A) TARGET(IN)\nDEFINE QLOCAL(IN) BOTHRESH(1) BOQNAME(BO)\n"
        "DEFINE QLOCAL(BO)\n",
    )
    assert [change.name for change in difference.changes] == ["BO", "IN", "A"]
    now = live(IN={"BOQNAME": "BO"}, BO={})
    gone = diff(now, "DELETE QLOCAL(BO)\nDELETE QLOCAL(IN)")
    assert [change.name for change in gone.changes] == ["IN", "BO"]
    assert gone.back[0].startswith("DEFINE QLOCAL('BO')")


def test_the_way_back_of_a_delete_has_what_the_default_object_has_not() -> None:
    difference = diff(live(A={"MAXDEPTH": 7}), "DELETE QLOCAL(A)")
    assert difference.back == ["DEFINE QLOCAL('A') MAXDEPTH(7)"]


def test_the_way_back_says_all_where_the_default_object_changes_too() -> None:
    text = "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(9)\nDELETE QLOCAL(A)"
    difference = diff(live(A={}), text)
    assert "MAXDEPTH(5000)" in difference.back[0]


def test_deleting_what_is_gone_is_nothing() -> None:
    assert diff(live(), "DELETE QLOCAL(A)").forward == []


def test_delete_and_define_again_compares_the_definition() -> None:
    difference = diff(live(A={"MAXDEPTH": 7}), "DELETE QLOCAL(A)\nDEFINE QLOCAL(A) MAXDEPTH(8)")
    assert difference.forward == ["ALTER QLOCAL('A') MAXDEPTH(8)"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALTER QLOCAL(NO) MAXDEPTH(1)", "f:1: ALTER QLOCAL(NO): there is no such queue"),
        ("DEFINE QALIAS(A) TARGET(B)", "f:1: QALIAS(A): a QLOCAL of that name is there"),
        ("DELETE QALIAS(A)", "f:1: DELETE QALIAS(A): it is a QLOCAL"),
        ("DELETE QLOCAL(A)", "f:1: DELETE QLOCAL(A): it contains 3 messages"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_place(text: str, expected: str) -> None:
    difference = diff(live({"A": 3}, A={}), text)
    assert difference.forward == []
    assert [refusal.text for refusal in difference.refusals] == [expected]


def test_purge_is_a_note_and_the_command_says_so() -> None:
    difference = diff(live({"A": 3}, A={}), "DELETE QLOCAL(A) PURGE")
    assert difference.forward == ["DELETE QLOCAL('A') PURGE"]
    assert difference.notes == ["A contains 3 messages; the reverse script does not restore them"]


def test_a_maxdepth_below_curdepth_is_a_note() -> None:
    difference = diff(live({"A": 3}, A={}), "ALTER QLOCAL(A) MAXDEPTH(2)")
    assert "A contains 3 messages, above MAXDEPTH(2)" in difference.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DEFINE QLOCAL(A)\nDEFINE QLOCAL(A) MAXDEPTH(1)", r"f:2: QLOCAL\(A\): .* f:1"),
        ("DEFINE QLOCAL(N) LIKE(NO)", r"f:1: LIKE\(NO\): neither"),
        ("DEFINE QLOCAL(N) MAXDEPTH('${DEPTH}')", "MAXDEPTH.* is a placeholder"),
    ],
)
def test_files_that_contradict_themselves_are_wrong_usage(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        diff(live(), text)


def test_commands_on_other_objects_are_counted() -> None:
    builder = EstateBuilder("dist")
    builder.run(parse("DEFINE TOPIC(T) TOPICSTR('t')\nDIS QL(*)\nDEFINE QL(A)\nSTART LISTENER(L)\n"
                      "START LISTENER(M)\nCLEAR QL(A)"))  # fmt: skip
    others = {"START LISTENER": 2, "CLEAR QLOCAL": 1}
    assert not_compared(builder.estate()) == others
    assert not_compared(builder.estate(), kinds=()) == {"DEFINE TOPIC": 1, **others}


def test_two_queue_managers_differ_in_attributes_and_in_queues() -> None:
    one = live(A={"MAXDEPTH": 1}, B={}, S={"DESCR": "x"})
    other = live(A={"MAXDEPTH": 2}, C={}, S={"DESCR": "x"})
    altered, deleted, defined = changed_in_both(one, other)
    assert (altered.name, altered.how, altered.keys) == ("A", "altered", ["MAXDEPTH"])
    assert [(deleted.name, deleted.how), (defined.name, defined.how)] == [
        ("B", "deleted"),
        ("C", "defined"),
    ]


NAMES = st.sampled_from(["A", "B", "C", "D", "E"])


@given(st.dictionaries(NAMES, NAMES, max_size=5))
def test_ordering_keeps_every_change_and_needs_come_first_unless_in_a_circle(
    refers: dict[str, str],
) -> None:
    changes = [
        DefinitionChange("define", "QLOCAL", name, {"BOQNAME": to}, {})
        for name, to in refers.items()
    ]
    names = [change.name for change in in_order_of_need(changes)]
    assert sorted(names) == sorted(refers)
    for name in names:
        at, seen = refers[name], {name}
        while at in refers and at not in seen:
            seen.add(at)
            at = refers[at]
        if at not in seen and refers[name] in refers:  # no circle on the way
            assert names.index(refers[name]) < names.index(name)
