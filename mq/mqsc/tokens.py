"""Read one MQSC command whose lines are already joined: verb, object type, name, parameters.

Offsets here are those of the joined text; `mq/mqsc/parse.py` turns them into places in the script.
Everything is one pass: no text is looked at more than a fixed number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from mqtriage.mq.mqsc import verbs as mqsc_verbs
from mqtriage.mq.mqsc.tree import Parameter, Value, new_tuple
from mqtriage.records import NamedTuple

_FIRST_WORD: Final = re.compile(r"[ \t]*+([A-Za-z]++)(?![^ \t\r(;])")
# The group ends in ? and not ?+: in Python 3.11.2, that of Debian 12, a possessive group with
# alternatives moves the position even where it does not match.
_PARAMETER: Final = re.compile(
    r"[ \t\r,]*+([A-Za-z][A-Za-z0-9_]*+)"
    r"(?:[ \t]*+\([ \t]*+(?:([^\s()'\",;$<>{}]++)|'([^']*+(?:''[^']*+)*+)')[ \t]*+\))?"
)
_BARE_NAME: Final = re.compile(r"\w++[ \t]++([\w./%]{1,48}+)(?![\w./%]|[ \t]*\()", re.ASCII)
"""An object type, and a name that is not in parentheses."""
_BLANKS: Final = re.compile(r"[ \t\r]*+")
_SEPARATORS: Final = re.compile(r"[ \t\r,]*+")
_VALUE_PART: Final = re.compile(
    r"([ \t\r\n,]++)|('[^']*+(?:''[^']*+)*+'|\"[^\"]*+\")|([^\s,()'\"]++)|([()])|(['\"]|.)", re.S
)
# $SYS/... are the topics on which queue managers and brokers publish about themselves
_NO_TOPIC: Final = r"(?!SYS(?:/|$))"
_MARKER: Final = re.compile(rf"\{{\{{|\}}\}}|\$\{{|\$\(|\${_NO_TOPIC}[A-Za-z_0-9]|<[A-Za-z]")
MARKERS: Final = rf"\{{\{{.*?\}}\}}|\$\{{.*?\}}|\$\([^)]*\)|\${_NO_TOPIC}[A-Za-z_]\w*"
"""Pattern of the markers of templates and the variables of shells."""
_QUOTED_MARKER: Final = re.compile(MARKERS)

_LIST: Final = re.compile(
    r"\([ \t]*+[A-Za-z0-9_.*%/]++(?:[ \t]*+,[ \t]*+[A-Za-z0-9_.*%/]++)++[ \t]*+\)"
)
"""Several plain values: ``(GET, PUT)``."""
_IN_LIST: Final = re.compile(r"[A-Za-z0-9_.*%/]++")

_UPPER: Final = str.maketrans(ascii_lowercase, ascii_uppercase)
_SHELL: Final = frozenset({
    "runmqsc", "crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq", "dspmqver", "setmqaut", "dmpmqcfg",
    "echo", "export", "sudo", "docker", "kubectl", "oc", "cat", "cd", "sh", "bash",
})  # fmt: skip
_COMMENT_HINT: Final = " (a comment is a line with * in column 1)"
_MAY_BE_EMPTY: Final = "NAMES"
"""The one keyword that IBM's syntax diagrams give empty parentheses: an empty namelist."""
OPEN_QUOTE: Final = "this quote is never closed"
OPEN_PARENTHESIS: Final = "this parenthesis is never closed"


class Fault(NamedTuple):
    """What is wrong, where in the joined text, and what was expected."""

    at: int
    message: str
    expected: str = ""


class Read(NamedTuple):
    """What one command reads as.

    Attributes:
        at: its first word.
        names: the name behind the object type; more than one where the command takes a list.
        stop: where it ends: the end of the text, or behind its semicolon.
    """

    at: int
    verb: str
    noun: str
    names: tuple[Value, ...]
    parameters: list[Parameter]
    stop: int
    fault: Fault | None


def folded(text: str) -> str:
    """Unquoted text in upper case; letters beyond ASCII stay, some have no upper case."""
    return text.upper() if text.isascii() else text.translate(_UPPER)


def marker_in(text: str) -> str:
    """The template marker or shell variable left in a quoted text, "" for none."""
    marker = _QUOTED_MARKER.search(text) if "{{" in text or "$" in text else None
    return marker[0] if marker else ""


def known_verb(text: str, start: int, end: int) -> bool:
    """Whether the text starts with the verb of a command."""
    match = _FIRST_WORD.match(text, start, end)
    return match is not None and match[1].upper() in mqsc_verbs.VERB_BY_WORD


def starts_command(text: str, start: int, end: int) -> bool:
    """Whether a line starts with a verb and an object type that the verb takes."""
    match = _FIRST_WORD.match(text, start, end)
    if match is None:
        return False
    verb = mqsc_verbs.VERB_BY_WORD.get(match[1].upper())
    if verb is None:
        return False
    second = _PARAMETER.match(text, match.end(), end)
    while second is not None and _stands_before_noun(verb, second[1].upper()):
        second = _PARAMETER.match(text, second.end(), end)
    if second is None:
        return False
    return mqsc_verbs.NOUN_BY_WORD.get(second[1].upper()) in mqsc_verbs.VERBS[verb]


def _stands_before_noun(verb: str, keyword: str) -> bool:
    """Whether a keyword may come before the object type: ``DEFINE NOREPLACE QLOCAL('A')``.

    CSQUTIL's MAKEDEF on z/OS writes every command so.
    """
    return verb == "DEFINE" and keyword in ("REPLACE", "NOREPLACE")


def read_command(text: str, start: int, end: int, line: int, line_start: int) -> Read:
    """Read the command that starts at *start*; a fault ends the reading, nothing is raised.

    Args:
        line, line_start: of a command on one line, for the places of its parameters.
    """
    first = _FIRST_WORD.match(text, start, end)
    verb = mqsc_verbs.VERB_BY_WORD.get(first[1].upper(), "") if first else ""
    if first is None or not verb:
        at = _BLANKS.match(text, start, end).end()  # type: ignore[union-attr]
        fault = _unknown_verb(text, at, end)
        return Read(at, "", "", (), [], _after_fault(text, fault, end), fault)
    at, after = first.span(1)
    if verb in mqsc_verbs.LEAVING:
        return _read_leaving(at, verb, text, after, end)
    parameters: list[Parameter] = []
    before = line_start - 1
    wrong, stop = read_parameters(text, after, end, line, before, parameters, with_head=True)
    if not parameters:
        noun_at = _BLANKS.match(text, after, end).end()  # type: ignore[union-attr]
        if wrong is None or wrong.at == noun_at:
            wrong = Fault(noun_at, f"{verb} has no object type", _nouns(verb))
        return Read(at, verb, "", (), [], stop, wrong)
    place = _noun_place(verb, parameters)
    head = parameters[place]
    noun = mqsc_verbs.NOUN_BY_WORD.get(head.keyword, "")
    if noun not in mqsc_verbs.VERBS[verb]:
        expected = _meant(head.keyword, sorted(mqsc_verbs.VERBS[verb])) or _nouns(verb)
        wrong = Fault(head.start, f"{head.keyword[:20]} is not an object type of {verb}", expected)
        return Read(at, verb, "", (), [], stop, wrong)
    names = head.values or ()
    del parameters[place]
    if wrong is None or head.values is None:
        wrong = _head_fault(verb, noun, head, text) or wrong
        if wrong is None and len(parameters) > 1:
            wrong = repeated(verb, noun, parameters)
    return Read(at, verb, noun, names, parameters, stop, wrong)


def _noun_place(verb: str, parameters: list[Parameter]) -> int:
    """Which parameter is the object type: the first but for keywords that may stand before it."""
    last = len(parameters) - 1
    place = 0
    while place < last and _stands_before_noun(verb, parameters[place].keyword):
        place += 1
    return place


def _read_leaving(first: int, verb: str, text: str, after: int, end: int) -> Read:
    at = _BLANKS.match(text, after, end).end()  # type: ignore[union-attr]
    if at >= end:
        return Read(first, verb, "", (), [], end, None)
    if text[at] == ";":
        return Read(first, verb, "", (), [], at + 1, None)
    return Read(first, verb, "", (), [], end, Fault(at, f"{verb} takes nothing after it"))


def read_parameters(
    text: str,
    at: int,
    end: int,
    line: int,
    before: int,
    parameters: list[Parameter],
    *,
    with_head: bool = False,
) -> tuple[Fault | None, int]:
    """Append the parameters from *at* on; return what is wrong and where the command ends.

    Args:
        before: offset before the line's first character: what to take off for the column.
        with_head: the first is the object type, whose empty name is another fault.
    """
    match, new = _PARAMETER.match, new_tuple
    while at < end:
        part = match(text, at, end)
        if part is None:
            at = _SEPARATORS.match(text, at, end).end()  # type: ignore[union-attr]
            if at >= end:
                return None, end
            if text[at] == ";":
                return None, at + 1
            fault = _unexpected(text, at, end)
            return fault, _after_fault(text, fault, end)
        keyword, group, at = part[1].upper(), part.lastindex, part.end()
        start = part.start(1)
        values: tuple[Value, ...] | None
        if group == 2:
            bare = part[2]
            bare = bare.upper() if bare.isascii() else folded(bare)
            values = (new(Value, (bare, False, part.start(2), part.end(2))),)
        elif group == 3:
            inner = part[3]
            if "'" in inner:
                inner = inner.replace("''", "'")
            values = (new(Value, (inner, True, part.start(3) - 1, part.end(3) + 1)),)
        elif at >= end or text[at] not in " \t(":
            values = None
        else:
            values, at, wrong = _read_values(text, at, end)
            is_head = with_head and not parameters
            if wrong is None and values == () and not is_head and keyword != _MAY_BE_EMPTY:
                wrong = Fault(start, f"{keyword[:20]}() has no value; ' ' is blank")
            if wrong is not None:
                return wrong, _after_fault(text, wrong, end)
            if values == ():
                values = (new(Value, ("", False, at - 1, at - 1)),)
        parameters.append(new(Parameter, (keyword, values, start, at, line, start - before)))
    return None, end


def _after_fault(text: str, fault: Fault, end: int) -> int:
    """Where to go on after a fault: at the command behind the next semicolon, or at the end.

    A semicolon in a quote that is never closed parts nothing.
    """
    semicolon = -1 if fault.message == OPEN_QUOTE else text.find(";", fault.at, end)
    if semicolon >= 0 and starts_command(text, semicolon + 1, end):
        return semicolon + 1
    return end


def _read_values(
    text: str, at: int, end: int
) -> tuple[tuple[Value, ...] | None, int, Fault | None]:
    """Read what stands in parentheses behind the keyword that ends at *at*.

    Returns:
        The values, () for empty parentheses, None without any; the place behind; a fault.
    """
    opening = _BLANKS.match(text, at, end).end()  # type: ignore[union-attr]
    if opening >= end or text[opening] != "(":
        return None, at, None
    if plain := _LIST.match(text, opening, end):
        words, new = _IN_LIST.finditer(text, opening, plain.end()), new_tuple
        values = [new(Value, (w[0].upper(), False, w.start(), w.end())) for w in words]
        return tuple(values), plain.end(), None
    values, at, fault = _read_mixed_values(text, opening, end)
    return tuple(values), at, fault


def _read_mixed_values(text: str, opening: int, end: int) -> tuple[list[Value], int, Fault | None]:
    """Read from the opening parenthesis: the values, the place behind the closing one, a fault."""
    values: list[Value] = []
    pieces: list[str] = []  # of a value with parentheses inside: LOCALHOST(1414)
    pieces_at = opening
    depth = 1
    at = opening + 1
    glued = False  # the last part ended a quoted value: only a separator or ")" may follow
    while at < end:
        part = _VALUE_PART.match(text, at, end)
        if part is None:
            break
        group, token, start, at = part.lastindex, part[0], at, part.end()
        if group == 4 and token == "(":
            depth += 1
            pieces.append(token)
            if len(pieces) == 1:
                pieces_at = start
        elif group == 4:
            depth -= 1
            if depth:
                pieces.append(token)
                continue
            if pieces:
                values.append(Value("".join(pieces), False, pieces_at, start))
            return values, at, None
        elif depth > 1:
            pieces.append(folded(token) if group == 3 else token)
        elif group == 1:
            glued = False
            if pieces:
                values.append(Value("".join(pieces), False, pieces_at, start))
                pieces = []
        elif group == 2 and not pieces and not glued:
            inner = token[1:-1].replace("''", "'") if token[0] == "'" else token[1:-1]
            values.append(Value(inner, True, start, at))
            glued = True
        elif group == 3 and not glued:
            marker = _MARKER.search(token)
            if marker:
                return values, end, _marker_fault(token, start + marker.start())
            if not pieces:
                pieces_at = start
            pieces.append(folded(token))
        elif group == 5 and token in "'\"":
            return values, end, Fault(start, OPEN_QUOTE, f"a closing {token}")
        elif group == 5:
            return values, end, Fault(start, f"unexpected {_quote(token)}", "a value")
        else:
            return values, end, Fault(start, f"{_quote(token)} right after a quote", "a comma or )")
    return values, end, Fault(opening, OPEN_PARENTHESIS, ")")


def _head_fault(verb: str, noun: str, head: Parameter, text: str) -> Fault | None:
    """A missing or double name."""
    if noun == "QMGR" and head.values is not None and verb != "RECOVER":
        return Fault(head.start, f"{verb} QMGR takes no name", f"{verb} QMGR")
    if head.values is None:
        if mqsc_verbs.needs_name(verb, noun):
            bare = _BARE_NAME.match(text, head.start)
            if bare and bare[1].upper() not in ("REPLACE", "NOREPLACE"):
                message = f"the name {bare[1]} needs parentheses"
                return Fault(bare.start(1), message, f"{noun}({bare[1]})")
            return Fault(head.start, f"{verb} {noun} has no name", f"{noun}(name)")
        return None
    if len(head.values) > 1 and (verb, noun) not in mqsc_verbs.SEVERAL_NAMES:
        return Fault(head.values[1].start, f"{noun} takes one name", ")")
    if not head.values[0].text.strip() and mqsc_verbs.needs_name(verb, noun):
        return Fault(head.start, f"{verb} {noun} has an empty name", f"{noun}(name)")
    return None


def repeated(verb: str, noun: str, parameters: list[Parameter]) -> Fault | None:
    """IBM MQ 10 "MQSC command syntax": repeated parameters are not allowed.

    A policy is the exception: it has one SIGNER or RECIP for each signer and recipient.
    """
    if verb == "DISPLAY" or noun == "POLICY":
        return None
    if len({p.keyword for p in parameters}) == len(parameters):
        return None
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.keyword in seen:
            return Fault(parameter.start, f"{parameter.keyword} is given twice")
        seen.add(parameter.keyword)
    return None


def _unexpected(text: str, at: int, end: int) -> Fault:
    sign = text[at]
    if sign == "*":
        return Fault(at, "a comment cannot follow a command on its line" + _COMMENT_HINT)
    if sign == ")":
        return Fault(at, "this ) closes nothing", "a parameter")
    marker = _MARKER.match(text, at, min(end, at + 80))
    if marker:
        return _marker_fault(marker[0], at)
    return Fault(at, f"unexpected {_quote(text[at : min(end, at + 12)])}", "a parameter")


def _marker_fault(token: str, at: int) -> Fault:
    return Fault(at, f"{_quote(token)} is a placeholder that was never filled in", "a value")


def _unknown_verb(text: str, at: int, end: int) -> Fault:
    word = _quote(text[at : min(end, at + 40)].split(" ", 1)[0])
    bare = word[1:-1]
    if bare.startswith(("#", "//", "--", "/*", "<!--", "!", "rem")):
        return Fault(at, f"{word} does not start an MQSC command{_COMMENT_HINT}")
    if bare.startswith("*"):
        return Fault(at, "an asterisk after blanks does not start a comment" + _COMMENT_HINT)
    if bare in _SHELL or bare.startswith(("./", "```", "$")):
        return Fault(at, f"{word} is for a shell, not MQSC", "an MQSC command")
    close = _meant(bare, list(mqsc_verbs.VERBS))
    return Fault(at, f"{word} is not an MQSC command", close)


def _nouns(verb: str) -> str:
    return ", ".join(sorted(mqsc_verbs.VERBS[verb]))


def close_word(word: str, words: Iterable[str]) -> str:
    """The one of *words* that was probably meant, "" for none: four of five letters in common.

    A word with two neighbouring letters swapped is meant too: PROT is PORT.

    Args:
        word: in upper case.
    """
    from difflib import get_close_matches  # only when something is wrong

    # each letter that one of two words lacks is a letter not in common: most words fall here
    letters = frozenset(word)
    likely = [w for w in words if 5 * len(letters.symmetric_difference(w)) <= len(word) + len(w)]
    swapped = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1))
    close = [w for w in swapped if w in likely] or get_close_matches(word, likely, 1, 0.8)
    return next(iter(close), "")


def _meant(word: str, words: list[str]) -> str:
    return close_word(word.upper(), words) if 3 <= len(word) <= 20 else ""


def _quote(token: str) -> str:
    """A token for a message: short, one line, quoted, with what cannot be printed escaped."""
    cut = token[:20]
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in cut)
    return f"'{text}{'...' if len(token) > 20 else ''}'"
