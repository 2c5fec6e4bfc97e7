"""How BOTHRESH and BOQNAME stand together: one row a state, and the nearest that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtriage.backends.port import AttributeValue, ObjectDefinition
from mqtriage.definitions.backout_policy import BackoutState, Queues, judge_backout, lead, routes_of
from tests.support.timing import shortest_s


def local(name: str, threshold: int = 0, boq: str = "", **more: AttributeValue) -> ObjectDefinition:
    attributes = {"BOTHRESH": threshold, "BOQNAME": boq, "MAXMSGL": 100, "PUT": "ENABLED", **more}
    return ObjectDefinition(name, "QLOCAL", attributes)


def alias(name: str, target: str) -> ObjectDefinition:
    return ObjectDefinition(name, "QALIAS", {"TARGET": target, "PUT": "ENABLED"})


BROKEN = BackoutState.BROKEN
HALF = BackoutState.HALF
HIGH = BackoutState.HIGH
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
        pytest.param(local("A", 10, "B"), [local("B")], "", OK, id="ten"),
        pytest.param(local("A", 101, "B"), [local("B")], "", HIGH, id="above-100"),
        pytest.param(local("A", 101, "B"), [local("B")], "B", HIGH, id="high-is-worse-than-shared"),
        pytest.param(local("A", 11), [], "", HALF, id="half-is-worse-than-high"),
    ],
)  # fmt: skip
def test_state(
    queue: ObjectDefinition, others: list[ObjectDefinition], deadq: str, state: BackoutState
) -> None:
    queues = {definition.name: definition for definition in (queue, *others)}
    assert judge_backout(queue, queues, deadq).state is state


def test_every_state_but_ok_and_off_says_why() -> None:
    for queue in (local("A", 3), local("A", 3, "NOPE"), local("A", 3, "A"), local("A", 11, "A")):
        assert judge_backout(queue, {"A": queue}).problems


def leads_back(queue: ObjectDefinition, queues: Queues) -> bool:
    """The definition, one step after the other."""
    at: ObjectDefinition | None = queue
    for _ in queues:
        boqname = str(at.attributes["BOQNAME"]) if at is not None else ""
        at = lead(boqname, queues)[0] if boqname else None
        if at is queue:
            return True
    return False


@given(st.lists(st.sampled_from(["", *"ABCDEF", "NOPE"]), min_size=6, max_size=6))
def test_a_loop_and_who_shares_are_the_same_for_one_queue_and_for_all(names: list[str]) -> None:
    queues = {q: local(q, 1, boq) for q, boq in zip("ABCDEF", names, strict=True)}
    routes = routes_of(queues)
    for queue in queues.values():
        alone = judge_backout(queue, queues)
        assert judge_backout(queue, queues, routes=routes) == alone
        assert (alone.state is LOOP) is leads_back(queue, queues)
        others = [name for name, boq in zip(queues, names, strict=True)
                  if name != queue.name and boq and boq == queue.attributes["BOQNAME"]]  # fmt: skip
        sharing_problems = [text for text in alone.problems if text.startswith("shared with")]
        assert bool(sharing_problems) == (
            bool(others) and alone.base is not None and alone.state is not LOOP
        )
        assert all(name in sharing_problems[0] for name in others[:3] if sharing_problems)


@pytest.mark.parametrize("boqname", ["the next", "one of all"])
def test_ten_thousand_queues_are_judged_in_one_pass(boqname: str) -> None:
    names = [f"Q{number}" for number in range(10_000)]
    after = names[1:] + names[:1] if boqname == "the next" else ["Q0"] * len(names)
    queues = {name: local(name, 3, boq) for name, boq in zip(names, after, strict=True)}
    routes = routes_of(queues)

    def judge() -> None:
        states = {judge_backout(queue, queues, "", routes).state for queue in queues.values()}
        assert states == ({LOOP} if boqname == "the next" else {LOOP, SHARED})

    assert shortest_s(judge, 2) < 2  # 0.1 s here, minutes before
