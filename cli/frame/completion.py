"""Completion: what can stand at the end of a command line.

The shell calls ``mqtriage __complete WORD… LAST`` and reads lines ``value<TAB>help``; a line
``:files`` asks it to complete file names. Never an error: where nothing is known nothing is
offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.options import ConnectionOptions, Output
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, verb_of
from mqtriage.cli.frame.verb import (
    CommandParameter,
    parameters_of,
    program_parameters,
    verb_function,
)
from mqtriage.mq.errors import MQTriageError
from mqtriage.records import NamedTuple

FILES: Final = ":files"
_MOST_OPERATIONS: Final = 50
_END_OF_LIST: Final = re.compile(r"[\w.]*\Z")
"""The name at the end of a list or a condition, which is being typed."""


class CompletionWord(NamedTuple):
    """A word that can stand there, and what it means."""

    value: str
    help: str = ""


class Cursor(NamedTuple):
    """Where the cursor is in a command.

    Attributes:
        options: word to its option, of all of the command.
        option: the option whose value is wanted, None for a word of its own.
        argument: the argument that a word would be, None where there are enough.
        given: option word to its last value, of the options seen.
        rest: for a command without arguments (the root), the words from the first bare one on.
    """

    options: Mapping[str, CommandParameter]
    option: CommandParameter | None
    argument: CommandParameter | None
    given: dict[str, str]
    rest: list[str]


def answer(app: AppContext, words: Sequence[str]) -> None:
    """Write what completes the last of *words* to standard output."""
    try:
        for candidate in candidates(app, words):
            app.output.stdout.write(f"{candidate.value}\t{candidate.help}".rstrip("\t") + "\n")
    except MQTriageError:
        return  # no such context, a broken settings file: the command itself will say so


def candidates(app: AppContext, words: Sequence[str]) -> list[CompletionWord]:
    """What can stand in the place of the last word, whose beginning it is.

    Args:
        words: of the command line, without the program's name; the last one may be "".
    """
    *before, last = words or [""]
    option, equals, _ = last.partition("=")
    if equals and option.startswith("--"):  # the value is completed, the option stays in front
        offered = [
            candidate._replace(value=f"{option}={candidate.value}")
            for candidate in _candidates(app, [*before, option], last.removeprefix(f"{option}="))
            if candidate.value != FILES
        ]
    else:
        offered = list(_candidates(app, before, last))
    fitting = {c.value: c for c in offered if c.value == FILES or c.value.startswith(last)}
    return list(fitting.values())


def _candidates(app: AppContext, before: list[str], last: str) -> Iterator[CompletionWord]:
    at = place(program_parameters(), before)
    given, path = at.given, ""
    if at.rest:
        path = " ".join(word for word in at.rest if not word.startswith("-"))
    if at.option is None and at.rest:
        name, *words = at.rest
        offered = list(_verbs(name, words)) if not last.startswith("-") else []
        yield from offered
        if offered and not GROUPS[name].default:
            return
        command = _command(name, words)
        if command is None:
            return
        at = place(*command)
        given = given | at.given
    elif at.option is None and not last.startswith("-"):
        yield from (CompletionWord(name, group.help) for name, group in GROUPS.items())
        yield from (CompletionWord(name, line) for name, (_, line) in COMMANDS.items())
        return
    app.bind(
        ConnectionOptions(
            qmgr=given.get("--qmgr"), backend=given.get("--backend"), context=given.get("--context")
        ),
        Output(quiet=True, no_input=True),
    )
    if at.option is not None:
        yield from _values(app, at.option, last, path)
    elif last.startswith("-"):
        for word, option in at.options.items():
            if word.startswith("--"):
                yield CompletionWord(word, option.opt.help.partition(". ")[0])
    elif at.argument is not None:
        yield from _values(app, at.argument, last, path)


def _verbs(name: str, words: list[str]) -> Iterator[CompletionWord]:
    """The verbs of a group; behind the first word of some, their second words."""
    start = "".join(f"{word} " for word in words)
    group = GROUPS.get(name)
    seen = set()
    for verb, (_, line) in group.verbs.items() if group is not None else ():
        word, more, _rest = verb.removeprefix(start).partition(" ")
        if verb.startswith(start) and word not in seen:
            seen.add(word)
            yield CompletionWord(
                word, group.parts.get(word, group.help) if more and group else line
            )


def _command(name: str, words: list[str]) -> tuple[list[CommandParameter], list[str]] | None:
    """The options of the command that is named, and the words after it; None for no command."""
    if name in COMMANDS:
        return parameters_of(verb_function(COMMANDS[name][0])), words
    group = GROUPS.get(name)
    if group is None:
        return None
    verb, count = verb_of(group, words)
    if count or group.default:
        return parameters_of(verb_function(group.verbs[verb or group.default][0])), words[count:]
    return None


def place(parameters: Sequence[CommandParameter], words: Sequence[str]) -> Cursor:
    """Read *words* as the parser of a command would, and say what comes next."""
    arguments = [parameter for parameter in parameters if not parameter.words]
    options: dict[str, CommandParameter] = {}
    for parameter in filter(lambda parameter: parameter.words, parameters):
        for word in "/".join(parameter.words).split("/"):  # what the verb has is named first
            options.setdefault(word, parameter)
    given: dict[str, str] = {}
    waiting = ""
    only_words = False
    for number, word in enumerate(words):
        if waiting:
            given[_longest(waiting, options)] = word
            waiting = ""
        elif word == "--" and not only_words:
            only_words = True
        elif word.startswith("-") and word != "-" and not only_words:
            name, equals, value = word.partition("=")
            if name in options and equals:
                given[_longest(name, options)] = value
            elif name in options and options[name].opt.kind not in ("flag", "pair"):
                waiting = name
        elif not arguments:
            return Cursor(options, None, None, given, list(words[number:]))
        elif arguments[0].opt.kind != "arguments":
            arguments.pop(0)
    return Cursor(options, options.get(waiting), arguments[0] if arguments else None, given, [])


def _longest(word: str, options: Mapping[str, CommandParameter]) -> str:
    return max(options[word].words, key=len)


def _values(
    app: AppContext, parameter: CommandParameter, last: str, path: str
) -> Iterator[CompletionWord]:
    """What a value can be.

    Args:
        last: as far as it is typed: of a list or a condition its end is completed.
        path: the words of the command so far.
    """
    opt = parameter.opt
    if opt.completes == "qmgr":
        yield from map(CompletionWord, _queue_managers(app))
    elif opt.completes == "context":
        for file in app.target.context_files():
            yield from (CompletionWord(name, str(file.path)) for name in file.contexts)
    elif opt.completes == "form":
        from mqtriage.model.output_forms import FORMS

        yield from map(CompletionWord, FORMS)
    elif opt.completes in ("queue", "origin"):
        if opt.completes == "origin":
            yield CompletionWord("origin", "Where each message came from.")
        yield from map(CompletionWord, queue_names(app))
    elif opt.completes == "rule":
        from mqtriage.definitions.lint.config import find_config
        from mqtriage.definitions.rules.registry import rules

        for rule in rules():
            yield CompletionWord(rule.code, rule.name.partition("_")[2].replace("_", " "))
        for own in find_config(Path.cwd()).rules:
            yield CompletionWord(own.code, own.message)
    elif opt.completes in ("column", "field"):
        head = _END_OF_LIST.sub("", last)
        offered = _columns(path) if opt.completes == "column" else _fields()
        yield from (word._replace(value=head + word.value) for word in offered)
    elif opt.completes == "queue_condition":
        head = _END_OF_LIST.sub("", last)
        keywords = _queue_keywords(is_lower=last[len(head) :].islower())
        yield from (CompletionWord(head + keyword) for keyword in keywords)
    elif opt.completes == "operation":
        yield from _operations(app)
    elif opt.completes == "reason":
        from mqtriage.mq.name_table import codes

        named = {name: code.number for name, code in codes().items() if name.startswith(last)}
        yield from (CompletionWord(name, str(number)) for name, number in named.items())
    elif opt.completes == "snapshot":
        yield from _snapshots(app)
    elif opt.completes == "page":
        from mqtriage.commands.help.manual import pages

        stems = {page.stem.removeprefix("mqtriage-") for page in pages()}
        yield from map(CompletionWord, sorted(stems))
    elif opt.completes == "screen":
        from mqtriage.commands.top import SCREENS

        yield from (CompletionWord(name, line) for name, line in SCREENS.items())
    elif opt.completes == "attribute":
        from mqtriage.mq.attributes.catalogue import attributes_of

        for one in attributes_of("QLOCAL"):
            if not one.read_only:
                yield CompletionWord(f"{one.keyword}=")
    elif opt.completes == "key":
        from mqtriage.model.context_keys import KEYS

        yield from (CompletionWord(f"{name}=", key.help) for name, key in KEYS.items())
    elif opt.completes in ("archive", "file"):
        if opt.completes == "archive" and (folder := app.target.archive_folder()).is_dir():
            names = sorted((path.name for path in folder.glob("*.ndjson*")), reverse=True)
            yield from (CompletionWord(name) for name in names if not name.endswith(".index"))
        yield CompletionWord(FILES)
    yield from map(CompletionWord, opt.choices)


def _columns(path: str) -> Iterator[CompletionWord]:
    """The keys of what a verb lists, as its manual page has them."""
    from mqtriage.commands.help.manual import keys_of_verb

    noun, _, verb = path.partition(" ")
    page = f"mqtriage-{noun}.1" if noun in GROUPS else "mqtriage.1"
    starts = [f"{noun} {verb.partition(' ')[0]}", f"{noun} {' '.join(verb.split()[:2])}"]
    yield from map(CompletionWord, keys_of_verb(page, starts if noun in GROUPS else [noun]))


def _fields() -> Iterator[CompletionWord]:
    """The fields of a condition."""
    from mqtriage.messages.filters.fields import FIELDS

    yield from (CompletionWord(spec.name, spec.about) for spec in FIELDS)
    yield CompletionWord("prop.", "a message property")
    yield CompletionWord("body.", "a value inside the body")


def _queue_keywords(*, is_lower: bool) -> list[str]:
    """What the conditions of `queue ls` compare, in the letters that are typed."""
    from mqtriage.commands.queue.conditions import PERCENT_FULL
    from mqtriage.mq.attributes.attribute import QUEUE_KINDS
    from mqtriage.mq.attributes.catalogue import attributes_of

    keywords = {one.keyword for kind in QUEUE_KINDS for one in attributes_of(kind)}
    names = sorted({PERCENT_FULL, *keywords})
    return [name.lower() for name in names] if is_lower else names


def _operations(app: AppContext) -> Iterator[CompletionWord]:
    """The last operations of the journal, the newest first."""
    from mqtriage.cli.frame.recording import journal_of
    from mqtriage.operations.ledger.entries import ls
    from mqtriage.operations.ledger.journal import ChosenOperations

    qmgr = app.target.connection.qmgr
    for row in ls(journal_of(app), ChosenOperations(qmgr, None, _MOST_OPERATIONS, False)).items:
        began = str(row["began"])[:16].replace("T", " ")
        words = filter(None, (began, row["action"], row["queue"], row["state"]))
        yield CompletionWord(str(row["op"]), " ".join(map(str, words)))


def _snapshots(app: AppContext) -> Iterator[CompletionWord]:
    from mqtriage.commands.snapshot.snapshots import ls
    from mqtriage.pipeline.snapshots.problems import Problems

    yield CompletionWord("latest", "the newest one")
    yield CompletionWord("first", "the oldest one")
    qmgr = app.target.connection.qmgr
    rows: list[Mapping[str, object]] = []
    with suppress(MQTriageError):  # there is no such folder yet
        rows = list(ls(app.target.snapshot_folder(), qmgr, Problems()).items)
    for row in reversed(rows[-_MOST_OPERATIONS:]):
        yield CompletionWord(str(row["snapshot_id"]), str(row["queue_manager"]))


def queue_names(app: AppContext) -> list[str]:
    """The names of the queues of the queue manager in force; none where it does not answer."""
    from mqtriage.commands.context.name_cache import cached_names

    settings = app.target.settings
    folder = app.target.home() / "cache"
    manager = settings.text("qmgr") or ""
    key = "\n".join((settings.text("backend") or "", settings.context, manager))
    if settings.text("backend") in ("mq", "rest"):

        def from_backend() -> Iterator[str]:
            with app.target.open_backend(read_only=True) as backend:
                yield from (definition.name for definition in backend.queues("*"))

        return cached_names(folder, key, from_backend, is_quick=False)
    names = [manager] if manager else _queue_managers(app)
    if len(names) != 1:
        return []
    from mqtriage.emulator.core.file.home import existing_path
    from mqtriage.emulator.core.tables.queues import names_in

    path = existing_path(app.target.home(), names[0])
    return cached_names(folder, key + names[0], lambda: names_in(path), is_quick=True)


def _queue_managers(app: AppContext) -> list[str]:
    from mqtriage.emulator.core.file.home import qmgr_names

    return qmgr_names(app.target.home())
