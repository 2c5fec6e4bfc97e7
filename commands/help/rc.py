"""`mqtriage rc CODE|NAME`: explain reason codes, feedback codes and AMQ messages, offline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from mqtriage.model.result import Document, Field, Listing
from mqtriage.mq import cmqc, code_names, code_texts
from mqtriage.mq.errors import NotFound
from mqtriage.mq.mqsc.amq_messages import message_named
from mqtriage.mq.name_table import codes
from mqtriage.mq.rpg_names import rpg_names

_LABELS = {
    "given": "Given as",
    "number": "Number",
    "value": "Value",
    "mqi_name": "In the MQI",
    "hex": "In hex",
    "rpg_name": "In RPG",
    "other_names": "Also called",
    "meaning": "Meaning",
    "hint": "What to do",
}

_KEYS: Final = (
    "name",
    "kind",
    "number",
    "hex",
    "rpg_name",
    "other_names",
    "meaning",
    "hint",
    "given",
)
_PASTED: Final = re.compile(
    r"\b(?P<message>(?:AMQ|CSQ[A-Z]|JMS(?:CC|WMQ|CMQ|FMQ)|MQJ(?:E|MS))[0-9]{3,5}[A-Z]?)\b"
    r"|\b(?P<name>MQ(?:RC|RCCF|FB)_[A-Z0-9_]+)"
    r"|\b(?:reason(?:[ _-]?code)?|mqrc|rc|feedback)\W{0,3}"
    r"(?P<number>0x[0-9a-f]{1,8}|[0-9]{1,8}|(?=[a-f]*[0-9])[0-9a-f]{3,8})\b"
    r"|^\W*(?:mq\W*)?(?P<alone>[0-9]{3,5})\W*$",
    re.IGNORECASE,
)
"""What a line of a log or a stack trace can hold that has a meaning."""
_BARE: Final = re.compile(r"(?<![\w.:/+-])[0-9]{4}(?![\w/+-]|[.:][0-9]|,[0-9]{1,3}(?![0-9]))")
"""A number between other words, but not part of a time, a date or an address."""
_LABEL: Final = re.compile(r"[\W_]*(?:reason|code|mqrc|rc|feedback)?[\W_]*", re.IGNORECASE)
"""A word that says what the number after it is: neither a code nor one that is not explained."""
_OF_JMS: Final = re.compile(r"\b(?:JMS[A-Z]{1,4}|MQJMS)[0-9]{4}[A-Z]?\b", re.IGNORECASE)
_OF_MQ: Final = re.compile(r"\b(?:AMQ[0-9]{4,5}|CSQ[A-Z][0-9]{3})[A-Z]?\b", re.IGNORECASE)
_LOOK_UP: Final = re.compile(r"Run 'mqtriage rc NUMBER' [^.]*\.|; 'mqtriage rc NUMBER' [^.]*")
"""Advice to look up the reason, which is not needed where the reason is explained too."""
_CHECKS: Final = (
    " In AMQERR01.LOG of a queue manager, the message at that time shows which check failed:"
    " AMQ8077 the authority, AMQ9776 or AMQ9777 a CHLAUTH rule,"
    " AMQ5534, AMQ5540 or AMQ5542 the user ID and password (CONNAUTH)."
)
_GONE: Final = (
    " A name such as AMQ.5F3A2B1C00A20120 is of a temporary dynamic queue that is gone because its"
    " requester closed it or ended. A dead letter for it is a late reply, which cannot be requeued."
    " Remove it with 'mqtriage dlq purge' or a rule with ACTION(DISCARD)."
)
"""Source: IBM MQ documentation, "Dynamic and Model queues"."""
_PREFIXES: Final = ("MQRCCF_", "MQRC_", "MQFB_", "MQ")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{3,4}\Z")
_LIKE_A_CODE: Final = re.compile(
    r"(?:0x)?[0-9][0-9A-F]{2,7}|(?:AMQ|CSQ|JMS|MQJ|RC)[A-Z]*[0-9]{3,5}[A-Z]?"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+",
    re.IGNORECASE,
)
"""A word that can only be meant as a code, whether we know it or not."""


def explain(*words: str) -> Document:
    """Say what codes mean and what to do next.

    Args:
        words: codes, also with commas between them, or the words of a line of a log that holds
            some. Of codes, at least as many are known as are not, or all look like one. A code is
            a number (``2035``, ``0x7F3``, ``7F3``), a name with or without prefix, an RPG name
            (``RC2013``, ``EIULIM``, ``ROEXP*``), ``AMQ8147E``, ``CSQX599E``, ``JMSWMQ2007``, or the
            four bytes of MQDLH.Reason in a dump (``05080000`` is 2053 with its bytes reversed).

    Returns:
        `data["codes"]` holds one entry for each thing that the text can stand for: reasons first,
        then feedback codes. The same code gives the same document however it was named; where
        several of the words name it, `given` lists them.
        The warnings name what is not explained: an unknown one of several codes, a line without
        one, and a bare number beside the codes of a line that was not quoted.

    Raises:
        NotFound: If it stands for nothing we know; the hint names what is spelt much the same.
    """
    entries: dict[str, dict[str, Any]] = {}
    warnings: list[str] = []
    for group in _groups(words):
        of_group, ignored = _explained(group)
        for entry in of_group:
            known = entries.setdefault(f"{entry['kind']} {entry['name']}", entry)
            if known is not entry and (given := entry.get("given")):
                known["given"] = [*dict.fromkeys([*known.get("given", []), *given])]
        warnings += ignored
    for entry in entries.values():
        if len(entry.get("given", [])) == 1:
            del entry["given"]
    if not entries:
        raise _none_found(words)
    return _document(list(entries.values()), warnings)


def _document(entries: list[dict[str, Any]], warnings: list[str]) -> Document:
    if any(entry["kind"] == "reason" for entry in entries):
        entries = [
            {**entry, "hint": _without_look_up(entry["hint"])} if entry.get("hint") else entry
            for entry in entries
        ]
    return Document(
        "CodeExplanation",
        {"codes": entries},
        sections=tuple((f"{it['name']} ({it['kind']})", _pairs(it)) for it in entries),
        warnings=warnings,
    )


def _without_look_up(hint: str) -> str:
    """Advice without a command for the reason."""
    is_reason = "The reason is explained too."
    return _LOOK_UP.sub(lambda one: is_reason if one[0][0] == "R" else "", hint)


def explain_text(text: str) -> Document:
    """The same for a text of several lines, such as a stack trace; other words are not codes.

    Raises:
        NotFound: If it has no code, or none that we know.
    """
    entries = _entries(text) or _in_line(text)
    unknown = dict.fromkeys(one for one in _pasted(text) if not _entries(one))
    if not entries:
        if unknown:
            raise _not_found(next(iter(unknown)))
        raise NotFound("no reason code, feedback code or message in this text")
    return _document(entries, [_in_a_line(_not_found(one)) for one in unknown])


def in_rows(document: Document) -> Listing:
    """The codes of an explanation as rows, for `--columns`."""
    rows = [{**dict.fromkeys(_KEYS), **entry} for entry in document.data["codes"]]
    fields = tuple(Field(key, key.upper()) for key in _KEYS)
    return Listing("CodeList", fields, rows, warnings=document.warnings, id_key="name")


def _groups(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """An argument with blanks is a line; others side by side are codes, or a line not quoted."""
    for is_line, group in groupby(words, lambda word: len(word.split()) > 1):
        side_by_side = tuple(group)
        yield from [(word,) for word in side_by_side] if is_line else [side_by_side]


def _explained(words: tuple[str, ...]) -> tuple[list[dict[str, Any]], list[str]]:
    """What one line or several codes mean, and a warning for each code left unexplained."""
    text = " ".join(words)
    parts = words if len(text.split()) > len(words) else text.replace(",", " ").split()
    of_words = {word: _entries(word) for word in (part.rstrip(",;:.") for part in parts)}
    unknown = [w for w, of_word in of_words.items() if not of_word and not _LABEL.fullmatch(w)]
    if _is_list(of_words, unknown):
        warnings = [_in_a_line(_not_found(word)) for word in unknown]
        entries = [{**it, "given": [word]} for word, its in of_words.items() for it in its]
        return entries, warnings
    entries = _entries(text) or _in_line(text)
    if not entries:
        return [], [_in_a_line(_not_found(text))]
    unexplained = [
        word
        for word, of_word in of_words.items()
        if _LIKE_A_CODE.fullmatch(word) and not all(entry in entries for entry in of_word)
    ]
    return entries, [
        *(_in_a_line(_not_found(one)) for one in _pasted(text) if not _entries(one)),
        *(
            f"{word} is not explained, because the line has other codes: mqtriage rc {word}"
            for word in unexplained
        ),
    ]


def _is_list(of_words: dict[str, list[dict[str, Any]]], unknown: list[str]) -> bool:
    """Whether words side by side are codes, not a line: most of a line has no meaning to us."""
    known = sum(map(bool, of_words.values()))
    if len(of_words) < 2 or not known:
        return False
    return known >= len(unknown) or all(map(_LIKE_A_CODE.fullmatch, unknown))


def _pasted(line: str) -> Iterator[str]:
    """The codes of a line, known or not, without what stands around them."""
    return (next(filter(None, one.groups())) for one in _PASTED.finditer(line))


def _not_found(text: str) -> NotFound:
    if named := _OF_JMS.search(text):
        where = "look below it for 'Caused by: com.ibm.mq.MQException' or JMSCMQ0001, and give that"
        hint = f"its linked exception has the reason: {where} line to mqtriage rc"
        if named[0].upper().startswith("JMSCC"):
            hint = (
                "many JMSCC messages come from the client library, without a reason: then the text"
                f" of the message says what is wrong; else {where} line to mqtriage rc"
            )
        hint += (
            "; without such a line, the whole text of the message names the cause: look for it in"
            " IBM's page 'JMS exception messages'"
        )
        return NotFound(
            f"{named[0].upper()} looks like a message of IBM MQ classes for JMS, but is not in our"
            " table",
            hint=hint,
        )
    if named := _OF_MQ.search(text):
        return NotFound(
            f"{named[0].upper()} looks like a message of IBM MQ, but is not in our table",
            hint="if it is one, the error log and IBM's documentation explain it",
        )
    msg = f"no reason code, feedback code or message has the name {text[:64]!r}"
    return NotFound(msg, hint=_close_to(text))


def _none_found(words: tuple[str, ...]) -> NotFound:
    """Each word that looks like a code by itself; a line in quotes, or without one, as a whole."""
    bare = [part for word in words if len(word.split()) == 1 for part in word.split(",")]
    codes_alike = [word for word in dict.fromkeys(bare) if _LIKE_A_CODE.fullmatch(word)]
    if not codes_alike:
        return _not_found(" ".join(words))
    errors = [_not_found(word) for word in codes_alike]
    hints = [str(error.hint) for error in errors]
    near = [hint for hint in hints if hint.startswith("did you mean")]
    text = "; ".join(error.text for error in errors)
    return NotFound(text, hint="; ".join(near) or hints[0])


def _in_a_line(error: NotFound) -> str:
    """A warning about one of several: what is spelt much the same, but no general advice."""
    hint = error.hint or ""
    return f"{error.text}; {hint}" if hint.startswith("did you mean") else error.text


def _entries(text: str) -> list[dict[str, Any]]:
    message = message_named(text)
    if message is None and (other := _other_message(text)):
        return [other]
    if message is not None:
        number, entry = message
        return [
            {
                "kind": "message",
                "name": f"AMQ{number:04}{entry.severity}",
                "number": number,
                "meaning": entry.text,
                "hint": entry.what_to_do,
            }
        ]
    rpg = rpg_names(text)
    if rpg:
        return [{"kind": "rpg", "name": name, **it._asdict()} for name, it in rpg.items()]
    entries = []
    for number in (*code_names.codes_named(text), *_as_dumped(text)):
        entries += _of_number(number, text.strip().upper())
    if not entries and _HEX.match(text.strip()):
        entries = _of_number(int(text, 16), "")
    return entries


def _other_message(text: str) -> dict[str, Any] | None:
    """A message of error logs, of the channel initiator or the classes for Java and JMS.

    The severity letter may be missing or another one.
    """
    asked = text.strip().upper()
    number = asked.rstrip("DEISTW")
    for row in Path(__file__).with_name("messages.tsv").read_text("utf-8").splitlines():
        names, meaning, hint = row.split("\t")
        for name in names.split():
            if name.rstrip("DEISTW") == number:
                return {"kind": "message", "name": name, "meaning": meaning, "hint": hint}
    return None


def _in_line(text: str) -> list[dict[str, Any]]:
    """What a line holds: messages first, then reasons, each once.

    A bare number counts if nothing else in the line has a meaning, and if it is a known reason.
    """
    entries: dict[str, dict[str, Any]] = {}
    explained = [_entries(code) for code in _pasted(text)]
    if not any(explained):
        numbers = [
            one[0] for one in _BARE.finditer(text) if int(one[0]) in code_names.reason_names()
        ]
        explained = [_entries(number) for number in numbers]
    for of_one in explained:
        for entry in of_one:
            entries.setdefault(f"{entry['kind']} {entry['name']}", entry)
    return sorted(entries.values(), key=lambda entry: entry["kind"] != "message")


def _of_number(number: int, asked: str) -> list[dict[str, Any]]:
    """A reason entry, a feedback entry, or both; a prefix in what was asked leaves one."""
    entries = []
    meaning = code_texts.meaning_of_reason(number)
    if (number in code_names.reason_names() or meaning) and not asked.startswith("MQFB_"):
        entries.append(
            {
                **_entry("reason", code_names.name_of_reason(number), number),
                "rpg_name": f"RC{number}",
                "meaning": meaning,
                "hint": _advice(number),
            }
        )
    # a reason stands in Feedback too, but it is the same code there and is told once
    if entries and number not in code_names.feedback_names():
        return entries
    meaning = code_texts.meaning_of_feedback(number)
    if meaning and not asked.startswith(("MQRC", "RC")):
        entries.append(
            {
                **_entry("feedback", code_names.name_of_feedback(number), number),
                "meaning": meaning,
                "hint": code_texts.hint_for_feedback(number),
            }
        )
    return entries


def _advice(number: int) -> str:
    """What to do about a reason, also where the queue it is of is the staging queue."""
    hint = code_texts.hint_for_reason(number)
    if number == cmqc.MQRC_Q_FULL:
        hint += f" For the staging queue, {code_texts.STAGING_FULL}."
    if number == cmqc.MQRC_UNKNOWN_OBJECT_NAME:
        hint += _GONE
    if number == cmqc.MQRC_NOT_AUTHORIZED:
        hint += _CHECKS
    return hint


def _entry(kind: str, name: str, number: int) -> dict[str, Any]:
    prefixes = ("MQFB_",) if kind == "feedback" else ("MQRC_", "MQRCCF_")
    return {
        "kind": kind,
        "name": name,
        "number": number,
        "hex": f"0x{number:08X}",
        "other_names": [
            other
            for other, code in codes().items()
            if code.number == number and other != name and other.startswith(prefixes)
        ],
    }


def _as_dumped(text: str) -> list[int]:
    """Reasons that eight hex digits stand for, as bytes in either order, if we know them."""
    digits = text.strip().upper().removeprefix("X'").removeprefix("0X").rstrip("'").replace(" ", "")
    if len(digits) != 8 or digits.strip("0123456789ABCDEF"):
        return []
    raw = bytes.fromhex(digits)
    numbers = (int.from_bytes(raw, "big"), int.from_bytes(raw, "little"))
    already = code_names.codes_named(text)
    known = code_names.reason_names().keys() | code_names.feedback_names().keys()
    return [n for n in dict.fromkeys(numbers) if n in known and n not in already]


def _close_to(text: str) -> str:
    """Name up to three codes spelt much like *text*, for the hint.

    Prefixes are not compared: each name has one.
    """
    from difflib import get_close_matches

    words = text.strip().upper()[:64]
    known: dict[str, str] = {}
    for number, name in (*code_names.reason_names().items(), *code_names.feedback_names().items()):
        spelling = str(number) if words.isdigit() else _stem(name)
        known.setdefault(spelling, f"{name} ({number})")
    near = get_close_matches(_stem(words), known, n=3, cutoff=0.75)
    if not near:
        return (
            "a number such as 2035, a name such as MQRC_NOT_AUTHORIZED, "
            "or a log line, in quotes, that contains one"
        )
    return "did you mean " + ", ".join(known[name] for name in near) + "?"


def _stem(name: str) -> str:
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    return name.removeprefix(prefix)


def _pairs(entry: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for key, label in _LABELS.items():
        value = entry.get(key, "")
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        if shown:
            pairs.append((label, shown))
    return tuple(pairs)
