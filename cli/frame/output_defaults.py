"""Defaults of `-o`, `--columns` and `--wide` that the settings have for a command."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mqtriage.cli.frame.options import Output
from mqtriage.cli.frame.tree import COMMANDS, GROUPS
from mqtriage.commands.context.files import ContextFile, OutputDefaults
from mqtriage.model.output_forms import MD, PLAIN, TABLE
from mqtriage.mq.errors import UsageError

_FOR_PEOPLE: Final = frozenset({TABLE, PLAIN, MD})


def with_defaults(output: Output, command: str, files: Iterable[ContextFile]) -> Output:
    """*output* with what the first file that knows *command* says where no option does.

    Columns are for people: who asks for another form than these with `-o` gets all of it.
    """
    defaults = OutputDefaults()
    for file in reversed(list(files)):
        for name in file.outputs:
            known = [
                *COMMANDS,
                *(f"{noun} {verb}" for noun, group in GROUPS.items() for verb in group.verbs),
            ]
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise UsageError(
                    f"{file.path}: output.{name}: no such command{meant}",
                    hint='[output."queue ls"]',
                )
        defaults = file.outputs.get(command, defaults)
    columns, form = output.columns, output.form or defaults.form
    if columns is None and (output.form is None or form in _FOR_PEOPLE):
        columns = defaults.columns
    wide = defaults.wide if output.wide is None else output.wide
    return replace(output, form=form, columns=columns, wide=wide)
