"""ResultOutput: how the result of a command is written, to standard output."""

from __future__ import annotations

import io
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TextIO, cast

from mqtriage.cli.frame.console import WIDEST, CommandRun, terminal_width
from mqtriage.cli.frame.exit_codes import ExitCode
from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.target import Target
from mqtriage.model.output_forms import FOR_SCRIPTS, FORMS, IDS, MQSC, PLAIN, TABLE
from mqtriage.model.units import count_text
from mqtriage.mq.errors import StorageError, UsageError

if TYPE_CHECKING:
    from mqtriage.formatters.style import Style
    from mqtriage.model.result import Field, Result


_MANY: Final = 5
"""Records of several queue managers behind which an error before them is said again."""


class ResultOutput:
    """Standard output: which form, how wide, and the writing.

    Attributes:
        stdout: the stream.
    """

    def __init__(self, stdout: TextIO, run: CommandRun, target: Target) -> None:
        self.stdout = stdout
        self._run = run
        self._target = target

    @property
    def options(self) -> Output:
        """The output options in force."""
        return self._run.options

    @options.setter
    def options(self, options: Output) -> None:
        self._run.options = options

    @property
    def width(self) -> int:
        """Columns of the terminal; COLUMNS wins."""
        is_tty = self._run.terminals.stdout
        return terminal_width(self._run.environ, self.stdout if is_tty else self._run.stderr)

    @property
    def form(self) -> str:
        """The output form: as asked, else by whether standard output is a terminal."""
        if self.options.form is not None:
            return self.options.form
        return TABLE if self._run.terminals.stdout else PLAIN

    def use_form(self, report: str, own: Sequence[str]) -> None:
        """Take ``--format REPORT``: one of *own*, which the command writes, or one of `-o`."""
        if report in own:
            return
        if report not in FORMS:
            raise UsageError(f"--format {report!r}: {', '.join((*own, *FORMS))}")
        self.options = replace(self.options, form=report)

    def refuse_forms(self, *forms: str) -> None:
        """Refuse `-o` with one of *forms*, ``ids`` or ``mqsc``, before anything is done."""
        if self.form in forms:
            from mqtriage.formatters.style import unfit

            raise unfit(self.form)

    def style(self, *, limit: int | None = None) -> Style:
        """Everything a formatter needs to know."""
        from mqtriage.formatters.style import Style

        column, descending = self.options.sort_key
        # what goes into a pipe or a file is not cut, `-o table` neither
        is_narrow = self._run.terminals.stdout or self._run.environ.get("COLUMNS")
        return Style(
            form=self.form,
            columns=self.options.column_keys,
            sort=column,
            descending=descending,
            limit=limit,
            header=not self.options.no_header,
            raw_csv=self.options.raw_csv,
            wide=bool(self.options.wide),
            utc=self.options.utc is not False,
            width=self.width if is_narrow else WIDEST,
            colour=self._run.wants_colour(is_tty=self._run.terminals.stdout),
            context=self._target.label()[0] or None,
            queue_manager=None
            if len(self._target.connections) > 1
            else self._target.queue_manager
            or self._target.connection.qmgr
            or self._run.environ.get("MQTRIAGE_QMGR")
            or None,
            at_us=time.time_ns() // 1000 if self._target.now_us is None else self._target.now_us,
            is_tty=self._run.terminals.stdout,
        )

    def emit_text(self, kind: str, about: Mapping[str, str], key: str, text: str) -> None:
        """Write *text* as it is, or as *key* of a document in the form that was asked for."""
        if self.form in {TABLE, PLAIN}:
            self.page(text)
            return
        from mqtriage.model.result import Document

        self.refuse_forms(IDS, MQSC)
        self.emit(Document(kind, {**about, key: text}))

    @contextmanager
    def paged(self) -> Iterator[TextIO]:
        """Standard output for something that can be long: on a terminal through a pager."""
        if not self._run.terminals.stdout or self._run.environ.get("TERM") in {None, "dumb"}:
            yield self.stdout
            return
        from mqtriage.cli.frame.pager import missing_program, paged, pager_of

        command = pager_of(self._run.environ)
        if command and (program := missing_program(command)):
            self._run.warn_once(
                f"MQTRIAGE_PAGER, PAGER: {program} does not exist; the output is not paged"
            )
            command = ""
        if not command:
            yield self.stdout
            return
        self.stdout.flush()
        with paged(command, self.stdout.encoding or "utf-8", self._run.environ) as stream:
            yield cast("TextIO", stream)

    def page(self, text: str) -> None:
        """Write a text that can be long."""
        with self.paged() as stream:
            stream.write(text)

    def emit_done(self, done: Result) -> None:
        """Show what an operation has done; with --quiet only where a form was asked for."""
        if self.options.form is not None or not self.options.quiet:
            self.emit(done)

    def emit(
        self,
        result: Result,
        *,
        limit: int | None = None,
        shown: Collection[str] = (),
        again: bool = False,
        empty: str = "nothing to list",
    ) -> None:
        """Write *result* to standard output as asked, tell its warnings, note the exit code.

        Args:
            limit: `--limit`, where the command has it: sorting then keeps that many records.
            shown: warnings that were shown before, with the plan.
            again: it is one of several, one after the other: no pager.
            empty: said to people at a terminal instead of a listing without records; "" where
                the command itself says more.
        """
        from mqtriage.cli.frame.commands_in_results import name_in_result
        from mqtriage.formatters.forms.select import write
        from mqtriage.model.result import Document, Listing, Report

        name_in_result(result, self._run.in_commands)
        result.warnings += [one for one in self._run.failures if one not in result.warnings]
        if isinstance(result, Report):
            # noted before it is printed: a closed pipe does not change what was done
            self._run.note(self._run.outcome_for(result, None))
            self._run.carried_out = result.op if result.changed else None
        if isinstance(result, Listing) and self.form in FOR_SCRIPTS:
            self.name_keys(result.fields)
        is_short = again or isinstance(result, Report)
        is_whole = isinstance(result, Document)  # its warnings are known: they stand above it
        if is_whole:
            self._tell_warnings(result, shown)
        with nullcontext(self.stdout) if is_short else self.paged() as stream:
            written = write(result, self.style(limit=limit), stream)
        self.stdout.flush()
        self._run.say_by_the_way()
        if not is_whole:
            self._tell_warnings(result, shown)
        are_many = max(written or 0, self._run.asked) >= _MANY
        is_hidden = self._run.failures and self.form in (TABLE, PLAIN) and are_many
        self._run.failures.clear()
        if isinstance(result, Listing):
            is_empty = not (written or again)
            if self.form == TABLE and self._run.terminals.stdout and is_empty and empty:
                self._run.say(empty)
            if result.left_out:
                columns = ", ".join(result.left_out)
                fit = "does not fit" if len(result.left_out) == 1 else "do not fit"
                self._run.remark(f"{columns} {fit} in {self.width} columns; --wide shows all")
            is_chosen = self.options.wide or self.options.columns
            if result.hidden and self.form in (TABLE, PLAIN) and not is_chosen:
                more = count_text(result.hidden, "more column")
                self._run.remark(f"{more} with --wide")
            self._run.note(self._run.outcome_for(result, written))
        if is_hidden:
            self._run.say_missing()

    def _tell_warnings(self, result: Result, shown: Collection[str]) -> None:
        """Write the warnings of *result* that were not shown before."""
        from mqtriage.model.result import Report

        partly = isinstance(result, Report) and self._run.outcome is ExitCode.PARTLY_DONE
        for warning in result.warnings:
            if warning not in (*shown, *self._run.failures):
                self._run.warn(warning, always=partly and self.form not in FOR_SCRIPTS)

    def name_keys(self, fields: Sequence[Field]) -> None:
        """Say which of `--columns` have another key, since jq prints null for the heading."""
        if not self.options.columns:
            return
        from mqtriage.formatters.forms.rows import other_keys

        if others := other_keys(fields, self.options.column_keys):
            keys = ", ".join(f"{name} is {key}" for name, key in others)
            self._run.remark_once(f"these --columns have other keys in -o {self.form}: {keys}")

    @contextmanager
    def writing_to(self, name: str | None) -> Iterator[None]:
        """Have standard output in a file, whole when the block ends well; None changes nothing.

        Raises:
            StorageError: It cannot be written; it then is as it was.
        """
        if name is None:
            yield
            return
        from pathlib import Path

        from mqtriage.files.durable import write_whole

        stdout, terminals = self.stdout, self._run.terminals
        self.stdout, self._run.terminals = io.StringIO(), terminals._replace(stdout=False)
        try:
            yield
            text = self.stdout.getvalue()
        finally:
            self.stdout, self._run.terminals = stdout, terminals
        try:
            write_whole(Path(name), text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            raise StorageError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
