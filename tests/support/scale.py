"""How much a test tries: MQTRIAGE_TESTS is `fast`, `usual` or `all`, as the targets of make say.

fast    `make test-fast`: a handful
usual   `make test`, `make test-slow`, and pytest by itself: what shows the behaviour
all     `make test-all`, before a release: what finds the rare case
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import product
from typing import Final, TypeVar

import pytest

Case = TypeVar("Case")

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


def for_all(
    cases: Iterable[Case],
) -> Callable[[Callable[[Case], None]], Callable[[], None]]:
    """Make a check of one case a test of all of them, which names each case that fails.

    For many cases of a check that takes a millisecond: as parameters, each takes longer to collect,
    in every process, and to report. It is skipped only where each case is.
    """
    every = tuple(cases)

    def test_of(check: Callable[[Case], None]) -> Callable[[], None]:
        @wraps(check)
        def test() -> None:
            failures, skipped = [], []
            for case in every:
                try:
                    check(case)
                except pytest.skip.Exception as why:
                    skipped.append(why)
                except (Exception, pytest.fail.Exception) as error:
                    failures.append(f"{case}: {type(error).__name__}: {error}")
            assert every
            assert not failures, f"{len(failures)} of {len(every)}:\n" + "\n".join(failures)
            if len(skipped) == len(every):
                raise skipped[0]

        del test.__wrapped__  # pytest would look there, and for a fixture of the case's name
        return test

    return test_of
