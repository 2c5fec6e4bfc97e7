"""typer's options and arguments, made straight of the vocabulary of `model/options.py`.

Their values are read here and not by typer, whose way to do it changes from release to release:
0.29 asks pydantic, whose import takes as many instructions as typer's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING
from inspect import signature
from os.path import isfile
from typing import Any, Final

from typer.core import TyperArgument, TyperOption

from mqtriage.cli.frame.verb import CommandParameter
from mqtriage.model.options import Kind
from mqtriage.model.shell_words import shell_word
from mqtriage.mq.errors import UsageError

_NUMBERS: Final[dict[Kind, tuple[type, str]]] = {
    "number": (int, "a whole number"),
    "decimal": (float, "a number"),
}
_FLAGS: Final = ("flag", "pair")
_MANY: Final = ("single", "repeated", "comma_list")
_UNTYPED: Final[dict[str, Any]] = (
    {"type_descriptor": None} if "type_descriptor" in signature(TyperOption).parameters else {}
)
"""What typer 0.29 requires; only what is overridden here reads it."""


_MAY_BE_EMPTY: Final = ("[BODY]", "COMMAND")
"""Arguments that are data, or words of another program; all others name something."""


def _file_in(values: Iterable[Any]) -> str:
    """The first value that names a file, for a command line; "" where none does."""
    files = (shell_word(value) for value in values if isinstance(value, str) and isfile(value))
    return next(files, "")


class _OfVocabulary:
    """What options and arguments share: reading a value, and a line of help."""

    parameter: CommandParameter

    def process_value(self, ctx: Any, value: Any) -> Any:
        """What was given, read."""
        param: Any = self
        if param.required and value in (None, (), []):
            words, opt = self.parameter.words, self.parameter.opt
            needed = f"{words[-1]} {opt.metavar or ''}: {opt.help}" if words else usage_line(ctx)
            if words and opt.completes == "file" and (file := _file_in(ctx.params.values())):
                needed = f"{ctx.command_path} {words[0]} {file}"
            raise UsageError(f"Missing {param.param_type_name} {self._hint()}.", hint=needed)
        if param.param_type_name == "argument" and param.metavar not in _MAY_BE_EMPTY:
            self._refuse_empty(value)
        if isinstance(value, str) and self.parameter.opt.kind in _NUMBERS:
            value = self._read_number(value)
        return value if param.callback is None else param.callback(ctx, param, value)

    def _refuse_empty(self, value: Any) -> None:
        """An empty name is what a script's variable was without a value; it must not mean all."""
        if "" in (value if isinstance(value, tuple | list) else (value,)):
            raise UsageError(f"Invalid value for {self._hint()}: it is empty.")

    def _read_number(self, text: str) -> float:
        number, name = _NUMBERS[self.parameter.opt.kind]
        wrong = f"Invalid value for {self._hint()}: "
        try:
            value: float = number(text)
        except ValueError:
            raise UsageError(f"{wrong}{text!r} is not {name}.") from None
        low, high = self.parameter.opt.minimum, self.parameter.opt.maximum
        if (low is not None and not low <= value) or (high is not None and not value <= high):
            raise UsageError(f"{wrong}{value} is not in the range {self._range()}.")
        return value

    def _hint(self) -> str:
        words = self.parameter.words or (self.parameter.opt.metavar or self.parameter.name,)
        return " / ".join(f"'{word}'" for word in words)

    def _range(self) -> str:
        low, high = self.parameter.opt.minimum, self.parameter.opt.maximum
        if high is None:
            return f"x>={low}"
        return f"x<={high}" if low is None else f"{low}<=x<={high}"

    def get_help_record(self, _ctx: Any) -> tuple[str, str] | None:
        """Its words, and its help with default, range and whether it must be given."""
        param: Any = self
        if param.hidden:
            return None
        opt = self.parameter.opt
        names = [", ".join(words) for words in (param.opts, param.secondary_opts) if words]
        words = " / ".join(names) if self.parameter.words else str(opt.metavar or param.name)
        if self.parameter.words and opt.kind not in _FLAGS:
            words += f" {opt.metavar}"
        notes = []
        if param.show_default and param.default not in (None, ""):
            notes.append(f"default: {param.default}")
        if opt.kind in _NUMBERS and (opt.minimum is not None or opt.maximum is not None):
            notes.append(self._range())
        if param.required:
            notes.append("required")
        return words, f"{opt.help}  [{'; '.join(notes)}]" if notes else opt.help


class VerbOption(_OfVocabulary, TyperOption):
    """An option of a command."""

    def __init__(
        self,
        parameter: CommandParameter,
        *,
        hidden: bool = False,
        callback: Callable[..., None] | None = None,
    ) -> None:
        """Make typer's option.

        Args:
            hidden: the help of the command leaves it out.
            callback: called when it is given, before anything else is done; no value is kept.
        """
        self.parameter = parameter
        opt = parameter.opt
        super().__init__(
            param_decls=[parameter.name, *parameter.words],
            required=parameter.default is MISSING,
            default=_default(parameter),
            metavar=opt.metavar,
            is_flag=opt.kind in _FLAGS or None,
            multiple=opt.kind in _MANY,
            help=opt.help,
            show_default=opt.show_default and opt.kind in ("text", "number", "decimal"),
            hidden=hidden,
            callback=callback,
            is_eager=callback is not None,
            expose_value=callback is None,
            rich_help_panel=parameter.heading or None,
            **_UNTYPED,
        )


class VerbArgument(_OfVocabulary, TyperArgument):
    """An argument of a command."""

    def __init__(self, parameter: CommandParameter) -> None:
        self.parameter = parameter
        opt = parameter.opt
        super().__init__(
            param_decls=[parameter.name],
            required=parameter.default is MISSING,
            default=_default(parameter),
            metavar=opt.metavar,
            nargs=-1 if opt.kind == "arguments" else None,
            help=opt.help,
            show_default=opt.show_default,
            **_UNTYPED,
        )


def see_help(command_path: str) -> str:
    """The hint that ends every wrong use of a command."""
    return f"see {command_path} --help"


def usage_line(ctx: Any) -> str:
    """How a command is written: ``mqtriage msg move [OPTIONS] FROM TO``."""
    pieces = ctx.command.collect_usage_pieces(ctx)
    return f"usage: {ctx.command_path} {' '.join(pieces)}; {see_help(ctx.command_path)}"


def _default(parameter: CommandParameter) -> Any:
    return None if parameter.default in (MISSING, ()) else parameter.default


def params_of(parameters: Iterable[CommandParameter], *, shows_all: bool = False) -> list[Any]:
    """The params of a command.

    Args:
        shows_all: help has those too that are for few.
    """
    return [
        VerbOption(parameter, hidden=parameter.opt.advanced and not shows_all)
        if parameter.words
        else VerbArgument(parameter)
        for parameter in parameters
    ]
