"""`mqtriage doctor`: what is installed, how a queue manager is reached, what its user may do."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from mqtriage.backends.client import installed
from mqtriage.backends.client.library import ORDER, Library, PackageProblem, find
from mqtriage.backends.port import Backend
from mqtriage.backends.registry import web_session
from mqtriage.commands.context.authority_needs import (
    ROLE,
    AuthorityNeed,
    NeedState,
    answers,
    grant,
    needs,
    role_needs,
)
from mqtriage.commands.help.version import describe, installed_version
from mqtriage.model.installing import install_command
from mqtriage.model.result import Document, Field, Listing, Show
from mqtriage.mq.attributes.catalogue import defaults, platform_of
from mqtriage.mq.delay import STAGING_QUEUE
from mqtriage.mq.errors import MQTriageError, NotAuthorized
from mqtriage.mq.times import rfc3339
from mqtriage.records import NamedTuple

_SKEW_MS = 2_000


class BackendChoice(NamedTuple):
    """Which end of the port is in force, and who says so.

    Attributes:
        chosen: "emulator", "mq" or "rest".
        why: option, variable or file that says so, "" by default.
        user: who connects, as far as it is known here.
    """

    chosen: str
    why: str
    queue_manager: str
    where: str
    user: str


def installation(
    environ: Mapping[str, str] = os.environ, *, over_rest: bool = False
) -> dict[str, Any]:
    """What is on this machine: this program, the Python packages for MQ, the MQ client.

    Args:
        over_rest: whether it is the REST API that is used, which needs no MQ client.
    """
    if over_rest:
        return {**describe().data, "packages": [_https()], "client_libraries": [], "clients": []}
    files = installed.library_files(environ)
    packages = [_package(find(name), files) for name in ORDER]
    if not any(package["usable"] for package in packages):
        for package in packages:
            if package["name"] == "pymqi" and not package["version"]:
                package["fix"] = "; ".join(installed.build_problems(environ)) or package["fix"]
    folders = (folder for folder in installed.installations(environ) if folder.is_dir())
    return {
        **describe().data,
        "packages": [_https(), *packages],
        "client_libraries": [
            {
                "path": str(file.path),
                "bits": file.bits,
                "by": file.by,
                "searched": file.is_searched,
            }
            for file in files
        ],
        "clients": [
            {"folder": str(folder), "version": installed.client_version(folder)}
            for folder in folders
        ],
    }


def _https() -> dict[str, Any]:
    """What --backend rest needs."""
    version = installed_version("urllib3") or ""
    return {
        "name": "urllib3",
        "version": version,
        "usable": bool(version),
        "problem": "" if version else "urllib3 is not installed: it is needed for the REST API",
        "fix": "" if version else install_command("rest"),
    }


def _package(
    package: Library | PackageProblem, files: list[installed.LibraryFile]
) -> dict[str, Any]:
    problem = cure = ""
    if isinstance(package, PackageProblem):
        extra = "mq" if package.name == "pymqi" else package.name
        problem, cure = package.text, install_command(extra)
        if package.installed:
            cure = installed.fix(package.name, package.text, files)
    return {
        "name": package.name,
        "version": installed_version(package.name) or "",
        "usable": isinstance(package, Library),
        "problem": problem,
        "fix": cure,
    }


def connection(backend: Backend, here_us: int, queues: Sequence[str]) -> dict[str, Any]:
    """What the connected queue manager is, what its clock says, and what the user may do.

    Args:
        here_us: the time of this machine.
        queues: those to look at beside the dead-letter queue and the staging queue.
    """
    there_us = backend.now_us()
    attributes: Mapping[str, int | str] = {}
    problem = ""
    try:
        attributes = backend.queue_manager_attributes()
    except MQTriageError as error:
        problem = error.text
    platform = platform_of(attributes.get("PLATFORM", ""))
    staging = "" if platform == "zos" else STAGING_QUEUE
    commands = str(attributes.get("COMMANDQ") or defaults("QMGR", platform)["COMMANDQ"])
    needed = needs(commands, str(attributes.get("DEADQ", "")), staging, queues)
    found_out: list[AuthorityNeed] = []
    if backend.kind == "rest":  # roles allow there what queues do elsewhere
        found_out = _of_roles(backend)
        needed = (need for need in needed if need.object in queues)
    found_out += answers(backend, needed)
    return _UNREACHED | {
        "queue_manager": backend.queue_manager,
        "platform": attributes.get("PLATFORM", ""),
        "command_level": attributes.get("CMDLEVEL"),
        "problem": problem,
        "time": rfc3339(there_us),
        "clock_ahead_ms": (there_us - here_us) // 1000,
        "answers": found_out,
    }


def _of_roles(backend: Backend) -> list[AuthorityNeed]:
    """What the REST API needs, by the roles that the web server says the user has."""
    session = web_session(backend)
    roles: tuple[str, ...] | None = None
    with suppress(MQTriageError):
        roles = session.roles() if session is not None else None
    return list(role_needs(roles, session.version if session is not None else 0))


_UNREACHED: Final[dict[str, Any]] = {
    "queue_manager": "",
    "platform": "",
    "command_level": None,
    "time": None,
    "clock_ahead_ms": None,
    "problem": "",
    "hint": "",
    "ask_for": [],
    "answers": (),
}


def failure(error: MQTriageError, chosen: BackendChoice) -> dict[str, Any]:
    """The same for a queue manager that was not reached."""
    ask_for = []
    if isinstance(error, NotAuthorized) and chosen.chosen != "rest":  # mqweb has users of its own
        connect = next(needs("", "", "", ()))._replace(missing=("CONNECT", "INQ"))
        ask_for.append(grant(connect, chosen.user, is_zos=False))
    return _UNREACHED | {"problem": error.text, "hint": error.hint or "", "ask_for": ask_for}


def report(here: dict[str, Any], chosen: BackendChoice, reached: dict[str, Any]) -> Document:
    """All of it, for people and as JSON."""
    is_zos = platform_of(reached.get("platform", "")) == "zos"
    rows = []
    for need in reached["answers"]:
        row = need._asdict()
        row |= {"answer": row.pop("text"), "ask_for": grant(need, chosen.user, is_zos=is_zos)}
        rows.append(row)
    reached = {key: value for key, value in reached.items() if key != "answers"}
    data = {
        **here,
        "backend": chosen._asdict() | {"why": chosen.why or "by default"},
        "connection": reached,
        "authorities": rows,
    }
    return Document("Doctor", data, sections=_sections(data), warnings=_warnings(data, reached))


def overview(documents: Sequence[Document]) -> Listing:
    """A row for each of several queue managers; JSON has all that `report` says of each."""
    fields = (
        Field("queue_manager", "QMGR", Show.NAME, 12),
        Field("reached", "REACHED", Show.FLAG),
        Field("where", "WHERE"),
        Field("user", "USER"),
        Field("command_level", "CMDLEVEL", Show.NUMBER),
        Field("missing", "MISSING", Show.NUMBER),
        Field("problem", "PROBLEM"),
    )
    rows = [_overview_row(document.data) for document in documents]
    summary = {"queue_managers": len(rows), "reached": sum(row["reached"] for row in rows)}
    warnings = [
        f"{row['queue_manager']}: {warning}"
        for row, document in zip(rows, documents, strict=True)
        for warning in document.warnings
    ]
    return Listing("DoctorList", fields, rows, summary, warnings, "queue_manager")


def _overview_row(data: dict[str, Any]) -> dict[str, Any]:
    chosen, reached = data["backend"], data["connection"]
    missing = sum(row["state"] == NeedState.MISSING for row in data["authorities"])
    return {
        "queue_manager": chosen["queue_manager"],
        "reached": reached["time"] is not None,
        "where": chosen["where"],
        "user": chosen["user"],
        "command_level": reached["command_level"],
        "missing": None if reached["time"] is None else missing,
        "problem": reached["problem"],
        **{key: data[key] for key in ("backend", "connection", "authorities")},
    }


def _sections(data: dict[str, Any]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    chosen = data["backend"]
    pairs = [(key, str(data[key])) for key in ("version", "python", "platform")]
    for package in data["packages"]:
        usable, fix = (
            f"{package['version']}, usable",
            f"{package['problem']}; fix: {package['fix']}",
        )
        pairs.append((package["name"], usable if package["usable"] else fix))
    for file in data["client_libraries"]:
        bits = f"{file['bits']}-bit" if file["bits"] else "not a library"
        maker = "IBM's" if file["by"] == "IBM" else "mqtriage's test double"
        searched = "" if file["searched"] else ", not searched by the loader"
        pairs.append((Path(file["path"]).name, f"{file['path']}, {bits}, {maker}{searched}"))
    pairs += [
        ("MQ client", f"{client['folder']} {client['version']}") for client in data["clients"]
    ]
    if not data["client_libraries"] and chosen["chosen"] != "rest":
        pairs.append(("MQ client", "none found; the emulator does not need one"))
    target = [
        ("backend", f"{chosen['chosen']} ({chosen['why']})"),
        ("queue manager", " ".join(filter(None, (chosen["queue_manager"], chosen["where"])))),
        ("user", chosen["user"]),
        *_connection_pairs(data["connection"], chosen["chosen"]),
    ]
    may = [
        (f"{row['group']} {row['object'] or row['object_type']}", _authority_text(row))
        for row in data["authorities"]
    ]
    sections = [("", tuple(pairs)), ("connection", tuple(target)), ("authorities", tuple(may))]
    return tuple(section for section in sections if section[1])


_BLOCKED: Final = (
    "over a channel, a CHLAUTH rule may block the user whatever the password: DISPLAY CHLAUTH(NAME)"
    " MATCH(RUNCHECK) ADDRESS(IP) CLNTUSER(USER) shows the rule that applies"
)
"""Source: IBM MQ documentation, "DISPLAY CHLAUTH" (RUNCHECK); 2035 has one code for all checks."""


def _connection_pairs(reached: dict[str, Any], backend: str) -> list[tuple[str, str]]:
    """Headings and texts of the connection.

    Args:
        backend: "emulator", "mq" or "rest".
    """
    if reached["time"] is None:
        pairs = [("problem", reached["problem"]), ("hint", reached["hint"])]
        if reached["ask_for"]:
            pairs.append(("ask for", f"the correct password, or {reached['ask_for'][0]}"))
            pairs += [("or CHLAUTH", _BLOCKED)] if backend == "mq" else []
        return [(key, text) for key, text in pairs if text]
    ahead = reached["clock_ahead_ms"] / 1000
    level = reached["command_level"]
    return [
        ("reached", f"{reached['queue_manager']}, {reached['platform']}, CMDLEVEL {level}"),
        (
            "web server's clock" if backend == "rest" else "its clock",
            f"{reached['time']}, {ahead:+.1f} s",
        ),
        *([("problem", reached["problem"])] if reached["problem"] else []),
    ]


def _authority_text(row: dict[str, Any]) -> str:
    words = " ".join(f"+{word.lower()}" for word in row["needs"])
    if row["object_type"] == ROLE:
        words = " or ".join(row["needs"])
    parts = (f"{words}: {row['state']}", row["answer"], row["ask_for"])
    return "; ".join(part for part in parts if part)


def _warnings(data: dict[str, Any], reached: dict[str, Any]) -> list[str]:
    skew_ms = reached["clock_ahead_ms"] or 0
    if data["backend"]["chosen"] != "emulator" and abs(skew_ms) > _SKEW_MS:
        whose = "web server" if data["backend"]["chosen"] == "rest" else "queue manager"
        return [
            f"the {whose}'s clock is {skew_ms / 1000:+.1f} s from this"
            " machine's: ages and due times are shown by its own"
        ]
    return []


def local_user() -> str:
    """Who runs this program."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
