"""Validate one MQSC command: keywords, ranges, words, lengths, what excludes what.

DEFINE, ALTER and SET of every object type are checked against its table of attributes, DELETE
against its few parameters; of other commands only name and form are known. A value that the sources
leave open is a note: an invented error on a good script is worse than a missed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Final

from mqtriage.mq.attributes.attribute import CHANNEL_TYPES, QUEUE_KINDS
from mqtriage.mq.attributes.catalogue import (
    COMMAND_KEYWORDS,
    INSERT,
    Platform,
    ValueKind,
    attribute,
    attributes_of,
    parse_value,
)
from mqtriage.mq.attributes.system_objects import SUBTYPE
from mqtriage.mq.errors import UsageError
from mqtriage.mq.mqsc.tokens import close_word, marker_in
from mqtriage.mq.mqsc.tree import Command, Diagnostic, DiagnosticSeverity, Parameter, Script
from mqtriage.mq.mqsc.verbs import only_platform, parameters_of, words_of
from mqtriage.mq.names import NAME_CHARACTERS, name_length
from mqtriage.mq.security.authority_records import (
    AUTHORITIES,
    OBJECT_TYPES,
    authorities_of,
    may_have,
)
from mqtriage.mq.security.cipher_specs import CURRENT, is_known
from mqtriage.mq.security.distinguished_names import TYPES, wrong_type

_SETTING: Final = ("DEFINE", "ALTER", "SET")
_KIND_WORDS: Final = {
    "QLOCAL": "a local queue", "QMODEL": "a model queue", "QALIAS": "an alias queue",
    "QREMOTE": "a remote queue definition", "QMGR": "the queue manager", "TOPIC": "a topic",
    "SUB": "a subscription", "CHANNEL": "a channel", "LISTENER": "a listener",
    "AUTHREC": "an authority record", "CHLAUTH": "a channel authentication record",
    "NAMELIST": "a namelist", "PROCESS": "a process definition", "SERVICE": "a service",
    "AUTHINFO": "an authentication information object",
    "COMMINFO": "a communication information object", "POLICY": "a security policy",
}  # fmt: skip
_DELETED_BY: Final = {"CHANNEL": ("CHLTYPE",), "SUB": ("SUBID",)}
"""Attributes that say which object DELETE means; those of an authority record all do."""
MISPRINTS: Final = {"BOQUEUE": "BOQNAME", "BOTHRESHOLD": "BOTHRESH"}
_OTHER_NAMES: Final = ("TOPICSTR", "SUB", "PSID", "BUFFPOOL", "MAXSMSGS", "LOG", "SMDS", "POLICY")
"""Types whose "name" is none of MQ's: a text, a number, a data set, a generic name."""
_CHANNEL_NEEDS: Final = {
    "SDR": ("CONNAME", "XMITQ"), "SVR": ("XMITQ",), "RQSTR": ("CONNAME",), "CLUSSDR": ("CONNAME",),
    "CLNTCONN": ("CONNAME",),
}  # fmt: skip
"""IBM MQ 9.4 "DEFINE CHANNEL", which attributes a channel type must have (MQRCCF_MISSING_*)."""
_AUTHINFO_NEEDS: Final = {
    "CRLLDAP": ("CONNAME",), "OCSP": ("OCSPURL",), "IDPWLDAP": ("CONNAME", "SHORTUSR"),
}  # fmt: skip
"""IBM MQ 9.4 "DEFINE AUTHINFO", what has no default in the diagram of a type."""
_IPV4_PATTERN: Final = re.compile(r"[\d*-]+(?:\.[\d*-]+){0,3}")
"""A generic address of IPv4: numbers, ranges and asterisks; a host name has letters."""
_GREATEST_OCTET: Final = 255
_MANY_VALUES: Final = (ValueKind.WORDS, ValueKind.LIST)
_BARE: Final = ("REPLACE", "NOREPLACE", "FORCE", "NOFORCE")
_ONE_OF_CLUSTERS: Final = (("CLUSTER", "CLUSNL", "FACILITY", "LOG"),)
_NEEDED: Final = {
    ("SUSPEND", "QMGR"): _ONE_OF_CLUSTERS,
    ("RESUME", "QMGR"): _ONE_OF_CLUSTERS,
    ("RESET", "CLUSTER"): (("ACTION",), ("QMNAME", "QMID")),
}
"""IBM MQ 9.4 "SUSPEND QMGR", "RESUME QMGR", "RESET CLUSTER": what one must name, one of each."""
_EXAMPLES: Final = {"ACTION": "FORCEREMOVE"}
_EXCLUSIVE: Final = (("REPLACE", "NOREPLACE"), ("PURGE", "NOPURGE"), ("FORCE", "NOFORCE"))


def check_script(script: Script, platform: Platform | None = None) -> list[Diagnostic]:
    """Everything wrong with a script, its form and its commands, in order of place."""
    diagnostics = list(script.diagnostics)
    for command in script.commands:
        diagnostics += validate(command, platform, file=script.file)
    return sorted(diagnostics, key=lambda d: (d.line, d.column))


def validate(
    command: Command, platform: Platform | None = None, *, file: str = ""
) -> list[Diagnostic]:
    """What is wrong with a command whose form is right; [] for one whose form is not.

    Args:
        command: from `parse`; its own `error` is not repeated here.
        platform: None leaves out what holds on one platform only.
    """
    if command.error is not None or not command.noun:
        return []
    diagnostics = list(_check_platform(command, platform))
    diagnostics += _check_name(command)
    if command.verb in _SETTING:
        for parameter in command.parameters:
            diagnostics += _check_parameter(command, parameter, platform)
        diagnostics += _check_together(command)
    elif command.verb == "DELETE" and command.noun != "AUTHREC":
        diagnostics += _check_delete(command)
    elif command.verb == "DISPLAY" and command.noun in (*QUEUE_KINDS, "QUEUE"):
        diagnostics += _check_display(command)
    else:
        diagnostics += _check_documented(command)
        diagnostics += _check_words(command, platform)
        diagnostics += _check_needed(command)
    diagnostics += _check_exclusive(command)
    return [finding._replace(file=file) for finding in diagnostics] if file else diagnostics


def first_error(command: Command, platform: Platform | None = None) -> Diagnostic | None:
    """What runmqsc -v says against a command: its own error, or the first of what is wrong."""
    if command.error is not None:
        return command.error
    diagnostics = (*validate(command, platform), *wrong_channel_type(command))
    return next((d for d in diagnostics if d.severity is DiagnosticSeverity.ERROR), None)


def wrong_channel_type(command: Command) -> Iterator[Diagnostic]:
    """Each attribute that channels of the command's CHLTYPE do not have: the rule CHL015.

    Source: IBM MQ 9.4 "DEFINE CHANNEL" and "ALTER CHANNEL", a syntax diagram for each CHLTYPE.
    """
    kind = (command.value("CHLTYPE") or "").upper()
    if command.noun != "CHANNEL" or command.verb not in _SETTING or kind not in CHANNEL_TYPES:
        return
    for parameter in command.parameters:
        entry = attribute("CHANNEL", parameter.keyword)
        if entry and entry.channel_types and kind not in entry.channel_types:
            message = (
                f"{entry.keyword} is not an attribute of CHLTYPE({kind}), only of"
                f" {', '.join(entry.channel_types)}: the command is rejected"
            )
            yield _error(command, parameter, message)


def _finding(
    severity: DiagnosticSeverity,
    command: Command,
    parameter: Parameter | None,
    message: str,
    expected: str = "",
) -> Diagnostic:
    place = parameter or command
    return Diagnostic(severity, place.line, place.column, message, expected)


_error: Final = partial(_finding, DiagnosticSeverity.ERROR)
_warning: Final = partial(_finding, DiagnosticSeverity.WARNING)
_note: Final = partial(_finding, DiagnosticSeverity.NOTE)


def _check_platform(command: Command, platform: Platform | None) -> Iterator[Diagnostic]:
    if platform is None:
        return
    only = only_platform(command.verb, command.noun)
    if only and only != platform:
        where = "z/OS" if only == "zos" else "distributed platforms"
        yield _error(command, None, f"{command.verb} {command.noun} is known on {where} only")
    if platform == "zos" and command.wide_line:
        message = "text beyond column 72, which z/OS does not read from a data set"
        yield _note(command, None, message)._replace(line=command.wide_line, column=73)


def _check_name(command: Command) -> Iterator[Diagnostic]:
    """Length and characters of the object's name where the command needs one exact name."""
    if command.name is None or command.verb not in ("DEFINE", "ALTER", "DELETE", "CLEAR", "MOVE"):
        return
    if command.noun in _OTHER_NAMES:
        return
    name = command.name.text.strip(" ")
    if marker_in(name) or INSERT.search(name):
        return
    longest = name_length(command.noun)
    if len(name) > longest:
        message = f"the name has {len(name)} characters"
        yield _error(command, None, message, f"at most {longest}")
    elif not NAME_CHARACTERS.issuperset(name):
        bad = next(c for c in name if c not in NAME_CHARACTERS)
        yield _error(command, None, f"{bad!r} is not allowed in a name", "A-Z a-z 0-9 . / _ %")


def _check_parameter(
    command: Command, parameter: Parameter, platform: Platform | None
) -> Iterator[Diagnostic]:
    keyword = parameter.keyword
    if keyword == "SUBID" and command.verb == "ALTER":
        return  # ALTER SUB SUBID(id) says which one, as a name does
    entry = attribute(command.noun, keyword)
    if entry is None:
        if command.verb not in COMMAND_KEYWORDS.get(keyword, ()):
            settable = (a.keyword for a in attributes_of(command.noun) if not a.read_only)
            yield from _check_unknown(command, parameter, settable)
        elif parameter.values is not None and keyword in _BARE:
            yield _error(command, parameter, f"{keyword} takes no value")
        elif platform == "dist" and keyword == "CMDSCOPE":
            yield _error(command, parameter, f"{keyword} is known on z/OS only")
        return
    doubt = _error if entry.sure else _note
    if entry.read_only:
        yield _error(command, parameter, f"{keyword} is shown by DISPLAY and cannot be set")
        return
    if platform is not None and not entry.exists_on(platform):
        where = "z/OS" if entry.only == "zos" else "distributed platforms"
        yield doubt(command, parameter, f"{keyword} is known on {where} only")
        return
    values = parameter.values
    texts = None if values is None else tuple([value.text for value in values])
    problem = _value_problem(command.noun, keyword, texts)
    if keyword == "SSLCAUTH" and (command.value("CHLTYPE") or "").upper() != "MQTT":
        problem = problem.replace(", NEVER", "")  # IBM MQ "DEFINE CHANNEL": telemetry channels only
    if problem:
        yield doubt(command, parameter, problem)
        return
    if keyword == "SSLCIPH":
        yield from _check_cipher_spec(command, parameter)
    elif keyword in ("AUTHADD", "AUTHRMV"):
        yield from _check_authorities(command, parameter)
    elif keyword in ("SSLPEER", "SSLCERTI"):
        yield from _check_peer(command, parameter, platform)
    elif keyword in ("ADDRESS", "ADDRLIST"):
        yield from _check_addresses(command, parameter)
    elif command.noun == "AUTHINFO" and entry.channel_types:
        yield from _check_authinfo_type(command, parameter, entry.channel_types)


def _check_cipher_spec(command: Command, parameter: Parameter) -> Iterator[Diagnostic]:
    name = command.value("SSLCIPH") or ""
    if not marker_in(name) and not is_known(name, (command.value("CHLTYPE") or "").upper()):
        problem = f"SSLCIPH({name}) is not a CipherSpec"
        finding = _error(command, parameter, problem, _nearest_cipher_spec(name))
        yield finding._replace(answer=8242)


def _nearest_cipher_spec(name: str) -> str:
    """The CipherSpec that was probably meant, "" for none.

    It has the same key length, and a CipherSuite of Java (``TLS_ECDHE_RSA_WITH_...``) is the one
    that IBM calls otherwise.
    """
    word = re.sub(r"^(?:TLS|SSL)_(ECDHE_\w+?)_WITH_", r"\1_", name.strip(" ").upper()[:48])
    word = re.sub(r"^SSL_RSA_WITH_", "TLS_RSA_WITH_", word)
    length = re.search(r"_(?:128|256)_", word)
    fitting = [one for one in CURRENT if length is None or length[0] in one]
    same_key = [one for one in fitting if one.split("_")[:2] == word.split("_")[:2]]
    return word if word in CURRENT else close_word(word, same_key) or close_word(word, fitting)


def _check_peer(
    command: Command, parameter: Parameter, platform: Platform | None
) -> Iterator[Diagnostic]:
    """The queue manager checks a name when it is set; on z/OS, only a channel that starts does."""
    text = command.value(parameter.keyword) or ""
    if marker_in(text) or not text.strip(" *"):
        return
    wrong = wrong_type(text)
    if wrong:
        message = f"{parameter.keyword}: {wrong} is not an attribute of a distinguished name"
        report = _warning if platform == "zos" else _error
        yield report(command, parameter, message, close_word(wrong.upper()[:20], TYPES))


def _check_addresses(command: Command, parameter: Parameter) -> Iterator[Diagnostic]:
    for value in parameter.values or ():
        pattern = value.text.strip(" ")
        numbers = re.findall(r"\d+", pattern) if _IPV4_PATTERN.fullmatch(pattern) else ()
        high = next((number for number in numbers if int(number) > _GREATEST_OCTET), "")
        if high:
            message = f"{parameter.keyword}({pattern}) matches no address: {high} is above 255"
            yield _warning(command, parameter, message)


def _check_authinfo_type(
    command: Command, parameter: Parameter, types: tuple[str, ...]
) -> Iterator[Diagnostic]:
    kind = (command.value("AUTHTYPE") or "").upper()
    if kind and not marker_in(kind) and kind not in types:
        message = f"{parameter.keyword} is not an attribute of AUTHTYPE({kind})"
        yield _error(command, parameter, message, f"AUTHTYPE({' or '.join(types)})")


def _check_authorities(command: Command, parameter: Parameter) -> Iterator[Diagnostic]:
    kind = (command.value("OBJTYPE") or "").upper()
    for value in parameter.values or ():
        for word in value.text.upper().split():
            if word in AUTHORITIES and kind in OBJECT_TYPES and not may_have(kind, word):
                message = f"{word} is not an authority of OBJTYPE({kind})"
                yield _error(command, parameter, message, ", ".join(authorities_of(kind)))


@lru_cache(maxsize=4096)  # a dump says the same of each of its queues
def _value_problem(kind: str, keyword: str, texts: tuple[str, ...] | None) -> str:
    """What is wrong between the parentheses, "" for nothing.

    Args:
        keyword: of an attribute that the kind has.
    """
    entry = attribute(kind, keyword)
    if entry is None:
        return ""
    if entry.kind is ValueKind.FLAG:
        if texts is None:
            return ""
        return f"{keyword} takes no value: write {entry.keyword} or NO{entry.keyword}"
    if texts is None:
        return f"{keyword} needs a value in parentheses"
    if any(marker_in(text) for text in texts):
        return ""
    if len(texts) > 1 and entry.kind not in _MANY_VALUES:
        return f"{keyword} takes one value: text with blanks or commas needs quotes"
    try:
        for text in texts:
            parse_value(entry, text)
    except UsageError as error:
        return error.text
    return ""


def _check_unknown(
    command: Command, parameter: Parameter, attributes: Iterable[str]
) -> Iterator[Diagnostic]:
    """A keyword that the command does not take, with the one of *attributes* that it resembles."""
    keyword, verb = parameter.keyword, command.verb
    keywords = [*attributes, *(word for word, verbs in COMMAND_KEYWORDS.items() if verb in verbs)]
    close = (
        MISPRINTS.get(keyword, "")
        or close_word(keyword[:20], keywords)
        or _shortened(keyword[:48], keywords)
    )
    what = _KIND_WORDS.get(command.noun, command.noun)
    message = f"{keyword} is not an attribute of {what}"
    if verb == "DELETE":
        message = f"{keyword} is not a parameter of {verb} {command.noun}"
    yield _error(command, parameter, message, close)


def _shortened(word: str, keywords: Iterable[str]) -> str:
    """The longest keyword that *word* is in full: MAXMSGLENGTH is MAXMSGL, BACKOUTQNAME BOQNAME."""

    def is_short_for(keyword: str) -> bool:
        letters = iter(word)
        return len(keyword) >= 5 and keyword[0] == word[0] and all(c in letters for c in keyword)

    return max(filter(is_short_for, keywords), key=len, default="")


def _check_delete(command: Command) -> Iterator[Diagnostic]:
    naming = _DELETED_BY.get(command.noun, ())
    for parameter in command.parameters:
        keyword = parameter.keyword
        if keyword not in naming and "DELETE" not in COMMAND_KEYWORDS.get(keyword, ()):
            yield from _check_unknown(command, parameter, naming)


def _check_display(command: Command) -> Iterator[Diagnostic]:
    """An attribute to show that no queue, or no queue manager, has."""
    kinds = (*(QUEUE_KINDS if command.noun == "QUEUE" else (command.noun,)), "QCLUSTER")
    extra = (
        "CLUSINFO", "QTYPE", "PSID", "TPIPE", "STGCLASS", "CFSTRUCT", "CMDSCOPE", "QSGDISP",
    )  # fmt: skip
    for parameter in command.parameters:
        keyword = parameter.keyword
        if keyword in extra or "DISPLAY" in COMMAND_KEYWORDS.get(keyword, ()):
            continue
        if all(attribute(kind, keyword) is None for kind in kinds):
            close = MISPRINTS.get(keyword, "")
            yield _note(command, parameter, f"{keyword} is not known here", close)


def _check_documented(command: Command) -> Iterator[Diagnostic]:
    """A parameter that neither the page of the command has nor, as an attribute, the object."""
    known = parameters_of(command.verb, command.noun)
    if known is None:
        return
    for parameter in command.parameters:
        keyword = parameter.keyword
        shown = command.verb == "DISPLAY" and attribute(command.noun, keyword) is not None
        steers = command.verb in COMMAND_KEYWORDS.get(keyword, ())
        if keyword not in known and not shown and not steers:
            attributes = attributes_of(command.noun) if command.verb == "DISPLAY" else ()
            words = [*known, *(entry.keyword for entry in attributes)]
            close = MISPRINTS.get(keyword, "") or close_word(keyword[:20], words)
            message = f"{keyword[:40]} is not a parameter of {command.verb} {command.noun}"
            yield _error(command, parameter, message, close)


def _check_words(command: Command, platform: Platform | None) -> Iterator[Diagnostic]:
    """A word that a parameter of the command cannot have, or not on this platform."""
    name = command.named("*").strip(" ")
    is_refresh = (command.verb, command.noun) == ("REFRESH", "SECURITY")
    if platform == "dist" and is_refresh and name != "*" and not marker_in(name):
        yield _error(command, None, f"REFRESH SECURITY({name[:20]}) is known on z/OS only")
    for parameter in command.parameters:
        words = words_of(command.verb, command.noun, parameter.keyword)
        for value in parameter.values or () if words else ():
            word = value.text.strip(" ").upper()
            if marker_in(word):
                continue
            shown = f"{parameter.keyword}({value.text[:40]})"
            if word not in words:
                message = f"{shown}: no such value"
                here = (one for one, only in words.items() if only in ("", platform or only))
                yield _error(command, parameter, message, " or ".join(here))
            elif platform is not None and words[word] not in ("", platform):
                where = "z/OS" if platform == "dist" else "distributed platforms"
                yield _error(command, parameter, f"{shown} is known on {where} only")


def _check_needed(command: Command) -> Iterator[Diagnostic]:
    """A parameter, or one of several, that the command must have: exactly one of them."""
    for choice in _NEEDED.get((command.verb, command.noun), ()):
        given = [keyword for keyword in choice if command.has(keyword)]
        if not given:
            message = f"{command.verb} {command.noun} needs {' or '.join(choice[:2])}"
            yield _error(command, None, message, f"{choice[0]}({_EXAMPLES.get(choice[0], 'name')})")
        elif len(given) > 1:
            message = f"{given[0]} and {given[1]} exclude each other"
            yield _error(command, command.parameter(given[1]), message)


def _check_exclusive(command: Command) -> Iterator[Diagnostic]:
    for first, second in _EXCLUSIVE:
        if command.has(first) and command.has(second):
            yield _error(
                command, command.parameter(second), f"{first} and {second} exclude each other"
            )


def _check_together(command: Command) -> Iterator[Diagnostic]:
    """Parameters that need or exclude one another."""
    yield from _check_switches(command)
    for first, second in (("CLUSTER", "CLUSNL"), ("REPOS", "REPOSNL")):
        if _set(command, first) and _set(command, second):
            message = f"{first} and {second} cannot both be set"
            yield _error(command, command.parameter(second), message)
    checks = {
        ("DEFINE", "CHANNEL"): _check_define_typed,
        ("ALTER", "CHANNEL"): _check_subtype,
        ("DEFINE", "AUTHINFO"): _check_define_typed,
        ("ALTER", "AUTHINFO"): _check_subtype,
        ("DEFINE", "TOPIC"): _check_define_topic,
        ("DEFINE", "SUB"): _check_define_sub,
        ("SET", "AUTHREC"): _check_authrec,
        ("SET", "CHLAUTH"): _check_chlauth,
    }
    check = checks.get((command.verb, command.noun))
    if check is not None:
        yield from check(command)


def _set(command: Command, keyword: str) -> bool:
    return bool((command.value(keyword) or "").strip(" "))


def _check_switches(command: Command) -> Iterator[Diagnostic]:
    keywords = {parameter.keyword for parameter in command.parameters}
    for parameter in command.parameters:
        keyword = parameter.keyword
        if keyword.startswith("NO") and keyword[2:] in keywords:
            entry = attribute(command.noun, keyword)
            if entry is not None and entry.kind is ValueKind.FLAG:
                message = f"{keyword[2:]} and {keyword} exclude each other"
                yield _error(command, parameter, message)


def _check_subtype(command: Command) -> Iterator[Diagnostic]:
    """CHLTYPE or AUTHTYPE, which DEFINE and ALTER both require."""
    keyword = SUBTYPE[command.noun]
    if not command.has(keyword):
        message = f"{command.verb} {command.noun} needs {keyword}"
        yield _error(command, None, message, f"{keyword}(type)")


def _check_define_typed(command: Command) -> Iterator[Diagnostic]:
    """A channel, or authentication information: CHLTYPE or AUTHTYPE says what it must have."""
    yield from _check_subtype(command)
    keyword = SUBTYPE[command.noun]
    kind = (command.value(keyword) or "").upper()
    if command.has("LIKE"):
        return
    needs = _CHANNEL_NEEDS if command.noun == "CHANNEL" else _AUTHINFO_NEEDS
    # IBM has an example for LDAP that lacks SHORTUSR
    report = _warning if kind == "IDPWLDAP" else _error
    for needed in needs.get(kind, ()):
        if not command.has(needed):
            message = f"DEFINE {command.noun} {keyword}({kind}) needs {needed}"
            yield report(command, None, message, f"{needed}(value)")


def _check_define_topic(command: Command) -> Iterator[Diagnostic]:
    # a blank one stands in every dump: SYSTEM.BASE.TOPIC is the root of the tree
    if not command.has("TOPICSTR") and not command.has("LIKE"):
        yield _error(command, None, "DEFINE TOPIC needs TOPICSTR", "TOPICSTR(string)")


def _check_define_sub(command: Command) -> Iterator[Diagnostic]:
    # a dump holds SYSTEM.DEFAULT.SUB, whose topic is blank or not named at all
    own = command.named().startswith("SYSTEM.DEFAULT.")
    if not own and not any(command.has(word) for word in ("TOPICSTR", "TOPICOBJ", "LIKE")):
        yield _error(command, None, "DEFINE SUB needs a topic", "TOPICSTR or TOPICOBJ")
    managed = (command.value("DESTCLAS") or "").upper() == "MANAGED"
    if not own and not managed and not command.has("DEST") and not command.has("LIKE"):
        message = "DEFINE SUB needs DEST, or DESTCLAS(MANAGED)"
        yield _error(command, None, message, "DEST(queue)")


def _check_authrec(command: Command) -> Iterator[Diagnostic]:
    if not command.has("PRINCIPAL") and not command.has("GROUP"):
        yield _error(
            command, None, "SET AUTHREC names no user or group", "PRINCIPAL(name) or GROUP(name)"
        )
    is_manager = (command.value("OBJTYPE") or "").upper() == "QMGR"
    if not command.has("OBJTYPE"):
        yield _error(command, None, "SET AUTHREC needs OBJTYPE", "OBJTYPE(type)")
    elif not is_manager and not command.has("PROFILE"):
        yield _error(command, None, "SET AUTHREC needs PROFILE", "PROFILE(name)")
    elif is_manager and "*" in (command.value("PROFILE") or ""):
        message = "OBJTYPE(QMGR) has no generic profile"
        yield _note(command, command.parameter("PROFILE"), message)


def _check_chlauth(command: Command) -> Iterator[Diagnostic]:
    kind = (command.value("TYPE") or "").upper()
    if not kind:
        yield _error(command, None, "SET CHLAUTH needs TYPE", "TYPE(ADDRESSMAP), TYPE(BLOCKUSER)")
        return
    removing = (command.value("ACTION") or "").upper() in ("REMOVE", "REMOVEALL")
    needs = {
        "BLOCKUSER": "USERLIST", "BLOCKADDR": "ADDRLIST", "SSLPEERMAP": "SSLPEER",
        "ADDRESSMAP": "ADDRESS", "USERMAP": "CLNTUSER", "QMGRMAP": "QMNAME",
    }  # fmt: skip
    needed = needs.get(kind)
    if needed and not removing and not command.has(needed):
        yield _error(command, None, f"TYPE({kind}) needs {needed}", f"{needed}(value)")
    if kind == "BLOCKADDR" and command.name and command.name.text != "*":
        yield _error(command, None, "TYPE(BLOCKADDR) takes the profile '*' only", "CHLAUTH('*')")
    source = (command.value("USERSRC") or "").upper()
    if source in ("NOACCESS", "CHANNEL") and _set(command, "MCAUSER"):
        message = f"USERSRC({source}) takes no MCAUSER"
        yield _error(command, command.parameter("MCAUSER"), message, "USERSRC(MAP)")
    if source == "NOACCESS" and command.has("CHCKCLNT"):
        message = "USERSRC(NOACCESS) blocks the client before CHCKCLNT could be checked"
        expected = "USERSRC(CHANNEL) or USERSRC(MAP)"
        yield _warning(command, command.parameter("CHCKCLNT"), message, expected)
