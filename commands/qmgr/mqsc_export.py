"""`mqtriage mqsc export`: a queue manager, a snapshot or a dump as a folder of scripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mqtriage.backends.emulated import EmulatedBackend
from mqtriage.backends.port import Backend
from mqtriage.commands.qmgr.mqsc_scripts import Map, ScriptText, export, overlaid
from mqtriage.definitions.desired import OTHER_KINDS, Live, is_compared, of_clients
from mqtriage.definitions.diff import compare
from mqtriage.definitions.estate import Definition
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.live_definitions import read_live
from mqtriage.definitions.plan import checked, read_desired
from mqtriage.definitions.script_files import unread
from mqtriage.emulator.core.create import create
from mqtriage.emulator.open import open_manager
from mqtriage.files.bundle import new_bundle, write_text
from mqtriage.model.result import Field, Listing, Show
from mqtriage.mq.attributes.catalogue import Platform, platform_of
from mqtriage.mq.errors import NotFound, Refused, StorageError
from mqtriage.mq.mqsc.parse import parse
from mqtriage.mq.mqsc.tree import Command, Script
from mqtriage.pipeline.snapshots import reader
from mqtriage.pipeline.snapshots.problems import Problems
from mqtriage.records import NamedTuple

FIELDS: Final = (
    Field("file", "FILE", Show.NAME),
    Field("objects", "OBJECTS", Show.NUMBER),
    Field("findings", "FINDINGS", Show.NUMBER),
)
BASELINE: Final = "lint-baseline.json"
_KEPT_VERBS: Final = ("DEFINE", "ALTER", "SET")
_READING: Final = ("DISPLAY", "PING")
_DEFAULT_NAME: Final = "QM1"


class ExportSource(NamedTuple):
    """What is to be exported.

    Attributes:
        shipped: a new queue manager of that platform and level.
        commands: of a dump, which a plan does not look at; None for what is no dump.
    """

    live: Live
    shipped: Live
    commands: Sequence[Command] | None = None
    warnings: Sequence[str] = ()


def of_backend(backend: Backend) -> ExportSource:
    """A live queue manager; nothing is browsed.

    Raises:
        MQIError: It refuses to be asked.
    """
    live = read_live(backend, depths=False, kinds=OTHER_KINDS)
    return ExportSource(live, _new(live.name, live.platform, live.queue_manager.get("CMDLEVEL")))


def of_snapshot(folder: Path, reference: str, queue_manager: str | None) -> ExportSource:
    """A queue manager as it was at a snapshot, which holds queues and the queue manager.

    Raises:
        NotFound: No such snapshot.
        StorageError: A file of it is damaged.
    """
    problems = Problems()
    index = reader.Index(folder, problems, queue_manager)
    chain = index.chain_to(index.resolve(reference), problems)
    rows = reader.definitions_at(folder, chain, problems)
    if problems:
        raise StorageError(
            f"snapshot {reference}: some of its files cannot be read",
            hint="mqtriage snapshot ls shows which",
        )
    objects = [
        Definition(kind, name, json.loads(row["attributes"])) for (kind, name), row in rows.items()
    ]
    manager = next((one.attributes for one in objects if one.kind == "QMGR"), {})
    queues = {one.name: one for one in objects if one.kind != "QMGR"}
    name, platform = chain.queue_manager, platform_of(str(manager.get("PLATFORM", "")))
    live = Live(name, platform, queues, manager, {})
    return ExportSource(live, _new(name, platform, manager.get("CMDLEVEL")))


def of_scripts(scripts: Sequence[Script]) -> ExportSource:
    """What dumps or scripts amount to on a new queue manager.

    Raises:
        UsageError: A wrong command, a contradiction, a placeholder.
    """
    builder = EstateBuilder()
    for script in scripts:
        builder.run(script)
    name = builder.queue_manager or _DEFAULT_NAME
    shipped = _new(name, builder.platform or "dist", builder.command_level)
    estate, _ = checked(shipped, scripts)
    others = [one.command for one in estate.commands if not is_compared(one.command)]
    kept = [c for c in others if c.verb in _KEPT_VERBS and not of_clients(c)]
    lost = Counter(f"{c.verb} {c.noun}" for c in others if c.verb not in (*_KEPT_VERBS, *_READING))
    texts = ", ".join(f"{count} x {what}" for what, count in lost.items())
    warnings = unread(scripts) + ([f"not written, no definition: {texts}"] if lost else [])
    return ExportSource(overlaid(estate, shipped, name), shipped, kept, warnings)


def _new(name: str, platform: Platform, level: object) -> Live:
    """A new queue manager as IBM ships it."""
    number = level if isinstance(level, int) else 940
    version = f"{number // 100}.{number // 10 % 10}.{number % 10}"
    with TemporaryDirectory(prefix="mqtriage-") as folder:
        path = create(Path(folder), name, platform=platform, version=version, frozen=True)
        backend = EmulatedBackend(open_manager(path))
        try:
            return read_live(backend, depths=False, kinds=OTHER_KINDS)
        finally:
            backend.disconnect()


def own_folder(out: Path, queue_manager: str) -> Path:
    """The folder of one of several queue managers."""
    if "/" in queue_manager or not queue_manager.strip("."):
        raise Refused(
            f"{queue_manager}: this cannot be the name of a folder", hint="export it on its own"
        )
    return out / queue_manager


def write_folder(
    source: ExportSource, cut: Map, out: Path, known: Callable[[Path, Path], dict[str, int]]
) -> Listing:
    """Write the scripts to a new folder, with a baseline of what lint finds in them.

    Args:
        known: writes the baseline of the first folder, which will be the second; gives the number
            of findings by file.

    Raises:
        Refused: *out* already exists.
        StorageError: It cannot be written.
        NotFound: There is nothing to write.
    """
    result = export(source.live, source.shipped, cut, source.commands)
    if not result.scripts:
        raise NotFound(
            f"{source.live.name} has no definitions of its own, only those of a new queue manager"
        )
    warnings = [*source.warnings, *result.warnings, *_remaining(source.live, result.scripts)]
    with new_bundle(out) as folder:
        for script in result.scripts:
            write_text(folder / script.name, script.text)
        counts = known(folder, out)
    items = [
        {"file": str(out / one.name), "objects": one.objects, "findings": counts.get(one.name, 0)}
        for one in result.scripts
    ]
    summary: dict[str, Any] = {
        "queue_manager": source.live.name,
        "files": len(items),
        "objects": sum(one.objects for one in result.scripts),
        "findings": sum(counts.values()),
        "complete": not result.incomplete,
    }
    return Listing("ExportedScriptList", FIELDS, items, summary, warnings, id_key="file")


def _remaining(live: Live, scripts: Sequence[ScriptText]) -> list[str]:
    """What a plan of the scripts would change, which is to be nothing."""
    parsed = [parse(one.text, file=one.name) for one in scripts]
    desired, _ = read_desired(live, parsed)
    difference = compare(desired, live)
    texts = [change.title for change in difference.changes]
    texts += [refusal.text for refusal in difference.refusals]
    return [f"a plan of these scripts would not be empty: {text}" for text in texts[:5]]
