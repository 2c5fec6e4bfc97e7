"""How BOTHRESH and BOQNAME stand together: one row a state, and the nearest that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.backends.port import AttributeValue, ObjectDefinition
from mqtriage.definitions.backout_policy import BackoutState, leads_back, standing


def local(name: str, threshold: int = 0, boq: str = "", **more: AttributeValue) -> ObjectDefinition:
    attributes = {"BOTHRESH": threshold, "BOQNAME": boq, "MAXMSGL": 100, "PUT": "ENABLED", **more}
    return ObjectDefinition(name, "QLOCAL", attributes)


def alias(name: str, target: str) -> ObjectDefinition:
    return ObjectDefinition(name, "QALIAS", {"TARGET": target, "PUT": "ENABLED"})


BROKEN = BackoutState.BROKEN
HALF = BackoutState.HALF
LOOP = BackoutState.LOOP
OFF = BackoutState.OFF
OK = BackoutState.OK
SHARED = BackoutState.SHARED


@pytest.mark.parametrize(
    ("queue", "others", "deadq", "state"),
    [
        pytest.param(local("A"), [], "", OFF, id="neither"),
        pytest.param(local("A", 3), [], "", HALF, id="threshold-alone"),
        pytest.param(local("A", 0, "B"), [local("B")], "", HALF, id="boqname-alone"),
        pytest.param(local("A", 3, "B"), [local("B")], "", OK, id="both"),
        pytest.param(local("A", 3, "X"), [local("B"), alias("X", "B")], "", OK, id="alias"),
        pytest.param(local("A", 3, "B"), [], "", BROKEN, id="missing"),
        pytest.param(local("A", 0, "B"), [], "", BROKEN, id="missing-is-worse-than-half"),
        pytest.param(
            local("A", 3, "B"), [local("B", PUT="DISABLED")], "", BROKEN, id="put-disabled"
        ),
        pytest.param(local("A", 3, "B"), [local("B", MAXMSGL=99)], "", BROKEN, id="short"),
        pytest.param(local("A", 3, "B"), [local("B", MAXMSGL=101)], "", OK, id="longer"),
        pytest.param(local("A", 3, "B"), [local("B", MAXDEPTH=0)], "", BROKEN, id="depth-0"),
        pytest.param(local("A", 3, "A"), [], "", LOOP, id="itself"),
        pytest.param(local("A", 3, "B"), [local("B", 1, "A")], "", LOOP, id="two"),
        pytest.param(
            local("A", 3, "B"), [local("B", 1, "C"), local("C", 1, "B")], "", SHARED,
            id="a-loop-further-on-is-not-its-own",
        ),
        pytest.param(local("A", 3, "B"), [local("B")], "B", SHARED, id="dead-letter-queue"),
        pytest.param(
            local("A", 3, "B"), [local("B"), local("C", 1, "B")], "", SHARED, id="shared"
        ),
    ],
)  # fmt: skip
def test_state(
    queue: ObjectDefinition, others: list[ObjectDefinition], deadq: str, state: BackoutState
) -> None:
    queues = {each.name: each for each in (queue, *others)}
    assert standing(queue, queues, deadq).state is state


def test_every_state_but_ok_and_off_says_why() -> None:
    for queue in (local("A", 3), local("A", 3, "NOPE"), local("A", 3, "A")):
        assert standing(queue, {"A": queue}).problems


@given(st.lists(st.sampled_from(["", "A", "B", "C", "D", "NOPE"]), min_size=4, max_size=4))
def test_following_boqname_always_ends(names: list[str]) -> None:
    queues = {q: local(q, 1, boq) for q, boq in zip("ABCD", names, strict=True)}
    for queue in queues.values():
        found = standing(queue, queues)
        assert (found.state is LOOP) is leads_back(queue, queues)
