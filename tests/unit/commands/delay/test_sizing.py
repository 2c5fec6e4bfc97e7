"""What `delay define` reads of a load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mqtriage.commands.delay.sizing import Load, exact_rate, percent, plan_define
from mqtriage.commands.queue.queues import percent_full
from mqtriage.definitions.load_model import Measured
from mqtriage.mq.delay import GREATEST_MAXDEPTH
from mqtriage.mq.errors import UsageError
from tests.unit.emulator.conftest import Lab


@pytest.mark.parametrize(
    ("text", "rate"), [("20/s", "20"), ("600/m", "600/60"), ("1000/h", "1000/3600")]
)
def test_a_rate_stays_exact(text: str, rate: str) -> None:
    assert exact_rate(text) == rate


@pytest.mark.parametrize("text", ["20", "0/s", "-1/s", "x/s", "1/d", "", "9999999999/s"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a rate"):
        exact_rate(text)


@pytest.mark.parametrize(("text", "value"), [("50%", 50), ("0", 0), ("10000%", 10_000)])
def test_headroom_with_and_without_the_sign(text: str, value: int) -> None:
    assert percent(text) == value


@pytest.mark.parametrize(
    "text", ["", "%", "-1", "10001%", "0000000099999", "50%%", "٣%", "9" * 5000]
)
def test_what_is_no_headroom_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--headroom"):
        percent(text)


@pytest.mark.parametrize(
    ("depth", "most", "percentage"), [(0, 5000, 0.0), (1, 3, 33.3), (5, 0, 100.0), (1, None, None)]
)
def test_percent_full(depth: int, most: int | None, percentage: float | None) -> None:
    assert percent_full(depth, most) == percentage


def seen(depth: int) -> Measured:
    """What an analysis found to be needed."""
    return Measured("QM1", depth, 1000)


@pytest.mark.seed("DD-44", "CARD-19")
def test_what_was_measured_leaves_a_greater_value_and_what_is_asked_for_does_not(
    tmp_path: Path,
) -> None:
    lab = Lab(tmp_path)
    load = Load(maxdepth=10, maxmsgl_bytes=1000, seen=seen(10))
    change = plan_define(lab.mq, load)
    assert change.steps == ()
    assert [note for note in change.plan.notes if "does not change" in note] == [
        "MAXDEPTH(999999999) is more than the 10 needed, and does not change",
        "MAXMSGL(4194304) is more than the 1000 needed, and does not change",
    ]
    assert (
        plan_define(
            lab.mq, Load(maxdepth=GREATEST_MAXDEPTH, seen=seen(GREATEST_MAXDEPTH))
        ).plan.notes
        == []
    )
    (step,) = plan_define(lab.mq, replace(load, maxmsgl_bytes=2000)).steps
    assert step.attributes == {"MAXMSGL": 2000}
    lab.close()
