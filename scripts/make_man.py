"""Write the manual pages of section 1 from the command tree.

One page for the program and one for each group. The text comes from cli/frame/tree.py, the
docstrings and the options of the verbs, so a page cannot say what the program does not. The date is
SOURCE_DATE_EPOCH's, else the release's, so that the same tree gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from mqtriage import __version__
from mqtriage.cli.analyze import JobOptions
from mqtriage.cli.frame.exit_codes import MEANINGS, ExitCode
from mqtriage.cli.frame.lazy import Help, load_verb, read_help, shell_lines
from mqtriage.cli.frame.options import ConnectionOptions, Guards, Output
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, CommandGroup, Verb
from mqtriage.emulator.core.switches import SWITCHES
from mqtriage.messages.filters.selection_options import SelectionOptions
from mqtriage.model.analysis_tables import COLUMN_NOTES, KEYS_IN_JSON, TABLES_OF
from mqtriage.model.context_keys import KEYS
from mqtriage.model.options import OPT, Opt

RELEASE_DATE: Final = "2026-11-23"
WIDTH: Final = 76

ABOUT: Final = (
    "mqtriage shows and handles delayed, poison and expired messages on IBM MQ, and checks the "
    "definitions that control them. It works on real queue managers, and on emulated ones that are "
    "kept in files.",
    "A command consists of a group, which is an MQ noun, and a verb. Standard output carries only "
    "data. Progress, warnings, questions and errors go to standard error.",
)

SAFETY: Final = (
    "A verb that changes something first shows its plan: the number and size of the messages, the"
    " oldest and the newest, their target, and the reports that it would send. On a terminal, it"
    " then asks for confirmation. In a script it needs \\fB--yes\\fR, and \\fB--confirm\\fR"
    " \\fIQUEUE\\fR if it affects a whole queue. \\fB--dry-run\\fR stops after the plan,"
    " and exits with the code that the command would have if every guard allowed it. If a guard"
    " needs more than \\fB--yes\\fR, standard error says so, but the code stays the same, which can"
    " be 0."
    " \\fB--expect\\fR \\fIN\\fR refuses to continue if the number of messages is different.",
    "The first SIGINT or SIGTERM ends the operation after the current batch; the second ends it"
    " immediately. Messages that are not committed then stay on their queue.",
)

ENVIRONMENT: Final = (
    (
        "MQTRIAGE_QMGR",
        "Queue manager, if neither --qmgr nor --context specifies one. It takes precedence over a "
        "context that is selected in any other way, such as by context use.",
    ),
    (
        "MQTRIAGE_BACKEND",
        "emulator, mq or rest, if neither --backend nor --context specifies one. It takes "
        "precedence as MQTRIAGE_QMGR does, and so do the variables of the other context keys. "
        "Default: mq with connection, channel, ccdt or transport; rest with url or rest_gateway; "
        "otherwise emulator.",
    ),
    ("MQTRIAGE_CONTEXT", "Context, if --context is not given."),
    ("MQTRIAGE_CONFIG", "File that contains contexts, instead of ~/.config/mqtriage/config.toml."),
    *(
        (key.environment, f"Same as the context key {key.name}. {key.help}")
        for key in KEYS.values()
        if key.name not in {"qmgr", "backend"}
    ),
    ("MQTRIAGE_HOME", "Folder for emulated queue managers, journals and archives."),
    (
        "MQTRIAGE_CONNECTION, MQTRIAGE_CHANNEL, ...",
        "Each connection setting in mqtriage(1) has a variable: MQTRIAGE_TLS_CIPHER for --set "
        "tls.cipher, "
        "MQTRIAGE_USER for --set user.",
    ),
    ("MQTRIAGE_PASSWORD", "Password of that user, if you do not name a file."),
    ("MQTRIAGE_DEBUG", "If set to 1, shows the traceback of an internal error."),
    ("COLUMNS", "Width of tables and help."),
    (
        "MQTRIAGE_PAGER, PAGER",
        "Program that shows output on a terminal. The first one that is set applies; an empty"
        " value turns paging off. Default: less, with -FRX if LESS is not set.",
    ),
    (
        "NO_COLOR, CLICOLOR_FORCE, TERM",
        "NO_COLOR and TERM=dumb turn colour off; CLICOLOR_FORCE turns it on, even in a pipe.",
    ),
)

FILES: Final = (
    (
        "$XDG_DATA_HOME/mqtriage",
        "Emulated queue managers, journals and archives, unless MQTRIAGE_HOME is set. "
        "~/.local/share if XDG_DATA_HOME is not set. Folders are 0700, files 0600.",
    ),
    (
        "$XDG_CACHE_HOME/mqtriage",
        "Files that mqtriage can recreate, such as the zip of --submit. ~/.cache if XDG_CACHE_HOME"
        " is not set.",
    ),
    (
        ".mqtriage.toml, ~/.config/mqtriage/config.toml",
        "Contexts of the current project, and your own contexts.",
    ),
)

OUTPUT_FORMS: Final = (
    ("table", "Aligned columns with headings; the default on a terminal."),
    ("plain", "Columns without borders; the default in a pipe."),
    ("json", "One document with items, summary and warnings; times are in RFC 3339 format, UTC."),
    ("ndjson", "One object per line, written as soon as it is read."),
    ("csv", "Comma-separated values."),
    ("md", "A Markdown table."),
    ("ids", "One MsgId per line."),
    ("mqsc", "MQSC text, for definitions."),
)

CONCEPTS: Final = ("backout", "delay", "emulator", "expiry", "rules", "safety")
"""Pages of section 7, written by hand; that of a group is named by the group's page."""

NOTES: Final = {
    "delay": (
        (
            "DD-60",
            "On z/OS, you must define the staging queue. The job CSQ4INSG contains a sample "
            "definition, commented out. \\fBdelay define --platform zos --mqsc\\fR also writes "
            "one.",
        ),
    ),
}
"""Group to (id of the statement that it holds, text): what no docstring is the place for."""

SHARED: Final = (SelectionOptions, Guards, ConnectionOptions, Output)
_OF_GROUP: Final = {"analyze": (JobOptions, Output)}
"""What the verbs of a group share, where that is not `SHARED`."""


def main() -> None:
    """Write all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    usual = Path(__file__).parent.parent / "man"
    parser.add_argument("folder", nargs="?", type=Path, default=usual, help="default: man/")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """File name to text of every page."""
    texts = {"mqtriage.1": program_page()}
    for name, group in GROUPS.items():
        texts[f"mqtriage-{name}.1"] = group_page(name, group)
    return texts


def verb_pages() -> dict[str, tuple[str, str]]:
    """Each verb, ``delay browse``, to its line of help and its page for the site, in roff."""
    every = [("", COMMANDS), *((name, group.verbs) for name, group in GROUPS.items())]
    return {
        f"{name} {verb}".strip(): (verbs[verb][1], verb_page(name, verb, verbs[verb]))
        for name, verbs in every
        for verb in verbs
    }


# pages --------------------------------------------------------------------------------------------


def verb_page(name: str, verb: str, it: Verb) -> str:
    """The page of one verb, without a title: options, keys in JSON, examples."""
    path = f"mqtriage {name}".strip()
    _, *lines = verb_parts(path, {verb: it}, alone=True)
    command = load_verb(verb, it[0])
    taken = {
        option
        for param in command.params
        for option in (param.opts if getattr(param, "rich_help_panel", None) else ())
    }
    page = [text_line(f"\\fB{roff(f'{path} {verb}')}\\fR {usage(verb, it)}"), *lines]
    for shared in _OF_GROUP.get(name, SHARED):
        page += section(f"{shared.TITLE} options", shared_part(shared, taken))
    page += section("JSON", json_keys(name or verb, f"{name} {verb}".strip()))
    page += section("Examples", pasted(read_help(command.help or it[1]).examples))
    manual = f"mqtriage-{name}" if name else "mqtriage"
    return finished([*page, ".SH See also", f".BR {roff(manual)} (1)"])


def program_page() -> str:
    """mqtriage(1): what is common to all commands, and the commands without a group."""
    lines = [*head("mqtriage", "delayed, poison and expired messages on IBM MQ")]
    lines += [".SH SYNOPSIS", ".B mqtriage", text_line("[\\fIoptions\\fR] \\fIGROUP VERB\\fR ...")]
    lines += section("DESCRIPTION", paragraphs(ABOUT))
    groups = ((f"mqtriage-{name}(1)", group.help) for name, group in GROUPS.items())
    lines += section("GROUPS", tagged(groups))
    lines += section("COMMANDS", verb_parts("mqtriage", COMMANDS))
    for group in (ConnectionOptions, Output, Guards, SelectionOptions):
        lines += section(f"{group.TITLE.upper()} OPTIONS", shared_part(group))
    lines += section("OUTPUT FORMATS", tagged(OUTPUT_FORMS))
    lines += section("SAFETY", paragraphs(SAFETY))
    lines += section("JSON", json_keys("mqtriage"))
    names = [f"mqtriage-{name}" for name in sorted(GROUPS)]
    lines += ending(names, [f"mqtriage-{name}" for name in CONCEPTS])
    return finished(lines)


def group_page(name: str, group: CommandGroup) -> str:
    """mqtriage-GROUP(1): every verb, and the shared options that its verbs take."""
    path = f"mqtriage {name}"
    lines = [*head(f"mqtriage-{name}", in_a_sentence(group.help))]
    lines += [".SH SYNOPSIS"]
    for number, verb in enumerate(group.verbs):
        lines += [".br"] if number else []
        lines += [text_line(f"\\fB{roff(f'{path} {verb}')}\\fR {usage(verb, group.verbs[verb])}")]
    lines += section("DESCRIPTION", paragraphs([group.help]))
    lines += section("VERBS", verb_parts(path, group.verbs))
    taken = {
        option
        for verb, it in group.verbs.items()
        for param in load_verb(verb, it[0]).params
        for option in (param.opts if getattr(param, "rich_help_panel", None) else ())
    }
    for shared in _OF_GROUP.get(name, SHARED):
        part = shared_part(shared, taken)
        lines += section(f"{shared.TITLE.upper()} OPTIONS", part)
    if name == "emulator":
        lines += section("SWITCHES", tagged(switches()))
    lines += section("NOTES", noted(NOTES.get(name, ())))
    lines += section("JSON", json_keys(name))
    if name == "analyze":
        lines += section(
            "COLUMNS",
            tagged((KEYS_IN_JSON.get(key, key), note) for key, note in COLUMN_NOTES.items()),
        )
    lines += section("EXAMPLES", pasted(group.examples))
    lines += ending(
        ["mqtriage", *(f"mqtriage-{other}" for other in sorted(GROUPS) if other != name)],
        [f"mqtriage-{name}"] if name in CONCEPTS else [],
    )
    return finished(lines)


def json_keys(name: str, verb: str = "") -> Iterator[str]:
    """The keys of `-o json`, by command; collected by tests/acceptance/test_every_command.py.

    Args:
        verb: ``delay browse``, where only its keys are asked for.
    """
    known = json.loads(Path(__file__).with_name("json_keys.json").read_text("utf-8"))
    keys = {path: it for path, it in known.items() if path.split()[0] == name}
    if verb:
        keys = {path: it for path, it in known.items() if f"{path} ".startswith(f"{verb} ")}
    if name == "mqtriage":
        keys = {path: it for path, it in known.items() if path.split()[0] in COMMANDS}
    rows = [(f"{path}: {it['kind']}", ", ".join(it["keys"])) for path, it in keys.items()]
    if name == "analyze":
        rows += [
            (f"analyze {job}: {table.kind}", ", ".join(field.key for field in table.fields))
            for job, tables in TABLES_OF.items()
            for table in tables.values()
            if verb in ("", f"analyze {job}")
        ]
    if rows:
        yield from paragraphs(
            [
                "These are the keys of the items, the summary or the report. New releases may add"
                " keys, but never remove any. Keys include their unit: delay_ms, expiry_tenths,"
                " length_bytes."
            ]
        )
        yield from tagged(rows)


def switches() -> Iterator[tuple[str, str]]:
    """Each switch of the emulator: what it means, its values and its default."""
    for switch in SWITCHES:
        name = f"{switch.name}QUEUE" if switch.name.endswith(".") else switch.name
        allowed = switch.allowed.removeprefix(", ")
        values = (
            f"{allowed}; default {switch.default}"
            if switch.default
            else f"{allowed}; off unless set"
        )
        yield name, f"{switch.meaning[:1].upper()}{switch.meaning[1:]} ({values})."


def verb_parts(path: str, verbs: Mapping[str, Verb], *, alone: bool = False) -> Iterator[str]:
    """A subsection for each verb: usage, text, its own parameters, examples.

    Args:
        alone: one verb, whose page has the shared options and the examples in sections.
    """
    for name, (target, line) in verbs.items():
        command = load_verb(name, target)
        parsed: Help = read_help(command.help or line)
        yield f".SS {roff(f'{path} {name}')} {usage(name, (target, line))}"
        yield from paragraphs([parsed.summary, *parsed.paragraphs])
        own = [p for p in command.params if getattr(p, "rich_help_panel", None) is None]
        yield from tagged((label(param), param_text(param)) for param in own)
        if alone:
            continue
        titles = {getattr(param, "rich_help_panel", None) for param in command.params}
        taken = [t.lower() for t in (s.TITLE for s in SHARED) if t in titles]
        if taken:
            listed = " and ".join(filter(None, (", ".join(taken[:-1]), taken[-1])))
            yield from paragraphs([f"Also accepts {listed} options; see below."])
        yield from pasted(parsed.examples)


def shared_part(group: type[Any], taken: set[str] | None = None) -> Iterator[str]:
    """The options of a shared group; with *taken*, only those that are in it."""
    every = [_opt(item) for item in fields(group)]
    opts = [
        opt
        for opt in every
        if taken is None or (opt.names[0].partition("/")[0] in taken and not opt.advanced)
    ]
    before = [opt for opt in opts if opt.global_]
    if before:
        *first, last = (opt.names[0] for opt in before)
        names = f"{', '.join(first)} and {last}" if first else last
        yield from paragraphs([f"You can also specify {names} before the group."])
    if group is SelectionOptions and opts:
        yield from paragraphs(
            [
                "Different options are combined with AND, and repeated options with OR. "
                "A time of day is local, such as 18:00, today or yesterday. "
                "With Z or an offset it is RFC 3339; now-2h is relative. "
                "Durations are numbers with a unit: 500ms, 30s, 5m, 2h or 30d."
            ]
        )
    yield from tagged((names_of(opt), opt.help) for opt in opts)
    advanced = ", ".join(opt.names[0] for opt in every if opt.advanced and opt not in opts)
    if opts and advanced:
        lines = textwrap.wrap(advanced, WIDTH // 2, break_on_hyphens=False)
        yield from tagged((line.rstrip(","), "See mqtriage(1).") for line in lines)


def noted(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Paragraphs, each behind a comment with the id of the statement that it holds."""
    for number, (seed, text) in enumerate(notes):
        if number:
            yield ".PP"
        yield f'.\\" {seed}'
        yield from list(paragraphs([text]))[1:]


def ending(see: list[str], concepts: Iterable[str] = ()) -> list[str]:
    """The sections that end every page; *concepts* are pages of section 7."""
    codes = ((str(int(code)), MEANINGS[code]) for code in ExitCode)
    lines = section("EXIT STATUS", tagged(codes))
    lines += list(
        paragraphs(
            [
                "mqtriage check uses the exit codes of monitoring plugins instead: 0 OK, 1"
                " WARNING, 2 CRITICAL, 3 UNKNOWN. Incorrect usage also exits 3.",
                "If the program that reads standard output, such as head, ends early, this is "
                "not a failure. The exit code is then 0, or that of the operation whose report was "
                "written.",
            ]
        )
    )
    lines += section("ENVIRONMENT", tagged(ENVIRONMENT))
    lines += section("FILES", tagged(FILES))
    refs = [f".BR {roff(name)} (1)" for name in see]
    refs += [f".BR {roff(name)} (7)" for name in concepts]
    return [*lines, ".SH SEE ALSO", *[f"{ref} ," for ref in refs[:-1]], refs[-1]]


# parts --------------------------------------------------------------------------------------------


def head(name: str, line: str) -> list[str]:
    """Title and NAME."""
    return [
        '.\\" Written by scripts/make_man.py from the command tree; do not edit.',
        f'.TH {roff(name.upper())} 1 {date()} "mqtriage {__version__}" "User Commands"',
        ".SH NAME",
        text_line(f"{roff(name)} \\- {roff(line)}"),
    ]


def in_a_sentence(line: str) -> str:
    """A line of help without its capital and its full stop; an abbreviation stays as it is."""
    first = line[0].lower() if line[1:2].islower() else line[0]
    return first + line[1:].rstrip(".")


def date() -> str:
    """The date of the pages: SOURCE_DATE_EPOCH's day in UTC, else the release's."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch.isdigit():
        return RELEASE_DATE
    return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()


def usage(name: str, verb: Verb) -> str:
    """``[options] FROM [TO]`` in roff."""
    pieces = ["[\\fIoptions\\fR]"]
    for param in load_verb(name, verb[0]).params:
        if param.param_type_name == "argument":
            dots = "..." if param.nargs != 1 else ""
            text = f"\\fI{roff(argument_name(param))}\\fR{dots}"
            pieces.append(text if param.required else f"[{text}]")
    return " ".join(pieces)


def argument_name(param: Any) -> str:
    """The name of an argument as the usage line shows it."""
    return str(param.metavar or param.name.upper()).strip("[].")


def label(param: Any) -> str:
    """How a parameter of a verb is written, in plain text."""
    if param.param_type_name == "argument":
        return argument_name(param)
    names = ", ".join([*param.opts, *param.secondary_opts])
    if param.is_flag:
        return names
    return f"{names} {param.metavar}"


def param_text(param: Any) -> str:
    """The help of a parameter, its default, and whether it may be repeated."""
    text = str(param.help or "")
    default = param.default
    told = "Default:" in text or default in {None, False, True, ""}
    if not told and not isinstance(default, list | tuple):
        text += f" Default: {default}."
    return text


def names_of(opt: Opt) -> str:
    """How a shared option is written, in plain text."""
    names = ", ".join(name.replace("/", ", ") for name in opt.names)
    return f"{names} {opt.metavar}" if opt.metavar else names


def _opt(item: Any) -> Opt:
    opt = item.metadata[OPT]
    assert isinstance(opt, Opt)
    return opt._replace(names=opt.words(item.name))


# roff ---------------------------------------------------------------------------------------------


def section(title: str, lines: Iterable[str]) -> list[str]:
    """A section, left out when it is empty; the first paragraph needs no macro."""
    body = list(lines)
    if body and body[0] == ".PP":
        body = body[1:]
    return [f".SH {title}", *body] if body else []


def paragraphs(texts: Iterable[str]) -> Iterator[str]:
    """Paragraphs, one sentence a line, filled to WIDTH; font escapes in the text stay."""
    for text in texts:
        yield ".PP"
        for sentence in re.split(r"(?<=[.?!:;]) (?=[A-Z\\])", text):
            yield from filled(roff(sentence))


def tagged(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A list of terms with their text."""
    for term, text in pairs:
        yield ".TP"
        yield f".B {roff(term)}" if '"' not in term else text_line(f"\\fB{roff(term)}\\fR")
        yield from filled(roff(text))


def pasted(lines: Iterable[str]) -> Iterator[str]:
    """Command lines as they are typed; long ones continue on the next line as in a shell."""
    block = list(lines)
    if block:
        yield from (".PP", ".RS 4", ".nf")
        for line in block:
            pieces = _pieces(line)
            for number, piece in enumerate(pieces):
                tail = " \\e" if number < len(pieces) - 1 else ""
                yield text_line(("    " if number else "") + roff(piece) + tail)
        yield from (".fi", ".RE")


def _pieces(line: str) -> list[str]:
    """A command line in pieces that fit, also when roff's escapes make them longer."""
    for width in range(WIDTH - 6, 20, -1):
        pieces = shell_lines(line, width)
        if max(len(roff(piece)) for piece in pieces) <= WIDTH - 3:
            return pieces
    return pieces


def filled(text: str) -> Iterator[str]:
    """Lines of at most WIDTH, none of which roff takes for a request."""
    for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
        yield text_line(line)


def text_line(line: str) -> str:
    """A line of text: a leading dot or quote would be a request."""
    return f"\\&{line}" if line[:1] in {".", "'"} else line


def roff(text: str) -> str:
    """Plain text (font escapes allowed) for roff: a hyphen stays one when it is copied."""
    kept = re.split(r"(\\f[BIR])", text)
    return "".join(
        part
        if part.startswith("\\f")
        else part.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
        for part in kept
    )


def finished(lines: Iterable[str]) -> str:
    """Lines as the text of a file; a paragraph right after a heading is dropped."""
    block: list[str] = []
    for line in lines:
        if line == ".PP" and block and block[-1].startswith((".SH", ".SS")):
            continue
        block.append(line)
    return "\n".join(block) + "\n"


if __name__ == "__main__":
    main()
