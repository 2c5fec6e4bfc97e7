"""Groups that import a verb only when it runs, and help for people.

Help and completion see stubs that carry just the one line of `cli/frame/tree.py`, so that
`mqtriage delay --help` costs no more than typer itself. typer carries its own copy of click;
nothing here may `import click`.
"""

from __future__ import annotations

import difflib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import ceil
from operator import attrgetter
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from mqtriage.cli.frame.params import VerbOption, params_of, see_help, usage_line
from mqtriage.cli.frame.tree import GROUPS, PROGRAM, CommandGroup, habits, verb_of
from mqtriage.cli.frame.verb import (
    CommandParameter,
    parameters_of,
    program_parameters,
    run_verb,
    verb_function,
    with_typed,
)
from mqtriage.model.options import Opt, any_of
from mqtriage.model.shell_words import shell_line, shell_word
from mqtriage.mq.errors import UsageError
from mqtriage.records import NamedTuple

EXAMPLES = "Examples:"
EXIT_CODES = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done, 5 not found, 6 not authorised, "
    "7 no connection, 8 refused; all of them in mqtriage(1)."
)
CHECK_CODES = (
    "Exit codes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (wrong usage too). If the queue manager is "
    "stopped, check qmgr reports CRITICAL, and other checks report UNKNOWN."
)
_NARROWEST = 30
_ALIKE: Final = 0.75
"""How alike two words are, of 1, for one to be meant by the other."""
_MSG_ID: Final = re.compile("ID:[0-9A-F]+[*]?|[0-9A-F]{4,48}", re.IGNORECASE)
_CODE: Final = re.compile(
    r"(?:[1-9][0-9]{3}|0x[0-9a-f]{3,8}|MQ(?:RC|RCCF|FB)_[A-Z0-9_]+"
    r"|(?:AMQ|CSQ[A-Z]|JMS[A-Z]{2,4}|MQJ(?:E|MS))[0-9]{3,5}[A-Z]?)(?=[\s,:;]|\Z)",
    re.IGNORECASE,
)
"""What `mqtriage rc` explains, at the start of a word: a code, or a line of a log with one."""
_MOST_NAMED: Final = 4
_OWN: Final = ("Arguments", "Options")
"""Headings of what is a verb's own."""
SCREEN: Final = 22
"""Rows of help that `less -F` leaves on a terminal of 24 without waiting for a key."""
_WHICH = frozenset({"qmgr", "backend", "context", "no_context"})
_HOW_ROW = (
    "--connection, --channel ...",
    "How to reach a real queue manager, usually in a context: mqtriage(1), section Connection.",
)


_MOST: Final = 4
"""Options of its own that the short help of a verb shows, or five where that is all of them."""


class Daily(NamedTuple):
    """A line of short help on the options that many verbs share.

    Attributes:
        place: among the others.
        needs: options or values that the verb has, for the line to be of it.
    """

    place: int
    needs: frozenset[str]
    text: str


_DAILY: Final = {
    "Selection": (
        Daily(
            0, frozenset({"--where"}),
            "Select:  --older-than 2h  --where \"format = 'MQSTR'\"  --limit 10  --msgid ID",
        ),
    ),
    "Safety": (
        Daily(
            1, frozenset({"--plan"}),
            "Safety:  -n (only show)  --yes (do not ask)  --plan FILE (for apply)",
        ),
        Daily(
            1, frozenset({"--dry-run"}),
            "Safety:  -n (only show)  --yes (do not ask)  --expect N",
        ),
    ),
    "Connection": (
        Daily(2, frozenset({"NAME,..."}), "Connect: -m QM1,QM2  -m 'PROD*'  --context prod"),
        Daily(2, frozenset({"--qmgr"}), "Connect: -m QM1  --context prod"),
    ),
    "Output": (Daily(3, frozenset({"--sort"}), "Output:  -o json  --columns A,B"),),
}  # fmt: skip
"""What is used every day, by heading; of each the first line counts that fits the verb."""


class Help(NamedTuple):
    """A command's docstring, taken apart."""

    summary: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]


def read_help(doc: str) -> Help:
    """Take a cleaned docstring apart: first line, paragraphs, and the lines under "Examples:"."""
    head, _, tail = doc.partition(EXAMPLES)
    blocks = [" ".join(block.split()) for block in head.strip().split("\n\n")]
    examples = tuple(line.strip() for line in tail.splitlines() if line.strip())
    return Help(blocks[0], tuple(blocks[1:]), examples)


def _showing(parameter: CommandParameter, show: Callable[[Any], None]) -> VerbOption:
    """A flag that shows something and leaves."""

    def show_and_leave(ctx: Any, _param: Any, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            show(ctx)
            ctx.exit()

    return VerbOption(parameter, callback=show_and_leave)


def _help_parameter(name: str, words: tuple[str, ...], text: str) -> CommandParameter:
    return CommandParameter(name, Opt("flag", words, text), words, default=False)


def _show_help(ctx: Any, *, full: bool = False) -> None:
    formatter = ctx.make_formatter()
    (ctx.command.format_all_help if full else ctx.command.format_help)(ctx, formatter)
    ctx.obj.output.page(formatter.getvalue().rstrip("\n") + "\n")


def _show_version(ctx: Any) -> None:
    from mqtriage import __version__

    ctx.obj.output.stdout.write(f"mqtriage {__version__}\n")


_HELP: Final = _showing(
    _help_parameter("help", ("-h", "--help"), "Show short help and exit."),
    lambda ctx: _show_help(ctx, full="--help-all" in ctx.obj.run.arguments),
)
_HELP_ALL: Final = _showing(
    _help_parameter("help_all", ("--help-all",), "Show full help and exit."),
    lambda ctx: _show_help(ctx, full=True),
)
_PROGRAM: Final = "COMMAND"
"""How help calls a program with its own options."""
HELP_WORDS: Final = ("-h", "--help", "--help-all")


class _WithHelp:
    """What verbs and groups share: parameters with all of help, under their headings."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, with both options of help."""
        return [*self.params, _HELP, _HELP_ALL]  # type: ignore[attr-defined]

    def sections(self, ctx: Any, first: Iterable[str]) -> list[tuple[str, list[Any]]]:
        """The parameters by heading, those of *first* before the others."""
        headings: dict[str, list[Any]] = {heading: [] for heading in first}
        for param in self.get_params(ctx):
            own = _OWN[0] if param.param_type_name == "argument" else _OWN[1]
            headings.setdefault(getattr(param, "rich_help_panel", None) or own, []).append(param)
        return [(heading, params) for heading, params in headings.items() if params]


class VerbCommand(_WithHelp, TyperCommand):
    """A verb: its help has examples first and the options under their headings."""

    body: Callable[..., None]

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Leave a program's options to the program that the verb runs."""
        if any(it.param_type_name == "argument" and it.metavar == _PROGRAM for it in self.params):
            args = program_apart(args, self.get_params(ctx))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> None:
        """Call the function of the verb."""
        run_verb(self.body, ctx.obj, ctx.command_path.partition(" ")[2], ctx.params)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write what is the verb's own: as many paragraphs and examples as fit a screen."""
        text = read_help(self.help or "")
        counts = [(at, len(text.examples), _MOST) for at in range(len(text.paragraphs), -1, -1)]
        counts += [(0, 2, _MOST), (0, 1, _MOST), (0, 1, _MOST - 1), (0, 1, _MOST - 2)]
        drawn = ""
        for paragraphs, examples, options in counts:
            trial = ctx.make_formatter()
            self._write_short(ctx, trial, text, paragraphs, examples, options)
            drawn = trial.getvalue()
            if rows_of(drawn, formatter.width + 1) <= SCREEN:
                break
        formatter.write(drawn)

    def _write_short(
        self, ctx: Any, formatter: Any, text: Help, paragraphs: int, examples: int, options: int
    ) -> None:
        self.format_usage(ctx, formatter)
        _write_paragraphs(formatter, (text.summary,))
        _write_examples(formatter, text.examples[:examples])
        _write_paragraphs(formatter, text.paragraphs[:paragraphs])
        daily: list[Daily] = []
        more = ["the rest of this text"] if paragraphs < len(text.paragraphs) else []
        takes_all = not any(it.required for it in self.params if it.param_type_name == "argument")
        for heading, params in self.sections(ctx, _OWN):
            if heading in _OWN:
                own = [it for it in params if it not in (_HELP, _HELP_ALL) and not it.hidden]
                first = first_options(own, text.examples, options, takes_all=takes_all)
                _write_rows(formatter, heading, help_rows(ctx, first))
                if others := [it.opts[-1] for it in own if it not in first]:
                    _write_folded(formatter, f"  also {', '.join(others)}", " " * 7)
            else:
                words = {word for it in params for word in (*it.opts, it.metavar)}
                daily += [row for row in _DAILY.get(heading, ()) if row.needs <= words][:1]
        if daily:
            formatter.write_paragraph()
            lines = [row.text for row in sorted(daily, key=attrgetter("place"))]
            if len(lines) > 1 and len("   ".join(lines[-2:])) <= formatter.width:
                lines[-2:] = ["   ".join(lines[-2:])]  # where, and how it is written
            for line in lines:
                _write_folded(formatter, line, " " * 9)
            more.append("all options")
        shown = " and ".join(part for part in (", ".join(more), "exit codes") if part)
        _write_paragraphs(formatter, (f"--help-all also shows {shown}.",))

    def format_all_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, text, examples, options and exit codes."""
        text = read_help(self.help or "")
        self.format_usage(ctx, formatter)
        _write_paragraphs(formatter, (text.summary,))
        _write_examples(formatter, text.examples)
        _write_paragraphs(formatter, text.paragraphs)
        for heading, params in self.sections(ctx, _OWN):
            _write_rows(formatter, heading, help_rows(ctx, params))
        monitor = " check " in ctx.command_path and " backout " not in ctx.command_path
        _write_paragraphs(formatter, (CHECK_CODES if monitor else EXIT_CODES,))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """``[OPTIONS] FROM [TO]``: brackets for what may be left out."""
        pieces = ["[OPTIONS]"]
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                name = param.metavar or param.name
                dots = "..." if param.nargs != 1 and not name.endswith("...") else ""
                pieces.append(f"{name}{dots}" if param.required else f"[{name}{dots}]")
        return pieces


class LazyGroup(_WithHelp, TyperGroup):
    """A noun of the tree, whose verbs are named in a table and loaded one at a time."""

    group: CommandGroup
    noun = "verb"
    more = "More: {path} VERB --help"

    def table(self) -> dict[str, str]:
        """Name of each command to its one line of help."""
        return {verb: line for verb, (_, line) in self.group.verbs.items()}

    def load(self, name: str) -> Any:
        """Import what runs the command *name* of the table."""
        return load_verb(name, self.group.verbs[name][0])

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the table."""
        return list(self.table())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A stub that carries the one line of help, or None."""
        line = self.table().get(cmd_name)
        if line is None:
            return None
        return TyperCommand(cmd_name, help=line, short_help=line, rich_markup_mode=None)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Put the verb before options that stand in front of it: `queue -m QM1 ls` is `queue ls`.

        The default verb, where the group has one, is put before arguments that name none.
        """
        first = args[0] if args else ""
        named = {verb.partition(" ")[0] for verb in self.group.verbs}
        if self.group.default and first not in (*HELP_WORDS, *named):
            args = [self.group.default, *args]
        elif self.noun == "verb" and first.startswith("-") and first not in HELP_WORDS:
            args = self._verb_first(ctx, args)
        return super().parse_args(ctx, args)

    def _verb_first(self, ctx: Any, args: list[str]) -> list[str]:
        """The words with the verb before the options that all verbs share.

        Raises:
            UsageError: There is no verb behind such options.
        """
        from mqtriage.cli.frame.completion import place

        if help_word := next((word for word in args if word in HELP_WORDS), ""):
            return [help_word]
        shared = place(program_parameters(), args)
        at = len(args) - len(shared.rest)
        words = [word.partition("=")[0] for word in args[:at] if word.startswith("-")]
        if not shared.rest or not all(word in shared.options for word in words):
            text = f"{ctx.command_path}: which verb? {', '.join(self.table())}"
            hint = habits("option here").get(f"{ctx.command_path} {args[0]}")
            raise UsageError(text, hint=hint or f"{ctx.command_path} VERB {shell_line(args)}")
        run, moved = ctx.obj.run, [args[at], *args[:at], *args[at + 1 :]]
        run.arguments = [*run.arguments[: len(run.arguments) - len(args)], *moved]
        return moved

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that *args* name, of one word or two, or say which name was meant.

        The first of two words alone is a group of its own.
        """
        name, words = verb_of(self.group, args)
        if words:
            return name, self.load(name), args[words:]
        name, *rest = args
        start, verbs = f"{name} ", self.group.verbs
        inner = {n.removeprefix(start): v for n, v in verbs.items() if n.startswith(start)}
        if inner:
            examples = tuple(line for line in self.group.examples if f" {start}" in line)
            line = self.group.parts.get(name, self.group.help)
            return name, noun_of(name, CommandGroup(line, inner, examples)), rest
        if name not in self.table():
            if self.noun == "group" and (code := _code_line(args)):
                text = f"{ctx.command_path}: no such command: {name!r}"
                raise UsageError(text, hint=code)
            if name == "help" and rest and rest[0] in self.table():
                noun = "command" if self.noun == "group" else self.noun
                text = f"{ctx.command_path}: no such {noun}: 'help'"
                raise UsageError(text, hint=f"{ctx.command_path} {shell_line(rest)} --help")
            unknown = unknown_command(name, self.noun, ctx.command_path, self.table())
            unknown.hint = _with_archive(unknown.hint or "", rest)
            raise unknown
        return name, self.load(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the named command; a group alone is wrong usage, since a script may do it."""
        result = super().invoke(ctx)
        if ctx.invoked_subcommand is None:
            msg = f"{ctx.command_path}: which {self.noun}?"
            raise UsageError(f"{msg} {', '.join(self.table())}", hint=see_help(ctx.command_path))
        return result

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, text, examples and the table; all of it fits a screen of 80 by 24.

        The verbs of two words that begin alike have one row.
        """
        parts = self.group.parts
        rows: dict[str, str] = {}
        for verb, line in self.table().items():
            first = verb.partition(" ")[0]
            rows |= {f"{first} ...": parts[first]} if first in parts else {verb: line}
        self._write_head(ctx, formatter, table_rows(rows, self.group.together))
        more = self.more.format(path=ctx.command_path)
        if verb := self.group.default:
            more += f". Without a verb, it is {verb}: {ctx.command_path} {verb} --help"
        _write_paragraphs(formatter, (more,))

    def format_all_help(self, ctx: Any, formatter: Any) -> None:
        """Write the same with a row for each command, and the options that may stand here."""
        self._write_head(ctx, formatter, list(self.table().items()))
        for heading, params in self.sections(ctx, ()):
            _write_rows(formatter, heading, help_rows(ctx, params))

    def _write_head(self, ctx: Any, formatter: Any, rows: list[tuple[str, str]]) -> None:
        self.format_usage(ctx, formatter)
        _write_paragraphs(formatter, (self.help or "",))
        _write_examples(formatter, self.group.examples)
        _write_rows(formatter, "Commands", rows)


def program_apart(args: list[str], params: Iterable[Any]) -> list[str]:
    """*args* with ``--`` before the program, which is the second word that is not an option.

    Without it, the -q of ``pytest -q`` would be read as an option of ours. A number after --tcp is
    a port, and does not count as a word.
    """
    valued = {
        word
        for param in params
        if param.param_type_name == "option" and not param.is_flag
        for word in param.opts
    }
    before, count = "", 0
    for at, word in enumerate(args):
        if word == "--":
            break
        is_ours = word.startswith("-") or before in valued
        if not (is_ours or (before == "--tcp" and word.isdecimal())):
            count += 1
            if count > 1:
                return [*args[:at], "--", *args[at:]]
        before = word
    return args


def first_options(
    own: list[Any], examples: Iterable[str], most: int, *, takes_all: bool
) -> list[Any]:
    """The *most* options of a verb that its short help shows.

    These are the ones that must be given, then those of its examples, then the first of the rest.
    If a verb takes all queues unless it is given one, the one that refuses to browse is shown.
    """
    arguments = [it for it in own if it.param_type_name == "argument"]
    if arguments or len(own) <= most:
        return own
    words = [word.partition("=")[0] for line in examples for word in line.split()]

    def uses(param: Any) -> tuple[bool, int]:
        refuses = takes_all and "--no-expiry-effects" in param.opts
        return param.required or refuses, sum(words.count(word) for word in param.opts)

    chosen = sorted(own, key=uses, reverse=True)[:most]
    return [param for param in own if param in chosen]


def noun_of(name: str, group: CommandGroup) -> LazyGroup:
    """The group of a noun as typer runs it."""
    noun = LazyGroup(
        name=name,
        help=group.help,
        rich_markup_mode=None,
        subcommand_metavar="VERB ...",
        invoke_without_command=True,
    )
    noun.group = group
    return noun


class Root(LazyGroup):
    """The whole tree: groups, and the few commands without a group."""

    group = PROGRAM
    noun = "group"
    more = "More: {path} GROUP [VERB] --help; OPTIONS (-m QM1, -o json): at each verb."

    def table(self) -> dict[str, str]:
        """Group or command to its one line of help."""
        return {name: group.help for name, group in GROUPS.items()} | super().table()

    def load(self, name: str) -> Any:
        """Make the group, or import the module of a command without a group."""
        return noun_of(name, GROUPS[name]) if name in GROUPS else super().load(name)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Have the hints of wrong usage name the queue manager; `run_verb` knows more of it."""
        run = ctx.obj.run
        run.in_commands = lambda text: with_typed(text, run.arguments)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Keep the options that stand before the group of commands, and run the command."""
        ctx.obj.run.global_options = ctx.params
        return super().invoke(ctx)


@cache
def program() -> Root:
    """The root of the command tree, with the options that may stand before the group."""
    *shared, version = program_parameters()
    return Root(
        name="root",
        params=[*params_of(shared, shows_all=True), _showing(version, _show_version)],
        help="Delayed, poison and expired messages on IBM MQ: see, fix and prevent them.",
        rich_markup_mode=None,
        subcommand_metavar="GROUP VERB ...",
        invoke_without_command=True,
    )


def table_rows(table: Mapping[str, str], together: Mapping[str, str]) -> list[tuple[str, str]]:
    """(names, line) of each row of a group's help; *together* has the rows of several names.

    A row of several stands where the first of its names does.
    """
    shared = {
        words.split()[0]: (", ".join(words.split()), line) for words, line in together.items()
    }
    hidden = {word for words in together for word in words.split()} - set(shared)
    return [shared.get(name, (name, line)) for name, line in table.items() if name not in hidden]


def help_rows(ctx: Any, params: Iterable[Any]) -> list[tuple[str, str]]:
    """(words, help) of each option; how to reach a real queue manager is one row of them all.

    Those are a dozen that a context usually holds; the manual has each.
    """
    rows: list[tuple[str, str]] = []
    for param in params:
        how = getattr(param, "rich_help_panel", None) == "Connection" and param.name not in _WHICH
        row = _HOW_ROW if how else param.get_help_record(ctx)
        if row is not None and row not in rows:
            rows.append(row)
    return rows


@cache  # a process that runs many command lines, as tests do, makes each command once
def load_verb(name: str, target: str) -> Any:
    """Import ``module:function`` and make typer's command of it."""
    body = verb_function(target)
    params = params_of(parameters_of(body))
    command = VerbCommand(name, params=params, help=inspect.getdoc(body), rich_markup_mode=None)
    command.body = body
    return command


def _code_line(args: list[str]) -> str:
    """The `rc` command for codes that were typed as a command, or behind an unknown one."""
    start = 0 if _CODE.match(args[0]) else 1
    codes = [word for word in args[start:] if _CODE.match(word)]
    if codes and args[start] == codes[0]:
        return shell_line(["mqtriage", "rc", *codes])
    return ""


def _with_archive(hint: str, args: Sequence[str]) -> str:
    """The hint with what follows the verb for its ARCHIVE: a MsgId alone is of any archive."""
    word = next(iter(args), "-")
    if word.startswith("-"):
        return hint
    if len(args) == 1 and _MSG_ID.fullmatch(word):
        return hint.replace("ARCHIVE --msgid ID", f"--msgid {shell_word(word)}")
    return hint.replace("ARCHIVE", shell_word(word))


def unknown_command(name: str, noun: str, path: str, known: Iterable[str]) -> UsageError:
    """The error for a group or verb that is not there, with the nearest names."""
    names = list(known)
    text = f"{path}: no such {'command' if noun == 'group' else noun}: {name!r}"
    if name in ("help", "-?", "/?"):
        return UsageError(text, hint=f"{path} --help")
    command = habits("noun verb").get(f"{path.removeprefix('mqtriage').strip()} {name}")
    if command:
        return UsageError(text, hint=command)
    meant = habits("verb").get(name, "")
    near = next(
        filter(None, ([v for v in tier.split() if v in names] for tier in meant.split(";"))), []
    )
    if noun == "group":  # the verb came first, or it is a command of another tool
        first = {of: {verb.partition(" ")[0] for verb in it.verbs} for of, it in GROUPS.items()}
        near = [f"{of} {name}" for of, words in first.items() if name in words]  # also `lab`
        meant = habits("command").get(name, "")
        near = near[:_MOST_NAMED] or list(filter(None, meant.split("; ")))
    near = near or difflib.get_close_matches(name, names, n=2, cutoff=_ALIKE)
    near = near or [known for known in names if sorted(known) == sorted(name)]  # mgs
    is_within = path.count(" ") > 1  # as in `emulator lab`: other groups do not do what it does
    if not near and noun != "group" and not is_within:  # it may be a verb of another group
        verbs = (name, *meant.replace(";", " ").split())
        groups = sorted(GROUPS, key=lambda of: of not in ("queue", "msg"))
        near = [f"{of} {verb}" for verb in verbs for of in groups if verb in GROUPS[of].verbs]
        near = near[:2]
    if near:
        text += f"; did you mean {any_of(near)}?"
    elif noun != "group":
        return UsageError(text, hint=f"there are {', '.join(names)}")
    return UsageError(text, hint=see_help(path))


def unknown_option(name: str, ctx: Any, args: Sequence[str]) -> UsageError:
    """The error for an option that a command has not, with what it has for the same."""
    params = [p for p in ctx.command.get_params(ctx) if p.param_type_name == "option"]
    words = [word for param in params for word in (*param.opts, *param.secondary_opts)]
    most = 2 if name == "--format" else 1  # that of the output, or MQMD.Format
    near = [word for word in habits("option").get(name, "").split() if word in words][:most]
    text = f"No such option: {name}"
    gone = habits("option gone").get(name, "")
    if gone and gone.split()[0] in words:
        return UsageError(text, hint=gone)
    path = ctx.command_path.split()
    for word in (name, *habits("option").get(name, "").split()):  # first as it was typed
        here = (f"{' '.join(path[:n])} {word}" for n in range(len(path), 0, -1))
        command = next(filter(None, map(habits("option here").get, here)), "")
        if command and (word == name or not near):
            return UsageError(text, hint=command)
    near = near or difflib.get_close_matches(name, words, n=2, cutoff=_ALIKE)
    places = [p.parameter.opt for p in ctx.command.params if p.param_type_name == "argument"]
    if name == "-f" and "--yes" in near and any(opt.completes == "file" for opt in places):
        near = []  # a file is what it takes, by its place
    if near[:1] == ["--output"]:
        form = {"--json": "json", "--yaml": "yaml", "--csv": "csv", "--plain": "plain"}.get(name)
        near[0] = f"-o {form or 'json'}"
    if near == ["--set"]:
        from mqtriage.model.context_keys import KEYS, key_of_option

        key = key_of_option(name)
        takes_keys = any(
            it.param_type_name == "argument" and it.metavar == "KEY=VALUE"
            for it in ctx.command.params
        )
        near = [f"{'' if takes_keys else '--set '}{key}={KEYS[key].example}"]
    if near:
        text += f"; did you mean {any_of(near)}?"
    return UsageError(text, hint=see_help(ctx.command_path) if near else usage_line(ctx))


def rows_of(text: str, columns: int) -> int:
    """Rows of a terminal of so many columns that *text* takes."""
    return sum(max(1, ceil(len(line) / columns)) for line in text.splitlines())


def help_width(columns: int) -> int:
    """Width to lay help out in, from the terminal's: its own up to 100, and not below 30."""
    return max(min(columns, 100) - 1, _NARROWEST)


def _write_paragraphs(formatter: Any, paragraphs: Iterable[str]) -> None:
    for text in paragraphs:
        formatter.write_paragraph()
        _write_folded(formatter, text, "")


def _write_rows(formatter: Any, heading: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows, col_max=min(30, formatter.width * 2 // 5))


def _write_folded(formatter: Any, text: str, indent: str) -> None:
    lines = textwrap.wrap(  # an --option stays whole
        text, formatter.width, subsequent_indent=indent, break_on_hyphens=False
    )
    formatter.write("\n".join(lines) + "\n")


def _write_examples(formatter: Any, examples: Iterable[str]) -> None:
    lines = list(examples)
    if lines:
        with formatter.section("Examples"):
            for line in lines:
                fits = len(line) + 2 <= formatter.width
                pieces = [line] if fits else shell_lines(line, formatter.width - 8)
                formatter.write("  " + " \\\n      ".join(pieces) + "\n")


def shell_lines(command: str, width: int) -> list[str]:
    """A command in pieces of at most *width*, as far as words in quotes stay whole.

    Joined with a backslash at the end of each line they can be pasted into a shell.
    """
    lines: list[str] = []
    for word in re.findall(r"(?:'[^']*'|\"[^\"]*\"|\S)+", command):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
