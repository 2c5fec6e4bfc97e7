"""How much a test tries: MQTRIAGE_TESTS is `fast`, `usual` or `all`, as the targets of make say.

fast    `make test-fast`: a handful
usual   `make test`, and pytest by itself: what shows the behaviour
all     `make test-all`, before a release: what finds the rare case
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final

SCALE: Final = os.environ.get("MQTRIAGE_TESTS", "usual")
if SCALE not in {"fast", "usual", "all"}:
    raise ValueError(f"MQTRIAGE_TESTS is {SCALE!r}: fast, usual or all")


def amount(usual: int, *, all: int = 0) -> int:
    """How many examples, histories or seconds: a tenth of *usual* in a hurry, *all* with time.

    Args:
        all: for `make test-all`; ten times *usual* when 0.
    """
    if SCALE == "fast":
        return min(usual, max(2, usual // 10))
    return usual if SCALE == "usual" else all or 10 * usual


def crossed(commands: Iterable[str], forms: Sequence[str]) -> list[tuple[str, str]]:
    """Commands with forms of output: the first in every form, the others in turns, in one each.

    How a form writes each kind of result tests/unit/formatters shows. Before a release, all in all.
    """
    if SCALE == "all":
        return list(product(commands, forms))
    first, *others = commands
    turns = [(command, forms[number % len(forms)]) for number, command in enumerate(others)]
    return [(first, form) for form in forms] + turns
