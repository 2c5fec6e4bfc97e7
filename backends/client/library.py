"""The Python package that speaks to MQ: pymqi, or its successor ibmmq. The one place of its import.

A plain import, made when a connection is wanted: both load IBM's C library, which most machines
that run this tool do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import environ
from typing import Any, Final

from mqtriage.model.client_settings import LibraryName
from mqtriage.model.installing import install_command
from mqtriage.mq.errors import NoClient
from mqtriage.records import NamedTuple

ORDER: Final[tuple[LibraryName, ...]] = ("pymqi", "ibmmq")


class Library(NamedTuple):
    """One of the two packages, imported.

    Attributes:
        module: pymqi or ibmmq itself; untyped, as they are.
    """

    name: LibraryName
    module: Any


class PackageProblem(NamedTuple):
    """Why a package cannot be used.

    Attributes:
        installed: the package is there, and what it needs is not.
    """

    name: LibraryName
    installed: bool
    text: str


def find(name: LibraryName) -> Library | PackageProblem:
    """Import *name*, or say why it cannot be.

    Where OpenTelemetry is installed ibmmq would put trace context into each message that is put,
    and take the properties of each that is got: what is moved here stays as it is.
    """
    environ.setdefault("MQIPY_NOOTEL", "1")
    try:
        return Library(name, import_module(name))
    except ModuleNotFoundError as error:
        # the package may be there and lack something itself: lxml, typing_extensions ...
        if error.name == name:
            return PackageProblem(name, False, f"{name} is not installed")
        return PackageProblem(name, True, f"{name}: {_reason(error)}")
    except (ImportError, OSError, SystemError) as error:
        return PackageProblem(name, True, f"{name}: {_reason(error)}")


def load(
    library: LibraryName = "", look: Callable[[LibraryName], Library | PackageProblem] = find
) -> Library:
    """The package to connect through: *library*, or the first of `ORDER` that can be used."""
    problems: list[PackageProblem] = []
    for name in (library,) if library else ORDER:
        outcome = look(name)
        if isinstance(outcome, Library):
            return outcome
        problems.append(outcome)
    raise NoClient(
        f"no MQ client: {'; '.join(problem.text for problem in problems)}",
        hint=_hint(problems),
    )


def _hint(problems: list[PackageProblem]) -> str:
    broken = [problem for problem in problems if problem.installed]
    if not broken:
        return (
            f"{install_command('ibmmq')}, or '.[mq]', and IBM's MQ client; or '.[rest]' and"
            " --backend rest, which do not need any IBM software; see docs/connecting.md"
        )
    return (
        "install IBM's MQ client and add its lib64 folder to LD_LIBRARY_PATH;"
        " see docs/connecting.md"
    )


def _reason(error: BaseException) -> str:
    """The first failure, on one line: both packages try a second import, which hides it."""
    while isinstance(error.__context__, ImportError):
        error = error.__context__
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:200]}..."
