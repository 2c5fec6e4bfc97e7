"""The `mqtriage` command: argv in, exit code out, every error reported once.

A reader that goes away (`mqtriage msg browse Q | head -1`) ends the run quietly with exit 0, or
with the outcome of the act whose report was being written: scripts with `set -o pipefail` go on,
and an act that was only partly done still says so.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, Final, NoReturn

from mqtriage.cli.frame.context import AppContext
from mqtriage.cli.frame.exit_codes import ExitCode, outcome_of
from mqtriage.cli.frame.former import as_today
from mqtriage.cli.frame.signals import Stopped, handling
from mqtriage.cli.frame.tree import COMMANDS, GROUPS, habits, verb_of
from mqtriage.model.output_forms import FOR_SCRIPTS
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import (
    Interrupted,
    MQIError,
    MQTriageError,
    NotFound,
    ObjectNotFound,
    StorageError,
    UsageError,
)

PROGRAM: Final = "mqtriage"
COMPLETE: Final = "__complete"
"""What the completion scripts of shells call; see cli/frame/completion.py."""
_LONGEST_TEXT = 200
_REPORTS: Final = (f"{PROGRAM} check ", f"{PROGRAM} lint")
"""Their --format takes the forms of -o too; that of other commands is about files."""
_OF_A_QUEUE: Final = tuple(
    f"{PROGRAM} {verb}"
    for verb in (
        "msg browse", "msg count", "msg show", "backout browse", "backout causes",
        "backout explain", "dlq browse", "dlq causes", "expiry browse", "expiry explain",
    )
)  # fmt: skip
"""Reading verbs that a file is given to where they take a queue."""
_UNKNOWN = 3
"""What a monitoring plugin ends with when it cannot tell, wrong usage included."""


def run() -> NoReturn:
    """Run the console command and leave with its exit code."""
    code = main()
    gc.freeze()  # all that is left goes with the process: no circle in it is looked for
    if _threads_left():
        _leave(code)
    sys.exit(code)


def _threads_left() -> bool:
    """Whether all threads that still run are ones that nobody waits for, and there are some."""
    threading: Any = sys.modules.get("threading")  # without it there are none
    if threading is None:
        return False
    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    return bool(others) and all(one.daemon for one in others)


def _leave(code: int) -> NoReturn:
    """End the process while threads run, such as those of a check that reached its time limit.

    An interpreter that is taken down under a thread in SQLite or in MQ's client can crash.
    """
    # as sys.exit does, which has no public name for it: Spark ends its Java there
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader is gone, or it is closed
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None, app: AppContext | None = None) -> int:
    """Run one command line; never raises.

    Args:
        argv: arguments without the program's name; the process's own when None.
        app: streams and environment; the process's own when None.

    Returns:
        The exit code; `cli/frame/exit_codes.py` has the table.
    """
    args = as_today(sys.argv[1:] if argv is None else argv)
    here = AppContext.from_process() if app is None else app
    here.run.arguments = args
    code = None
    try:
        with handling(_stop, signal.SIGTERM):
            if not args:
                from mqtriage.cli.frame.welcome import welcome

                here.bind(None, None)
                here.output.stdout.write(welcome(here))
            elif args[0] == COMPLETE:
                from mqtriage.cli.frame.completion import answer

                answer(here, args[1:])
            else:
                code = _invoke(here, args)
            here.run.say_by_the_way()
            here.output.stdout.flush()
        return int(here.run.outcome) if code is None else code
    except BaseException as error:
        return int(_report(here, args, error))


def _invoke(app: AppContext, args: Sequence[str]) -> int | None:
    """Run a command; the exit code of one that chose it, as --help does and `emulator run`."""
    import typer

    from mqtriage.cli.frame.lazy import help_width, program

    root = program()
    words = list(args)  # a copy: the parser eats its list
    try:
        with root.make_context(
            PROGRAM, words, obj=app, terminal_width=help_width(app.output.width)
        ) as ctx:
            root.invoke(ctx)
    except typer.Exit as leaving:
        return leaving.exit_code
    return None


def _stop(signum: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped(signum)


def _report(app: AppContext, args: Sequence[str], error: BaseException) -> ExitCode:
    """Report *error* on standard error, as people or as scripts want it, and choose the code."""
    import typer

    if isinstance(error.__context__, KeyboardInterrupt) and not isinstance(error, MQTriageError):
        error = error.__context__  # what fails on the way out of a signal is the signal's doing
    if isinstance(error, BrokenPipeError):
        _discard_stdout(app)
        return app.run.outcome if app.run.outcome is not ExitCode.OK else outcome_of(error)
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _report_signal(app, asked_form(args), error)
    if isinstance(error, OSError) and not isinstance(error, MQTriageError):
        # a full disk behind standard output would be told a second time at exit
        _discard_stdout(app)
    from mqtriage.formatters.errors import error_json, error_text

    ours = as_ours(error, args, debug=bool(app.run.environ.get("MQTRIAGE_DEBUG")))
    if isinstance(error, OSError) and app.run.carried_out:
        _say_carried_out(ours, app.run.carried_out)
    if isinstance(ours, MQIError):
        from mqtriage.mq.code_texts import hint_of

        ours.hint = hint_of(ours)
    if isinstance(ours, ObjectNotFound):
        ours.text = ours.whole_text()
    if "," in ours.text and isinstance(ours, UsageError | NotFound):
        from mqtriage.cli.frame.listed_values import repeat_hint

        _, _, path = command_of(args).partition(" ")
        noun, _, verb = path.partition(" ")
        ours.hint = repeat_hint(noun, verb, args, ours.text) or ours.hint
    if ours.hint and was_done(ours.hint, args):
        ours.hint = None
    if ours.hint:
        ours.hint = app.run.in_commands(ours.hint)
    if file := _file_for_queue(ours, args):
        ours.hint = f"{PROGRAM} archive ls {shell_word(file)}{_group_words(args)}"
    if not isinstance(ours, UsageError):
        app.run.say_by_the_way()
    code = outcome_of(ours)
    if command_of(args).startswith(f"{PROGRAM} check"):  # codes of monitoring plugins
        code = code if code is ExitCode.REFUSED else ExitCode(_UNKNOWN)
        if asked_form(args) == "nagios":  # a monitor reads standard output alone
            head = f"MQ {command_of(args).split()[-1].upper()} UNKNOWN"
            app.output.stdout.write(f"{head} - {_one_line(ours.text).replace('|', '/')}\n")
        elif asked_form(args) == "prometheus":  # an empty file would end the series
            status = "mqtriage_check_status"
            labels = f'check="{command_of(args).split()[-1]}"'
            app.output.stdout.write(f"# TYPE {status} gauge\n{status}{{{labels}}} {_UNKNOWN}\n")
    form = asked_form(args) or app.run.chosen_form
    if form in FOR_SCRIPTS:  # a line of JSON is YAML too
        app.run.tell(error_json(ours, int(code)))
    else:
        for line in error_text(ours, colour=app.run.colour_stderr).splitlines():
            app.run.tell(app.run.folded(line))
    if ours.__cause__ is error and app.run.environ.get("MQTRIAGE_DEBUG"):
        import traceback

        app.run.tell("".join(traceback.format_exception(error)))
    return code


def _report_signal(app: AppContext, form: str | None, error: BaseException) -> ExitCode:
    """Say that a signal ended the command, which people see as no error."""
    signum = getattr(error, "signum", None)
    code = outcome_of(KeyboardInterrupt(), signal=signum)
    text = "terminated" if signum == signal.SIGTERM else "interrupted"
    # amid a batch: no report says what was done
    hint = "mqtriage journal ls shows what was done" if getattr(error, "in_journal", False) else ""
    if (form or app.run.chosen_form) in FOR_SCRIPTS:
        from mqtriage.formatters.errors import error_json

        app.run.tell(error_json(Interrupted(text, hint=hint or None), int(code)))
        return code
    app.run.tell(text)
    if hint:
        app.run.say(hint)
    return code


def _file_for_queue(error: MQTriageError, args: Sequence[str]) -> str:
    """The file that was named where messages of a queue are read; "" where none was."""
    name = error.object_name if command_of(args) in _OF_A_QUEUE else ""
    return name if os.path.isfile(name) else ""


def _group_words(args: Sequence[str]) -> str:
    """The fields that messages were to be counted by, as `archive ls` has them."""
    for word, following in zip(args, [*args[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option in ("--by", "--group") and (fields := value if equals else following):
            return f" --group {shell_word(fields)}"
    return ""


def _say_carried_out(error: MQTriageError, op: str) -> None:
    """Only the report could not be written: nobody is to do it once more."""
    error.op = op
    error.text += f"; operation {op} was carried out"
    error.hint = f"{PROGRAM} journal show {op} shows what was done"


def was_done(hint: str, args: Sequence[str]) -> bool:
    """Whether a hint names the command that was just given, or a part of it."""
    program, *words = hint.replace("'", "").split()
    if program != PROGRAM or len(words) < 3:
        return [program, *words] == [PROGRAM, *args]
    rest = iter(args)
    return all(word in rest for word in words)


_NOT_OF_OUTPUT: Final = (errno.EMFILE, errno.ENFILE, errno.ENOLCK, errno.EROFS)
"""What writing to an open stream never fails with."""


def _place_of(error: OSError) -> str:
    """Where a failure happened that names no file: only what writes results writes them out."""
    from traceback import walk_tb

    room = ""
    for frame, _ in walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        room = name if name.startswith("mqtriage.") else room
    writes = room.startswith(("mqtriage.cli.", "mqtriage.formatters.")) or not room
    return "standard output" if writes and error.errno not in _NOT_OF_OUTPUT else "a file"


def as_ours(
    error: BaseException, args: Sequence[str] = (), *, debug: bool = False
) -> MQTriageError:
    """Turn any failure into one of ours.

    What is not expected becomes one line without its text: that could hold message data.
    """
    import typer

    from mqtriage.cli.frame.lazy import unknown_option
    from mqtriage.cli.frame.params import see_help, usage_line

    if isinstance(error, UsageError) and error.hint is None:
        error.hint = see_help(command_of(args))
    if isinstance(error, StorageError) and error.hint is None:
        error.hint = "check the path, its permissions, and the free disk space"
    if isinstance(error, MQTriageError):
        return error
    usage_error: Any = typer.BadParameter.__base__  # click's, which typer has no name for
    if isinstance(error, usage_error):
        ctx = getattr(error, "ctx", None)
        path = command_of(args) if ctx is None else ctx.command_path
        unknown = hasattr(error, "possibilities")  # click's error for an option that is not there
        option: Any = getattr(error, "option_name", None) if unknown else None
        if option and (word := _negative(option, args)):
            return UsageError(
                f"{path}: {word}: negative values are not allowed", hint=see_help(path)
            )
        if ctx is not None and option:
            return unknown_option(option, ctx, args)
        text = _one_line(error.format_message())
        if ctx is not None and "unexpected extra argument" in text:
            chosen = any("--msgid" in param.opts for param in ctx.command.params)
            how = "select messages by options, such as --msgid ID" if chosen else ""
            how = habits("extra words").get(path, how)
            return UsageError(text, hint=f"{how}; {usage_line(ctx)}" if how else usage_line(ctx))
        return UsageError(text, hint=see_help(path))
    if isinstance(error, OSError):
        where = os.fsdecode(error.filename) if error.filename else _place_of(error)
        return StorageError(f"{where}: {error.strerror or type(error).__name__}")
    from traceback import walk_tb

    places = [*walk_tb(error.__traceback__)][-1:]  # the innermost
    where = "".join(f" in {f.f_globals.get('__name__', '?')}, line {line}" for f, line in places)
    ours = MQTriageError(
        f"internal error: {type(error).__name__}{where}",
        hint=None if debug else "please report it; MQTRIAGE_DEBUG=1 shows the trace",
    )
    ours.__cause__ = error
    return ours


def _negative(option: str, args: Sequence[str]) -> str:
    """The word of *args* that begins like a negative number and was read as *option*; else ""."""
    if not option[1:2].isdigit():
        return ""
    return next((word for word in args if word.startswith(option)), "")


def asked_form(args: Sequence[str]) -> str | None:
    """The output form that *args* ask for, also where they cannot be understood otherwise."""
    asks = {"-o", "--output"}
    if command_of(args).startswith(_REPORTS):
        asks.add("--format")
    form = None
    for at, here in enumerate(args):
        if here == "--":
            break
        if here in asks:
            form = "".join(args[at + 1 : at + 2])
        elif here.startswith(tuple(f"{ask}=" for ask in asks if len(ask) > 2)):
            form = here.partition("=")[2]
        elif here.startswith("-o") and not here.startswith("--"):
            form = here[2:].removeprefix("=")
    return form


_NAME_FOLLOWS: Final = ("-m", "--qmgr", "--context")


def command_of(args: Sequence[str]) -> str:
    """The command path that *args* name, for errors that do not know it: "mqtriage delay"."""
    # a queue manager may be called like a group: the name behind -m is no command
    words = [word for at, word in enumerate(args) if at == 0 or args[at - 1] not in _NAME_FOLLOWS]
    name = next((word for word in words if word in GROUPS or word in COMMANDS), None)
    if name is None:
        return PROGRAM
    rest = words[words.index(name) + 1 :]
    verb = verb_of(GROUPS[name], rest)[0] if name in GROUPS else ""
    return f"{PROGRAM} {name} {verb}".rstrip()


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TEXT else f"{line[:_LONGEST_TEXT]}..."


def _discard_stdout(app: AppContext) -> None:
    """Send what is still in standard output's buffer nowhere, so that leaving does not fail."""
    if app.output.stdout is not sys.stdout:
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
