"""What completion offers for a value: what its field says, whatever help calls it."""

from __future__ import annotations

import pytest

from mqtriage.cli.frame.completion import FILES, candidates
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.verb import takes
from mqtriage.model.options import argument, text
from tests.unit.cli.conftest import Run


@takes(Output)
def example(
    app: AppContext,
    where: str = argument("SOMEWHERE", help="A file.", completes="file"),
    other: str = argument("FILE", help="No file, whatever it is called.", default=""),
    kind: str | None = text(metavar="KIND", help="A kind.", choices=("dist", "zos")),
    spelt: str | None = text(metavar="dist|zos", help="It only looks like one."),
) -> None:
    """Try it."""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], [FILES]),
        (["x", ""], []),
        (["--kind", ""], ["dist", "zos"]),
        (["--kind=z"], ["--kind=zos"]),
        (["--spelt", ""], []),
    ],
)
def test_the_field_says_what_is_offered(run: Run, words: list[str], offered: list[str]) -> None:
    app = run(example, "x").app
    assert [candidate.value for candidate in candidates(app, ["try", "it", *words])] == offered
