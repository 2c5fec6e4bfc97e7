"""Rules of one's own: `[[rule]]` in `.mqtriage.toml`, judged, explained and tried like ours.

    [[rule]]
    id = "BNK001"
    severity = "error"
    message = "the name begins with the three letters of its application"
    objects = { type = ["QLOCAL", "QALIAS"], name = ["*"] }
    condition = "name matches '^[A-Z]{3}[.]'"          # what must be true
    good = ["DEFINE QLOCAL(PAY.IN)"]
    bad = ["DEFINE QLOCAL(PAYMENTS.IN)"]

A rule finds something where its condition is known to be false. What a script does not tell is not
known, and nothing is said of it, unless the rule has `report-unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Final

from mqtriage.definitions.estate import Definition, Estate
from mqtriage.definitions.lint.attribute_conditions import (
    NAME,
    QMGR,
    AttributeCondition,
    Values,
    cipher_problem,
    read_condition,
)
from mqtriage.definitions.lint.pages import all_codes
from mqtriage.definitions.rules.finding import Finding, Severity, setting
from mqtriage.model.options import any_of
from mqtriage.model.tables import (
    FLAG,
    TEXT,
    WORDS,
    ValueForm,
    key,
    list_of,
    one_of,
    record_form,
    required,
    table_of,
    text_like,
    wrong,
)
from mqtriage.mq.attributes.attribute import (
    CHANNEL_TYPES,
    MASKED,
    QUEUE_KINDS,
    SECRETS,
    AttributeValue,
    Platform,
    ValueKind,
)
from mqtriage.mq.attributes.catalogue import attribute, parse_value
from mqtriage.mq.errors import UsageError
from mqtriage.mq.names import is_system
from mqtriage.records import dataclass

KINDS: Final = (
    *QUEUE_KINDS, "QMGR", "CHANNEL", "TOPIC", "SUB", "LISTENER", "NAMELIST", "PROCESS", "SERVICE",
    "AUTHINFO", "STGCLASS", "CFSTRUCT", "CHLAUTH", "AUTHREC",
)  # fmt: skip
"""Types of objects that a rule may be about."""
RECORDS: Final = ("CHLAUTH", "AUTHREC")
"""They are read from the SET commands of scripts, each by itself."""
_CODE: Final = text_like(
    "[A-Z]{3,4}[0-9]{3}", "three or four capital letters and three digits, such as BNK001"
)


def _read_id(value: object, where: str) -> str:
    code = _CODE.read(value, where)
    ours = {known[:-3] for known in all_codes()}
    if code[:-3] in ours:
        raise UsageError(
            f"{where}: {code[:-3]} is reserved for built-in rules",
            hint="use other letters for your own rules, such as your company's",
        )
    return code


def _read_kinds(value: object, where: str) -> tuple[str, ...]:
    kinds = tuple(word.upper() for word in WORDS.read(value, where))
    for kind in kinds:
        if kind not in (*KINDS, "QUEUE"):
            if kind in CHANNEL_TYPES:
                raise UsageError(
                    f"{where} is {kind!r}: a type of channel",
                    hint=f'write type = "CHANNEL" and when = "chltype = \'{kind}\'"',
                )
            raise wrong(kind, where, f"QUEUE, {', '.join(KINDS)}")
    if not kinds:
        raise wrong(value, where, "a type of object")
    every = (k for kind in kinds for k in (QUEUE_KINDS if kind == "QUEUE" else (kind,)))
    return tuple(dict.fromkeys(every))


def _read_scalar(value: object, where: str) -> AttributeValue:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return value
    raise wrong(value, where, "text or a whole number")


SCALAR: Final = ValueForm(_read_scalar, {"type": ["string", "integer"]})
_PLATFORM: Final[ValueForm[Platform]] = one_of("dist", "zos")


@dataclass(frozen=True, slots=True)
class RuleObjects:
    """Which objects a rule is about.

    Attributes:
        kinds: types; QUEUE is all four types of queue.
        names: generic names; without one, all but the queue manager's own objects.
        environments: of --env, or folders of the project, one of which the script is in.
    """

    kinds: tuple[str, ...] = required(ValueForm(_read_kinds, WORDS.schema), word="type")
    names: tuple[str, ...] = key(WORDS, (), "Generic names.", ["PAY.*"], word="name")
    others: tuple[str, ...] = key(WORDS, (), "Names to omit.", ["PAY.TMP.*"], word="except")
    platform: Platform | None = key(_PLATFORM, None, "Only there.", "zos")
    environments: tuple[str, ...] = key(
        WORDS, (), "Folders of the project, or values of --env.", "prod", word="environment"
    )


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One `[[rule]]`.

    Attributes:
        condition: what must be true of each object; see `attribute_conditions`.
        when: only objects of which this is true; "" for all.
        fix: attributes with their values; each is set only where the condition needs it.
        report_unknown: whether a condition that is not known to be true is a finding.
        why: for the page of the rule.
        page: address of one's own page, "" for none.
        good, bad: MQSC for `lint FILE.toml`.
        conditions: `condition` as it was read, then `when`, where there is one.
    """

    code: str = required(ValueForm(_read_id, _CODE.schema), word="id")
    message: str = required(TEXT)
    objects: RuleObjects = required(
        record_form(
            RuleObjects,
            elsewhere=dict.fromkeys(("condition", "when", "severity", "fix"), "[[rule]]"),
        )
    )
    condition: str = required(TEXT)
    severity: Severity = key(
        one_of(*Severity), Severity.WARNING, "Severity of the findings.", "error"
    )
    when: str = key(TEXT, "", "Only objects for which this is true.", "usage = 'NORMAL'")
    fix: Mapping[str, AttributeValue] = key(
        table_of(SCALAR), {}, "Attributes that correct it.", {"maxdepth": 5000}
    )
    report_unknown: bool = key(
        FLAG,
        False,
        "Also report objects for which the condition is unknown.",
        True,
        word="report-unknown",
    )
    why: str = key(TEXT, "", "Why it matters, for lint explain.", "Audit finding 2026-14.")
    page: str = key(
        text_like(r"https?://\S+", "an address that begins with https://"),
        "", "Address of a page with more information.", "https://wiki.example.com/mq",
    )  # fmt: skip
    good: tuple[str, ...] = key(WORDS, (), "MQSC without a finding.", ["DEFINE QLOCAL(PAY.IN)"])
    bad: tuple[str, ...] = key(WORDS, (), "MQSC with a finding.", ["DEFINE QLOCAL(X)"])
    conditions: tuple[AttributeCondition, ...] = ()

    def check(
        self, estate: Estate, is_for: Callable[[str], bool] = lambda file: True
    ) -> Iterator[Finding]:
        """What the rule finds, by the order of the objects.

        Args:
            is_for: whether a script is for an environment of the rule; "" is a live object.
        """
        about = self.objects
        if about.platform is not None and about.platform != (estate.platform or "dist"):
            return
        must, *when = self.conditions
        for thing in _things(estate, about.kinds):
            if not self._is_about(thing):
                continue
            files = [source.file for source in thing.sources] or [""]
            if about.environments and not any(map(is_for, files)):
                continue
            values = {**thing.attributes, NAME: thing.name, QMGR: estate.queue_manager}
            if not estate.queue_manager:
                del values[QMGR]
            if not all(one.is_true(values) for one in when):
                continue
            unknown = self._unknown(thing, values, must, estate.platform or "dist")
            if unknown or must.is_false(values):
                yield self._finding(thing, values, must, unknown)

    def _is_about(self, thing: Definition) -> bool:
        names = self.objects.names
        if thing.kind != "QMGR":
            if not names and is_system(thing.name):
                return False
            if names and not any(fnmatchcase(thing.name, name) for name in names):
                return False
            if any(fnmatchcase(thing.name, name) for name in self.objects.others):
                return False
        return True

    def _unknown(
        self, thing: Definition, values: Values, must: AttributeCondition, platform: Platform
    ) -> list[str]:
        """What is not known of the object, where that is to be reported."""
        if not self.report_unknown or must.is_true(values):
            return []
        asked = must.keywords_not(lambda part: part.is_true(values))
        return [word for word in asked if word not in values and _has(thing, word, platform)]

    def _finding(
        self,
        thing: Definition,
        values: Values,
        must: AttributeCondition,
        unknown: Sequence[str],
    ) -> Finding:
        is_wrong = must.is_false(values)
        asked = must.keywords_not(
            (lambda part: not part.is_false(values))
            if is_wrong
            else (lambda part: part.is_true(values))
        )
        given = [word for word in asked if word not in (NAME, QMGR) and word in values]
        if is_wrong:
            shown = " ".join(f"{w}({_shown(w, values[w])})" for w in given)
        else:
            shown = f"{', '.join(unknown)} not known"
        place = next((p for w in given if (p := thing.place(w)) != thing.place()), thing.place())
        new = self._needed(thing.kind, values) if is_wrong else {}
        return Finding(
            self.code,
            self.severity,
            thing.kind,
            thing.name,
            place,
            f"{shown}: {self.message}" if shown else self.message,
            (setting(thing, **new),) if new else (),
        )

    def _needed(self, kind: str, values: Mapping[str, Any]) -> dict[str, AttributeValue]:
        """The values of the fix without which something is found; none if it does not help."""
        new = {}
        for word, value in self.fix.items():
            entry = attribute(kind, word.upper())
            if entry is not None:
                new[entry.keyword] = parse_value(entry, str(value))
        if self._is_wrong({**values, **new}):
            return {}
        for keyword in reversed(list(new)):
            fewer = {word: value for word, value in new.items() if word != keyword}
            if not self._is_wrong({**values, **fewer}):
                new = fewer
        return new

    def _is_wrong(self, values: Mapping[str, Any]) -> bool:
        must, *when = self.conditions
        return all(one.is_true(values) for one in when) and must.is_false(values)

    @property
    def text(self) -> str:
        """The page of the rule, in Markdown, in the form of ours."""
        about = self.objects
        parts = [f"# {self.code}: {self.message}", ""]
        if about.environments:
            parts += [f"Environment: {any_of(about.environments)}", ""]
        parts += ["## Problem", "", f"Each {self._scope} must satisfy this condition:", ""]
        parts += ["```text", self.condition, "```", ""]
        if self.when:
            parts += ["The rule checks only objects that satisfy this condition:", ""]
            parts += ["```text", self.when, "```", ""]
        if self.report_unknown:
            parts += ["It also reports objects for which the condition cannot be decided.", ""]
        parts += _examples("The rule reports", self.bad)
        if self.why:
            parts += ["## Why it matters", "", self.why, ""]
        if self.fix or self.good or self.page:
            parts += ["## Fix", ""]
        if self.fix:
            set_to = ", ".join(f"{word.upper()}({value})" for word, value in self.fix.items())
            wrong_only = ", but only attributes with a wrong value" if len(self.fix) > 1 else ""
            parts += [f"`mqtriage lint fix` sets {set_to}{wrong_only}.", ""]
        parts += _examples("The rule accepts", self.good)
        if self.page:
            parts += [f"Source: {self.page}", ""]
        return "\n".join(parts)

    @property
    def _scope(self) -> str:
        """Which objects the rule checks, in words."""
        about = self.objects
        text = any_of(about.kinds)
        text += f" named {any_of(about.names)}" if about.names else ""
        others = about.others if about.names else ("SYSTEM.*", "AMQ.*", *about.others)
        if about.kinds != ("QMGR",):
            text += f", except {any_of(tuple(dict.fromkeys(others)))}," if others else ""
        if about.platform:
            text += " on z/OS" if about.platform == "zos" else " on Multiplatforms"
        return text


def _has(thing: Definition, keyword: str, platform: Platform) -> bool:
    """Whether objects of this type, and of this type of channel, have the attribute."""
    if keyword in (NAME, QMGR):
        return True
    entry = attribute(thing.kind, keyword)
    if entry is None or not entry.exists_on(platform):
        return False
    of = thing.text("CHLTYPE" if thing.kind == "CHANNEL" else "AUTHTYPE")
    return not (entry.channel_types and of) or of in entry.channel_types


def _examples(verb: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        these = "this example" if len(texts) == 1 else "each of these examples"
        yield from (f"{verb} {these}:", "")
    for text in texts:
        yield from ("```mqsc", text.strip("\n"), "```", "")


def _shown(keyword: str, value: AttributeValue) -> AttributeValue:
    """A value as a message shows it."""
    return MASKED if keyword in SECRETS else "' '" if value == "" else value


def _things(estate: Estate, kinds: Iterable[str]) -> Iterator[Definition]:
    for kind in kinds:
        if kind in QUEUE_KINDS:
            yield from estate.of_kind(kind)
        elif kind == "QMGR":
            if estate.queue_manager_attributes is not None:
                yield estate.queue_manager_attributes
        elif kind in RECORDS:
            yield from _records(estate, kind)
        else:
            yield from estate.objects(kind).values()
            if kind == "CHANNEL":
                yield from estate.objects("CLNTCONN").values()


def _records(estate: Estate, kind: str) -> Iterator[Definition]:
    """Each SET of a record, as an object of its own, but those that remove one."""
    for source in estate.commands:
        command = source.command
        if (command.verb, command.noun) != ("SET", kind):
            continue
        if (command.value("ACTION") or "").upper() in ("REMOVE", "REMOVEALL"):
            continue
        values: dict[str, AttributeValue] = {}
        for parameter in command.parameters:
            entry = attribute(kind, parameter.keyword)
            if entry is not None:
                values[entry.keyword] = parameter.text
                with suppress(UsageError):
                    values[entry.keyword] = parse_value(entry, parameter.text)
        name = command.named(command.value("PROFILE") or "")
        yield Definition(kind, name, values, (source,))


def _read_rule(value: object, where: str) -> OwnRule:
    """A rule with its conditions, which are checked against the attributes of its types."""
    rule = _TABLE.read(value, where)
    kinds, named = rule.objects.kinds, f"{where} ({rule.code})"
    conditions = tuple(
        read_condition(text, kinds, f"{named}.{word}")
        for word, text in (("condition", rule.condition), ("when", rule.when))
        if text or word == "condition"
    )
    asked = {word for condition in conditions for word in condition.keywords}
    for word, given in rule.fix.items():
        _check_fix(kinds, word, given, f"{named}.fix", asked)
    return replace(rule, conditions=conditions)


def _check_fix(
    kinds: Iterable[str], word: str, value: AttributeValue, where: str, asked: Collection[str]
) -> None:
    """Refuse an attribute that cannot be set, and one that the conditions do not ask for.

    Nothing would tell whether the value of such an attribute is wrong already.
    """
    entries = {k: entry for k in kinds if (entry := attribute(k, word.upper())) is not None}
    if not entries or not entries.keys().isdisjoint(RECORDS):
        raise UsageError(f"{where}.{word}: no attribute that can be altered")
    for entry in entries.values():
        if entry.read_only or entry.keyword in SECRETS:
            raise UsageError(f"{where}.{word}: it cannot be set by a rule")
        if entry.kind is ValueKind.FLAG and entry.keyword != word.upper():
            raise UsageError(f"{where}.{word}: write {entry.keyword.lower()} = 'NO'")
        try:
            parse_value(entry, str(value))
        except UsageError as error:
            raise UsageError(f"{where}.{word}: {error.text}") from None
        if entry.keyword == "SSLCIPH" and (problem := cipher_problem(str(value))):
            raise UsageError(f"{where}.{word}: {problem}")
        if entry.keyword not in asked:
            raise UsageError(
                f"{where}.{word}: the condition does not mention this attribute",
                hint="a fix changes only what the condition finds wrong: add the attribute to the"
                " condition, or write another rule for it",
            )


_TABLE: Final = record_form(
    OwnRule,
    elsewhere=dict.fromkeys(
        ("type", "name", "except", "platform", "environment"), "objects = { ... }"
    )
    | dict.fromkeys(("select", "ignore", "baseline", "per-path"), "[lint]"),
)
_LIST: Final = list_of(ValueForm(_read_rule, _TABLE.schema))


def _read_rules(value: object, where: str) -> tuple[OwnRule, ...]:
    if isinstance(value, dict):
        raise UsageError(f"{where} is one table", hint="write [[rule]], in double brackets")
    rules = _LIST.read(value, where)
    seen: set[str] = set()
    for rule in rules:
        if rule.code in seen:
            raise UsageError(f"{where}: two rules are called {rule.code}")
        seen.add(rule.code)
    return rules


RULES: Final = ValueForm(_read_rules, _LIST.schema)
