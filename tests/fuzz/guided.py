"""Inputs guided by coverage, for as long as one likes, where atheris is installed:

    pip install atheris
    python -m tests.fuzz.guided NAME -max_total_time=600

NAME is one of `inputs.INPUTS`; the options are libFuzzer's. What breaks something becomes a row of
failures.tsv, as in the tests.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any


def main(name: str, options: list[str]) -> None:
    """Fuzz one input until it breaks, or the time is over."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["mqtriage"]):
        from tests.fuzz import fuzzing, inputs
    kind = inputs.INPUTS[name]

    def one(data: bytes) -> None:
        what = fuzzing.fault(kind, data)
        if what:
            print(fuzzing.keep(name, kind, data, what))
            raise AssertionError(what)

    folder = Path(tempfile.mkdtemp())
    for number, example in enumerate(kind.examples()):
        (folder / str(number)).write_bytes(example)
    atheris.Setup([sys.argv[0], *options, str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
