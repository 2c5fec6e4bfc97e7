"""How fast definitions are read and linted; `make bench` has the figures at full size."""

from __future__ import annotations

import pytest
from benchmarks import lint_growth, mqsc_parse
from benchmarks.mqsc_parse import Shape


@pytest.mark.alone
@pytest.mark.parametrize("shape", [mqsc_parse.dump, mqsc_parse.short])
@pytest.mark.slow
def test_mqsc_is_parsed_at_the_share_of_the_speed_of_tomllib_that_is_promised(shape: Shape) -> None:
    (figure,) = mqsc_parse.figures(300_000, (shape,))
    assert figure.holds, figure.line()


@pytest.mark.alone
@pytest.mark.slow
def test_lint_of_fully_attributed_queues_grows_linearly() -> None:
    figures = (lint_growth.queue_figure(2_400, rounds=2), lint_growth.unknown_figure(20_000))
    for figure in figures:
        assert figure.holds, figure.line()
