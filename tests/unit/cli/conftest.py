"""A command tree of the tests' own, run through `main` on text buffers."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NamedTuple, Protocol

import pytest

from mqtriage.cli.frame import tree
from mqtriage.cli.frame.console import NO_TERMINALS, Terminals
from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.lazy import load_verb
from mqtriage.cli.frame.main import main
from tests.support.application import app_for_test

MODULE = "mqtriage_verbs_of_a_test"


class Ran(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str
    app: AppContext


class Run(Protocol):
    """Run `mqtriage try it ARGS...` with *verb* as the command."""

    def __call__(
        self,
        verb: Callable[..., None],
        *args: str,
        before: tuple[str, ...] = (),
        stdin: str = "",
        environ: Mapping[str, str] | None = None,
        terminals: Terminals = NO_TERMINALS,
    ) -> Ran: ...


def text_of(stream: object) -> str:
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    def run_verb(
        verb: Callable[..., None],
        *args: str,
        before: tuple[str, ...] = (),
        stdin: str = "",
        environ: Mapping[str, str] | None = None,
        terminals: Terminals = NO_TERMINALS,
    ) -> Ran:
        module = ModuleType(MODULE)
        vars(module)["it"] = verb
        monkeypatch.setitem(sys.modules, MODULE, module)
        group = tree.CommandGroup("Trying.", {"it": (f"{MODULE}:it", "Try it.")})
        monkeypatch.setitem(tree.GROUPS, "try", group)
        load_verb.cache_clear()
        app = app_for_test(stdin=stdin, environ=environ, terminals=terminals)
        code = main([*before, "try", "it", *args], app)
        return Ran(code, text_of(app.output.stdout), text_of(app.run.stderr), app)

    return run_verb
