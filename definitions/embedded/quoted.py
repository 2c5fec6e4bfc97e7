"""MQSC in quotes: scalars of YAML and words of a shell, read as text of the same length.

What quotes and escapes add becomes blanks, an escaped line end becomes the semicolon that ends a
command, and a line end that YAML folds becomes a continuation: each command keeps its line and
column, but for a column where a folded line has no room for its sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

_LINE_END: Final = "\0"
"""Stands in for the backslash of an escaped line end."""
_FOLDED: Final = "\1"
"""Stands in for a line end that YAML reads as a blank."""
_BLANK: Final = f" \t\r{_FOLDED}"
_PLAIN: Final = {ord(sign): " " for sign in (_LINE_END, _FOLDED)}
_ENDS: Final = re.compile(f"([{_LINE_END}\n])")
_LEAVING: Final = re.compile(r"(?:end|quit|exit)[ ]*;?", re.IGNORECASE)
_WORDS_END: Final = "|;&><)\n"
_WHITE: Final = {"n": _LINE_END + " ", "t": "  ", "r": "  ", " ": "  "}
_QUOTED_QUOTE: Final = re.compile(r"""'\\''|'"'"'""")
"""How a shell is given a single quote inside single quotes."""
_QUOTE_INSIDE: Final = re.compile(r"'\\''|'\\'|\\''")
"""The same inside double quotes that are in single quotes themselves, as of `su -c`."""
_CODE_POINT: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")


def shell_words(
    text: str, at: int, stop: int, *, are_lines: bool = False, is_inside: bool = False
) -> tuple[str, int] | None:
    """The words of an echo from *at* on, up to what ends its arguments.

    A quote behind a backslash is one inside the quotes of a `bash -c`.

    Args:
        are_lines: each word is a line of its own, as of printf '%s\\n'.
        is_inside: all of it is in single quotes.

    Returns:
        Their MQSC and where they end; None where a quote is never closed.
    """
    out: list[str] = []
    joined: list[int] = []
    quote, opens, depth = "", True, 0
    while at < stop:
        sign, pair = text[at], text[at : at + 2]
        token, new = sign, sign.translate(_PLAIN)
        if not quote and sign in "()":
            depth += 1 if sign == "(" else -1  # of cmd.exe, which takes them for signs
        if is_inside and quote == '"' and (escape := _QUOTE_INSIDE.match(text, at)):
            token, new, opens = escape[0], _one_quote(len(escape[0]), opens=opens), not opens
        elif quote != "'" and pair == '\\"' and quote != '"':
            token, new, quote = pair, "  ", "" if quote else pair
        elif sign == "\\" and pair[1:] in ("n", "t", "r"):
            token, new = pair, _WHITE[pair[1]]
        elif quote == "'" and (escape := _QUOTED_QUOTE.match(text, at)):
            token, new, opens = escape[0], _one_quote(len(escape[0]), opens=opens), not opens
        elif not quote and pair == "$'":
            token, new, quote = pair, "  ", "'"
        elif are_lines and not quote and sign in " \t":
            new = _LINE_END
        elif pair == "\\\n" and quote != "'":
            line = takewhile(lambda part: "\n" not in part, reversed(out))
            token, new = pair, "-\n" if any(part.strip() for part in line) else " \n"
            joined += [] if quote else [len(out)]
        elif sign == "\\" and quote != "'" and len(pair) == 2:
            token, new = pair, " " + pair[1]
        elif sign == quote or (not quote and sign in "'\""):
            new, quote = " ", "" if quote else sign
        elif not quote and sign in _WORDS_END and (sign != ")" or depth < 0):
            break
        elif sign == "'":
            opens = not opens
        out.append(new)
        at += len(token)
    for place in joined:
        if not "".join(out[place + 1 :]).strip():
            out[place] = " \n"  # what follows is no word, but a pipe
    mqsc = None if quote else _in_commands("".join(out))
    return None if mqsc is None else (mqsc, at)


def _one_quote(length: int, *, opens: bool) -> str:
    """A single quote with its blanks outside of the text that it opens or closes."""
    return "'".rjust(length) if opens else "'".ljust(length)


def yaml_quoted(text: str, at: int, stop: int) -> tuple[str, int] | None:
    """The scalar whose quote is at *at*: its MQSC, from that quote on, and where it ends.

    Returns:
        None where it never ends, or has an escape for which there is no letter. What an escape is
        longer than its letter are blanks behind it, outside of the strings of MQSC.
    """
    quote, opens = text[at], True
    owed, is_string = 0, False
    out, at = [" "], at + 1
    while at < stop:
        sign, pair = text[at], text[at : at + 2]
        token, new = sign, sign.translate(_PLAIN)
        if quote == '"' and sign == "\\":
            if pair == "\\\n":
                new = " "  # the line end behind it is folded
            elif pair[1:] in _WHITE or pair == '\\"':
                token, new = pair, _WHITE.get(pair[1], ' "')
            elif pair in ("\\\\", "\\/"):
                token, new = pair, pair[1]
            elif (letter := _letter(text, at)) is not None:
                token, new = letter
            else:
                return None
        elif quote == "'" and pair == "''":
            token, new, opens = pair, _one_quote(2, opens=opens), not opens
        elif sign == quote:
            folded = _folded(("".join(out) + " " * owed).split("\n"))
            mqsc = _in_commands(folded)
            return None if mqsc is None else (mqsc, at)
        is_string ^= sign == "'"
        owed += len(token) - len(new)
        if not is_string and (new.isspace() or new.startswith(_LINE_END)):
            new, owed = " " * owed + new, 0
        out.append(new)
        at += len(token)
    return None


def _letter(text: str, at: int) -> tuple[str, str] | None:
    """An escape of a code point and the letter that it means; None where it is none."""
    escape = _CODE_POINT.match(text, at)
    number = int(next(filter(None, escape.groups())), 16) if escape else 0
    letter = chr(number) if number <= 0x10FFFF else ""
    return (escape[0], letter) if escape and letter.isprintable() else None


def yaml_folded(lines: Sequence[str], indent: str = "") -> str | None:
    """The MQSC of a folded block scalar, or of a plain one; its lines end with their line ends.

    Args:
        indent: of the block; lines that are further in are not folded.
    """
    return _in_commands(_folded("".join(lines).translate(_PLAIN).split("\n"), indent))


def _folded(lines: Sequence[str], indent: str | None = None) -> str:
    """Lines put together: a line end between two that are not blank is folded."""
    parts: list[str] = []
    for line, after in zip(lines, (*lines[1:], ""), strict=True):
        further = indent is not None and (
            line[len(indent) :][:1] == " " or after[len(indent) :][:1] == " "
        )
        is_folded = line.strip() and after.strip() and not further
        parts += (line, _FOLDED if is_folded else "\n")
    return "".join(parts[:-1])


def _in_commands(text: str) -> str | None:
    """The text with the line ends of MQSC; None where a folded line has no room for a sign."""
    parts = _ENDS.split(text)
    last = max((n for n in range(0, len(parts), 2) if parts[n].strip(_BLANK)), default=0)
    out: list[str] = []
    is_over = False
    for number in range(0, len(parts), 2):
        line = parts[number]
        end = parts[number + 1] if number + 1 < len(parts) else ""
        escaped = _LINE_END in (end, parts[number - 1] if number else "")
        words = line.strip(_BLANK)
        is_over = is_over or (escaped and _LEAVING.fullmatch(words) is not None)
        if is_over or (escaped and words.startswith("*")):
            line, words = re.sub(f"[^{_FOLDED}]", " ", line), ""
        if end == _LINE_END:
            goes_on = words[-1:] in ("+", "-") and words != ""
            if goes_on:
                at = len(line.rstrip(_BLANK)) - 1
                line = f"{line[:at]} {line[at + 1 :]}"
            end = " " if goes_on or number == last or words[-1:] in ("", ";") else ";"
        out += (line, end)
    return _with_signs("".join(out))


def _with_signs(text: str) -> str | None:
    """The text with `-` at the end of each folded line."""
    lines = re.split(f"([{_FOLDED}\n])", text)
    out = list(_signed(lines))
    return None if None in out else "".join(filter(None, out))


def _signed(lines: Sequence[str]) -> Iterator[str | None]:
    for number in range(0, len(lines), 2):
        line = lines[number]
        end = lines[number + 1] if number + 1 < len(lines) else ""
        words = line.rstrip(_BLANK)
        if end == _FOLDED and words and words[-1] != ";":
            if words != line:
                line = f"{words}-{line[len(words) + 1 :]}"
            else:
                line = f"{line[1:]}-" if line[0] == " " else ""
        yield line or (None if words else "")
        yield "\n" if end else ""
