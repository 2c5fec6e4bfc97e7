"""Where estates come from: MQSC files, dumps, folders with overlays, or a live queue manager."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mqtriage.definitions.ccdt import ccdt_problems, is_ccdt
from mqtriage.definitions.embedded.blocks import Block, has_marker
from mqtriage.definitions.embedded.file_kinds import (
    holds_mqsc,
    is_image,
    is_markdown,
    is_template,
    is_yaml,
)
from mqtriage.definitions.embedded.read import read_embedded
from mqtriage.definitions.estate import (
    DEFINED_ALREADY,
    Definition,
    Estate,
    LiveStatus,
    Location,
)
from mqtriage.definitions.estate_script import EstateBuilder
from mqtriage.definitions.load_model import NO_LOAD, LoadModel
from mqtriage.definitions.script_files import (
    EMBEDDED_HINT,
    ENDINGS,
    STANDARD_INPUT,
    folder_below,
    folders_below,
    is_script_name,
    link_out,
    looks_unread,
    no_mqsc,
    not_compressed,
    real_paths,
    scripts_in,
    subfolders,
    unread,
)
from mqtriage.files.failures import storage_errors
from mqtriage.files.links import leads_out
from mqtriage.files.whole import read_whole
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.attributes.catalogue import AttributeValue, Platform, platform_of
from mqtriage.mq.errors import MQIError, NotFound, StorageError, UsageError
from mqtriage.mq.mqsc.manifests import encoded_scripts
from mqtriage.mq.mqsc.parse import LongScript, decode_script, parse
from mqtriage.mq.mqsc.reply import CommandEnding
from mqtriage.mq.mqsc.tree import DiagnosticSeverity, Script, Unread
from mqtriage.mq.security.authority_records import AuthorityRecord
from mqtriage.records import NamedTuple, dataclass

if TYPE_CHECKING:
    from mqtriage.backends.port import Backend

_LONG: Final = 50_000
"""Characters of a script that is not kept parsed."""
_ALSO_NAMED: Final = ("CHANNEL", "LISTENER", "NAMELIST", "PROCESS", "SUB")
_NOT_READ: Final = ("AUTHINFO", "STGCLASS", "CFSTRUCT", "COMMINFO")
_NOTHING_FOUND: Final = ("AMQ8147", "AMQ8884", "CSQM297")
"""No object, no channel authentication record of that name."""


class HostFile(NamedTuple):
    """A file of another kind that MQSC is in.

    Attributes:
        blocks: those that the script is made of, by their numbers in it, counted from 0.
    """

    text: str
    blocks: Mapping[int, Block]


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script as it was read.

    Attributes:
        path: None for standard input.
        data: its bytes.
        host: the file that the script is a part of, None where it is a file of its own.
    """

    path: Path | None
    data: bytes
    script: Script
    host: HostFile | None = None

    @property
    def text(self) -> str:
        return self.host.text if self.host else self.script.text

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> ScriptFile:
        """The file with spans of its text replaced, read again."""
        text = Script(self.text, self.script.file, ()).edited(edits)
        if self.host is None:
            return replace(self, script=parse(text, file=self.script.file))
        return _part(self, text, self.host.blocks)


@dataclass(frozen=True, slots=True)
class ScriptSet:
    """The scripts of one queue manager, in the order they are run; *name* may be "".

    Attributes:
        beside: the folder that it stands in; what stands in one folder is one network.
        also: names of objects that a shell may define there too, by kind: a loop over names.
    """

    name: str
    files: tuple[ScriptFile, ...]
    beside: str = ""
    also: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def scripts(self) -> list[Script]:
        return [file.script for file in self.files]


def script_sets(
    names: Sequence[str],
    standard_input: Callable[[], bytes],
    *,
    environments: Sequence[str] = (),
    together: bool = False,
    stdin_name: str | None = None,
    decodes_secrets: bool = False,
    without_folder: Collection[str] = (),
) -> list[ScriptSet]:
    """Read what the user names.

    A file is a queue manager of its own, unless *together*. A folder with scripts is one: its
    scripts by name, then those of its subfolder of each environment, in the order given. Without
    *environments*, its subfolders are left out with a warning, or with a note if they are called
    as one *without_folder*, which need not exist. A folder without scripts is a folder of such
    folders. *stdin_name* is the file that standard input is.

    Of files with MQSC in them (`definitions/embedded`) each document, each fenced block and what
    goes to one queue manager is a part of its own. Those in a folder that has no scripts are one
    queue manager, or one for each that runmqsc names there; Markdown stays apart. With
    *decodes_secrets* so is MQSC in base64 in Secrets.

    Raises:
        NotFound: A name is no file or folder, a folder holds no script, or no environment has it.
        UsageError: Standard input is named twice.
    """
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input is named twice")
    sets: list[ScriptSet] = []
    seen: set[str] = set()
    named = real_paths(names)
    for name in names:
        path = Path(name)
        if name != STANDARD_INPUT and path.is_dir():
            of_folder = _of_folder(path, environments, seen, path, without_folder)
            members = [one for one in of_folder if not _is_note_on(one, named)]
            if decodes_secrets:
                files = (p for p in _entries(path, path) if p.is_file() and is_yaml(p.name))
                for host in sorted(files):
                    members = _with_secrets(members, read_file(str(host)))
            has_named = any(path.resolve() in Path(other).parents for other in named)
            if not has_named and not any(_is_read(f) for one in members for f in one.files):
                hint = f"scripts are called {', '.join('*' + ending for ending in ENDINGS)}"
                passages = unread(script for one in members for script in one.scripts)
                more = f"; {passages[0]}" if passages else ""
                raise NotFound(f"{name}: no scripts in this folder{more}", hint=hint)
            sets += members
        else:
            folder = "" if name == STANDARD_INPUT else str(path.absolute().parent)
            file = read_file(name, standard_input, stdin_name)
            secrets = _with_secrets([], file) if decodes_secrets and is_yaml(name) else []
            if file.host and not file.host.blocks and secrets:
                sets += secrets
                continue
            if file.host and not file.host.blocks:
                raise NotFound(no_mqsc(name, file.script), hint=EMBEDDED_HINT)
            parts = file.host and not together
            own = list(_sets_of_parts([file], folder)) if parts else []
            own = own or [ScriptSet("", (file,), folder)]
            sets += _with_secrets(own, file) if secrets else own
    for environment in environments:
        if environment not in seen and environment not in without_folder:
            raise NotFound(f"--env {environment}: no folder of scripts has it")
    if together and sets:
        name = next((one.name for one in sets if one.name), "")
        return [ScriptSet(name, tuple(_whole_hosts(f for one in sets for f in one.files)))]
    return sets


def _is_note_on(one: ScriptSet, named: Collection[str]) -> bool:
    """Whether it only says that files were not read, and the user named these, so they are."""
    return all(not _is_read(f) and os.path.realpath(f.script.file) in named for f in one.files)


def _is_read(file: ScriptFile) -> bool:
    """Whether it is more than a note about what was not read."""
    return bool(file.host.blocks if file.host else file.script.text or not file.script.notes)


def _with_secrets(sets: list[ScriptSet], file: ScriptFile) -> list[ScriptSet]:
    """The sets with the decoded MQSC of a file's Secrets, beside the rest of that file.

    Where the file has nothing else, or is for several queue managers, each Secret is one of its
    own. Such a script cannot be edited.
    """
    name = file.script.file
    scripts: dict[str, list[ScriptFile]] = {}
    for one in encoded_scripts(file.text):
        shown = f"{name}:{one.line} {one.secret}/{one.key}"
        script = parse(decode_script(one.data), file=shown)
        scripts.setdefault(one.secret, []).append(ScriptFile(None, one.data, script))
    every = [one for of_secret in scripts.values() for one in of_secret]
    users = [n for n, one in enumerate(sets) if any(f.path == file.path for f in one.files)]
    if every and len(users) == 1:
        user = sets[users[0]]
        sets[users[0]] = replace(user, files=(*user.files, *every))
        return sets
    return [*sets, *(ScriptSet("", tuple(of_secret)) for of_secret in scripts.values())]


def _whole_hosts(files: Iterable[ScriptFile]) -> Iterator[ScriptFile]:
    """The files in their order, the parts of one put together where its first one is."""
    listed = list(files)
    numbers: dict[Path | None, set[int]] = {}
    for file in listed:
        if file.host:
            numbers.setdefault(file.path, set()).update(file.host.blocks)
    for file in listed:
        if file.host is None:
            yield file
        elif file.path in numbers:
            yield _part(file, file.text, numbers.pop(file.path))


def _of_folder(
    folder: Path,
    environments: Sequence[str],
    seen: set[str],
    top: Path,
    may_be_left: Collection[str],
) -> Iterator[ScriptSet]:
    scripts = scripts_in(folder, top)
    yield from _hosts_of_folder(folder, top, are_apart=bool(scripts))
    yield from _passed_over(folder, top)
    yield from _not_followed(folder, top)
    if not scripts:
        for below in subfolders(folder):
            yield from _of_folder(below, environments, seen, top, may_be_left)
        return
    for path in folders_below(folder) if not environments else ():
        is_overlay = path.parent == folder
        hint = f", or use --env {shell_word(path.name)}" if is_overlay else ""
        is_of_rules = is_overlay and path.name.casefold() in map(str.casefold, may_be_left)
        severity = DiagnosticSeverity.NOTE if is_of_rules else DiagnosticSeverity.WARNING
        note = folder_below(path, f"to read them, name it{hint}", severity)
        yield ScriptSet("", (ScriptFile(None, b"", note),))
    for environment in environments:
        overlay = folder / environment
        if overlay.is_dir():
            seen.add(environment)
            scripts += scripts_in(overlay, top)
            yield from _not_followed(overlay, top)
    files = tuple(read_file(str(path)) for path in scripts)
    whole = folder.resolve()
    yield ScriptSet(whole.name, files, str(whole.parent))


def _hosts_of_folder(folder: Path, top: Path, *, are_apart: bool) -> Iterator[ScriptSet]:
    """What other files of a folder hold; beside scripts each is taken for itself."""
    others = (p for p in _entries(folder, top) if holds_mqsc(p.name) and not is_template(p.name))
    paths = sorted(p for p in others if p.is_file())
    hosts = [read_file(str(path)) for path in paths]
    for file in hosts:
        if file.host and not file.host.blocks and file.script.notes:
            yield ScriptSet("", (file,), str(folder.resolve()))  # for its notes
    apart = [file for file in hosts if are_apart or is_markdown(file.script.file)]
    yield from _sets_of_parts(apart, str(folder.resolve()))
    by_name: dict[str, list[ScriptFile]] = {}
    sets: list[ScriptSet] = []
    for file in hosts:
        if file in apart or file.host is None:
            continue
        by_manager: dict[str, list[int]] = {}
        for number, block in file.host.blocks.items():
            by_manager.setdefault(block.queue_manager, []).append(number)
        for name, numbers in by_manager.items():
            by_name.setdefault(name, []).append(_part(file, file.text, numbers))
    whole = folder.resolve()
    for name, files in by_name.items():
        if _is_one(files):
            sets.append(ScriptSet(name or whole.name, tuple(files), str(whole.parent)))
        else:
            sets += _sets_of_parts(files, str(whole))
    yield from _with_loops(sets)


def _passed_over(folder: Path, top: Path) -> Iterator[ScriptSet]:
    """Tables of client channels; files that look like MQSC, each with a note that says so."""
    for path in sorted(_entries(folder, top)):
        name = path.name
        if is_ccdt(name) and path.is_file():
            yield ScriptSet("", (read_file(str(path)),))
            continue
        note = looks_unread(path)
        if note is not None:
            yield ScriptSet("", (ScriptFile(path, read_whole(path), note),))


def _not_followed(folder: Path, top: Path) -> Iterator[ScriptSet]:
    """Scripts, other files with MQSC, and folders that are elsewhere, each with a note."""
    for path in sorted(_all_entries(folder)):
        name = path.name
        is_read = holds_mqsc(name) or is_script_name(name) or is_ccdt(name)
        if (is_read or path.is_dir()) and path.exists() and leads_out(path, top):
            yield ScriptSet("", (ScriptFile(None, b"", link_out(path, top)),))


def _is_one(files: Sequence[ScriptFile]) -> bool:
    """Whether files may be for one queue manager: they could be run one after the other."""
    estate = estate_of(file.script for file in files)
    return all(r.place.file == r.first.file for r in estate.refused if r.why == DEFINED_ALREADY)


def _sets_of_parts(files: Iterable[ScriptFile], folder: str) -> Iterator[ScriptSet]:
    """Each group of blocks of each file by itself.

    Blocks for one variable that could not be run one after the other are for several queue
    managers, of a loop; so is an example that shows both ends of a channel, and that is left out.
    An image has one queue manager.
    """
    for file in files:
        sets: list[ScriptSet] = []
        is_example = is_markdown(file.script.file)
        groups: dict[tuple[str, str], list[int]] = {}
        if file.host is not None:
            for number, block in file.host.blocks.items():
                groups.setdefault((block.group, block.queue_manager), []).append(number)
        for (_, name), numbers in groups.items():
            part = _part(file, file.text, numbers)
            is_one = name or is_image(file.script.file)
            if is_one or all(r.why != DEFINED_ALREADY for r in estate_of([part.script]).refused):
                sets.append(ScriptSet(name, (part,), folder))
            elif not is_example:
                parts = [_part(file, file.text, [number]) for number in numbers]
                sets += [ScriptSet("", (part,), folder) for part in parts]
        yield from sets if is_example else _with_loops(sets)


def _with_loops(sets: list[ScriptSet]) -> list[ScriptSet]:
    """The sets, each with the names that others define which may be for its queue manager.

    They may where the name of either is a variable of a shell, or where runmqsc has none.
    """
    looped = [
        any(
            not block.queue_manager and (not block.group or has_marker(block.group))
            for file in one.files
            if file.host
            for block in file.host.blocks.values()
        )
        for one in sets
    ]
    if len(sets) < 2 or not any(looped):
        return sets
    every = estate_of(s for one in sets for s in one.scripts).names()
    of_loops = estate_of(s for one in compress(sets, looped) for s in one.scripts).names()
    return [
        replace(one, also=every if is_looped else of_loops)
        for one, is_looped in zip(sets, looped, strict=True)
    ]


def _part(file: ScriptFile, text: str, numbers: Collection[int] | None = None) -> ScriptFile:
    """The file with a new text, and of that some blocks; None is all."""
    embedded = read_embedded(file.script.file, text)
    every = dict(enumerate(embedded.blocks))
    blocks = every if numbers is None else {n: every[n] for n in every if n in numbers}
    script = embedded.script([*blocks.values()])
    return replace(file, script=script, host=HostFile(text, blocks))


def _entries(folder: Path, top: Path) -> list[Path]:
    """What is in a folder, less the links that lead out of *top*."""
    return [path for path in _all_entries(folder) if not leads_out(path, top)]


def _all_entries(folder: Path) -> list[Path]:
    with storage_errors(folder):
        return list(folder.iterdir())


def read_file(
    name: str,
    standard_input: Callable[[], bytes] = lambda: b"",
    stdin_name: str | None = None,
) -> ScriptFile:
    """Read and parse one script; wrong commands are part of it."""
    if name == STANDARD_INPUT:
        data = not_compressed(name, standard_input())
        return _script_file(None, data, stdin_name or "<stdin>")
    path = Path(name)
    try:
        data = not_compressed(name, read_whole(path))
    except FileNotFoundError:
        raise NotFound(
            f"{name}: no such file or folder",
            hint="name MQSC scripts, folders of them, or - for standard input",
            object_name=name,
        ) from None
    except (OSError, ValueError) as error:
        raise StorageError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    return _script_file(path, data, name)


def _script_file(path: Path | None, data: bytes, name: str) -> ScriptFile:
    text = decode_script(data)
    if is_ccdt(name):
        whole = (Unread(0, len(text), 1),) if text else ()
        return ScriptFile(path, data, Script(text, name, whole, ccdt_problems(text, name)))
    if not holds_mqsc(name):
        is_long = len(text) >= _LONG
        script = LongScript(text, name) if is_long else parse(text, file=name)
        return ScriptFile(path, data, script)
    return _part(ScriptFile(path, data, Script("", name, ())), text)


def read_again(file: ScriptFile) -> ScriptFile:
    """The file as it is now, and of it the part that it was; standard input as it was."""
    if file.path is None:
        return file
    now = read_file(str(file.path))
    return now if file.host is None else _part(now, now.text, file.host.blocks)


def estate_of(
    scripts: Iterable[Script],
    *,
    name: str = "",
    platform: Platform | None = None,
    command_level: int | None = None,
    load: LoadModel = NO_LOAD,
    whole: bool = False,
) -> Estate:
    """What scripts amount to, run one after the other."""
    builder = EstateBuilder(platform, command_level)
    for script in scripts:
        builder.run(script)
    return builder.estate(name, load, whole=whole)


# a live queue manager ------------------------------------------------------------------------


def live_estate(backend: Backend, load: LoadModel = NO_LOAD) -> Estate:
    """The definitions and the state of the queue manager; nothing is browsed.

    Topics and authority records are there where its command server can be asked.
    """
    attributes = dict(backend.queue_manager_attributes())
    queues = {q.name: Definition(q.kind, q.name, q.attributes) for q in backend.queues()}
    estate = Estate(
        queue_manager=backend.queue_manager,
        platform=platform_of(attributes.get("PLATFORM", "")),
        whole=True,
        queues=queues,
        queue_manager_attributes=Definition("QMGR", backend.queue_manager, attributes),
        status=dict(_statuses(backend, queues.values())),
        load=load,
        unread=frozenset((*_ALSO_NAMED, *_NOT_READ)),
    )
    return replace(estate, topics=_named(backend, "TOPIC") or {}, authorities=_authorities(backend))


def with_named_objects(backend: Backend, estate: Estate) -> Estate:
    """The estate with the channels, listeners, namelists, processes and subscriptions as well."""
    named = {
        kind: objects for kind in _ALSO_NAMED if (objects := _named(backend, kind)) is not None
    }
    return replace(
        estate,
        unread=estate.unread - named.keys(),
        channels=named.pop("CHANNEL", {}),
        others={**estate.others, **named},
    )


def _statuses(backend: Backend, queues: Iterable[Definition]) -> Iterator[tuple[str, LiveStatus]]:
    insight = backend.insight
    for queue in queues:
        if queue.kind != "QLOCAL":
            continue
        try:
            status = backend.status(queue.name)
            expired = insight.lifetimes(queue.name).expired if insight is not None else None
        except MQIError:
            continue  # no authority for this one, or just deleted: its state is not known
        yield queue.name, LiveStatus(status.curdepth, status.ipprocs, expired)


def displayed(backend: Backend, text: str) -> list[dict[str, AttributeValue]] | None:
    """The objects that a DISPLAY shows, [] for none, None where it may not be asked."""
    script = parse(text)
    try:
        reply = backend.run_mqsc(script, script.commands[0])
    except MQIError:
        return None
    if reply.ending is not CommandEnding.DONE:
        nothing = any(answer.id[:7] in _NOTHING_FOUND for answer in reply.lines)
        return [] if nothing else None
    return [dict(answer.object) for answer in reply.lines if answer.object is not None]


def _named(backend: Backend, kind: str) -> dict[str, Definition] | None:
    """The objects of *kind* by name, None where it may not be asked for them."""
    shown = displayed(backend, f"DISPLAY {kind}(*) ALL")
    if shown is None:
        return None
    objects = (Definition(kind, str(one.pop(kind, "")), one) for one in shown)
    return {one.name: one for one in objects}


def _authorities(backend: Backend) -> dict[AuthorityRecord, Location] | None:
    shown = displayed(backend, "DISPLAY AUTHREC")
    if not shown:
        return None  # an emulated queue manager without a record checks nobody's authority
    authorities: dict[AuthorityRecord, Location] = {}
    for record in shown:
        words = str(record.get("AUTHLIST", "")).upper().replace(" ", "").split(",")
        entity = f"{record.get('ENTTYPE', '')}({record.get('ENTITY', '')})"
        authorities[
            AuthorityRecord(
                str(record.get("PROFILE", "")),
                str(record.get("OBJTYPE", "")),
                entity,
                frozenset(words) - {"NONE", ""},
            )
        ] = Location()
    return authorities
