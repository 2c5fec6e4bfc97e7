"""Write MQSC: DEFINE, ALTER and DELETE from values, and whole scripts in one form.

A command that fits in 72 columns stands on one line; a longer one has one parameter a line with
`+` between them, which runmqsc and z/OS read alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from mqtriage.mq.attributes.catalogue import AttributeValue, attribute, quoted, render
from mqtriage.mq.errors import Refused, UsageError
from mqtriage.mq.mqsc.tree import Blank, Command, Comment, Item, Parameter, Script, Unread, Value

_WIDTH: Final = 72
_INDENT: Final = "       "


def define_text(
    kind: str,
    name: str,
    attributes: Mapping[str, AttributeValue],
    *,
    replace: bool = False,
    like: str = "",
) -> str:
    """DEFINE of an object with the named attributes, in MQSC that runmqsc accepts.

    Args:
        kind: "QLOCAL", "QALIAS" ...
        attributes: MQSC keyword to value as MQSC prints it; read-only ones are left out.

    Raises:
        UsageError: A keyword is not an attribute of *kind*.
        Refused: A value has a control character, which would end the command.
    """
    with _named(kind, name):
        parts = [f"LIKE({quoted(like)})"] if like else []
        parts += _settable(kind, attributes)
        if replace:
            parts.append("REPLACE")
        return laid_out(f"DEFINE {kind}({quoted(name)})", parts)


def alter_text(kind: str, name: str, attributes: Mapping[str, AttributeValue]) -> str:
    """ALTER of the named attributes; *kind* "QMGR" has no name.

    Raises:
        UsageError: A keyword is not an attribute of *kind*.
        Refused: A value has a control character, which would end the command.
    """
    with _named(kind, name):
        head = "ALTER QMGR" if kind == "QMGR" else f"ALTER {kind}({quoted(name)})"
        return laid_out(head, _settable(kind, attributes))


def delete_text(kind: str, name: str, *, purge: bool = False) -> str:
    """DELETE of an object; *purge* is for local queues that hold messages."""
    with _named(kind, name):
        return laid_out(f"DELETE {kind}({quoted(name)})", ["PURGE"] if purge else [])


@contextmanager
def _named(kind: str, name: str) -> Iterator[None]:
    """Say of which object a value is that cannot be written."""
    try:
        yield
    except Refused as error:
        text = f"{kind} {name!r}: {error}".replace("QMGR ''", "QMGR")
        hint = "give the attribute another value, by ALTER or in MQ Explorer, and try again"
        raise Refused(text, hint=hint, object_name=name) from None


def format_command(command: Command) -> str:
    """One command in full words, without its comments."""
    if command.error is not None:
        raise UsageError(str(command.error))
    return laid_out(_head(command), [parameter_text(p) for p in _ordered(command)])


def one_line(command: Command) -> str:
    """One command in full words on one line, as the escape command of PCF wants it."""
    if command.error is not None:
        raise UsageError(str(command.error))
    return " ".join([_head(command), *(parameter_text(p) for p in _ordered(command))])


def _ordered(command: Command) -> list[Parameter]:
    """The parameters in their order, but CHLTYPE first, where IBM MQ wants it."""
    is_channel = command.noun == "CHANNEL" and command.verb in ("DEFINE", "ALTER")
    return sorted(command.parameters, key=lambda p: not (is_channel and p.keyword == "CHLTYPE"))


def format_script(script: Script) -> str:
    """The whole script in one form; comments and blank lines stay where they are.

    A wrong command stays as it is, and so do those that share its line.
    """
    parts: list[str] = []
    sharing: list[Command] = []  # commands that semicolons part on one line
    for item in script.items:
        if not isinstance(item, Command):
            parts.append(_item_text(script, item))
            continue
        sharing.append(item)
        if item.more:
            continue
        wrong = any(command.error for command in sharing)
        parts += [script.raw(c) if wrong else _item_text(script, c) for c in sharing]
        sharing = []
    return "".join(parts)


def parameter_text(parameter: Parameter) -> str:
    """``KEYWORD(value,...)`` with the quotes that stood there; blanks in ``WHERE(A GT 0)``."""
    if parameter.values is None:
        return parameter.keyword
    sign = " " if parameter.keyword == "WHERE" else ","
    return f"{parameter.keyword}({sign.join(value_text(value) for value in parameter.values)})"


def value_text(value: Value) -> str:
    """One value; unquoted text needs no quotes, it was read without them."""
    return "'" + value.text.replace("'", "''") + "'" if value.quoted else value.text


def _settable(kind: str, attributes: Mapping[str, AttributeValue]) -> list[str]:
    parts = []
    for keyword, value in attributes.items():
        entry = attribute(kind, keyword)
        if entry is None:
            raise UsageError(f"{keyword} is not an attribute of {kind}")
        if not entry.read_only:
            parts.append(render(entry, value))
    return parts


def _head(command: Command) -> str:
    head = f"{command.verb} {command.noun}".rstrip()
    if command.name is None:
        return head
    names = ",".join(value_text(name) for name in (command.name, *command.further_names))
    return f"{head}({names})"


def laid_out(head: str, parts: Iterable[str]) -> str:
    """A command on one line, or on one for each part where that is too long."""
    pieces = [head, *parts]
    line = " ".join(pieces)
    if len(line) <= _WIDTH or len(pieces) == 1:
        return line
    return f" +\n{_INDENT}".join(pieces)


def _item_text(script: Script, item: Item) -> str:
    raw = script.raw(item)
    if isinstance(item, Unread):
        return raw
    ending = "\r\n" if raw.endswith("\r\n") else "\n" if raw.endswith("\n") else ""
    if isinstance(item, Blank):
        return ending
    if isinstance(item, Comment):
        return raw.rstrip(" \t\r\n") + ending
    text = _with_comments(script, item) if item.comments else format_command(item)
    newline = "\r\n" if "\r\n" in raw else "\n"
    # a command cut off by a semicolon has no line end of its own: give it one
    ending = ending or (newline if item.end < len(script.text) else "")
    return text.replace("\n", newline) + ending


def _with_comments(script: Script, command: Command) -> str:
    """A continued command, each comment line before the parameter that it stood before.

    Comments behind the last parameter are comments of their own: nothing goes on behind them.
    """
    last = command.parameters[-1].start if command.parameters else 0
    inside = [span for span in command.comments if span[0] < last]
    behind = [_comment(script, span) for span in command.comments if span[0] >= last]
    if not inside:
        return "\n".join([format_command(command), *behind])
    before: dict[Parameter, list[str]] = {}
    for parameter in command.parameters:
        while inside and inside[0][0] < parameter.start:
            before.setdefault(parameter, []).append(_comment(script, inside.pop(0)))
    lines = [f"{_head(command)} +"]
    ordered = _ordered(command)
    for parameter in ordered:
        lines += before.get(parameter, ())
        goes_on = "" if parameter is ordered[-1] else " +"
        lines.append(f"{_INDENT}{parameter_text(parameter)}{goes_on}")
    return "\n".join([*lines, *behind])


def _comment(script: Script, span: tuple[int, int]) -> str:
    return script.text[span[0] : span[1]].rstrip(" \t\r\n")
